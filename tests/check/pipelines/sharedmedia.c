/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* shared: which viewers have a media of their own and which share one, what that
 * costs, how long a shared one lives, and that its viewers are nothing to each
 * other. */

#include "liveobjects.h"
#include "sinktest.h"
#include "viewerjob.h"

#include <gst/rtsp-server/rtsp-server.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! identity name=feed " \
    "! rtspserversink "

/* With shared=auto, so many viewers get a media of their own. */
#define N_OWN 4
#define N_VIEWERS 10

/* What a viewer of a shared media takes at most: in this process its two ends of
 * the connection, its two UDP sockets, and the thread of its requests with what
 * wakes it. One with its own media takes more. */
#define SHARED_FDS 7
#define SHARED_THREADS 1
#define OWN_FDS 12
#define OWN_THREADS 3

#define N_ROUNDS 100

static SinkTest *test;
static gint n_made;             /* atomic: media so far */

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

/* Viewer's thread. */
static gboolean
count_made (GSignalInvocationHint * hint, guint n_values,
    const GValue * values, gpointer unused)
{
  g_atomic_int_inc (&n_made);
  return TRUE;
}

static void
count_media (void)
{
  static gsize once = 0;

  n_made = 0;
  if (!g_once_init_enter (&once))
    return;
  live_objects_start ();
  g_signal_add_emission_hook (g_signal_lookup ("media-constructed",
          GST_TYPE_RTSP_MEDIA_FACTORY), 0, count_made, NULL, NULL);
  g_once_init_leave (&once, 1);
}

static guint
count_live_media (void)
{
  return live_objects_untracked ("GstRTSPMedia");
}

static gboolean
has_live_media (gpointer n)
{
  return count_live_media () == GPOINTER_TO_UINT (n);
}

static void
wait_live_media (guint n)
{
  g_autofree gchar *what = g_strdup_printf ("%u media", n);

  sink_test_wait_until (has_live_media, GUINT_TO_POINTER (n),
      SINK_TEST_TIMEOUT, what);
}

static void
serve (const gchar * sharing)
{
  g_autofree gchar *line = g_strconcat (LIVE "shared=", sharing, NULL);

  count_media ();
  test = sink_test_new (line);
  sink_test_play (test);
}

static void
receive_more (RtspViewer * viewer, guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer,
          rtsp_record_count (rtsp_viewer_record (viewer)) + n,
          SINK_TEST_TIMEOUT, &error), error);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

/* A viewer that plays. */
static RtspViewer *
add_viewer (guint n)
{
  RtspViewer *viewer = sink_test_start_viewer (test, NULL,
      n % 2 ? RTSP_VIEWER_TCP : RTSP_VIEWER_UDP);

  receive_more (viewer, 1);
  return viewer;
}

/* --- which media, and what they cost --- */

static guint
expected_media (const gchar * sharing, guint n_viewers)
{
  if (g_str_equal (sharing, "false"))
    return n_viewers;
  if (g_str_equal (sharing, "true"))
    return MIN (n_viewers, 1);
  return MIN (n_viewers, N_OWN + 1);
}

static const gchar *const sharings[] = { "auto", "true", "false" };

GST_START_TEST (test_viewers_own_or_share_a_media_as_set)
{
  RtspViewer *viewers[N_VIEWERS];

  serve (sharings[__i__]);
  for (guint i = 0; i < N_VIEWERS; i++) {
    viewers[i] = add_viewer (i);
    fail_unless_equals_int (count_live_media (),
        expected_media (sharings[__i__], i + 1));
  }
  for (guint i = 0; i < N_VIEWERS; i++) {
    receive_more (viewers[i], 1);
    rtsp_viewer_free (viewers[i]);
  }
}

END_TEST;

