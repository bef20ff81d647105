/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The actions remove-viewer and force-key-unit, and all three from whatever
 * thread, in whatever state. What get-viewers tells is in viewerlist.c. */

#include "servedtest.h"

#include <gst/video/video.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "
/* No key unit comes unasked. */
#define RARE_KEYS LIVE "key-unit-interval=3600000"

#define N_CALLERS 4
#define N_CALLS 200

/* --- the actions; any thread --- */

static gboolean
remove_viewer (guint id)
{
  gboolean found = 2;           /* neither */

  g_signal_emit_by_name (sink_test_element (test, NULL), "remove-viewer", id,
      &found);
  return found;
}

static gboolean
force_key_unit (void)
{
  gboolean serves = 2;          /* neither */

  g_signal_emit_by_name (sink_test_element (test, NULL), "force-key-unit",
      &serves);
  return serves;
}

/* --- remove-viewer --- */

static const gchar *const sharings[] = { "shared=auto", "shared=true",
  "shared=false"
};

GST_START_TEST (test_viewer_that_is_removed_is_closed_and_no_other)
{
  g_autofree gchar *line = g_strconcat (LIVE, sharings[__i__], NULL);
  RtspViewer *viewers[4];
  GError *error = NULL;
  guint id;

  served_test_start (line);
  for (guint i = 0; i < 4; i++)
    viewers[i] = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  for (guint i = 0; i < 2; i++) {
    id = viewer_log_wait (viewer_log, "added", i)->id;
    fail_unless (remove_viewer (id) == TRUE);
    assert_viewer (rtsp_viewer_wait_closed (viewers[i], SINK_TEST_TIMEOUT,
            &error), error);
    fail_unless_equals_string (viewer_log_wait_removed (viewer_log,
            viewer_log_wait (viewer_log, "added", i))->reason, "removed");
    fail_unless (remove_viewer (id) == FALSE);
  }
  for (guint i = 2; i < 4; i++) {
    served_test_receive (viewers[i], 10);
    fail_unless_equals_int (rtsp_viewer_record (viewers[i])->n_gaps, 0);
  }
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 2);
  for (guint i = 0; i < 4; i++)
    rtsp_viewer_free (viewers[i]);
  viewer_log_expect_all_removed (viewer_log);
}

END_TEST;

GST_START_TEST (test_viewer_that_paused_can_be_removed)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  served_test_start (LIVE);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  served_test_receive (viewer, 1);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  fail_unless (remove_viewer (viewer_log_wait (viewer_log, "added", 0)->id));
  assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
      error);
}

END_TEST;

GST_START_TEST (test_viewer_that_is_unknown_cannot_be_removed)
{
  g_autoptr (RtspViewer) viewer = NULL;
  guint id;

  served_test_start (LIVE);
  fail_unless (remove_viewer (1) == FALSE);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  id = viewer_log_wait (viewer_log, "added", 0)->id;
  fail_unless (remove_viewer (0) == FALSE);
  fail_unless (remove_viewer (id + 1) == FALSE);
  fail_unless (remove_viewer (G_MAXUINT) == FALSE);
  served_test_receive (viewer, 5);
}

END_TEST;

/* --- force-key-unit --- */

static guint
count_keys (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint n = 0;

  for (guint i = 0; i < rtsp_record_count (record); i++)
    n += rtsp_record_unit (record, i)->key;
  return n;
}

static gboolean
has_keys (RtspViewer * viewer, gpointer n)
{
  return count_keys (viewer) >= GPOINTER_TO_UINT (n);
}

static RtspViewer *
watch_without_keys (void)
{
  RtspViewer *viewer;

  served_test_start (RARE_KEYS);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  served_test_receive (viewer, 15);
  fail_unless_equals_int (count_keys (viewer), 1);
  return viewer;
}

GST_START_TEST (test_key_unit_that_is_forced_comes)
{
  g_autoptr (RtspViewer) viewer = watch_without_keys ();
  GError *error = NULL;

  for (guint n = 2; n < 5; n++) {
    gint64 start = g_get_monotonic_time ();

    fail_unless (force_key_unit () == TRUE);
    assert_viewer (rtsp_viewer_receive_until (viewer, has_keys,
            GUINT_TO_POINTER (n), SINK_TEST_TIMEOUT, "a key unit", &error),
        error);
    fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC / 2 *
        sink_test_time_factor ());
    served_test_receive (viewer, 5);
    fail_unless_equals_int (count_keys (viewer), n);
  }
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

