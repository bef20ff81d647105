/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Encoded video whose encoder makes no key unit when it is asked to: viewers begin
 * with the group of pictures that is kept (gop-cache). */

#include "sinktest.h"

#define SOURCE "codesrc is-live=true ! video/x-raw,format=I420,width=64," \
    "height=48,framerate=50/1 ! "
/* The identity is where requests end. */
#define X264 "x264enc tune=zerolatency speed-preset=ultrafast key-int-max="
#define NEVER X264 "100000 ! identity name=deaf ! "
#define RARELY X264 "50 ! identity name=deaf ! "
#define SINK "rtspserversink gop-cache=true "

/* Units of many bytes: a viewer does not get many of them at once. */
#define SNOW "videotestsrc pattern=snow is-live=true ! video/x-raw," \
    "format=I420,width=320,height=240,framerate=50/1 ! x264enc " \
    "tune=zerolatency speed-preset=ultrafast bitrate=8000 " \
    "key-int-max=100000 ! identity name=deaf ! "

#define CLOCK_RATE 90000
#define FRAME_TICKS (CLOCK_RATE / 50)

static SinkTest *test;
static BufferCounter *fed;

static void
teardown (void)
{
  g_clear_pointer (&fed, buffer_counter_free);
  g_clear_pointer (&test, sink_test_free);
}

static GstPadProbeReturn
drop (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_DROP;
}

static void
start (const gchar * launch)
{
  GstPad *pad;

  test = sink_test_new (launch);
  pad = gst_element_get_static_pad (sink_test_element (test, "deaf"), "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, drop, NULL, NULL);
  gst_object_unref (pad);
  fed = buffer_counter_new (test, "deaf", "src");
  sink_test_play (test);
}

static RtspUnit *
unit (RtspViewer * viewer, guint i)
{
  return rtsp_record_unit (rtsp_viewer_record (viewer), i);
}

/* Every frame, once, in its order. */
static void
check_complete (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  fail_unless (rtsp_unit_is_clean_start (unit (viewer, 0)));
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_reordered, 0);
  for (guint i = 1; i < rtsp_record_count (record); i++)
    fail_unless_equals_int (unit (viewer, i)->rtp_time
        - unit (viewer, i - 1)->rtp_time, FRAME_TICKS);
}

/* What RTP-Info names is the first packet. */
static void
check_announced (RtspViewer * viewer)
{
  RtspRtpInfo info;

  fail_unless (rtsp_viewer_rtp_info (viewer, &info));
  fail_unless_equals_int (info.seq, unit (viewer, 0)->first_seq);
  fail_unless_equals_int (info.rtptime, unit (viewer, 0)->rtp_time);
}

static RtspViewer *
start_viewer (RtspViewerTransport transport)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, transport, &error), error);
  return viewer;
}

static const struct
{
  RtspViewerTransport transport;
  const gchar *sink;
} ways[] = {
  {RTSP_VIEWER_TCP, SINK},
  {RTSP_VIEWER_UDP, SINK},
  {RTSP_VIEWER_TCP, SINK "shared=true"},
  {RTSP_VIEWER_UDP, SINK "shared=true"},
  {RTSP_VIEWER_HTTP, SINK},
};

/* There is one key unit only, and all have it. */
GST_START_TEST (test_every_viewer_gets_all_since_the_only_key_unit)
{
  g_autofree gchar *launch = g_strconcat (SOURCE NEVER, ways[__i__].sink, NULL);
  g_autoptr (RtspViewer) early = NULL;
  g_autoptr (RtspViewer) late = NULL;

  start (launch);
  buffer_counter_wait (fed, 10, SINK_TEST_TIMEOUT);
  early = start_viewer (ways[__i__].transport);
  sink_test_receive (early, 20);
  late = start_viewer (ways[__i__].transport);
  sink_test_receive (late, 60);
  sink_test_receive (early, 60);
  check_complete (early);
  check_complete (late);
  check_announced (early);
  check_announced (late);
  fail_unless_equals_int (unit (late, 0)->rtp_time, unit (early, 0)->rtp_time);
  sink_test_check_pictures (late, 55);
}

END_TEST;

/* With the newest group, not with one of before. */
GST_START_TEST (test_viewer_begins_with_the_newest_group)
{
  g_autoptr (RtspViewer) early = NULL;
  g_autoptr (RtspViewer) late = NULL;
  guint32 since;

  start (SOURCE RARELY SINK);
  early = start_viewer (RTSP_VIEWER_TCP);
  sink_test_receive (early, 70);
  late = start_viewer (RTSP_VIEWER_TCP);
  sink_test_receive (late, 60);
  check_complete (early);
  check_complete (late);
  since = unit (late, 0)->rtp_time - unit (early, 0)->rtp_time;
  fail_unless (since >= 50 * FRAME_TICKS, "%u", since);
  fail_unless_equals_int (since % (50 * FRAME_TICKS), 0);
}

