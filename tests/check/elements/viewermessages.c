/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What the bus is told of viewers: who came, over what, who went and why, each
 * once and in order. "timeout" is in sessiontimeout.c, who is refused in
 * maxviewers.c and descriptors.c. */

#include "servedtest.h"
#include "viewerjob.h"

#include <gst/rtsp-server/rtsp-server.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "
#define HEAVY "videotestsrc is-live=true ! video/x-raw,format=RGB,width=640," \
    "height=480,framerate=25/1 ! rtspserversink codec=raw " \
    "viewer-stall-timeout=500"

#define N_ELEMENTS 3
#define N_VISITORS 30

static GstRTSPMedia *media;     /* the newest, while it lives */

/* --- who came --- */

static const struct
{
  RtspViewerTransport transport;
  const gchar *name;
} transports[] = {
  {RTSP_VIEWER_TCP, "tcp"},
  {RTSP_VIEWER_UDP, "udp"},
  {RTSP_VIEWER_HTTP, "tcp"},
};

GST_START_TEST (test_viewer_added_tells_who_plays_and_over_what)
{
  g_autoptr (RtspViewer) viewer = NULL;
  const ViewerNote *note;

  served_test_start (LIVE);
  viewer = sink_test_start_viewer (test, NULL, transports[__i__].transport);
  note = viewer_log_wait (viewer_log, NULL, 0);
  fail_unless_equals_string (note->kind, "added");
  fail_unless_equals_string (note->peer, "127.0.0.1");
  fail_unless_equals_string (note->transport, transports[__i__].name);

  rtsp_viewer_close (viewer);
  note = viewer_log_wait_removed (viewer_log, note);
  fail_unless_equals_string (note->peer, "127.0.0.1");
  fail_unless_equals_string (note->transport, transports[__i__].name);
  fail_unless_equals_string (note->reason, "closed");
}

END_TEST;

/* The next message that comes is another viewer's. */
GST_START_TEST (test_viewer_who_does_not_play_is_not_told_of)
{
  RtspViewer *viewer;
  GError *error = NULL;

  served_test_start (LIVE);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  rtsp_viewer_free (viewer);

  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP));
  fail_unless_equals_string (viewer_log_wait (viewer_log, NULL, 0)->transport,
      "udp");
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, NULL), 2);
}

END_TEST;

GST_START_TEST (test_viewer_who_pauses_and_plays_is_told_of_once)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  served_test_start (LIVE);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (guint i = 1; i < 4; i++) {
    sink_test_receive (viewer, 3 * i);
    assert_viewer (rtsp_viewer_pause (viewer, &error)
        && rtsp_viewer_play (viewer, &error)
        && rtsp_viewer_play (viewer, &error), error);
  }
  rtsp_viewer_close (viewer);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, NULL), 2);
}

END_TEST;

/* --- who went, and why --- */

static void
tear_down (RtspViewer * viewer)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_teardown (viewer, &error), error);
}

static void
remove_it (RtspViewer * viewer)
{
  gboolean found = FALSE;

  g_signal_emit_by_name (sink_test_element (test, NULL), "remove-viewer",
      viewer_log_wait (viewer_log, "added", 0)->id, &found);
  fail_unless (found);
}

static void
stop (RtspViewer * viewer)
{
  sink_test_stop (test);
}

/* A media in which something breaks tells its pipeline. */
static void
break_media (RtspViewer * viewer)
{
  g_autoptr (GstElement) bin = gst_rtsp_media_get_element (media);

  GST_ELEMENT_ERROR (bin, STREAM, FAILED, ("broken by the test"), (NULL));
}

static const struct
{
  const gchar *reason;
  void (*go) (RtspViewer *);
} ways[] = {
  {"closed", rtsp_viewer_close},
  {"closed", rtsp_viewer_reset},
  {"torn-down", tear_down},
  {"removed", remove_it},
  {"stopped", stop},
  {"error", break_media},
};

static const gchar *const sharings[] = { "shared=auto", "shared=true",
  "shared=false"
};

/* Each way with each kind of viewer, the media its own or shared. */
#define N_CASES (G_N_ELEMENTS (ways) * G_N_ELEMENTS (transports) * \
    G_N_ELEMENTS (sharings))

