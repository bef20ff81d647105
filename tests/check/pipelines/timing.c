/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The speed at which frames go out, and the RTP clock, whatever time stamps come
 * in. */

#include "sinktest.h"

#include "appfeed.h"

/* how a camera feeds, and how OpenCV's writer does */
#define LIVE_APP "appsrc name=feed format=time is-live=true caps=" \
    APP_FEED_CAPS " ! rtspserversink "
#define FILE_APP "appsrc name=feed format=time block=true max-buffers=2 caps=" \
    APP_FEED_CAPS " ! rtspserversink "

#define CLOCK_RATE 90000
#define RATE 25
#define FRAME (GST_SECOND / RATE)
#define FRAME_TICKS (CLOCK_RATE / RATE)
#define N_UNITS 60
/* Between RTP time and arrival: what a repair may move a frame by, and then how
 * late a busy machine is. */
#define TOLERANCE 0.35

static SinkTest *test;
static AppFeed *feed;

static void
teardown (void)
{
  g_clear_pointer (&feed, app_feed_stop);
  g_clear_pointer (&test, sink_test_free);
}

static gdouble
rtp_seconds (RtspUnit * from, RtspUnit * to)
{
  return (gint32) (to->rtp_time - from->rtp_time) / (gdouble) CLOCK_RATE;
}

static gdouble
arrival_seconds (RtspUnit * from, RtspUnit * to)
{
  return (to->arrival - from->arrival) / 1e6;
}

/* From one unit to another the RTP clock went as fast as ours. */
static void
check_speed (RtspViewer * viewer, guint from, guint to)
{
  RtspUnit *first = rtsp_record_unit (rtsp_viewer_record (viewer), from);
  RtspUnit *last = rtsp_record_unit (rtsp_viewer_record (viewer), to);

  fail_unless (ABS (rtp_seconds (first, last) - arrival_seconds (first, last))
      < TOLERANCE * sink_test_time_factor (),
      "RTP time went %.3f s in %.3f s", rtp_seconds (first, last),
      arrival_seconds (first, last));
}

static void
check_clock (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint n = rtsp_record_count (record);

  fail_unless (rtsp_record_times_rise (record));
  fail_unless_equals_int (record->n_gaps, 0);
  check_speed (viewer, 0, n - 1);
  check_speed (viewer, n / 2, n - 1);
}

/* --- live input --- */

/* Frames one by one, stamped so much ahead; the longest time in seconds that the
 * quicker half of them took from the push to the viewer. */
static gdouble
push_and_time (RtspViewer * viewer, GstClockTime lead)
{
  gdouble delays[11];
  guint i, k;

  for (i = 0; i < G_N_ELEMENTS (delays); i++) {
    gint64 pushed = g_get_monotonic_time ();

    app_feed_push (test, "feed", app_feed_now (test) + lead);
    sink_test_receive (viewer, i + 1);
    delays[i] = (rtsp_record_unit (rtsp_viewer_record (viewer), i)->arrival
        - pushed) / 1e6;
    for (k = i; k > 0 && delays[k] < delays[k - 1]; k--) {
      gdouble swapped = delays[k];

      delays[k] = delays[k - 1];
      delays[k - 1] = swapped;
    }
  }
  return delays[G_N_ELEMENTS (delays) / 2];
}

static RtspViewer *
start_with_one_frame (const gchar * launch)
{
  test = sink_test_new (launch);
  sink_test_try_state (test, GST_STATE_PLAYING);
  app_feed_push (test, "feed", 0);
  sink_test_play (test);
  return sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
}

/* A camera says how late its frames come; that is no reason to wait as long. Nor
 * is a camera's clock that is a little ahead. */
GST_START_TEST (test_live_input_is_never_paced)
{
  g_autoptr (RtspViewer) viewer = start_with_one_frame ("appsrc name=feed "
      "format=time is-live=true min-latency=500000000 caps=" APP_FEED_CAPS
      " ! rtspserversink");

  fail_unless (push_and_time (viewer, __i__ * 190 * GST_MSECOND)
      < 0.12 * sink_test_time_factor ());
}

END_TEST;

