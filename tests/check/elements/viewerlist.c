/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Who watches: the action get-viewers and the property num-viewers. */

#include "servedtest.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "
#define HEAVY "videotestsrc is-live=true ! video/x-raw,format=RGB,width=640," \
    "height=480,framerate=25/1 ! rtspserversink codec=raw " \
    "viewer-max-delay=200 viewer-stall-timeout=60000"

#define VIEWERS "application/x-rtspserversink-viewers"

/* The viewer with a number; NULL: it is not listed. Transfer full. */
static GstStructure *
get_viewer (guint id)
{
  g_autoptr (GstStructure) viewers = served_test_get_viewers ();
  const GValue *array = gst_structure_get_value (viewers, "viewers");

  for (guint i = 0; i < served_test_count_listed (viewers); i++) {
    const GstStructure *viewer =
        gst_value_get_structure (gst_value_array_get_value (array, i));
    guint other = 0;

    gst_structure_get_uint (viewer, "id", &other);
    if (other == id)
      return gst_structure_copy (viewer);
  }
  return NULL;
}

static guint64
get_number (const GstStructure * viewer, const gchar * field)
{
  guint64 number = G_MAXUINT64;

  fail_unless (gst_structure_get_uint64 (viewer, field, &number), "%s", field);
  return number;
}

static const gchar *
get_text (const GstStructure * viewer, const gchar * field)
{
  const gchar *text = gst_structure_get_string (viewer, field);

  fail_unless (text != NULL, "%s", field);
  return text;
}

/* --- get-viewers --- */

GST_START_TEST (test_viewers_without_any_are_an_empty_array)
{
  g_autoptr (GstStructure) viewers = NULL;

  served_test_start (LIVE);
  viewers = served_test_get_viewers ();
  fail_unless (gst_structure_has_name (viewers, VIEWERS));
  fail_unless_equals_int (gst_structure_n_fields (viewers), 1);
  fail_unless_equals_int (served_test_count_listed (viewers), 0);
}

END_TEST;

static const struct
{
  const gchar *name;
  GType type;
} fields[] = {
  {"id", G_TYPE_UINT}, {"peer", G_TYPE_STRING}, {"transport", G_TYPE_STRING},
  {"state", G_TYPE_STRING}, {"age", G_TYPE_UINT64}, {"units", G_TYPE_UINT64},
  {"packets", G_TYPE_UINT64}, {"bytes", G_TYPE_UINT64},
  {"lost", G_TYPE_UINT64}, {"skips", G_TYPE_UINT}, {"delay", G_TYPE_UINT64},
};

static void
expect_documented_fields (const GstStructure * viewer)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    fail_unless (gst_structure_has_field_typed (viewer, fields[i].name,
            fields[i].type), "%s is not a %s", fields[i].name,
        g_type_name (fields[i].type));
  fail_unless_equals_int (gst_structure_n_fields (viewer),
      G_N_ELEMENTS (fields));
}

static guint64
count_payload (RtspRecord * record)
{
  guint64 n = 0;

  for (guint i = 0; i < record->units->len; i++)
    n += rtsp_record_unit (record, i)->n_bytes;
  return n;
}

static const RtspViewerTransport transports[] = { RTSP_VIEWER_TCP,
  RTSP_VIEWER_UDP, RTSP_VIEWER_HTTP
};

/* What was sent is at least what was received, and not much more than a few
 * units on their way; bytes are with the headers. */
GST_START_TEST (test_viewer_that_plays_is_told_with_what_it_got)
{
  RtspViewerTransport transport = transports[__i__];
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstStructure) told = NULL;
  RtspRecord *record;
  guint skips, id;

  served_test_start (LIVE);
  viewer = sink_test_start_viewer (test, NULL, transport);
  id = viewer_log_wait (viewer_log, "added", 0)->id;
  served_test_receive (viewer, 25);
  record = rtsp_viewer_record (viewer);
  told = get_viewer (id);

  fail_unless (told != NULL);
  expect_documented_fields (told);
  fail_unless_equals_string (get_text (told, "peer"), "127.0.0.1");
  fail_unless_equals_string (get_text (told, "transport"),
      transport == RTSP_VIEWER_UDP ? "udp" : "tcp");
  fail_unless_equals_string (get_text (told, "state"), "playing");
  fail_unless (get_number (told, "units") >= 25);
  fail_unless (get_number (told, "packets") >= record->n_packets);
  fail_unless (get_number (told, "packets") >= get_number (told, "units"));
  fail_unless (get_number (told, "bytes") >= count_payload (record)
      + 12 * record->n_packets);
  fail_unless_equals_uint64 (get_number (told, "lost"), 0);
  fail_unless (gst_structure_get_uint (told, "skips", &skips));
  fail_unless_equals_int (skips, 0);
  /* 25 frames take 0.96 s */
  fail_unless (get_number (told, "age") >= 900 * GST_MSECOND);
  fail_unless (get_number (told, "age") <= SINK_TEST_TIMEOUT * GST_USECOND);
  fail_unless (get_number (told, "delay") <=
      (transport == RTSP_VIEWER_UDP ? 0 : 2 * GST_SECOND));
}

END_TEST;

