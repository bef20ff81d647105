/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Which media time the packets of access units are of, whatever their encoder
 * says. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "checksuite.h"
#include "video/videosink.h"

#define FRAME (40 * GST_MSECOND)
#define CAPS "video/x-h264,stream-format=avc,alignment=au,codec_data=(buffer)" \
    "0142c00affe100046742c00a01000468ce3c80"

static RtspSinkFanout *fanout;
static RtspSinkRates *rates;
static RtspSinkStats *counts;
static GstHarness *harness;
static RtspSinkFeed *feed;
static GstHarness *listener;

static void
ignore (gpointer user_data)
{
}

static void
payloader_made (GstElement * payloader, gpointer user_data)
{
}

static const RtspSinkFanoutFuncs funcs = { NULL, ignore };

static void
setup (void)
{
  RtspSinkVideoSink *output;

  fanout = rtsp_sink_fanout_new (NULL, &funcs, NULL);
  rates = rtsp_sink_rates_new ();
  counts = rtsp_sink_stats_new ();
  output =
      rtsp_sink_video_sink_new (fanout, payloader_made, NULL, rates, counts);
  harness = gst_harness_new_with_element (GST_ELEMENT (output), "sink", NULL);
  gst_object_unref (output);
  gst_harness_use_testclock (harness);
  gst_harness_set_src_caps_str (harness, CAPS);
}

static void
teardown (void)
{
  rtsp_sink_fanout_leave (fanout, feed);
  g_clear_pointer (&listener, gst_harness_teardown);
  g_clear_object (&feed);
  g_clear_pointer (&harness, gst_harness_teardown);
  g_clear_pointer (&rates, rtsp_sink_rates_unref);
  g_clear_pointer (&counts, rtsp_sink_stats_free);
  g_clear_pointer (&fanout, rtsp_sink_fanout_unref);
}

static void
push (GstClockTime pts, GstClockTime dts, gboolean key_unit)
{
  static const guint8 idr[] = { 0, 0, 0, 4, 0x65, 0x88, 0x84, 0x21 };
  static const guint8 other[] = { 0, 0, 0, 4, 0x41, 0x9a, 0x21, 0x21 };
  GstBuffer *unit = gst_buffer_new_memdup (key_unit ? idr : other,
      sizeof (idr));

  GST_BUFFER_PTS (unit) = pts;
  GST_BUFFER_DTS (unit) = dts;
  if (!key_unit)
    GST_BUFFER_FLAG_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT);
  fail_unless_equals_int (gst_harness_push (harness, unit), GST_FLOW_OK);
}

/* The first unit makes known what is sent; @begin is of the first that is
 * seen. */
static void
start (GstClockTime begin)
{
  push (0, 0, TRUE);
  feed = rtsp_sink_fanout_join (fanout, "pay0");
  fail_unless (feed != NULL);
  listener = gst_harness_new_with_element (GST_ELEMENT (feed), NULL, "src");
  gst_harness_play (listener);
  rtsp_sink_fanout_open (fanout, feed);
  push (begin, begin, TRUE);
}

/* The media time of the next unit's last packet. */
static GstClockTime
pull (void)
{
  for (;;) {
    g_autoptr (GstBuffer) packet = gst_harness_pull (listener);

    fail_unless (packet != NULL);
    if (GST_BUFFER_FLAG_IS_SET (packet, GST_BUFFER_FLAG_MARKER))
      return GST_BUFFER_PTS (packet);
  }
}

/* I P B B: when each is shown. */
GST_START_TEST (test_output_reordered_units_keep_their_times)
{
  static const guint shown[] = { 4, 2, 3, 7, 5, 6 };

  start (FRAME);
  assert_equals_uint64 (pull (), FRAME);
  for (guint i = 0; i < G_N_ELEMENTS (shown); i++) {
    push ((shown[i] + 1) * FRAME, (i + 2) * FRAME, FALSE);
    assert_equals_uint64 (pull (), (shown[i] + 1) * FRAME);
  }
}

END_TEST;

/* Either time may be anything. */
GST_START_TEST (test_output_times_rise_whatever_the_encoder_says)
{
  GRand *rand = g_rand_new_with_seed (__i__);
  GstClockTime last, time;

  start (FRAME);
  last = pull ();
  for (guint i = 2; i < 1000; i++) {
    GstClockTime pts = i * FRAME;
    GstClockTime dts = g_rand_int_range (rand, 0, 10000) * GST_MSECOND;

    if (__i__ == 1)
      dts = pts + 1000 * GST_SECOND;
    if (__i__ == 2)
      dts = i % 2 == 0 ? GST_CLOCK_TIME_NONE : 0;
    if (__i__ == 3)
      pts = dts = GST_CLOCK_TIME_NONE;
    push (pts, dts, FALSE);
    time = pull ();
    fail_unless (time > last, "unit %u: %" GST_TIME_FORMAT " after %"
        GST_TIME_FORMAT, i, GST_TIME_ARGS (time), GST_TIME_ARGS (last));
    last = time;
  }
  g_rand_free (rand);
}

END_TEST;

/* Encoders that begin to decode before the segment begins. */
GST_START_TEST (test_output_units_before_the_segment_keep_their_distance)
{
  GstSegment segment;

  start (FRAME);
  assert_equals_uint64 (pull (), FRAME);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.base = GST_SECOND;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  push (10 * GST_SECOND, 10 * GST_SECOND - 2 * FRAME, TRUE);
  assert_equals_uint64 (pull (), GST_SECOND);
  push (10 * GST_SECOND + FRAME, 10 * GST_SECOND - FRAME, FALSE);
  assert_equals_uint64 (pull (), GST_SECOND + FRAME);
}

END_TEST;

static Suite *
output_suite (void)
{
  Suite *suite = suite_create ("output");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_output_reordered_units_keep_their_times);
  tcase_add_loop_test (tests, test_output_times_rise_whatever_the_encoder_says,
      0, 4);
  tcase_add_test (tests,
      test_output_units_before_the_segment_keep_their_distance);
  return suite;
}

CHECK_SUITE (output);
