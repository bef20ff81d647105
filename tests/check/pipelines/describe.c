/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* DESCRIBE before there is anything to describe. */

#include "sinktest.h"
#include "viewerjob.h"

/* The element waits 2 s for a first frame. */
#define LATEST_ANSWER (3 * G_USEC_PER_SEC)
#define LONGEST_DISTURBANCE (50 * 1000)
#define N_WAITING 8
#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO \
    " ! valve name=gate drop=true ! rtspserversink"

static SinkTest *test;

static void
setup (void)
{
  test = sink_test_new (FEED);
  /* PLAYING is not reached without a frame */
  sink_test_try_state (test, GST_STATE_PLAYING);
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
let_frames_pass (void)
{
  g_object_set (sink_test_element (test, "gate"), "drop", FALSE, NULL);
}

static gboolean
describe (RtspViewer * viewer, gpointer data, GError ** error)
{
  guint status;

  if (!rtsp_viewer_connect (viewer, error))
    return FALSE;
  /* Once: rtsp_viewer_describe() asks again where everything is slow. */
  status = rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, NULL, NULL, error);
  if (status != 0 && status != GST_RTSP_STS_OK)
    g_set_error (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_STATUS,
        "answered %u", status);
  return status == GST_RTSP_STS_OK;
}

GST_START_TEST (test_describe_without_frames_is_answered_503)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;
  gint64 start = g_get_monotonic_time ();

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, NULL,
          NULL, &error), GST_RTSP_STS_SERVICE_UNAVAILABLE);
  fail_unless (g_get_monotonic_time () - start
      < LATEST_ANSWER * sink_test_time_factor ());
}

END_TEST;

GST_START_TEST (test_describe_is_answered_once_frames_come)
{
  ViewerJob *job = viewer_job_start (sink_test_uri (test, NULL), describe,
      NULL);
  RtspViewer *viewer;
  GError *error = NULL;

  let_frames_pass ();
  viewer = viewer_job_join (job, &error);
  assert_viewer (viewer != NULL, error);
  rtsp_viewer_free (viewer);
}

END_TEST;

GST_START_TEST (test_describe_after_503_works_on_the_same_connection)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, NULL,
          NULL, &error), GST_RTSP_STS_SERVICE_UNAVAILABLE);
  let_frames_pass ();
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  assert_viewer (rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT,
          &error), error);
}

END_TEST;

GST_START_TEST (test_describe_that_waits_delays_no_other_viewer)
{
  ViewerJob *job = viewer_job_start (sink_test_uri (test, NULL), describe,
      NULL);
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  g_autoptr (GError) refused = NULL;
  GError *error = NULL;
  gint64 start, longest = 0;
  guint i;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  for (i = 0; i < 20; i++) {
    start = g_get_monotonic_time ();
    assert_viewer (rtsp_viewer_options (viewer, &error), error);
    longest = MAX (longest, g_get_monotonic_time () - start);
    assert_viewer (rtsp_viewer_receive_for (viewer, 50 * 1000, &error), error);
  }
  fail_unless (viewer_job_join (job, &refused) == NULL);
  fail_unless (g_error_matches (refused, RTSP_VIEWER_ERROR,
          RTSP_VIEWER_ERROR_STATUS));
  fail_unless (longest < LONGEST_DISTURBANCE * sink_test_time_factor (),
      "OPTIONS took %.3f s", longest / 1e6);
}

END_TEST;

/* The request waits in the element; the connection goes away under it. */
GST_START_TEST (test_describe_that_waits_bears_a_close)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_send_request (viewer, GST_RTSP_DESCRIBE, NULL,
          NULL, &error), error);
  rtsp_viewer_reset (viewer);
  rtsp_viewer_free (viewer);
  let_frames_pass ();
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT,
          &error), error);
  rtsp_viewer_free (viewer);
}

END_TEST;

