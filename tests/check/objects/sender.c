/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* One viewer's sender: what its gate lets through, the sequence numbers that
 * the viewer sees, what happens to a viewer who is slow. Over UDP: udpsender.c. */

#include <gst/check/gstcheck.h>

#include "rtpunits.h"
#include "media/interleaved.h"
#include "sendertest.h"
#include "sinktest.h"
#include "standin.h"

#define MAX_DELAY (1 * GST_SECOND)
#define FIRST_SOURCE_SEQ 100
#define ANNOUNCED 65530         /* wraps soon */
#define PAYLOAD 64
#define KEY TRUE
#define DELTA FALSE

static StandIn *viewer;
static RtspSinkSender *sender;
static UnitSource units;

static void
make_sender (GstClockTime max_delay)
{
  RtspSinkSenderConfig config = {
    .id = 7,
    .peer = "192.0.2.1",
    .transport = stand_in_transport (viewer),
    .max_delay = max_delay,
  };

  sender = rtsp_sink_sender_new (&config);
}

static void
setup (void)
{
  units = (UnitSource) {
  FIRST_SOURCE_SEQ, GST_SECOND, 0};
  viewer = stand_in_new_tcp ();
  rtsp_sink_interleaved_start (rtsp_sink_interleaved_attach
      (stand_in_transport (viewer), stand_in_connection (viewer)));
  make_sender (MAX_DELAY);
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

GST_START_TEST (test_sender_closed_sends_nothing)
{
  fail_if (rtsp_sink_sender_is_open (sender));
  expect_push (KEY, RTSP_SINK_SENDER_CLOSED);
  expect_push (DELTA, RTSP_SINK_SENDER_CLOSED);
  fail_unless_equals_int (stand_in_count_units (viewer), 0);
  sender_expect_state (sender, FALSE, FALSE);
}

GST_END_TEST;

GST_START_TEST (test_sender_open_begins_with_a_key_unit)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  fail_unless (rtsp_sink_sender_is_open (sender));
  expect_push (DELTA, RTSP_SINK_SENDER_JOINING);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  fail_unless_equals_int (stand_in_count_units (viewer), 3);
  sender_expect_state (sender, TRUE, FALSE);
}

GST_END_TEST;

/* However long it waits for the key unit: as RTP-Info says. */
GST_START_TEST (test_sender_first_packet_has_the_announced_number)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  for (guint i = 0; i < 5; i++)
    push (DELTA);
  push (KEY);
  for (guint i = 0; i < 9; i++)
    push (DELTA);
  stand_in_expect_seqnums (viewer, ANNOUNCED, 20);
}

GST_END_TEST;

/* For a PLAY in mid-stream, whose answer has an RTP-Info, too. */
GST_START_TEST (test_sender_knows_its_next_number)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (DELTA);
  fail_unless_equals_int (rtsp_sink_sender_get_next_seqnum (sender), ANNOUNCED);
  push (KEY);
  fail_unless_equals_int (rtsp_sink_sender_get_next_seqnum (sender),
      ANNOUNCED + 2);
  for (guint i = 0; i < 5; i++)
    push (DELTA);
  fail_unless_equals_int (rtsp_sink_sender_get_next_seqnum (sender),
      (guint16) (ANNOUNCED + 12));
}

GST_END_TEST;

GST_START_TEST (test_sender_open_twice_goes_on)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (KEY);
  rtsp_sink_sender_open (sender, 1);
  expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  stand_in_expect_seqnums (viewer, ANNOUNCED, 4);
}

GST_END_TEST;

GST_START_TEST (test_sender_reopened_begins_anew)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push (KEY);
  rtsp_sink_sender_close (sender);
  expect_push (KEY, RTSP_SINK_SENDER_CLOSED);
  stand_in_expect_seqnums (viewer, ANNOUNCED, 2);
  stand_in_forget (viewer);

  rtsp_sink_sender_open (sender, 4711);
  rtsp_sink_sender_start (sender);
  expect_push (DELTA, RTSP_SINK_SENDER_JOINING);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  stand_in_expect_seqnums (viewer, 4711, 2);
}

GST_END_TEST;