/* Frames that come early: with sync=true it is waited until it is their time. */
GST_START_TEST (test_live_input_waits_for_its_time_with_sync)
{
  g_autoptr (RtspViewer) viewer = start_with_one_frame (LIVE_APP " sync=true");
  guint i;

  for (i = 1; i <= 3; i++) {
    GstClockTime time = app_feed_now (test) + 400 * GST_MSECOND;

    app_feed_push (test, "feed", time);
    sink_test_receive (viewer, i);
    fail_unless (app_feed_now (test) >= time);
  }
}

END_TEST;

/* Before the first buffer: the pipeline asks as it begins to play. */
GST_START_TEST (test_live_sound_that_waits_adds_its_latency_to_the_pipeline)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime latency;
  gboolean live;

  test = sink_test_new ("appsrc format=time is-live=true min-latency=300000000 "
      "caps=audio/x-raw,format=S16LE,layout=interleaved,rate=8000,channels=1 "
      "! s.audio_0 rtspserversink name=s sync=true");
  sink_test_play (test);
  fail_unless (gst_element_query (sink_test_element (test, "s"), query));
  gst_query_parse_latency (query, &live, &latency, NULL);
  fail_unless (live && latency >= 300 * GST_MSECOND);
}

END_TEST;

/* --- input that is not live --- */

/* Seconds from PLAYING to the end of the stream. */
static gdouble
time_to_end (gint64 start)
{
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
  return (g_get_monotonic_time () - start) / 1e6;
}

GST_START_TEST (test_file_plays_in_real_time_unwatched)
{
  gint64 start;
  gdouble duration;

  test = sink_test_new ("videotestsrc num-buffers=50 ! " SMALL_VIDEO
      " ! rtspserversink");
  sink_test_set_state (test, GST_STATE_PAUSED);
  start = g_get_monotonic_time ();
  sink_test_play (test);
  duration = time_to_end (start);
  /* the last frame's time is 49 frames after the first's */
  fail_unless (duration >= 1.9 && duration < 2.5 * sink_test_time_factor (),
      "2 s of video took %.3f s", duration);
}

END_TEST;

GST_START_TEST (test_file_plays_in_real_time_watched)
{
  RtspViewer *viewer;
  RtspRecord *record;
  guint n;

  test = sink_test_new ("videotestsrc num-buffers=75 ! " SMALL_VIDEO
      " ! rtspserversink");
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 40);
  time_to_end (0);
  check_clock (viewer);
  record = rtsp_viewer_record (viewer);
  n = rtsp_record_count (record);
  /* no frame is left out, each is of its time */
  fail_unless (ABS ((gint) (rtsp_record_unit (record, n - 1)->rtp_time
              - rtsp_record_unit (record, 0)->rtp_time
              - (n - 1) * FRAME_TICKS)) < CLOCK_RATE / 1000);
  rtsp_viewer_free (viewer);
}

END_TEST;

/* Something else in the pipeline is late, and all sinks wait for it. */
GST_START_TEST (test_file_plays_at_its_speed_in_a_late_pipeline)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  RtspRecord *record;

  test = sink_test_new ("videotestsrc ! " SMALL_VIDEO " ! s.sink "
      "audiotestsrc samplesperbuffer=480 ! audio/x-raw,rate=48000 ! s.audio_0 "
      "rtspserversink name=s");
  gst_pipeline_set_latency (GST_PIPELINE (sink_test_pipeline (test)),
      GST_SECOND);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  rtsp_viewer_set_streams (viewer, RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO);
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  assert_viewer (rtsp_viewer_receive_streams (viewer, 30, 60,
          SINK_TEST_TIMEOUT, &error), error);

  record = rtsp_viewer_record (viewer);
  for (guint i = 2; i < 30; i++)
    fail_unless_equals_int (rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time, FRAME_TICKS);
  record = rtsp_viewer_audio_record (viewer);
  for (guint i = 2; i < 60; i++)
    fail_unless_equals_int (rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time, 960);
}

END_TEST;

/* Nothing is dropped: an encoder that is slower than the file's rate slows the
 * file down. */
GST_START_TEST (test_file_loses_no_frame_to_a_slow_encoder)
{
  RtspViewer *viewer;
  BufferCounter *fed, *encoded;

  test = sink_test_new ("codesrc num-buffers=60 ! video/x-raw,format=I420,"
      "width=64,height=48,framerate=50/1 ! identity name=feed ! rtspserversink "
      "encoder=\"identity sleep-time=30000 ! x264enc name=x "
      "tune=zerolatency speed-preset=ultrafast\"");
  fed = buffer_counter_new (test, "feed", "src");
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 1);
  encoded = buffer_counter_new (test, "x", "sink");
  time_to_end (0);
  fail_unless_equals_int (buffer_counter_count (fed), 60);
  /* all but those before the viewer and in the queue */
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (viewer)));
  fail_unless (buffer_counter_count (encoded) >= 30, "%u of 60 were encoded",
      buffer_counter_count (encoded));
  rtsp_viewer_free (viewer);
  buffer_counter_free (fed);
  buffer_counter_free (encoded);
}

