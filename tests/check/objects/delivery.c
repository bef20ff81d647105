/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The end of a media: what goes to which viewer, what is left to the library's
 * sinks, when a key unit is wanted. From which socket: deliverysocket.c. */

#include <gst/check/gstcheck.h>

#include "rtpunits.h"
#include "media/distributor.h"
#include "media/interleaved.h"
#include "media/libraryelements.h"
#include "sendertest.h"
#include "sinktest.h"
#include "standin.h"
#include "udppair.h"

#define FRAME (100 * GST_MSECOND)
#define MAX_DELAY (1 * GST_SECOND)
#define ANNOUNCED 20000
#define PAYLOAD 64
#define RTCP_SIZE 28
#define KEY TRUE
#define DELTA FALSE

typedef struct
{
  StandIn *stand_in;
  RtspSinkSender *sender;
} Viewer;

static RtspSinkDistributor *delivery;
static RtspSinkFanout *fanout;
static GstElement *rtpbin;      /* stands in for the media's */
static GstPad *rtp_pad;         /* its way out */
static GstPad *sink_pad;        /* of the library's sinks */
static gint n_passed;           /* atomic: lists and buffers that came there */
static guint n_wanted;          /* key units */
static guint16 seqnum;          /* of the next packet */
static GstClockTime now;        /* of the next unit */

static void
count_wanted (gpointer user_data)
{
  g_autoptr (GPtrArray) senders = rtsp_sink_distributor_ref_senders (delivery);

  /* no lock is held */
  fail_unless (senders->len > 0);
  fail_unless (user_data == &n_wanted);
  n_wanted++;
}

static const RtspSinkFanoutFuncs funcs = {
  .request_key_unit = count_wanted,
};

/* Each request comes late enough after the one before. */
static gint64
next_minute (void)
{
  static gint64 time = 0;

  return time += G_TIME_SPAN_MINUTE;
}

static GstFlowReturn
take_list (GstPad * pad, GstObject * parent, GstBufferList * list)
{
  g_atomic_int_inc (&n_passed);
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

static GstFlowReturn
take_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  g_atomic_int_inc (&n_passed);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
send_events (GstPad * pad)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("test"));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
setup (void)
{
  n_passed = n_wanted = 0;
  seqnum = 100;
  now = GST_SECOND;
  fanout = rtsp_sink_fanout_new (NULL, &funcs, &n_wanted);
  rtsp_sink_fanout_set_time_source (fanout, next_minute);
  delivery = rtsp_sink_distributor_new (0, FALSE, fanout);
  rtpbin = gst_object_ref_sink (gst_bin_new (NULL));
  rtsp_sink_distributor_take_over (delivery, rtpbin);

  rtp_pad = gst_pad_new ("send_rtp_src_0", GST_PAD_SRC);
  sink_pad = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_chain_list_function (sink_pad, take_list);
  gst_pad_set_chain_function (sink_pad, take_buffer);
  gst_pad_set_active (rtp_pad, TRUE);
  gst_pad_set_active (sink_pad, TRUE);
  fail_unless_equals_int (gst_pad_link (rtp_pad, sink_pad), GST_PAD_LINK_OK);
  gst_element_add_pad (rtpbin, rtp_pad);
  send_events (rtp_pad);
}

static void
teardown (void)
{
  g_clear_object (&rtpbin);
  g_clear_object (&sink_pad);
  g_clear_pointer (&delivery, rtsp_sink_distributor_free);
  g_clear_pointer (&fanout, rtsp_sink_fanout_unref);
}

static RtspSinkSender *
make_sender (StandIn * stand_in, GSocket * socket)
{
  RtspSinkSenderConfig config = {
    .id = 1,
    .peer = "127.0.0.1",
    .transport = stand_in_transport (stand_in),
    .socket = socket,
    .max_delay = MAX_DELAY,
  };

  return rtsp_sink_sender_new (&config);
}

static Viewer *
viewer_new (StandIn * stand_in, GSocket * socket)
{
  Viewer *self = g_new (Viewer, 1);

  self->stand_in = stand_in;
  self->sender = make_sender (stand_in, socket);
  rtsp_sink_distributor_add (delivery, self->sender);
  return self;
}

static void
viewer_free (Viewer * self)
{
  rtsp_sink_distributor_remove (delivery, self->sender);
  rtsp_sink_sender_stop (self->sender);
  rtsp_sink_sender_unref (self->sender);
  stand_in_free (self->stand_in);
  g_free (self);
}

