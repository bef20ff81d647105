/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* An encoder or a viewer that is too slow: who feeds and who else watches does
 * not feel it. */

#include "sinktest.h"

#include <gst/video/video.h>

#include "appfeed.h"

/* Five frames a second. */
#define SLOW_ENCODER "encoder=\"identity sleep-time=200000 ! x264enc " \
    "tune=zerolatency speed-preset=ultrafast\""
/* Noise: a viewer that does not read has its buffers full in a second or two. */
#define HEAVY "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420," \
    "width=640,height=480,framerate=25/1 ! identity name=feed " \
    "! rtspserversink bitrate=8000000 key-unit-interval=60000"

#define CLOCK_RATE 90000
#define FRAME_TICKS (CLOCK_RATE / 25)
/* Room for some segments of the loopback: with less the kernel takes seconds to
 * begin again. */
#define SMALL_BUFFER 65536

static SinkTest *test;
static BufferCounter *fed;

static void
teardown (void)
{
  g_clear_pointer (&fed, buffer_counter_free);
  g_clear_pointer (&test, sink_test_free);
}

static void
start (const gchar * launch)
{
  test = sink_test_new (launch);
  fed = buffer_counter_new (test, "feed", "src");
  sink_test_play (test);
}

static void
receive_for (RtspViewer * viewer, gint64 duration)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_for (viewer, duration, &error), error);
}

static RtspViewer *
start_stalled_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  rtsp_viewer_set_receive_buffer (viewer, SMALL_BUFFER);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  return viewer;
}

static gdouble
age_by_report (RtspRecord * record, RtspUnit * unit)
{
  gint64 captured, clocks = g_get_real_time () - g_get_monotonic_time ();

  fail_unless (rtsp_record_capture_time (record, unit, &captured));
  return (unit->arrival + clocks - captured) / 1e6;
}

/* From capture to arrival, in seconds, of the unit with this index. */
static gdouble
age_of_unit (RtspViewer * viewer, guint index)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  GError *error = NULL;

  if (record->reports->len == 0)
    assert_viewer (rtsp_viewer_wait_report (viewer, SINK_TEST_TIMEOUT, &error),
        error);
  return age_by_report (record, rtsp_record_unit (record, index));
}

/* --- a slow encoder --- */

/* Frames are left out, not sent later and later. */
GST_START_TEST (test_slow_encoder_holds_up_no_live_input)
{
  g_autoptr (RtspViewer) viewer = NULL;
  gint64 start_time;
  gdouble age;
  guint before;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! identity name=feed ! rtspserversink " SLOW_ENCODER);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 2);
  before = buffer_counter_count (fed);
  start_time = g_get_monotonic_time ();
  sink_test_receive (viewer, 20);
  /* 25 a second, whatever becomes of them */
  fail_unless ((buffer_counter_count (fed) - before + 2) * 1.1
      > 25 * (g_get_monotonic_time () - start_time) / 1e6);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
  age = age_of_unit (viewer, 19);
  fail_unless (age < sink_test_time_factor (), "%.3f s old", age);
}

END_TEST;

#ifndef __SANITIZE_ADDRESS__
GST_START_TEST (test_slow_encoder_lets_no_frames_pile_up)
{
  g_autoptr (RtspViewer) viewer = NULL;
  guint before;

  start ("videotestsrc is-live=true pattern=black ! video/x-raw,format=BGR,"
      "width=1280,height=720,framerate=25/1 ! identity name=feed "
      "! rtspserversink " SLOW_ENCODER);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 5);
  before = proc_rss_kb ();
  sink_test_receive (viewer, 25);
  /* four seconds of frames are 276 MB */
  fail_unless (proc_rss_kb () < before + 30 * 1024, "%u kB became %u kB",
      before, proc_rss_kb ());
}

END_TEST;
#endif

/* --- a source with few buffers --- */

static GstBufferPool *
new_pool (GstCaps * caps, guint n)
{
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;

  gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_set_params (config, caps, info.size, n, n);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  return pool;
}

