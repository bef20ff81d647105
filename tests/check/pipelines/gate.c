/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Requests that the element does not serve, or not in this form: each is answered
 * as it should be, and who watches goes on. */

#include "hostileviewer.h"
#include "sinktest.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink name=s"
#define WITH_AUDIO LIVE " audiotestsrc is-live=true ! s.audio_0"
#define TCP "RTP/AVP/TCP;unicast;interleaved="
#define N_UNITS 3

static SinkTest *test;

static void
setup (void)
{
  test = sink_test_new (LIVE);
  sink_test_play (test);
}

static void
setup_with_audio (void)
{
  test = sink_test_new (WITH_AUDIO);
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

static gchar *
make_url (const gchar * rest)
{
  return g_strconcat (sink_test_uri (test, NULL), rest, NULL);
}

/* A SETUP of the video, with one more header. */
static guint
set_up (RtspViewer * viewer, const gchar * transport, const gchar * name,
    const gchar * value)
{
  g_autofree gchar *url = make_url ("/stream=0");
  const gchar *headers[] = { "Transport", transport, name, value, NULL };

  return request (viewer, GST_RTSP_SETUP, url, headers);
}

static guint
ask (RtspViewer * viewer, GstRTSPMethod method, const gchar * rest)
{
  g_autofree gchar *url = make_url (rest);

  return request (viewer, method, url, NULL);
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
    g_autofree gchar *url = make_url (foreign[i].path);
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

/* --- headers that mean nothing here --- */

static const struct
{
  const gchar *name;
  const gchar *value;
} headers_of_setup[] = {
  /* the library ends at a key of no size, and never at a key exchange by DH */
  {"KeyMgmt", "prot=mikey;uri=\"x\";data=\"AQABAAAAAAEBAAAAAAABAAAAAAAAAAAA\""},
  {"KeyMgmt", "prot=mikey;uri=\"x\";data=\"AQADAAAAAAEBAAAAAAABAAAAAA==\""},
  {"Blocksize", "1"},
  {"Blocksize", "99999999999999999999"},
  {"Accept-Ranges", "parsecs"},
  {"Pipelined-Requests", "1"},
};

GST_START_TEST (test_setup_header_that_means_nothing_is_overlooked)
{
  for (gsize i = 0; i < G_N_ELEMENTS (headers_of_setup); i++) {
    g_autoptr (RtspViewer) viewer = connect_viewer ();

    fail_unless_equals_int (set_up (viewer, TCP "0-1",
            headers_of_setup[i].name, headers_of_setup[i].value),
        GST_RTSP_STS_OK);
    fail_unless_equals_int (ask (viewer, GST_RTSP_PLAY, ""), GST_RTSP_STS_OK);
  }
}

END_TEST;

GST_START_TEST (test_play_header_that_means_nothing_is_overlooked)
{
  static const gchar *const headers[] = { "Range", "npt=0-", "Seek-Style",
    "RAP", NULL
  };
  g_autoptr (RtspViewer) viewer = connect_viewer ();

  fail_unless_equals_int (set_up (viewer, TCP "0-1", NULL, NULL),
      GST_RTSP_STS_OK);
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, headers),
      GST_RTSP_STS_OK);
  fail_if (rtsp_viewer_header (viewer, GST_RTSP_HDR_SEEK_STYLE) != NULL);
}

END_TEST;

/* --- transports --- */

static const struct
{
  const gchar *wish;
  const gchar *answer;          /* how it begins */
} wishes[] = {
  /* in the client's order, however many are not offered */
  {TCP "0-1,RTP/AVP;unicast;client_port=5000-5001", "RTP/AVP/TCP"},
  {"RTP/AVP;unicast;client_port=5000-5001," TCP "0-1", "RTP/AVP;"},
  {"RTP/SAVP;unicast;client_port=5000-5001,MP2T/H2221/UDP;unicast,"
        "RTP/AVP;multicast," TCP "2-3", TCP "2-3"},
  {TCP "4-5,RTP/SAVP;unicast;client_port=5000-5001", TCP "4-5"},
  {TCP "4-5,garbage", TCP "4-5"},
  {TCP "400-401," TCP "6-7", TCP "6-7"},
  {TCP "0-1;mode=record," TCP "8-9;mode=\"PLAY\"", TCP "8-9"},
  /* what cannot be sent to */
  {"RTP/AVP;unicast," TCP "0-1", TCP "0-1"},
  {"RTP/AVP;unicast;client_port=0-1," TCP "0-1", TCP "0-1"},
  /* spaces, capitals, fields that nobody knows */
  {"RTP/AVP/TCP; unicast; interleaved=10-11", TCP "10-11"},
  {"rtp/avp/tcp;UNICAST;Interleaved=12-13", TCP "12-13"},
  {TCP "0-1;x-unknown=%n;;source=10.0.0.1;append", TCP "0-1"},
};

