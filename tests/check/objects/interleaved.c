/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Packets on a viewer's TCP connection: what the library is given when, what
 * waits, how old that is. What is in the socket: tcpdelay.c. */

#include <gst/check/gstcheck.h>

#include "rtpunits.h"
#include "media/interleaved.h"
#include "sinktest.h"
#include "standin.h"

#define FRAME (40 * GST_MSECOND)
#define PAYLOAD 1000
#define PACKET_SIZE (12 + PAYLOAD)
#define N_PACKETS 3

static StandIn *viewer;
static RtspSinkInterleaved *queue;
static guint n_units;           /* that were enqueued */
static gint done;               /* atomic */

static void
setup (void)
{
  viewer = stand_in_new_tcp ();
  queue = rtsp_sink_interleaved_attach (stand_in_transport (viewer),
      stand_in_connection (viewer));
  rtsp_sink_interleaved_start (queue);
  n_units = 0;
  done = FALSE;
}

static void
teardown (void)
{
  rtsp_sink_interleaved_stop (queue);
  queue = NULL;
  g_clear_pointer (&viewer, stand_in_free);
}

static GstClockTime
time_of (guint unit)
{
  return GST_SECOND + unit * FRAME;
}

static void
enqueue (void)
{
  rtsp_sink_interleaved_enqueue (queue, rtp_unit_new (n_units * N_PACKETS,
          N_PACKETS, PAYLOAD, 0, TRUE), time_of (n_units));
  n_units++;
}

static void
push (guint n)
{
  for (guint i = 0; i < n; i++) {
    enqueue ();
    rtsp_sink_interleaved_send (queue);
  }
}

/* All units up to here came, in their order. */
static void
expect_sent (guint n)
{
  stand_in_expect_seqnums (viewer, 0, n * N_PACKETS);
}

static void
expect_waiting (guint n)
{
  fail_unless_equals_int (rtsp_sink_interleaved_get_queued (queue),
      n * N_PACKETS * PACKET_SIZE);
}

/* How long ago the unit was. */
static void
expect_delay_since (guint unit)
{
  GstClockTime now = time_of (n_units);

  fail_unless_equals_uint64 (rtsp_sink_interleaved_get_delay (queue, now),
      now - time_of (unit));
}

static void
expect_no_delay (void)
{
  fail_unless_equals_uint64 (rtsp_sink_interleaved_get_delay (queue,
          time_of (n_units)), 0);
}

GST_START_TEST (test_interleaved_units_are_sent_in_their_order)
{
  push (10);
  expect_sent (10);
  expect_waiting (0);
  expect_no_delay ();
}

GST_END_TEST;

GST_START_TEST (test_interleaved_enqueue_does_not_send)
{
  enqueue ();
  enqueue ();
  expect_sent (0);
  expect_waiting (2);
  expect_delay_since (0);

  rtsp_sink_interleaved_send (queue);
  expect_sent (2);
  expect_waiting (0);
}

GST_END_TEST;

/* The library keeps the rest of one unit, and is given no more. */
GST_START_TEST (test_interleaved_unit_that_is_held_holds_the_next)
{
  push (1);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (5);
  expect_sent (2);
  expect_waiting (4);
  expect_delay_since (1);
}

GST_END_TEST;

GST_START_TEST (test_interleaved_release_sends_what_waits)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (5);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  expect_sent (5);
  expect_waiting (0);
  expect_no_delay ();
}

GST_END_TEST;

GST_START_TEST (test_interleaved_release_sends_one_if_that_is_held)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (5);
  for (guint i = 1; i < 5; i++) {
    expect_sent (i);
    expect_waiting (5 - i);
    expect_delay_since (i - 1);
    fail_unless (stand_in_release (viewer));
  }
  expect_sent (5);
  expect_waiting (0);
  expect_delay_since (4);
}

GST_END_TEST;

static gpointer
release (gpointer user_data)
{
  return GINT_TO_POINTER (stand_in_release (viewer));
}