static void
forget_media (gpointer unused, GObject * dead)
{
  g_atomic_pointer_compare_and_exchange (&media, (gpointer) dead, NULL);
}

/* Viewer's thread. */
static gboolean
note_media (GSignalInvocationHint * hint, guint n_values,
    const GValue * values, gpointer unused)
{
  g_atomic_pointer_set (&media, g_value_get_object (&values[1]));
  g_object_weak_ref (g_value_get_object (&values[1]), forget_media, NULL);
  return TRUE;
}

static gulong
watch_media (void)
{
  g_type_class_ref (GST_TYPE_RTSP_MEDIA_FACTORY);
  return g_signal_add_emission_hook (g_signal_lookup ("media-configure",
          GST_TYPE_RTSP_MEDIA_FACTORY), 0, note_media, NULL, NULL);
}

GST_START_TEST (test_viewer_removed_tells_why)
{
  guint way = __i__ % G_N_ELEMENTS (ways);
  guint transport = __i__ / G_N_ELEMENTS (ways) % G_N_ELEMENTS (transports);
  guint sharing = __i__ / G_N_ELEMENTS (ways) / G_N_ELEMENTS (transports);
  g_autofree gchar *line = g_strconcat (LIVE, sharings[sharing], NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  const ViewerNote *added;

  watch_media ();
  served_test_start (line);
  viewer = sink_test_start_viewer (test, NULL, transports[transport].transport);
  sink_test_receive (viewer, 2);
  added = viewer_log_wait (viewer_log, "added", 0);
  ways[way].go (viewer);

  fail_unless_equals_string (viewer_log_wait_removed (viewer_log,
          added)->reason, ways[way].reason);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, NULL), 2);
}

END_TEST;

GST_START_TEST (test_viewer_removed_tells_that_it_was_slow)
{
  g_autoptr (RtspViewer) viewer = NULL;
  const ViewerNote *added;

  served_test_start (HEAVY);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  added = viewer_log_wait (viewer_log, "added", 0);
  fail_unless_equals_string (viewer_log_wait_removed (viewer_log,
          added)->reason, "slow");
  viewer_log_expect_all_removed (viewer_log);
}

END_TEST;

/* All viewers of the broken media go, and the next one gets another. */
GST_START_TEST (test_viewers_of_a_broken_media_are_removed_and_the_next_plays)
{
  g_autofree gchar *line = g_strconcat (LIVE, sharings[__i__], NULL);
  RtspViewer *viewers[3];
  GError *error = NULL;

  watch_media ();
  served_test_start (line);
  for (guint i = 0; i < 3; i++) {
    viewers[i] = sink_test_start_viewer (test, NULL, i ? RTSP_VIEWER_UDP :
        RTSP_VIEWER_TCP);
    sink_test_receive (viewers[i], 2);
    if (__i__ != 1)
      break_media (viewers[i]);
  }
  if (__i__ == 1)
    break_media (viewers[0]);

  for (guint i = 0; i < 3; i++) {
    assert_viewer (rtsp_viewer_wait_closed (viewers[i], SINK_TEST_TIMEOUT,
            &error), error);
    fail_unless_equals_string (viewer_log_wait (viewer_log, "removed",
            i)->reason, "error");
    rtsp_viewer_free (viewers[i]);
  }
  viewers[0] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewers[0], 3);
  rtsp_viewer_free (viewers[0]);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, "added"), 4);
}

END_TEST;

/* What it set up is broken: it is told so, and may begin anew. */
GST_START_TEST (test_viewer_whose_media_breaks_before_play_is_told)
{
  guint sharing = __i__ / 2;
  g_autofree gchar *line = g_strconcat (LIVE, sharings[sharing], NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  watch_media ();
  served_test_start (line);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, transports[__i__ % 2].transport, &error),
      error);
  break_media (viewer);
  /* 200 and silence would be the worst */
  if (rtsp_viewer_play (viewer, NULL))
    fail_unless (rtsp_viewer_receive_units (viewer, 1, SINK_TEST_TIMEOUT,
            &error) || rtsp_viewer_is_closed (viewer), "it gets nothing");
  g_clear_error (&error);
  g_clear_pointer (&viewer, rtsp_viewer_free);

  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 3);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
}

END_TEST;

/* --- many, over several elements on one port --- */

