/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Requests that the element does not serve, or not in this form: each is answered
 * as it should be, and who watches goes on. */

#include "hostileviewer.h"
#include "sinktest.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink"
#define N_UNITS 3

static SinkTest *test;

static void
setup (void)
{
  test = sink_test_new (LIVE);
  sink_test_play (test);
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static RtspViewer *
connect_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  return viewer;
}

static guint
request (RtspViewer * viewer, GstRTSPMethod method, const gchar * url,
    const gchar * const *headers)
{
  GError *error = NULL;
  guint status = rtsp_viewer_request (viewer, method, url, headers, &error);

  assert_viewer (status != 0, error);
  return status;
}

static void
check_goes_on (RtspViewer * viewer)
{
  sink_test_receive (viewer,
      rtsp_record_count (rtsp_viewer_record (viewer)) + N_UNITS);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

/* --- sessions of another connection --- */

/* The library sends a method that it does not know as "(null)". */
#define UNKNOWN GST_RTSP_INVALID

static const struct
{
  GstRTSPMethod method;
  const gchar *path;            /* behind the mount's */
  const gchar *name;            /* of a header */
  const gchar *value;
} foreign[] = {
  {GST_RTSP_OPTIONS, "", NULL, NULL},
  {GST_RTSP_DESCRIBE, "", NULL, NULL},
  {GST_RTSP_ANNOUNCE, "", NULL, NULL},
  {GST_RTSP_GET_PARAMETER, "", NULL, NULL},
  {GST_RTSP_SET_PARAMETER, "", NULL, NULL},
  {GST_RTSP_SETUP, "/stream=0", NULL, NULL},
  {GST_RTSP_SETUP, "/stream=0", "Transport", "RTP/AVP/TCP;unicast"},
  {GST_RTSP_SETUP, "/stream=9", "Transport", "RTP/AVP/TCP;unicast"},
  {GST_RTSP_PLAY, "", NULL, NULL},
  {GST_RTSP_PLAY, "nowhere", NULL, NULL},
  {GST_RTSP_PAUSE, "", NULL, NULL},
  {GST_RTSP_PAUSE, "nowhere", NULL, NULL},
  {GST_RTSP_RECORD, "", NULL, NULL},
  {GST_RTSP_REDIRECT, "", NULL, NULL},
  {GST_RTSP_TEARDOWN, "", NULL, NULL},
  {GST_RTSP_TEARDOWN, "/stream=0", NULL, NULL},
  {GST_RTSP_TEARDOWN, "nowhere", NULL, NULL},
  {GST_RTSP_GET_PARAMETER, "", "Require", "something"},
  {UNKNOWN, "", NULL, NULL},
};

static gchar *
dup_session (RtspViewer * viewer)
{
  g_auto (GStrv) parts =
      g_strsplit (rtsp_viewer_header (viewer, GST_RTSP_HDR_SESSION), ";", 2);

  return g_strdup (parts[0]);
}

/* Whoever learns of a session can neither use nor end it. */
GST_START_TEST (test_foreign_session_is_not_found_and_goes_on)
{
  g_autoptr (RtspViewer) owner = sink_test_start_viewer (test, NULL,
      __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  g_autofree gchar *session = dup_session (owner);

  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++) {
    g_autoptr (RtspViewer) other = connect_viewer ();
    g_autofree gchar *url = g_strconcat (sink_test_uri (test, NULL),
        foreign[i].path, NULL);
    const gchar *headers[] = { "Session", session, foreign[i].name,
      foreign[i].value, NULL
    };
    guint status = request (other, foreign[i].method, url, headers);

    fail_unless (status == GST_RTSP_STS_SESSION_NOT_FOUND,
        "request %u is answered %u", i, status);
    rtsp_viewer_close (other);
    check_goes_on (owner);
  }
}

END_TEST;

/* We ask viewers nothing, so that no response is awaited. */
GST_START_TEST (test_foreign_session_in_a_response_goes_on)
{
  g_autoptr (RtspViewer) owner = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_TCP);
  g_autoptr (RtspViewer) other = connect_viewer ();
  g_autofree gchar *session = dup_session (owner);
  GstRTSPMessage response = { 0, };

  gst_rtsp_message_init_response (&response, GST_RTSP_STS_OK, NULL, NULL);
  gst_rtsp_message_add_header (&response, GST_RTSP_HDR_CSEQ, "0");
  gst_rtsp_message_add_header (&response, GST_RTSP_HDR_SESSION, session);
  fail_unless (hostile_send_message (other, &response));
  gst_rtsp_message_unset (&response);
  /* read by now: the connection's next request is answered, or it was closed */
  rtsp_viewer_request (other, GST_RTSP_OPTIONS, NULL, NULL, NULL);
  rtsp_viewer_close (other);
  check_goes_on (owner);
}

END_TEST;

static Suite *
gate_suite (void)
{
  Suite *suite = suite_create ("gate");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_foreign_session_is_not_found_and_goes_on, 0,
      2);
  tcase_add_test (tests, test_foreign_session_in_a_response_goes_on);
  return suite;
}

SINK_TEST_MAIN (gate);