END_TEST;

GST_START_TEST (test_file_without_sync_does_not_wait)
{
  gint64 start;

  test = sink_test_new ("videotestsrc num-buffers=250 ! " SMALL_VIDEO
      " ! rtspserversink sync=false");
  start = g_get_monotonic_time ();
  sink_test_play (test);
  /* ten seconds of video */
  fail_unless (time_to_end (start) < 5 * sink_test_time_factor ());
}

END_TEST;

/* --- the user's pipeline pauses, flushes --- */

static const gchar *const sources[] = {
  "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink",
  "videotestsrc ! " SMALL_VIDEO " ! rtspserversink",
  "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink codec=raw",
};

/* The RTP clock goes on: the pause is in it. */
GST_START_TEST (test_pause_of_the_input_is_a_gap_in_rtp_time)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  guint i;

  test = sink_test_new (sources[__i__]);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (i = 1; i <= 2; i++) {
    sink_test_receive (viewer, 20 * i);
    sink_test_try_state (test, GST_STATE_PAUSED);
    assert_viewer (rtsp_viewer_receive_for (viewer, 1200 * 1000, &error),
        error);
    sink_test_play (test);
  }
  sink_test_receive (viewer, 65);
  check_clock (viewer);
  fail_unless (rtp_seconds (rtsp_record_unit (rtsp_viewer_record (viewer), 0),
          rtsp_record_unit (rtsp_viewer_record (viewer), 64)) > 64 * 0.04 + 2);
}

END_TEST;

GST_START_TEST (test_flushing_seeks_leave_the_clock_alone)
{
  g_autoptr (RtspViewer) viewer = NULL;
  guint i;

  test = sink_test_new (sources[1]);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (i = 1; i <= 3; i++) {
    sink_test_receive (viewer,
        rtsp_record_count (rtsp_viewer_record (viewer)) + 15);
    fail_unless (gst_element_seek_simple (sink_test_pipeline (test),
            GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, (i % 2) * 3600 * GST_SECOND));
  }
  sink_test_receive (viewer,
      rtsp_record_count (rtsp_viewer_record (viewer)) + 30);
  check_clock (viewer);
}

END_TEST;

/* --- time stamps of all kinds --- */

static GstClockTime
good (guint n, GstClockTime now, gpointer data)
{
  return now;
}

static GstClockTime
none (guint n, GstClockTime now, gpointer data)
{
  return GST_CLOCK_TIME_NONE;
}

static GstClockTime
some_missing (guint n, GstClockTime now, gpointer data)
{
  return n % 3 == 0 ? GST_CLOCK_TIME_NONE : now;
}

static GstClockTime
all_zero (guint n, GstClockTime now, gpointer data)
{
  return 0;
}

static GstClockTime
starts_again (guint n, GstClockTime now, gpointer data)
{
  return (n % 20) * FRAME;
}

static GstClockTime
one_hour_ahead (guint n, GstClockTime now, gpointer data)
{
  return n < 40 ? now : now + 3600 * GST_SECOND;
}

static GstClockTime
ahead_and_back (guint n, GstClockTime now, gpointer data)
{
  return n / 20 % 2 ? now + 3600 * GST_SECOND : now;
}

static GstClockTime
out_of_order (guint n, GstClockTime now, gpointer data)
{
  return (n ^ 1) * FRAME;
}

static GstClockTime
declared_30 (guint n, GstClockTime now, gpointer data)
{
  return n * GST_SECOND / 30;
}

static GstClockTime
declared_15 (guint n, GstClockTime now, gpointer data)
{
  return n * GST_SECOND / 15;
}

static GstClockTime
wild (guint n, GstClockTime now, gpointer data)
{
  return g_random_double () * 1000 * GST_SECOND;
}

