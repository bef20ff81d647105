/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* One session, two connections: an RTSP session is bound to none (RFC 2326, 3.4),
 * but packets between requests need the connection that set them up. Whatever is
 * answered is what happens, and nothing is left behind. */

#include "liveobjects.h"
#include "sinktest.h"
#include "viewerlog.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "

/* What is on its way when packets are to stop. */
#define ON_ITS_WAY (G_USEC_PER_SEC / 2)
#define SILENCE (G_USEC_PER_SEC / 2)

static const gchar *const sharings[] = { "shared=true", "shared=false" };

#define N_SHARINGS ((gint) G_N_ELEMENTS (sharings))

static SinkTest *test;
static ViewerLog *viewer_log;
static RtspViewer *one, *other; /* two connections */

static void
teardown (void)
{
  g_clear_pointer (&one, rtsp_viewer_free);
  g_clear_pointer (&other, rtsp_viewer_free);
  g_clear_pointer (&viewer_log, viewer_log_free);
  g_clear_pointer (&test, sink_test_free);
}

static void
serve_and_set_up (guint sharing, RtspViewerTransport transport)
{
  g_autofree gchar *line = g_strconcat (LIVE, sharings[sharing], NULL);
  GError *error = NULL;

  test = sink_test_new (line);
  viewer_log = viewer_log_new (test);
  sink_test_play (test);
  one = rtsp_viewer_new (sink_test_uri (test, NULL));
  other = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (other, &error)
      && rtsp_viewer_connect (one, &error)
      && rtsp_viewer_describe (one, &error)
      && rtsp_viewer_setup (one, transport, &error), error);
}

/* A request for the session of the one connection on the other. */
static guint
ask_on_other (GstRTSPMethod method)
{
  g_auto (GStrv) parts =
      g_strsplit (rtsp_viewer_header (one, GST_RTSP_HDR_SESSION), ";", 2);
  const gchar *headers[] = { "Session", parts[0], NULL };
  GError *error = NULL;
  guint status;

  status = rtsp_viewer_request (other, method, NULL, headers, &error);
  assert_viewer (status != 0, error);
  return status;
}

static void
play_on_one (void)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_play (one, &error), error);
}

static void
receive_more (guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (one,
          rtsp_record_count (rtsp_viewer_record (one)) + n,
          SINK_TEST_TIMEOUT, &error), error);
}

static void
expect_silence (void)
{
  guint n;
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_for (one, ON_ITS_WAY, &error), error);
  n = rtsp_viewer_record (one)->n_packets;
  assert_viewer (rtsp_viewer_receive_for (one, SILENCE, &error), error);
  fail_unless_equals_int (rtsp_viewer_record (one)->n_packets, n);
}

/* Both connections go; nobody is a viewer any more, and all have been told of. */
static void
expect_nothing_left (gboolean other_first)
{
  rtsp_viewer_close (other_first ? other : one);
  rtsp_viewer_close (other_first ? one : other);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  viewer_log_expect_all_removed (viewer_log);
  /* and the next one plays */
  rtsp_viewer_free (g_steal_pointer (&one));
  one = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (3);
}

/* The packets would have to go on the connection that did not ask for them. */
GST_START_TEST (test_tcp_viewer_cannot_play_on_another_connection)
{
  serve_and_set_up (__i__, RTSP_VIEWER_TCP);
  fail_unless (ask_on_other (GST_RTSP_PLAY) >= 400);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
  fail_unless_equals_int (viewer_log_count (viewer_log, NULL), 0);

  play_on_one ();
  receive_more (3);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
  fail_unless (ask_on_other (GST_RTSP_PLAY) >= 400);
  receive_more (3);
  fail_unless_equals_int (rtsp_viewer_record (one)->n_gaps, 0);
  expect_nothing_left (FALSE);
}

END_TEST;

/* Which connection goes first makes no difference. */
GST_START_TEST (test_udp_viewer_that_plays_on_another_connection_is_one)
{
  guint status;

  serve_and_set_up (__i__ / 2, RTSP_VIEWER_UDP);
  status = ask_on_other (GST_RTSP_PLAY);
  if (status == GST_RTSP_STS_OK)
    receive_more (5);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL),
      status == GST_RTSP_STS_OK);
  expect_nothing_left (__i__ % 2);
}

END_TEST;

/* 200 means that it plays once, not twice. */
GST_START_TEST (test_udp_viewer_that_plays_on_two_connections_is_one)
{
  serve_and_set_up (__i__ / 2, RTSP_VIEWER_UDP);
  play_on_one ();
  receive_more (3);
  ask_on_other (GST_RTSP_PLAY);
  receive_more (5);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
  fail_unless_equals_int (rtsp_viewer_record (one)->n_gaps, 0);
  fail_unless_equals_int (rtsp_viewer_record (one)->n_reordered, 0);
  expect_nothing_left (__i__ % 2);
}

END_TEST;

static const GstRTSPMethod endings[] = { GST_RTSP_PAUSE, GST_RTSP_TEARDOWN };

#define N_ENDINGS ((gint) G_N_ELEMENTS (endings))

/* 200 means that the packets end; anything else, that they go on. */
GST_START_TEST (test_udp_viewer_that_is_ended_on_another_connection_ends)
{
  serve_and_set_up (__i__ / N_ENDINGS, RTSP_VIEWER_UDP);
  play_on_one ();
  receive_more (3);
  if (ask_on_other (endings[__i__ % N_ENDINGS]) == GST_RTSP_STS_OK) {
    expect_silence ();
    fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
  } else {
    receive_more (5);
    fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
  }
  expect_nothing_left (FALSE);
}

