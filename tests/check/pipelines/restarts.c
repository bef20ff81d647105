/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The pipeline stops, pauses, starts again, loses its input, loses or gains the
 * element, with viewers attached; and viewers who come and go are nothing to
 * the pipeline. */

#include "sinktest.h"
#include "viewerjob.h"

#include <gst/app/gstappsrc.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! identity name=feed " \
    "! rtspserversink name=sink"
#define FRAME_SIZE (64 * 48 * 3 / 2)
#define RTP_SECOND 90000

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
receive_more (RtspViewer * viewer, guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer,
          rtsp_record_count (rtsp_viewer_record (viewer)) + n,
          SINK_TEST_TIMEOUT, &error), error);
}

/* --- NULL and back --- */

/* Reported: a server that is stopped and started again is unreliable. */
GST_START_TEST (test_null_and_playing_five_times_each_new_viewer_plays)
{
  g_autoptr (RtspViewer) old = NULL;
  GError *error = NULL;

  test = sink_test_new (LIVE);
  for (guint i = 0; i < 5; i++) {
    RtspViewer *viewer;

    sink_test_play (test);
    viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    receive_more (viewer, 5);
    fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
                (viewer), 0)));
    sink_test_stop (test);
    assert_viewer (rtsp_viewer_wait_closed (viewer, 2 * G_USEC_PER_SEC *
            sink_test_time_factor (), &error), error);
    rtsp_viewer_free (viewer);
  }
}

END_TEST;

/* What was served before is not what is served now: nobody is told of it. */
GST_START_TEST (test_start_with_other_codec_describes_only_that)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *codec = NULL;
  GstElement *app;
  GError *error = NULL;

  test = sink_test_new ("appsrc name=app is-live=true format=time "
      "do-timestamp=true caps=" SMALL_VIDEO " ! rtspserversink");
  app = sink_test_element (test, "app");
  sink_test_try_state (test, GST_STATE_PLAYING);
  gst_app_src_push_buffer (GST_APP_SRC (app),
      gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL));
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
  sink_test_stop (test);

  gst_util_set_object_arg (G_OBJECT (sink_test_element (test, NULL)), "codec",
      "raw");
  sink_test_try_state (test, GST_STATE_PLAYING);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_if (rtsp_viewer_describe (viewer, &error));
  g_clear_error (&error);
  fail_unless_equals_int (rtsp_viewer_status (viewer),
      GST_RTSP_STS_SERVICE_UNAVAILABLE);

  gst_app_src_push_buffer (GST_APP_SRC (app),
      gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL));
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  codec = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "encoding-name");
  fail_unless_equals_string (codec, "RAW");
}

END_TEST;

/* --- PAUSED and back, READY and back --- */

/* A live GstBaseSrc (1.22) whose thread is about to pause when it is told to play
 * pauses after that, for good: it is told again. */
static void
play_again (void)
{
  GstElement *pipeline = sink_test_pipeline (test);

  sink_test_try_state (test, GST_STATE_PLAYING);
  while (gst_element_get_state (pipeline, NULL, NULL, 2 * GST_SECOND)
      == GST_STATE_CHANGE_ASYNC) {
    sink_test_try_state (test, GST_STATE_PAUSED);
    sink_test_try_state (test, GST_STATE_PLAYING);
  }
}

static void
cycle_with_viewers (GstState low)
{
  static const RtspViewerTransport transports[] = { RTSP_VIEWER_TCP,
    RTSP_VIEWER_UDP
  };
  RtspViewer *viewers[G_N_ELEMENTS (transports)];

  test = sink_test_new (LIVE);
  sink_test_play (test);
  for (gsize i = 0; i < G_N_ELEMENTS (transports); i++)
    viewers[i] = sink_test_start_viewer (test, NULL, transports[i]);

  for (guint n = 0; n < 5; n++) {
    for (gsize i = 0; i < G_N_ELEMENTS (transports); i++)
      receive_more (viewers[i], 5);
    sink_test_set_state (test, low);
    play_again ();
  }
  for (gsize i = 0; i < G_N_ELEMENTS (transports); i++) {
    RtspRecord *record = rtsp_viewer_record (viewers[i]);

    receive_more (viewers[i], 10);
    fail_unless_equals_int (record->n_gaps, 0);
    fail_unless (rtsp_record_times_rise (record));
    rtsp_viewer_free (viewers[i]);
  }
}

GST_START_TEST (test_paused_and_playing_keeps_the_viewers)
{
  cycle_with_viewers (GST_STATE_PAUSED);
}

