/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What came in, and what became of it: the property stats. */

#include "appfeed.h"

#define FEED "appsrc name=feed is-live=true format=time caps=" APP_FEED_CAPS \
    " ! rtspserversink"
#define FRAME_SIZE (64 * 48 * 3 / 2)

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
start (void)
{
  test = sink_test_new (FEED);
  sink_test_try_state (test, GST_STATE_PLAYING);
}

static GstStructure *
get_stats (void)
{
  GstStructure *stats;

  g_object_get (sink_test_element (test, NULL), "stats", &stats, NULL);
  fail_unless (gst_structure_has_name (stats,
          "application/x-rtspserversink-stats"));
  return stats;
}

static guint64
get_count (const gchar * field)
{
  g_autoptr (GstStructure) stats = get_stats ();
  guint64 count = 0;

  fail_unless (gst_structure_get_uint64 (stats, field, &count), "%s", field);
  return count;
}

static guint
count_viewers (void)
{
  g_autoptr (GstStructure) stats = get_stats ();

  return gst_value_array_get_size (gst_structure_get_value (stats, "viewers"));
}

static gboolean
has_come (gpointer expected)
{
  return get_count ("frames") + get_count ("misfits")
      == GPOINTER_TO_UINT (expected);
}

static void
push (gsize size)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, size, NULL);
  GstFlowReturn ret;

  gst_buffer_memset (frame, 0, 0, size);
  GST_BUFFER_PTS (frame) = app_feed_now (test);
  g_signal_emit_by_name (sink_test_element (test, "feed"), "push-buffer", frame,
      &ret);
  gst_buffer_unref (frame);
  fail_unless_equals_int (ret, GST_FLOW_OK);
}

static void
push_frames (guint n)
{
  for (guint i = 0; i < n; i++)
    push (FRAME_SIZE);
}

/* The gate closes when the preroll has what it needs. */
static gboolean
is_unwatched (gpointer n)
{
  push_frames (1);
  ++*(guint *) n;
  return get_count ("unwatched") > 0;
}

static void
wait_for (guint n)
{
  sink_test_wait_until (has_come, GUINT_TO_POINTER (n), SINK_TEST_TIMEOUT,
      "all that was pushed");
}

/* One warning, and every one is counted. */
GST_START_TEST (test_misfits_are_counted)
{
  static const gsize sizes[] = { 0, 1, FRAME_SIZE - 1, FRAME_SIZE / 4,
    FRAME_SIZE * 4
  };

  start ();
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    push (sizes[i]);
    push_frames (9);
  }
  wait_for (50);
  fail_unless_equals_uint64 (get_count ("misfits"), 5);
  fail_unless_equals_uint64 (get_count ("frames"), 45);
  fail_unless_equals_uint64 (get_count ("damaged"), 0);
  fail_unless_equals_int (sink_test_count_warnings (test), 1);
}

END_TEST;

/* But for those that the preroll needed. */
GST_START_TEST (test_frames_that_nobody_wants_are_counted)
{
  g_autoptr (RtspViewer) viewer = NULL;
  guint64 unwatched;
  guint n = 1;

  start ();
  push_frames (1);
  sink_test_play (test);
  sink_test_wait_until (is_unwatched, &n, SINK_TEST_TIMEOUT,
      "frames that nobody wants");
  wait_for (n);
  fail_unless (get_count ("unwatched") < n);
  fail_unless_equals_int (count_viewers (), 0);

  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  unwatched = get_count ("unwatched");
  push_frames (10);
  wait_for (n + 10);
  fail_unless_equals_uint64 (get_count ("unwatched"), unwatched);
  fail_unless_equals_int (count_viewers (), 1);
}

END_TEST;

GST_START_TEST (test_counts_begin_anew_with_the_pipeline)
{
  start ();
  push (1);
  push_frames (5);
  wait_for (6);
  sink_test_set_state (test, GST_STATE_READY);
  /* what was is still there to be read */
  fail_unless_equals_uint64 (get_count ("misfits"), 1);
  sink_test_try_state (test, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (get_count ("misfits"), 0);
  push_frames (3);
  wait_for (3);
}

END_TEST;

static Suite *
stats_suite (void)
{
  Suite *suite = suite_create ("stats");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_misfits_are_counted);
  tcase_add_test (tests, test_frames_that_nobody_wants_are_counted);
  tcase_add_test (tests, test_counts_begin_anew_with_the_pipeline);
  return suite;
}

CHECK_SUITE (stats);