END_TEST;

GST_START_TEST (test_viewer_who_paused_does_not_go_back)
{
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  GError *error = NULL;
  guint before;

  start (SOURCE RARELY SINK);
  viewer = start_viewer (RTSP_VIEWER_TCP);
  record = rtsp_viewer_record (viewer);
  sink_test_receive (viewer, 10);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  before = rtsp_record_count (record);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, before + 20);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
}

END_TEST;

/* It has got more packets than the stream had since it came. */
GST_START_TEST (test_numbers_of_a_viewer_who_paused_go_on)
{
  g_autofree gchar *launch = g_strconcat (SOURCE RARELY, ways[__i__].sink,
      NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  GError *error = NULL;

  start (launch);
  buffer_counter_wait (fed, 30, SINK_TEST_TIMEOUT);
  viewer = start_viewer (ways[__i__].transport);
  record = rtsp_viewer_record (viewer);
  sink_test_receive (viewer, 30);
  for (guint i = 0; i < 3; i++) {
    assert_viewer (rtsp_viewer_pause (viewer, &error), error);
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
  }
  sink_test_receive (viewer, rtsp_record_count (record) + 20);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_reordered, 0);
  fail_unless (rtsp_record_times_rise (record));
}

END_TEST;

/* Frames that nobody watches are kept, those that would have to be encoded for it
 * are not. */
GST_START_TEST (test_only_encoded_input_is_kept)
{
  BufferCounter *passed;
  guint before;

  test = sink_test_new (SOURCE "identity name=deaf ! " SINK);
  fed = buffer_counter_new (test, "deaf", "src");
  passed = buffer_counter_new (test, "output", "sink");
  sink_test_play (test);
  buffer_counter_wait (fed, 10, SINK_TEST_TIMEOUT);
  before = buffer_counter_count (passed);
  buffer_counter_wait (fed, 40, SINK_TEST_TIMEOUT);
  fail_unless_equals_int (buffer_counter_count (passed), before);
  buffer_counter_free (passed);
}

END_TEST;

/* A stream that begins anew has no past. */
GST_START_TEST (test_nothing_of_before_a_restart_is_kept)
{
  g_autoptr (RtspViewer) early = NULL;
  g_autoptr (RtspViewer) next = NULL;
  guint n;

  start (SOURCE NEVER SINK);
  early = start_viewer (RTSP_VIEWER_TCP);
  sink_test_receive (early, 5);
  sink_test_set_state (test, GST_STATE_READY);
  sink_test_play (test);
  n = buffer_counter_count (fed);
  buffer_counter_wait (fed, n + 10, SINK_TEST_TIMEOUT);
  next = start_viewer (RTSP_VIEWER_TCP);
  sink_test_receive (next, 30);
  check_complete (next);
  /* later than all that came before */
  fail_unless ((gint32) (unit (next, 0)->rtp_time - unit (early,
              4)->rtp_time) > 0);
}

END_TEST;

/* Whoever has not got all of the group by then. */
GST_START_TEST (test_viewer_gets_the_rest_at_the_end)
{
  g_autofree gchar *launch = g_strconcat (SNOW, ways[__i__].sink, NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  start (launch);
  buffer_counter_wait (fed, 60, SINK_TEST_TIMEOUT);
  viewer = start_viewer (ways[__i__].transport);
  sink_test_receive (viewer, 6);
  gst_element_send_event (sink_test_pipeline (test), gst_event_new_eos ());
  assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  check_complete (viewer);
  fail_unless_equals_int (rtsp_record_count (rtsp_viewer_record (viewer)),
      buffer_counter_count (fed));
}

END_TEST;

static Suite *
keptgroup_suite (void)
{
  Suite *suite = suite_create ("keptgroup");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests,
      test_every_viewer_gets_all_since_the_only_key_unit, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (tests, test_viewer_begins_with_the_newest_group);
  tcase_add_test (tests, test_viewer_who_paused_does_not_go_back);
  tcase_add_loop_test (tests, test_numbers_of_a_viewer_who_paused_go_on, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (tests, test_only_encoded_input_is_kept);
  tcase_add_test (tests, test_nothing_of_before_a_restart_is_kept);
  tcase_add_loop_test (tests, test_viewer_gets_the_rest_at_the_end, 0,
      G_N_ELEMENTS (ways));
  return suite;
}

CHECK_SUITE (keptgroup);
