/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The end of the input, what viewers get of it, and what may come after it. */

#include "sinktest.h"
#include "viewerjob.h"
#include "base/enums.h"
#include "viewerlog.h"

#include <gst/app/gstappsrc.h>

#define FRAME_TIME (GST_SECOND / 25)
#define FRAME_SIZE (64 * 48 * 3 / 2)

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
wait_eos (void)
{
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

/* Watches until BYE, which must come before the server is stopped. */
static gboolean
watch_to_the_end (RtspViewer * viewer, gpointer transport, GError ** error)
{
  return rtsp_viewer_start (viewer, GPOINTER_TO_INT (transport), error)
      && rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, error);
}

/* 75 frames are 3 s; the viewers join in the first of them. When the bus has
 * EOS the viewers have the last frame: an application ends the process then. */
static void
expect_last_frame (const gchar * line)
{
  static const RtspViewerTransport transports[] = { RTSP_VIEWER_TCP,
    RTSP_VIEWER_UDP, RTSP_VIEWER_TCP, RTSP_VIEWER_UDP
  };
  ViewerJob *jobs[G_N_ELEMENTS (transports)];
  guint32 last[G_N_ELEMENTS (transports)];
  gint64 ended;

  test = sink_test_new (line);
  sink_test_play (test);
  for (gsize i = 0; i < G_N_ELEMENTS (transports); i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL), watch_to_the_end,
        GINT_TO_POINTER (transports[i]));
  wait_eos ();
  ended = g_get_monotonic_time ();

  for (gsize i = 0; i < G_N_ELEMENTS (transports); i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);
    RtspRecord *record;
    RtspUnit *unit;

    assert_viewer (viewer != NULL, error);
    record = rtsp_viewer_record (viewer);
    fail_unless_equals_int (record->n_gaps, 0);
    unit = rtsp_record_unit (record, record->units->len - 1);
    fail_unless (unit->complete);
    last[i] = unit->rtp_time;
    fail_unless_equals_int (last[i], last[0]);
    fail_unless (record->bye <= ended + G_USEC_PER_SEC / 10
        * sink_test_time_factor (), "BYE %.3f s after EOS",
        (record->bye - ended) / 1e6);
    rtsp_viewer_free (viewer);
  }
}

GST_START_TEST (test_end_of_live_input_all_viewers_get_the_last_frame_and_bye)
{
  expect_last_frame ("videotestsrc is-live=true num-buffers=75 ! " SMALL_VIDEO
      " ! rtspserversink");
}

END_TEST;

GST_START_TEST (test_end_of_file_all_viewers_get_the_last_frame_and_bye)
{
  expect_last_frame ("videotestsrc num-buffers=75 ! " SMALL_VIDEO
      " ! rtspserversink");
}

END_TEST;

/* The number of frames tells: none is lost at the end. */
GST_START_TEST (test_end_viewer_that_saw_it_all_has_every_frame)
{
  RtspViewer *viewer;
  GstElement *app;
  guint n = 30;
  GError *error = NULL;

  test = sink_test_new ("appsrc name=app is-live=true format=time "
      "do-timestamp=true caps=" SMALL_VIDEO " ! rtspserversink");
  sink_test_try_state (test, GST_STATE_PLAYING);
  app = sink_test_element (test, "app");
  gst_app_src_push_buffer (GST_APP_SRC (app),
      gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL));
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);

  for (guint i = 1; i <= n; i++) {
    gst_app_src_push_buffer (GST_APP_SRC (app),
        gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL));
    /* the unit before is whole when the next one begins */
    assert_viewer (rtsp_viewer_receive_units (viewer, i - 1,
            SINK_TEST_TIMEOUT, &error), error);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (app));
  assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->units->len, n);
  wait_eos ();
  rtsp_viewer_free (viewer);
}

END_TEST;

/* A look-ahead of 40 frames: nothing comes out until the end. */
GST_START_TEST (test_end_with_a_delaying_encoder_comes)
{
  test = sink_test_new ("videotestsrc num-buffers=20 ! " SMALL_VIDEO
      " ! rtspserversink encoder=\"x264enc rc-lookahead=40\"");
  sink_test_try_state (test, GST_STATE_PLAYING);
  wait_eos ();
}

END_TEST;

/* As long as its time stamps say. */
GST_START_TEST (test_end_of_file_comes_after_its_duration)
{
  gint64 start, duration;

  test = sink_test_new ("videotestsrc num-buffers=50 ! " SMALL_VIDEO
      " ! rtspserversink");
  start = g_get_monotonic_time ();
  sink_test_play (test);
  wait_eos ();
  duration = g_get_monotonic_time () - start;
  fail_unless (duration > 1.8 * G_USEC_PER_SEC, "%.3f s", duration / 1e6);
  fail_unless (duration < 2.5 * G_USEC_PER_SEC * sink_test_time_factor (),
      "%.3f s", duration / 1e6);
}

