/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The time of live audio that comes without one. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "time/samplecount.h"

#define PERIOD (20 * GST_MSECOND)
#define FIRST (3 * GST_SECOND)

static RtspSinkSampleCount arrival;

static void
setup (void)
{
  rtsp_sink_sample_count_restart (&arrival);
}

/* How late the given time is against the true one, in ns. */
static GstClockTimeDiff
error_of (GstClockTime truth, GstClockTime delay)
{
  return GST_CLOCK_DIFF (truth, rtsp_sink_sample_count_stamp (&arrival, PERIOD,
          truth + PERIOD + delay));
}

GST_START_TEST (test_arrival_of_the_first_buffer_is_when_it_was_recorded)
{
  assert_equals_int64 (error_of (FIRST, 0), 0);
}

GST_END_TEST;

GST_START_TEST (test_arrival_never_is_before_the_beginning)
{
  assert_equals_uint64 (rtsp_sink_sample_count_stamp (&arrival, PERIOD,
          PERIOD / 2), 0);
}

GST_END_TEST;

/* Buffers are up to 80 ms late; soon the stamps are as late as the least late. */
GST_START_TEST (test_arrival_times_do_not_tremble_with_the_machine)
{
  GstClockTime last = 0;

  for (guint i = 0; i < 1000; i++) {
    GstClockTime truth = FIRST + i * PERIOD;
    GstClockTime delay = (i * 37 + 13) % 81 * GST_MSECOND;
    GstClockTime time = rtsp_sink_sample_count_stamp (&arrival, PERIOD,
        truth + PERIOD + delay);

    if (i > 200) {
      assert_equals_uint64 (time - last, PERIOD);
      fail_unless (GST_CLOCK_DIFF (truth, time) >= 0
          && GST_CLOCK_DIFF (truth, time) <= (GstClockTimeDiff) (10 *
              GST_MSECOND));
    }
    last = time;
  }
}

GST_END_TEST;

/* A sound card whose second is too long or too short by 200 ppm, for an hour:
 * 720 ms in the end. */
static void
check_drift (gint ppm)
{
  for (guint i = 0; i < 3600 * 50; i++) {
    GstClockTime truth = FIRST + i * (PERIOD + (gint) (PERIOD / 1000000) * ppm);
    GstClockTimeDiff error = error_of (truth, i % 7 * GST_MSECOND);

    fail_unless (ABS (error) < (GstClockTimeDiff) (20 * GST_MSECOND),
        "%" G_GINT64_FORMAT " ns after %u s", error, i / 50);
  }
}

GST_START_TEST (test_arrival_follows_a_clock_that_drifts_for_an_hour)
{
  check_drift (200);
  rtsp_sink_sample_count_restart (&arrival);
  check_drift (-200);
}

GST_END_TEST;

GST_START_TEST (test_arrival_after_a_gap_begins_anew)
{
  error_of (FIRST, 0);
  assert_equals_int64 (error_of (FIRST + 10 * GST_SECOND, 0), 0);
  assert_equals_int64 (error_of (FIRST + 10 * GST_SECOND + PERIOD, 0), 0);
}

GST_END_TEST;

static Suite *
arrival_suite (void)
{
  Suite *suite = suite_create ("arrival");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, NULL);
  tcase_add_test (chain,
      test_arrival_of_the_first_buffer_is_when_it_was_recorded);
  tcase_add_test (chain, test_arrival_never_is_before_the_beginning);
  tcase_add_test (chain, test_arrival_times_do_not_tremble_with_the_machine);
  tcase_add_test (chain, test_arrival_follows_a_clock_that_drifts_for_an_hour);
  tcase_add_test (chain, test_arrival_after_a_gap_begins_anew);

  return suite;
}

CHECK_SUITE (arrival);