/* The packets are all viewers'. */
GST_START_TEST (test_sender_leaves_the_packets_alone_and_shares_the_payload)
{
  GstBufferList *unit = rtp_unit_new (units.seqnum, 2, 1000, units.pts, KEY);
  GstBuffer *source = gst_buffer_list_get (unit, 1), *sent;
  GstMemory *payload, *of_source;

  rtsp_sink_sender_open (sender, ANNOUNCED);
  unit_source_push_list (&units, sender, unit, KEY);
  sent = stand_in_packet (viewer, 1);

  fail_unless_equals_int (rtp_packet_seqnum (source), FIRST_SOURCE_SEQ + 1);
  fail_unless_equals_int (rtp_packet_seqnum (sent), ANNOUNCED + 1);
  fail_unless_equals_int (gst_buffer_get_size (sent),
      gst_buffer_get_size (source));
  fail_unless_equals_uint64 (GST_BUFFER_PTS (sent), GST_BUFFER_PTS (source));
  payload = gst_buffer_peek_memory (sent, gst_buffer_n_memory (sent) - 1);
  of_source = gst_buffer_peek_memory (source, gst_buffer_n_memory (source) - 1);
  fail_unless (payload == of_source || payload->parent == of_source);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* Who watches from the beginning costs no copy at all. */
GST_START_TEST (test_sender_same_numbers_are_the_same_packets)
{
  GstBufferList *unit = rtp_unit_new (units.seqnum, 2, PAYLOAD, units.pts, KEY);

  rtsp_sink_sender_open (sender, FIRST_SOURCE_SEQ);
  unit_source_push_list (&units, sender, unit, KEY);
  fail_unless (stand_in_unit (viewer, 0) == unit);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* Of packets in one piece, too: only the header is copied. */
GST_START_TEST (test_sender_packets_in_one_piece_are_numbered)
{
  GstBufferList *unit = rtp_unit_new (units.seqnum, 1, 1000, units.pts, KEY);
  GstBufferList *merged = gst_buffer_list_new ();
  GstBuffer *source = gst_buffer_new (), *sent;
  g_autofree guint8 *bytes = g_malloc (1012);

  gst_buffer_append_memory (source,
      gst_buffer_get_all_memory (gst_buffer_list_get (unit, 0)));
  gst_buffer_list_add (merged, source);
  rtsp_sink_sender_open (sender, ANNOUNCED);
  unit_source_push_list (&units, sender, merged, KEY);

  sent = stand_in_packet (viewer, 0);
  fail_unless_equals_int (rtp_packet_seqnum (sent), ANNOUNCED);
  fail_unless_equals_int (rtp_packet_seqnum (source), FIRST_SOURCE_SEQ);
  fail_unless_equals_int (gst_buffer_extract (source, 12, bytes, 1000), 1000);
  fail_unless_equals_int (gst_buffer_get_size (sent), 1012);
  fail_unless (gst_buffer_memcmp (sent, 12, bytes, 1000) == 0);
  gst_buffer_list_unref (merged);
  gst_buffer_list_unref (unit);
}

GST_END_TEST;

/* The socket is full. Returns how many units the sender took. */
static guint
push_until_behind (gsize payload)
{
  guint n = 0;

  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  while (unit_source_push (&units, sender, 2, payload,
          n == 0) == RTSP_SINK_SENDER_FLOW)
    fail_unless (++n < 1000);
  return n;
}

/* The oldest that waits may be a second old. */
GST_START_TEST (test_sender_slow_viewer_is_behind_after_the_delay)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  fail_unless_equals_int (push_until_behind (PAYLOAD),
      MAX_DELAY / UNIT_DURATION + 1);
  sender_expect_state (sender, TRUE, TRUE);
  fail_unless_equals_int (sender_stats (sender).n_skips, 1);
  fail_unless (sender_stats (sender).delay > MAX_DELAY);
  /* not even a key unit goes to the end of a full queue */
  expect_push (KEY, RTSP_SINK_SENDER_BEHIND);
  fail_unless_equals_int (stand_in_count_units (viewer), 1);
  fail_unless_equals_int (sender_stats (sender).n_skips, 1);
}

GST_END_TEST;

GST_START_TEST (test_sender_queue_is_bounded_in_bytes)
{
  guint n;

  drop_sender ();
  make_sender (GST_CLOCK_TIME_NONE);
  rtsp_sink_sender_open (sender, ANNOUNCED);
  n = push_until_behind (256 * 1024);
  fail_unless (n >= 8 && n <= 20, "%u units of half a MiB wait", n);
}

GST_END_TEST;

/* Of the source, which then sends what is of seconds at once. */
GST_START_TEST (test_sender_burst_is_no_slowness_of_the_viewer)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  units.came = units.pts + 5 * MAX_DELAY;
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  for (guint i = 1; i < 5 * MAX_DELAY / UNIT_DURATION; i++)
    expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  fail_unless_equals_uint64 (sender_stats (sender).delay, 0);

  units.came += MAX_DELAY;
  expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  units.came++;
  expect_push (DELTA, RTSP_SINK_SENDER_BEHIND);
}

GST_END_TEST;

