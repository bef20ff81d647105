/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Which time a frame is said to be of, for time stamps of every kind. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "time/sourcetime.h"
#include "time/timeline.h"

#define AUTO GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO
#define PTS GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS
#define ARRIVAL GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL

#define FPS 25
#define FRAME (GST_SECOND / FPS)
/* from capture to arrival, of a live frame */
#define DELAY (30 * GST_MSECOND)
#define START (100 * GST_SECOND)
/* one tick of RTP's 90 kHz */
#define TICK (GST_SECOND / 90000)

/* Feeds frames to a timeline and checks of each that time rises. */
typedef struct
{
  RtspSinkTimeline line;
  GstClockTime now;
  GstClockTime last;
} Feeder;

static Feeder
feeder (GstRtspServerSinkTimestampMode mode, gboolean paced)
{
  Feeder self = {.now = START,.last = GST_CLOCK_TIME_NONE };

  rtsp_sink_timeline_init (&self.line, mode);
  self.line.paced = paced;
  return self;
}

static GstClockTime
feed (Feeder * self, GstClockTime pts)
{
  GstClockTime time = rtsp_sink_timeline_stamp (&self->line, pts, FRAME,
      self->now);

  fail_unless (GST_CLOCK_TIME_IS_VALID (time));
  if (GST_CLOCK_TIME_IS_VALID (self->last))
    fail_unless (time > self->last + TICK,
        "%" GST_TIME_FORMAT " after %" GST_TIME_FORMAT, GST_TIME_ARGS (time),
        GST_TIME_ARGS (self->last));
  self->last = time;
  return time;
}

/* A second of a camera: frames arrive a while after their capture. */
static void
feed_good_second (Feeder * self)
{
  guint i;

  for (i = 0; i < FPS; i++) {
    self->now += FRAME;
    feed (self, self->now - DELAY);
  }
}

/* A second of a file: frames come when the one before has waited for its
 * time. */
static void
feed_paced_second (Feeder * self, GstClockTime * pts)
{
  GstClockTime time;
  guint i;

  for (i = 0; i < FPS; i++) {
    time = feed (self, *pts);
    self->now = MAX (self->now, time);
    *pts += FRAME;
  }
}

static void
assert_near (GstClockTime time, GstClockTime wanted, GstClockTime tolerance)
{
  GstClockTimeDiff diff = GST_CLOCK_DIFF (wanted, time);

  fail_unless (ABS (diff) <= (GstClockTimeDiff) tolerance,
      "%" GST_TIME_FORMAT " is not %" GST_TIME_FORMAT, GST_TIME_ARGS (time),
      GST_TIME_ARGS (wanted));
}

GST_START_TEST (test_live_good_stamps_are_kept)
{
  Feeder line = feeder (AUTO, FALSE);
  guint i;

  for (i = 0; i < 10 * FPS; i++) {
    GstClockTime captured = line.now - DELAY;

    assert_equals_uint64 (feed (&line, captured), captured);
    line.now += FRAME;
  }
}

END_TEST;

GST_START_TEST (test_live_uneven_delay_keeps_stamps)
{
  Feeder line = feeder (AUTO, FALSE);
  GRand *rand = g_rand_new_with_seed (1);
  GstClockTime captured = START;
  guint i;

  line.line.latency = FRAME;
  for (i = 0; i < 10 * FPS; i++) {
    captured += FRAME;
    line.now = MAX (line.now, captured
        + g_rand_int_range (rand, 0, 500) * GST_MSECOND);
    assert_equals_uint64 (feed (&line, captured), captured);
  }
  g_rand_free (rand);
}

END_TEST;

/* What the source held back during a hang is of the time it was captured. */
GST_START_TEST (test_live_hang_keeps_stamps)
{
  Feeder line = feeder (AUTO, FALSE);
  GstClockTime captured;
  guint i;

  feed_good_second (&line);
  captured = line.now - DELAY;
  line.now += 800 * GST_MSECOND;
  for (i = 0; i < 20; i++) {
    captured += FRAME;
    assert_equals_uint64 (feed (&line, captured), captured);
  }
}

END_TEST;

static const GstClockTimeDiff jumps[] = {
  -90 * GST_SECOND, -5 * (GstClockTimeDiff) GST_SECOND,
  -(GstClockTimeDiff) (300 * GST_MSECOND), 2 * GST_SECOND, 3600 * GST_SECOND
};

