/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers come and go in every way; what they took is given back. */

#include "sinktest.h"
#include "viewerjob.h"

#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO " ! identity name=feed " \
    "! rtspserversink"
#define N_VISITS 40
/* What GIO and GStreamer make once and keep. */
#define GIO_FDS 6
#define N_WALKERS 4
#define N_STEPS 25

static SinkTest *test;

static void
setup (void)
{
  test = sink_test_new (FEED);
  sink_test_play (test);
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

/* --- visits of every length --- */

typedef enum
{
  CONNECT,
  OPTIONS,
  DESCRIBE,
  SETUP,
  PLAY,
  WATCH,
  PAUSE,
  N_LENGTHS
} Length;

typedef enum
{
  CLOSE,
  RESET,
  TEARDOWN,
  N_ENDS
} End;

/* Goes so far and no further. */
static RtspViewer *
visit (Length length, RtspViewerTransport transport)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  if (length >= OPTIONS)
    assert_viewer (rtsp_viewer_options (viewer, &error), error);
  if (length >= DESCRIBE)
    assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  if (length >= SETUP)
    assert_viewer (rtsp_viewer_setup (viewer, transport, &error), error);
  if (length >= PLAY)
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
  if (length >= WATCH)
    sink_test_receive (viewer, 2);
  if (length >= PAUSE)
    assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  return viewer;
}

static void
leave (RtspViewer * viewer, Length length, End end)
{
  GError *error = NULL;

  if (end == TEARDOWN && length >= SETUP)
    assert_viewer (rtsp_viewer_teardown (viewer, &error), error);
  else if (end == RESET)
    rtsp_viewer_reset (viewer);
  rtsp_viewer_free (viewer);
}

static void
visit_and_leave (guint i)
{
  Length length = i % N_LENGTHS;

  leave (visit (length, i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP), length,
      i / N_LENGTHS % N_ENDS);
}

GST_START_TEST (test_visits_of_every_kind_leave_nothing_behind)
{
  guint i, fds, threads;

  fds = proc_count_fds ();
  threads = proc_count_threads ();
  for (i = 0; i < N_VISITS; i++)
    visit_and_leave (i);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  sink_test_wait_fds (fds + GIO_FDS, SINK_TEST_TIMEOUT);
  sink_test_wait_threads (threads + 2, SINK_TEST_TIMEOUT);
  fail_unless_equals_int (proc_count_close_wait (sink_test_port (test, NULL)),
      0);
}

END_TEST;

/* sink_test_free() allows a second. */
GST_START_TEST (test_stop_right_after_a_visit_is_quick)
{
  guint i;

  for (i = 0; i < 2; i++)
    leave (visit (__i__, i ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP), __i__, CLOSE);
  g_clear_pointer (&test, sink_test_free);
}

END_TEST;

GST_START_TEST (test_next_viewer_after_any_visit_plays)
{
  guint i;

  for (i = 0; i < N_LENGTHS * N_ENDS; i++) {
    RtspViewer *viewer;

    visit_and_leave (i);
    viewer = visit (WATCH, RTSP_VIEWER_TCP);
    fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
                (viewer), 0)));
    rtsp_viewer_free (viewer);
  }
}

END_TEST;