END_TEST;

GST_START_TEST (test_end_without_a_frame_comes)
{
  test = sink_test_new ("appsrc name=app caps=" SMALL_VIDEO
      " ! rtspserversink");
  sink_test_try_state (test, GST_STATE_PLAYING);
  gst_app_src_end_of_stream (GST_APP_SRC (sink_test_element (test, "app")));
  wait_eos ();
}

END_TEST;

/* It keeps nobody waiting for ever: half a second at the most. */
GST_START_TEST (test_end_with_a_stalled_viewer_comes_nevertheless)
{
  RtspViewer *stalled, *healthy;
  GError *error = NULL;
  gint64 start, duration;

  test = sink_test_new ("videotestsrc is-live=true ! video/x-raw,format=RGB,"
      "width=640,height=480,framerate=25/1 ! rtspserversink codec=raw");
  sink_test_play (test);
  stalled = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  healthy = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_units (healthy, 40, SINK_TEST_TIMEOUT,
          &error), error);

  start = g_get_monotonic_time ();
  gst_element_send_event (sink_test_pipeline (test), gst_event_new_eos ());
  assert_viewer (rtsp_viewer_wait_bye (healthy, SINK_TEST_TIMEOUT, &error),
      error);
  wait_eos ();
  duration = g_get_monotonic_time () - start;
  fail_unless (duration < G_USEC_PER_SEC * sink_test_time_factor (), "%.3f s",
      duration / 1e6);
  rtsp_viewer_free (stalled);
  rtsp_viewer_free (healthy);
}

END_TEST;

static guint
count_listed (void)
{
  GstStructure *viewers;
  guint n;

  g_signal_emit_by_name (sink_test_element (test, NULL), "get-viewers",
      &viewers);
  n = gst_value_array_get_size (gst_structure_get_value (viewers, "viewers"));
  gst_structure_free (viewers);
  return n;
}

GST_START_TEST (test_viewer_after_the_end_is_told_503)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  test = sink_test_new ("videotestsrc num-buffers=2 ! " SMALL_VIDEO
      " ! rtspserversink");
  sink_test_play (test);
  wait_eos ();
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_if (rtsp_viewer_describe (viewer, &error));
  g_clear_error (&error);
  fail_unless_equals_int (rtsp_viewer_status (viewer),
      GST_RTSP_STS_SERVICE_UNAVAILABLE);
}

END_TEST;

/* It takes no place, is not listed, and the bus is not told of it. */
GST_START_TEST (test_viewer_that_plays_after_the_end_is_none)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  ViewerLog *viewer_log;

  test = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! rtspserversink");
  viewer_log = viewer_log_new (test);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP,
          &error), error);
  gst_element_send_event (sink_test_pipeline (test), gst_event_new_eos ());
  wait_eos ();

  fail_if (rtsp_viewer_play (viewer, &error));
  g_clear_error (&error);
  fail_unless_equals_int (rtsp_viewer_status (viewer),
      GST_RTSP_STS_SERVICE_UNAVAILABLE);
  fail_unless_equals_int (count_listed (), 0);
  /* stopping would tell of its removal */
  sink_test_stop (test);
  fail_unless_equals_int (viewer_log_count (viewer_log, NULL), 0);
  viewer_log_free (viewer_log);
}

END_TEST;

/* --- after the end --- */

static GstPad *pad;             /* the element's, fed by hand */

static void
start_by_hand (void)
{
  test = sink_test_new ("rtspserversink name=sink");
  pad = gst_element_get_static_pad (sink_test_element (test, "sink"), "sink");
  sink_test_try_state (test, GST_STATE_PLAYING);
}

static void
begin_stream (gboolean with_start)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (SMALL_VIDEO);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  if (with_start) {
    gst_pad_send_event (pad, gst_event_new_stream_start ("by hand"));
    gst_pad_send_event (pad, gst_event_new_caps (caps));
  }
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
}

/* Feeds in a thread of its own, 25 frames a second, until it is stopped. */
typedef struct
{
  GThread *thread;
  gint stop;                    /* atomic */
  GstFlowReturn result;
} Feeder;

