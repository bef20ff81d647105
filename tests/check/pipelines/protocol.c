/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What viewers ask and what they are answered, request by request. */

#include "sinktest.h"

#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink"
#define CLOCK_RATE 90000
#define N_UNITS 5

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

/* A viewer that is connected and has the SDP. */
static RtspViewer *
describe (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  return viewer;
}

static guint
request (RtspViewer * viewer, GstRTSPMethod method, const gchar * url,
    const gchar * name, const gchar * value)
{
  const gchar *headers[] = { name, value, NULL };
  GError *error = NULL;
  guint status = rtsp_viewer_request (viewer, method, url, headers, &error);

  assert_viewer (status != 0, error);
  return status;
}

/* The server and this viewer go on. */
static void
check_goes_on (RtspViewer * viewer)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer,
      rtsp_record_count (rtsp_viewer_record (viewer)) + N_UNITS);
}

/* --- channels --- */

static const gint channels[] = { 0, 2, 4, 200 };

GST_START_TEST (test_interleaved_channels_of_choice_are_used)
{
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;

  assert_viewer (rtsp_viewer_setup_tcp (viewer, channels[__i__], &error),
      error);
  fail_unless_equals_int (rtsp_viewer_transport (viewer)->interleaved.min,
      channels[__i__]);
  fail_unless_equals_int (rtsp_viewer_transport (viewer)->interleaved.max,
      channels[__i__] + 1);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, N_UNITS);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_malformed, 0);
}

END_TEST;

GST_START_TEST (test_interleaved_channels_not_said_are_given)
{
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;
  GstRTSPRange given;

  assert_viewer (rtsp_viewer_setup_tcp (viewer, -1, &error), error);
  given = rtsp_viewer_transport (viewer)->interleaved;
  fail_unless_equals_int (given.max, given.min + 1);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, N_UNITS);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_malformed, 0);
}

END_TEST;

GST_START_TEST (test_transport_nobody_offers_is_refused)
{
  static const gchar *const transports[] = {
    "RTP/AVP;multicast", "RTP/AVPF;unicast;client_port=5000-5001",
    "RTP/SAVP;unicast;client_port=5000-5001", "MP2T/H2221/UDP;unicast"
  };
  g_autoptr (RtspViewer) viewer = describe ();
  g_autofree gchar *url = rtsp_viewer_control_url (viewer);
  GError *error = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (transports); i++)
    fail_unless_equals_int (request (viewer, GST_RTSP_SETUP, url, "Transport",
            transports[i]), GST_RTSP_STS_UNSUPPORTED_TRANSPORT);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  check_goes_on (viewer);
}

END_TEST;

/* --- sessions --- */

static void
check_session (RtspViewer * viewer)
{
  const gchar *session = rtsp_viewer_header (viewer, GST_RTSP_HDR_SESSION);

  fail_unless (session != NULL && strstr (session, "timeout=") != NULL,
      "Session is '%s'", GST_STR_NULL (session));
}

/* Janus sends no keep-alive unless it is told the timeout. */
GST_START_TEST (test_session_header_always_shows_its_timeout)
{
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;

  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  check_session (viewer);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  check_session (viewer);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  check_session (viewer);
}

END_TEST;

/* Over UDP the connection carries nothing but these. */
GST_START_TEST (test_keep_alives_of_a_udp_viewer_are_answered)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_GET_PARAMETER,
    GST_RTSP_SET_PARAMETER, GST_RTSP_OPTIONS
  };
  g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_UDP);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (methods); i++) {
    fail_unless_equals_int (request (viewer, methods[i], NULL, NULL, NULL),
        GST_RTSP_STS_OK);
    sink_test_receive (viewer, (i + 1) * N_UNITS);
  }
}

END_TEST;

GST_START_TEST (test_many_keep_alives_at_once_leave_the_stream_whole)
{
  g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_TCP);
  GError *error = NULL;
  guint i;

  for (i = 0; i < 20; i++)
    assert_viewer (rtsp_viewer_send_request (viewer, GST_RTSP_GET_PARAMETER,
            NULL, NULL, &error), error);
  for (i = 0; i < 20; i++)
    fail_unless_equals_int (rtsp_viewer_wait_response (viewer, &error),
        GST_RTSP_STS_OK);
  sink_test_receive (viewer, 4 * N_UNITS);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_malformed, 0);
}

END_TEST;

GST_START_TEST (test_play_of_unknown_session_is_refused)
{
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;

  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, "Session",
          "0123456789"), GST_RTSP_STS_SESSION_NOT_FOUND);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  check_goes_on (viewer);
}

END_TEST;

/* --- SETUP --- */

