/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* output-caps: what is made of an input, and which frames are left out. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "video/outputcaps.h"

/* --- what can be asked for --- */

GST_START_TEST (test_scale_takes_size_and_rate)
{
  static const gchar *const good[] = {
    "video/x-raw,width=640", "video/x-raw,height=2", "video/x-raw,width=16384",
    "video/x-raw,width=640,height=480", "video/x-raw,framerate=1/5",
    "video/x-raw,width=640,height=480,framerate=30000/1001",
  };

  fail_unless (rtsp_sink_output_caps_check (NULL, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (good); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (good[i]);
    g_autoptr (GError) error = NULL;

    fail_unless (rtsp_sink_output_caps_check (caps, &error), "%s: %s", good[i],
        error ? error->message : "");
  }
}

GST_END_TEST;

GST_START_TEST (test_scale_refuses_all_else_and_shows_how)
{
  static const gchar *const bad[] = {
    "video/x-raw", "ANY", "EMPTY", "video/x-h264,width=640",
    "video/x-raw,width=0", "video/x-raw,width=1", "video/x-raw,width=-2",
    "video/x-raw,width=16386", "video/x-raw,width=[2,640]",
    "video/x-raw,width=(string)640", "video/x-raw,framerate=0/1",
    "video/x-raw,framerate=-1/1", "video/x-raw,framerate=30",
    "video/x-raw,width=640,format=I420", "video/x-raw,width=640;"
        "video/x-raw,height=480",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (bad[i]);
    g_autoptr (GError) error = NULL;

    fail_if (rtsp_sink_output_caps_check (caps, &error), "%s", bad[i]);
    fail_unless (strstr (error->message, "output-caps=\"") != NULL
        && strstr (error->message, "framerate=15/1") != NULL, "%s",
        error->message);
  }
}

GST_END_TEST;

/* --- what becomes of an input --- */

#define IN "video/x-raw,format=I420,"

static const struct
{
  const gchar *input;
  const gchar *wanted;
  gint width;
  gint height;
  gint par_n;
  gint par_d;
  gint fps_n;
  gint fps_d;
} made[] = {
  {IN "width=1920,height=1080,framerate=30/1", "video/x-raw,width=640",
      640, 360, 1, 1, 30, 1},
  {IN "width=1920,height=1080,framerate=30/1", "video/x-raw,height=480",
      852, 480, 1, 1, 30, 1},
  {IN "width=640,height=480,framerate=30/1",
      "video/x-raw,width=320,height=320", 320, 320, 1, 1, 30, 1},
  /* even */
  {IN "width=640,height=481,framerate=30/1", "video/x-raw,width=321",
      320, 240, 1, 1, 30, 1},
  /* PAL 4:3 and 16:9 become square pixels */
  {IN "width=720,height=576,framerate=25/1,pixel-aspect-ratio=16/15",
      "video/x-raw,height=576", 768, 576, 1, 1, 25, 1},
  {IN "width=720,height=576,framerate=25/1,pixel-aspect-ratio=64/45",
      "video/x-raw,width=1024", 1024, 576, 1, 1, 25, 1},
  /* a rate alone leaves the shape of pixels */
  {IN "width=720,height=576,framerate=25/1,pixel-aspect-ratio=16/15",
      "video/x-raw,framerate=5/1", 720, 576, 16, 15, 5, 1},
  /* never raised */
  {IN "width=64,height=48,framerate=15/1", "video/x-raw,framerate=30/1",
      64, 48, 1, 1, 15, 1},
  {IN "width=64,height=48,framerate=30/1",
      "video/x-raw,framerate=30000/1001", 64, 48, 1, 1, 30000, 1001},
  /* unknown */
  {IN "width=64,height=48,framerate=0/1", "video/x-raw,framerate=30/1",
      64, 48, 1, 1, 30, 1},
  /* very flat pictures keep two rows */
  {IN "width=10000,height=2,framerate=25/1", "video/x-raw,width=100",
      100, 2, 1, 1, 25, 1},
};

GST_START_TEST (test_scale_makes_the_size_and_rate)
{
  g_autoptr (GstCaps) input = gst_caps_from_string (made[__i__].input);
  g_autoptr (GstCaps) wanted = gst_caps_from_string (made[__i__].wanted);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, input));
  rtsp_sink_output_caps_apply (wanted, &info);
  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info), made[__i__].width);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), made[__i__].height);
  fail_unless_equals_int (GST_VIDEO_INFO_PAR_N (&info), made[__i__].par_n);
  fail_unless_equals_int (GST_VIDEO_INFO_PAR_D (&info), made[__i__].par_d);
  fail_unless_equals_int (GST_VIDEO_INFO_FPS_N (&info), made[__i__].fps_n);
  fail_unless_equals_int (GST_VIDEO_INFO_FPS_D (&info), made[__i__].fps_d);
}

GST_END_TEST;

/* --- which frames are left out --- */

static RtspSinkOutputCapsRate
new_rate (gint in_n, gint in_d, gint out_n, gint out_d)
{
  GstVideoInfo input, served;
  RtspSinkOutputCapsRate rate;

  gst_video_info_set_format (&input, GST_VIDEO_FORMAT_I420, 64, 48);
  served = input;
  input.fps_n = in_n;
  input.fps_d = in_d;
  served.fps_n = out_n;
  served.fps_d = out_d;
  rtsp_sink_output_caps_rate_init (&rate, &input, &served);
  return rate;
}