static gboolean
answer_latency (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* A pad that feeds the element without any queue between. */
static GstPad *
link_pad (GstElement * element, GstCaps * caps)
{
  GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_set_query_function (src, answer_latency);
  gst_pad_set_active (src, TRUE);
  fail_unless_equals_int (gst_pad_link_full (src, sink,
          GST_PAD_LINK_CHECK_NOTHING), GST_PAD_LINK_OK);
  gst_pad_push_event (src, gst_event_new_stream_start ("test"));
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  return src;
}

/* Pushes a frame without time stamp; FALSE if the pool has none. */
static gboolean
push_from_pool (GstPad * pad, GstBufferPool * pool)
{
  GstBufferPoolAcquireParams params = {
    .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
  };
  GstBuffer *frame;

  if (gst_buffer_pool_acquire_buffer (pool, &frame, &params) != GST_FLOW_OK)
    return FALSE;
  fail_unless_equals_int (gst_pad_push (pad, frame), GST_FLOW_OK);
  return TRUE;
}

static const gchar *const sinks[] = {
  "rtspserversink", "rtspserversink codec=raw", "rtspserversink " SLOW_ENCODER
};

/* A camera driver with four buffers: it loses what it finds no buffer for. */
GST_START_TEST (test_source_with_four_buffers_never_runs_dry)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (APP_FEED_CAPS);
  GstBufferPool *pool = new_pool (caps, 4);
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (RtspViewer) prepared = NULL;
  GError *error = NULL;
  GstPad *pad;
  guint i, missed = 0;

  test = sink_test_new (sinks[__i__]);
  sink_test_try_state (test, GST_STATE_PLAYING);
  pad = link_pad (sink_test_element (test, NULL), caps);
  fail_unless (push_from_pool (pad, pool));
  sink_test_play (test);
  prepared = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (prepared, &error), error);
  assert_viewer (rtsp_viewer_describe (prepared, &error), error);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (i = 0; i < 75; i++) {
    missed += !push_from_pool (pad, pool);
    receive_for (viewer, 40 * 1000);
  }
  /* none but for what a busy machine holds up */
  fail_unless (missed < 75 / 10, "%u missed", missed);
  fail_unless (rtsp_record_count (rtsp_viewer_record (viewer)) > 10);
  g_clear_pointer (&test, sink_test_free);
  gst_pad_set_active (pad, FALSE);
  gst_object_unref (pad);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

END_TEST;

/* --- a viewer that does not read --- */

static gboolean
is_alone (RtspViewer * viewer, gpointer data)
{
  return sink_test_num_viewers (test, NULL) == 1;
}

/* The other viewer sees every frame, and the stalled one is thrown out. */
GST_START_TEST (test_stalled_viewer_disturbs_nobody_and_is_closed)
{
  g_autoptr (RtspViewer) steady = NULL;
  g_autoptr (RtspViewer) stalled = NULL;
  RtspRecord *record;
  GError *error = NULL;
  guint n;

  start (HEAVY);
  steady = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  stalled = start_stalled_viewer ();
  sink_test_wait_num_viewers (test, NULL, 2, SINK_TEST_TIMEOUT);
  assert_viewer (rtsp_viewer_receive_until (steady, is_alone, NULL,
          2 * SINK_TEST_TIMEOUT, "the stalled viewer's end", &error), error);
  record = rtsp_viewer_record (steady);
  n = rtsp_record_count (record);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  /* What is left out is what a busy machine did not encode in time. */
  fail_unless ((rtsp_record_unit (record, n - 1)->rtp_time
          - rtsp_record_unit (record, 0)->rtp_time) / FRAME_TICKS
      <= (n - 1) * 1.1);
  fail_unless (rtsp_record_longest_gap (record)
      < buffer_counter_longest_gap (fed) + 500 * 1000);
}

END_TEST;

#ifndef __SANITIZE_ADDRESS__
/* While it is stalled, what waits for it is bounded. */
GST_START_TEST (test_stalled_viewers_take_little_memory)
{
  RtspViewer *stalled[4];
  guint i, before;

  start (HEAVY);
  for (i = 0; i < G_N_ELEMENTS (stalled); i++)
    stalled[i] = start_stalled_viewer ();
  buffer_counter_wait (fed, 75, SINK_TEST_TIMEOUT);
  before = proc_rss_kb ();
  /* 1 MB a second for each */
  buffer_counter_wait (fed, 225, SINK_TEST_TIMEOUT);
  fail_unless (proc_rss_kb () < before + 12 * 1024, "%u kB became %u kB",
      before, proc_rss_kb ());
  for (i = 0; i < G_N_ELEMENTS (stalled); i++)
    rtsp_viewer_free (stalled[i]);
}

END_TEST;
#endif

static gboolean
is_up_to_date (RtspViewer * viewer, gpointer data)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  return age_by_report (record,
      rtsp_record_unit (record, rtsp_record_count (record) - 1)) < 0.5;
}

/* Whole packets in order, from key unit to key unit, and then now again. */
GST_START_TEST (test_viewer_that_reads_again_skips_to_a_key_unit)
{
  g_autoptr (RtspViewer) reference = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  GError *error = NULL;
  guint i, n_jumps = 0;

  start (HEAVY);
  reference = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  viewer = start_stalled_viewer ();
  receive_for (reference, 4 * G_USEC_PER_SEC);
  record = rtsp_viewer_record (viewer);
  receive_for (viewer, 2 * G_USEC_PER_SEC);
  sink_test_receive (viewer, rtsp_record_count (record) + 5);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_malformed, 0);
  fail_unless (rtsp_record_times_rise (record));
  for (i = 1; i < rtsp_record_count (record); i++) {
    RtspUnit *unit = rtsp_record_unit (record, i);

    if (unit->rtp_time - rtsp_record_unit (record, i - 1)->rtp_time
        > 10 * FRAME_TICKS) {
      n_jumps++;
      fail_unless (rtsp_unit_is_clean_start (unit), "unit %u", i);
    }
  }
  fail_unless (n_jumps > 0);
  age_of_unit (viewer, 0);
  assert_viewer (rtsp_viewer_receive_until (viewer, is_up_to_date, NULL,
          SINK_TEST_TIMEOUT, "a picture of now", &error), error);
}