/* Some viewers know the control URL beforehand. */
GST_START_TEST (test_setup_without_describe_is_answered)
{
  g_autoptr (RtspViewer) other = describe ();
  g_autofree gchar *url = rtsp_viewer_control_url (other);
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (request (viewer, GST_RTSP_SETUP, url, "Transport",
          "RTP/AVP/TCP;unicast;interleaved=0-1"), GST_RTSP_STS_OK);
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, "Range",
          "npt=0-"), GST_RTSP_STS_OK);
  fail_unless (rtsp_viewer_header (viewer, GST_RTSP_HDR_RTP_INFO) != NULL);
}

END_TEST;

GST_START_TEST (test_setup_of_unknown_stream_is_not_found)
{
  g_autoptr (RtspViewer) viewer = describe ();
  g_autofree gchar *url = g_strdup_printf ("%s/stream=7",
      sink_test_uri (test, NULL));
  GError *error = NULL;

  fail_unless_equals_int (request (viewer, GST_RTSP_SETUP, url, "Transport",
          "RTP/AVP/TCP;unicast;interleaved=0-1"), GST_RTSP_STS_NOT_FOUND);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  check_goes_on (viewer);
}

END_TEST;

/* --- PLAY --- */

static const struct
{
  const gchar *name;
  const gchar *value;
} speeds[] = {
  {"Scale", "2.0"}, {"Scale", "-1.0"}, {"Scale", "0.5"}, {"Speed", "2.0"},
  {"Speed", "-1.0"}, {"Scale", "1e300"}, {"Scale", "nan"}, {"Speed", "0.0001"}
};

/* Live video has one speed. gst-rtsp-server 1.22 aborts on some. */
GST_START_TEST (test_play_at_other_speed_is_refused)
{
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;
  guint status;

  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  status = request (viewer, GST_RTSP_PLAY, NULL, speeds[__i__].name,
      speeds[__i__].value);
  fail_unless (status >= 400 && status < 600, "%s: %s is answered %u",
      speeds[__i__].name, speeds[__i__].value, status);
  check_goes_on (viewer);
}

END_TEST;

GST_START_TEST (test_play_at_other_speed_of_a_playing_viewer_is_refused)
{
  g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_TCP);
  guint status;

  sink_test_receive (viewer, N_UNITS);
  status = request (viewer, GST_RTSP_PLAY, NULL, speeds[__i__].name,
      speeds[__i__].value);
  fail_unless (status >= 400 && status < 600, "%s: %s is answered %u",
      speeds[__i__].name, speeds[__i__].value, status);
  sink_test_receive (viewer, 3 * N_UNITS);
}

END_TEST;

GST_START_TEST (test_play_at_speed_one_is_accepted)
{
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;

  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, "Scale",
          "1.0"), GST_RTSP_STS_OK);
  sink_test_receive (viewer, N_UNITS);
}

END_TEST;

static const gchar *const ranges[] = {
  "npt=0-", "npt=now-", "npt=0.000-", "npt=5-", "npt=3600-7200", NULL
};

/* A range does not move anybody's clock: not that of a second viewer, not the
 * asking one's own. */
GST_START_TEST (test_play_with_range_moves_no_clock)
{
  g_autoptr (RtspViewer) steady = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_UDP);
  g_autoptr (RtspViewer) viewer = describe ();
  RtspRecord *record = rtsp_viewer_record (steady);
  GError *error = NULL;
  gint32 apart;

  sink_test_receive (steady, N_UNITS);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL,
          ranges[__i__] ? "Range" : NULL, ranges[__i__]), GST_RTSP_STS_OK);
  sink_test_receive (viewer, N_UNITS);
  sink_test_receive (steady, rtsp_record_count (record) + 1);
  sink_test_receive (steady, 4 * N_UNITS);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  /* all viewers' RTP times are of one axis */
  apart = rtsp_record_unit (rtsp_viewer_record (viewer), N_UNITS - 1)->rtp_time
      - rtsp_record_unit (record, rtsp_record_count (record) - 1)->rtp_time;
  fail_unless (ABS (apart) < 5 * CLOCK_RATE * sink_test_time_factor (),
      "RTP times are %.3f s apart", apart / (gdouble) CLOCK_RATE);
}

END_TEST;

/* RFC 2326, 12.33: of the first packet that follows. The time is known only
 * roughly before that packet is made, yet never too late. */
