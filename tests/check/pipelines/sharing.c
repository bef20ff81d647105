/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Several elements in one process: on one port, on several, in one pipeline
 * and in several. What happens to one is nothing to the others. */

#include "sinktest.h"
#include "viewerjob.h"

#define SOURCE "videotestsrc is-live=true ! " SMALL_VIDEO " ! "

/* What a disturbance may cost, beyond what the machine costs just now. */
#define GAP_LIMIT (100 * 1000)

/* In us. */
#define FRAME_TIME (40 * 1000)

static SinkTest *one, *other;

static void
teardown (void)
{
  g_clear_pointer (&one, sink_test_free);
  g_clear_pointer (&other, sink_test_free);
}

static SinkTest *
new_on_port (const gchar * mount, guint port)
{
  g_autofree gchar *line = g_strdup_printf (SOURCE
      "identity name=feed ! rtspserversink port=%u mount=%s", port, mount);

  return sink_test_new (line);
}

static void
serve_two (void)
{
  guint port = sink_test_free_port ();

  one = new_on_port ("/one", port);
  other = new_on_port ("/other", port);
  sink_test_play (one);
  sink_test_play (other);
  fail_unless_equals_int (sink_test_port (one, NULL), port);
  fail_unless_equals_int (sink_test_port (other, NULL), port);
}

static void
receive_more (RtspViewer * viewer, guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer,
          rtsp_record_count (rtsp_viewer_record (viewer)) + n,
          SINK_TEST_TIMEOUT, &error), error);
}

static guint
describe_status (const gchar * url)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  if (!rtsp_viewer_describe (viewer, &error))
    g_clear_error (&error);
  return rtsp_viewer_status (viewer);
}

/* A viewer in a thread of its own, so that it reads at once, until it is told
 * to stop. */
typedef struct
{
  ViewerJob *job;
  BufferCounter *feed;
  RtspViewerTransport transport;
  gint started;                 /* atomic, as stop */
  gint stop;
} Watcher;

static gboolean
is_told_to_stop (RtspViewer * viewer, gpointer watcher)
{
  if (rtsp_record_count (rtsp_viewer_record (viewer)) >= 5)
    g_atomic_int_set (&((Watcher *) watcher)->started, TRUE);
  return g_atomic_int_get (&((Watcher *) watcher)->stop);
}

static gboolean
watch_until_told (RtspViewer * viewer, gpointer data, GError ** error)
{
  Watcher *watcher = data;

  return rtsp_viewer_start (viewer, watcher->transport, error)
      && rtsp_viewer_receive_until (viewer, is_told_to_stop, watcher,
      SINK_TEST_TIMEOUT, "the test's end", error);
}

static gboolean
has_started (gpointer watcher)
{
  return g_atomic_int_get (&((Watcher *) watcher)->started);
}

/* Watches the other one. */
static void
watcher_start (Watcher * watcher, RtspViewerTransport transport)
{
  watcher->transport = transport;
  watcher->feed = buffer_counter_new (other, "feed", "src");
  watcher->job = viewer_job_start (sink_test_uri (other, NULL),
      watch_until_told, watcher);
  sink_test_wait_until (has_started, watcher, SINK_TEST_TIMEOUT,
      "the other viewer to watch");
}

/* Whether the viewer's longest gap comes of what was done to the other one:
 * the other feed shows what the machine did meanwhile. */
static void
watcher_stop (Watcher * watcher)
{
  GError *error = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  gint64 gap, limit;

  g_atomic_int_set (&watcher->stop, TRUE);
  viewer = viewer_job_join (watcher->job, &error);
  assert_viewer (viewer != NULL, error);
  record = rtsp_viewer_record (viewer);
  gap = rtsp_record_longest_gap (record);
  limit = buffer_counter_longest_gap (watcher->feed) +
      GAP_LIMIT * sink_test_time_factor ();
  buffer_counter_free (watcher->feed);

  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  fail_unless (gap < limit, "gap of %.3f s, more than %.3f s", gap / 1e6,
      limit / 1e6);
}

GST_START_TEST (test_port_of_two_serves_each_its_own)
{
  static const gchar *const words[] = { "/one", "/other" };
  SinkTest **tests[] = { &one, &other };

  serve_two ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++) {
    RtspViewer *viewer;

    fail_unless (g_str_has_suffix (sink_test_uri (*tests[i], NULL), words[i]));
    viewer = sink_test_start_viewer (*tests[i], NULL, RTSP_VIEWER_UDP);
    receive_more (viewer, 5);
    fail_unless_equals_int (sink_test_num_viewers (*tests[i], NULL), 1);
    sink_test_stop (*tests[i]);
    rtsp_viewer_free (viewer);
    sink_test_play (*tests[i]);
  }
}