static const struct
{
  const gchar *name;
  AppFeedStamp stamp;
  guint rate;
} stamps[] = {
  {"good", good, 25},
  {"none", none, 25},
  {"some missing", some_missing, 25},
  {"all zero", all_zero, 25},
  {"start again", starts_again, 25},
  {"an hour ahead", one_hour_ahead, 25},
  {"ahead and back", ahead_and_back, 25},
  {"out of order", out_of_order, 25},
  {"count, slower than declared", declared_30, 15},
  {"count, faster than declared", declared_15, 30},
};

static void
watch_stamps (const gchar * launch, guint kind)
{
  g_autoptr (RtspViewer) viewer = NULL;

  g_test_message ("stamps: %s", stamps[kind].name);
  test = sink_test_new (launch);
  sink_test_try_state (test, GST_STATE_PLAYING);
  feed = app_feed_start (test, "feed", stamps[kind].rate, stamps[kind].stamp,
      NULL);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, N_UNITS);
  check_clock (viewer);
}

GST_START_TEST (test_live_rtp_clock_is_the_wall_clock)
{
  watch_stamps (LIVE_APP, __i__);
}

END_TEST;

GST_START_TEST (test_file_rtp_clock_is_the_wall_clock)
{
  watch_stamps (FILE_APP, __i__);
}

END_TEST;

GST_START_TEST (test_live_wild_stamps_bear)
{
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (LIVE_APP);
  sink_test_try_state (test, GST_STATE_PLAYING);
  feed = app_feed_start (test, "feed", RATE, wild, NULL);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  sink_test_receive (viewer, N_UNITS);
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (viewer)));
}

END_TEST;

/* --- timestamp-mode --- */

static GstClockTime
ten_times_slow (guint n, GstClockTime now, gpointer data)
{
  return n * 10 * FRAME;
}

static RtspViewer *
watch_mode (const gchar * mode)
{
  g_autofree gchar *launch = g_strdup_printf (LIVE_APP "timestamp-mode=%s",
      mode);
  RtspViewer *viewer;

  test = sink_test_new (launch);
  sink_test_try_state (test, GST_STATE_PLAYING);
  feed = app_feed_start (test, "feed", RATE, ten_times_slow, NULL);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, N_UNITS);
  return viewer;
}

GST_START_TEST (test_timestamp_mode_pts_believes_what_is_fed)
{
  g_autoptr (RtspViewer) viewer = watch_mode ("pts");
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint i;

  for (i = 1; i < N_UNITS; i++)
    fail_unless ((rtsp_record_unit (record, i)->rtp_time
            - rtsp_record_unit (record, i - 1)->rtp_time + 2)
        % (10 * FRAME_TICKS) <= 4);
}

END_TEST;

GST_START_TEST (test_timestamp_mode_arrival_believes_the_clock)
{
  g_autoptr (RtspViewer) viewer = watch_mode ("arrival");

  check_clock (viewer);
}

END_TEST;

static Suite *
timing_suite (void)
{
  Suite *suite = suite_create ("timing");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_live_input_is_never_paced, 0, 2);
  tcase_add_test (tests, test_live_input_waits_for_its_time_with_sync);
  tcase_add_test (tests,
      test_live_sound_that_waits_adds_its_latency_to_the_pipeline);
  tcase_add_test (tests, test_file_plays_in_real_time_unwatched);
  tcase_add_test (tests, test_file_plays_in_real_time_watched);
  tcase_add_test (tests, test_file_plays_at_its_speed_in_a_late_pipeline);
  tcase_add_test (tests, test_file_loses_no_frame_to_a_slow_encoder);
  tcase_add_test (tests, test_file_without_sync_does_not_wait);
  tcase_add_loop_test (tests, test_pause_of_the_input_is_a_gap_in_rtp_time, 0,
      G_N_ELEMENTS (sources));
  tcase_add_test (tests, test_flushing_seeks_leave_the_clock_alone);
  tcase_add_loop_test (tests, test_live_rtp_clock_is_the_wall_clock, 0,
      G_N_ELEMENTS (stamps));
  tcase_add_loop_test (tests, test_file_rtp_clock_is_the_wall_clock, 0,
      G_N_ELEMENTS (stamps));
  tcase_add_test (tests, test_live_wild_stamps_bear);
  tcase_add_test (tests, test_timestamp_mode_pts_believes_what_is_fed);
  tcase_add_test (tests, test_timestamp_mode_arrival_believes_the_clock);
  return suite;
}

CHECK_SUITE (timing);
