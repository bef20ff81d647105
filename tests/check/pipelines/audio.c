/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Audio beside video, and alone: who gets which streams, and that a viewer of two
 * is one viewer. Which time they are of: lipsync.c. */

#include "servedtest.h"

#define VIDEO "videotestsrc is-live=true ! " SMALL_VIDEO " ! s.sink "
#define SOUND "audiotestsrc is-live=true samplesperbuffer=480 ! " \
    "audio/x-raw,rate=48000,channels=2 ! s.audio_0 "
#define SINK "rtspserversink name=s "
#define BOTH (RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO)
#define SECOND_OF_SOUND 50      /* packets */

static RtspViewer *
start_viewer (RtspViewerStreams streams, RtspViewerTransport transport)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, "s"));
  GError *error = NULL;

  rtsp_viewer_set_streams (viewer, streams);
  assert_viewer (rtsp_viewer_start (viewer, transport, &error), error);
  return viewer;
}

static void
receive (RtspViewer * viewer, guint n_video, guint n_audio)
{
  guint video = rtsp_record_count (rtsp_viewer_record (viewer));
  guint audio = rtsp_record_count (rtsp_viewer_audio_record (viewer));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_streams (viewer, video + n_video,
          audio + n_audio, SINK_TEST_TIMEOUT, &error), error);
}

static void
expect_whole (const RtspRecord * record)
{
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_malformed, 0);
  fail_unless (rtsp_record_times_rise (record));
}

/* RTP-Info names the first packet, and a time not later than it. */
static void
expect_announced (const RtspRtpInfo * info, const RtspRecord * record)
{
  const RtspUnit *unit = rtsp_record_unit (record, 0);

  fail_unless (info->has_seq && info->has_rtptime);
  fail_unless_equals_int (info->seq, unit->first_seq);
  fail_unless ((gint32) (unit->rtp_time - info->rtptime) >= 0);
  fail_unless (unit->rtp_time - info->rtptime < 2 * record->clock_rate);
}

static gint64
capture_time_of (const RtspRecord * record, guint32 rtp_time)
{
  RtspUnit unit = {.rtp_time = rtp_time };
  gint64 time;

  fail_unless (rtsp_record_capture_time (record, &unit, &time));
  return time;
}

/* Players that have no sender report yet take what RTP-Info names of the two as
 * one moment. */
static void
expect_one_moment (RtspViewer * viewer)
{
  RtspRtpInfo video, audio;
  GError *error = NULL;
  gint64 difference;

  fail_unless (rtsp_viewer_rtp_info (viewer, &video));
  fail_unless (rtsp_viewer_audio_rtp_info (viewer, &audio));
  expect_announced (&video, rtsp_viewer_record (viewer));
  expect_announced (&audio, rtsp_viewer_audio_record (viewer));
  fail_if (g_str_equal (video.url, audio.url));

  assert_viewer (rtsp_viewer_wait_report (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  assert_viewer (rtsp_viewer_wait_audio_report (viewer, SINK_TEST_TIMEOUT,
          &error), error);
  difference = capture_time_of (rtsp_viewer_record (viewer), video.rtptime)
      - capture_time_of (rtsp_viewer_audio_record (viewer), audio.rtptime);
  fail_unless (ABS (difference) < 1000, "RTP-Info names times %.3f ms apart",
      difference / 1e3);
}

static const struct
{
  const gchar *shared;
  RtspViewerTransport transport;
} ways[] = {
  {"shared=false ", RTSP_VIEWER_TCP},
  {"shared=false ", RTSP_VIEWER_UDP},
  {"shared=true ", RTSP_VIEWER_TCP},
  {"shared=true ", RTSP_VIEWER_UDP},
};

GST_START_TEST (test_audio_and_video_both_reach_the_viewer)
{
  g_autofree gchar *line = g_strconcat (SINK, ways[__i__].shared, VIDEO, SOUND,
      NULL);
  g_autoptr (RtspViewer) viewer = NULL;

  served_test_start (line);
  viewer = start_viewer (BOTH, ways[__i__].transport);
  receive (viewer, 25, SECOND_OF_SOUND);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (viewer), 0)));
  expect_one_moment (viewer);
  expect_whole (rtsp_viewer_record (viewer));
  expect_whole (rtsp_viewer_audio_record (viewer));
}

