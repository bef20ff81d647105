/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* An access unit as datagrams: the bytes of the packets, but for the sequence
 * numbers, which are each viewer's own. */

#include <gst/check/gstcheck.h>
#include <sys/socket.h>

#include "rtpunits.h"
#include "media/datagrams.h"
#include "sinktest.h"
#include "standin.h"
#include "udppair.h"

#define FIRST_SEQ 1000
#define SEQ_OFFSET 2
#define PAYLOAD 200

/* More than fits into one datagram of IPv4 (RFC 768). */
#define TOO_LARGE 65536

static GSocket *sender;
static UdpPair *viewer;
static GSocketAddress *address;

static void
set_up (GSocketFamily family)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (family);
  GError *error = NULL;

  sender = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP,
      NULL);
  fail_unless (sender != NULL);
  g_socket_set_blocking (sender, FALSE);
  viewer = udp_pair_new (loopback, 0, &error);
  fail_unless (viewer != NULL, "%s", error ? error->message : "");
  address = g_inet_socket_address_new (loopback, viewer->port);
}

static void
setup (void)
{
  set_up (G_SOCKET_FAMILY_IPV4);
}

static void
teardown (void)
{
  g_clear_object (&sender);
  g_clear_object (&address);
  g_clear_pointer (&viewer, udp_pair_free);
}

/* From that packet on. */
static guint
send_from (GstBufferList * unit, guint16 seqnum, guint begin)
{
  RtspSinkDatagrams *datagrams = rtsp_sink_datagrams_new (unit);
  guint n = rtsp_sink_datagrams_send (datagrams, sender, address, seqnum,
      begin);

  rtsp_sink_datagrams_free (datagrams);
  return n;
}

static guint
send_unit (GstBufferList * unit, guint16 seqnum)
{
  return send_from (unit, seqnum, 0);
}

static GstBuffer *
receive (UdpPair * from)
{
  GstBuffer *datagram;

  fail_unless (g_socket_condition_timed_wait (from->rtp, G_IO_IN,
          SINK_TEST_TIMEOUT, NULL, NULL), "no datagram came");
  datagram = udp_pair_receive (from->rtp);
  fail_unless (datagram != NULL);
  return datagram;
}

static guint8 *
copy_bytes (GstBuffer * buffer, gsize * size)
{
  guint8 *bytes;

  *size = gst_buffer_get_size (buffer);
  bytes = g_malloc (*size);
  gst_buffer_extract (buffer, 0, bytes, *size);
  return bytes;
}

/* The next datagram is that packet with another number. */
static void
expect_packet (UdpPair * from, GstBuffer * packet, guint16 seqnum)
{
  GstBuffer *datagram = receive (from);
  g_autofree guint8 *sent = NULL;
  g_autofree guint8 *came = NULL;
  gsize n_sent, n_came;

  fail_unless_equals_int (rtp_packet_seqnum (datagram), seqnum);
  sent = copy_bytes (packet, &n_sent);
  came = copy_bytes (datagram, &n_came);
  GST_WRITE_UINT16_BE (sent + SEQ_OFFSET, seqnum);
  fail_unless_equals_int (n_came, n_sent);
  fail_unless (memcmp (sent, came, n_sent) == 0);
  gst_buffer_unref (datagram);
}

static void
expect_from (UdpPair * from, GstBufferList * unit, guint16 seqnum, guint begin)
{
  for (guint i = begin; i < gst_buffer_list_length (unit); i++)
    expect_packet (from, gst_buffer_list_get (unit, i), seqnum + i);
}

static void
expect_unit (UdpPair * from, GstBufferList * unit, guint16 seqnum)
{
  expect_from (from, unit, seqnum, 0);
}

static GstBufferList *
make_unit (guint n)
{
  return rtp_unit_new (FIRST_SEQ, n, PAYLOAD, 0, TRUE);
}

static void
check_family (void)
{
  GstBufferList *unit = make_unit (5);

  fail_unless_equals_int (send_unit (unit, 7), 5);
  expect_unit (viewer, unit, 7);
  gst_buffer_list_unref (unit);
}

