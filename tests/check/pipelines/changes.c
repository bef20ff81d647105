/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The input changes its size, its format, its time, while viewers watch. */

#include "encodedclip.h"
#include "sinktest.h"
#include "viewerjob.h"

#include <gst/app/app.h>

#define SMALL "video/x-raw,format=I420,width=320,height=240,framerate=25/1"
#define LARGE "video/x-raw,format=BGR,width=640,height=360,framerate=25/1"

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

static void
change_caps (const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  g_object_set (sink_test_element (test, "caps"), "caps", caps, NULL);
}

/* --- size: H13 --- */

static void
serve_changing (const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc is-live=true ! "
      "capsfilter name=caps caps=" SMALL " ! rtspserversink %s", properties);

  test = sink_test_new (line);
  sink_test_play (test);
}

/* The width of what a decoder makes of the units; 0 before the first. */
static gint
decoded_width (PictureDecoder * decoder, RtspRecord * record, guint * next)
{
  gint width = 0;

  while (width == 0 && *next < rtsp_record_count (record)) {
    GstSample *sample = picture_decoder_decode (decoder,
        rtsp_record_unit (record, (*next)++), SINK_TEST_TIMEOUT);

    if (sample == NULL)
      continue;
    gst_structure_get_int (gst_caps_get_structure (gst_sample_get_caps
            (sample), 0), "width", &width);
    gst_sample_unref (sample);
  }
  return width;
}

static void
expect_width (RtspViewer * viewer, PictureDecoder * decoder, guint * next,
    gint width)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint until = *next + 100;

  while (decoded_width (decoder, record, next) != width) {
    fail_unless (*next < until, "no picture of width %d", width);
    receive_more (viewer, 1);
  }
}

static void
change_size (RtspViewerTransport transport)
{
  g_autoptr (RtspViewer) viewer = NULL;
  PictureDecoder *decoder;
  RtspRecord *record;
  guint next = 0;
  GError *error = NULL;

  serve_changing ("");
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  record = rtsp_viewer_record (viewer);
  record->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, transport, &error), error);
  decoder = picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");
  expect_width (viewer, decoder, &next, 320);

  change_caps (LARGE);
  expect_width (viewer, decoder, &next, 640);
  change_caps (SMALL);
  expect_width (viewer, decoder, &next, 320);

  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  picture_decoder_free (decoder);
}

GST_START_TEST (test_size_changes_tcp_viewer_sees_the_new_one)
{
  change_size (RTSP_VIEWER_TCP);
}

END_TEST;

GST_START_TEST (test_size_changes_udp_viewer_sees_the_new_one)
{
  change_size (RTSP_VIEWER_UDP);
}

END_TEST;

/* A new viewer is told the new parameters. */
GST_START_TEST (test_size_changes_new_viewer_is_told)
{
  g_autoptr (RtspViewer) first = NULL, second = NULL;
  g_autofree gchar *old = NULL;
  g_autofree gchar *now = NULL;

  serve_changing ("");
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (first, 3);
  change_caps (LARGE);
  receive_more (first, 10);
  second = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (second, 3);

  old = rtsp_sdp_field (rtsp_viewer_sdp (first), "sprop-parameter-sets");
  now = rtsp_sdp_field (rtsp_viewer_sdp (second), "sprop-parameter-sets");
  fail_if (g_strcmp0 (old, now) == 0);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (second), 0)));
}

END_TEST;

/* Nobody watches while it changes. */
GST_START_TEST (test_size_changes_without_viewers_next_one_is_told)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *old = NULL;
  g_autofree gchar *now = NULL;
  BufferCounter *counter;

  serve_changing ("");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  old = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "sprop-parameter-sets");
  g_clear_pointer (&viewer, rtsp_viewer_free);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);

  counter = buffer_counter_new (test, "caps", "src");
  change_caps (LARGE);
  buffer_counter_wait (counter, 25, SINK_TEST_TIMEOUT);
  buffer_counter_free (counter);

  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 3);
  now = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "sprop-parameter-sets");
  fail_if (g_strcmp0 (old, now) == 0);
}

END_TEST;