END_TEST;

GST_START_TEST (test_tcp_viewer_that_is_ended_on_another_connection_ends)
{
  serve_and_set_up (__i__ / N_ENDINGS, RTSP_VIEWER_TCP);
  play_on_one ();
  receive_more (3);
  if (ask_on_other (endings[__i__ % N_ENDINGS]) == GST_RTSP_STS_OK) {
    /* the connection may end with it */
    rtsp_viewer_receive_for (one, ON_ITS_WAY, NULL);
    if (!rtsp_viewer_is_closed (one))
      expect_silence ();
    fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
  } else {
    receive_more (5);
    fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
  }
  expect_nothing_left (FALSE);
}

END_TEST;

/* A connection that only looked in takes no session with it. */
GST_START_TEST (test_udp_viewer_outlives_another_connection_that_asked)
{
  serve_and_set_up (__i__, RTSP_VIEWER_UDP);
  play_on_one ();
  receive_more (3);
  ask_on_other (GST_RTSP_GET_PARAMETER);
  rtsp_viewer_close (other);
  receive_more (10);
  fail_unless_equals_int (rtsp_viewer_record (one)->n_gaps, 0);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 1);
}

END_TEST;

static gboolean
has_no_session (gpointer unused)
{
  return live_objects_untracked ("GstRTSPSession") == 0
      && live_objects_untracked ("GstRTSPClient") == 0;
}

/* Stopped in mid-run. */
GST_START_TEST (test_sessions_on_two_connections_end_with_the_element)
{
  live_objects_start ();
  serve_and_set_up (__i__ / 2, __i__ % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  play_on_one ();
  receive_more (3);
  ask_on_other (GST_RTSP_PLAY);
  ask_on_other (GST_RTSP_GET_PARAMETER);
  sink_test_stop (test);
  viewer_log_expect_all_removed (viewer_log);
  sink_test_wait_until (has_no_session, NULL, SINK_TEST_TIMEOUT,
      "sessions and clients to go");
  fail_unless_equals_int (live_objects_untracked ("GstRTSPMedia"), 0);
}

END_TEST;

/* A SETUP that names no session begins one. */
static guint
begin_session (void)
{
  const gchar *headers[] = { "Transport",
    "RTP/AVP;unicast;client_port=40000-40001", NULL
  };
  g_autofree gchar *url = rtsp_viewer_control_url (one);
  GError *error = NULL;
  guint status = rtsp_viewer_request (other, GST_RTSP_SETUP, url, headers,
      &error);

  assert_viewer (status != 0, error);
  return status;
}

static guint
end_session (const gchar * session)
{
  const gchar *headers[] = { "Session", session, NULL };
  GError *error = NULL;
  guint status = rtsp_viewer_request (other, GST_RTSP_TEARDOWN, NULL, headers,
      &error);

  assert_viewer (status != 0, error);
  return status;
}

/* Each holds descriptors, a media of its own at worst. */
GST_START_TEST (test_one_connection_begins_sixteen_sessions)
{
  g_auto (GStrv) parts = NULL;

  serve_and_set_up (__i__, RTSP_VIEWER_TCP);
  rtsp_viewer_forget_sessions (other);
  for (guint i = 0; i < 16; i++)
    fail_unless_equals_int (begin_session (), GST_RTSP_STS_OK);
  parts = g_strsplit (rtsp_viewer_header (other, GST_RTSP_HDR_SESSION), ";", 2);

  fail_unless_equals_int (begin_session (), GST_RTSP_STS_SERVICE_UNAVAILABLE);
  fail_unless_equals_string (rtsp_viewer_reason (other), "Too Many Sessions");
  fail_unless_equals_int (end_session (parts[0]), GST_RTSP_STS_OK);
  fail_unless_equals_int (begin_session (), GST_RTSP_STS_OK);

  play_on_one ();
  receive_more (5);
}

END_TEST;

static Suite *
sessions_suite (void)
{
  Suite *suite = suite_create ("sessions");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests,
      test_tcp_viewer_cannot_play_on_another_connection, 0, N_SHARINGS);
  tcase_add_loop_test (tests,
      test_udp_viewer_that_plays_on_another_connection_is_one, 0,
      2 * N_SHARINGS);
  tcase_add_loop_test (tests,
      test_udp_viewer_that_plays_on_two_connections_is_one, 0, 2 * N_SHARINGS);
  tcase_add_loop_test (tests,
      test_udp_viewer_that_is_ended_on_another_connection_ends, 0,
      N_ENDINGS * N_SHARINGS);
  tcase_add_loop_test (tests,
      test_tcp_viewer_that_is_ended_on_another_connection_ends, 0,
      N_ENDINGS * N_SHARINGS);
  tcase_add_loop_test (tests,
      test_udp_viewer_outlives_another_connection_that_asked, 0, N_SHARINGS);
  tcase_add_loop_test (tests,
      test_sessions_on_two_connections_end_with_the_element, 0, 2 * N_SHARINGS);
  tcase_add_loop_test (tests, test_one_connection_begins_sixteen_sessions, 0,
      N_SHARINGS);
  return suite;
}

CHECK_SUITE (sessions);
