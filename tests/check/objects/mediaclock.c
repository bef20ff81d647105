/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The time axis of all viewers' media, against clocks that the test sets. */

#include <gst/check/gstcheck.h>
#include <gst/check/gsttestclock.h>

#include "checksuite.h"
#include "time/mediaclock.h"

#define BASE (100 * GST_SECOND)
#define FRAME (40 * GST_MSECOND)

static RtspSinkMediaClock *media;
static GstClock *test_clock;

static void
setup (void)
{
  media = rtsp_sink_media_clock_new ();
  test_clock = gst_test_clock_new_with_start_time (BASE);
}

static void
teardown (void)
{
  rtsp_sink_media_clock_unref (media);
  gst_clear_object (&test_clock);
}

static void
set_time (GstClockTime time)
{
  gst_test_clock_set_time (GST_TEST_CLOCK (test_clock), time);
}

GST_START_TEST (test_convert_of_first_clock_is_running_time)
{
  GstClockTime i;

  for (i = 0; i < 100; i++)
    assert_equals_uint64 (rtsp_sink_media_clock_convert (media, test_clock,
            BASE, i * FRAME), i * FRAME);
  assert_equals_uint64 (rtsp_sink_media_clock_newest (media), 99 * FRAME);
}

END_TEST;

GST_START_TEST (test_now_is_time_since_epoch)
{
  rtsp_sink_media_clock_convert (media, test_clock, BASE, 0);
  set_time (BASE + 7 * GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_now (media), 7 * GST_SECOND);
}

END_TEST;

/* A pipeline with this clock and base time has media time for running time. */
GST_START_TEST (test_get_is_what_convert_uses)
{
  g_autoptr (GstClock) clock = NULL;
  GstClockTime epoch;

  rtsp_sink_media_clock_convert (media, test_clock, BASE, 0);
  clock = rtsp_sink_media_clock_get (media, &epoch);
  fail_unless (clock == test_clock);
  assert_equals_uint64 (epoch, BASE);
}

END_TEST;

/* After a pause the base time has moved by the length of the pause. */
GST_START_TEST (test_convert_after_pause_counts_the_pause)
{
  rtsp_sink_media_clock_convert (media, test_clock, BASE, GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, test_clock,
          BASE + 5 * GST_SECOND, GST_SECOND + FRAME), 6 * GST_SECOND + FRAME);
}

END_TEST;

/* After a flush running time begins again, on a new base time. */
GST_START_TEST (test_convert_after_flush_goes_on)
{
  rtsp_sink_media_clock_convert (media, test_clock, BASE, 10 * GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, test_clock,
          BASE + 11 * GST_SECOND, 0), 11 * GST_SECOND);
}

END_TEST;

GST_START_TEST (test_convert_never_goes_back)
{
  GstClockTime first = rtsp_sink_media_clock_convert (media, test_clock, BASE,
      10 * GST_SECOND);
  GstClockTime second = rtsp_sink_media_clock_convert (media, test_clock, BASE,
      5 * GST_SECOND);

  fail_unless (second > first);
  fail_unless (second < first + GST_MSECOND);
  /* and is not held back by it afterwards */
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, test_clock, BASE,
          11 * GST_SECOND), 11 * GST_SECOND);
}

END_TEST;

/* The first frame may have been captured before the pipeline played. */
GST_START_TEST (test_convert_of_frame_before_epoch_is_zero)
{
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, test_clock, BASE,
          0), 0);
  fail_unless (rtsp_sink_media_clock_convert (media, test_clock,
          BASE - GST_SECOND, 0) < GST_MSECOND);
}

END_TEST;

/* Another clock, with another notion of when it is: the frame's age counts. */
GST_START_TEST (test_convert_with_new_clock_carries_the_age_over)
{
  GstClock *other = gst_test_clock_new_with_start_time (5000 * GST_SECOND);

  rtsp_sink_media_clock_convert (media, test_clock, BASE, 0);
  set_time (BASE + 3 * GST_SECOND);
  /* captured 30 ms ago */
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, other,
          4000 * GST_SECOND, 1000 * GST_SECOND - 30 * GST_MSECOND),
      3 * GST_SECOND - 30 * GST_MSECOND);
  gst_object_unref (other);
}

END_TEST;

GST_START_TEST (test_convert_without_clock_is_now)
{
  rtsp_sink_media_clock_convert (media, test_clock, BASE, 0);
  set_time (BASE + 3 * GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, NULL, 0, 0),
      3 * GST_SECOND);
}

END_TEST;

