/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* One viewer's sender over UDP: numbers, and what the socket does not take. */

#include <gst/check/gstcheck.h>

#include "rtpunits.h"
#include "server/sessions.h"
#include "sendertest.h"
#include "sinktest.h"
#include "standin.h"
#include "udppair.h"

#define ANNOUNCED 65530         /* wraps soon */
#define PAYLOAD 64
#define TOO_LARGE 65530         /* for a datagram: the socket refuses it */
#define KEY TRUE
#define DELTA FALSE

#define SSRC 0x22222222

static UdpPair *udp;            /* the viewer's sockets */
static StandIn *viewer;
static GSocket *server_socket;
static RtspSinkSender *sender;
static UnitSource units;
static guint n_touches;

static void
touched (gpointer user_data)
{
  n_touches++;
}

static void
make_sender (void)
{
  RtspSinkSenderConfig config = {
    .id = 1,
    .peer = "127.0.0.1",
    .transport = stand_in_transport (viewer),
    .socket = server_socket,
    .max_delay = GST_SECOND,
  };

  gst_rtsp_stream_transport_set_keepalive (config.transport, touched, NULL,
      NULL);
  sender = rtsp_sink_sender_new (&config);
}

static void
set_up (GSocketFamily family)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (family);
  g_autofree gchar *address = g_inet_address_to_string (loopback);

  units = (UnitSource) {
  100, GST_SECOND, 0};
  udp = udp_pair_new (loopback, 0, NULL);
  fail_unless (udp != NULL);
  server_socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);
  g_socket_set_blocking (server_socket, FALSE);
  viewer = stand_in_new_udp (address, udp->port);
  n_touches = 0;
  make_sender ();
}

static void
setup (void)
{
  set_up (G_SOCKET_FAMILY_IPV4);
}

static void
drop_sender (void)
{
  if (sender != NULL)
    rtsp_sink_sender_stop (sender);
  g_clear_pointer (&sender, rtsp_sink_sender_unref);
}

static void
teardown (void)
{
  drop_sender ();
  g_clear_pointer (&viewer, stand_in_free);
  g_clear_pointer (&udp, udp_pair_free);
  g_clear_object (&server_socket);
}

static RtspSinkSenderGate
push (gboolean key)
{
  return unit_source_push (&units, sender, 2, PAYLOAD, key);
}

static void
expect_push (gboolean key, RtspSinkSenderGate gate)
{
  fail_unless_equals_int (push (key), gate);
}

/* Waits for n datagrams, and no more. */
static void
expect_datagrams (guint16 from, guint n)
{
  GstBuffer *extra;

  for (guint i = 0; i < n; i++) {
    GstBuffer *datagram;

    fail_unless (g_socket_condition_timed_wait (udp->rtp, G_IO_IN,
            SINK_TEST_TIMEOUT, NULL, NULL), "no datagram %u", i);
    datagram = udp_pair_receive (udp->rtp);
    fail_unless_equals_int (rtp_packet_seqnum (datagram), (guint16) (from + i));
    gst_buffer_unref (datagram);
  }
  extra = udp_pair_receive (udp->rtp);
  fail_unless (extra == NULL);
}

GST_START_TEST (test_udpsender_begin_with_the_announced_number)
{
  expect_push (KEY, RTSP_SINK_SENDER_CLOSED);
  rtsp_sink_sender_open (sender, ANNOUNCED);
  expect_push (DELTA, RTSP_SINK_SENDER_JOINING);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  for (guint i = 0; i < 9; i++)
    expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  expect_datagrams (ANNOUNCED, 20);
  fail_unless_equals_int (stand_in_count_units (viewer), 0);
}

GST_END_TEST;

GST_START_TEST (test_udpsender_goes_over_ipv6)
{
  if (!stand_in_has_ipv6 ())
    return;
  teardown ();
  set_up (G_SOCKET_FAMILY_IPV6);
  rtsp_sink_sender_open (sender, ANNOUNCED);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  expect_datagrams (ANNOUNCED, 2);
}

GST_END_TEST;

GST_START_TEST (test_udpsender_closed_and_opened_begin_anew)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (KEY);
  rtsp_sink_sender_close (sender);
  expect_push (KEY, RTSP_SINK_SENDER_CLOSED);
  expect_datagrams (ANNOUNCED, 2);

  rtsp_sink_sender_open (sender, 4711);
  expect_push (DELTA, RTSP_SINK_SENDER_JOINING);
  push (KEY);
  expect_datagrams (4711, 2);
}

