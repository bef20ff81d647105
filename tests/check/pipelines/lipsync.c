/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A flash and a click that are fed at one time are told to be of one time: by the
 * sender reports of their streams, after all that encoders do to them. */

#include "sinktest.h"

#include <gst/audio/audio.h>
#include <gst/check/gstharness.h>

/* the promise is 40 ms; what encoders and time stamps leave is less */
#define TOLERANCE (10 * 1000)

/* from one click to the next */
#define CLICK_INTERVAL (G_USEC_PER_SEC / 2)

/* A click that is heard this soon may have begun before the viewer came. */
#define CUT_TIME (50 * 1000)

#define N_FRAMES 40
#define SOUND_TIME (2200 * 1000)

static SinkTest *test;

/* Running times of all frames, by number. */
static GMutex lock;
static GArray *frames;          /* GstClockTime; guarded by lock */

/* When clicks begin, in µs; guarded by lock. */
static GArray *clicks;

static void
setup (void)
{
  frames = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  clicks = g_array_new (FALSE, FALSE, sizeof (gint64));
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  g_clear_pointer (&frames, g_array_unref);
  g_clear_pointer (&clicks, g_array_unref);
}

static GstPadProbeReturn
note_frame (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstClockTime time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));

  g_mutex_lock (&lock);
  g_array_append_val (frames, time);
  g_mutex_unlock (&lock);
  return GST_PAD_PROBE_OK;
}

/* The time of the first sample of a click, or of the rest of one, in µs; -1:
 * @buffer has none. */
static gint64
find_click (const GstAudioInfo * info, GstBuffer * buffer)
{
  gint64 time = -1;
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  for (gsize i = 0; time < 0 && i + 1 < map.size; i += 2) {
    if (ABS (GST_READ_UINT16_LE (map.data + i) << 16 >> 16) > 6000)
      time = GST_BUFFER_PTS (buffer) / GST_USECOND
          + i / info->bpf * G_USEC_PER_SEC / info->rate;
  }
  gst_buffer_unmap (buffer, &map);
  return time;
}

static GstPadProbeReturn
note_click (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gint64 time = find_click (user_data, GST_PAD_PROBE_INFO_BUFFER (info));

  g_mutex_lock (&lock);
  /* one lasts for some buffers */
  if (time >= 0 && (clicks->len == 0 || time > g_array_index (clicks, gint64,
              clicks->len - 1) + CLICK_INTERVAL / 2))
    g_array_append_val (clicks, time);
  g_mutex_unlock (&lock);
  return GST_PAD_PROBE_OK;
}

static gint64
frame_time (guint n)
{
  gint64 time;

  g_mutex_lock (&lock);
  time = g_array_index (frames, GstClockTime, n) / GST_USECOND;
  g_mutex_unlock (&lock);
  return time;
}

static void
watch_source (const gchar * name, GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink_test_element (test,
          name), "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, data, NULL);
}

static void
serve (const gchar * line)
{
  static GstAudioInfo info;

  gst_audio_info_set_format (&info, GST_AUDIO_FORMAT_S16LE, 48000, 1, NULL);
  test = sink_test_new (line);
  watch_source ("feed", note_frame, NULL);
  watch_source ("sound", note_click, &info);
  sink_test_play (test);
}

static RtspViewer *
start_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, "s"));
  GError *error = NULL;

  rtsp_viewer_set_streams (viewer, RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO);
  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  rtsp_viewer_audio_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  return viewer;
}

static gboolean
has_heard (RtspViewer * viewer, gpointer data)
{
  RtspRecord *record = rtsp_viewer_audio_record (viewer);
  guint n = rtsp_record_count (record);
  guint32 ticks;

  if (n < 2)
    return FALSE;
  ticks = rtsp_record_unit (record, n - 1)->rtp_time
      - rtsp_record_unit (record, 0)->rtp_time;
  return (gint64) ticks *G_USEC_PER_SEC / record->clock_rate > SOUND_TIME;
}