GST_START_TEST (test_datagrams_are_the_packets_with_other_numbers)
{
  check_family ();
}

GST_END_TEST;

GST_START_TEST (test_datagrams_go_over_ipv6)
{
  if (!stand_in_has_ipv6 ())
    return;
  teardown ();
  set_up (G_SOCKET_FAMILY_IPV6);
  check_family ();
}

GST_END_TEST;

GST_START_TEST (test_datagrams_numbers_wrap)
{
  GstBufferList *unit = make_unit (4);

  fail_unless_equals_int (send_unit (unit, G_MAXUINT16 - 1), 4);
  expect_unit (viewer, unit, G_MAXUINT16 - 1);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* One layout, many viewers: each has its own numbers, and the packets, which all
 * share, stay as they are. */
GST_START_TEST (test_datagrams_of_two_viewers_have_their_own_numbers)
{
  g_autoptr (GInetAddress) loopback =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  UdpPair *other = udp_pair_new (loopback, 0, NULL);
  g_autoptr (GSocketAddress) to_other =
      g_inet_socket_address_new (loopback, other->port);
  GstBufferList *unit = make_unit (3);
  RtspSinkDatagrams *datagrams = rtsp_sink_datagrams_new (unit);

  rtsp_sink_datagrams_send (datagrams, sender, address, 10, 0);
  rtsp_sink_datagrams_send (datagrams, sender, to_other, 20000, 0);
  rtsp_sink_datagrams_send (datagrams, sender, address, 13, 0);
  expect_unit (viewer, unit, 10);
  expect_unit (viewer, unit, 13);
  expect_unit (other, unit, 20000);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (rtp_packet_seqnum (gst_buffer_list_get (unit, i)),
        FIRST_SEQ + i);

  rtsp_sink_datagrams_free (datagrams);
  gst_buffer_list_unref (unit);
  udp_pair_free (other);
}

GST_END_TEST;

/* A packet in pieces of so many bytes, as payloaders that do not copy leave them. */
static GstBuffer *
split (GstBuffer * packet, gsize first, gsize piece)
{
  GstBuffer *pieces = gst_buffer_new ();
  GstMemory *whole = gst_buffer_get_all_memory (packet);
  gsize size = gst_buffer_get_size (packet);

  for (gsize at = 0, n = first; at < size; at += n, n = piece) {
    n = MIN (n, size - at);
    gst_buffer_append_memory (pieces, gst_memory_copy (whole, at, n));
  }
  gst_memory_unref (whole);
  return pieces;
}

GST_START_TEST (test_datagrams_packets_may_lie_in_many_memories)
{
  static const gsize pieces[][2] = {
    {12, PAYLOAD},              /* header and payload */
    {12, 1 + PAYLOAD / 10},
    {4, 8},                     /* nothing but what is the viewer's own */
    {5, 50},
    {12 + PAYLOAD, 1},
  };
  GstBufferList *whole = make_unit (G_N_ELEMENTS (pieces));
  GstBufferList *unit = gst_buffer_list_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
    gst_buffer_list_add (unit, split (gst_buffer_list_get (whole, i),
            pieces[i][0], pieces[i][1]));
  fail_unless_equals_int (send_unit (unit, 65000), G_N_ELEMENTS (pieces));
  expect_unit (viewer, whole, 65000);
  gst_buffer_list_unref (unit);
  gst_buffer_list_unref (whole);
}

GST_END_TEST;

/* More than the kernel takes with one call (IOV_MAX): a frame of raw video. The
 * viewer's machine may lose some, but not the first. */
/* Units of packets of these payloads, 0 at the end. */
static GstBufferList *
make_unit_of (const gsize * payloads)
{
  GstBufferList *unit = gst_buffer_list_new ();

  for (guint i = 0; payloads[i] != 0; i++) {
    GstBufferList *one = rtp_unit_new (FIRST_SEQ + i, 1, payloads[i], 0, TRUE);

    gst_buffer_list_add (unit, gst_buffer_ref (gst_buffer_list_get (one, 0)));
    gst_buffer_list_unref (one);
  }
  return unit;
}

/* Equal ones in a row may go to the kernel as one, which cuts them. */
static const gsize size_patterns[][9] = {
  {1400, 1400, 1400, 700, 0},
  {300, 1400, 1400, 20, 1400, 1400, 0},
  {20, 21, 22, 21, 20, 0},
  {500, 500, 500, 500, 0},
  {9000, 9000, 9000, 9000, 9000, 9000, 9000, 1, 0},
  {1, 1, 1, 0},
};

static void
check_size_patterns (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (size_patterns); i++) {
    GstBufferList *unit = make_unit_of (size_patterns[i]);
    guint n = gst_buffer_list_length (unit);

    fail_unless_equals_int (send_unit (unit, 100 * i), n);
    expect_unit (viewer, unit, 100 * i);
    gst_buffer_list_unref (unit);
  }
}