static Viewer *
add_tcp_viewer (void)
{
  StandIn *stand_in = stand_in_new_tcp ();

  rtsp_sink_interleaved_start (rtsp_sink_interleaved_attach
      (stand_in_transport (stand_in), stand_in_connection (stand_in)));
  return viewer_new (stand_in, NULL);
}

static Viewer *
add_udp_viewer (guint16 port)
{
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  return viewer_new (stand_in_new_udp ("127.0.0.1", port), socket);
}

static Viewer *
add_group_viewer (void)
{
  return viewer_new (stand_in_new_multicast ("239.255.42.42", 5000), NULL);
}

static void
play (Viewer * self)
{
  rtsp_sink_sender_open (self->sender, ANNOUNCED);
}

/* A unit of two packets, as it leaves the RTP session. */
static void
send_sized (gsize payload, gboolean key)
{
  fail_unless_equals_int (gst_pad_push_list (rtp_pad, rtp_unit_new (seqnum, 2,
              payload, now, key)), GST_FLOW_OK);
  seqnum += 2;
  now += FRAME;
}

static void
send_unit (gboolean key)
{
  send_sized (PAYLOAD, key);
}

/* More waits than may. */
static void
fall_behind (Viewer * viewer)
{
  stand_in_set_mode (viewer->stand_in, STAND_IN_HOLDS);
  while (sender_stats (viewer->sender).n_skips == 0)
    send_sized (512 * 1024, DELTA);
}

GST_START_TEST (test_delivery_each_viewer_gets_its_own)
{
  Viewer *early = add_tcp_viewer (), *late = add_tcp_viewer (), *paused =
      add_tcp_viewer ();

  play (early);
  send_unit (KEY);
  send_unit (DELTA);
  play (late);
  send_unit (DELTA);
  send_unit (KEY);
  stand_in_expect_seqnums (early->stand_in, ANNOUNCED, 8);
  stand_in_expect_seqnums (late->stand_in, ANNOUNCED, 2);
  fail_unless_equals_int (stand_in_count_units (paused->stand_in), 0);
  fail_unless_equals_int (n_passed, 0);
  viewer_free (early);
  viewer_free (late);
  viewer_free (paused);
}

GST_END_TEST;

GST_START_TEST (test_delivery_one_unit_goes_over_tcp_and_udp)
{
  g_autoptr (GInetAddress) loopback =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  UdpPair *pair = udp_pair_new (loopback, 0, NULL);
  Viewer *tcp = add_tcp_viewer (), *udp = add_udp_viewer (pair->port);

  play (tcp);
  play (udp);
  send_unit (KEY);
  stand_in_expect_seqnums (tcp->stand_in, ANNOUNCED, 2);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *datagram;

    fail_unless (g_socket_condition_timed_wait (pair->rtp, G_IO_IN,
            SINK_TEST_TIMEOUT, NULL, NULL));
    datagram = udp_pair_receive (pair->rtp);
    fail_unless_equals_int (rtp_packet_seqnum (datagram), ANNOUNCED + i);
    gst_buffer_unref (datagram);
  }
  fail_unless_equals_int (n_passed, 0);
  viewer_free (tcp);
  viewer_free (udp);
  udp_pair_free (pair);
}

GST_END_TEST;

/* The group is served by the library's own sink. */
GST_START_TEST (test_delivery_unit_passes_on_for_a_group_alone)
{
  Viewer *group = add_group_viewer (), *tcp = add_tcp_viewer ();

  play (tcp);
  play (group);
  send_unit (KEY);
  send_unit (DELTA);
  fail_unless_equals_int (n_passed, 2);
  stand_in_expect_seqnums (tcp->stand_in, ANNOUNCED, 4);

  viewer_free (group);
  send_unit (DELTA);
  fail_unless_equals_int (n_passed, 2);
  stand_in_expect_seqnums (tcp->stand_in, ANNOUNCED, 6);
  viewer_free (tcp);
}

GST_END_TEST;

/* What one sender makes of a unit is not for the other. */
GST_START_TEST (test_delivery_group_loses_nothing_beside_datagrams)
{
  Viewer *udp = add_udp_viewer (5000), *group = add_group_viewer ();

  play (udp);
  play (group);
  send_unit (KEY);
  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 0);
  fail_unless_equals_uint64 (sender_stats (group->sender).n_lost, 0);
  sender_expect_state (group->sender, TRUE, FALSE);
  viewer_free (udp);
  viewer_free (group);
}