/* Feeds frames at a rate, each up to jitter off its time. */
static guint
count_taken (RtspSinkOutputCapsRate * rate, GstClockTime * pts, guint n,
    GstClockTime interval, GstClockTime jitter)
{
  guint taken = 0;

  for (guint i = 0; i < n; i++, *pts += interval)
    taken += rtsp_sink_output_caps_rate_takes (rate,
        *pts + (i * 7919 % 11) * jitter / 10);
  return taken;
}

static const struct
{
  gint in;
  gint out;
} rates[] = {
  {30, 15}, {30, 10}, {25, 15}, {30, 29}, {60, 1}, {50, 24}, {240, 30}
};

GST_START_TEST (test_rate_takes_as_many_as_are_wanted)
{
  RtspSinkOutputCapsRate rate =
      new_rate (rates[__i__].in, 1, rates[__i__].out, 1);
  GstClockTime interval = GST_SECOND / rates[__i__].in, pts = GST_SECOND;
  guint taken;

  taken = count_taken (&rate, &pts, 20 * rates[__i__].in, interval, 0);
  fail_unless (ABS ((gint) taken - 20 * rates[__i__].out) <= 1, "%u", taken);
  taken = count_taken (&rate, &pts, 20 * rates[__i__].in, interval,
      interval / 4);
  fail_unless (ABS ((gint) taken - 20 * rates[__i__].out)
      <= MAX (2, 20 * rates[__i__].out / 50), "%u", taken);
}

GST_END_TEST;

GST_START_TEST (test_rate_takes_all_where_there_are_no_more)
{
  RtspSinkOutputCapsRate rate = new_rate (15, 1, 15, 1);
  GstClockTime pts = 0;

  fail_unless_equals_int (count_taken (&rate, &pts, 100, GST_SECOND / 100, 0),
      100);
}

GST_END_TEST;

/* Nothing is owed for a pause; a jump back is no silence. */
GST_START_TEST (test_rate_goes_on_after_a_jump)
{
  RtspSinkOutputCapsRate rate = new_rate (30, 1, 10, 1);
  GstClockTime pts = 100 * GST_SECOND, interval = GST_SECOND / 30;
  guint taken;

  count_taken (&rate, &pts, 30, interval, 0);
  pts += 60 * GST_SECOND;
  taken = count_taken (&rate, &pts, 30, interval, 0);
  fail_unless (taken >= 9 && taken <= 11, "%u", taken);
  pts = 0;
  taken = count_taken (&rate, &pts, 30, interval, 0);
  fail_unless (taken >= 9 && taken <= 11, "%u", taken);
  fail_unless (rtsp_sink_output_caps_rate_takes (&rate, GST_CLOCK_TIME_NONE));
}

GST_END_TEST;

static const struct
{
  gint width, height, par_n, par_d;
  gboolean interlaced;
  gint square_width, square_height;
} shapes[] = {
  {720, 576, 1, 1, FALSE, 720, 576},
  {720, 576, 64, 45, FALSE, 1024, 576},
  {720, 576, 16, 15, FALSE, 768, 576},
  {480, 540, 2, 1, FALSE, 960, 540},
  {640, 240, 1, 2, FALSE, 640, 480},
  {640, 240, 1, 2, TRUE, 320, 240},
  {321, 241, 1, 1, FALSE, 321, 241},
  {2, 2, 1, 100, TRUE, 4, 2},
  {16000, 100, 2, 1, FALSE, 16384, 100},
};

GST_START_TEST (test_scale_square_pixels_keep_the_shape)
{
  GstVideoInfo info;

  gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I420,
      shapes[__i__].interlaced ? GST_VIDEO_INTERLACE_MODE_INTERLEAVED :
      GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, shapes[__i__].width,
      shapes[__i__].height);
  info.par_n = shapes[__i__].par_n;
  info.par_d = shapes[__i__].par_d;
  rtsp_sink_output_caps_make_square (&info);
  fail_unless_equals_int (info.par_n, info.par_d);
  fail_unless_equals_int (info.width, shapes[__i__].square_width);
  fail_unless_equals_int (info.height, shapes[__i__].square_height);
}

GST_END_TEST;

static Suite *
scale_suite (void)
{
  Suite *suite = suite_create ("scale");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, test_scale_takes_size_and_rate);
  tcase_add_test (chain, test_scale_refuses_all_else_and_shows_how);
  tcase_add_loop_test (chain, test_scale_makes_the_size_and_rate, 0,
      G_N_ELEMENTS (made));
  tcase_add_loop_test (chain, test_rate_takes_as_many_as_are_wanted, 0,
      G_N_ELEMENTS (rates));
  tcase_add_test (chain, test_rate_takes_all_where_there_are_no_more);
  tcase_add_test (chain, test_rate_goes_on_after_a_jump);

  tcase_add_loop_test (chain, test_scale_square_pixels_keep_the_shape, 0,
      G_N_ELEMENTS (shapes));

  return suite;
}

CHECK_SUITE (scale);