GST_START_TEST (test_transport_is_the_first_that_is_offered)
{
  for (gsize i = 0; i < G_N_ELEMENTS (wishes); i++) {
    g_autoptr (RtspViewer) viewer = connect_viewer ();
    const gchar *given;

    fail_unless_equals_int (set_up (viewer, wishes[i].wish, NULL, NULL),
        GST_RTSP_STS_OK);
    given = rtsp_viewer_header (viewer, GST_RTSP_HDR_TRANSPORT);
    fail_unless (g_str_has_prefix (given, wishes[i].answer),
        "'%s' is answered '%s'", wishes[i].wish, given);
  }
}

END_TEST;

GST_START_TEST (test_transport_of_which_none_is_offered_is_refused)
{
  static const gchar *const none[] = { "", "garbage", "garbage,,;,/",
    "RTP/AVP;unicast", "RTP/AVP;multicast,RTP/SAVP;unicast;client_port=5000",
    "RTP/AVP;unicast;client_port=99999-100000", TCP "0-1;mode=record",
    "RTP/AVP/TCP;multicast", "RAW/RAW/UDP;unicast;client_port=5000-5001"
  };
  g_autoptr (RtspViewer) viewer = connect_viewer ();

  for (gsize i = 0; i < G_N_ELEMENTS (none); i++)
    fail_unless (set_up (viewer, none[i], NULL, NULL) ==
        GST_RTSP_STS_UNSUPPORTED_TRANSPORT, "'%s' is answered %u", none[i],
        rtsp_viewer_status (viewer));
  fail_unless_equals_int (ask (viewer, GST_RTSP_SETUP, "/stream=0"),
      GST_RTSP_STS_UNSUPPORTED_TRANSPORT);
}

END_TEST;

/* --- methods and versions --- */

GST_START_TEST (test_method_that_is_not_served_is_refused)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_ANNOUNCE, GST_RTSP_RECORD,
    GST_RTSP_REDIRECT
  };
  g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_TCP);
  g_autofree gchar *served = NULL;

  fail_unless_equals_int (ask (viewer, GST_RTSP_OPTIONS, ""), GST_RTSP_STS_OK);
  served = rtsp_viewer_dup_headers (viewer, GST_RTSP_HDR_PUBLIC);
  fail_unless (strstr (served, "GET_PARAMETER") != NULL
      && strstr (served, "RECORD") == NULL, "Public is '%s'", served);

  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++) {
    g_autofree gchar *allowed = NULL;

    fail_unless_equals_int (ask (viewer, methods[i], ""),
        GST_RTSP_STS_METHOD_NOT_ALLOWED);
    allowed = rtsp_viewer_dup_headers (viewer, GST_RTSP_HDR_ALLOW);
    fail_unless_equals_string (allowed, served);
  }
  fail_unless_equals_int (ask (viewer, UNKNOWN, ""),
      GST_RTSP_STS_NOT_IMPLEMENTED);
  check_goes_on (viewer);
}

END_TEST;

static const GstRTSPMethod methods_of_version_1[] = { GST_RTSP_OPTIONS,
  GST_RTSP_DESCRIBE, GST_RTSP_SETUP, GST_RTSP_PLAY, GST_RTSP_GET_PARAMETER
};

/* Clients that know both versions go on with the older one. */
GST_START_TEST (test_version_that_is_not_served_is_told_so)
{
  g_autoptr (RtspViewer) viewer = connect_viewer ();
  GError *error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (methods_of_version_1); i++) {
    GstRTSPMessage message = { 0, };

    gst_rtsp_message_init_request (&message, methods_of_version_1[i],
        sink_test_uri (test, NULL));
    message.type_data.request.version = GST_RTSP_VERSION_2_0;
    fail_unless (hostile_send_message (viewer, &message));
    gst_rtsp_message_unset (&message);
    fail_unless_equals_int (rtsp_viewer_wait_response (viewer, &error),
        GST_RTSP_STS_RTSP_VERSION_NOT_SUPPORTED);
  }
  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, RTSP_VIEWER_TCP, &error)
      && rtsp_viewer_play (viewer, &error), error);
  check_goes_on (viewer);
}

END_TEST;

/* --- lines --- */

static gsize
count_answered (const gchar * lines)
{
  g_autoptr (RtspViewer) viewer = connect_viewer ();
  g_autofree gchar *text = g_strdup_printf (lines, sink_test_uri (test, NULL));

  fail_unless (hostile_send (viewer, text, strlen (text)));
  return hostile_wait_bytes (viewer, SINK_TEST_TIMEOUT);
}