/* A place among those with their own media is free again. */
GST_START_TEST (test_auto_viewer_after_one_that_left_gets_its_own)
{
  RtspViewer *viewers[N_OWN + 3];

  serve ("auto");
  for (guint i = 0; i < N_OWN + 2; i++)
    viewers[i] = add_viewer (i);
  fail_unless_equals_int (count_live_media (), N_OWN + 1);
  rtsp_viewer_free (g_steal_pointer (&viewers[0]));
  wait_live_media (N_OWN);
  viewers[N_OWN + 2] = add_viewer (0);
  fail_unless_equals_int (count_live_media (), N_OWN + 1);
  for (guint i = 0; i < G_N_ELEMENTS (viewers); i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

/* What viewers over UDP cost behind the first. */
typedef struct
{
  gint fds;
  gint threads;
} Cost;

static Cost
measure_viewers (gint n)
{
  RtspViewer *viewers[N_VIEWERS];
  Cost cost;

  viewers[0] = add_viewer (0);
  cost.fds = -(gint) proc_count_fds ();
  cost.threads = -(gint) proc_count_threads ();
  for (gint i = 1; i <= n; i++)
    viewers[i] = add_viewer (0);
  cost.fds += proc_count_fds ();
  cost.threads += proc_count_threads ();
  for (gint i = 0; i <= n; i++)
    rtsp_viewer_free (viewers[i]);
  return cost;
}

/* A thread of GLib's or GStreamer's may be among them. */
GST_START_TEST (test_shared_viewers_take_few_descriptors_and_threads)
{
  const gint n = N_VIEWERS - 1;
  Cost cost;

  serve ("true");
  cost = measure_viewers (n);
  fail_unless (cost.fds <= SHARED_FDS * n + 2, "%d descriptors", cost.fds);
  fail_unless (cost.threads <= SHARED_THREADS * n + 2, "%d threads",
      cost.threads);
}

END_TEST;

/* So that the test before measures what it should. */
GST_START_TEST (test_own_viewers_take_descriptors_and_threads_each)
{
  const gint n = N_VIEWERS - 1;
  Cost cost;

  serve ("false");
  cost = measure_viewers (n);
  fail_unless (cost.fds >= OWN_FDS * n, "%d descriptors", cost.fds);
  fail_unless (cost.threads >= OWN_THREADS * n, "%d threads", cost.threads);
}

END_TEST;

/* --- how long a shared media lives --- */

GST_START_TEST (test_shared_media_stays_after_the_last_viewer_until_null)
{
  guint fds = G_MAXUINT, threads = G_MAXUINT;

  count_media ();
  test = sink_test_new (LIVE "shared=true");
  for (gint cycle = 1; cycle <= 4; cycle++) {
    sink_test_play (test);
    for (guint i = 0; i < 3; i++) {
      rtsp_viewer_free (add_viewer (i));
      sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
      fail_unless_equals_int (count_live_media (), 1);
      fail_unless_equals_int (g_atomic_int_get (&n_made), cycle);
    }
    sink_test_stop (test);
    wait_live_media (0);
    sink_test_wait_fds (fds, SINK_TEST_TIMEOUT);
    sink_test_wait_threads (threads, SINK_TEST_TIMEOUT);
    /* GLib keeps some that it made for the first */
    fds = proc_count_fds ();
    threads = proc_count_threads ();
  }
}

END_TEST;

/* Nobody is encoded for. */
GST_START_TEST (test_shared_media_without_viewers_gets_nothing)
{
  g_autoptr (RtspViewer) viewer = NULL;
  gint64 cpu, watched, unwatched;
  BufferCounter *feed;

  count_media ();
  test = sink_test_new ("videotestsrc is-live=true ! video/x-raw,width=320,"
      "height=240,framerate=25/1 ! identity name=feed ! rtspserversink "
      "shared=true");
  sink_test_play (test);
  viewer = add_viewer (0);
  cpu = proc_cpu_time ();
  receive_more (viewer, 50);
  watched = proc_cpu_time () - cpu;
  g_clear_pointer (&viewer, rtsp_viewer_free);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);

  feed = buffer_counter_new (test, "feed", "src");
  cpu = proc_cpu_time ();
  buffer_counter_wait (feed, 50, SINK_TEST_TIMEOUT);
  unwatched = proc_cpu_time () - cpu;
  buffer_counter_free (feed);
  fail_unless (unwatched < watched / 2, "%.3f s and %.3f s", unwatched / 1e6,
      watched / 1e6);
}

END_TEST;

static void
leave_at_once (RtspViewer * viewer, guint how)
{
  switch (how % 3) {
    case 0:
      rtsp_viewer_send_request (viewer, GST_RTSP_TEARDOWN, NULL, NULL, NULL);
      break;
    case 1:
      rtsp_viewer_close (viewer);
      break;
    default:
      rtsp_viewer_reset (viewer);
      break;
  }
}

/* Reported, often: after the first viewer the next ones crash the server, or get
 * nothing, or 503. One comes at the very moment at which the last one leaves. */
GST_START_TEST (test_viewer_that_comes_as_the_last_one_leaves_is_served)
{
  RtspViewer *last;

  serve (sharings[__i__]);
  last = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (guint i = 0; i < N_ROUNDS; i++) {
    RtspViewer *next = rtsp_viewer_new (sink_test_uri (test, NULL));
    GError *error = NULL;

    assert_viewer (rtsp_viewer_connect (next, &error), error);
    /* the time between them goes from none to some ms */
    if (i % 2)
      fail_unless (rtsp_viewer_send_request (next, GST_RTSP_OPTIONS, NULL,
              NULL, NULL));
    leave_at_once (last, i);
    if (i % 2)
      fail_unless_equals_int (rtsp_viewer_wait_response (next, &error),
          GST_RTSP_STS_OK);
    g_usleep (g_random_int_range (0, 2000));
    assert_viewer (rtsp_viewer_describe (next, &error)
        && rtsp_viewer_setup (next, i % 5 ? RTSP_VIEWER_TCP :
            RTSP_VIEWER_UDP, &error)
        && rtsp_viewer_play (next, &error), error);
    rtsp_viewer_free (last);
    last = next;
  }
  receive_more (last, 3);
  rtsp_viewer_free (last);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  wait_live_media (g_str_equal (sharings[__i__], "true"));
}

END_TEST;

/* --- viewers of one media are nothing to each other --- */

typedef struct
{
  const gchar *url;
  RtspViewerTransport transport;
  gint done;                    /* atomic */
} Restless;

/* Reported: clients that play, pause and leave a shared media at once break it. */
static gboolean
play_pause_teardown (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error)
{
  return rtsp_viewer_start (viewer, transport, error)
      && rtsp_viewer_receive_for (viewer,
      g_random_int_range (100, 1000) * 1000, error)
      && rtsp_viewer_pause (viewer, error)
      && rtsp_viewer_receive_for (viewer, g_random_int_range (0, 500) * 1000,
      error)
      && rtsp_viewer_play (viewer, error)
      && rtsp_viewer_teardown (viewer, error);
}

/* As often as time allows. */
static gboolean
be_restless (RtspViewer * unused, gpointer data, GError ** error)
{
  Restless *restless = data;
  gboolean ok = TRUE;

  while (ok && !g_atomic_int_get (&restless->done)) {
    g_autoptr (RtspViewer) viewer = rtsp_viewer_new (restless->url);

    ok = play_pause_teardown (viewer, restless->transport, error);
  }
  return ok;
}

#define N_RESTLESS 8
#define N_CALM_UNITS 200
#define GAP_LIMIT (200 * 1000)

GST_START_TEST (test_shared_viewers_that_pause_and_leave_disturb_nobody)
{
  Restless restless[N_RESTLESS] = { {NULL,}, };
  g_autofree gchar *url = NULL;
  ViewerJob *jobs[N_RESTLESS];
  RtspViewer *calm;
  BufferCounter *feed;
  gint64 gap, limit;

  serve ("true");
  calm = add_viewer (__i__);
  url = g_strdup (sink_test_uri (test, NULL));
  feed = buffer_counter_new (test, "feed", "src");
  for (guint i = 0; i < N_RESTLESS; i++) {
    restless[i].url = url;
    restless[i].transport = i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
    jobs[i] = viewer_job_start (url, be_restless, &restless[i]);
  }
  receive_more (calm, N_CALM_UNITS);
  gap = rtsp_record_longest_gap (rtsp_viewer_record (calm));
  limit = buffer_counter_longest_gap (feed)
      + GAP_LIMIT * sink_test_time_factor ();
  fail_unless (buffer_counter_count (feed) <= N_CALM_UNITS + 10,
      "%u frames for %u", buffer_counter_count (feed), N_CALM_UNITS);
  fail_unless (gap <= limit, "a gap of %.3f s", gap / 1e6);
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (calm)));
  fail_unless_equals_int (count_live_media (), 1);

  for (guint i = 0; i < N_RESTLESS; i++)
    g_atomic_int_set (&restless[i].done, TRUE);
  for (guint i = 0; i < N_RESTLESS; i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);

    assert_viewer (viewer != NULL, error);
    rtsp_viewer_free (viewer);
  }
  buffer_counter_free (feed);
  rtsp_viewer_free (calm);
}

END_TEST;

static Suite *
sharedmedia_suite (void)
{
  Suite *suite = suite_create ("sharedmedia");
  TCase *tests = tcase_create ("general");
  const gint n_sharings = G_N_ELEMENTS (sharings);

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_viewers_own_or_share_a_media_as_set, 0,
      n_sharings);
  tcase_add_test (tests, test_auto_viewer_after_one_that_left_gets_its_own);
  tcase_add_test (tests, test_shared_viewers_take_few_descriptors_and_threads);
  tcase_add_test (tests, test_own_viewers_take_descriptors_and_threads_each);
  tcase_add_test (tests,
      test_shared_media_stays_after_the_last_viewer_until_null);
  tcase_add_test (tests, test_shared_media_without_viewers_gets_nothing);
  tcase_add_loop_test (tests,
      test_viewer_that_comes_as_the_last_one_leaves_is_served, 0, n_sharings);
  tcase_add_loop_test (tests,
      test_shared_viewers_that_pause_and_leave_disturb_nobody, 0, 2);
  return suite;
}

CHECK_SUITE (sharedmedia);