END_TEST;

GST_START_TEST (test_ready_and_playing_keeps_the_viewers)
{
  cycle_with_viewers (GST_STATE_READY);
}

END_TEST;

/* A pause of the pipeline is one of the stream: the RTP clock goes on. */
GST_START_TEST (test_paused_for_a_while_moves_rtp_time_by_as_much)
{
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  RtspUnit *before, *after;
  guint n;
  gdouble rtp_gap, gap;

  test = sink_test_new (LIVE);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  record = rtsp_viewer_record (viewer);
  receive_more (viewer, 10);

  sink_test_set_state (test, GST_STATE_PAUSED);
  /* the time that passes is what is tested */
  rtsp_viewer_receive_for (viewer, 1.5 * G_USEC_PER_SEC, NULL);
  n = record->units->len;
  sink_test_play (test);
  receive_more (viewer, 10);

  before = rtsp_record_unit (record, n - 1);
  after = rtsp_record_unit (record, n + 3);
  rtp_gap = (gdouble) (after->rtp_time - before->rtp_time) / RTP_SECOND;
  gap = (after->arrival - before->arrival) / 1e6;
  fail_unless (ABS (rtp_gap - gap) < 0.2 * sink_test_time_factor (),
      "RTP time moved by %.3f s in %.3f s", rtp_gap, gap);
}

END_TEST;

/* --- the input --- */

/* Reported: after a camera was away the stream never comes back. Nothing comes for
 * three seconds. */
GST_START_TEST (test_input_that_pauses_keeps_the_viewer_and_resumes_at_once)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GstElement *valve;
  RtspRecord *record;
  RtspUnit *before, *after;
  gint64 resumed;
  gdouble rtp_gap, gap;
  guint n;
  gboolean key;

  test = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! valve name=valve drop-mode=transform-to-gap ! rtspserversink");
  valve = sink_test_element (test, "valve");
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  record = rtsp_viewer_record (viewer);
  receive_more (viewer, 10);

  g_object_set (valve, "drop", TRUE, NULL);
  rtsp_viewer_receive_for (viewer, 3 * G_USEC_PER_SEC, NULL);
  n = record->units->len;
  resumed = g_get_monotonic_time ();
  g_object_set (valve, "drop", FALSE, NULL);
  receive_more (viewer, 5);

  before = rtsp_record_unit (record, n - 1);
  after = rtsp_record_unit (record, n);
  fail_unless (after->arrival - resumed < G_USEC_PER_SEC / 2 *
      sink_test_time_factor ());
  rtp_gap = (gdouble) (after->rtp_time - before->rtp_time) / RTP_SECOND;
  gap = (after->arrival - before->arrival) / 1e6;
  fail_unless (ABS (rtp_gap - gap) < 0.2 * sink_test_time_factor (),
      "RTP time moved by %.3f s in %.3f s", rtp_gap, gap);
  fail_unless_equals_int (record->n_gaps, 0);
  /* longer than the key unit interval: one is due */
  key = after->key || rtsp_record_unit (record, n + 1)->key
      || rtsp_record_unit (record, n + 2)->key;
  fail_unless (key);
}

END_TEST;

/* Reported: the encoder is opened with a size of 0x0. There are neither caps nor
 * frames when the viewer comes. */
GST_START_TEST (test_input_without_caps_viewer_gets_in_with_the_first_frame)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (SMALL_VIDEO);
  g_autoptr (RtspViewer) viewer = NULL;
  GstElement *app;
  gint64 pushed;
  GError *error = NULL;

  test = sink_test_new ("appsrc name=app is-live=true format=time "
      "do-timestamp=true ! rtspserversink");
  app = sink_test_element (test, "app");
  sink_test_try_state (test, GST_STATE_PLAYING);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_send_request (viewer, GST_RTSP_DESCRIBE, NULL,
          NULL, &error), error);
  rtsp_viewer_receive_for (viewer, G_USEC_PER_SEC, NULL);

  g_object_set (app, "caps", caps, NULL);
  pushed = g_get_monotonic_time ();
  gst_app_src_push_buffer (GST_APP_SRC (app),
      gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL));
  fail_unless_equals_int (rtsp_viewer_wait_response (viewer, &error),
      GST_RTSP_STS_OK);
  fail_unless (g_get_monotonic_time () - pushed < G_USEC_PER_SEC *
      sink_test_time_factor ());
}

END_TEST;

/* --- viewers are nothing to the pipeline --- */