/* Nothing of RTP counts that was not sent: the numbers agree in the end. */
GST_START_TEST (test_viewer_that_paused_is_told_with_what_it_got_exactly)
{
  RtspViewerTransport transport = transports[__i__];
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstStructure) told = NULL;
  g_autoptr (GstStructure) later = NULL;
  RtspRecord *record;
  GError *error = NULL;
  guint id;

  served_test_start (LIVE);
  viewer = sink_test_start_viewer (test, NULL, transport);
  id = viewer_log_wait (viewer_log, "added", 0)->id;
  served_test_receive (viewer, 10);
  assert_viewer (rtsp_viewer_pause (viewer, &error)
      && rtsp_viewer_receive_for (viewer, G_USEC_PER_SEC / 4, &error), error);
  record = rtsp_viewer_record (viewer);
  told = get_viewer (id);

  fail_unless_equals_string (get_text (told, "state"), "paused");
  expect_documented_fields (told);
  fail_unless_equals_uint64 (get_number (told, "units"),
      rtsp_record_count (record));
  fail_unless_equals_uint64 (get_number (told, "packets"), record->n_packets);
  fail_unless_equals_uint64 (get_number (told, "bytes"),
      count_payload (record) + 12 * record->n_packets);
  fail_unless_equals_uint64 (get_number (told, "delay"), 0);

  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  served_test_receive (viewer, 5);
  later = get_viewer (id);
  fail_unless_equals_string (get_text (later, "state"), "playing");
  fail_unless (get_number (later, "units") >= get_number (told, "units") + 5);
  fail_unless (get_number (later, "age") > get_number (told, "age"));
}

END_TEST;

static gboolean
is_skipping (gpointer id)
{
  g_autoptr (GstStructure) told = get_viewer (GPOINTER_TO_UINT (id));

  return told != NULL && g_str_equal (get_text (told, "state"), "skipping");
}

GST_START_TEST (test_viewer_that_is_too_slow_is_told_to_skip)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstStructure) told = NULL;
  GError *error = NULL;
  guint skips = 0, id;

  served_test_start (HEAVY);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  rtsp_viewer_set_receive_buffer (viewer, 16 * 1024);
  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup_tcp (viewer, 0, &error)
      && rtsp_viewer_play (viewer, &error), error);
  id = viewer_log_wait (viewer_log, "added", 0)->id;

  sink_test_wait_until (is_skipping, GUINT_TO_POINTER (id), SINK_TEST_TIMEOUT,
      "the viewer to skip");
  told = get_viewer (id);
  expect_documented_fields (told);
  fail_unless (gst_structure_get_uint (told, "skips", &skips));
  fail_unless (skips >= 1);
  fail_unless (get_number (told, "delay") >= 200 * GST_MSECOND);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
}

END_TEST;

GST_START_TEST (test_viewers_are_listed_from_play_to_end)
{
  g_autoptr (RtspViewer) viewer = NULL;
  RtspViewer *other;
  GError *error = NULL;
  guint id;

  served_test_start (LIVE);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  fail_unless_equals_int (served_test_count_viewers (), 0);
  other = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  id = viewer_log_wait (viewer_log, "added", 0)->id;
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  fail_unless_equals_int (served_test_count_viewers (), 2);

  rtsp_viewer_free (other);
  viewer_log_wait (viewer_log, "removed", 0);
  fail_unless_equals_int (served_test_count_viewers (), 1);
  fail_unless (get_viewer (id) == NULL);
}

END_TEST;

/* --- num-viewers --- */

GST_START_TEST (test_num_viewers_does_not_count_who_paused)
{
  RtspViewer *viewers[3];
  GError *error = NULL;

  served_test_start (LIVE);
  for (guint i = 0; i < 3; i++)
    viewers[i] = sink_test_start_viewer (test, NULL, transports[i]);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 3);
  for (guint i = 0; i < 3; i++) {
    served_test_receive (viewers[i], 1);
    assert_viewer (rtsp_viewer_pause (viewers[i], &error), error);
    fail_unless_equals_int (sink_test_num_viewers (test, NULL), 2 - i);
  }
  fail_unless_equals_int (served_test_count_viewers (), 3);
  for (guint i = 0; i < 3; i++) {
    assert_viewer (rtsp_viewer_play (viewers[i], &error), error);
    fail_unless_equals_int (sink_test_num_viewers (test, NULL), i + 1);
  }
  for (guint i = 0; i < 3; i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

static Suite *
viewerlist_suite (void)
{
  Suite *suite = suite_create ("viewerlist");
  TCase *tests = tcase_create ("general");
  const gint n_transports = G_N_ELEMENTS (transports);

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_test (tests, test_viewers_without_any_are_an_empty_array);
  tcase_add_loop_test (tests, test_viewer_that_plays_is_told_with_what_it_got,
      0, n_transports);
  tcase_add_loop_test (tests,
      test_viewer_that_paused_is_told_with_what_it_got_exactly, 0,
      n_transports);
  tcase_add_test (tests, test_viewer_that_is_too_slow_is_told_to_skip);
  tcase_add_test (tests, test_viewers_are_listed_from_play_to_end);
  tcase_add_test (tests, test_num_viewers_does_not_count_who_paused);
  return suite;
}

CHECK_SUITE (viewerlist);