END_TEST;

/* The pipeline asks the sink of video how far it is, which raises a CRITICAL while
 * that has no segment. */
GST_START_TEST (test_audio_and_video_keep_their_speed)
{
  static const gchar *const pads[] = { "sink", "audio_0" };
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (SINK VIDEO SOUND);
  sink_test_try_state (test, GST_STATE_PAUSED);
  for (gsize i = 0; i < G_N_ELEMENTS (pads); i++) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (sink_test_element
        (test, "s"), pads[i]);

    gst_pad_send_event (pad, gst_event_new_instant_rate_change (2, 0));
  }
  sink_test_play (test);
  viewer = start_viewer (BOTH, RTSP_VIEWER_TCP);
  receive (viewer, 25, SECOND_OF_SOUND);
  expect_one_moment (viewer);
  expect_whole (rtsp_viewer_record (viewer));
  expect_whole (rtsp_viewer_audio_record (viewer));
}

END_TEST;

GST_START_TEST (test_audio_viewer_gets_the_streams_that_it_set_up)
{
  g_autofree gchar *line = g_strconcat (SINK, ways[__i__].shared, VIDEO, SOUND,
      NULL);
  g_autoptr (RtspViewer) sees = NULL;
  g_autoptr (RtspViewer) hears = NULL;
  g_autoptr (RtspViewer) has_both = NULL;

  served_test_start (line);
  hears = start_viewer (RTSP_VIEWER_AUDIO, ways[__i__].transport);
  receive (hears, 0, 10);
  sees = start_viewer (RTSP_VIEWER_VIDEO, ways[__i__].transport);
  receive (sees, 10, 0);
  has_both = start_viewer (BOTH, ways[__i__].transport);
  receive (has_both, 10, 20);
  receive (hears, 0, 10);
  receive (sees, 10, 0);

  fail_unless_equals_int (rtsp_viewer_record (hears)->n_packets, 0);
  fail_unless_equals_int (rtsp_viewer_audio_record (sees)->n_packets, 0);
  expect_whole (rtsp_viewer_audio_record (hears));
  expect_whole (rtsp_viewer_record (sees));
  fail_unless_equals_int (sink_test_num_viewers (test, "s"), 3);
}

END_TEST;

/* Reported: a client that sets up the video alone gets nothing. */
GST_START_TEST (test_audio_is_not_waited_for_by_who_sees_on_other_channels)
{
  g_autoptr (RtspViewer) viewer = NULL;
  const GstRTSPTransport *transport;
  GError *error = NULL;

  served_test_start (SINK VIDEO SOUND);
  viewer = rtsp_viewer_new (sink_test_uri (test, "s"));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 2, &error), error);
  transport = rtsp_viewer_transport (viewer);
  fail_unless_equals_int (transport->interleaved.min, 2);
  fail_unless_equals_int (transport->interleaved.max, 3);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  receive (viewer, 10, 0);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (viewer), 0)));
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_malformed, 0);
}

END_TEST;

GST_START_TEST (test_audio_viewer_of_two_streams_is_one_viewer)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (RtspViewer) other = NULL;

  served_test_start (SINK "max-viewers=1 " VIDEO SOUND);
  viewer = start_viewer (BOTH, RTSP_VIEWER_UDP);
  receive (viewer, 5, 5);
  fail_unless_equals_int (sink_test_num_viewers (test, "s"), 1);
  fail_unless_equals_int (served_test_count_viewers (), 1);

  other = rtsp_viewer_new (sink_test_uri (test, "s"));
  fail_unless (rtsp_viewer_connect (other, NULL));
  fail_if (rtsp_viewer_describe (other, NULL));
  fail_unless_equals_int (rtsp_viewer_status (other), 503);

  rtsp_viewer_close (viewer);
  viewer_log_wait (viewer_log, "removed", 0);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, "added"), 1);
  fail_unless_equals_int (viewer_log_count (viewer_log, "removed"), 1);
}

END_TEST;