/* rtspsrc, depayloader, decoder: the stock way. */
static void
expect_rtspsrc_sees (const gchar * protocols)
{
  g_autofree gchar *line = NULL;
  g_autoptr (GstElement) client = NULL;
  g_autoptr (GstElement) shown = NULL;
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  gint width = 0, wanted = 320;

  serve_changing ("");
  line = g_strdup_printf ("rtspsrc location=%s latency=0 protocols=%s ! "
      "decodebin ! appsink name=shown sync=false max-buffers=1 drop=true",
      sink_test_uri (test, NULL), protocols);
  client = gst_parse_launch (line, NULL);
  shown = gst_bin_get_by_name (GST_BIN (client), "shown");
  gst_element_set_state (client, GST_STATE_PLAYING);

  while (wanted != 0) {
    g_autoptr (GstSample) sample = gst_app_sink_try_pull_sample (GST_APP_SINK
        (shown), GST_SECOND);

    fail_unless (g_get_monotonic_time () < deadline, "no picture of width %d",
        wanted);
    if (sample == NULL)
      continue;
    gst_structure_get_int (gst_caps_get_structure (gst_sample_get_caps
            (sample), 0), "width", &width);
    if (width == 320 && wanted == 320) {
      change_caps (LARGE);
      wanted = 640;
    } else if (width == 640) {
      wanted = 0;
    }
  }
  gst_element_set_state (client, GST_STATE_NULL);
}

GST_START_TEST (test_size_changes_rtspsrc_over_tcp_goes_on)
{
  expect_rtspsrc_sees ("tcp");
}

END_TEST;

GST_START_TEST (test_size_changes_rtspsrc_over_udp_goes_on)
{
  expect_rtspsrc_sees ("udp");
}

END_TEST;

static gboolean
has_ended (RtspViewer * viewer, gpointer unused)
{
  return rtsp_viewer_record (viewer)->bye != 0
      || rtsp_viewer_is_closed (viewer);
}

/* RFC 4175 tells the size in the SDP alone: who got the old one is not sent the
 * new one, its stream ends. The next one is told. */
GST_START_TEST (test_size_changes_raw_viewer_never_gets_what_it_was_not_told)
{
  g_autoptr (RtspViewer) viewer = NULL, second = NULL;
  g_autofree gchar *width = NULL;
  GError *error = NULL;

  serve_changing ("codec=raw");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 5);
  change_caps (LARGE);
  assert_viewer (rtsp_viewer_receive_until (viewer, has_ended, NULL,
          SINK_TEST_TIMEOUT, "the end of the stream", &error), error);
  fail_unless (rtsp_record_unit (rtsp_viewer_record (viewer), 0)->n_bytes ==
      rtsp_record_unit (rtsp_viewer_record (viewer),
          rtsp_record_count (rtsp_viewer_record (viewer)) - 1)->n_bytes);

  second = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  width = rtsp_sdp_field (rtsp_viewer_sdp (second), "width");
  fail_unless_equals_string (width, "640");
  receive_more (second, 3);
}

END_TEST;

/* The same while nobody watches: nothing needs to be encoded then, but for what
 * the next one is told. */
GST_START_TEST (test_size_changes_without_viewers_next_raw_one_is_told)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *width = NULL;
  BufferCounter *counter;

  serve_changing ("codec=raw");
  counter = buffer_counter_new (test, "caps", "src");
  buffer_counter_wait (counter, 5, SINK_TEST_TIMEOUT);
  change_caps (LARGE);
  buffer_counter_wait (counter, 20, SINK_TEST_TIMEOUT);
  buffer_counter_free (counter);

  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  width = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "width");
  fail_unless_equals_string (width, "640");
  receive_more (viewer, 3);
}

END_TEST;

static void
expect_told_width (RtspViewer * viewer, const gchar * expected)
{
  g_autofree gchar *width = NULL;
  GError *error = NULL;

  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  width = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "width");
  fail_unless_equals_string (width, expected);
}

static void
play (RtspViewer * viewer)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_setup (viewer, RTSP_VIEWER_TCP, &error), error);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  receive_more (viewer, 3);
}