/* A camera's driver restarts: its stamps jump, its frames come as before. */
GST_START_TEST (test_live_jump_leaves_no_trace)
{
  Feeder line = feeder (AUTO, FALSE);
  GstClockTimeDiff jump = jumps[__i__];
  guint i;

  feed_good_second (&line);
  for (i = 0; i < 5 * FPS; i++) {
    line.now += FRAME;
    assert_near (feed (&line, line.now - DELAY + jump), line.now - DELAY,
        GST_MSECOND);
  }
}

END_TEST;

GST_START_TEST (test_live_one_wild_stamp_is_forgotten)
{
  Feeder line = feeder (AUTO, FALSE);

  feed_good_second (&line);
  line.now += FRAME;
  assert_near (feed (&line, line.now - DELAY + jumps[__i__]), line.now - DELAY,
      FRAME);
  feed_good_second (&line);
  assert_near (line.last, line.now - DELAY, GST_MSECOND);
}

END_TEST;

/* Twice the same stamp, or one out of order. */
static const GstClockTimeDiff steps_back[] = {
  0, 10 * GST_MSECOND, 100 * GST_MSECOND
};

GST_START_TEST (test_live_one_small_step_back_is_forgotten)
{
  Feeder line = feeder (AUTO, FALSE);

  feed_good_second (&line);
  line.now += FRAME;
  feed (&line, line.last - steps_back[__i__]);
  feed_good_second (&line);
  assert_near (line.last, line.now - DELAY, GST_MSECOND);
}

END_TEST;

GST_START_TEST (test_live_one_missing_stamp_is_forgotten)
{
  Feeder line = feeder (AUTO, FALSE);

  feed_good_second (&line);
  line.now += FRAME;
  feed (&line, GST_CLOCK_TIME_NONE);
  assert_near (line.last, line.now, FRAME);
  feed_good_second (&line);
  assert_near (line.last, line.now - DELAY, GST_MSECOND);
}

END_TEST;

GST_START_TEST (test_live_no_stamps_is_time_of_arrival)
{
  Feeder line = feeder (AUTO, FALSE);
  guint i;

  for (i = 0; i < FPS; i++) {
    assert_equals_uint64 (feed (&line, GST_CLOCK_TIME_NONE), line.now);
    line.now += FRAME;
  }
}

END_TEST;

/* Frame number divided by declared rate: written rate / declared rate. */
static const struct
{
  guint written;
  guint declared;
} rates[] = {
  {15, 30}, {10, 25}, {29, 30}, {30, 15}, {25, 10}, {30, 29}, {1, 30}
};

/* Whatever the stamps say: over ten seconds and over the last one of them the
 * frames' time goes as fast as the clock, and is the clock's. */
static void
check_count_stamps (Feeder * line, guint written, guint declared)
{
  GstClockTime first = 0, late = 0;
  guint i, n = 60 * written;

  for (i = 0; i < n; i++) {
    line->now = START + i * GST_SECOND / written;
    feed (line, START + i * GST_SECOND / declared);
    if (i == 0)
      first = line->last;
    if (i == n - written)
      late = line->last;
  }
  assert_near (line->last - first, (n - 1) * GST_SECOND / written,
      250 * GST_MSECOND + GST_SECOND);
  if (written > 1)
    assert_near (line->last - late, (written - 1) * GST_SECOND / written,
        250 * GST_MSECOND);
}

GST_START_TEST (test_live_count_stamps_go_at_clock_speed)
{
  Feeder line = feeder (AUTO, FALSE);

  check_count_stamps (&line, rates[__i__].written, rates[__i__].declared);
}

END_TEST;

GST_START_TEST (test_paced_slow_writer_goes_at_clock_speed)
{
  Feeder line = feeder (AUTO, TRUE);

  if (rates[__i__].written > rates[__i__].declared)
    return;
  check_count_stamps (&line, rates[__i__].written, rates[__i__].declared);
  assert_near (line.last, line.now, 250 * GST_MSECOND);
}

END_TEST;

/* A writer that is faster than it declared waits: its stamps are right. */
GST_START_TEST (test_paced_fast_writer_keeps_stamps)
{
  Feeder line = feeder (AUTO, TRUE);
  GstClockTime pts = START;
  guint i;

  for (i = 0; i < 10; i++)
    feed_paced_second (&line, &pts);
  assert_equals_uint64 (line.last, pts - FRAME);
}

END_TEST;