END_TEST;

/* 100 requests in about a second. */
GST_START_TEST (test_key_units_are_forced_ten_times_a_second_at_most)
{
  g_autoptr (RtspViewer) viewer = watch_without_keys ();
  gint64 start = g_get_monotonic_time ();
  guint allowed, n_keys;

  for (guint i = 0; i < 25; i++) {
    for (guint j = 0; j < 4; j++)
      fail_unless (force_key_unit () == TRUE);
    served_test_receive (viewer, 1);
  }
  allowed = 2 + (g_get_monotonic_time () - start) / 100000;
  served_test_receive (viewer, 5);
  n_keys = count_keys (viewer);
  fail_unless (n_keys - 1 <= allowed, "%u, not %u at most", n_keys - 1,
      allowed);
  fail_unless (n_keys >= 4, "only %u", n_keys - 1);
}

END_TEST;

/* Any thread that asks. */
static GstPadProbeReturn
check_event (GstPad * pad, GstPadProbeInfo * info, gpointer n_with_all_headers)
{
  gboolean all_headers = FALSE;

  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))) {
    gst_video_event_parse_upstream_force_key_unit (GST_PAD_PROBE_INFO_EVENT
        (info), NULL, &all_headers, NULL);
    if (all_headers)
      g_atomic_int_inc ((gint *) n_with_all_headers);
  }
  return GST_PAD_PROBE_OK;
}

static void
watch_parser (const GValue * item, gpointer n_with_all_headers)
{
  GstElement *element = g_value_get_object (item);
  GstElementFactory *factory = gst_element_get_factory (element);
  g_autoptr (GstPad) pad = NULL;

  if (factory == NULL || !g_str_equal (GST_OBJECT_NAME (factory), "h264parse"))
    return;
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, check_event,
      n_with_all_headers, NULL);
}

/* h264parse (1.22, and later) keeps a request for all headers, without a lock: it
 * would be freed by one thread while another reads it. */
GST_START_TEST (test_key_unit_requests_pass_the_parser_without_all_headers)
{
  g_autoptr (GstIterator) elements = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  gint n_with_all_headers = 0;

  served_test_start (RARE_KEYS);
  elements = gst_bin_iterate_recurse (GST_BIN (sink_test_pipeline (test)));
  gst_iterator_foreach (elements, watch_parser, &n_with_all_headers);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  served_test_receive (viewer, 5);
  force_key_unit ();
  served_test_receive (viewer, 5);
  fail_unless_equals_int (count_keys (viewer), 2);
  fail_unless_equals_int (g_atomic_int_get (&n_with_all_headers), 0);
  sink_test_stop (test);
}

END_TEST;

/* --- in any state, from any thread --- */

static void
expect_no_service (void)
{
  fail_unless_equals_int (served_test_count_viewers (), 0);
  fail_unless (remove_viewer (1) == FALSE);
  fail_unless (force_key_unit () == FALSE);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
}

GST_START_TEST (test_actions_before_start_and_after_stop_find_nobody)
{
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (LIVE);
  expect_no_service ();
  sink_test_set_state (test, GST_STATE_READY);
  fail_unless (force_key_unit () == TRUE);
  fail_unless_equals_int (served_test_count_viewers (), 0);
  sink_test_set_state (test, GST_STATE_NULL);

  for (guint i = 0; i < 2; i++) {
    sink_test_play (test);
    fail_unless (force_key_unit () == TRUE);
    viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
    fail_unless_equals_int (served_test_count_viewers (), 1);
    sink_test_stop (test);
    expect_no_service ();
    g_clear_pointer (&viewer, rtsp_viewer_free);
  }
}

END_TEST;

static const RtspViewerTransport transports[] = { RTSP_VIEWER_TCP,
  RTSP_VIEWER_UDP, RTSP_VIEWER_HTTP
};