/* It would be old when it is taken. */
GST_START_TEST (test_sender_slow_viewer_does_not_get_what_waited)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push_until_behind (PAYLOAD);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  stand_in_expect_seqnums (viewer, ANNOUNCED, 2);
  fail_unless_equals_uint64 (sender_stats (sender).n_units, 1);
  fail_unless_equals_uint64 (sender_stats (sender).n_packets, 2);
  fail_unless_equals_uint64 (sender_stats (sender).n_bytes, 2 * (12 + PAYLOAD));
  fail_unless_equals_int (rtsp_sink_sender_get_next_seqnum (sender),
      ANNOUNCED + 2);
}

GST_END_TEST;

/* No gap tells the viewer that it was slow: it must not ask for what it never
 * was to get. */
GST_START_TEST (test_sender_slow_viewer_goes_on_with_a_key_unit_without_gap)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  push_until_behind (PAYLOAD);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));

  expect_push (DELTA, RTSP_SINK_SENDER_SKIPPING);
  expect_push (DELTA, RTSP_SINK_SENDER_SKIPPING);
  expect_push (KEY, RTSP_SINK_SENDER_FLOW);
  expect_push (DELTA, RTSP_SINK_SENDER_FLOW);
  sender_expect_state (sender, TRUE, FALSE);
  stand_in_expect_seqnums (viewer, ANNOUNCED, 6);
}

GST_END_TEST;

/* A delta at the time of the last unit. */
static RtspSinkSenderGate
push_at_once (void)
{
  units.pts -= UNIT_DURATION;
  return push (DELTA);
}

/* It would skip again at once if it went on with a socket that is nearly full. */
GST_START_TEST (test_sender_slow_viewer_goes_on_when_half_is_taken)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  RtspSinkSenderGate gate;

  rtsp_sink_sender_open (sender, ANNOUNCED);
  stand_in_set_mode (viewer, STAND_IN_WRITES);
  while (unit_source_push (&units, sender, 2, 2000, KEY) ==
      RTSP_SINK_SENDER_FLOW);
  do {
    gboolean half = sender_stats (sender).delay <= MAX_DELAY / 2;

    fail_unless (g_get_monotonic_time () < deadline);
    gate = push_at_once ();
    if (gate == RTSP_SINK_SENDER_BEHIND)
      fail_if (half);
    else
      fail_unless (sender_stats (sender).delay <= MAX_DELAY / 2);
    stand_in_read (viewer, 1000);
  } while (gate == RTSP_SINK_SENDER_BEHIND);
  fail_unless_equals_int (gate, RTSP_SINK_SENDER_SKIPPING);
}

GST_END_TEST;

/* A viewer that pauses gets nothing old when it plays again. */
GST_START_TEST (test_sender_close_drops_what_waits)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (KEY);
  for (guint i = 0; i < 5; i++)
    push (DELTA);
  rtsp_sink_sender_close (sender);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  stand_in_expect_seqnums (viewer, ANNOUNCED, 2);

  stand_in_forget (viewer);
  rtsp_sink_sender_open (sender, ANNOUNCED);
  rtsp_sink_sender_start (sender);
  push (KEY);
  stand_in_expect_seqnums (viewer, ANNOUNCED, 2);
}

GST_END_TEST;

/* What waited was not sent: it has no numbers. */
GST_START_TEST (test_sender_reopened_goes_on_without_gap)
{
  guint n;

  rtsp_sink_sender_open (sender, ANNOUNCED);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  unit_source_push (&units, sender, 3, PAYLOAD, KEY);
  unit_source_push (&units, sender, 2, PAYLOAD, DELTA);
  unit_source_push (&units, sender, 2, PAYLOAD, DELTA);
  n = stand_in_count_packets (viewer);
  fail_unless_equals_int (n, 3);
  rtsp_sink_sender_close (sender);
  fail_unless_equals_int (rtsp_sink_sender_get_next_seqnum (sender),
      (guint16) (ANNOUNCED + n));
  fail_unless_equals_uint64 (sender_stats (sender).n_packets, n);

  stand_in_release (viewer);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  rtsp_sink_sender_open (sender, rtsp_sink_sender_get_next_seqnum (sender));
  rtsp_sink_sender_start (sender);
  unit_source_push (&units, sender, 2, PAYLOAD, KEY);
  stand_in_expect_seqnums (viewer, ANNOUNCED, n + 2);
}

GST_END_TEST;

GST_START_TEST (test_sender_stopped_sends_nothing)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (KEY);
  push (DELTA);
  rtsp_sink_sender_stop (sender);
  stand_in_release (viewer);
  expect_push (KEY, RTSP_SINK_SENDER_CLOSED);
  fail_unless_equals_int (stand_in_count_units (viewer), 1);
}