/* A first viewer makes the new size known. */
static void
change_caps_and_wait (const gchar * description)
{
  g_autoptr (RtspViewer) other = NULL;

  other = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (other, 1);
  change_caps (description);
  fail_unless (rtsp_viewer_receive_until (other, has_ended, NULL,
          SINK_TEST_TIMEOUT, "the end of the stream", NULL));
}

static const gchar *const mounts[] = { "/test", "/", "/a/b" };

/* On one connection, with nothing set up between. */
GST_START_TEST (test_size_changes_each_describe_tells_the_truth)
{
  g_autofree gchar *properties = g_strdup_printf ("codec=raw mount=%s",
      mounts[__i__]);
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  serve_changing (properties);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  expect_told_width (viewer, "320");
  expect_told_width (viewer, "320");
  change_caps_and_wait (LARGE);
  expect_told_width (viewer, "640");
  change_caps_and_wait (SMALL);
  expect_told_width (viewer, "320");
  play (viewer);
}

END_TEST;

/* --- time: H9 --- */

/* Moves the buffers' time, as a driver does that restarts. */
static GstPadProbeReturn
shift_time (GstPad * pad, GstPadProbeInfo * info, gpointer shift)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));
  GstClockTimeDiff time = (GstClockTimeDiff) GST_BUFFER_PTS (buffer) +
      *(gint64 *) shift;

  GST_BUFFER_PTS (buffer) = MAX (time, 0);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
expect_wall_speed (RtspViewer * viewer, guint n)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  gdouble rtp, wall;

  rtp = (rtsp_record_unit (record, n)->rtp_time -
      rtsp_record_unit (record, 0)->rtp_time) / 90e3;
  wall = (rtsp_record_unit (record, n)->arrival -
      rtsp_record_unit (record, 0)->arrival) / 1e6;
  fail_unless (ABS (rtp - wall) < 0.5 * sink_test_time_factor (),
      "RTP time moved by %.3f s in %.3f s", rtp, wall);
}

/* A viewer who does not read, one who does; time goes back by 5 s and forth. */
GST_START_TEST (test_time_that_jumps_back_is_borne_with_a_stalled_viewer)
{
  static const gint64 shifts[] = { -5 * (gint64) GST_SECOND, 0,
    -10 * (gint64) GST_SECOND, 60 * (gint64) GST_SECOND, 0
  };
  static gint64 shift;
  g_autoptr (RtspViewer) stalled = NULL, healthy = NULL;
  g_autoptr (GstPad) pad = NULL;
  RtspRecord *record;
  gulong probe;

  test = sink_test_new ("videotestsrc is-live=true ! video/x-raw,format=RGB,"
      "width=320,height=240,framerate=25/1 ! identity name=feed ! "
      "rtspserversink codec=raw");
  shift = 6 * GST_SECOND;
  pad = gst_element_get_static_pad (sink_test_element (test, "feed"), "src");
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, shift_time,
      &shift, NULL);
  sink_test_play (test);
  stalled = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  healthy = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (healthy, 40);
  for (gsize i = 0; i < G_N_ELEMENTS (shifts); i++) {
    shift = 6 * GST_SECOND + shifts[i];
    receive_more (healthy, 25);
  }
  gst_pad_remove_probe (pad, probe);

  record = rtsp_viewer_record (healthy);
  fail_unless (rtsp_record_times_rise (record));
  fail_unless_equals_int (record->n_gaps, 0);
  expect_wall_speed (healthy, 160);
}

END_TEST;

/* As who feeds an appsrc does who has read that time stamps are absolute. */
GST_START_TEST (test_time_of_day_as_stamps_runs_at_wall_speed)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstPad) pad = NULL;
  gint64 shift = g_get_real_time () * GST_USECOND;
  gulong probe;

  test = sink_test_new ("videotestsrc is-live=true ! " SMALL
      " ! identity name=feed ! rtspserversink");
  pad = gst_element_get_static_pad (sink_test_element (test, "feed"), "src");
  probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, shift_time,
      &shift, NULL);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 50);
  expect_wall_speed (viewer, 45);
  sink_test_stop (test);
  gst_pad_remove_probe (pad, probe);
}

END_TEST;

static gboolean
is_drained (gpointer pad)
{
  return GST_PAD_IS_EOS (pad);
}