GST_END_TEST;

/* What follows a lost packet shows rubbish until the next key unit. */
GST_START_TEST (test_udpsender_refused_are_lost_until_a_key_unit)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  fail_unless_equals_int (unit_source_push (&units, sender, 3, TOO_LARGE,
          DELTA), RTSP_SINK_SENDER_SKIPPING);
  sender_expect_state (sender, TRUE, TRUE);
  expect_push (DELTA, RTSP_SINK_SENDER_SKIPPING);
  fail_unless_equals_int (unit_source_push (&units, sender, 1, TOO_LARGE, KEY),
      RTSP_SINK_SENDER_SKIPPING);
  fail_unless_equals_uint64 (sender_stats (sender).n_lost, 4);
  expect_datagrams (ANNOUNCED, 2);

  /* the gap tells the viewer what it lost, and no more than that */
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  expect_datagrams ((guint16) (ANNOUNCED + 6), 4);
  fail_unless_equals_uint64 (sender_stats (sender).n_lost, 4);
  sender_expect_state (sender, TRUE, FALSE);
}

GST_END_TEST;

/* A full socket takes the beginning of a unit: so does one that refuses the
 * second of its packets. */
GST_START_TEST (test_udpsender_lost_are_not_counted_as_sent)
{
  GstBufferList *unit = rtp_unit_new (units.seqnum, 1, PAYLOAD, units.pts, KEY);
  GstBufferList *rest =
      rtp_unit_new (units.seqnum + 1, 2, TOO_LARGE, units.pts, KEY);

  gst_buffer_list_add (unit, gst_buffer_ref (gst_buffer_list_get (rest, 0)));
  gst_buffer_list_add (unit, gst_buffer_ref (gst_buffer_list_get (rest, 1)));
  rtsp_sink_sender_open (sender, ANNOUNCED);
  fail_unless_equals_int (unit_source_push_list (&units, sender, unit, KEY),
      RTSP_SINK_SENDER_SKIPPING);
  expect_datagrams (ANNOUNCED, 1);
  fail_unless_equals_uint64 (sender_stats (sender).n_lost, 2);
  fail_unless_equals_uint64 (sender_stats (sender).n_packets, 1);
  gst_buffer_list_unref (rest);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* Where the next datagram comes from. */
static guint16
receive_port (void)
{
  g_autoptr (GSocketAddress) address = NULL;
  gchar byte;

  fail_unless (g_socket_condition_timed_wait (udp->rtp, G_IO_IN,
          SINK_TEST_TIMEOUT, NULL, NULL));
  fail_unless (g_socket_receive_from (udp->rtp, &address, &byte, 1, NULL,
          NULL) == 1);
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));
}

/* What fills the shared one may be another viewer's. It sends from the port that
 * the viewer was told, and goes with it. */
GST_START_TEST (test_udpsender_refused_gets_a_socket_of_its_own)
{
  guint fds = proc_count_fds ();
  guint16 port;

  rtsp_sink_sender_open (sender, ANNOUNCED);
  unit_source_push (&units, sender, 1, PAYLOAD, KEY);
  port = receive_port ();
  fail_unless_equals_int (proc_count_fds (), fds);
  for (guint i = 0; i < 3; i++)
    unit_source_push (&units, sender, 1, TOO_LARGE, KEY);
  fail_unless_equals_int (proc_count_fds (), fds + 1);
  unit_source_push (&units, sender, 1, PAYLOAD, KEY);
  fail_unless_equals_int (receive_port (), port);
  drop_sender ();
  fail_unless_equals_int (proc_count_fds (), fds);
}

GST_END_TEST;

/* Datagrams do not wait: nobody knows whether they are taken. */
GST_START_TEST (test_udpsender_are_never_behind)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (KEY);
  for (guint i = 0; i < 30; i++) {
    units.pts += GST_SECOND;
    expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  }
  fail_unless_equals_uint64 (sender_stats (sender).delay, 0);
  fail_unless_equals_uint64 (sender_stats (sender).n_units, 31);
}

GST_END_TEST;