static void
watch (RtspViewer * viewer)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, N_FRAMES,
          SINK_TEST_TIMEOUT, &error), error);
  assert_viewer (rtsp_viewer_receive_until (viewer, has_heard, NULL,
          SINK_TEST_TIMEOUT, "some clicks", &error), error);
  assert_viewer (rtsp_viewer_wait_report (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  assert_viewer (rtsp_viewer_wait_audio_report (viewer, SINK_TEST_TIMEOUT,
          &error), error);
}

/* From the running time at which a picture was fed to the time that the viewer
 * is told, in µs. */
static gint64
video_offset (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  PictureDecoder *decoder = picture_decoder_new (rtsp_viewer_sdp (viewer),
      "RGB");
  GstElement *feed = sink_test_element (test, "feed");
  gint64 offset = 0;

  for (guint i = 0; i < N_FRAMES; i++) {
    RtspUnit *unit = rtsp_record_unit (record, i);
    GstSample *sample = picture_decoder_decode (decoder, unit,
        SINK_TEST_TIMEOUT);
    gint n = code_src_find (feed, code_src_nearest (picture_grey (sample)),
        unit->arrival);
    gint64 time;

    gst_sample_unref (sample);
    fail_unless (n >= 0 && rtsp_record_capture_time (record, unit, &time));
    if (i > 0)
      fail_unless (ABS (time - frame_time (n) - offset) < 1000);
    offset = time - frame_time (n);
  }
  picture_decoder_free (decoder);
  return offset;
}

static GstHarness *
make_decoder (RtspViewer * viewer, const gchar * elements)
{
  g_autofree gchar *line = g_strconcat (elements,
      " ! audioconvert ! capsfilter caps=audio/x-raw,format=S16LE", NULL);
  GstHarness *decoder = gst_harness_new_parse (line);

  gst_harness_set_src_caps (decoder, rtsp_sdp_media_caps (rtsp_sdp_media
          (rtsp_viewer_sdp (viewer), "audio")));
  return decoder;
}

static void
decode (GstHarness * decoder, const RtspRecord * record)
{
  guint32 first = rtsp_record_unit (record, 0)->rtp_time;

  for (guint i = 0; i < rtsp_record_count (record); i++) {
    const RtspUnit *unit = rtsp_record_unit (record, i);

    for (guint k = 0; k < unit->packets->len; k++) {
      GstBuffer *packet = gst_buffer_copy (g_ptr_array_index (unit->packets,
              k));

      GST_BUFFER_PTS (packet) = gst_util_uint64_scale (unit->rtp_time - first,
          GST_SECOND, record->clock_rate);
      gst_harness_push (decoder, packet);
    }
  }
}

/* How long after the nearest click that was fed this is, in µs. */
static gint64
click_error (gint64 running_time)
{
  gint64 error = G_MAXINT64;

  g_mutex_lock (&lock);
  for (guint i = 0; i < clicks->len; i++) {
    gint64 difference = running_time - g_array_index (clicks, gint64, i);

    if (ABS (difference) < ABS (error))
      error = difference;
  }
  g_mutex_unlock (&lock);
  return error;
}

/* As of the video; about_offset is what it should be. */
static void
check_clicks (RtspViewer * viewer, GstHarness * decoder, gint64 about_offset)
{
  RtspRecord *record = rtsp_viewer_audio_record (viewer);
  g_autoptr (GstCaps) caps = NULL;
  GstAudioInfo info;
  GstBuffer *buffer;
  gint64 begin, last = -CLICK_INTERVAL;
  guint n = 0;

  fail_unless (rtsp_record_capture_time (record, rtsp_record_unit (record, 0),
          &begin));
  decode (decoder, record);
  caps = gst_pad_get_current_caps (decoder->sinkpad);
  fail_unless (gst_audio_info_from_caps (&info, caps));
  while ((buffer = gst_harness_try_pull (decoder)) != NULL) {
    gint64 heard = find_click (&info, buffer), running_time;

    gst_buffer_unref (buffer);
    if (heard < 0 || heard < last + CLICK_INTERVAL / 2)
      continue;
    last = heard;
    if (heard < CUT_TIME)
      continue;
    running_time = begin + heard - about_offset;
    fail_unless (ABS (click_error (running_time)) < TOLERANCE,
        "a click is off by %.1f ms", click_error (running_time) / 1e3);
    n++;
  }
  fail_unless (n >= 3, "%u clicks in 2 s", n);
}

static const struct
{
  const gchar *sink;
  const gchar *decoder;
} codecs[] = {
  {"audio-codec=opus", "rtpopusdepay ! opusdec"},
  {"audio-codec=aac", "rtpmp4gdepay ! aacparse ! avdec_aac"},
  {"audio-codec=pcmu", "rtppcmudepay ! mulawdec"},
  {"audio-codec=pcma", "rtppcmadepay ! alawdec"},
  {"audio-codec=l16", "rtpL16depay"},
};

#define FLASHES "codesrc name=feed is-live=true ! video/x-raw,format=I420," \
    "width=64,height=48,framerate=25/1 ! s.sink "
#define CLICKS "audiotestsrc name=sound is-live=true wave=ticks " \
    "tick-interval=500000000 volume=1 samplesperbuffer=480 ! " \
    "audio/x-raw,format=S16LE,rate=48000,channels=1 "

/* One comes now. */
static void
check_viewer (const gchar * elements)
{
  g_autoptr (RtspViewer) viewer = start_viewer ();
  GstHarness *decoder;

  watch (viewer);
  decoder = make_decoder (viewer, elements);
  check_clicks (viewer, decoder, video_offset (viewer));
  gst_harness_teardown (decoder);
}

static void
check_lips (const gchar * line, const gchar * elements)
{
  serve (line);
  check_viewer (elements);
}

GST_START_TEST (test_lipsync_holds_in_each_codec)
{
  g_autofree gchar *line = g_strconcat ("rtspserversink name=s ",
      codecs[__i__].sink, " " FLASHES CLICKS "! s.audio_0", NULL);

  check_lips (line, codecs[__i__].decoder);
}

END_TEST;

/* AAC: its encoder is behind, and holds something when nobody listens. */
GST_START_TEST (test_lipsync_holds_for_those_who_come_later)
{
  GError *error = NULL;
  RtspViewer *first;

  serve ("rtspserversink name=s audio-codec=aac " FLASHES CLICKS "! s.audio_0");
  first = start_viewer ();
  assert_viewer (rtsp_viewer_receive_units (first, 5, SINK_TEST_TIMEOUT,
          &error), error);
  check_viewer ("rtpmp4gdepay ! aacparse ! avdec_aac");
  rtsp_viewer_free (first);

  sink_test_wait_num_viewers (test, "s", 0, SINK_TEST_TIMEOUT);
  check_viewer ("rtpmp4gdepay ! aacparse ! avdec_aac");
}

END_TEST;

/* Encoded by the user, 200 ms late. */
GST_START_TEST (test_lipsync_holds_for_audio_that_arrives_late)
{
  check_lips ("rtspserversink name=s " FLASHES CLICKS "! audioresample ! "
      "audio/x-raw,rate=8000 ! mulawenc ! queue min-threshold-time=200000000 ! "
      "s.audio_0", "rtppcmudepay ! mulawdec");
}

END_TEST;

static Suite *
lipsync_suite (void)
{
  Suite *suite = suite_create ("lipsync");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_loop_test (chain, test_lipsync_holds_in_each_codec, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_test (chain, test_lipsync_holds_for_those_who_come_later);
  tcase_add_test (chain, test_lipsync_holds_for_audio_that_arrives_late);

  return suite;
}

CHECK_SUITE (lipsync);