/* The encoder's thread has gone on: it has let go of the queue's pad, or taken the
 * elements of before away. */
static gboolean
has_gone_on (gpointer unused)
{
  GstBin *sink = GST_BIN (sink_test_element (test, NULL));
  g_autoptr (GstElement) queue = gst_bin_get_by_name (sink, "queue");
  g_autoptr (GstElement) route = gst_bin_get_by_name (sink, "encoding");
  g_autoptr (GstPad) out = gst_element_get_static_pad (queue, "src");
  g_autoptr (GstPad) src = gst_element_get_static_pad (route, "src");
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (GST_GHOST_PAD (src));

  if (target == NULL)
    return TRUE;
  if (!GST_PAD_STREAM_TRYLOCK (out))
    return FALSE;
  GST_PAD_STREAM_UNLOCK (out);
  return TRUE;
}

static GstPadProbeReturn
let_it_go_on (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_START)
    sink_test_wait_until (has_gone_on, NULL, SINK_TEST_TIMEOUT,
        "the encoder's thread goes on");
  return GST_PAD_PROBE_OK;
}

/* A change waits until the elements of before have given out all. The flush ended
 * that wait, and they were taken away before it had passed them: it did not come
 * to the sink, in which a thread of theirs waited. */
GST_START_TEST (test_change_in_a_paused_pipeline_can_be_flushed)
{
  g_autoptr (EncodedClip) raw =
      encoded_clip_new ("videotestsrc num-buffers=1 ! " CLIP_VIDEO (64, 48));
  g_autoptr (EncodedClip) jpeg =
      encoded_clip_new ("videotestsrc num-buffers=1 ! " CLIP_VIDEO (64,
          48) " ! jpegenc");
  g_autoptr (GstElement) chain = NULL;
  g_autoptr (GstPad) chain_sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  test = sink_test_new ("appsrc name=feed format=time ! rtspserversink "
      "encoder=\"queue ! x264enc tune=zerolatency speed-preset=ultrafast ! queue\"");
  pad = gst_element_get_static_pad (sink_test_element (test, NULL), "sink");
  sink_test_try_state (test, GST_STATE_PAUSED);
  encoded_clip_push (test, "feed", raw->caps, encoded_clip_frame (raw, 0));
  sink_test_set_state (test, GST_STATE_PAUSED);
  chain = gst_bin_get_by_name (GST_BIN (sink_test_element (test, NULL)),
      "conversion");
  chain_sink = gst_element_get_static_pad (chain, "sink");

  encoded_clip_push (test, "feed", jpeg->caps, encoded_clip_frame (jpeg, 0));
  sink_test_wait_until (is_drained, chain_sink, SINK_TEST_TIMEOUT,
      "the elements of before are drained");
  gst_pad_add_probe (chain_sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, let_it_go_on,
      NULL, NULL);
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE));
}

END_TEST;

static Suite *
changes_suite (void)
{
  Suite *suite = suite_create ("changes");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_change_in_a_paused_pipeline_can_be_flushed);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_size_changes_tcp_viewer_sees_the_new_one);
  tcase_add_test (tests, test_size_changes_udp_viewer_sees_the_new_one);
  tcase_add_test (tests, test_size_changes_new_viewer_is_told);
  tcase_add_test (tests, test_size_changes_without_viewers_next_one_is_told);
  tcase_add_test (tests, test_size_changes_rtspsrc_over_tcp_goes_on);
  tcase_add_test (tests, test_size_changes_rtspsrc_over_udp_goes_on);
  tcase_add_test (tests,
      test_size_changes_raw_viewer_never_gets_what_it_was_not_told);
  tcase_add_test (tests,
      test_size_changes_without_viewers_next_raw_one_is_told);
  tcase_add_loop_test (tests, test_size_changes_each_describe_tells_the_truth,
      0, G_N_ELEMENTS (mounts));
  tcase_add_test (tests,
      test_time_that_jumps_back_is_borne_with_a_stalled_viewer);
  tcase_add_test (tests, test_time_of_day_as_stamps_runs_at_wall_speed);
  return suite;
}

CHECK_SUITE (changes);
