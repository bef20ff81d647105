/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* SETUP again of what plays already, or did: it may be refused (RFC 2326, 10.4:
 * 455); what is answered is what happens, and nothing of the old way is used. */

#include "sinktest.h"
#include "viewerjob.h"
#include "viewerlog.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "

static const gchar *const sharings[] = { "shared=true", "shared=false" };

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static RtspViewer *
serve_and_play (guint sharing, RtspViewerTransport transport)
{
  g_autofree gchar *line = g_strconcat (LIVE, sharings[sharing], NULL);

  test = sink_test_new (line);
  sink_test_play (test);
  return sink_test_start_viewer (test, NULL, transport);
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
set_up_again (RtspViewer * viewer, guint i)
{
  GError *error = NULL;
  gboolean ok = i % 2 ? rtsp_viewer_setup_udp (viewer, &error) :
      rtsp_viewer_setup_tcp (viewer, (i / 2 % 2) * 2, &error);

  if (!ok && !g_error_matches (error, RTSP_VIEWER_ERROR,
          RTSP_VIEWER_ERROR_STATUS))
    assert_viewer (ok, error);
  g_clear_error (&error);
  return rtsp_viewer_status (viewer);
}

/* bit 0: UDP again, bit 1: other channels, bit 2: shared, bit 3: UDP first */
GST_START_TEST (test_setup_again_while_playing)
{
  g_autoptr (RtspViewer) viewer = serve_and_play (__i__ / 4 % 2,
      __i__ / 8 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  guint status;

  receive_more (viewer, 5);
  status = set_up_again (viewer, __i__);
  GST_INFO ("SETUP again: %u", status);
  receive_more (viewer, 10);
}

END_TEST;

GST_START_TEST (test_setup_again_while_paused)
{
  g_autoptr (RtspViewer) viewer = serve_and_play (__i__ / 4 % 2,
      __i__ / 8 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  GError *error = NULL;
  guint status;

  receive_more (viewer, 5);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  status = set_up_again (viewer, __i__);
  GST_INFO ("SETUP again: %u", status);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  receive_more (viewer, 10);
}

END_TEST;

GST_START_TEST (test_setup_twice_before_play)
{
  g_autofree gchar *line = g_strconcat (LIVE, sharings[__i__ / 4 % 2], NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  test = sink_test_new (line);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  fail_unless_equals_int (set_up_again (viewer, __i__), 200);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  receive_more (viewer, 10);
}

END_TEST;

/* PLAY is refused for max-viewers, and asked again when there is a place. */
GST_START_TEST (test_play_refused_then_granted_gets_packets)
{
  g_autoptr (RtspViewer) a = NULL, b = NULL;
  RtspViewer *both[2];
  GError *error = NULL;

  test = sink_test_new (LIVE "max-viewers=1");
  sink_test_play (test);
  both[0] = a = rtsp_viewer_new (sink_test_uri (test, NULL));
  both[1] = b = rtsp_viewer_new (sink_test_uri (test, NULL));
  for (guint i = 0; i < 2; i++)
    assert_viewer (rtsp_viewer_connect (both[i], &error)
        && rtsp_viewer_describe (both[i], &error)
        && rtsp_viewer_setup (both[i], __i__ ? RTSP_VIEWER_UDP :
            RTSP_VIEWER_TCP, &error), error);
  assert_viewer (rtsp_viewer_play (a, &error), error);
  receive_more (a, 3);
  fail_if (rtsp_viewer_play (b, &error));
  g_clear_error (&error);
  fail_unless_equals_int (rtsp_viewer_status (b), 503);
  assert_viewer (rtsp_viewer_teardown (a, &error), error);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  assert_viewer (rtsp_viewer_play (b, &error), error);
  receive_more (b, 10);
}

END_TEST;

static Suite *
setupagain_suite (void)
{
  Suite *suite = suite_create ("rtspserversink-setupagain");
  TCase *tc = tcase_create ("setupagain");

  tcase_add_checked_fixture (tc, NULL, teardown);
  tcase_add_loop_test (tc, test_setup_again_while_playing, 0, 16);
  tcase_add_loop_test (tc, test_setup_again_while_paused, 0, 16);
  tcase_add_loop_test (tc, test_setup_twice_before_play, 0, 8);
  tcase_add_loop_test (tc, test_play_refused_then_granted_gets_packets, 0, 2);
  suite_add_tcase (suite, tc);
  return suite;
}

CHECK_SUITE (setupagain);
