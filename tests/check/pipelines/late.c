/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* An encoder that is too slow for a live source: the source does not wait, and
 * viewers get whole pictures of what there was time for. */

#include "sinktest.h"

#define SOURCE "codesrc is-live=true ! video/x-raw,format=I420,width=64," \
    "height=48,framerate=25/1 ! "
#define X264 "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 ! "

static SinkTest *test;
static BufferCounter *fed;

static GMutex lock;
static GCond cond;
static gboolean held;           /* guarded by lock: the encoder */

static void
set_held (gboolean hold)
{
  g_mutex_lock (&lock);
  held = hold;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
}

static void
teardown (void)
{
  set_held (FALSE);
  g_clear_pointer (&fed, buffer_counter_free);
  g_clear_pointer (&test, sink_test_free);
}

/* Encoder's thread. */
static GstPadProbeReturn
wait_while_held (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_mutex_lock (&lock);
  while (held)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
  return GST_PAD_PROBE_OK;
}

static void
encoder_made (GstElement * sink, GstElement * encoder, gpointer user_data)
{
  GstPad *pad = gst_element_get_static_pad (encoder, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, wait_while_held, NULL,
      NULL);
  gst_object_unref (pad);
}

static guint64
count_late (void)
{
  GstStructure *stats;
  guint64 late = 0;

  g_object_get (sink_test_element (test, NULL), "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "late", &late));
  gst_structure_free (stats);
  return late;
}

static void
receive_more (RtspViewer * viewer, guint n)
{
  guint before = rtsp_record_count (rtsp_viewer_record (viewer));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, before + n,
          SINK_TEST_TIMEOUT, &error), error);
}

/* What is missing before a picture would be seen in it. */
static void
check_pictures (RtspViewer * viewer, gboolean levels)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  PictureDecoder *decoder =
      picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");

  for (guint i = 0; i < rtsp_record_count (record); i++) {
    GstSample *sample = picture_decoder_decode (decoder,
        rtsp_record_unit (record, i), SINK_TEST_TIMEOUT);
    guint grey;

    fail_unless (sample != NULL, "no picture %u", i);
    grey = picture_grey (sample);
    fail_unless (!levels || ABS ((gint) grey
            - (gint) code_src_level (code_src_nearest (grey))) <= 4,
        "picture %u has grey %u", i, grey);
    gst_sample_unref (sample);
  }
  picture_decoder_free (decoder);
}

static const struct
{
  const gchar *source;
  gboolean levels;              /* they are those that were fed */
} sources[] = {
  {SOURCE, TRUE},
  {SOURCE X264, TRUE},
  {SOURCE "jpegenc ! ", FALSE},
};

GST_START_TEST (test_live_source_does_not_wait_for_the_encoder)
{
  g_autofree gchar *launch = g_strconcat (sources[__i__].source,
      "identity name=feed ! rtspserversink codec=vp8", NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  GError *error = NULL;
  guint before;

  test = sink_test_new (launch);
  fed = buffer_counter_new (test, "feed", "src");
  g_signal_connect (sink_test_element (test, NULL), "encoder-setup",
      G_CALLBACK (encoder_made), NULL);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  record = rtsp_viewer_record (viewer);
  record->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  receive_more (viewer, 5);

  set_held (TRUE);
  before = buffer_counter_count (fed);
  buffer_counter_wait (fed, before + 50, SINK_TEST_TIMEOUT);
  fail_unless (count_late () > 20);
  set_held (FALSE);
  receive_more (viewer, 30);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  check_pictures (viewer, sources[__i__].levels);
}

END_TEST;

static Suite *
late_suite (void)
{
  Suite *suite = suite_create ("late");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_live_source_does_not_wait_for_the_encoder, 0,
      G_N_ELEMENTS (sources));
  return suite;
}

CHECK_SUITE (late);
