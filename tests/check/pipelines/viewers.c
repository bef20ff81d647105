/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers come, watch and go while a pipeline feeds the element. */

#include "sinktest.h"
#include "viewerjob.h"

#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO " ! identity name=feed " \
    "! rtspserversink"

#define N_VIEWERS 4
#define N_UNITS 30
#define FRAME_TICKS (90000 / 25)
#define STALL (8 * G_USEC_PER_SEC)
#define LONGEST_GAP (200 * 1000)

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

static void
check_first_unit (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  RtspRtpInfo info;

  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (record, 0)));
  fail_unless (rtsp_viewer_rtp_info (viewer, &info));
  fail_unless_equals_int (info.seq, rtsp_record_unit (record, 0)->first_seq);
}

static void
check_whole_record (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_malformed, 0);
  fail_unless (rtsp_record_times_rise (record));
}

GST_START_TEST (test_listening_is_told_with_the_uri)
{
  g_autoptr (GstMessage) message = sink_test_wait_element_message (test,
      "rtspserversink-listening", SINK_TEST_TIMEOUT);

  fail_unless_equals_string (gst_structure_get_string
      (gst_message_get_structure (message), "uri"), sink_test_uri (test, NULL));
}

END_TEST;

static void
play_and_check (RtspViewerTransport transport)
{
  RtspViewer *viewer = sink_test_start_viewer (test, NULL, transport);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, N_UNITS, SINK_TEST_TIMEOUT,
          &error), error);
  check_first_unit (viewer);
  check_whole_record (viewer);
  rtsp_viewer_free (viewer);
}

GST_START_TEST (test_describe_setup_play_tcp_first_unit_is_key)
{
  play_and_check (RTSP_VIEWER_TCP);
}

END_TEST;

GST_START_TEST (test_describe_setup_play_udp_first_unit_is_key)
{
  play_and_check (RTSP_VIEWER_UDP);
}

END_TEST;

GST_START_TEST (test_sdp_holds_parameter_sets)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  g_autofree gchar *profile = NULL;
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  fail_unless (rtsp_sdp_has_parameter_sets (rtsp_viewer_sdp (viewer)));
  profile = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "profile-level-id");
  fail_unless (profile != NULL && strlen (profile) == 6);
}

END_TEST;

/* odd viewers over UDP, even ones over TCP */
GST_START_TEST (test_four_viewers_at_once_each_get_every_frame)
{
  ViewerJob *jobs[N_VIEWERS];
  guint i;

  for (i = 0; i < N_VIEWERS; i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL),
        i % 2 ? viewer_job_play_udp : viewer_job_play_tcp,
        GUINT_TO_POINTER (N_UNITS));
  for (i = 0; i < N_VIEWERS; i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);
    RtspRecord *record;

    assert_viewer (viewer != NULL, error);
    record = rtsp_viewer_record (viewer);
    check_first_unit (viewer);
    check_whole_record (viewer);
    fail_unless (rtsp_record_unit (record, N_UNITS - 1)->rtp_time
        - rtsp_record_unit (record, 0)->rtp_time < (N_UNITS + 2) * FRAME_TICKS);
    rtsp_viewer_free (viewer);
  }
}

END_TEST;

GST_START_TEST (test_teardown_ends_the_viewer)
{
  RtspViewer *viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  GError *error = NULL;

  gst_message_unref (sink_test_wait_element_message (test,
          "rtspserversink-viewer-added", SINK_TEST_TIMEOUT));
  assert_viewer (rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT,
          &error), error);
  assert_viewer (rtsp_viewer_teardown (viewer, &error), error);
  rtsp_viewer_free (viewer);
  gst_message_unref (sink_test_wait_element_message (test,
          "rtspserversink-viewer-removed", SINK_TEST_TIMEOUT));
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
}

END_TEST;