/* An answer, not a closed door. */
GST_START_TEST (test_lines_of_bad_form_are_answered)
{
  static const gchar *const forms[] = {
    "OPTIONS %s RTSP/1.0\nCSeq: 1\n\n",
    "OPTIONS %s RTSP/1.0\rCSeq: 1\r\r",
    "OPTIONS %s RTSP/1.0\r\n\r\n",
    "OPTIONS %s RTSP/1.0\r\nCSeq: none\r\n\r\n",
    "OPTIONS %s RTSP/1.0\r\nCSeq\r\n\r\n",
    "options %s RTSP/1.0\r\nCSeq: 1\r\n\r\n",
    "OPTIONS %s RTSP/1.0 \r\nCSeq: 1\r\n\r\n",
    "OPTIONS %s\r\nCSeq: 1\r\n\r\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (forms); i++)
    fail_unless (count_answered (forms[i]) > 0,
        "no answer to form %" G_GSIZE_FORMAT, i);
}

END_TEST;

/* --- the URL of a method for the whole stream --- */

static const struct
{
  RtspViewerStreams streams;    /* that are set up */
  const gchar *rest;            /* of the URL; NULL: no path */
  guint play, pause, teardown;
} aggregates[] = {
  {RTSP_VIEWER_VIDEO, "", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "/", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "?x=1", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, NULL, 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "/*", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "/stream=0", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "/stream=0/", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "?x=1/stream=0", 200, 200, 200},
  {RTSP_VIEWER_VIDEO, "/stream=1", 460, 460, 460},
  {RTSP_VIEWER_VIDEO, "/other", 460, 460, 460},
  {RTSP_VIEWER_VIDEO, "other", 404, 404, 404},
  {RTSP_VIEWER_AUDIO, "/stream=1", 200, 200, 200},
  {RTSP_VIEWER_AUDIO, "/stream=0", 460, 460, 460},
  {RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO, "", 200, 200, 200},
  {RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO, NULL, 200, 200, 200},
  {RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO, "/*", 200, 200, 200},
  /* what plays is what was set up; but one track is not both */
  {RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO, "/stream=0", 200, 460, 460},
  {RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO, "/stream=1", 200, 460, 460},
};

static guint
ask_aggregate (RtspViewer * viewer, GstRTSPMethod method, const gchar * rest)
{
  g_autofree gchar *bare = g_strdup_printf ("rtsp://127.0.0.1:%u",
      sink_test_port (test, NULL));

  return rest != NULL ? ask (viewer, method, rest) :
      request (viewer, method, bare, NULL);
}

GST_START_TEST (test_aggregate_method_on_another_url)
{
  g_autoptr (RtspViewer) viewer = connect_viewer ();
  RtspViewerStreams streams = aggregates[__i__].streams;
  const gchar *rest = aggregates[__i__].rest;
  GError *error = NULL;

  rtsp_viewer_set_streams (viewer, streams);
  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, RTSP_VIEWER_TCP, &error), error);
  fail_unless_equals_int (ask_aggregate (viewer, GST_RTSP_PLAY, rest),
      aggregates[__i__].play);
  if (aggregates[__i__].play != GST_RTSP_STS_OK)
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
  assert_viewer (rtsp_viewer_receive_streams (viewer,
          streams & RTSP_VIEWER_VIDEO ? N_UNITS : 0,
          streams & RTSP_VIEWER_AUDIO ? N_UNITS : 0, SINK_TEST_TIMEOUT,
          &error), error);
  fail_unless_equals_int (ask_aggregate (viewer, GST_RTSP_PAUSE, rest),
      aggregates[__i__].pause);
  fail_unless_equals_int (ask_aggregate (viewer, GST_RTSP_TEARDOWN, rest),
      aggregates[__i__].teardown);
  sink_test_wait_num_viewers (test, NULL,
      aggregates[__i__].teardown == GST_RTSP_STS_OK ? 0 : 1, SINK_TEST_TIMEOUT);
}

END_TEST;