static void
check_rtp_info (RtspViewer * viewer, guint index)
{
  RtspUnit *unit = rtsp_record_unit (rtsp_viewer_record (viewer), index);
  RtspRtpInfo info;
  gint32 ahead, least = 0;

  /* where all is slow frames come later than one can guess */
  if (sink_test_time_factor () > 1)
    least = -CLOCK_RATE;
  fail_unless (rtsp_viewer_rtp_info (viewer, &info));
  fail_unless (info.has_seq && info.has_rtptime);
  fail_unless_equals_int (info.seq, unit->first_seq);
  ahead = unit->rtp_time - info.rtptime;
  fail_unless (ahead >= least
      && ahead <= 0.3 * CLOCK_RATE * sink_test_time_factor (),
      "the first packet is %.3f s after rtptime", ahead / (gdouble) CLOCK_RATE);
}

/* Four, for so many visits of one address get a key unit at once. */
GST_START_TEST (test_rtp_info_names_the_first_packet)
{
  guint i;

  for (i = 0; i < 4; i++) {
    g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);

    sink_test_receive (viewer, 1);
    check_rtp_info (viewer, 0);
  }
}

END_TEST;

GST_START_TEST (test_rtp_info_after_pause_names_the_next_packet)
{
  g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
      __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  GError *error = NULL;
  guint i;

  sink_test_receive (viewer, N_UNITS);
  for (i = 0; i < 3; i++) {
    assert_viewer (rtsp_viewer_pause (viewer, &error), error);
    /* what was on its way */
    assert_viewer (rtsp_viewer_receive_for (viewer, 200 * 1000, &error), error);
    rtsp_record_clear (rtsp_viewer_record (viewer));
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
    sink_test_receive (viewer, N_UNITS);
    check_rtp_info (viewer, 0);
    fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
                (viewer), 0)));
  }
}

END_TEST;

/* --- the rest --- */

GST_START_TEST (test_requests_out_of_order_are_refused)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  static const GstRTSPMethod methods[] = { GST_RTSP_PLAY, GST_RTSP_PAUSE,
    GST_RTSP_TEARDOWN
  };
  GError *error = NULL;
  guint i;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  for (i = 0; i < G_N_ELEMENTS (methods); i++)
    fail_unless (request (viewer, methods[i], NULL, NULL, NULL) >= 400);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  check_goes_on (viewer);
}

END_TEST;

GST_START_TEST (test_unknown_mount_is_not_found)
{
  g_autofree gchar *url = g_strdup_printf ("rtsp://127.0.0.1:%u/other",
      sink_test_port (test, NULL));
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (request (viewer, GST_RTSP_DESCRIBE, NULL, NULL,
          NULL), GST_RTSP_STS_NOT_FOUND);
}

END_TEST;

GST_START_TEST (test_methods_that_nobody_serves_are_refused)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_ANNOUNCE, GST_RTSP_RECORD,
    GST_RTSP_REDIRECT
  };
  g_autoptr (RtspViewer) viewer = describe ();
  GError *error = NULL;
  guint i;

  for (i = 0; i < G_N_ELEMENTS (methods); i++)
    fail_unless (request (viewer, methods[i], NULL, NULL, NULL) >= 400);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  check_goes_on (viewer);
}

END_TEST;

static Suite *
protocol_suite (void)
{
  Suite *suite = suite_create ("protocol");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_interleaved_channels_of_choice_are_used, 0,
      G_N_ELEMENTS (channels));
  tcase_add_test (tests, test_interleaved_channels_not_said_are_given);
  tcase_add_test (tests, test_transport_nobody_offers_is_refused);
  tcase_add_test (tests, test_session_header_always_shows_its_timeout);
  tcase_add_test (tests, test_keep_alives_of_a_udp_viewer_are_answered);
  tcase_add_test (tests, test_many_keep_alives_at_once_leave_the_stream_whole);
  tcase_add_test (tests, test_play_of_unknown_session_is_refused);
  tcase_add_test (tests, test_setup_without_describe_is_answered);
  tcase_add_test (tests, test_setup_of_unknown_stream_is_not_found);
  tcase_add_loop_test (tests, test_play_at_other_speed_is_refused, 0,
      G_N_ELEMENTS (speeds));
  tcase_add_loop_test (tests,
      test_play_at_other_speed_of_a_playing_viewer_is_refused, 0,
      G_N_ELEMENTS (speeds));
  tcase_add_test (tests, test_play_at_speed_one_is_accepted);
  tcase_add_loop_test (tests, test_play_with_range_moves_no_clock, 0,
      G_N_ELEMENTS (ranges));
  tcase_add_test (tests, test_rtp_info_names_the_first_packet);
  tcase_add_loop_test (tests, test_rtp_info_after_pause_names_the_next_packet,
      0, 2);
  tcase_add_test (tests, test_requests_out_of_order_are_refused);
  tcase_add_test (tests, test_unknown_mount_is_not_found);
  tcase_add_test (tests, test_methods_that_nobody_serves_are_refused);
  return suite;
}

CHECK_SUITE (protocol);
