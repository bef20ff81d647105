/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The group of pictures that is kept, and a viewer that begins with it: what it
 * gets is what an early viewer got, in order, none twice and none missing. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "rtpunits.h"
#include "stream/gopcache.h"
#include "media/interleaved.h"
#include "sendertest.h"
#include "standin.h"

#define MAX_DELAY (1 * GST_SECOND)
#define ANNOUNCED 65528         /* wraps soon */
#define FIRST_SOURCE_SEQ 65500  /* likewise */
#define PER_UNIT 2
#define PAYLOAD 64
#define KEY TRUE
#define DELTA FALSE
#define MIB (1024 * 1024)

static RtspSinkGopCache *group;
static StandIn *viewer;
static RtspSinkSender *sender;
static UnitSource units;

static void
setup (void)
{
  RtspSinkSenderConfig config = {
    .id = 7,
    .peer = "192.0.2.1",
    .max_delay = MAX_DELAY,
  };

  group = rtsp_sink_gop_cache_new ();
  units = (UnitSource) {
  FIRST_SOURCE_SEQ, GST_SECOND, 0};
  viewer = stand_in_new_tcp ();
  rtsp_sink_interleaved_start (rtsp_sink_interleaved_attach
      (stand_in_transport (viewer), stand_in_connection (viewer)));
  config.transport = stand_in_transport (viewer);
  sender = rtsp_sink_sender_new (&config);
  rtsp_sink_sender_open (sender, ANNOUNCED);
}

static void
teardown (void)
{
  rtsp_sink_sender_stop (sender);
  g_clear_pointer (&sender, rtsp_sink_sender_unref);
  g_clear_pointer (&viewer, stand_in_free);
  g_clear_pointer (&group, rtsp_sink_gop_cache_free);
}

/* Before the viewer came. */
static void
keep (guint n_packets, gsize payload, gboolean key)
{
  GstBufferList *packets =
      rtp_unit_new (units.seqnum, n_packets, payload, units.pts, key);

  rtsp_sink_gop_cache_add (group, packets, key);
  gst_buffer_list_unref (packets);
  units.seqnum += n_packets;
  units.pts += UNIT_DURATION;
}

static void
keep_group (guint n)
{
  for (guint i = 0; i < n; i++)
    keep (PER_UNIT, PAYLOAD, i == 0);
}

static void
begin (void)
{
  GPtrArray *kept = rtsp_sink_gop_cache_dup_units (group);

  rtsp_sink_sender_start (sender);
  rtsp_sink_sender_begin (sender, kept, units.pts);
  g_clear_pointer (&kept, g_ptr_array_unref);
}

static RtspSinkSenderGate
push (gboolean key)
{
  return unit_source_push (&units, sender, PER_UNIT, PAYLOAD, key);
}

static guint
count_kept (void)
{
  GPtrArray *kept = rtsp_sink_gop_cache_dup_units (group);
  guint n = kept != NULL ? kept->len : 0;

  g_clear_pointer (&kept, g_ptr_array_unref);
  return n;
}

static GstClockTime
sent_time (guint i)
{
  return GST_BUFFER_PTS (gst_buffer_list_get (stand_in_unit (viewer, i), 0));
}

GST_START_TEST (test_group_is_a_key_unit_and_what_came_since)
{
  fail_unless_equals_int (count_kept (), 0);
  fail_if (GST_CLOCK_TIME_IS_VALID (rtsp_sink_gop_cache_get_time (group)));
  keep (1, PAYLOAD, DELTA);
  fail_unless_equals_int (count_kept (), 0);
  keep_group (3);
  fail_unless_equals_int (count_kept (), 3);
  keep_group (5);
  fail_unless_equals_int (count_kept (), 5);
  fail_unless_equals_uint64 (rtsp_sink_gop_cache_get_time (group),
      units.pts - 5 * UNIT_DURATION);
  rtsp_sink_gop_cache_clear (group);
  keep (1, PAYLOAD, DELTA);
  fail_unless_equals_int (count_kept (), 0);
}

GST_END_TEST;

/* Of a stream without a second key unit. */
GST_START_TEST (test_group_is_bounded)
{
  for (guint i = 0; i < 16; i++)
    keep (1, MIB - 100, i == 0);
  fail_unless_equals_int (count_kept (), 16);
  keep (1, MIB, DELTA);
  fail_unless_equals_int (count_kept (), 0);
  keep (1, PAYLOAD, DELTA);
  fail_unless_equals_int (count_kept (), 0);
  keep_group (2);
  fail_unless_equals_int (count_kept (), 2);
}

