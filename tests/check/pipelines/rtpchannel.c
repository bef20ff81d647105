/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer who sends on the channel of RTP, which a viewer has nothing to send
 * on: the memory stays what it was. */

#include "hostileviewer.h"
#include "procinfo.h"
#include "sinktest.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink shared=true "
#define N_MESSAGES 2000
#define SIZE 60000
#define MAX_GROWTH_KB (24 * 1024)

#define N_VIEWERS 200
#define N_SMALL 400
#define SMALL_SIZE 100
#define MAX_LEFT_KB (6 * 1024)

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

GST_START_TEST (test_viewer_who_sends_rtp_costs_no_memory)
{
  g_autofree guint8 *data = g_malloc0 (SIZE);
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  guint before, after;

  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_units (viewer, 3, SINK_TEST_TIMEOUT,
          &error), error);
  before = proc_rss_kb ();
  data[0] = 0x80;
  for (guint i = 0; i < N_MESSAGES; i++) {
    if (!hostile_send_interleaved (viewer, __i__, data, SIZE))
      break;
    if (i % 100 == 0)
      rtsp_viewer_receive_for (viewer, 1000, NULL);
  }
  /* all that came has been read when this is answered, or the server closed */
  rtsp_viewer_request (viewer, GST_RTSP_OPTIONS, NULL, NULL, NULL);
  after = proc_rss_kb ();
  g_print ("channel %d: %u -> %u kB\n", __i__, before, after);
  fail_unless (after < before + MAX_GROWTH_KB, "channel %d: %u kB became %u kB",
      __i__, before, after);
}

END_TEST;

/* What it kept of each would add up. */
GST_START_TEST (test_viewers_who_send_rtp_and_go_leave_nothing)
{
  g_autofree guint8 *data = g_malloc0 (SMALL_SIZE);
  guint before = 0;

  for (guint i = 0; i < N_VIEWERS; i++) {
    g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test,
            NULL));
    GError *error = NULL;

    assert_viewer (rtsp_viewer_connect (viewer, &error)
        && rtsp_viewer_describe (viewer, &error)
        && rtsp_viewer_setup (viewer, RTSP_VIEWER_TCP, &error), error);
    for (guint n = 0; n < N_SMALL; n++) {
      if (!hostile_send_interleaved (viewer, 0, data, SMALL_SIZE))
        break;
    }
    /* as above */
    rtsp_viewer_request (viewer, GST_RTSP_OPTIONS, NULL, NULL, NULL);
    if (i == N_VIEWERS / 10)
      before = proc_rss_kb ();
  }
  fail_unless (proc_rss_kb () < before + MAX_LEFT_KB, "%u kB became %u kB",
      before, proc_rss_kb ());
}

END_TEST;

static Suite *
rtpchannel_suite (void)
{
  Suite *suite = suite_create ("rtpchannel");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_viewer_who_sends_rtp_costs_no_memory, 0, 2);
  tcase_add_test (tests, test_viewers_who_send_rtp_and_go_leave_nothing);
  return suite;
}

CHECK_SUITE (rtpchannel);
