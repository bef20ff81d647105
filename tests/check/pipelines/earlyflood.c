/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
#include "hostileviewer.h"
#include "procinfo.h"
#include "rtspviewer-private.h"
#include "sinktest.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "
#define SIZE 100000
#define N_CONNECTIONS 6

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

/* It comes before the server has made a client of the connection, and has no
 * line end. Others are served nevertheless. */
GST_START_TEST (test_connections_that_send_much_at_once_disturb_nobody)
{
  g_autofree gchar *data = g_malloc (SIZE);
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GPtrArray) connections =
      g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (RtspViewer) viewer = NULL;

  memset (data, 'a', SIZE);
  for (guint i = 0; i < N_CONNECTIONS; i++) {
    GSocketConnection *connection = g_socket_client_connect_to_host (client,
        "127.0.0.1", sink_test_port (test, NULL), NULL, NULL);
    GSocket *socket = g_socket_connection_get_socket (connection);

    g_ptr_array_add (connections, connection);
    g_socket_set_blocking (socket, FALSE);
    g_socket_send (socket, data, SIZE, NULL, NULL);
  }
  g_ptr_array_set_size (connections, 0);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
}

END_TEST;

GST_START_TEST (test_tunneled_viewer_who_sends_rtp_costs_no_memory)
{
  g_autofree guint8 *data = g_malloc0 (60000);
  g_autoptr (RtspViewer) viewer = NULL;
  guint before, after, n_sent = 0;

  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_HTTP);
  before = proc_rss_kb ();
  data[0] = 0x80;
  for (guint i = 0; i < 2000; i++) {
    GstRTSPMessage m = { 0 };
    GstRTSPResult r;

    gst_rtsp_message_init_data (&m, 0);
    gst_rtsp_message_set_body (&m, data, 60000);
    r = gst_rtsp_connection_send_usec (viewer->connection, &m, G_USEC_PER_SEC);
    gst_rtsp_message_unset (&m);
    n_sent += r == GST_RTSP_OK;
    if (r != GST_RTSP_OK || rtsp_viewer_is_closed (viewer))
      break;
    if (i % 100 == 0)
      rtsp_viewer_receive_for (viewer, 1000, NULL);
    if (rtsp_viewer_is_closed (viewer))
      break;
  }
  if (!rtsp_viewer_is_closed (viewer))
    rtsp_viewer_request (viewer, GST_RTSP_OPTIONS, NULL, NULL, NULL);
  after = proc_rss_kb ();
  g_print ("%u -> %u kB, %u sent\n", before, after, n_sent);
  fail_unless (after < before + 24 * 1024, "%u kB became %u kB", before, after);
}

END_TEST;

/* A line without end, in the middle of a session. The thread that reads it looks
 * at nothing else. */
GST_START_TEST (test_request_without_end_ends_its_connection)
{
  g_autofree gchar *data = g_malloc (SIZE);
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  g_autoptr (RtspViewer) viewer = NULL;

  memset (data, 'a', SIZE);
  viewer = sink_test_start_viewer (test, NULL, __i__);
  sink_test_wait_num_viewers (test, NULL, 1, SINK_TEST_TIMEOUT);
  while (sink_test_num_viewers (test, NULL) > 0) {
    fail_if (g_get_monotonic_time () > deadline);
    hostile_send (viewer, data, SIZE);
  }
}

END_TEST;

static Suite *
earlyflood_suite (void)
{
  Suite *suite = suite_create ("earlyflood");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests,
      test_connections_that_send_much_at_once_disturb_nobody, 0, 3);
  tcase_add_test (tests, test_tunneled_viewer_who_sends_rtp_costs_no_memory);
  tcase_add_loop_test (tests, test_request_without_end_ends_its_connection,
      RTSP_VIEWER_TCP, RTSP_VIEWER_HTTP + 1);
  return suite;
}

CHECK_SUITE (earlyflood);