GST_START_TEST (test_interleaved_viewers_thread_sends_what_waits)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (3);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (GPOINTER_TO_INT (g_thread_join (g_thread_new ("viewer", release,
                  NULL))));
  expect_sent (3);
  push (1);
  expect_sent (4);
}

GST_END_TEST;

GST_START_TEST (test_interleaved_drop_leaves_what_the_library_has)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (4);
  rtsp_sink_interleaved_drop (queue);
  expect_waiting (0);
  expect_sent (1);
  expect_delay_since (0);

  /* goes on with the next, not with what was dropped */
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  expect_sent (1);
  n_units = 1;
  rtsp_sink_interleaved_start (queue);
  push (1);
  expect_sent (2);
}

GST_END_TEST;

static void
expect_skipped (guint n)
{
  RtspSinkSkipped skipped;

  rtsp_sink_interleaved_skip (queue, &skipped);
  fail_unless_equals_int (skipped.n_units, n);
  fail_unless_equals_int (skipped.n_packets, n * N_PACKETS);
  fail_unless_equals_int (skipped.n_bytes, n * N_PACKETS * PACKET_SIZE);
}

/* Units that are too old by now: the rest goes on. */
GST_START_TEST (test_interleaved_skip_drops_the_units_that_wait)
{
  expect_skipped (0);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (4);
  stand_in_report (viewer, 28);
  expect_skipped (3);
  expect_skipped (0);
  expect_waiting (0);
  expect_delay_since (0);

  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  expect_sent (1);
  fail_unless_equals_int (stand_in_count_reports (viewer), 1);
  expect_no_delay ();
}

GST_END_TEST;

#define N_MANY 600
#define MAX_PER_CALL 256

static void
push_many (guint16 seqnum)
{
  rtsp_sink_interleaved_enqueue (queue, rtp_unit_new (seqnum, N_MANY, PAYLOAD,
          0, TRUE), time_of (n_units++));
  rtsp_sink_interleaved_send (queue);
}

/* The library lays out all packets of a call on its stack. */
GST_START_TEST (test_interleaved_large_unit_is_sent_in_parts)
{
  push_many (0);
  push_many (N_MANY);
  stand_in_expect_seqnums (viewer, 0, 2 * N_MANY);
  for (guint i = 0; i < stand_in_count_units (viewer); i++)
    fail_unless (gst_buffer_list_length (stand_in_unit (viewer, i)) <=
        MAX_PER_CALL);
  expect_waiting (0);
  expect_no_delay ();
}

GST_END_TEST;

/* A viewer would take what it got of it for all. */
GST_START_TEST (test_interleaved_part_of_a_unit_brings_the_rest)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push_many (0);
  push_many (N_MANY);
  stand_in_expect_seqnums (viewer, 0, MAX_PER_CALL);
  fail_unless_equals_int (rtsp_sink_interleaved_get_queued (queue),
      (2 * N_MANY - MAX_PER_CALL) * PACKET_SIZE);

  if (__i__ == 0) {
    RtspSinkSkipped skipped;

    rtsp_sink_interleaved_skip (queue, &skipped);
    fail_unless_equals_int (skipped.n_units, 1);
    fail_unless_equals_int (skipped.n_packets, N_MANY);
    fail_unless_equals_int (skipped.n_bytes, N_MANY * PACKET_SIZE);
  } else {
    rtsp_sink_interleaved_drop (queue);
    /* that is for who plays */
    stand_in_report (viewer, 28);
  }

  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  stand_in_expect_seqnums (viewer, 0, N_MANY);
  fail_unless_equals_int (stand_in_count_reports (viewer), 0);
  expect_waiting (0);
  expect_no_delay ();
}

GST_END_TEST;

/* The other end closes: the library tells of that, but not here. */
GST_START_TEST (test_interleaved_connection_that_closes_gets_no_more)
{
  stand_in_set_mode (viewer, STAND_IN_REFUSES);
  push (1);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  push (3);
  expect_sent (0);
  expect_waiting (3);
  expect_delay_since (0);
}

