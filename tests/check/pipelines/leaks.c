/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Objects that viewers and restarts leave behind: none. In this program
 * GStreamer's leaks tracer is always on. */

#include "liveobjects.h"
#include "sinktest.h"
#include "viewerjob.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink name=sink"
#define N_VIEWERS 6
#define N_CYCLES 3

static const gchar *const sharings[] = { "shared=auto", "shared=true",
  "shared=false"
};

static SinkTest *
new_sharing (guint i)
{
  g_autofree gchar *line = g_strconcat (LIVE " ", sharings[i], NULL);

  return sink_test_new (line);
}

/* How a viewer of each number behaves. */
static gboolean
visit (RtspViewer * viewer, gpointer number, GError ** error)
{
  guint n = GPOINTER_TO_UINT (number);
  RtspViewerTransport transport = n % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;

  if (!rtsp_viewer_connect (viewer, error))
    return FALSE;
  if (n == 0)
    return TRUE;
  if (!rtsp_viewer_describe (viewer, error))
    return FALSE;
  if (n == 1)
    return TRUE;
  if (!rtsp_viewer_setup (viewer, transport, error))
    return FALSE;
  if (n == 2)
    return TRUE;
  if (!rtsp_viewer_play (viewer, error)
      || !rtsp_viewer_receive_units (viewer, 3, SINK_TEST_TIMEOUT, error))
    return FALSE;
  if (n == 3)
    return rtsp_viewer_teardown (viewer, error);
  if (n == 4)
    rtsp_viewer_reset (viewer);
  return TRUE;
}

/* The last viewer is still there when the pipeline stops. */
static void
cycle (SinkTest * test)
{
  ViewerJob *jobs[N_VIEWERS];
  RtspViewer *last = NULL;

  sink_test_play (test);
  for (guint i = 0; i < N_VIEWERS; i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL), visit,
        GUINT_TO_POINTER (i));
  for (guint i = 0; i < N_VIEWERS; i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);

    assert_viewer (viewer != NULL, error);
    if (i + 1 < N_VIEWERS)
      rtsp_viewer_free (viewer);
    else
      last = viewer;
  }
  sink_test_stop (test);
  sink_test_forget_messages (test);
  rtsp_viewer_free (last);
}

/* Threads that GLib keeps for good; the first is the test's own. */
static const gchar *const lasting[] = { "check-", "gmain", "gdbus",
  "dconf worker", "pool-spawner", "memcheck-"
};

static gboolean
others_have_ended (gpointer unused)
{
  guint n_lasting = 0, n = proc_count_threads ();
  g_autofree gchar *names = proc_thread_names ();

  for (gsize i = 0; i < G_N_ELEMENTS (lasting); i++)
    n_lasting += strstr (names, lasting[i]) != NULL;
  return n <= n_lasting;
}

/* What lives once the threads that free objects have ended. */
static LiveObjects *
settled_objects (SinkTest * test)
{
  sink_test_wait_until (others_have_ended, NULL, SINK_TEST_TIMEOUT,
      "all threads to end");
  /* a message that waits on the bus is no leak */
  if (test != NULL)
    sink_test_forget_messages (test);
  return live_objects_new ();
}

static void
expect_no_growth (LiveObjects * before, SinkTest * test)
{
  g_autoptr (LiveObjects) now = settled_objects (test);
  g_autofree gchar *growth = live_objects_growth (now, before);

  fail_unless (growth[0] == '\0', "%s", growth);
}

/* H17 */
GST_START_TEST (test_cycles_with_viewers_leave_no_object)
{
  SinkTest *test = new_sharing (__i__);
  g_autoptr (LiveObjects) before = NULL;

  /* what is made once for the process: clocks, type lists */
  cycle (test);
  before = settled_objects (test);
  for (guint i = 0; i < N_CYCLES; i++)
    cycle (test);
  expect_no_growth (before, test);
  sink_test_free (test);
}

END_TEST;

GST_START_TEST (test_pipelines_made_and_freed_leave_no_object)
{
  SinkTest *test = sink_test_new (LIVE);
  g_autoptr (LiveObjects) before = NULL;

  cycle (test);
  sink_test_free (test);
  before = settled_objects (NULL);
  for (guint i = 0; i < N_CYCLES; i++) {
    test = sink_test_new (LIVE);
    cycle (test);
    sink_test_free (test);
  }
  expect_no_growth (before, NULL);
}

END_TEST;

/* While it serves: what a viewer had is gone when the viewer is. */
GST_START_TEST (test_viewers_that_left_leave_no_session_and_no_media)
{
  SinkTest *test = sink_test_new (LIVE);
  static const gchar *const types[] = { "GstRTSPClient", "GstRTSPSession",
    "GstRTSPMedia"
  };

  sink_test_play (test);
  for (guint i = 0; i < 3 * N_VIEWERS; i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (viewer_job_start (sink_test_uri
            (test, NULL), visit, GUINT_TO_POINTER (i % N_VIEWERS)), &error);

    assert_viewer (viewer != NULL, error);
    rtsp_viewer_free (viewer);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    gint64 deadline = g_get_monotonic_time () + 5 * G_USEC_PER_SEC *
        sink_test_time_factor ();
    guint n;

    while ((n = live_objects_untracked (types[i])) > 0) {
      fail_unless (g_get_monotonic_time () < deadline, "%u %s live on", n,
          types[i]);
      g_usleep (10 * 1000);
    }
  }
  sink_test_free (test);
}

END_TEST;

/* An element that never ran, and one that was refused. */
GST_START_TEST (test_element_that_did_not_start_leaves_no_object)
{
  g_autoptr (LiveObjects) before = NULL;

  for (guint i = 0; i < 3; i++) {
    SinkTest *test = sink_test_new (LIVE);

    g_object_set (sink_test_element (test, NULL), "mount", "", NULL);
    fail_unless_equals_int (sink_test_try_state (test, GST_STATE_PLAYING),
        GST_STATE_CHANGE_FAILURE);
    sink_test_forget_messages (test);
    sink_test_free (test);
    sink_test_free (sink_test_new (LIVE));
    if (i == 0)
      before = settled_objects (NULL);
  }
  expect_no_growth (before, NULL);
}

END_TEST;

static Suite *
leaks_suite (void)
{
  Suite *suite = suite_create ("leaks");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_loop_test (tests, test_cycles_with_viewers_leave_no_object, 0,
      G_N_ELEMENTS (sharings));
  tcase_add_test (tests, test_pipelines_made_and_freed_leave_no_object);
  tcase_add_test (tests, test_viewers_that_left_leave_no_session_and_no_media);
  tcase_add_test (tests, test_element_that_did_not_start_leaves_no_object);
  return suite;
}

int
main (int argc, char **argv)
{
  /* valgrind looks for itself, and finds what the tracer leaks */
  if (g_getenv ("GST_VALGRIND") == NULL)
    live_objects_enable ();
  gst_check_init (&argc, &argv);
  sink_test_init ();
  live_objects_start ();
  return gst_check_run_suite (leaks_suite (), "leaks", __FILE__);
}