GST_START_TEST (test_abrupt_close_ends_the_viewer_and_the_next_one_plays)
{
  guint i;

  for (i = 0; i < N_VIEWERS; i++) {
    RtspViewer *viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    GError *error = NULL;

    assert_viewer (rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT,
            &error), error);
    check_first_unit (viewer);
    rtsp_viewer_reset (viewer);
    rtsp_viewer_free (viewer);
  }
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
}

END_TEST;

GST_START_TEST (test_requests_between_interleaved_data_are_answered)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_GET_PARAMETER,
    GST_RTSP_SET_PARAMETER, GST_RTSP_OPTIONS
  };
  RtspViewer *viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  GError *error = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (methods); i++) {
    guint status = rtsp_viewer_request (viewer, methods[i], NULL, NULL,
        &error);

    assert_viewer (status != 0, error);
    fail_unless_equals_int (status, GST_RTSP_STS_OK);
    assert_viewer (rtsp_viewer_receive_units (viewer, 5 * (i + 1),
            SINK_TEST_TIMEOUT, &error), error);
  }
  check_whole_record (viewer);
  rtsp_viewer_free (viewer);
}

END_TEST;

GST_START_TEST (test_stop_closes_a_playing_viewer)
{
  RtspViewer *viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT,
          &error), error);
  sink_test_stop (test);
  assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  rtsp_viewer_free (viewer);
}

END_TEST;

/* H5 of the hazards: its share of the network is full, nobody reads. */
GST_START_TEST (test_viewer_that_stops_reading_disturbs_no_other)
{
  SinkTest *heavy = sink_test_new ("videotestsrc is-live=true pattern=snow ! "
      "video/x-raw,format=I420,width=320,height=240,framerate=25/1 "
      "! identity name=feed ! rtspserversink bitrate=8000000");
  BufferCounter *fed = buffer_counter_new (heavy, "feed", "src");
  RtspViewer *stalled = NULL, *viewer;
  GError *error = NULL;

  sink_test_play (heavy);
  stalled = rtsp_viewer_new (sink_test_uri (heavy, NULL));
  assert_viewer (rtsp_viewer_connect (stalled, &error), error);
  rtsp_viewer_set_receive_buffer (stalled, 8 * 1024);
  assert_viewer (rtsp_viewer_describe (stalled, &error), error);
  assert_viewer (rtsp_viewer_setup_tcp (stalled, 0, &error), error);
  assert_viewer (rtsp_viewer_play (stalled, &error), error);

  viewer = sink_test_start_viewer (heavy, NULL, RTSP_VIEWER_UDP);
  assert_viewer (rtsp_viewer_receive_for (viewer, STALL, &error), error);
  check_whole_record (viewer);
  fail_unless (rtsp_record_longest_gap (rtsp_viewer_record (viewer))
      < LONGEST_GAP * sink_test_time_factor ());
  fail_unless (buffer_counter_longest_gap (fed)
      < LONGEST_GAP * sink_test_time_factor ());
  rtsp_viewer_free (viewer);
  rtsp_viewer_free (stalled);
  buffer_counter_free (fed);
  sink_test_free (heavy);
}

END_TEST;

static Suite *
viewers_suite (void)
{
  Suite *suite = suite_create ("viewers");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_listening_is_told_with_the_uri);
  tcase_add_test (tests, test_describe_setup_play_tcp_first_unit_is_key);
  tcase_add_test (tests, test_describe_setup_play_udp_first_unit_is_key);
  tcase_add_test (tests, test_sdp_holds_parameter_sets);
  tcase_add_test (tests, test_four_viewers_at_once_each_get_every_frame);
  tcase_add_test (tests, test_teardown_ends_the_viewer);
  tcase_add_test (tests,
      test_abrupt_close_ends_the_viewer_and_the_next_one_plays);
  tcase_add_test (tests, test_requests_between_interleaved_data_are_answered);
  tcase_add_test (tests, test_stop_closes_a_playing_viewer);
  tcase_add_test (tests, test_viewer_that_stops_reading_disturbs_no_other);
  return suite;
}

CHECK_SUITE (viewers);