/* A file that starts again, or is sought. */
GST_START_TEST (test_paced_jump_goes_on_without_gap)
{
  Feeder line = feeder (AUTO, TRUE);
  GstClockTime pts = START, before;
  guint i;

  feed_paced_second (&line, &pts);
  pts += jumps[__i__];
  before = line.last;
  feed_paced_second (&line, &pts);
  /* a jump ahead may be a slide show's next picture: it is waited for */
  if (jumps[__i__] < 0 || jumps[__i__] > (GstClockTimeDiff) (10 * GST_SECOND))
    assert_near (line.last - before, GST_SECOND, FRAME);
  before = line.last;
  for (i = 0; i < 5; i++)
    feed_paced_second (&line, &pts);
  assert_near (line.last - before, 5 * GST_SECOND, FRAME);
}

END_TEST;

GST_START_TEST (test_paced_no_stamps_follow_each_other_by_duration)
{
  Feeder line = feeder (AUTO, TRUE);
  guint i;

  for (i = 0; i < FPS; i++) {
    GstClockTime time = feed (&line, GST_CLOCK_TIME_NONE);

    assert_near (time, START + i * FRAME, GST_USECOND);
    line.now = MAX (line.now, time);
  }
}

END_TEST;

GST_START_TEST (test_pts_mode_keeps_stamps_whatever_the_clock_says)
{
  Feeder line = feeder (PTS, FALSE);

  assert_equals_uint64 (feed (&line, 5), 5);
  assert_equals_uint64 (feed (&line, GST_SECOND), GST_SECOND);
  assert_equals_uint64 (feed (&line, 3600 * GST_SECOND), 3600 * GST_SECOND);
  /* time rises nevertheless */
  fail_unless (feed (&line, 0) < 3600 * GST_SECOND + 5 * TICK);
}

END_TEST;

/* What is waited for does not overflow; what is not waited for does not matter. */
GST_START_TEST (test_pts_mode_waits_for_no_end_of_time)
{
  Feeder self = feeder (PTS, TRUE);
  GstClockTime year = 365 * 24 * 3600 * GST_SECOND;

  fail_unless_equals_uint64 (feed (&self, START), START);
  fail_unless (feed (&self, G_MAXINT64) <= START + year);
  fail_unless (feed (&self, G_MAXUINT64 - 1) <= START + year + GST_SECOND);
}

END_TEST;

GST_START_TEST (test_arrival_mode_ignores_stamps)
{
  Feeder line = feeder (ARRIVAL, FALSE);
  guint i;

  for (i = 0; i < FPS; i++) {
    assert_equals_uint64 (feed (&line, i % 2 ? i : line.now + GST_SECOND),
        line.now);
    line.now += FRAME;
  }
}

END_TEST;

GST_START_TEST (test_without_clock_good_stamps_are_kept)
{
  Feeder line = feeder (AUTO, TRUE);

  line.now = GST_CLOCK_TIME_NONE;
  assert_equals_uint64 (feed (&line, 0), 0);
  assert_equals_uint64 (feed (&line, FRAME), FRAME);
  feed (&line, 0);
  feed (&line, GST_CLOCK_TIME_NONE);
}

END_TEST;

GST_START_TEST (test_restart_begins_at_zero_again)
{
  Feeder line = feeder (AUTO, FALSE);

  feed_good_second (&line);
  rtsp_sink_timeline_restart (&line.line);
  line.last = GST_CLOCK_TIME_NONE;
  line.now = DELAY;
  assert_equals_uint64 (feed (&line, 0), 0);
}

END_TEST;

/* Any stamps, any arrival, in each mode: feed() checks that time rises. */
GST_START_TEST (test_random_stamps_rise)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  Feeder line = feeder (__i__ % 3, __i__ % 2);
  guint i;

  for (i = 0; i < 10000; i++) {
    GstClockTime pts = g_rand_int (rand) % 10 == 0 ? GST_CLOCK_TIME_NONE
        : (GstClockTime) (g_rand_double (rand) * 1000 * GST_SECOND);

    line.now += g_rand_int_range (rand, 0, 50000) * GST_USECOND;
    feed (&line, pts);
    if (line.line.paced)
      line.now = MAX (line.now, line.last);
  }
  /* and were not carried off by what was wild */
  if (line.line.mode != PTS)
    assert_near (line.last, line.now, 10 * GST_SECOND);
  g_rand_free (rand);
}

END_TEST;

/* --- encoded frames: in the order of decoding --- */