GST_END_TEST;

/* Until the library tells that it is closed. */
GST_START_TEST (test_sender_connection_that_closes_holds_up_nobody)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  stand_in_set_mode (viewer, STAND_IN_REFUSES);
  for (guint i = 0; i < 50; i++)
    push (KEY);
  fail_unless_equals_int (stand_in_count_units (viewer), 0);
  fail_unless (sender_stats (sender).delay > MAX_DELAY);
}

GST_END_TEST;

GST_START_TEST (test_sender_stats_tell_what_was_sent)
{
  rtsp_sink_sender_open (sender, ANNOUNCED);
  unit_source_push (&units, sender, 3, 88, KEY);
  unit_source_push (&units, sender, 1, 38, DELTA);
  fail_unless_equals_uint64 (sender_stats (sender).n_units, 2);
  fail_unless_equals_uint64 (sender_stats (sender).n_packets, 4);
  fail_unless_equals_uint64 (sender_stats (sender).n_bytes, 350);
  fail_unless_equals_uint64 (sender_stats (sender).n_lost, 0);
  fail_unless_equals_uint64 (sender_stats (sender).n_skips, 0);
  fail_unless_equals_uint64 (sender_stats (sender).delay, 0);
}

GST_END_TEST;

/* Each packet follows the one before, or begins anew. */
static void
expect_runs (guint16 first)
{
  guint16 next = first;

  for (guint i = 0; i < stand_in_count_packets (viewer); i++) {
    guint16 seq = rtp_packet_seqnum (stand_in_packet (viewer, i));

    fail_unless (seq == first || seq == next);
    next = seq + 1;
  }
}

static gint done;               /* atomic */

/* The viewer's thread: plays, pauses, and its socket is full now and then. */
static gpointer
play_and_pause (gpointer user_data)
{
  for (guint n = 0; !g_atomic_int_get (&done); n++) {
    stand_in_set_mode (viewer, n % 3 ? STAND_IN_HOLDS : STAND_IN_TAKES);
    rtsp_sink_sender_open (sender, ANNOUNCED);
    for (guint i = 0; i < n % 7; i++) {
      g_thread_yield ();
      stand_in_release (viewer);
    }
    rtsp_sink_sender_close (sender);
    stand_in_release (viewer);
    sender_stats (sender);
  }
  stand_in_release (viewer);
  return NULL;
}

GST_START_TEST (test_sender_viewer_plays_and_pauses_beside_the_media)
{
  GThread *thread;

  done = FALSE;
  thread = g_thread_new ("viewer", play_and_pause, NULL);
  for (guint i = 0; i < 5000; i++)
    push (i % 2);
  g_atomic_int_set (&done, TRUE);
  g_thread_join (thread);
  expect_runs (ANNOUNCED);
}

GST_END_TEST;

static Suite *
sender_suite (void)
{
  Suite *suite = suite_create ("sender");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_sender_closed_sends_nothing);
  tcase_add_test (chain, test_sender_open_begins_with_a_key_unit);
  tcase_add_test (chain, test_sender_first_packet_has_the_announced_number);
  tcase_add_test (chain, test_sender_knows_its_next_number);
  tcase_add_test (chain, test_sender_open_twice_goes_on);
  tcase_add_test (chain, test_sender_reopened_begins_anew);
  tcase_add_test (chain,
      test_sender_leaves_the_packets_alone_and_shares_the_payload);
  tcase_add_test (chain, test_sender_same_numbers_are_the_same_packets);
  tcase_add_test (chain, test_sender_packets_in_one_piece_are_numbered);
  tcase_add_test (chain, test_sender_slow_viewer_is_behind_after_the_delay);
  tcase_add_test (chain, test_sender_burst_is_no_slowness_of_the_viewer);
  tcase_add_test (chain, test_sender_queue_is_bounded_in_bytes);
  tcase_add_test (chain, test_sender_slow_viewer_does_not_get_what_waited);
  tcase_add_test (chain,
      test_sender_slow_viewer_goes_on_with_a_key_unit_without_gap);
  tcase_add_test (chain, test_sender_slow_viewer_goes_on_when_half_is_taken);
  tcase_add_test (chain, test_sender_close_drops_what_waits);
  tcase_add_test (chain, test_sender_reopened_goes_on_without_gap);
  tcase_add_test (chain, test_sender_stopped_sends_nothing);
  tcase_add_test (chain, test_sender_connection_that_closes_holds_up_nobody);
  tcase_add_test (chain, test_sender_stats_tell_what_was_sent);
  tcase_add_test (chain, test_sender_viewer_plays_and_pauses_beside_the_media);

  return suite;
}

CHECK_SUITE (sender);