GST_START_TEST (test_audio_pauses_and_goes_on_with_the_video)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  RtspRtpInfo info;
  guint16 next;

  served_test_start (SINK VIDEO SOUND);
  viewer = start_viewer (BOTH, RTSP_VIEWER_TCP);
  receive (viewer, 5, 10);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  fail_unless_equals_int (sink_test_num_viewers (test, "s"), 0);
  {
    RtspRecord *record = rtsp_viewer_audio_record (viewer);

    next = rtsp_record_unit (record, record->units->len - 1)->last_seq + 1;
  }
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  fail_unless (rtsp_viewer_audio_rtp_info (viewer, &info));
  fail_unless_equals_int (info.seq, next);
  receive (viewer, 10, 20);
  expect_whole (rtsp_viewer_audio_record (viewer));
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

END_TEST;

static const gchar *const codecs[][2] = {
  {"auto", "OPUS"}, {"opus", "OPUS"}, {"aac", "MPEG4-GENERIC"},
  {"pcmu", "PCMU"}, {"pcma", "PCMA"}, {"l16", "L16"},
};

static void
expect_codec (RtspViewer * viewer, const gchar * name)
{
  const GstSDPMedia *media = rtsp_sdp_media (rtsp_viewer_sdp (viewer),
      "audio");
  g_autoptr (GstCaps) caps = rtsp_sdp_media_caps (media);

  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "encoding-name"), name);
}

/* The video pad is not linked. */
GST_START_TEST (test_audio_alone_is_served_in_each_codec)
{
  g_autofree gchar *line = g_strconcat (SINK "audio-codec=", codecs[__i__][0],
      " ", SOUND, NULL);
  g_autoptr (RtspViewer) viewer = NULL;

  served_test_start (line);
  viewer = start_viewer (RTSP_VIEWER_AUDIO, RTSP_VIEWER_UDP);
  fail_unless (rtsp_sdp_video (rtsp_viewer_sdp (viewer)) == NULL);
  expect_codec (viewer, codecs[__i__][1]);
  receive (viewer, 0, 30);
  expect_whole (rtsp_viewer_audio_record (viewer));
}

END_TEST;

#define ENCODED(chain) "audiotestsrc is-live=true ! audioconvert ! " \
    "audioresample ! " chain " ! s.audio_0 "

static const gchar *const encoded[][2] = {
  {ENCODED ("opusenc"), "OPUS"},
  {ENCODED ("avenc_aac"), "MPEG4-GENERIC"},
  {ENCODED ("avenc_aac ! aacparse ! audio/mpeg,stream-format=adts"),
      "MPEG4-GENERIC"},
  {ENCODED ("mulawenc ! audio/x-mulaw,rate=8000,channels=1"), "PCMU"},
  {ENCODED ("alawenc ! audio/x-alaw,rate=8000,channels=1"), "PCMA"},
};

GST_START_TEST (test_audio_that_is_encoded_is_sent_as_it_comes)
{
  g_autofree gchar *line = g_strconcat (SINK, encoded[__i__][0], NULL);
  g_autoptr (RtspViewer) viewer = NULL;

  served_test_start (line);
  viewer = start_viewer (RTSP_VIEWER_AUDIO, RTSP_VIEWER_TCP);
  expect_codec (viewer, encoded[__i__][1]);
  receive (viewer, 0, 30);
  expect_whole (rtsp_viewer_audio_record (viewer));
}

END_TEST;

static const GstFormat backwards[] = { GST_FORMAT_TIME, GST_FORMAT_BYTES };

static GstPadProbeReturn
turn_segment (GstPad * pad, GstPadProbeInfo * info, gpointer format)
{
  GstSegment segment;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_segment_init (&segment, *(const GstFormat *) format);
  segment.rate = -1;
  gst_event_unref (GST_PAD_PROBE_INFO_EVENT (info));
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_segment (&segment);
  return GST_PAD_PROBE_OK;
}

/* Such a segment has no running times. A CRITICAL would end the test. */
GST_START_TEST (test_audio_backwards_without_stop_goes_by_arrival)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstPad) pad = NULL;

  test = sink_test_new (SINK "audiotestsrc name=a is-live=true "
      "samplesperbuffer=480 ! s.audio_0 ");
  pad = gst_element_get_static_pad (sink_test_element (test, "a"), "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, turn_segment,
      (gpointer) & backwards[__i__], NULL);
  sink_test_play (test);
  viewer = start_viewer (RTSP_VIEWER_AUDIO, RTSP_VIEWER_TCP);
  receive (viewer, 0, 10);
  expect_whole (rtsp_viewer_audio_record (viewer));
}