/* Feeds a frame of a live encoder; returns when it is shown. */
static GstClockTime
feed_encoded (Feeder * self, GstClockTime pts, GstClockTime dts)
{
  rtsp_sink_timeline_stamp_encoded (&self->line, &pts, &dts, FALSE, FRAME,
      self->now);
  fail_unless (GST_CLOCK_TIME_IS_VALID (pts));
  fail_unless (GST_CLOCK_TIME_IS_VALID (dts));
  if (GST_CLOCK_TIME_IS_VALID (self->last))
    fail_unless (dts > self->last);
  self->last = dts;
  self->now += FRAME;
  return pts;
}

/* I P B B P B B: when each is shown, in frames after it is decoded. */
static const guint shown[] = { 2, 4, 1, 1, 4, 1, 1, 4, 1, 1 };

GST_START_TEST (test_reordered_frames_keep_both_times)
{
  Feeder self = feeder (AUTO, FALSE);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (shown); i++) {
    GstClockTime dts = self.now - DELAY, pts = dts + shown[i] * FRAME;

    fail_unless_equals_uint64 (feed_encoded (&self, pts, dts), pts);
    fail_unless_equals_uint64 (self.last, dts);
  }
}

END_TEST;

GST_START_TEST (test_reordered_frames_without_dts_keep_their_time)
{
  Feeder self = feeder (AUTO, FALSE);
  guint i;

  self.now += 10 * FRAME;
  for (i = 0; i < G_N_ELEMENTS (shown); i++) {
    GstClockTime pts = self.now - 6 * FRAME + shown[i] * FRAME;

    fail_unless_equals_uint64 (feed_encoded (&self, pts, GST_CLOCK_TIME_NONE),
        pts);
  }
}

END_TEST;

/* The order within survives that all begins anew, an hour earlier. */
GST_START_TEST (test_reordered_frames_that_jump_stay_in_order)
{
  Feeder self = feeder (AUTO, FALSE);
  GstClockTime before = GST_CLOCK_TIME_NONE, jump = 0;
  guint n, i;

  for (n = 0; n < 2; n++, jump = 60 * GST_SECOND) {
    for (i = 0; i < G_N_ELEMENTS (shown); i++) {
      GstClockTime dts = self.now - DELAY - jump;
      GstClockTime pts = feed_encoded (&self, dts + shown[i] * FRAME, dts);

      fail_unless_equals_uint64 (pts - self.last, shown[i] * FRAME);
      if (GST_CLOCK_TIME_IS_VALID (before))
        fail_unless_equals_uint64 (self.last - before, FRAME);
      before = self.last;
    }
  }
}

END_TEST;

GST_START_TEST (test_encoded_without_times_is_of_its_arrival)
{
  Feeder self = feeder (AUTO, FALSE);
  guint i;

  for (i = 0; i < 5; i++) {
    GstClockTime now = self.now;

    fail_unless_equals_uint64 (feed_encoded (&self, GST_CLOCK_TIME_NONE,
            GST_CLOCK_TIME_NONE), now);
  }
}

END_TEST;

/* What a DTS may be beside a good PTS. The first frame's has nothing to be compared
 * with. */
static GstClockTime
make_dts (guint kind, guint i, GstClockTime pts, GRand * rand)
{
  if (i == 0)
    return GST_CLOCK_TIME_NONE;
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return pts + 1000000 * GST_SECOND;
    case 2:
      return i % 20 == 0 ? pts - GST_SECOND : pts;
    case 3:
      return pts + GST_SECOND / 2;
    case 4:
      return i == 40 ? pts + 60 * GST_SECOND : pts - 2 * FRAME;
    default:
      return pts + g_rand_int_range (rand, -3000, 3000) * GST_MSECOND;
  }
}

/* A frame is shown when its PTS says, whatever its DTS is. */
GST_START_TEST (test_encoded_pts_are_kept_whatever_dts_say)
{
  GRand *rand = g_rand_new_with_seed (1);
  Feeder self = feeder (AUTO, __i__ % 2);

  for (guint i = 0; i < 1000; i++) {
    GstClockTime pts = self.now - DELAY;
    GstClockTime dts = make_dts (__i__ / 2, i, pts, rand);

    assert_near (feed_encoded (&self, pts, dts), pts, FRAME);
  }
  g_rand_free (rand);
}

END_TEST;