GST_END_TEST;

GST_START_TEST (test_interleaved_stopped_sends_no_more)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (2);
  rtsp_sink_interleaved_stop (queue);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  stand_in_release (viewer);
  push (2);
  expect_sent (1);
}

GST_END_TEST;

GST_START_TEST (test_interleaved_is_found_by_its_transport)
{
  StandIn *other = stand_in_new_tcp ();

  fail_unless (rtsp_sink_interleaved_find (stand_in_transport (viewer)) ==
      queue);
  fail_unless (rtsp_sink_interleaved_find (stand_in_transport (other)) == NULL);
  stand_in_free (other);
}

GST_END_TEST;

/* Whoever sets up twice before it plays. */
GST_START_TEST (test_interleaved_attached_twice_is_one)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (2);
  fail_unless (rtsp_sink_interleaved_attach (stand_in_transport (viewer),
          stand_in_connection (viewer)) == queue);
  expect_waiting (1);
}

GST_END_TEST;

/* It keeps no transport alive, nor what waits for one that is gone. */
GST_START_TEST (test_interleaved_goes_with_its_transport)
{
  GstBufferList *unit = rtp_unit_new (0, 1, PAYLOAD, 0, TRUE);

  ASSERT_OBJECT_REFCOUNT (stand_in_transport (viewer), "transport", 1);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (2);
  stand_in_report (viewer, 28);
  rtsp_sink_interleaved_enqueue (queue, gst_buffer_list_ref (unit), 0);
  g_clear_pointer (&viewer, stand_in_free);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT (unit), 1);
  gst_buffer_list_unref (unit);
  setup ();
}

GST_END_TEST;

/* The answer to PLAY comes first. */
GST_START_TEST (test_interleaved_nothing_is_sent_before_the_start)
{
  rtsp_sink_interleaved_drop (queue);
  push (3);
  stand_in_report (viewer, 28);
  expect_sent (0);
  expect_delay_since (0);
  rtsp_sink_interleaved_start (queue);
  expect_sent (3);
  fail_unless_equals_int (stand_in_count_reports (viewer), 1);
}

GST_END_TEST;

/* The library then has its own wish to be told replaced. */
GST_START_TEST (test_interleaved_started_goes_on)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (3);
  rtsp_sink_interleaved_start (queue);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  expect_sent (3);
  push (2);
  expect_sent (5);
}

GST_END_TEST;

GST_START_TEST (test_interleaved_report_goes_at_once)
{
  push (1);
  stand_in_report (viewer, 28);
  fail_unless_equals_int (stand_in_count_reports (viewer), 1);
  fail_unless_equals_int (stand_in_report_size (viewer), 28);
  expect_sent (1);
  expect_no_delay ();
}

GST_END_TEST;

/* Between whole units, and only the newest. */
GST_START_TEST (test_interleaved_report_waits_for_the_rest_of_a_unit)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (3);
  stand_in_report (viewer, 28);
  stand_in_report (viewer, 52);
  fail_unless_equals_int (stand_in_count_reports (viewer), 0);

  fail_unless (stand_in_release (viewer));
  fail_unless_equals_int (stand_in_count_reports (viewer), 1);
  fail_unless_equals_int (stand_in_report_size (viewer), 52);
  expect_sent (1);
  expect_waiting (2);
  fail_unless (stand_in_release (viewer));
  expect_sent (2);
  expect_waiting (1);
}

GST_END_TEST;

/* The rest of a report holds up units as that of a unit does, and is none. */
GST_START_TEST (test_interleaved_report_that_is_held_is_no_unit)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  stand_in_report (viewer, 28);
  push (2);
  expect_sent (0);
  expect_delay_since (0);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  expect_sent (2);
  expect_no_delay ();
}

GST_END_TEST;