/* The fixture's end checks that this takes less than a second. */
GST_START_TEST (test_describe_that_waits_does_not_hold_up_the_stop)
{
  ViewerJob *job = viewer_job_start (sink_test_uri (test, NULL), describe,
      NULL);
  g_autoptr (GError) error = NULL;

  gst_message_unref (sink_test_wait_element_message (test,
          "rtspserversink-listening", SINK_TEST_TIMEOUT));
  g_clear_pointer (&test, sink_test_free);
  fail_unless (viewer_job_join (job, &error) == NULL);
}

END_TEST;

/* More than the server has threads: each is answered in time, and who asks
 * something else meanwhile does not wait for any of them. */
GST_START_TEST (test_describes_that_wait_at_once_delay_no_other_viewer)
{
  ViewerJob *jobs[N_WAITING];
  GError *error = NULL;
  gint64 start = g_get_monotonic_time (), longest = 0;
  guint i;

  for (i = 0; i < N_WAITING; i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL), describe, NULL);
  for (i = 0; i < N_WAITING; i++) {
    g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test,
            NULL));
    gint64 asked;

    assert_viewer (rtsp_viewer_connect (viewer, &error), error);
    asked = g_get_monotonic_time ();
    assert_viewer (rtsp_viewer_options (viewer, &error), error);
    longest = MAX (longest, g_get_monotonic_time () - asked);
    assert_viewer (rtsp_viewer_receive_for (viewer, 50 * 1000, &error), error);
  }
  for (i = 0; i < N_WAITING; i++) {
    g_autoptr (GError) refused = NULL;

    fail_unless (viewer_job_join (jobs[i], &refused) == NULL);
    fail_unless (g_error_matches (refused, RTSP_VIEWER_ERROR,
            RTSP_VIEWER_ERROR_STATUS), "%s", refused->message);
  }
  fail_unless (g_get_monotonic_time () - start
      < LATEST_ANSWER * sink_test_time_factor ());
  fail_unless (longest < 2 * LONGEST_DISTURBANCE * sink_test_time_factor (),
      "OPTIONS took %.3f s", longest / 1e6);
}

END_TEST;

/* The one that waits has its answer as soon as there is a frame, and not when
 * its time is over. */
GST_START_TEST (test_describe_that_waits_is_answered_when_frames_come)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;
  gint64 opened;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_send_request (viewer, GST_RTSP_DESCRIBE, NULL,
          NULL, &error), error);
  assert_viewer (rtsp_viewer_receive_for (viewer, 300 * 1000, &error), error);
  fail_unless_equals_int (rtsp_viewer_status (viewer), 0);
  let_frames_pass ();
  opened = g_get_monotonic_time ();
  fail_unless_equals_int (rtsp_viewer_wait_response (viewer, &error),
      GST_RTSP_STS_OK);
  fail_unless (g_get_monotonic_time () - opened
      < G_USEC_PER_SEC * sink_test_time_factor ());
}

END_TEST;

GST_START_TEST (test_setup_without_frames_is_answered_503)
{
  static const gchar *const transport[] = { "Transport",
    "RTP/AVP/TCP;unicast;interleaved=0-1", NULL
  };
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  g_autofree gchar *url = g_strdup_printf ("%s/stream=0",
      sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_SETUP, url,
          transport, &error), GST_RTSP_STS_SERVICE_UNAVAILABLE);
  let_frames_pass ();
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
}

END_TEST;

static Suite *
describe_suite (void)
{
  Suite *suite = suite_create ("describe");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_describe_without_frames_is_answered_503);
  tcase_add_test (tests, test_describe_is_answered_once_frames_come);
  tcase_add_test (tests, test_describe_after_503_works_on_the_same_connection);
  tcase_add_test (tests, test_describe_that_waits_delays_no_other_viewer);
  tcase_add_test (tests, test_describe_that_waits_bears_a_close);
  tcase_add_test (tests, test_describe_that_waits_does_not_hold_up_the_stop);
  tcase_add_test (tests,
      test_describes_that_wait_at_once_delay_no_other_viewer);
  tcase_add_test (tests, test_describe_that_waits_is_answered_when_frames_come);
  tcase_add_test (tests, test_setup_without_frames_is_answered_503);
  return suite;
}

CHECK_SUITE (describe);