/* A sanitizer keeps what was freed. */
#ifndef __SANITIZE_ADDRESS__
GST_START_TEST (test_memory_does_not_grow_with_rounds_of_viewers)
{
  guint round, i, early = 0;

  for (round = 0; round < 10; round++) {
    RtspViewer *viewers[4];

    for (i = 0; i < G_N_ELEMENTS (viewers); i++)
      viewers[i] = visit (WATCH, i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    for (i = 0; i < G_N_ELEMENTS (viewers); i++)
      leave (viewers[i], WATCH, (round + i) % N_ENDS);
    sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
    if (round == 2)
      early = proc_rss_kb ();
  }
  fail_unless (proc_rss_kb () < early + 15 * 1024, "%u kB became %u kB",
      early, proc_rss_kb ());
}

END_TEST;
#endif

/* --- viewers that vanish --- */

GST_START_TEST (test_vanished_viewers_are_dropped)
{
  RtspViewer *viewers[10];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (viewers); i++)
    viewers[i] = visit (WATCH, RTSP_VIEWER_UDP);
  sink_test_wait_num_viewers (test, NULL, G_N_ELEMENTS (viewers),
      SINK_TEST_TIMEOUT);
  for (i = 0; i < G_N_ELEMENTS (viewers); i++)
    rtsp_viewer_reset (viewers[i]);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  for (i = 0; i < G_N_ELEMENTS (viewers); i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

/* A UDP viewer's session ends with its RTSP connection. */
GST_START_TEST (test_udp_packets_end_with_the_connection)
{
  g_autoptr (RtspViewer) viewer = visit (WATCH, RTSP_VIEWER_UDP);
  GError *error = NULL;

  rtsp_viewer_close (viewer);
  assert_viewer (rtsp_viewer_receive_for (viewer,
          G_USEC_PER_SEC * sink_test_time_factor (), &error), error);
  rtsp_record_clear (rtsp_viewer_record (viewer));
  assert_viewer (rtsp_viewer_receive_for (viewer, G_USEC_PER_SEC, &error),
      error);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_packets, 0);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
}

END_TEST;

/* --- any request in any order --- */

static gboolean
ask (RtspViewer * viewer, GstRTSPMethod method, const gchar * url,
    const gchar * const *headers)
{
  return rtsp_viewer_request (viewer, method, url, headers, NULL) != 0;
}

/* One step; FALSE if the connection is gone. */
static gboolean
step (RtspViewer * viewer, GRand * rand)
{
  static const gchar *const transports[] = {
    "RTP/AVP/TCP;unicast;interleaved=0-1", "RTP/AVP/TCP;unicast",
    "RTP/AVP;unicast;client_port=40000-40001", "RTP/AVP;multicast", "x"
  };
  static const GstRTSPMethod methods[] = { GST_RTSP_DESCRIBE, GST_RTSP_PLAY,
    GST_RTSP_PAUSE, GST_RTSP_GET_PARAMETER, GST_RTSP_PLAY
  };
  guint kind = g_rand_int_range (rand, 0, 10);

  if (kind < G_N_ELEMENTS (methods))
    return ask (viewer, methods[kind], NULL, NULL);
  /* GstRTSPConnection goes on naming the session that ends with this. */
  if (kind == 5) {
    ask (viewer, GST_RTSP_TEARDOWN, NULL, NULL);
    return FALSE;
  }
  if (kind == 6) {
    const gchar *transport[] = { "Transport", transports[g_rand_int_range
          (rand, 0, G_N_ELEMENTS (transports))], NULL
    };
    g_autofree gchar *url = rtsp_viewer_control_url (viewer);

    return ask (viewer, GST_RTSP_SETUP, url, transport);
  }
  if (kind == 7 && rtsp_viewer_sdp (viewer) == NULL)
    return rtsp_viewer_describe (viewer, NULL);
  return rtsp_viewer_receive_for (viewer, g_rand_int_range (rand, 0, 100000),
      NULL);
}

static gboolean
walk (RtspViewer * viewer, gpointer seed, GError ** error)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (seed));
  guint i;

  for (i = 0; i < N_STEPS; i++) {
    if (rtsp_viewer_is_closed (viewer)
        && !rtsp_viewer_connect (viewer, error))
      return FALSE;
    if (!step (viewer, rand))
      rtsp_viewer_close (viewer);
  }
  return TRUE;
}

GST_START_TEST (test_requests_in_any_order_disturb_nobody)
{
  g_autoptr (RtspViewer) steady = visit (WATCH, RTSP_VIEWER_UDP);
  ViewerJob *jobs[N_WALKERS];
  BufferCounter *fed = buffer_counter_new (test, "feed", "src");
  guint i;

  sink_test_receive (steady, 5);
  for (i = 0; i < N_WALKERS; i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL), walk,
        GUINT_TO_POINTER (__i__ * N_WALKERS + i));
  sink_test_receive (steady, 50);
  for (i = 0; i < N_WALKERS; i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);

    assert_viewer (viewer != NULL, error);
    rtsp_viewer_free (viewer);
  }
  fail_unless_equals_int (rtsp_viewer_record (steady)->n_gaps, 0);
  fail_unless (rtsp_record_longest_gap (rtsp_viewer_record (steady))
      < buffer_counter_longest_gap (fed) + 200 * 1000);
  sink_test_wait_num_viewers (test, NULL, 1, SINK_TEST_TIMEOUT);
  buffer_counter_free (fed);
}

END_TEST;

static Suite *
churn_suite (void)
{
  Suite *suite = suite_create ("churn");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_visits_of_every_kind_leave_nothing_behind);
  tcase_add_loop_test (tests, test_stop_right_after_a_visit_is_quick, 0,
      N_LENGTHS);
  tcase_add_test (tests, test_next_viewer_after_any_visit_plays);
#ifndef __SANITIZE_ADDRESS__
  tcase_add_test (tests, test_memory_does_not_grow_with_rounds_of_viewers);
#endif
  tcase_add_test (tests, test_vanished_viewers_are_dropped);
  tcase_add_test (tests, test_udp_packets_end_with_the_connection);
  tcase_add_loop_test (tests, test_requests_in_any_order_disturb_nobody, 0, 4);
  return suite;
}

CHECK_SUITE (churn);