GST_END_TEST;

static GstBuffer *
make_rtcp (void)
{
  GstBuffer *rtcp = gst_buffer_new_allocate (NULL, RTCP_SIZE, NULL);

  gst_buffer_memset (rtcp, 0, 0, RTCP_SIZE);
  return rtcp;
}

GST_START_TEST (test_delivery_leaves_rtcp_to_the_library)
{
  Viewer *viewer = add_tcp_viewer ();

  play (viewer);
  gst_pad_push (rtp_pad, make_rtcp ());
  fail_unless_equals_int (n_passed, 1);
  fail_unless_equals_int (stand_in_count_units (viewer->stand_in), 0);
  viewer_free (viewer);
}

GST_END_TEST;

GST_START_TEST (test_delivery_what_is_no_rtp_goes_nowhere)
{
  Viewer *viewer = add_tcp_viewer ();
  GstBufferList *rubbish = gst_buffer_list_new ();

  play (viewer);
  gst_buffer_list_add (rubbish, gst_buffer_new_allocate (NULL, 3, NULL));
  gst_pad_push_list (rtp_pad, gst_buffer_list_new ());
  gst_pad_push_list (rtp_pad, rubbish);
  fail_unless_equals_int (n_passed, 0);
  fail_unless_equals_int (stand_in_count_units (viewer->stand_in), 0);
  viewer_free (viewer);
}

GST_END_TEST;

/* Pushes a list and a buffer to the sink; returns how many bytes it sent. */
static guint64
bytes_through (GstElement * sink)
{
  g_autoptr (GstPad) from = gst_object_ref_sink (gst_pad_new ("src",
          GST_PAD_SRC));
  g_autoptr (GstPad) to = gst_element_get_static_pad (sink, "sink");
  guint64 bytes;

  gst_pad_set_active (from, TRUE);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  gst_pad_link (from, to);
  send_events (from);
  gst_pad_push_list (from, rtp_unit_new (0, 1, 88, 0, KEY));
  gst_pad_push (from, make_rtcp ());
  g_object_get (sink, "bytes-served", &bytes, NULL);
  gst_element_set_state (sink, GST_STATE_NULL);
  return bytes;
}

static GstElement *
make_udp_sink (gboolean loop, guint16 port)
{
  g_autofree gchar *clients = g_strdup_printf ("127.0.0.1:%u", port);
  GstElement *sink = gst_element_factory_make ("multiudpsink", NULL);

  g_object_set (sink, "loop", loop, "clients", clients, NULL);
  rtsp_sink_library_elements_apply (sink, "multiudpsink");
  return gst_object_ref_sink (sink);
}

/* RTP of the one is all viewers' already. */
GST_START_TEST (test_delivery_sinks_get_rtp_for_a_group_and_rtcp_for_all)
{
  g_autoptr (GInetAddress) loopback =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  UdpPair *pair = udp_pair_new (loopback, 0, NULL);
  g_autoptr (GstElement) unicast = make_udp_sink (TRUE, pair->port);
  g_autoptr (GstElement) multicast = make_udp_sink (FALSE, pair->port);

  fail_unless_equals_uint64 (bytes_through (unicast), RTCP_SIZE);
  fail_unless_equals_uint64 (bytes_through (multicast), 100 + RTCP_SIZE);
  udp_pair_free (pair);
}

GST_END_TEST;

GST_START_TEST (test_delivery_viewers_that_begin_want_one_key_unit)
{
  Viewer *a = add_tcp_viewer (), *b = add_tcp_viewer ();

  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 0);
  play (a);
  play (b);
  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 1);
  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 2);
  send_unit (KEY);
  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 2);
  viewer_free (a);
  viewer_free (b);
}

GST_END_TEST;

/* Whoever takes nothing has no use for one. */
GST_START_TEST (test_delivery_viewer_that_goes_on_wants_a_key_unit)
{
  Viewer *viewer = add_tcp_viewer ();

  play (viewer);
  send_unit (KEY);
  fall_behind (viewer);
  fail_unless_equals_int (n_wanted, 0);

  stand_in_set_mode (viewer->stand_in, STAND_IN_TAKES);
  stand_in_release (viewer->stand_in);
  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 1);
  send_unit (KEY);
  send_unit (DELTA);
  fail_unless_equals_int (n_wanted, 1);
  viewer_free (viewer);
}

