/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* output-caps: the size and rate that viewers get. */

#include "sinktest.h"

#include <gst/video/video.h>

#define CLOCK_RATE 90000
#define WHITE "videotestsrc is-live=true pattern=white ! capsfilter name=caps "

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
set_input (const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  g_object_set (sink_test_element (test, "caps"), "caps", caps, NULL);
}

static void
start (const gchar * input, const gchar * rest)
{
  g_autofree gchar *launch = g_strdup_printf (WHITE "! %s", rest);

  test = sink_test_new (launch);
  set_input (input);
  sink_test_play (test);
}

/* What a new viewer sees first. */
static GstSample *
first_picture (void)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  RtspRecord *record = rtsp_viewer_record (viewer);
  PictureDecoder *decoder;
  GError *error = NULL;
  GstSample *sample;

  record->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  sink_test_receive (viewer, 1);
  decoder = picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");
  fail_unless (decoder != NULL);
  sample = picture_decoder_decode (decoder, rtsp_record_unit (record, 0),
      SINK_TEST_TIMEOUT);
  fail_unless (sample != NULL);
  picture_decoder_free (decoder);
  return sample;
}

static guint8
level_at (GstVideoFrame * frame, gint x, gint y)
{
  const guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  return row[3 * x];
}

static const gchar *const ways[] = {
  "rtspserversink", "rtspserversink codec=vp8", "rtspserversink codec=raw",
  /* decoded, and encoded again */
  "x264enc tune=zerolatency key-int-max=25 ! rtspserversink",
};

/* 4:3 in 2:1: black bars on both sides. */
GST_START_TEST (test_picture_of_another_shape_has_black_bars)
{
  g_autofree gchar *rest = g_strdup_printf
      ("%s output-caps=video/x-raw,width=160,height=80", ways[__i__]);
  GstSample *sample;
  GstVideoFrame frame;
  GstVideoInfo info;

  start ("video/x-raw,format=I420,width=320,height=240,framerate=25/1", rest);
  sample = first_picture ();
  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info), 160);
  fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), 80);
  fail_unless (gst_video_frame_map (&frame, &info, gst_sample_get_buffer
          (sample), GST_MAP_READ));
  fail_unless (level_at (&frame, 80, 40) > 220);
  fail_unless (level_at (&frame, 5, 40) < 30);
  fail_unless (level_at (&frame, 154, 40) < 30);
  fail_unless (level_at (&frame, 80, 2) > 220);
  gst_video_frame_unmap (&frame);
  gst_sample_unref (sample);
}

END_TEST;

GST_START_TEST (test_frames_are_left_out_evenly)
{
  g_autoptr (RtspViewer) viewer = NULL;
  const gchar *rate;

  start ("video/x-raw,format=I420,width=64,height=48,framerate=30/1",
      "rtspserversink output-caps=video/x-raw,framerate=10/1");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 12);
  for (guint i = 1; i < 12; i++) {
    guint32 step = rtsp_record_unit (rtsp_viewer_record (viewer), i)->rtp_time
        - rtsp_record_unit (rtsp_viewer_record (viewer), i - 1)->rtp_time;

    /* one in three; a busy machine leaves out more */
    fail_unless (step >= CLOCK_RATE / 10 - CLOCK_RATE / 100, "%u", step);
  }
  rate = gst_sdp_media_get_attribute_val (gst_sdp_message_get_media
      (rtsp_viewer_sdp (viewer), 0), "framerate");
  fail_unless (rate != NULL && g_ascii_strtod (rate, NULL) == 10.0, "%s", rate);
}

END_TEST;

/* Raw video has its size in the SDP alone, and it stays the same. */
GST_START_TEST (test_viewers_do_not_notice_that_the_input_changes_its_size)
{
  g_autoptr (RtspViewer) viewer = NULL;

  start ("video/x-raw,format=I420,width=320,height=240,framerate=25/1",
      "rtspserversink codec=raw output-caps=video/x-raw,width=64,height=48");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 10);
  set_input ("video/x-raw,format=NV12,width=640,height=360,framerate=25/1");
  sink_test_receive (viewer, 40);
  set_input ("video/x-raw,format=I420,width=33,height=33,framerate=25/1");
  sink_test_receive (viewer, 70);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
  fail_unless (rtsp_viewer_record (viewer)->bye == 0);
}

END_TEST;

GST_START_TEST (test_what_cannot_be_made_is_an_error_at_start)
{
  static const gchar *const words[] = { "output-caps", "width", NULL };

  test = sink_test_new ("videotestsrc ! rtspserversink "
      "output-caps=video/x-raw,format=RGB");
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  sink_test_expect_error (test, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, words,
      SINK_TEST_TIMEOUT);
}

END_TEST;

static Suite *
outputcaps_suite (void)
{
  Suite *suite = suite_create ("outputcaps");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_picture_of_another_shape_has_black_bars, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (tests, test_frames_are_left_out_evenly);
  tcase_add_test (tests,
      test_viewers_do_not_notice_that_the_input_changes_its_size);
  tcase_add_test (tests, test_what_cannot_be_made_is_an_error_at_start);
  return suite;
}

CHECK_SUITE (outputcaps);
