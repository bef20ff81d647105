/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* max-viewers: so many play, whatever they do at once; who is one too many is
 * told so at each step, and gets in when one has left. */

#include "servedtest.h"
#include "viewerjob.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "
#define PHRASE "Too Many Viewers"

#define N_RACERS 12
#define N_PLACES 4

static void
serve (const gchar * settings)
{
  g_autofree gchar *line = g_strconcat (LIVE, settings, NULL);

  served_test_start (line);
}

static RtspViewer *
connected_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  return viewer;
}

/* The last answer was that there is no place. */
static void
expect_refused (RtspViewer * viewer)
{
  fail_unless_equals_int (rtsp_viewer_status (viewer),
      GST_RTSP_STS_SERVICE_UNAVAILABLE);
  fail_unless_equals_string (rtsp_viewer_reason (viewer), PHRASE);
}

static void
expect_refused_at_describe (RtspViewer * viewer)
{
  GError *error = NULL;

  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE,
          NULL, NULL, &error), GST_RTSP_STS_SERVICE_UNAVAILABLE);
  expect_refused (viewer);
}

static void
receive_more (RtspViewer * viewer, guint n)
{
  served_test_receive (viewer, n);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

GST_START_TEST (test_viewer_too_many_is_refused_at_describe)
{
  RtspViewer *viewers[2];
  g_autoptr (RtspViewer) late = NULL;
  const ViewerNote *note;

  serve ("max-viewers=2");
  viewers[0] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  viewers[1] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  late = connected_viewer ();
  expect_refused_at_describe (late);

  note = viewer_log_wait (viewer_log, "refused", 0);
  fail_unless_equals_string (note->peer, "127.0.0.1");
  fail_unless_equals_string (note->reason, "max-viewers");
  fail_unless_equals_string (note->text, PHRASE);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 2);
  for (guint i = 0; i < 2; i++) {
    receive_more (viewers[i], 5);
    rtsp_viewer_free (viewers[i]);
  }
  fail_unless_equals_int (viewer_log_count (viewer_log, "refused"), 1);
}

END_TEST;

/* The place was taken since. */
GST_START_TEST (test_viewer_too_many_is_refused_at_setup)
{
  g_autoptr (RtspViewer) first = NULL;
  g_autoptr (RtspViewer) late = NULL;
  RtspViewerTransport transport = __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  GError *error = NULL;

  serve ("max-viewers=1");
  late = connected_viewer ();
  assert_viewer (rtsp_viewer_describe (late, &error), error);
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);

  fail_if (rtsp_viewer_setup (late, transport, &error));
  g_clear_error (&error);
  expect_refused (late);
  fail_unless_equals_string (viewer_log_wait (viewer_log, "refused",
          0)->reason, "max-viewers");
  receive_more (first, 5);
}

END_TEST;

/* Asks again on the same connection until a place is free. */
static gboolean
is_let_in (gpointer viewer)
{
  return rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, NULL, NULL, NULL)
      == GST_RTSP_STS_OK;
}

static void
expect_let_in (RtspViewer * viewer)
{
  GError *error = NULL;

  sink_test_wait_until (is_let_in, viewer, SINK_TEST_TIMEOUT, "a free place");
  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup_tcp (viewer, 0, &error)
      && rtsp_viewer_play (viewer, &error), error);
  receive_more (viewer, 3);
}

/* It keeps its connection, and what it has set up. */
GST_START_TEST (test_viewer_too_many_is_refused_at_play)
{
  g_autoptr (RtspViewer) late = NULL;
  RtspViewer *first;
  RtspViewerTransport transport = __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  GError *error = NULL;

  serve ("max-viewers=1");
  late = connected_viewer ();
  assert_viewer (rtsp_viewer_describe (late, &error)
      && rtsp_viewer_setup (late, transport, &error), error);
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);

  fail_if (rtsp_viewer_play (late, &error));
  g_clear_error (&error);
  expect_refused (late);
  receive_more (first, 5);
  fail_unless_equals_int (rtsp_viewer_record (late)->n_packets, 0);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
  fail_unless_equals_int (viewer_log_count (viewer_log, "added"), 1);

  rtsp_viewer_free (first);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  viewer_log_wait (viewer_log, "removed", 0);
  assert_viewer (rtsp_viewer_play (late, &error), error);
  receive_more (late, 3);
}