GST_END_TEST;

/* Few bytes take memory, too. */
GST_START_TEST (test_group_is_bounded_in_packets)
{
  keep_group (8192);
  fail_unless_equals_int (count_kept (), 8192);
  keep (1, PAYLOAD, DELTA);
  fail_unless_equals_int (count_kept (), 0);
  keep_group (2);
  fail_unless_equals_int (count_kept (), 2);
}

GST_END_TEST;

/* Some at once, some with each unit that comes, and then all has come. */
GST_START_TEST (test_viewer_gets_the_group_and_all_after_it)
{
  guint n = 60, before;

  keep_group (n);
  fail_unless (rtsp_sink_sender_hold (sender));
  begin ();
  before = stand_in_count_units (viewer);
  fail_unless (before >= 4);
  /* two bytes less than 64 KiB, and one unit */
  fail_unless (stand_in_count_packets (viewer) * PAYLOAD <= 64 * 1024 +
      PER_UNIT * PAYLOAD);
  while (stand_in_count_units (viewer) < n) {
    fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_FLOW);
    n++;
    fail_unless (n < 120);
  }
  stand_in_expect_seqnums (viewer, ANNOUNCED, n * PER_UNIT);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_FLOW);
  stand_in_expect_seqnums (viewer, ANNOUNCED, (n + 1) * PER_UNIT);
}

GST_END_TEST;

/* Large units: no more than four of them at once. */
GST_START_TEST (test_viewer_catches_up_at_four_times_the_speed)
{
  guint n = 20;

  for (guint i = 0; i < n; i++)
    keep (40, 1000, i == 0);
  fail_unless (rtsp_sink_sender_hold (sender));
  begin ();
  fail_unless_equals_int (stand_in_count_units (viewer), 4);
  unit_source_push (&units, sender, 40, 1000, DELTA);
  fail_unless_equals_int (stand_in_count_units (viewer), 8);
}

GST_END_TEST;

/* Whether it has begun by then or is about to. */
GST_START_TEST (test_viewer_gets_all_at_the_end)
{
  gboolean begun = __i__;

  for (guint i = 0; i < 20; i++)
    keep (40, 1000, i == 0);
  fail_unless (rtsp_sink_sender_hold (sender));
  if (begun)
    begin ();
  rtsp_sink_sender_finish (sender);
  fail_unless_equals_int (stand_in_count_units (viewer), begun ? 20 : 0);
  if (!begun)
    begin ();
  stand_in_expect_seqnums (viewer, ANNOUNCED, 20 * 40);
}

GST_END_TEST;

/* The stream is behind what was kept. */
GST_START_TEST (test_what_is_in_the_group_is_not_sent_twice)
{
  UnitSource late;

  keep_group (3);
  late = units;
  keep (PER_UNIT, PAYLOAD, DELTA);
  keep (PER_UNIT, PAYLOAD, DELTA);
  units = late;

  fail_unless (rtsp_sink_sender_hold (sender));
  push (DELTA);                 /* the fourth */
  begin ();
  push (DELTA);                 /* the fifth */
  fail_unless_equals_int (stand_in_count_units (viewer), 5);
  push (DELTA);
  stand_in_expect_seqnums (viewer, ANNOUNCED, 6 * PER_UNIT);
}

GST_END_TEST;

/* Between the two. */
GST_START_TEST (test_what_comes_meanwhile_is_sent_after_the_group)
{
  keep_group (2);
  fail_unless (rtsp_sink_sender_hold (sender));
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_HOLDING);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_HOLDING);
  fail_unless_equals_int (stand_in_count_units (viewer), 0);
  begin ();
  stand_in_expect_seqnums (viewer, ANNOUNCED, 4 * PER_UNIT);
  fail_unless (rtsp_sink_sender_is_open (sender));
}

GST_END_TEST;

GST_START_TEST (test_without_a_group_the_next_key_unit_is_waited_for)
{
  fail_unless (rtsp_sink_sender_hold (sender));
  begin ();
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_JOINING);
  fail_unless_equals_int (push (KEY), RTSP_SINK_SENDER_FLOW);
  stand_in_expect_seqnums (viewer, ANNOUNCED, PER_UNIT);
}