static gpointer
feed (gpointer data)
{
  Feeder *feeder = data;

  for (guint i = 0; feeder->result == GST_FLOW_OK
      && !g_atomic_int_get (&feeder->stop); i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL);

    gst_buffer_memset (buffer, 0, 16 * (i % 14), FRAME_SIZE);
    GST_BUFFER_PTS (buffer) = i * FRAME_TIME;
    GST_BUFFER_DURATION (buffer) = FRAME_TIME;
    feeder->result = gst_pad_chain (pad, buffer);
  }
  return NULL;
}

static void
feeder_start (Feeder * feeder)
{
  feeder->stop = FALSE;
  feeder->result = GST_FLOW_OK;
  feeder->thread = g_thread_new ("feeder", feed, feeder);
}

static void
feeder_stop (Feeder * feeder)
{
  g_atomic_int_set (&feeder->stop, TRUE);
  g_thread_join (feeder->thread);
}

static RtspViewer *
watch (void)
{
  RtspViewer *viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  RtspRecord *record = rtsp_viewer_record (viewer);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, 10, SINK_TEST_TIMEOUT,
          &error), error);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (record, 0)));
  fail_unless (rtsp_record_times_rise (record));
  return viewer;
}

GST_START_TEST (test_frames_after_end_and_flush_are_served_again)
{
  Feeder feeder = { NULL, };
  RtspViewer *viewer;
  GError *error = NULL;

  start_by_hand ();
  begin_stream (TRUE);
  feeder_start (&feeder);
  viewer = watch ();
  feeder_stop (&feeder);
  fail_unless (gst_pad_send_event (pad, gst_event_new_eos ()));
  wait_eos ();
  assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  rtsp_viewer_free (viewer);

  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_start ()));
  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE)));
  begin_stream (__i__);
  feeder_start (&feeder);
  viewer = watch ();
  feeder_stop (&feeder);
  fail_unless_equals_int (feeder.result, GST_FLOW_OK);
  rtsp_viewer_free (viewer);

  fail_unless (gst_pad_send_event (pad, gst_event_new_eos ()));
  wait_eos ();
  gst_clear_object (&pad);
}

END_TEST;

/* What a viewer does until the next round begins. */
typedef enum
{
  PLAY_AGAIN,
  PAUSE_BEFORE_THE_END,
  PAUSE_AFTER_THE_END,
  PLAY_FOR_THE_FIRST_TIME,
  N_WAYS
} Way;

static RtspViewer *
get_ready (RtspViewerTransport transport, Way way)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, transport, &error), error);
  if (way == PLAY_FOR_THE_FIRST_TIME)
    return viewer;
  assert_viewer (rtsp_viewer_play (viewer, &error)
      && rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT, &error),
      error);
  if (way == PAUSE_BEFORE_THE_END)
    assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  return viewer;
}

static void
flush_and_begin (void)
{
  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_start ()));
  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE)));
  begin_stream (FALSE);
}

/* A film that is played round and round: who stayed gets the next round. */
GST_START_TEST (test_viewer_plays_the_next_round)
{
  RtspViewerTransport transport = __i__ % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  Way way = __i__;
  Feeder feeder = { NULL, };
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  RtspRecord *record;
  guint n;

  start_by_hand ();
  begin_stream (TRUE);
  feeder_start (&feeder);
  viewer = get_ready (transport, way);
  record = rtsp_viewer_record (viewer);
  for (guint round = 0; round < 2; round++) {
    feeder_stop (&feeder);
    fail_unless (gst_pad_send_event (pad, gst_event_new_eos ()));
    wait_eos ();
    if (way == PLAY_AGAIN || way == PAUSE_AFTER_THE_END)
      assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
          error);
    record->bye = 0;
    if (way == PAUSE_AFTER_THE_END)
      assert_viewer (rtsp_viewer_pause (viewer, &error), error);
    flush_and_begin ();
    feeder_start (&feeder);
    n = rtsp_record_count (record);
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
    assert_viewer (rtsp_viewer_receive_units (viewer, n + 10,
            SINK_TEST_TIMEOUT, &error), error);
    fail_unless (rtsp_record_times_rise (record));
    fail_unless_equals_int (record->n_gaps, 0);
    fail_unless_equals_int (record->bye, 0);
    if (way == PAUSE_BEFORE_THE_END)
      assert_viewer (rtsp_viewer_pause (viewer, &error), error);
    else
      way = PLAY_AGAIN;
  }
  /* RTCP goes on as well. */
  feeder_stop (&feeder);
  fail_unless (gst_pad_send_event (pad, gst_event_new_eos ()));
  if (way == PLAY_AGAIN)
    assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
        error);
  gst_clear_object (&pad);
}

END_TEST;

