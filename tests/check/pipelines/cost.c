/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What viewers cost: CPU time and delay, as ratios. */

#include "sinktest.h"

#define FEED "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420," \
    "width=640,height=480,framerate=50/1 ! identity name=feed ! rtspserversink"
#define N_WINDOWS 4
#define N_FRAMES 15             /* in a window */
#define N_JOINS 15
/* An ACK that Nagle's algorithm waits for may take 40 ms. */
#define NAGLE (25 * 1000)

static SinkTest *test;
static BufferCounter *fed;

static void
teardown (void)
{
  g_clear_pointer (&fed, buffer_counter_free);
  g_clear_pointer (&test, sink_test_free);
}

static void
start (const gchar * launch)
{
  test = sink_test_new (launch);
  fed = buffer_counter_new (test, "feed", "src");
  sink_test_play (test);
}

static gint64
measure_window (void)
{
  gint64 before = proc_cpu_time ();

  buffer_counter_wait (fed, buffer_counter_count (fed) + N_FRAMES,
      SINK_TEST_TIMEOUT);
  return proc_cpu_time () - before;
}

/* CPU time in µs of this process while frames are fed: of the cheapest of some
 * windows, for what else the machine does only ever makes them dearer. Viewers
 * do not read meanwhile, so that only the sending side counts. */
static gint64
measure (void)
{
  gint64 cheapest = G_MAXINT64;

  buffer_counter_wait (fed, buffer_counter_count (fed) + 10, SINK_TEST_TIMEOUT);
  for (guint i = 0; i < N_WINDOWS; i++)
    cheapest = MIN (cheapest, measure_window ());
  return cheapest;
}

GST_START_TEST (test_five_viewers_cost_hardly_more_than_one)
{
  RtspViewer *viewers[5];
  gint64 one = 0, five;
  guint i;

  start (FEED);
  for (i = 0; i < G_N_ELEMENTS (viewers); i++) {
    viewers[i] = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
    if (i == 0)
      one = measure ();
  }
  five = measure ();
  fail_unless (five <= 1.5 * one, "one: %.3f s, five: %.3f s", one / 1e6,
      five / 1e6);
  for (i = 0; i < G_N_ELEMENTS (viewers); i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

/* The source itself costs something, too. */
GST_START_TEST (test_nobody_costs_a_fraction_of_somebody)
{
  RtspViewer *viewer;
  gint64 before, watched, after, source;

  start ("videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,"
      "width=960,height=540,framerate=50/1 ! identity name=feed ! fakesink");
  source = measure ();
  teardown ();
  start ("videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,"
      "width=960,height=540,framerate=50/1 ! identity name=feed "
      "! rtspserversink");
  before = measure ();
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  watched = measure ();
  rtsp_viewer_free (viewer);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  after = measure ();
  fail_unless (before - source <= 0.2 * watched
      && after - source <= 0.2 * watched,
      "source alone %.3f s; before %.3f s, watched %.3f s, after %.3f s",
      source / 1e6, before / 1e6, watched / 1e6, after / 1e6);
}

END_TEST;

static gint
compare (gconstpointer a, gconstpointer b)
{
  gint64 diff = *(const gint64 *) a - *(const gint64 *) b;

  return diff < 0 ? -1 : diff > 0;
}

/* The median of the times from PLAY to the end of the first unit, in µs. */
static gint64
median_join (RtspViewerTransport transport)
{
  gint64 times[N_JOINS];
  guint i;

  for (i = 0; i < N_JOINS; i++) {
    RtspViewer *viewer = sink_test_start_viewer (test, NULL, transport);
    GError *error = NULL;

    assert_viewer (rtsp_viewer_receive_units (viewer, 1, SINK_TEST_TIMEOUT,
            &error), error);
    times[i] = rtsp_record_unit (rtsp_viewer_record (viewer), 0)->last_arrival
        - rtsp_viewer_play_time (viewer);
    rtsp_viewer_free (viewer);
  }
  qsort (times, N_JOINS, sizeof times[0], compare);
  return times[N_JOINS / 2];
}

/* 100 frames a second: the next one is never far. */
GST_START_TEST (test_join_over_tcp_is_as_quick_as_over_udp)
{
  gint64 tcp, udp;

  start ("videotestsrc is-live=true ! video/x-raw,format=I420,width=320,"
      "height=240,framerate=100/1 ! identity name=feed ! rtspserversink");
  udp = median_join (RTSP_VIEWER_UDP);
  tcp = median_join (RTSP_VIEWER_TCP);
  fail_unless (tcp < udp + NAGLE * sink_test_time_factor (),
      "TCP %.3f s, UDP %.3f s", tcp / 1e6, udp / 1e6);
}

END_TEST;

static Suite *
cost_suite (void)
{
  Suite *suite = suite_create ("cost");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_five_viewers_cost_hardly_more_than_one);
  tcase_add_test (tests, test_nobody_costs_a_fraction_of_somebody);
  tcase_add_test (tests, test_join_over_tcp_is_as_quick_as_over_udp);
  return suite;
}

CHECK_SUITE (cost);