/* A viewer who pauses is told of nothing that is over. */
GST_START_TEST (test_interleaved_drop_and_stop_are_for_reports_too)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (1);
  stand_in_report (viewer, 28);
  rtsp_sink_interleaved_drop (queue);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  rtsp_sink_interleaved_stop (queue);
  stand_in_report (viewer, 28);
  fail_unless_equals_int (stand_in_count_reports (viewer), 0);
}

GST_END_TEST;

/* One that stays in a full socket would hold up the reports of all others. */
GST_START_TEST (test_interleaved_report_is_not_for_who_takes_nothing)
{
  stand_in_set_mode (viewer, STAND_IN_WRITES);
  stand_in_report (viewer, 28);
  push (60);
  stand_in_report (viewer, 28);
  fail_unless_equals_int (stand_in_count_reports (viewer), 1);
  push (1);
  fail_unless_equals_int (stand_in_count_reports (viewer), 1);
  expect_sent (61);
}

GST_END_TEST;

static gpointer
send_one (gpointer user_data)
{
  push (1);
  return NULL;
}

static gboolean
is_sending (gpointer user_data)
{
  return stand_in_is_sending (viewer);
}

static gboolean
has_come (gpointer user_data)
{
  return stand_in_count_units (viewer) == 1;
}

/* The socket takes the rest before the send has come back: one thread sends. */
GST_START_TEST (test_interleaved_release_within_a_send_leaves_the_next_to_it)
{
  GThread *media;

  stand_in_set_mode (viewer, STAND_IN_LINGERS);
  media = g_thread_new ("media", send_one, NULL);
  sink_test_wait_until (has_come, NULL, SINK_TEST_TIMEOUT, "a unit");
  enqueue ();
  while (!stand_in_release (viewer))
    g_thread_yield ();
  expect_sent (1);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  g_thread_join (media);
  expect_sent (2);
}

GST_END_TEST;

static gboolean
waits_for_nothing (gpointer user_data)
{
  return rtsp_sink_interleaved_get_queued (queue) == 0;
}

/* Returns whether a send was under way when it came back. */
static gpointer
drop (gpointer user_data)
{
  rtsp_sink_interleaved_drop (queue);
  return GINT_TO_POINTER (stand_in_is_sending (viewer));
}

/* What is sent just now is on its way, and what comes back is not. */
GST_START_TEST (test_interleaved_drop_waits_for_the_send_under_way)
{
  GThread *media, *pauser;

  stand_in_set_mode (viewer, STAND_IN_STUCK);
  media = g_thread_new ("media", send_one, NULL);
  sink_test_wait_until (is_sending, NULL, SINK_TEST_TIMEOUT, "a send");
  enqueue ();
  pauser = g_thread_new ("viewer", drop, NULL);
  sink_test_wait_until (waits_for_nothing, NULL, SINK_TEST_TIMEOUT, "a drop");
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_if (GPOINTER_TO_INT (g_thread_join (pauser)));
  g_thread_join (media);
  expect_sent (1);
}

GST_END_TEST;

/* The viewer's thread: the socket is full now and then, and takes the rest. */
static gpointer
hold_and_release (gpointer user_data)
{
  for (guint n = 0; !g_atomic_int_get (&done); n++) {
    stand_in_set_mode (viewer, n % 2 ? STAND_IN_TAKES : STAND_IN_HOLDS);
    stand_in_release (viewer);
    g_thread_yield ();
  }
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  stand_in_release (viewer);
  return NULL;
}

/* Neither thread leaves a unit to the other that the other leaves to it. */
GST_START_TEST (test_interleaved_two_threads_send_each_unit_once)
{
  GThread *thread = g_thread_new ("viewer", hold_and_release, NULL);

  for (guint i = 0; i < 5000; i++) {
    push (1);
    rtsp_sink_interleaved_get_delay (queue, time_of (n_units));
    if (i % 100 == 0)
      stand_in_report (viewer, 28);
  }
  g_atomic_int_set (&done, TRUE);
  g_thread_join (thread);
  expect_sent (5000);
  expect_waiting (0);
}