typedef struct
{
  gint n_stream_starts;         /* atomic, all of them */
  gint n_segments;
  gint n_state_changes;
} Seen;

static GstPadProbeReturn
see_event (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Seen *seen = user_data;

  if (GST_EVENT_TYPE (info->data) == GST_EVENT_STREAM_START)
    g_atomic_int_inc (&seen->n_stream_starts);
  if (GST_EVENT_TYPE (info->data) == GST_EVENT_SEGMENT)
    g_atomic_int_inc (&seen->n_segments);
  return GST_PAD_PROBE_OK;
}

static GstBusSyncReply
see_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  Seen *seen = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_STATE_CHANGED
      && GST_MESSAGE_SRC (message) ==
      GST_OBJECT (sink_test_element (test, "feed")))
    g_atomic_int_inc (&seen->n_state_changes);
  return GST_BUS_PASS;
}

/* Reported: each viewer that comes or goes restarts the camera. Five come and go, one
 * of them without a word. The pipeline next door shows what the machine does. */
GST_START_TEST (test_viewers_that_come_and_go_are_not_felt_upstream)
{
  SinkTest *quiet = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! identity name=feed ! fakesink name=sink");
  Seen seen = { 0, };
  BufferCounter *feed, *reference;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstBus) bus = NULL;

  test = sink_test_new (LIVE);
  pad = gst_element_get_static_pad (sink_test_element (test, "feed"), "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_event,
      &seen, NULL);
  sink_test_play (test);
  sink_test_play (quiet);
  bus = gst_element_get_bus (sink_test_pipeline (test));
  gst_bus_set_sync_handler (bus, see_message, &seen, NULL);
  feed = buffer_counter_new (test, "feed", "src");
  reference = buffer_counter_new (quiet, "feed", "src");

  for (guint i = 0; i < 5; i++) {
    RtspViewer *viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);

    receive_more (viewer, 5);
    if (i == 0)
      rtsp_viewer_reset (viewer);
    rtsp_viewer_free (viewer);
  }
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);

  fail_unless (buffer_counter_longest_gap (feed) <
      buffer_counter_longest_gap (reference) + 100 * 1000 *
      sink_test_time_factor ());
  fail_unless_equals_int (seen.n_stream_starts, 1);
  fail_unless_equals_int (seen.n_segments, 1);
  fail_unless_equals_int (seen.n_state_changes, 0);
  buffer_counter_free (feed);
  buffer_counter_free (reference);
  sink_test_free (quiet);
}

END_TEST;

/* Reported: no frame is taken until a viewer comes. They are taken at their rate
 * whether nobody watches, somebody only asks, or somebody watches. Two pipelines,
 * one clock: the same count. */
static void
expect_full_rate (void)
{
  SinkTest *quiet = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! identity name=feed ! fakesink name=sink");
  BufferCounter *feed, *reference;
  gint difference;

  sink_test_play (quiet);
  feed = buffer_counter_new (test, "feed", "src");
  reference = buffer_counter_new (quiet, "feed", "src");
  buffer_counter_wait (reference, 50, SINK_TEST_TIMEOUT);
  difference = (gint) buffer_counter_count (feed) -
      (gint) buffer_counter_count (reference);
  fail_unless (ABS (difference) <= 3, "%d frames more", difference);

  buffer_counter_free (feed);
  buffer_counter_free (reference);
  sink_test_free (quiet);
}

GST_START_TEST (test_frames_are_taken_at_their_rate_without_a_viewer)
{
  test = sink_test_new (LIVE);
  sink_test_play (test);
  gst_message_unref (sink_test_wait_element_message (test,
          "rtspserversink-listening", 0));
  expect_full_rate ();
  /* told once */
  fail_if (sink_test_has_element_message (test, "rtspserversink-listening"));
}

END_TEST;

GST_START_TEST (test_frames_are_taken_at_their_rate_while_one_has_described)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  test = sink_test_new (LIVE);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error), error);
  expect_full_rate ();
}

END_TEST;

/* Reported: pushing fails once the viewer is gone. Ten viewers are killed while
 * frames are pushed. */