GST_START_TEST (test_udpsender_without_socket_loses_all)
{
  drop_sender ();
  g_clear_object (&server_socket);
  make_sender ();
  rtsp_sink_sender_open (sender, ANNOUNCED);
  expect_push (KEY, RTSP_SINK_SENDER_SKIPPING);
  expect_push (DELTA, RTSP_SINK_SENDER_SKIPPING);
  fail_unless_equals_uint64 (sender_stats (sender).n_lost, 2);
}

GST_END_TEST;

/* It lives as long as somebody sends. */
GST_START_TEST (test_udpsender_stop_leaves_the_shared_socket_open)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (KEY);
  drop_sender ();
  fail_if (g_socket_is_closed (server_socket));
  make_sender ();
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (KEY);
  stand_in_forget (viewer);
  fail_unless_equals_int (rtsp_sink_sender_get_lower_transport (sender),
      GST_RTSP_LOWER_TRANS_UDP);
}

GST_END_TEST;

/* Whether RTCP from there is a sign of this viewer's life. */
static gboolean
is_touched_by (const gchar * ip, guint16 port)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string (ip, port);
  guint before = n_touches;

  rtsp_sink_sender_touch (sender, G_INET_SOCKET_ADDRESS (address));
  return n_touches > before;
}

/* NAT may have changed the port of RTCP, but then it is not known whose it is. */
GST_START_TEST (test_udpsender_lives_by_reports_from_its_ports)
{
  fail_unless (is_touched_by ("127.0.0.1", udp->port + 1));
  fail_unless (is_touched_by ("127.0.0.1", udp->port));
  fail_if (is_touched_by ("127.0.0.1", udp->port + 2));
  fail_if (is_touched_by ("127.0.0.2", udp->port + 1));
  fail_if (is_touched_by ("::1", udp->port + 1));
}

GST_END_TEST;

GST_START_TEST (test_udpsender_of_ipv6_lives_by_reports_too)
{
  stand_in_free (viewer);
  viewer = stand_in_new_udp ("2001:db8::1", 5000);
  drop_sender ();
  make_sender ();
  fail_unless (is_touched_by ("2001:db8:0::1", 5001));
  fail_if (is_touched_by ("2001:db8::2", 5001));
}

GST_END_TEST;

/* Its RTCP goes to the group, from whatever port. */
GST_START_TEST (test_udpsender_of_a_group_lives_by_reports_from_its_machine)
{
  stand_in_free (viewer);
  viewer = stand_in_new_multicast ("239.255.42.42", 5000);
  drop_sender ();
  make_sender ();
  fail_unless (is_touched_by ("127.0.0.1", 40000));
  fail_if (is_touched_by ("192.0.2.1", 5001));
  fail_unless_equals_int (rtsp_sink_sender_get_lower_transport (sender),
      GST_RTSP_LOWER_TRANS_UDP_MCAST);
}

GST_END_TEST;

static gboolean
may_report (const gchar * ip, guint16 port, guint32 ssrc, gint64 now)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string (ip, port);

  return rtsp_sink_sender_may_report (sender, G_INET_SOCKET_ADDRESS (address),
      ssrc, now);
}

static gboolean
may_report_as (guint32 ssrc, gint64 now)
{
  return may_report ("127.0.0.1", udp->port + 1, ssrc, now);
}

/* Ten at once, and ten a second. */
GST_START_TEST (test_udpsender_may_report_so_often)
{
  const gint64 start = 100 * G_USEC_PER_SEC;

  for (guint i = 0; i < 10; i++)
    fail_unless (may_report_as (SSRC, start));
  for (guint i = 0; i < 1000; i++)
    fail_if (may_report_as (i % 2 ? SSRC : 0, start));
  fail_if (may_report_as (SSRC, start + G_USEC_PER_SEC / 20));
  fail_unless (may_report_as (SSRC, start + G_USEC_PER_SEC / 10));
  fail_if (may_report_as (SSRC, start + G_USEC_PER_SEC / 10));
  for (guint i = 0; i < 10; i++)
    fail_unless (may_report_as (SSRC, start + 100 * G_USEC_PER_SEC));
  fail_if (may_report_as (SSRC, start + 100 * G_USEC_PER_SEC));
}

GST_END_TEST;