GST_END_TEST;

GST_START_TEST (test_delivery_is_open_while_one_viewer_plays)
{
  Viewer *a = add_tcp_viewer (), *b = add_tcp_viewer ();

  fail_if (rtsp_sink_distributor_is_open (delivery));
  play (a);
  play (b);
  fail_unless (rtsp_sink_distributor_is_open (delivery));
  rtsp_sink_sender_close (a->sender);
  fail_unless (rtsp_sink_distributor_is_open (delivery));
  viewer_free (b);
  fail_if (rtsp_sink_distributor_is_open (delivery));
  viewer_free (a);
}

GST_END_TEST;

/* A list that somebody works on stays as it was found. */
GST_START_TEST (test_delivery_list_of_senders_does_not_change_under_its_reader)
{
  Viewer *a = add_tcp_viewer (), *b = add_tcp_viewer (), *c;
  GPtrArray *senders = rtsp_sink_distributor_ref_senders (delivery);
  RtspSinkSender *oldest = g_ptr_array_index (senders, 0);

  fail_unless (oldest == a->sender);
  c = add_tcp_viewer ();
  fail_unless_equals_int (senders->len, 2);
  viewer_free (a);
  viewer_free (b);
  viewer_free (c);
  fail_unless_equals_int (senders->len, 2);
  fail_unless_equals_int (rtsp_sink_sender_get_lower_transport (oldest),
      GST_RTSP_LOWER_TRANS_TCP);
  g_ptr_array_unref (senders);

  senders = rtsp_sink_distributor_ref_senders (delivery);
  fail_unless_equals_int (senders->len, 0);
  g_ptr_array_unref (senders);
}

GST_END_TEST;

static gint done;               /* atomic */

static gpointer
come_and_go (gpointer user_data)
{
  for (guint n = 0; !g_atomic_int_get (&done) || n == 0; n++) {
    Viewer *viewer = add_tcp_viewer ();

    for (guint i = 0; i < n % 4; i++) {
      play (viewer);
      stand_in_set_mode (viewer->stand_in, i % 2);
      g_thread_yield ();
      rtsp_sink_sender_close (viewer->sender);
      stand_in_release (viewer->stand_in);
    }
    play (viewer);
    viewer_free (viewer);
  }
  return NULL;
}

GST_START_TEST (test_delivery_viewers_come_and_go_beside_the_media)
{
  Viewer *steady = add_tcp_viewer ();
  GThread *threads[3];

  done = FALSE;
  play (steady);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("viewer", come_and_go, NULL);
  for (guint i = 0; i < 3000; i++) {
    send_unit (i % 10 == 0);
    rtsp_sink_distributor_is_open (delivery);
  }
  g_atomic_int_set (&done, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  stand_in_expect_seqnums (steady->stand_in, ANNOUNCED, 6000);
  viewer_free (steady);
}

GST_END_TEST;

static Suite *
delivery_suite (void)
{
  Suite *suite = suite_create ("delivery");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_delivery_each_viewer_gets_its_own);
  tcase_add_test (chain, test_delivery_one_unit_goes_over_tcp_and_udp);
  tcase_add_test (chain, test_delivery_unit_passes_on_for_a_group_alone);
  tcase_add_test (chain, test_delivery_group_loses_nothing_beside_datagrams);
  tcase_add_test (chain, test_delivery_leaves_rtcp_to_the_library);
  tcase_add_test (chain, test_delivery_what_is_no_rtp_goes_nowhere);
  tcase_add_test (chain,
      test_delivery_sinks_get_rtp_for_a_group_and_rtcp_for_all);
  tcase_add_test (chain, test_delivery_viewers_that_begin_want_one_key_unit);
  tcase_add_test (chain, test_delivery_viewer_that_goes_on_wants_a_key_unit);
  tcase_add_test (chain, test_delivery_is_open_while_one_viewer_plays);
  tcase_add_test (chain,
      test_delivery_list_of_senders_does_not_change_under_its_reader);
  tcase_add_test (chain, test_delivery_viewers_come_and_go_beside_the_media);

  return suite;
}

CHECK_SUITE (delivery);