GST_END_TEST;

/* As above, and pauses. */
static gpointer
hold_and_drop (gpointer user_data)
{
  for (guint n = 0; n < 1000; n++) {
    stand_in_set_mode (viewer, n % 2 ? STAND_IN_TAKES : STAND_IN_HOLDS);
    rtsp_sink_interleaved_drop (queue);
    rtsp_sink_interleaved_start (queue);
    stand_in_release (viewer);
    g_thread_yield ();
  }
  rtsp_sink_interleaved_stop (queue);
  stand_in_release (viewer);
  return NULL;
}

GST_START_TEST (test_interleaved_drop_and_stop_beside_the_media_keep_the_order)
{
  GThread *thread = g_thread_new ("viewer", hold_and_drop, NULL);
  guint sent;

  for (guint i = 0; i < 2000; i++)
    push (1);
  g_thread_join (thread);
  sent = stand_in_count_units (viewer);
  push (1);
  fail_unless_equals_int (stand_in_count_units (viewer), sent);

  for (guint i = 1; i < stand_in_count_packets (viewer); i++) {
    guint16 last = rtp_packet_seqnum (stand_in_packet (viewer, i - 1));
    guint16 seq = rtp_packet_seqnum (stand_in_packet (viewer, i));

    fail_unless (seq > last && (seq == last + 1 || seq % N_PACKETS == 0));
  }
}

GST_END_TEST;

static Suite *
interleaved_suite (void)
{
  Suite *suite = suite_create ("interleaved");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_interleaved_units_are_sent_in_their_order);
  tcase_add_test (chain, test_interleaved_enqueue_does_not_send);
  tcase_add_test (chain, test_interleaved_unit_that_is_held_holds_the_next);
  tcase_add_test (chain, test_interleaved_release_sends_what_waits);
  tcase_add_test (chain, test_interleaved_release_sends_one_if_that_is_held);
  tcase_add_test (chain, test_interleaved_viewers_thread_sends_what_waits);
  tcase_add_test (chain, test_interleaved_drop_leaves_what_the_library_has);
  tcase_add_test (chain, test_interleaved_skip_drops_the_units_that_wait);
  tcase_add_test (chain, test_interleaved_large_unit_is_sent_in_parts);
  tcase_add_loop_test (chain, test_interleaved_part_of_a_unit_brings_the_rest,
      0, 2);
  tcase_add_test (chain, test_interleaved_connection_that_closes_gets_no_more);
  tcase_add_test (chain, test_interleaved_stopped_sends_no_more);
  tcase_add_test (chain, test_interleaved_is_found_by_its_transport);
  tcase_add_test (chain, test_interleaved_attached_twice_is_one);
  tcase_add_test (chain, test_interleaved_goes_with_its_transport);
  tcase_add_test (chain, test_interleaved_nothing_is_sent_before_the_start);
  tcase_add_test (chain, test_interleaved_started_goes_on);
  tcase_add_test (chain, test_interleaved_report_goes_at_once);
  tcase_add_test (chain, test_interleaved_report_waits_for_the_rest_of_a_unit);
  tcase_add_test (chain, test_interleaved_report_that_is_held_is_no_unit);
  tcase_add_test (chain, test_interleaved_drop_and_stop_are_for_reports_too);
  tcase_add_test (chain, test_interleaved_report_is_not_for_who_takes_nothing);
  tcase_add_test (chain,
      test_interleaved_release_within_a_send_leaves_the_next_to_it);
  tcase_add_test (chain, test_interleaved_drop_waits_for_the_send_under_way);
  tcase_add_test (chain, test_interleaved_two_threads_send_each_unit_once);
  tcase_add_test (chain,
      test_interleaved_drop_and_stop_beside_the_media_keep_the_order);

  return suite;
}

CHECK_SUITE (interleaved);