GST_END_TEST;

/* A key unit came first: there is nothing to begin with. */
GST_START_TEST (test_viewer_that_plays_does_not_begin_again)
{
  keep_group (3);
  push (KEY);
  fail_if (rtsp_sink_sender_hold (sender));
  begin ();
  stand_in_expect_seqnums (viewer, ANNOUNCED, PER_UNIT);
}

GST_END_TEST;

/* Time does not go back for a viewer who paused. */
GST_START_TEST (test_what_was_seen_is_not_seen_again)
{
  keep_group (3);
  rtsp_sink_sender_hold (sender);
  begin ();
  fail_unless_equals_int (stand_in_count_units (viewer), 3);
  rtsp_sink_sender_close (sender);

  rtsp_sink_sender_open (sender, (guint16) (ANNOUNCED + 3 * PER_UNIT));
  fail_unless (rtsp_sink_sender_hold (sender));
  begin ();
  fail_unless_equals_int (stand_in_count_units (viewer), 3);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_JOINING);
  rtsp_sink_sender_close (sender);

  keep_group (2);
  rtsp_sink_sender_open (sender, (guint16) (ANNOUNCED + 3 * PER_UNIT));
  rtsp_sink_sender_hold (sender);
  begin ();
  stand_in_expect_seqnums (viewer, ANNOUNCED, 5 * PER_UNIT);
}

GST_END_TEST;

/* It is old, but that is not for its being slow. */
GST_START_TEST (test_viewer_is_not_slow_for_the_age_of_the_group)
{
  keep_group (50);              /* five seconds */
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  rtsp_sink_sender_hold (sender);
  begin ();
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_FLOW);
  fail_unless (sender_stats (sender).delay <= UNIT_DURATION);
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  fail_unless (stand_in_release (viewer));
  stand_in_expect_seqnums (viewer, ANNOUNCED, 51 * PER_UNIT);
  fail_unless_equals_int (sender_stats (sender).n_skips, 0);
  /* In the stream itself nothing has changed. */
  fail_unless_equals_uint64 (sent_time (50), units.pts - UNIT_DURATION);
}

GST_END_TEST;

/* One that takes nothing does not keep the rest of the group waiting. */
GST_START_TEST (test_slow_viewer_drops_the_group)
{
  RtspSinkSenderGate gate = RTSP_SINK_SENDER_FLOW;
  guint n = 0;

  for (guint i = 0; i < 200; i++)
    keep (40, 1000, i == 0);
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  rtsp_sink_sender_hold (sender);
  begin ();
  while (gate == RTSP_SINK_SENDER_FLOW) {
    gate = push (DELTA);
    fail_unless (++n < 100);
  }
  stand_in_set_mode (viewer, STAND_IN_TAKES);
  stand_in_release (viewer);
  while (push (KEY) != RTSP_SINK_SENDER_FLOW)
    fail_unless (++n < 100);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_SENDER_FLOW);
  /* the unit that was half sent, and what came since */
  fail_unless_equals_int (stand_in_count_packets (viewer), 40 + 2 * PER_UNIT);
}

GST_END_TEST;

static Suite *
gopcache_suite (void)
{
  Suite *suite = suite_create ("gopcache");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_group_is_a_key_unit_and_what_came_since);
  tcase_add_test (tests, test_group_is_bounded);
  tcase_add_test (tests, test_group_is_bounded_in_packets);
  tcase_add_test (tests, test_viewer_gets_the_group_and_all_after_it);
  tcase_add_test (tests, test_viewer_catches_up_at_four_times_the_speed);
  tcase_add_loop_test (tests, test_viewer_gets_all_at_the_end, 0, 2);
  tcase_add_test (tests, test_what_is_in_the_group_is_not_sent_twice);
  tcase_add_test (tests, test_what_comes_meanwhile_is_sent_after_the_group);
  tcase_add_test (tests, test_without_a_group_the_next_key_unit_is_waited_for);
  tcase_add_test (tests, test_viewer_that_plays_does_not_begin_again);
  tcase_add_test (tests, test_what_was_seen_is_not_seen_again);
  tcase_add_test (tests, test_viewer_is_not_slow_for_the_age_of_the_group);
  tcase_add_test (tests, test_slow_viewer_drops_the_group);
  return suite;
}

CHECK_SUITE (gopcache);
