/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers in an HTTP tunnel: two connections each, one to read and one to write. */

#include "sinktest.h"

#include "rtspviewer-private.h"

#include <gst/rtsp-server/rtsp-server.h>

#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink " \
    "shared=%s codec=%s"
#define N_UNITS 20
#define N_TOGETHER 6

static const gchar *const shared_values[] = { "auto", "true", "false" };

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
play (gint shared, const gchar * codec)
{
  g_autofree gchar *line = g_strdup_printf (FEED, shared_values[shared], codec);

  test = sink_test_new (line);
  sink_test_play (test);
}

static void
receive_units (RtspViewer * viewer, guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, n, SINK_TEST_TIMEOUT,
          &error), error);
}

static void
check_record (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  if (record->h264)
    fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (record, 0)));
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_malformed, 0);
  fail_unless (rtsp_record_times_rise (record));
}

GST_START_TEST (test_tunnel_plays_complete_from_key_unit)
{
  RtspViewer *viewer;

  play (__i__, "h264");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  receive_units (viewer, N_UNITS);
  check_record (viewer);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
  rtsp_viewer_free (viewer);
}

END_TEST;

GST_START_TEST (test_tunnel_raw_plays_complete)
{
  RtspViewer *viewer;

  play (__i__, "raw");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  receive_units (viewer, N_UNITS);
  check_record (viewer);
  rtsp_viewer_free (viewer);
}

END_TEST;

GST_START_TEST (test_tunnel_paused_goes_on_with_key_unit)
{
  GError *error = NULL;
  RtspViewer *viewer;
  RtspRecord *record;
  guint n;

  play (__i__, "h264");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  record = rtsp_viewer_record (viewer);
  receive_units (viewer, 5);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  n = record->units->len;
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  /* on a connection all that came before the answer is in the record */
  receive_units (viewer, n + N_UNITS);
  fail_unless (rtsp_record_unit (record, n)->key);
  fail_unless (rtsp_record_times_rise (record));
  rtsp_viewer_free (viewer);
}

END_TEST;

GST_START_TEST (test_tunnel_teardown_is_answered)
{
  GError *error = NULL;
  RtspViewer *viewer;

  play (__i__, "h264");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  receive_units (viewer, 5);
  assert_viewer (rtsp_viewer_teardown (viewer, &error), error);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  rtsp_viewer_free (viewer);
}

END_TEST;

static gboolean
no_close_wait (gpointer port)
{
  return proc_count_close_wait (GPOINTER_TO_UINT (port)) == 0;
}

static void
wait_all_gone (void)
{
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  sink_test_wait_until (no_close_wait,
      GUINT_TO_POINTER (sink_test_port (test, NULL)), SINK_TEST_TIMEOUT,
      "all connections to be closed");
}

/* The library keeps a tunnel's two connections in two places: each way to go must
 * end both. */
GST_START_TEST (test_tunnel_closed_or_reset_leaves_no_descriptor)
{
  RtspViewer *viewers[N_TOGETHER];
  guint fds;

  play (__i__, "h264");
  /* what is made once is there then */
  for (guint i = 0; i < N_TOGETHER; i++)
    viewers[i] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  for (guint i = 0; i < N_TOGETHER; i++)
    rtsp_viewer_free (viewers[i]);
  wait_all_gone ();
  fds = proc_count_fds ();

  for (guint i = 0; i < N_TOGETHER; i++)
    viewers[i] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  for (guint i = 0; i < N_TOGETHER; i++) {
    receive_units (viewers[i], 2);
    if (i % 2 == 0)
      rtsp_viewer_reset (viewers[i]);
    rtsp_viewer_free (viewers[i]);
  }
  wait_all_gone ();
  sink_test_wait_fds (fds, SINK_TEST_TIMEOUT);
}

END_TEST;

GST_START_TEST (test_tunnel_open_at_stop_does_not_hold_it)
{
  RtspViewer *viewer;

  play (__i__, "h264");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  receive_units (viewer, 2);
  fail_unless (sink_test_stop (test) < G_USEC_PER_SEC
      * sink_test_time_factor ());
  rtsp_viewer_free (viewer);
}

END_TEST;

/* --- on which thread --- */

static GMutex lock;
static GHashTable *describing;  /* threads that answered DESCRIBE; guarded by lock */

static gboolean
note_thread (GSignalInvocationHint * hint, guint n_values,
    const GValue * values, gpointer unused)
{
  g_mutex_lock (&lock);
  g_hash_table_add (describing, g_thread_self ());
  g_mutex_unlock (&lock);
  return TRUE;
}