END_TEST;

GST_START_TEST (test_audio_of_another_codec_than_asked_for_is_an_error)
{
  test = sink_test_new (SINK "audio-codec=aac appsrc name=a is-live=true "
      "format=time caps=audio/x-opus,channel-mapping-family=0 ! s.audio_0 ");
  sink_test_try_state (test, GST_STATE_PLAYING);
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_STREAM_STATUS,
          SINK_TEST_TIMEOUT));
  {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, 100, NULL);
    GstFlowReturn ret;

    g_signal_emit_by_name (sink_test_element (test, "a"), "push-buffer",
        buffer, &ret);
    gst_buffer_unref (buffer);
  }
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_ERROR,
          SINK_TEST_TIMEOUT));
  sink_test_forget_messages (test);
}

END_TEST;

/* As from an array of microphones. */
GST_START_TEST (test_audio_of_channels_without_places_is_one_error_with_cure)
{
  static const gchar *const words[] = { "channels=(int)4", "Opus",
    "channel-mask", "mix-matrix", NULL
  };

  test = sink_test_new (SINK "audiotestsrc is-live=true ! audio/x-raw,"
      "rate=48000,channels=4,channel-mask=(bitmask)0 ! s.audio_0 ");
  sink_test_try_state (test, GST_STATE_PLAYING);
  sink_test_expect_error (test, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      words, SINK_TEST_TIMEOUT);
  sink_test_try_state (test, GST_STATE_NULL);
  sink_test_forget_messages (test);
}

END_TEST;

GST_START_TEST (test_audio_late_viewer_hears_at_once_and_without_a_gap)
{
  g_autoptr (RtspViewer) early = NULL;
  g_autoptr (RtspViewer) late = NULL;

  served_test_start (SINK "key-unit-interval=60000 shared=true " VIDEO SOUND);
  early = start_viewer (BOTH, RTSP_VIEWER_TCP);
  receive (early, 25, SECOND_OF_SOUND);
  late = start_viewer (BOTH, RTSP_VIEWER_TCP);
  receive (late, 10, 20);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (late), 0)));
  expect_one_moment (late);
  expect_whole (rtsp_viewer_audio_record (late));
  expect_whole (rtsp_viewer_audio_record (early));
}

END_TEST;

/* A microphone that is linked and silent. Video viewers wait for it for as long
 * as a DESCRIBE waits, no longer. */
GST_START_TEST (test_audio_that_does_not_come_keeps_no_viewer_out)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (RtspViewer) later = NULL;
  GstBuffer *buffer;
  gint64 before;
  gboolean has_audio = FALSE;

  served_test_start (SINK VIDEO "appsrc name=a is-live=true format=time "
      "caps=audio/x-mulaw,rate=8000,channels=1 ! s.audio_0");
  before = g_get_monotonic_time ();
  viewer = start_viewer (RTSP_VIEWER_VIDEO, RTSP_VIEWER_TCP);
  fail_unless (g_get_monotonic_time () - before <
      3 * G_USEC_PER_SEC * sink_test_time_factor ());
  fail_unless (rtsp_sdp_media (rtsp_viewer_sdp (viewer), "audio") == NULL);
  receive (viewer, 10, 0);

  for (guint i = 0; !has_audio; i++) {
    GstFlowReturn ret;

    fail_unless (i < 20, "audio is never offered");
    buffer = gst_buffer_new_allocate (NULL, 1600, NULL);
    gst_buffer_memset (buffer, 0, 0xff, 1600);
    g_signal_emit_by_name (sink_test_element (test, "a"), "push-buffer",
        buffer, &ret);
    gst_buffer_unref (buffer);
    g_clear_pointer (&later, rtsp_viewer_free);
    later = start_viewer (RTSP_VIEWER_VIDEO, RTSP_VIEWER_TCP);
    has_audio = rtsp_sdp_media (rtsp_viewer_sdp (later), "audio") != NULL;
  }
  receive (viewer, 10, 0);
  expect_whole (rtsp_viewer_record (viewer));
}

END_TEST;

static gboolean
has_audio_bye (RtspViewer * viewer, gpointer data)
{
  return rtsp_viewer_audio_record (viewer)->bye != 0;
}