static gint n_callers;          /* atomic */

static gpointer
call_often (gpointer unused)
{
  for (guint i = 0; i < N_CALLS; i++) {
    gst_structure_free (served_test_get_viewers ());
    remove_viewer (i);
    force_key_unit ();
    sink_test_num_viewers (test, NULL);
    g_usleep (1000);
  }
  g_atomic_int_add (&n_callers, -1);
  return NULL;
}

/* Viewers come, are removed by number or leave, the element stops and starts. */
GST_START_TEST (test_actions_of_many_threads_at_once_are_borne)
{
  GThread *threads[N_CALLERS];
  guint n = 0;

  served_test_start (LIVE);
  g_atomic_int_set (&n_callers, N_CALLERS);
  for (guint i = 0; i < N_CALLERS; i++)
    threads[i] = g_thread_new ("caller", call_often, NULL);
  while (g_atomic_int_get (&n_callers) > 0) {
    RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));

    /* it may be removed on the way */
    rtsp_viewer_start (viewer, transports[n % 2], NULL);
    rtsp_viewer_free (viewer);
    if (++n % 8 == 0) {
      sink_test_stop (test);
      sink_test_play (test);
    }
  }
  for (guint i = 0; i < N_CALLERS; i++)
    g_thread_join (threads[i]);
  sink_test_stop (test);
  viewer_log_expect_all_removed (viewer_log);
}

END_TEST;

typedef struct
{
  gint added;                   /* atomic, as the following */
  gint removed;
  guint listed;                 /* while it was told of */
} Handled;

/* GStreamer's thread. */
static GstBusSyncReply
act (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Handled *handled = user_data;
  guint id = 0;

  if (gst_message_has_name (message, "rtspserversink-viewer-added")) {
    gst_structure_get_uint (gst_message_get_structure (message), "id", &id);
    handled->listed = served_test_count_viewers ();
    force_key_unit ();
    sink_test_num_viewers (test, NULL);
    if (remove_viewer (id))
      g_atomic_int_inc (&handled->added);
  }
  if (gst_message_has_name (message, "rtspserversink-viewer-removed")) {
    gst_structure_free (served_test_get_viewers ());
    gst_structure_get_uint (gst_message_get_structure (message), "id", &id);
    if (!remove_viewer (id))
      g_atomic_int_inc (&handled->removed);
  }
  return GST_BUS_PASS;
}

static gboolean
has_handled (gpointer user_data)
{
  return g_atomic_int_get (&((Handled *) user_data)->removed) > 0;
}

GST_START_TEST (test_actions_in_a_sync_handler_work)
{
  Handled handled = { 0, };
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  test = sink_test_new (LIVE);
  bus = gst_element_get_bus (sink_test_pipeline (test));
  gst_bus_set_sync_handler (bus, act, &handled, NULL);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  /* it may be removed on the way */
  if (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, NULL))
    assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT,
            &error), error);

  sink_test_wait_until (has_handled, &handled, SINK_TEST_TIMEOUT,
      "the handler to see the viewer removed");
  fail_unless_equals_int (handled.added, 1);
  fail_unless_equals_int (handled.listed, 1);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
}

END_TEST;

static Suite *
actions_suite (void)
{
  Suite *suite = suite_create ("actions");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_loop_test (tests,
      test_viewer_that_is_removed_is_closed_and_no_other, 0,
      G_N_ELEMENTS (sharings));
  tcase_add_test (tests, test_viewer_that_paused_can_be_removed);
  tcase_add_test (tests, test_viewer_that_is_unknown_cannot_be_removed);
  tcase_add_test (tests, test_key_unit_that_is_forced_comes);
  tcase_add_test (tests, test_key_units_are_forced_ten_times_a_second_at_most);
  tcase_add_test (tests,
      test_key_unit_requests_pass_the_parser_without_all_headers);
  tcase_add_test (tests, test_actions_before_start_and_after_stop_find_nobody);
  tcase_add_test (tests, test_actions_of_many_threads_at_once_are_borne);
  tcase_add_test (tests, test_actions_in_a_sync_handler_work);
  return suite;
}

CHECK_SUITE (actions);