static void
note_threads (void)
{
  gpointer class = g_type_class_ref (GST_TYPE_RTSP_CLIENT);

  describing = g_hash_table_new (NULL, NULL);
  g_signal_add_emission_hook (g_signal_lookup ("describe-request",
          GST_TYPE_RTSP_CLIENT), 0, note_thread, NULL, NULL);
  g_type_class_unref (class);
}

/* The library joins two connections without a lock. */
GST_START_TEST (test_tunnels_run_on_one_thread_and_others_elsewhere)
{
  RtspViewer *viewers[N_TOGETHER];
  g_autoptr (RtspViewer) other = NULL;

  play (0, "h264");
  note_threads ();
  for (guint i = 0; i < N_TOGETHER; i++)
    viewers[i] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  fail_unless_equals_int (g_hash_table_size (describing), 1);
  other = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  fail_unless_equals_int (g_hash_table_size (describing), 2);
  for (guint i = 0; i < N_TOGETHER; i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

/* --- halves of a tunnel, one by one --- */

static void
send_http (RtspViewer * viewer, GstRTSPMethod method)
{
  GstRTSPMessage message = { 0 };

  gst_rtsp_message_init_request (&message, method, "/stream");
  message.type = GST_RTSP_MESSAGE_HTTP_REQUEST;
  gst_rtsp_message_add_header (&message, GST_RTSP_HDR_X_SESSIONCOOKIE, "a");
  fail_unless_equals_int (gst_rtsp_connection_send_usec (viewer->connection,
          &message, SINK_TEST_TIMEOUT), GST_RTSP_OK);
  gst_rtsp_message_unset (&message);
}

static RtspViewer *
start_half (GstRTSPMethod method)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  gst_rtsp_connection_set_http_mode (viewer->connection, TRUE);
  send_http (viewer, method);
  return viewer;
}

static void
expect_get_answered (RtspViewer * viewer)
{
  GstRTSPMessage message = { 0 };

  fail_unless_equals_int (gst_rtsp_connection_receive_usec (viewer->connection,
          &message, SINK_TEST_TIMEOUT), GST_RTSP_OK);
  fail_unless_equals_int (message.type, GST_RTSP_MESSAGE_HTTP_RESPONSE);
  fail_unless_equals_int (message.type_data.response.code, GST_RTSP_STS_OK);
  gst_rtsp_message_unset (&message);
}

/* It would be on another thread than its POST. */
GST_START_TEST (test_get_after_a_request_begins_no_tunnel)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  play (0, "h264");
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_OPTIONS, NULL,
          NULL, &error), GST_RTSP_STS_OK);
  send_http (viewer, GST_RTSP_GET);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_OPTIONS, NULL,
          NULL, &error), GST_RTSP_STS_OK);
}

END_TEST;

/* The library joined the second GET to the first, with a CRITICAL. */
GST_START_TEST (test_tunnel_whose_post_came_first_can_lose_it)
{
  RtspViewer *post, *first, *second;
  gchar byte;

  play (0, "h264");
  post = start_half (GST_RTSP_POST);
  first = start_half (GST_RTSP_GET);
  expect_get_answered (first);
  /* until the server has seen the end of it */
  g_socket_shutdown (rtsp_viewer_socket (post), FALSE, TRUE, NULL);
  g_socket_set_timeout (rtsp_viewer_socket (post), 10);
  fail_unless_equals_int (g_socket_receive_with_blocking (rtsp_viewer_socket
          (post), &byte, 1, TRUE, NULL, NULL), 0);

  second = start_half (GST_RTSP_GET);
  expect_get_answered (second);
  rtsp_viewer_free (post);
  rtsp_viewer_free (first);
  rtsp_viewer_free (second);
}

END_TEST;

static Suite *
tunnel_suite (void)
{
  Suite *suite = suite_create ("tunnel");
  TCase *tcase = tcase_create ("general");
  const gint n = G_N_ELEMENTS (shared_values);

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, teardown);
  tcase_add_loop_test (tcase, test_tunnel_plays_complete_from_key_unit, 0, n);
  tcase_add_loop_test (tcase, test_tunnel_raw_plays_complete, 0, n);
  tcase_add_loop_test (tcase, test_tunnel_paused_goes_on_with_key_unit, 0, n);
  tcase_add_loop_test (tcase, test_tunnel_teardown_is_answered, 0, n);
  tcase_add_loop_test (tcase,
      test_tunnel_closed_or_reset_leaves_no_descriptor, 0, n);
  tcase_add_loop_test (tcase, test_tunnel_open_at_stop_does_not_hold_it, 0, n);
  tcase_add_test (tcase, test_tunnels_run_on_one_thread_and_others_elsewhere);
  tcase_add_test (tcase, test_get_after_a_request_begins_no_tunnel);
  tcase_add_test (tcase, test_tunnel_whose_post_came_first_can_lose_it);
  return suite;
}

CHECK_SUITE (tunnel);