END_TEST;

/* --- many at once --- */

typedef struct
{
  RtspViewer *viewer;
  GThread *thread;
  guint status;
} Racer;

static GMutex lock;
static GCond cond;
static gboolean started;        /* guarded by lock, with cond */

static gpointer
race (gpointer data)
{
  Racer *racer = data;

  g_mutex_lock (&lock);
  while (!started)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);

  rtsp_viewer_play (racer->viewer, NULL);
  racer->status = rtsp_viewer_status (racer->viewer);
  return NULL;
}

static void
set_up_racer (Racer * racer, guint n)
{
  GError *error = NULL;

  racer->viewer = connected_viewer ();
  assert_viewer (rtsp_viewer_describe (racer->viewer, &error)
      && rtsp_viewer_setup (racer->viewer,
          n % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP, &error), error);
  racer->thread = g_thread_new ("racer", race, racer);
}

static void
start_race (void)
{
  g_mutex_lock (&lock);
  started = TRUE;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
}

static const gchar *const sharings[] = { "auto", "true", "false" };

GST_START_TEST (test_viewers_who_play_at_once_are_let_in_up_to_the_number)
{
  g_autofree gchar *settings = g_strdup_printf ("max-viewers=%d shared=%s",
      N_PLACES, sharings[__i__]);
  Racer racers[N_RACERS];
  guint n_playing = 0;

  serve (settings);
  started = FALSE;
  for (guint i = 0; i < N_RACERS; i++)
    set_up_racer (&racers[i], i);
  start_race ();
  for (guint i = 0; i < N_RACERS; i++) {
    g_thread_join (racers[i].thread);
    n_playing += racers[i].status == GST_RTSP_STS_OK;
    if (racers[i].status == GST_RTSP_STS_OK)
      receive_more (racers[i].viewer, 2);
    else
      expect_refused (racers[i].viewer);
  }
  fail_unless_equals_int (n_playing, N_PLACES);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), N_PLACES);

  for (guint i = 0; i < N_RACERS; i++)
    rtsp_viewer_free (racers[i].viewer);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, "added"), N_PLACES);
  fail_unless_equals_int (viewer_log_count_refused (viewer_log),
      N_RACERS - N_PLACES);
}

END_TEST;

#define N_ASKS 20

/* Peers must not be able to fill the bus. */
GST_START_TEST (test_viewer_that_asks_again_and_again_is_told_of_once)
{
  gint64 start = g_get_monotonic_time ();
  RtspViewer *first;
  g_autoptr (RtspViewer) late = NULL;
  guint n;

  serve ("max-viewers=1");
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  late = connected_viewer ();
  for (guint i = 0; i < N_ASKS; i++)
    expect_refused_at_describe (late);
  fail_unless_equals_int (viewer_log_wait (viewer_log, "refused", 0)->count, 1);

  /* the others before what comes next */
  rtsp_viewer_free (first);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count_refused (viewer_log), N_ASKS);
  n = viewer_log_count (viewer_log, "refused");
  fail_unless (n <= 2 + (g_get_monotonic_time () - start) / G_USEC_PER_SEC,
      "%u messages", n);
}

END_TEST;

/* --- a place that is free again --- */

static void
leave_by_teardown (RtspViewer * viewer)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_teardown (viewer, &error), error);
}

static void
leave_removed (RtspViewer * viewer)
{
  gboolean found;

  g_signal_emit_by_name (sink_test_element (test, NULL), "remove-viewer",
      viewer_log_wait (viewer_log, "added", 0)->id, &found);
  fail_unless (found);
}

static void (*const leaves[]) (RtspViewer *) = {
  leave_by_teardown, rtsp_viewer_close, rtsp_viewer_reset, leave_removed
};

GST_START_TEST (test_viewer_that_leaves_makes_place_for_the_refused)
{
  g_autoptr (RtspViewer) late = NULL;
  g_autoptr (RtspViewer) first = NULL;

  serve ("max-viewers=1");
  first = sink_test_start_viewer (test, NULL, __i__ % 2 ? RTSP_VIEWER_UDP :
      RTSP_VIEWER_TCP);
  receive_more (first, 2);
  late = connected_viewer ();
  expect_refused_at_describe (late);

  leaves[__i__] (first);
  expect_let_in (late);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
}