/* A viewer that is there before the first frame. */
GST_START_TEST (test_get_before_the_first_frame_is_the_system_clock)
{
  g_autoptr (GstClock) system_clock = gst_system_clock_obtain ();
  g_autoptr (GstClock) clock = NULL;
  GstClockTime epoch, before = gst_clock_get_time (system_clock);

  clock = rtsp_sink_media_clock_get (media, &epoch);
  fail_unless (clock == system_clock);
  fail_unless (epoch >= before && epoch <= gst_clock_get_time (system_clock));
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, system_clock,
          epoch, FRAME), FRAME);
  assert_equals_uint64 (rtsp_sink_media_clock_newest (media), FRAME);
}

END_TEST;

GST_START_TEST (test_newest_before_the_first_frame_is_none)
{
  fail_if (GST_CLOCK_TIME_IS_VALID (rtsp_sink_media_clock_newest (media)));
}

END_TEST;

GST_START_TEST (test_newest_is_what_is_held)
{
  rtsp_sink_media_clock_convert (media, test_clock, BASE, 5 * FRAME);
  rtsp_sink_media_clock_hold (media, 3 * FRAME);
  assert_equals_uint64 (rtsp_sink_media_clock_newest (media), 3 * FRAME);
  assert_equals_uint64 (rtsp_sink_media_clock_convert (media, test_clock, BASE,
          6 * FRAME), 6 * FRAME);
  assert_equals_uint64 (rtsp_sink_media_clock_newest (media), 3 * FRAME);
}

END_TEST;

static void
come (GstClockTime captured, GstClockTime when)
{
  set_time (BASE + when);
  rtsp_sink_media_clock_convert (media, test_clock, BASE, captured);
}

#define MS GST_MSECOND
#define CAPTURE_DELAY (300 * MS)

GST_START_TEST (test_next_is_later_than_the_newest)
{
  come (5000 * MS, 5020 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 5000 * MS);
  set_time (BASE + 5500 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 5000 * MS);
}

END_TEST;

/* What a source sends that looks ahead is old whenever it comes. */
GST_START_TEST (test_next_of_a_late_source_is_as_late)
{
  rtsp_sink_media_clock_set_direct (media, __i__);
  come (3000 * MS, 5000 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 3000 * MS);
  set_time (BASE + 9000 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 9000 * MS
      - CAPTURE_DELAY - (__i__ ? 2000 * MS : 0));
}

END_TEST;

GST_START_TEST (test_next_after_a_while_is_not_before_the_newest)
{
  rtsp_sink_media_clock_set_direct (media, TRUE);
  come (5000 * MS, 5000 * MS);
  come (5600 * MS, 5000 * MS);
  set_time (BASE + 5700 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 5600 * MS);
}

END_TEST;

/* B frames without a time of decoding. */
GST_START_TEST (test_next_may_be_shown_as_long_before_as_others_were)
{
  come (5000 * MS, 5000 * MS);
  rtsp_sink_media_clock_note_shown (media, 5000 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 5000 * MS);
  rtsp_sink_media_clock_note_shown (media, 4920 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 4920 * MS);
  come (5040 * MS, 5040 * MS);
  rtsp_sink_media_clock_note_shown (media, 5040 * MS);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 4960 * MS);
  rtsp_sink_media_clock_set_direct (media, FALSE);
  assert_equals_uint64 (rtsp_sink_media_clock_next (media), 5040 * MS);
}

END_TEST;

static Suite *
mediaclock_suite (void)
{
  Suite *suite = suite_create ("mediaclock");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_convert_of_first_clock_is_running_time);
  tcase_add_test (tests, test_now_is_time_since_epoch);
  tcase_add_test (tests, test_get_is_what_convert_uses);
  tcase_add_test (tests, test_convert_after_pause_counts_the_pause);
  tcase_add_test (tests, test_convert_after_flush_goes_on);
  tcase_add_test (tests, test_convert_never_goes_back);
  tcase_add_test (tests, test_convert_of_frame_before_epoch_is_zero);
  tcase_add_test (tests, test_convert_with_new_clock_carries_the_age_over);
  tcase_add_test (tests, test_convert_without_clock_is_now);
  tcase_add_test (tests, test_get_before_the_first_frame_is_the_system_clock);
  tcase_add_test (tests, test_newest_before_the_first_frame_is_none);
  tcase_add_test (tests, test_newest_is_what_is_held);
  tcase_add_test (tests, test_next_is_later_than_the_newest);
  tcase_add_loop_test (tests, test_next_of_a_late_source_is_as_late, 0, 2);
  tcase_add_test (tests, test_next_after_a_while_is_not_before_the_newest);
  tcase_add_test (tests, test_next_may_be_shown_as_long_before_as_others_were);
  return suite;
}

CHECK_SUITE (mediaclock);