GST_START_TEST (test_viewers_that_are_killed_never_make_a_flow_error)
{
  GstElement *app;

  test = sink_test_new ("appsrc name=app is-live=true format=time "
      "do-timestamp=true max-buffers=2 block=true caps=" SMALL_VIDEO
      " ! identity name=feed ! rtspserversink");
  app = sink_test_element (test, "app");
  sink_test_try_state (test, GST_STATE_PLAYING);

  for (guint i = 0; i < 10; i++) {
    RtspViewer *viewer;

    fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (app),
            gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL)), GST_FLOW_OK);
    viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    for (guint n = 0; n < 10; n++) {
      fail_unless_equals_int (gst_app_src_push_buffer (GST_APP_SRC (app),
              gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL)), GST_FLOW_OK);
      if (n == 5)
        rtsp_viewer_reset (viewer);
    }
    rtsp_viewer_free (viewer);
  }
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  gst_app_src_end_of_stream (GST_APP_SRC (app));
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

END_TEST;

/* --- the element comes and goes --- */

static GstElement *
add_branch (GstPad ** tee_pad)
{
  GstElement *tee = sink_test_element (test, "t");
  GstElement *bin = GST_ELEMENT (GST_OBJECT_PARENT (tee));
  GstElement *sink = gst_element_factory_make ("rtspserversink", NULL);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

  g_object_set (sink, "address", "127.0.0.1", "port", 0, NULL);
  gst_bin_add (GST_BIN (bin), gst_object_ref (sink));
  /* first, for a pad that is not active would stop the source */
  fail_unless (gst_element_sync_state_with_parent (sink));
  *tee_pad = gst_element_request_pad_simple (tee, "src_%u");
  fail_unless_equals_int (gst_pad_link (*tee_pad, pad), GST_PAD_LINK_OK);
  return sink;
}

/* Unlinks while data flows. */
static void
remove_branch (GstElement * sink, GstPad * tee_pad)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  gint64 start = g_get_monotonic_time ();

  gst_pad_unlink (tee_pad, pad);
  gst_element_release_request_pad (sink_test_element (test, "t"), tee_pad);
  gst_object_unref (tee_pad);
  gst_element_set_state (sink, GST_STATE_NULL);
  fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC *
      sink_test_time_factor ());
  fail_unless (gst_bin_remove (GST_BIN (GST_OBJECT_PARENT (sink)), sink));
  /* Unread messages on the bus hold references still. */
  gst_object_unref (sink);
}

GST_START_TEST (test_element_added_to_and_removed_from_a_playing_pipeline)
{
  GError *error = NULL;
  guint fds = 0, threads = 0;

  test = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! tee name=t allow-not-linked=true ! queue ! fakesink async=false");
  sink_test_play (test);

  for (guint i = 0; i < 3; i++) {
    GstPad *tee_pad;
    GstElement *sink = add_branch (&tee_pad);
    g_autofree gchar *uri = NULL;
    g_autoptr (RtspViewer) viewer = NULL;

    g_object_get (sink, "uri", &uri, NULL);
    viewer = rtsp_viewer_new (uri);
    assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error)
        && rtsp_viewer_receive_units (viewer, 5, SINK_TEST_TIMEOUT, &error),
        error);
    remove_branch (sink, tee_pad);
    assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
        error);
    g_clear_pointer (&viewer, rtsp_viewer_free);
    /* the first one brings what stays in the process */
    fds = i == 0 ? proc_count_fds () : fds;
    threads = i == 0 ? proc_count_threads () : threads;
  }
  sink_test_wait_fds (fds, SINK_TEST_TIMEOUT);
  sink_test_wait_threads (threads, SINK_TEST_TIMEOUT);
}

END_TEST;

static Suite *
restarts_suite (void)
{
  Suite *suite = suite_create ("restarts");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests,
      test_null_and_playing_five_times_each_new_viewer_plays);
  tcase_add_test (tests, test_start_with_other_codec_describes_only_that);
  tcase_add_test (tests, test_paused_and_playing_keeps_the_viewers);
  tcase_add_test (tests, test_ready_and_playing_keeps_the_viewers);
  tcase_add_test (tests, test_paused_for_a_while_moves_rtp_time_by_as_much);
  tcase_add_test (tests,
      test_input_that_pauses_keeps_the_viewer_and_resumes_at_once);
  tcase_add_test (tests,
      test_input_without_caps_viewer_gets_in_with_the_first_frame);
  tcase_add_test (tests, test_viewers_that_come_and_go_are_not_felt_upstream);
  tcase_add_test (tests, test_frames_are_taken_at_their_rate_without_a_viewer);
  tcase_add_test (tests,
      test_frames_are_taken_at_their_rate_while_one_has_described);
  tcase_add_test (tests, test_viewers_that_are_killed_never_make_a_flow_error);
  tcase_add_test (tests,
      test_element_added_to_and_removed_from_a_playing_pipeline);
  return suite;
}

CHECK_SUITE (restarts);
