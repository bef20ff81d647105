/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What a viewer sees is what was fed: numbered grey pictures, decoded. */

#include "sinktest.h"

#define N_UNITS 30
#define FRAME_TICKS (90000 / 25)
/* between two levels lie 16 */
#define TOLERANCE 4

static const gchar *const formats[] = { "BGR", "RGB", "GRAY8", "I420" };

static PictureDecoder *
new_decoder (RtspViewer * viewer)
{
  PictureDecoder *decoder = picture_decoder_new (rtsp_viewer_sdp (viewer),
      "RGB");

  fail_unless (decoder != NULL);
  return decoder;
}

/* A viewer that keeps its packets, after n units. */
static RtspViewer *
watch (SinkTest * test, guint n)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  assert_viewer (rtsp_viewer_receive_units (viewer, n, SINK_TEST_TIMEOUT,
          &error), error);
  return viewer;
}

/* How many frames after the first one a unit was fed; a frame in between may have
 * been dropped on a busy machine. */
static guint
frames_since_first (RtspRecord * record, guint i)
{
  guint32 ticks = rtsp_record_unit (record, i)->rtp_time
      - rtsp_record_unit (record, 0)->rtp_time;

  return (ticks + FRAME_TICKS / 2) / FRAME_TICKS;
}

static guint
decode_grey (PictureDecoder * decoder, const RtspUnit * unit)
{
  g_autoptr (GstSample) sample = picture_decoder_decode (decoder, unit,
      SINK_TEST_TIMEOUT);

  fail_unless (sample != NULL, "a unit gave no picture");
  return picture_grey (sample);
}

static void
check_series (RtspViewer * viewer, const gchar * format)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  PictureDecoder *decoder = new_decoder (viewer);
  guint i, n, first = 0;

  for (i = 0; i < N_UNITS; i++) {
    gint grey = decode_grey (decoder, rtsp_record_unit (record, i));

    if (i == 0)
      first = code_src_nearest (grey);
    n = first + frames_since_first (record, i);
    /* a machine that is much slower than usual lets time stamps be mended */
    if (sink_test_time_factor () > 1)
      n = code_src_nearest (grey);
    fail_unless (ABS (grey - (gint) code_src_level (n)) <= TOLERANCE,
        "%s: picture %u is %d, not %u", format, i, grey, code_src_level (n));
  }
  picture_decoder_free (decoder);
}

GST_START_TEST (test_pictures_of_each_format_keep_their_grey_and_order)
{
  g_autofree gchar *launch = g_strdup_printf ("codesrc is-live=true ! "
      "video/x-raw,format=%s,width=64,height=48,framerate=25/1 "
      "! rtspserversink", formats[__i__]);
  SinkTest *test = sink_test_new (launch);
  RtspViewer *viewer;

  sink_test_play (test);
  viewer = watch (test, N_UNITS);
  check_series (viewer, formats[__i__]);
  rtsp_viewer_free (viewer);
  sink_test_free (test);
}

END_TEST;

GST_START_TEST (test_pictures_of_a_late_viewer_begin_with_a_fresh_one)
{
  SinkTest *test = sink_test_new ("codesrc name=feed is-live=true ! "
      "video/x-raw,format=BGR,width=64,height=48,framerate=25/1 "
      "! rtspserversink key-unit-interval=60000");
  BufferCounter *fed = buffer_counter_new (test, "feed", "src");
  RtspViewer *viewer;
  PictureDecoder *decoder;
  RtspUnit *unit;
  gint n;

  sink_test_play (test);
  buffer_counter_wait (fed, N_UNITS, SINK_TEST_TIMEOUT);
  viewer = watch (test, 1);
  unit = rtsp_record_unit (rtsp_viewer_record (viewer), 0);
  decoder = new_decoder (viewer);
  n = code_src_find (sink_test_element (test, "feed"),
      code_src_nearest (decode_grey (decoder, unit)), unit->arrival);
  fail_unless (n >= 0);
  /* the design's promise: never older than 200 ms */
  fail_unless (unit->arrival - code_src_time (sink_test_element (test,
              "feed"), n) < 200 * 1000 * sink_test_time_factor ());
  picture_decoder_free (decoder);
  rtsp_viewer_free (viewer);
  buffer_counter_free (fed);
  sink_test_free (test);
}

END_TEST;

static Suite *
pictures_suite (void)
{
  Suite *suite = suite_create ("pictures");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_loop_test (tests,
      test_pictures_of_each_format_keep_their_grey_and_order, 0,
      G_N_ELEMENTS (formats));
  tcase_add_test (tests, test_pictures_of_a_late_viewer_begin_with_a_fresh_one);
  return suite;
}

CHECK_SUITE (pictures);