END_TEST;

/* What waited for it when it paused is not what it sees when it plays, but for
 * one unit of which the socket has taken a part (docs/decisions.md, PAUSE). */
GST_START_TEST (test_stalled_viewer_that_pauses_and_plays_sees_now)
{
  g_autoptr (RtspViewer) reference = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  guint begin = 0;
  RtspRtpInfo info;
  GError *error = NULL;

  start (HEAVY);
  reference = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  viewer = start_stalled_viewer ();
  record = rtsp_viewer_record (viewer);
  receive_for (reference, 3 * G_USEC_PER_SEC);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  /* what was in the sockets already */
  receive_for (viewer, G_USEC_PER_SEC);
  rtsp_record_clear (record);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, 5);
  fail_unless (rtsp_viewer_rtp_info (viewer, &info));
  if (rtsp_record_unit (record, 0)->first_seq != info.seq)
    begin = 1;
  fail_unless_equals_int (rtsp_record_unit (record, begin)->first_seq,
      info.seq);
  /* damaged by the gap behind the unit that was left, else whole */
  fail_unless (rtsp_record_unit (record, begin)->key);
  /* three seconds and more, if it were what waited */
  fail_unless (age_of_unit (viewer, begin) < 1.5);
}

END_TEST;

/* gst-rtsp-server aborts when its backlog is shorter than nothing. */
static GstClockTime
starts_again (guint n, GstClockTime now, gpointer data)
{
  return n % 100 * (GST_SECOND / 25) + 5 * GST_SECOND * (n / 50 % 2);
}

GST_START_TEST (test_stalled_viewer_bears_stamps_that_go_back)
{
  g_autoptr (RtspViewer) steady = NULL;
  g_autoptr (RtspViewer) stalled = NULL;
  AppFeed *feed;

  test = sink_test_new ("appsrc name=feed format=time is-live=true caps="
      APP_FEED_CAPS " ! rtspserversink codec=raw");
  sink_test_try_state (test, GST_STATE_PLAYING);
  feed = app_feed_start (test, "feed", 100, starts_again, NULL);
  sink_test_play (test);
  steady = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  stalled = start_stalled_viewer ();
  receive_for (steady, 6 * G_USEC_PER_SEC);
  sink_test_receive (steady,
      rtsp_record_count (rtsp_viewer_record (steady)) + 10);
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (steady)));
  app_feed_stop (feed);
}

END_TEST;

/* --- no pressure at all --- */

static gint
missing_of_five_seconds (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint n = rtsp_record_count (record), before = buffer_counter_count (fed);

  receive_for (viewer, 5 * G_USEC_PER_SEC);
  return buffer_counter_count (fed) - before - (rtsp_record_count (record) - n);
}

/* A busy machine spoils one stretch of time or another, not each. */
GST_START_TEST (test_every_frame_arrives_while_the_encoder_keeps_up)
{
  g_autoptr (RtspViewer) viewer = NULL;
  gint missing = G_MAXINT;
  guint i;

  start ("videotestsrc is-live=true ! video/x-raw,format=I420,width=640,"
      "height=480,framerate=30/1 ! identity name=feed ! rtspserversink");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 10);
  /* of 150, some of them on their way */
  for (i = 0; i < 4 && missing > 3; i++)
    missing = missing_of_five_seconds (viewer);
  fail_unless (missing <= 3, "%d are missing", missing);
}

END_TEST;

static Suite *
pressure_suite (void)
{
  Suite *suite = suite_create ("pressure");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_slow_encoder_holds_up_no_live_input);
#ifndef __SANITIZE_ADDRESS__
  tcase_add_test (tests, test_slow_encoder_lets_no_frames_pile_up);
  tcase_add_test (tests, test_stalled_viewers_take_little_memory);
#endif
  tcase_add_loop_test (tests, test_source_with_four_buffers_never_runs_dry, 0,
      G_N_ELEMENTS (sinks));
  tcase_add_test (tests, test_stalled_viewer_disturbs_nobody_and_is_closed);
  tcase_add_test (tests, test_viewer_that_reads_again_skips_to_a_key_unit);
  tcase_add_test (tests, test_stalled_viewer_that_pauses_and_plays_sees_now);
  tcase_add_test (tests, test_stalled_viewer_bears_stamps_that_go_back);
  tcase_add_test (tests, test_every_frame_arrives_while_the_encoder_keeps_up);
  return suite;
}

CHECK_SUITE (pressure);