/* One that it keeps, and another one after a collision. */
GST_START_TEST (test_udpsender_may_report_as_so_many)
{
  gint64 now = 100 * G_USEC_PER_SEC;
  guint n = 0;

  for (guint i = 0; i < 100; i++) {
    n += may_report_as (SSRC + i, now);
    now += G_USEC_PER_SEC / 2;
  }
  fail_unless (n >= 4 && n <= 7, "%u SSRCs in 50 s", n);
  fail_unless (may_report_as (0, now));

  fail_unless (may_report_as (SSRC, now + 10 * G_USEC_PER_SEC));
  for (guint i = 0; i < 100; i++) {
    now += G_USEC_PER_SEC;
    fail_unless (may_report_as (SSRC, now + 10 * G_USEC_PER_SEC));
  }
}

GST_END_TEST;

GST_START_TEST (test_udpsender_may_report_from_its_ports)
{
  fail_if (may_report ("127.0.0.1", udp->port + 2, SSRC, 1));
  fail_if (may_report ("127.0.0.2", udp->port, SSRC, 1));
  fail_unless (may_report ("127.0.0.1", udp->port, SSRC, 1));
}

GST_END_TEST;

GST_START_TEST (test_udpsender_outlives_its_session)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string ("127.0.0.1", udp->port + 1);
  GstRTSPSession *session = gst_rtsp_session_new ("test");

  rtsp_sink_sessions_kept_alive_by (session, stand_in_transport (viewer));
  g_object_unref (session);
  rtsp_sink_sender_touch (sender, G_INET_SOCKET_ADDRESS (address));
}

GST_END_TEST;

static gint done;               /* atomic */

static gpointer
play_and_pause (gpointer user_data)
{
  while (!g_atomic_int_get (&done)) {
    rtsp_sink_sender_open (sender, ANNOUNCED);
    g_thread_yield ();
    sender_stats (sender);
    rtsp_sink_sender_close (sender);
  }
  return NULL;
}

/* Datagrams that are lost, too, and the socket that takes the place of the
 * shared one. */
GST_START_TEST (test_udpsender_viewer_plays_and_pauses_beside_the_media)
{
  GThread *thread;
  guint64 n;

  done = FALSE;
  thread = g_thread_new ("viewer", play_and_pause, NULL);
  for (guint i = 0; i < 2000; i++)
    unit_source_push (&units, sender, 1, i % 100 ? PAYLOAD : TOO_LARGE, KEY);
  g_atomic_int_set (&done, TRUE);
  g_thread_join (thread);

  n = sender_stats (sender).n_packets;
  rtsp_sink_sender_open (sender, ANNOUNCED);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  fail_unless_equals_uint64 (sender_stats (sender).n_packets, n + 2);
}

GST_END_TEST;

static Suite *
udpsender_suite (void)
{
  Suite *suite = suite_create ("udpsender");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_udpsender_begin_with_the_announced_number);
  tcase_add_test (chain, test_udpsender_goes_over_ipv6);
  tcase_add_test (chain, test_udpsender_closed_and_opened_begin_anew);
  tcase_add_test (chain, test_udpsender_refused_are_lost_until_a_key_unit);
  tcase_add_test (chain, test_udpsender_lost_are_not_counted_as_sent);
  tcase_add_test (chain, test_udpsender_refused_gets_a_socket_of_its_own);
  tcase_add_test (chain, test_udpsender_are_never_behind);
  tcase_add_test (chain, test_udpsender_without_socket_loses_all);
  tcase_add_test (chain, test_udpsender_stop_leaves_the_shared_socket_open);
  tcase_add_test (chain, test_udpsender_lives_by_reports_from_its_ports);
  tcase_add_test (chain, test_udpsender_of_ipv6_lives_by_reports_too);
  tcase_add_test (chain,
      test_udpsender_of_a_group_lives_by_reports_from_its_machine);
  tcase_add_test (chain, test_udpsender_may_report_so_often);
  tcase_add_test (chain, test_udpsender_may_report_as_so_many);
  tcase_add_test (chain, test_udpsender_may_report_from_its_ports);
  tcase_add_test (chain, test_udpsender_outlives_its_session);
  tcase_add_test (chain,
      test_udpsender_viewer_plays_and_pauses_beside_the_media);

  return suite;
}

CHECK_SUITE (udpsender);