GST_START_TEST (test_datagrams_end_where_the_packets_do)
{
  check_size_patterns ();
}

GST_END_TEST;

/* What one socket did not take goes on through another, wherever that is. */
GST_START_TEST (test_datagrams_go_on_from_any_packet)
{
  for (gsize i = 0; i < G_N_ELEMENTS (size_patterns); i++) {
    GstBufferList *unit = make_unit_of (size_patterns[i]);
    guint n = gst_buffer_list_length (unit);

    for (guint begin = 0; begin < n; begin++) {
      fail_unless_equals_int (send_from (unit, 65530, begin), n);
      expect_from (viewer, unit, 65530, begin);
    }
    gst_buffer_list_unref (unit);
  }
}

GST_END_TEST;

GST_START_TEST (test_datagrams_end_where_the_packets_do_over_ipv6)
{
  if (!stand_in_has_ipv6 ())
    return;
  teardown ();
  set_up (G_SOCKET_FAMILY_IPV6);
  check_size_patterns ();
}

GST_END_TEST;

/* The kernel cuts nothing for a socket that computes no checksums; nor does it
 * for packets larger than the network's. */
GST_START_TEST (test_datagrams_go_where_the_kernel_does_not_cut)
{
  fail_unless (g_socket_set_option (sender, SOL_SOCKET, SO_NO_CHECK, 1, NULL));
  check_size_patterns ();
  check_size_patterns ();
}

GST_END_TEST;