END_TEST;

/* H14: one of two stops and starts, with viewers on both. */
static void
stop_one_of_two (RtspViewerTransport transport)
{
  Watcher watcher = { NULL, };
  RtspViewer *viewer;
  g_autofree gchar *url = NULL;
  GError *error = NULL;

  serve_two ();
  watcher_start (&watcher, transport);
  url = g_strdup (sink_test_uri (one, NULL));
  viewer = sink_test_start_viewer (one, NULL, transport);
  receive_more (viewer, 5);

  fail_unless (sink_test_stop (one) < G_USEC_PER_SEC *
      sink_test_time_factor ());
  assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  rtsp_viewer_free (viewer);
  fail_unless_equals_int (describe_status (url), GST_RTSP_STS_NOT_FOUND);

  sink_test_play (one);
  viewer = sink_test_start_viewer (one, NULL, transport);
  receive_more (viewer, 5);
  rtsp_viewer_free (viewer);
  watcher_stop (&watcher);
}

GST_START_TEST (test_stop_of_one_leaves_the_other_ones_tcp_viewer)
{
  stop_one_of_two (RTSP_VIEWER_TCP);
}

END_TEST;

GST_START_TEST (test_stop_of_one_leaves_the_other_ones_udp_viewer)
{
  stop_one_of_two (RTSP_VIEWER_UDP);
}

END_TEST;

/* The port is given up by the last one, and only then. */
GST_START_TEST (test_port_is_kept_until_the_last_one_stops)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  guint port;

  serve_two ();
  port = sink_test_port (one, NULL);
  sink_test_stop (one);
  viewer = rtsp_viewer_new (sink_test_uri (other, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  sink_test_stop (other);
  assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
      error);

  g_object_set (sink_test_element (one, NULL), "port", port, NULL);
  sink_test_play (one);
  rtsp_viewer_free (sink_test_start_viewer (one, NULL, RTSP_VIEWER_TCP));
}

END_TEST;

/* One viewer looks at both mounts, on one connection: it goes with whichever
 * stops first, for the library keeps the media that a connection described. */
static RtspViewer *
watch_other_describe_one (void)
{
  RtspViewer *viewer;
  g_autofree gchar *url = NULL;
  GError *error = NULL;

  serve_two ();
  url = g_strdup (sink_test_uri (one, NULL));
  viewer = sink_test_start_viewer (other, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 3);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, url,
          NULL, &error), GST_RTSP_STS_OK);
  return viewer;
}

GST_START_TEST (test_viewer_that_described_both_goes_with_the_described)
{
  g_autoptr (RtspViewer) viewer = watch_other_describe_one ();
  GError *error = NULL;

  fail_unless (sink_test_stop (one) < G_USEC_PER_SEC *
      sink_test_time_factor ());
  assert_viewer (rtsp_viewer_wait_closed (viewer, G_USEC_PER_SEC *
          sink_test_time_factor (), &error), error);
}

END_TEST;

GST_START_TEST (test_viewer_that_described_both_goes_with_the_watched)
{
  g_autoptr (RtspViewer) viewer = watch_other_describe_one ();
  GError *error = NULL;

  fail_unless (sink_test_stop (other) < G_USEC_PER_SEC *
      sink_test_time_factor ());
  assert_viewer (rtsp_viewer_wait_closed (viewer, G_USEC_PER_SEC *
          sink_test_time_factor (), &error), error);
}

END_TEST;

static gpointer
cycle (gpointer test)
{
  for (guint i = 0; i < 10; i++) {
    sink_test_try_state (test, GST_STATE_PLAYING);
    sink_test_try_state (test, GST_STATE_NULL);
  }
  return NULL;
}

/* The registry's races: the last user leaves as the next one comes. */
GST_START_TEST (test_port_of_two_that_start_and_stop_at_once_stays_sound)
{
  guint port = sink_test_free_port ();
  GThread *threads[2];

  one = new_on_port ("/one", port);
  other = new_on_port ("/other", port);
  threads[0] = g_thread_new ("cycle", cycle, one);
  threads[1] = g_thread_new ("cycle", cycle, other);
  g_thread_join (threads[0]);
  g_thread_join (threads[1]);

  sink_test_play (one);
  sink_test_play (other);
  rtsp_viewer_free (sink_test_start_viewer (one, NULL, RTSP_VIEWER_TCP));
  rtsp_viewer_free (sink_test_start_viewer (other, NULL, RTSP_VIEWER_UDP));
}

