/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What is first on a connection, packets or the answer to PLAY, when that is
 * long in coming: FFmpeg drops packets while it waits for an answer. */

#include "servedtest.h"

#include <gst/rtsp-server/rtsp-server.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO \
    " ! rtspserversink key-unit-interval=60000 "

#define N_UNITS 5

static gint delayed;            /* atomic: whether answers to PLAY are */
static gint n_before;           /* atomic: units that the newest viewer had */

/* --- units of the newest viewer --- */

static const GstStructure *
newest (const GstStructure * viewers)
{
  const GValue *array = gst_structure_get_value (viewers, "viewers");
  const GstStructure *found = NULL;
  guint id, last = 0;

  for (guint i = 0; i < gst_value_array_get_size (array); i++) {
    const GstStructure *viewer =
        gst_value_get_structure (gst_value_array_get_value (array, i));

    if (gst_structure_get_uint (viewer, "id", &id) && id > last) {
      found = viewer;
      last = id;
    }
  }
  return found;
}

static gint
count_units (void)
{
  g_autoptr (GstStructure) viewers = served_test_get_viewers ();
  const GstStructure *viewer = newest (viewers);
  guint64 n = 0;

  if (viewer != NULL)
    gst_structure_get_uint64 (viewer, "units", &n);
  return n;
}

static gboolean
has_units (gpointer unused)
{
  return count_units () >= g_atomic_int_get (&n_before) + N_UNITS;
}

/* --- a late answer --- */

/* Viewer's thread, before the answer is written. */
static gboolean
delay_answer (GSignalInvocationHint * hint, guint n_values,
    const GValue * values, gpointer unused)
{
  GstRTSPContext *ctx = g_value_get_pointer (values + 1);

  if (g_atomic_int_get (&delayed) && ctx->method == GST_RTSP_PLAY)
    sink_test_wait_until (has_units, NULL, SINK_TEST_TIMEOUT, "units");
  return TRUE;
}

static void
serve (const gchar * options)
{
  g_autofree gchar *line = g_strconcat (LIVE, options, NULL);
  gpointer class = g_type_class_ref (GST_TYPE_RTSP_CLIENT);

  delayed = FALSE;
  g_signal_add_emission_hook (g_signal_lookup ("send-message",
          GST_TYPE_RTSP_CLIENT), 0, delay_answer, NULL, NULL);
  g_type_class_unref (class);
  served_test_start (line);
}

static void
play_late (RtspViewer * viewer)
{
  GError *error = NULL;

  g_atomic_int_set (&delayed, TRUE);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  g_atomic_int_set (&delayed, FALSE);
}

/* From the key unit on, which was there before the answer. */
static void
check_start (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  RtspRtpInfo info;

  fail_unless_equals_int (record->n_packets, 0);
  served_test_receive (viewer, N_UNITS);
  fail_unless (rtsp_viewer_rtp_info (viewer, &info));
  fail_unless_equals_int (rtsp_record_unit (record, 0)->first_seq, info.seq);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (record, 0)));
  fail_unless_equals_int (record->n_gaps, 0);
}

static const RtspViewerTransport transports[] = {
  RTSP_VIEWER_TCP,
  RTSP_VIEWER_HTTP,
};

GST_START_TEST (test_viewer_of_a_shared_media_gets_the_answer_first)
{
  g_autoptr (RtspViewer) first = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  serve ("shared=true");
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  served_test_receive (first, 1);

  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  rtsp_viewer_set_tunneled (viewer, transports[__i__] == RTSP_VIEWER_HTTP);
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, transports[__i__], &error), error);
  n_before = 0;
  play_late (viewer);
  check_start (viewer);
}

END_TEST;

GST_START_TEST (test_viewer_that_plays_again_gets_the_answer_first)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  serve ("");
  viewer = sink_test_start_viewer (test, NULL, transports[__i__]);
  served_test_receive (viewer, 1);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  n_before = count_units ();
  rtsp_record_clear (rtsp_viewer_record (viewer));
  play_late (viewer);
  check_start (viewer);
}

END_TEST;

static Suite *
answer_suite (void)
{
  Suite *suite = suite_create ("answer");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_loop_test (tests,
      test_viewer_of_a_shared_media_gets_the_answer_first, 0,
      G_N_ELEMENTS (transports));
  tcase_add_loop_test (tests,
      test_viewer_that_plays_again_gets_the_answer_first, 0,
      G_N_ELEMENTS (transports));
  return suite;
}

CHECK_SUITE (answer);