/* Longer than what the kernel cuts at a time (64 packets before Linux 6.11). */
GST_START_TEST (test_datagrams_long_row_of_equal_packets_is_sent)
{
  GstBufferList *unit = rtp_unit_new (FIRST_SEQ, 150, 40, 0, TRUE);

  g_socket_set_option (viewer->rtp, SOL_SOCKET, SO_RCVBUF, 200 * 1024, NULL);
  fail_unless_equals_int (send_unit (unit, 65500), 150);
  expect_unit (viewer, unit, 65500);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

GST_START_TEST (test_datagrams_unit_of_thousands_of_packets_is_sent)
{
  GstBufferList *unit = make_unit (2500);

  fail_unless_equals_int (send_unit (unit, FIRST_SEQ), 2500);
  expect_packet (viewer, gst_buffer_list_get (unit, 0), FIRST_SEQ);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

GST_START_TEST (test_datagrams_of_an_empty_unit_are_none)
{
  GstBufferList *unit = gst_buffer_list_new ();

  fail_unless_equals_int (send_unit (unit, 0), 0);
  gst_buffer_list_unref (unit);
  rtsp_sink_datagrams_free (NULL);
}

GST_END_TEST;

/* The kernel takes what comes before the packet that it refuses. */
GST_START_TEST (test_datagrams_refused_in_the_middle_are_counted)
{
  GstBufferList *unit = make_unit (2);
  GstBufferList *large = rtp_unit_new (FIRST_SEQ + 2, 1, TOO_LARGE, 0, TRUE);

  gst_buffer_list_add (unit, gst_buffer_ref (gst_buffer_list_get (large, 0)));
  gst_buffer_list_add (unit, gst_buffer_ref (gst_buffer_list_get (unit, 0)));
  fail_unless_equals_int (send_unit (unit, 50), 2);
  expect_packet (viewer, gst_buffer_list_get (unit, 0), 50);
  expect_packet (viewer, gst_buffer_list_get (unit, 1), 51);
  fail_unless_equals_int (send_unit (large, 52), 0);
  gst_buffer_list_unref (large);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

GST_START_TEST (test_datagrams_socket_that_is_closed_takes_none)
{
  GstBufferList *unit = make_unit (2);

  g_socket_close (sender, NULL);
  fail_unless_equals_int (send_unit (unit, 0), 0);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* A viewer whose program is gone: its machine says so by ICMP. */
GST_START_TEST (test_datagrams_nobody_listens_is_no_error)
{
  GstBufferList *unit = make_unit (2);

  g_socket_close (viewer->rtp, NULL);
  for (guint i = 0; i < 20; i++)
    fail_unless_equals_int (send_unit (unit, 0), 2);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* A memory that is still mapped for reading cannot be mapped for writing. */
static void
expect_unmapped (GstBufferList * unit)
{
  for (guint i = 0; i < gst_buffer_list_length (unit); i++) {
    GstBuffer *packet = gst_buffer_list_get (unit, i);
    GstMapInfo map;

    for (guint k = 0; k < gst_buffer_n_memory (packet); k++) {
      fail_unless (gst_memory_map (gst_buffer_peek_memory (packet, k), &map,
              GST_MAP_WRITE), "packet %u", i);
      gst_memory_unmap (map.memory, &map);
    }
    fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT (packet), 1);
  }
}

GST_START_TEST (test_datagrams_free_unmaps_the_packets)
{
  GstBufferList *unit = make_unit (3);

  send_unit (unit, 0);
  expect_unmapped (unit);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* Not even a header: what is before it is sent. */
GST_START_TEST (test_datagrams_end_where_no_packet_is)
{
  GstBufferList *unit = make_unit (1);

  gst_buffer_list_add (unit, gst_buffer_new_allocate (NULL, 2, NULL));
  gst_buffer_list_add (unit, gst_buffer_new ());
  fail_unless_equals_int (send_unit (unit, 0), 1);
  expect_unmapped (unit);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

static Suite *
datagrams_suite (void)
{
  Suite *suite = suite_create ("datagrams");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_datagrams_are_the_packets_with_other_numbers);
  tcase_add_test (chain, test_datagrams_go_over_ipv6);
  tcase_add_test (chain, test_datagrams_numbers_wrap);
  tcase_add_test (chain, test_datagrams_of_two_viewers_have_their_own_numbers);
  tcase_add_test (chain, test_datagrams_packets_may_lie_in_many_memories);
  tcase_add_test (chain, test_datagrams_end_where_the_packets_do);
  tcase_add_test (chain, test_datagrams_go_on_from_any_packet);
  tcase_add_test (chain, test_datagrams_end_where_the_packets_do_over_ipv6);
  tcase_add_test (chain, test_datagrams_go_where_the_kernel_does_not_cut);
  tcase_add_test (chain, test_datagrams_long_row_of_equal_packets_is_sent);
  tcase_add_test (chain, test_datagrams_unit_of_thousands_of_packets_is_sent);
  tcase_add_test (chain, test_datagrams_of_an_empty_unit_are_none);
  tcase_add_test (chain, test_datagrams_refused_in_the_middle_are_counted);
  tcase_add_test (chain, test_datagrams_socket_that_is_closed_takes_none);
  tcase_add_test (chain, test_datagrams_nobody_listens_is_no_error);
  tcase_add_test (chain, test_datagrams_free_unmaps_the_packets);
  tcase_add_test (chain, test_datagrams_end_where_no_packet_is);

  return suite;
}

CHECK_SUITE (datagrams);