/* Clients that put the URL of a track together from the one that was typed. */
GST_START_TEST (test_setup_with_the_control_in_the_query)
{
  static const gchar *const headers[] = { "Transport", TCP "0-1", NULL };
  static const gchar *const urls[] = { "?a=b&c=d/stream=1",
    "?a=b/stream=1?a=b", "/stream=1?a=b", "/?a=b/stream=1", "/stream=1/",
    "//stream=1"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (urls); i++) {
    g_autoptr (RtspViewer) viewer = connect_viewer ();
    g_autofree gchar *url = make_url (urls[i]);
    GError *error = NULL;

    /* the audio has come by then */
    assert_viewer (rtsp_viewer_describe (viewer, &error), error);
    fail_unless_equals_int (request (viewer, GST_RTSP_SETUP, url, headers),
        GST_RTSP_STS_OK);
    fail_unless_equals_int (ask (viewer, GST_RTSP_PLAY, "?a=b"),
        GST_RTSP_STS_OK);
    /* as the client knows it; but the library takes slashes out */
    fail_unless (i > 2 || g_str_has_prefix (strstr (rtsp_viewer_header (viewer,
                    GST_RTSP_HDR_RTP_INFO), "rtsp://"), url));
  }
}

END_TEST;

/* --- paths --- */

GST_START_TEST (test_path_that_nobody_serves_is_not_found)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_DESCRIBE, GST_RTSP_SETUP,
    GST_RTSP_PLAY, GST_RTSP_PAUSE, GST_RTSP_TEARDOWN
  };
  static const gchar *const headers[] = { "Transport", TCP "0-1", NULL };
  g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
      RTSP_VIEWER_TCP);
  g_autofree gchar *url = make_url ("nowhere");

  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++) {
    fail_unless_equals_int (request (viewer, methods[i], url, headers),
        GST_RTSP_STS_NOT_FOUND);
    fail_unless (request (viewer, methods[i], "*", headers) >= 400);
  }
  check_goes_on (viewer);
}

END_TEST;

/* --- several streams over one connection --- */

/* While one goes over it, no other may: the library changes under what sends. */
GST_START_TEST (test_second_stream_over_a_connection_is_refused)
{
  g_autoptr (RtspViewer) viewer = connect_viewer ();
  g_autofree gchar *first = NULL;
  g_autofree gchar *second = NULL;
  const gchar *headers[] = { "Session", NULL, NULL };
  GError *error = NULL;

  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, RTSP_VIEWER_TCP, &error), error);
  first = dup_session (viewer);
  rtsp_viewer_forget_sessions (viewer);
  fail_unless_equals_int (set_up (viewer, TCP "4-5", NULL, NULL),
      GST_RTSP_STS_OK);
  second = dup_session (viewer);
  headers[1] = first;
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, headers),
      GST_RTSP_STS_OK);
  check_goes_on (viewer);

  headers[1] = second;
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, headers),
      GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE);
  fail_unless_equals_int (request (viewer, GST_RTSP_TEARDOWN, NULL, headers),
      GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE);
  fail_unless_equals_int (set_up (viewer, TCP "2-3", NULL, NULL),
      GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE);
  fail_unless_equals_int (set_up (viewer,
          "RTP/AVP;unicast;client_port=40000-40001", NULL, NULL),
      GST_RTSP_STS_OK);
  check_goes_on (viewer);

  /* when it has gone, another one may */
  headers[1] = first;
  fail_unless_equals_int (request (viewer, GST_RTSP_TEARDOWN, NULL, headers),
      GST_RTSP_STS_OK);
  headers[1] = second;
  fail_unless_equals_int (request (viewer, GST_RTSP_PLAY, NULL, headers),
      GST_RTSP_STS_OK);
}

END_TEST;

static Suite *
gate_suite (void)
{
  Suite *suite = suite_create ("gate");
  TCase *tests = tcase_create ("general");
  TCase *with_audio = tcase_create ("with audio");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_foreign_session_is_not_found_and_goes_on, 0,
      2);
  tcase_add_test (tests, test_foreign_session_in_a_response_goes_on);
  tcase_add_test (tests, test_setup_header_that_means_nothing_is_overlooked);
  tcase_add_test (tests, test_play_header_that_means_nothing_is_overlooked);
  tcase_add_test (tests, test_transport_is_the_first_that_is_offered);
  tcase_add_test (tests, test_transport_of_which_none_is_offered_is_refused);
  tcase_add_test (tests, test_method_that_is_not_served_is_refused);
  tcase_add_test (tests, test_version_that_is_not_served_is_told_so);
  tcase_add_test (tests, test_lines_of_bad_form_are_answered);
  tcase_add_test (tests, test_path_that_nobody_serves_is_not_found);
  tcase_add_test (tests, test_second_stream_over_a_connection_is_refused);

  suite_add_tcase (suite, with_audio);
  tcase_add_checked_fixture (with_audio, setup_with_audio, teardown);
  tcase_add_loop_test (with_audio, test_aggregate_method_on_another_url, 0,
      G_N_ELEMENTS (aggregates));
  tcase_add_test (with_audio, test_setup_with_the_control_in_the_query);
  return suite;
}

CHECK_SUITE (gate);