/* A PTS alone that begins again or steps back, by many frames or a few. */
GST_START_TEST (test_encoded_pts_that_step_back_rise)
{
  static const guint steps[] = { 500, 25, 10, 3, 1 };
  Feeder self = feeder (AUTO, __i__ % 2);
  GstClockTime shown = 0, pts = self.now - DELAY;

  for (guint i = 1; i < 1000; i++) {
    GstClockTime arrived = self.now;
    GstClockTime given = feed_encoded (&self, pts, GST_CLOCK_TIME_NONE);

    fail_unless (given > shown + TICK, "frame %u: %" GST_TIME_FORMAT
        " after %" GST_TIME_FORMAT, i, GST_TIME_ARGS (given),
        GST_TIME_ARGS (shown));
    shown = given;
    assert_near (given, arrived, 5 * GST_SECOND / 4);
    pts += FRAME;
    if (i % 50 == 0)
      pts -= MIN (pts, steps[__i__ / 2] * FRAME);
  }
}

END_TEST;

/* GStreamer lets such a segment through, and asserts where it is used. */
GST_START_TEST (test_segment_backwards_without_stop_has_no_running_time)
{
  g_autoptr (GstEvent) event = NULL;
  RtspSinkSourceTime times;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  event = gst_event_new_segment (&segment);
  rtsp_sink_source_time_init (&times, event);
  rtsp_sink_source_time_begin (&times, GST_SECOND, TRUE);
  fail_unless_equals_uint64 (rtsp_sink_source_time_convert (&times, GST_SECOND,
          TRUE), GST_CLOCK_TIME_NONE);

  segment.stop = 3 * GST_SECOND;
  gst_clear_event (&event);
  event = gst_event_new_segment (&segment);
  rtsp_sink_source_time_init (&times, event);
  fail_unless_equals_uint64 (rtsp_sink_source_time_convert (&times, GST_SECOND,
          TRUE), 2 * GST_SECOND);
}

GST_END_TEST;

static Suite *
timeline_suite (void)
{
  Suite *suite = suite_create ("timeline");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_live_good_stamps_are_kept);
  tcase_add_test (tests, test_live_uneven_delay_keeps_stamps);
  tcase_add_test (tests, test_live_hang_keeps_stamps);
  tcase_add_loop_test (tests, test_live_jump_leaves_no_trace, 0,
      G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tests, test_live_one_wild_stamp_is_forgotten, 0,
      G_N_ELEMENTS (jumps));
  tcase_add_loop_test (tests, test_live_one_small_step_back_is_forgotten, 0,
      G_N_ELEMENTS (steps_back));
  tcase_add_test (tests, test_live_one_missing_stamp_is_forgotten);
  tcase_add_test (tests, test_live_no_stamps_is_time_of_arrival);
  tcase_add_loop_test (tests, test_live_count_stamps_go_at_clock_speed, 0,
      G_N_ELEMENTS (rates));
  tcase_add_loop_test (tests, test_paced_slow_writer_goes_at_clock_speed, 0,
      G_N_ELEMENTS (rates));
  tcase_add_test (tests, test_paced_fast_writer_keeps_stamps);
  tcase_add_loop_test (tests, test_paced_jump_goes_on_without_gap, 0,
      G_N_ELEMENTS (jumps));
  tcase_add_test (tests, test_paced_no_stamps_follow_each_other_by_duration);
  tcase_add_test (tests, test_pts_mode_keeps_stamps_whatever_the_clock_says);
  tcase_add_test (tests, test_pts_mode_waits_for_no_end_of_time);
  tcase_add_test (tests, test_arrival_mode_ignores_stamps);
  tcase_add_test (tests, test_without_clock_good_stamps_are_kept);
  tcase_add_test (tests, test_restart_begins_at_zero_again);
  tcase_add_test (tests,
      test_segment_backwards_without_stop_has_no_running_time);
  tcase_add_loop_test (tests, test_random_stamps_rise, 0, 12);
  tcase_add_test (tests, test_reordered_frames_keep_both_times);
  tcase_add_test (tests, test_reordered_frames_without_dts_keep_their_time);
  tcase_add_test (tests, test_reordered_frames_that_jump_stay_in_order);
  tcase_add_test (tests, test_encoded_without_times_is_of_its_arrival);
  tcase_add_loop_test (tests, test_encoded_pts_are_kept_whatever_dts_say, 0,
      12);
  tcase_add_loop_test (tests, test_encoded_pts_that_step_back_rise, 0, 10);

  return suite;
}

CHECK_SUITE (timeline);