/* The pad is linked to another source when the first has ended. */
GST_START_TEST (test_stream_behind_the_end_is_served_without_a_flush)
{
  Feeder feeder = { NULL, };
  RtspViewer *viewer;

  start_by_hand ();
  for (guint round = 0; round < 3; round++) {
    begin_stream (TRUE);
    feeder_start (&feeder);
    viewer = watch ();
    feeder_stop (&feeder);
    fail_unless_equals_int (feeder.result, GST_FLOW_OK);
    rtsp_viewer_free (viewer);
    fail_unless (gst_pad_send_event (pad, gst_event_new_eos ()));
  }
  wait_eos ();
  gst_clear_object (&pad);
}

END_TEST;

/* Its session is over with its media; its connection is not. */
GST_START_TEST (test_viewer_of_before_sees_the_next_round_by_a_new_session)
{
  RtspViewerTransport transport = __i__ % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  Feeder feeder = { NULL, };
  RtspViewer *viewer;
  GError *error = NULL;

  start_by_hand ();
  g_object_set (sink_test_element (test, "sink"), "shared",
      __i__ / 2 ? GST_RTSP_SERVER_SINK_SHARED_TRUE :
      GST_RTSP_SERVER_SINK_SHARED_FALSE, NULL);
  begin_stream (TRUE);
  feeder_start (&feeder);
  viewer = sink_test_start_viewer (test, NULL, transport);
  sink_test_receive (viewer, 3);
  feeder_stop (&feeder);
  fail_unless (gst_pad_send_event (pad, gst_event_new_eos ()));
  wait_eos ();
  assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
      error);

  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_start ()));
  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE)));
  begin_stream (TRUE);
  feeder_start (&feeder);
  assert_viewer (rtsp_viewer_teardown (viewer, &error), error);
  rtsp_viewer_begin_session (viewer);
  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, transport, &error), error);
  rtsp_record_clear (rtsp_viewer_record (viewer));
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, 3);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (viewer), 0)));
  feeder_stop (&feeder);
  rtsp_viewer_free (viewer);
  gst_clear_object (&pad);
}

END_TEST;

/* A seek of the user's: the viewer stays, its time goes on. */
GST_START_TEST (test_flush_in_mid_run_keeps_the_viewer)
{
  Feeder feeder = { NULL, };
  RtspViewer *viewer;
  RtspRecord *record;
  GError *error = NULL;

  start_by_hand ();
  begin_stream (TRUE);
  feeder_start (&feeder);
  viewer = watch ();

  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_start ()));
  feeder_stop (&feeder);
  fail_unless (gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE)));
  begin_stream (FALSE);
  feeder_start (&feeder);

  record = rtsp_viewer_record (viewer);
  assert_viewer (rtsp_viewer_receive_units (viewer, rtsp_record_count (record)
          + 50, SINK_TEST_TIMEOUT, &error), error);
  fail_unless (rtsp_record_times_rise (record));
  fail_unless_equals_int (record->n_gaps, 0);
  feeder_stop (&feeder);
  rtsp_viewer_free (viewer);
  gst_clear_object (&pad);
}

END_TEST;

static Suite *
ends_suite (void)
{
  Suite *suite = suite_create ("ends");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests,
      test_end_of_live_input_all_viewers_get_the_last_frame_and_bye);
  tcase_add_test (tests,
      test_end_of_file_all_viewers_get_the_last_frame_and_bye);
  tcase_add_test (tests, test_end_viewer_that_saw_it_all_has_every_frame);
  tcase_add_test (tests, test_end_with_a_delaying_encoder_comes);
  tcase_add_test (tests, test_end_of_file_comes_after_its_duration);
  tcase_add_test (tests, test_end_without_a_frame_comes);
  tcase_add_test (tests, test_end_with_a_stalled_viewer_comes_nevertheless);
  tcase_add_test (tests, test_viewer_after_the_end_is_told_503);
  tcase_add_loop_test (tests, test_viewer_that_plays_after_the_end_is_none, 0,
      2);
  tcase_add_test (tests, test_stream_behind_the_end_is_served_without_a_flush);
  tcase_add_loop_test (tests, test_frames_after_end_and_flush_are_served_again,
      0, 2);
  tcase_add_loop_test (tests, test_viewer_plays_the_next_round, 0, N_WAYS);
  tcase_add_loop_test (tests,
      test_viewer_of_before_sees_the_next_round_by_a_new_session, 0, 4);
  tcase_add_test (tests, test_flush_in_mid_run_keeps_the_viewer);
  return suite;
}

CHECK_SUITE (ends);
