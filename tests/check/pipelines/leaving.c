/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers over TCP that have left: their connections are closed soon, whether or
 * not anybody comes after them. */

#include "sinktest.h"

#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink " \
    "shared=%s"
#define N_TOGETHER 2
#define LEAVE_TIME (3 * G_USEC_PER_SEC)

typedef struct
{
  const gchar *shared;
  RtspViewerTransport transport;
} Case;

static const Case cases[] = {
  {"false", RTSP_VIEWER_TCP},
  {"true", RTSP_VIEWER_TCP},
  {"true", RTSP_VIEWER_HTTP},
};

static SinkTest *test;
static RtspViewer *viewers[N_TOGETHER];

/* The library remembers whom it has sent RTCP: they have got some. */
static void
start (gint number)
{
  g_autofree gchar *line = g_strdup_printf (FEED, cases[number].shared);
  GError *error = NULL;

  test = sink_test_new (line);
  sink_test_play (test);
  for (guint i = 0; i < N_TOGETHER; i++)
    viewers[i] = sink_test_start_viewer (test, NULL, cases[number].transport);
  for (guint i = 0; i < N_TOGETHER; i++)
    assert_viewer (rtsp_viewer_wait_report (viewers[i], SINK_TEST_TIMEOUT,
            &error), error);
}

static void
teardown (void)
{
  for (guint i = 0; i < N_TOGETHER; i++)
    g_clear_pointer (&viewers[i], rtsp_viewer_free);
  g_clear_pointer (&test, sink_test_free);
}

static gboolean
no_close_wait (gpointer port)
{
  return proc_count_close_wait (GPOINTER_TO_UINT (port)) == 0;
}

static void
check_all_gone (void)
{
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  sink_test_wait_until (no_close_wait,
      GUINT_TO_POINTER (sink_test_port (test, NULL)),
      LEAVE_TIME * sink_test_time_factor (), "the connections to be closed");
}

GST_START_TEST (test_connection_closed_by_last_viewers_is_closed)
{
  start (__i__);
  for (guint i = 0; i < N_TOGETHER; i++)
    rtsp_viewer_close (viewers[i]);
  check_all_gone ();
}

END_TEST;

GST_START_TEST (test_connection_of_last_viewers_torn_down_is_closed)
{
  GError *error = NULL;

  start (__i__);
  for (guint i = 0; i < N_TOGETHER; i++) {
    assert_viewer (rtsp_viewer_teardown (viewers[i], &error), error);
    rtsp_viewer_close (viewers[i]);
  }
  check_all_gone ();
}

END_TEST;

static Suite *
leaving_suite (void)
{
  Suite *suite = suite_create ("leaving");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, NULL, teardown);
  tcase_add_loop_test (tcase,
      test_connection_closed_by_last_viewers_is_closed, 0,
      G_N_ELEMENTS (cases));
  tcase_add_loop_test (tcase,
      test_connection_of_last_viewers_torn_down_is_closed, 0,
      G_N_ELEMENTS (cases));
  return suite;
}

CHECK_SUITE (leaving);