END_TEST;

GST_START_TEST (test_viewer_that_pauses_keeps_its_place)
{
  g_autoptr (RtspViewer) first = NULL;
  g_autoptr (RtspViewer) late = NULL;
  GError *error = NULL;

  serve ("max-viewers=1");
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (first, 2);
  assert_viewer (rtsp_viewer_pause (first, &error), error);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);

  late = connected_viewer ();
  expect_refused_at_describe (late);
  assert_viewer (rtsp_viewer_play (first, &error), error);
  receive_more (first, 3);
}

END_TEST;

/* Who has only set up takes nobody's place. */
GST_START_TEST (test_viewer_that_does_not_play_takes_no_place)
{
  g_autoptr (RtspViewer) idle = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  serve ("max-viewers=1");
  idle = connected_viewer ();
  assert_viewer (rtsp_viewer_describe (idle, &error)
      && rtsp_viewer_setup_tcp (idle, 0, &error), error);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  receive_more (viewer, 3);
}

END_TEST;

/* It is in: it is not one too many. */
GST_START_TEST (test_viewer_that_has_a_place_may_describe_again)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  serve ("max-viewers=1");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 2);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  receive_more (viewer, 2);
  fail_unless_equals_int (viewer_log_count (viewer_log, "refused"), 0);
}

END_TEST;

GST_START_TEST (test_max_viewers_zero_is_any_number)
{
  RtspViewer *viewers[N_RACERS];

  serve ("max-viewers=0");
  for (guint i = 0; i < N_RACERS; i++)
    viewers[i] = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), N_RACERS);
  for (guint i = 0; i < N_RACERS; i++)
    rtsp_viewer_free (viewers[i]);
  fail_unless_equals_int (viewer_log_count (viewer_log, "refused"), 0);
}

END_TEST;

GST_START_TEST (test_max_viewers_is_each_elements_own)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *line = g_strdup_printf ("videotestsrc is-live=true ! "
      SMALL_VIDEO " ! tee name=t "
      "t. ! queue ! rtspserversink name=a port=%u mount=/a max-viewers=1 "
      "t. ! queue ! rtspserversink name=b port=%u mount=/b", port, port);
  g_autoptr (RtspViewer) of_a = NULL;
  g_autoptr (RtspViewer) late = NULL;
  RtspViewer *of_b[2];

  served_test_start (line);
  of_a = sink_test_start_viewer (test, "a", RTSP_VIEWER_TCP);
  late = rtsp_viewer_new (sink_test_uri (test, "a"));
  fail_unless (rtsp_viewer_connect (late, NULL));
  for (guint i = 0; i < 2; i++)
    of_b[i] = sink_test_start_viewer (test, "b", RTSP_VIEWER_TCP);
  expect_refused_at_describe (late);
  fail_unless_equals_string (viewer_log_wait (viewer_log, "refused",
          0)->element, "a");
  for (guint i = 0; i < 2; i++)
    rtsp_viewer_free (of_b[i]);
}

END_TEST;

static Suite *
maxviewers_suite (void)
{
  Suite *suite = suite_create ("maxviewers");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_test (tests, test_viewer_too_many_is_refused_at_describe);
  tcase_add_loop_test (tests, test_viewer_too_many_is_refused_at_setup, 0, 2);
  tcase_add_loop_test (tests, test_viewer_too_many_is_refused_at_play, 0, 2);
  tcase_add_loop_test (tests,
      test_viewers_who_play_at_once_are_let_in_up_to_the_number, 0,
      G_N_ELEMENTS (sharings));
  tcase_add_test (tests, test_viewer_that_asks_again_and_again_is_told_of_once);
  tcase_add_loop_test (tests,
      test_viewer_that_leaves_makes_place_for_the_refused, 0,
      G_N_ELEMENTS (leaves));
  tcase_add_test (tests, test_viewer_that_pauses_keeps_its_place);
  tcase_add_test (tests, test_viewer_that_does_not_play_takes_no_place);
  tcase_add_test (tests, test_viewer_that_has_a_place_may_describe_again);
  tcase_add_test (tests, test_max_viewers_zero_is_any_number);
  tcase_add_test (tests, test_max_viewers_is_each_elements_own);
  return suite;
}

CHECK_SUITE (maxviewers);