static gboolean
visit (RtspViewer * viewer, gpointer number, GError ** error)
{
  guint n = GPOINTER_TO_UINT (number);

  if (!rtsp_viewer_start (viewer, transports[n % 2].transport, error)
      || !rtsp_viewer_receive_units (viewer, 1 + n % 4, SINK_TEST_TIMEOUT,
          error))
    return FALSE;
  if (n % 3 == 0)
    return rtsp_viewer_teardown (viewer, error);
  if (n % 3 == 1)
    rtsp_viewer_reset (viewer);
  return TRUE;
}

static void
expect_reason_counts (const gchar * reason, guint n)
{
  guint n_found = 0;

  for (guint i = 0; i < viewer_log_count (viewer_log, "removed"); i++)
    n_found += g_str_equal (viewer_log_wait (viewer_log, "removed",
            i)->reason, reason);
  fail_unless_equals_int (n_found, n);
}

GST_START_TEST (test_viewers_of_three_mounts_are_each_told_of_once)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *line = g_strdup_printf ("videotestsrc is-live=true ! "
      SMALL_VIDEO " ! tee name=t "
      "t. ! queue ! rtspserversink name=a port=%u mount=/a "
      "t. ! queue ! rtspserversink name=b port=%u mount=/b shared=true "
      "t. ! queue ! rtspserversink name=c port=%u mount=/c shared=false",
      port, port, port);
  static const gchar *const names[N_ELEMENTS] = { "a", "b", "c" };
  ViewerJob *jobs[N_VISITORS];
  RtspViewer *last[N_ELEMENTS];

  served_test_start (line);
  for (guint i = 0; i < N_VISITORS; i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, names[i % N_ELEMENTS]),
        visit, GUINT_TO_POINTER (i / N_ELEMENTS));
  for (guint i = 0; i < N_VISITORS; i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);

    assert_viewer (viewer != NULL, error);
    rtsp_viewer_free (viewer);
  }
  for (guint i = 0; i < N_ELEMENTS; i++)
    last[i] = sink_test_start_viewer (test, names[i], RTSP_VIEWER_UDP);
  sink_test_stop (test);

  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, "added"),
      N_VISITORS + N_ELEMENTS);
  expect_reason_counts ("stopped", N_ELEMENTS);
  expect_reason_counts ("torn-down", 4 * N_ELEMENTS);
  expect_reason_counts ("closed", 6 * N_ELEMENTS);
  for (guint i = 0; i < N_ELEMENTS; i++)
    rtsp_viewer_free (last[i]);
}

END_TEST;

/* A number is never used twice. */
GST_START_TEST (test_viewer_numbers_go_on_after_a_restart)
{
  const ViewerNote *first;

  served_test_start (LIVE);
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
  first = viewer_log_wait (viewer_log, "added", 0);
  viewer_log_wait_removed (viewer_log, first);
  sink_test_stop (test);
  sink_test_play (test);

  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
  fail_unless (viewer_log_wait (viewer_log, "added", 1)->id > first->id);
  viewer_log_expect_all_removed (viewer_log);
}

END_TEST;

static Suite *
viewermessages_suite (void)
{
  Suite *suite = suite_create ("viewermessages");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_loop_test (tests, test_viewer_added_tells_who_plays_and_over_what,
      0, G_N_ELEMENTS (transports));
  tcase_add_test (tests, test_viewer_who_does_not_play_is_not_told_of);
  tcase_add_test (tests, test_viewer_who_pauses_and_plays_is_told_of_once);
  tcase_add_loop_test (tests, test_viewer_removed_tells_why, 0, N_CASES);
  tcase_add_test (tests, test_viewer_removed_tells_that_it_was_slow);
  tcase_add_loop_test (tests,
      test_viewers_of_a_broken_media_are_removed_and_the_next_plays, 0,
      G_N_ELEMENTS (sharings));
  tcase_add_loop_test (tests,
      test_viewer_whose_media_breaks_before_play_is_told, 0,
      2 * G_N_ELEMENTS (sharings));
  tcase_add_test (tests, test_viewers_of_three_mounts_are_each_told_of_once);
  tcase_add_test (tests, test_viewer_numbers_go_on_after_a_restart);
  return suite;
}

CHECK_SUITE (viewermessages);