GST_START_TEST (test_audio_pad_released_while_playing_ends_the_audio_alone)
{
  g_autofree gchar *line = g_strconcat (SINK, ways[__i__].shared, VIDEO, SOUND,
      NULL);
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (RtspViewer) later = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstPad) peer = NULL;
  GstElement *sink;
  GError *error = NULL;

  served_test_start (line);
  sink = sink_test_element (test, "s");
  viewer = start_viewer (BOTH, ways[__i__].transport);
  receive (viewer, 5, 10);

  pad = gst_element_get_static_pad (sink, "audio_0");
  peer = gst_pad_get_peer (pad);
  gst_pad_add_probe (peer, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, NULL, NULL,
      NULL);
  gst_pad_unlink (peer, pad);
  gst_element_release_request_pad (sink, pad);
  assert_viewer (rtsp_viewer_receive_until (viewer, has_audio_bye, NULL,
          SINK_TEST_TIMEOUT, "BYE of the audio", &error), error);
  receive (viewer, 25, 0);
  expect_whole (rtsp_viewer_record (viewer));
  fail_unless_equals_int (rtsp_viewer_record (viewer)->bye, 0);

  later = start_viewer (RTSP_VIEWER_VIDEO, RTSP_VIEWER_TCP);
  fail_unless (rtsp_sdp_media (rtsp_viewer_sdp (later), "audio") == NULL);
  receive (later, 5, 0);
}

END_TEST;

static void
set_format (const gchar * description)
{
  gst_util_set_object_arg (G_OBJECT (sink_test_element (test, "format")),
      "caps", description);
}

/* Who listens was told of the first format, and keeps it. */
GST_START_TEST (test_audio_that_changes_its_caps_goes_on)
{
  g_autoptr (RtspViewer) viewer = NULL;

  served_test_start (SINK "audiotestsrc is-live=true samplesperbuffer=400 ! "
      "capsfilter name=format caps=audio/x-raw,rate=48000,channels=2 ! "
      "s.audio_0");
  viewer = start_viewer (RTSP_VIEWER_AUDIO, RTSP_VIEWER_TCP);
  receive (viewer, 0, 20);
  set_format ("audio/x-raw,rate=8000,channels=1");
  receive (viewer, 0, 20);
  set_format ("audio/x-raw,rate=44100,channels=2,format=F32LE");
  receive (viewer, 0, 20);
  expect_whole (rtsp_viewer_audio_record (viewer));
  fail_unless_equals_int (rtsp_viewer_audio_record (viewer)->bye, 0);
}

END_TEST;