END_TEST;

/* Reported: of two cameras one is unplugged, and the other one flickers. */
GST_START_TEST (test_error_of_one_pipeline_is_nothing_to_another)
{
  Watcher watcher = { NULL, };

  one = sink_test_new (SOURCE "identity error-after=10 ! rtspserversink "
      "mount=/one");
  other = sink_test_new (SOURCE "identity name=feed ! rtspserversink "
      "mount=/other");
  sink_test_play (other);
  watcher_start (&watcher, RTSP_VIEWER_TCP);

  sink_test_play (one);
  sink_test_expect_error (one, GST_CORE_ERROR, GST_CORE_ERROR_FAILED, NULL,
      SINK_TEST_TIMEOUT);
  sink_test_stop (one);
  sink_test_forget_messages (one);
  watcher_stop (&watcher);
}

END_TEST;

typedef struct
{
  gint64 time;                  /* of its capture, by RTCP */
  guint code;
} Shown;

static RtspViewer *
start_watching (const gchar * name)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (one, name));
  GError *error = NULL;

  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  return viewer;
}

/* The first n pictures. */
static void
watch (RtspViewer * viewer, Shown * shown, guint n)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  PictureDecoder *decoder =
      picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");
  GError *error = NULL;

  assert_viewer (rtsp_viewer_wait_report (viewer, SINK_TEST_TIMEOUT, &error)
      && rtsp_viewer_receive_units (viewer, n, SINK_TEST_TIMEOUT, &error),
      error);
  for (guint i = 0; i < n; i++) {
    RtspUnit *unit = rtsp_record_unit (record, i);
    GstSample *sample = picture_decoder_decode (decoder, unit,
        SINK_TEST_TIMEOUT);

    fail_unless (sample != NULL, "no picture %u", i);
    shown[i].code = code_src_nearest (picture_grey (sample));
    fail_unless (rtsp_record_capture_time (record, unit, &shown[i].time));
    gst_sample_unref (sample);
  }
  picture_decoder_free (decoder);
}

/* Reported: one camera is wanted under two mounts. */
GST_START_TEST (test_tee_to_two_mounts_shows_the_same_on_both)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *line = g_strdup_printf ("codesrc name=feed is-live=true ! "
      "video/x-raw,format=RGB,width=64,height=48,framerate=25/1 ! tee name=t "
      "t. ! queue ! rtspserversink name=a port=%u mount=/a "
      "t. ! queue ! rtspserversink name=b port=%u mount=/b", port, port);
  g_autoptr (RtspViewer) a = NULL;
  g_autoptr (RtspViewer) b = NULL;
  Shown by_a[40], by_b[40];
  guint n_same = 0;

  one = sink_test_new (line);
  sink_test_play (one);
  a = start_watching ("a");
  b = start_watching ("b");
  watch (a, by_a, G_N_ELEMENTS (by_a));
  watch (b, by_b, G_N_ELEMENTS (by_b));

  for (guint i = 0; i < G_N_ELEMENTS (by_a); i++) {
    for (guint j = 0; j < G_N_ELEMENTS (by_b); j++) {
      if (ABS (by_a[i].time - by_b[j].time) > FRAME_TIME / 2)
        continue;
      fail_unless_equals_int (by_a[i].code, by_b[j].code);
      n_same++;
    }
  }
  fail_unless (n_same > 10, "%u frames are of one time", n_same);
}

END_TEST;

static Suite *
sharing_suite (void)
{
  Suite *suite = suite_create ("sharing");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_port_of_two_serves_each_its_own);
  tcase_add_test (tests, test_stop_of_one_leaves_the_other_ones_tcp_viewer);
  tcase_add_test (tests, test_stop_of_one_leaves_the_other_ones_udp_viewer);
  tcase_add_test (tests, test_port_is_kept_until_the_last_one_stops);
  tcase_add_test (tests,
      test_viewer_that_described_both_goes_with_the_described);
  tcase_add_test (tests, test_viewer_that_described_both_goes_with_the_watched);
  tcase_add_test (tests,
      test_port_of_two_that_start_and_stop_at_once_stays_sound);
  tcase_add_test (tests, test_error_of_one_pipeline_is_nothing_to_another);
  tcase_add_test (tests, test_tee_to_two_mounts_shows_the_same_on_both);
  return suite;
}

CHECK_SUITE (sharing);