GST_START_TEST (test_audio_and_video_end_together)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  served_test_start (SINK "videotestsrc is-live=true num-buffers=50 ! "
      SMALL_VIDEO " ! s.sink audiotestsrc is-live=true samplesperbuffer=480 "
      "num-buffers=200 ! audio/x-raw,rate=48000 ! s.audio_0");
  viewer = start_viewer (BOTH, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_until (viewer, has_audio_bye, NULL,
          SINK_TEST_TIMEOUT, "BYE of the audio", &error), error);
  assert_viewer (rtsp_viewer_wait_bye (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

END_TEST;

GST_START_TEST (test_audio_alone_that_ends_ends_the_pipeline)
{
  served_test_start (SINK "audiotestsrc num-buffers=10 ! s.audio_0");
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

END_TEST;

#define HEAVY "videotestsrc is-live=true ! video/x-raw,format=RGB,width=640," \
    "height=480,framerate=25/1 ! s.sink "

/* What the viewer does not take is the video; the other one hears and sees
 * all. */
GST_START_TEST (test_audio_of_a_stalled_viewer_is_one_stall_and_hurts_nobody)
{
  g_autoptr (RtspViewer) stalled = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  const ViewerNote *note;

  served_test_start (SINK "codec=raw shared=true viewer-stall-timeout=2000 "
      HEAVY SOUND);
  stalled = start_viewer (BOTH, RTSP_VIEWER_TCP);
  viewer = start_viewer (RTSP_VIEWER_AUDIO, RTSP_VIEWER_TCP);
  receive (viewer, 0, 4 * SECOND_OF_SOUND);
  expect_whole (rtsp_viewer_audio_record (viewer));

  note = viewer_log_wait (viewer_log, "removed", 0);
  fail_unless_equals_string (note->reason, "slow");
  fail_unless_equals_int (viewer_log_count (viewer_log, "removed"), 1);
  fail_unless_equals_int (sink_test_num_viewers (test, "s"), 1);
}

END_TEST;

static gboolean
has_packets (RtspViewer * viewer, gpointer n)
{
  return rtsp_viewer_record (viewer)->n_packets >= GPOINTER_TO_UINT (n);
}

/* Takes a fifth of what comes, for so many tenths of a second. */
static void
watch_slowly (RtspViewer * viewer, guint tenths)
{
  gint64 begin = g_get_monotonic_time ();
  guint n = 0;

  for (guint i = 0; i < tenths; i++) {
    gint64 until = begin + (i + 1) * G_USEC_PER_SEC / 10;

    n += 320;
    rtsp_viewer_receive_until (viewer, has_packets, GUINT_TO_POINTER (n),
        MAX (until - g_get_monotonic_time (), 0), "packets", NULL);
    if (g_get_monotonic_time () < until)
      g_usleep (until - g_get_monotonic_time ());
  }
}

/* It skips pictures, not sound, which is next to nothing. */
GST_START_TEST (test_audio_of_a_viewer_that_skips_pictures_goes_on)
{
  g_autoptr (RtspViewer) viewer = NULL;
  guint n_video, n_audio;

  served_test_start (SINK
      "codec=raw viewer-max-delay=400 viewer-stall-timeout=60000 " HEAVY SOUND);
  viewer = start_viewer (BOTH, RTSP_VIEWER_TCP);
  rtsp_viewer_set_receive_buffer (viewer, 256 * 1024);
  watch_slowly (viewer, 50);
  n_video = rtsp_record_count (rtsp_viewer_record (viewer));
  n_audio = rtsp_record_count (rtsp_viewer_audio_record (viewer));
  fail_unless (n_video > 0 && n_video < 5 * 25 / 2, "%u pictures", n_video);
  fail_unless (n_audio > 4 * SECOND_OF_SOUND, "%u packets of sound", n_audio);
  expect_whole (rtsp_viewer_audio_record (viewer));
}

END_TEST;

static Suite *
audio_suite (void)
{
  Suite *suite = suite_create ("audio");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, NULL, served_test_stop);
  tcase_add_loop_test (chain, test_audio_and_video_both_reach_the_viewer, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (chain, test_audio_and_video_keep_their_speed);
  tcase_add_loop_test (chain,
      test_audio_viewer_gets_the_streams_that_it_set_up, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (chain,
      test_audio_is_not_waited_for_by_who_sees_on_other_channels);
  tcase_add_test (chain, test_audio_viewer_of_two_streams_is_one_viewer);
  tcase_add_test (chain, test_audio_pauses_and_goes_on_with_the_video);
  tcase_add_loop_test (chain, test_audio_alone_is_served_in_each_codec, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_loop_test (chain, test_audio_that_is_encoded_is_sent_as_it_comes,
      0, G_N_ELEMENTS (encoded));
  tcase_add_loop_test (chain,
      test_audio_backwards_without_stop_goes_by_arrival, 0,
      G_N_ELEMENTS (backwards));
  tcase_add_test (chain,
      test_audio_of_another_codec_than_asked_for_is_an_error);
  tcase_add_test (chain,
      test_audio_of_channels_without_places_is_one_error_with_cure);
  tcase_add_test (chain,
      test_audio_late_viewer_hears_at_once_and_without_a_gap);
  tcase_add_test (chain, test_audio_that_does_not_come_keeps_no_viewer_out);
  tcase_add_loop_test (chain,
      test_audio_pad_released_while_playing_ends_the_audio_alone, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (chain, test_audio_that_changes_its_caps_goes_on);
  tcase_add_test (chain, test_audio_and_video_end_together);
  tcase_add_test (chain, test_audio_alone_that_ends_ends_the_pipeline);
  tcase_add_test (chain,
      test_audio_of_a_stalled_viewer_is_one_stall_and_hurts_nobody);
  tcase_add_test (chain, test_audio_of_a_viewer_that_skips_pictures_goes_on);

  return suite;
}

CHECK_SUITE (audio);
