/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* From a buffer of audio to its packets: which time these are of, and when there
 * are any. The clock is the test's. */

#include <gst/audio/audio.h>
#include <gst/check/gstharness.h>
#include <gst/rtp/gstrtpbuffer.h>

#include "audio/audiosink.h"
#include "sinktest.h"

#define PERIOD (20 * GST_MSECOND)
#define PACKET 160              /* samples of G.711 in it */
#define CAPS "audio/x-raw,format=S16LE,rate=8000,channels=1," \
    "layout=interleaved"

static RtspSinkSettings settings;
static RtspSinkFanout *fanout;
static RtspSinkStats *counts;
static RtspSinkAudioSink *sink;
static GstHarness *harness;
static RtspSinkFeed *feed;      /* of one who listens; NULL: nobody */
static GstHarness *listener;
static gboolean live;
static GstClockTime base;       /* when running time began */

static void
source_known (gboolean is_live, gpointer user_data)
{
}

static void
ignore (gpointer user_data)
{
}

static const RtspSinkFanoutFuncs funcs = { NULL, ignore };

static void
setup_with (GstRtspServerSinkAudioCodec codec)
{
  base = 0;
  rtsp_sink_settings_init (&settings);
  settings.audio_codec = codec;
  settings.sync = GST_RTSP_SERVER_SINK_SYNC_FALSE;
  fanout = rtsp_sink_fanout_new (NULL, &funcs, NULL);
  counts = rtsp_sink_stats_new ();
  sink = rtsp_sink_audio_sink_new (fanout, source_known, &live, counts);
  rtsp_sink_audio_sink_configure (sink, &settings);
  harness = gst_harness_new_with_element (GST_ELEMENT (sink), "sink", NULL);
  gst_object_unref (sink);
  gst_harness_use_testclock (harness);
  gst_harness_set_src_caps_str (harness, CAPS);
}

static void
setup (void)
{
  setup_with (GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU);
}

static void
setup_l16 (void)
{
  setup_with (GST_RTSP_SERVER_SINK_AUDIO_CODEC_L16);
}

static void
teardown (void)
{
  if (feed != NULL)
    rtsp_sink_fanout_leave (fanout, feed);
  g_clear_pointer (&listener, gst_harness_teardown);
  g_clear_object (&feed);
  g_clear_pointer (&harness, gst_harness_teardown);
  g_clear_pointer (&fanout, rtsp_sink_fanout_unref);
  g_clear_pointer (&counts, rtsp_sink_stats_free);
  rtsp_sink_settings_clear (&settings);
}

/* Pushes n samples that were recorded at @pts and come at once. */
static void
push (GstClockTime pts, guint n)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (harness);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n * 2, NULL);
  GstClockTime now = GST_CLOCK_TIME_IS_VALID (pts) ?
      pts + gst_util_uint64_scale (n, GST_SECOND, 8000) : 0;

  gst_buffer_memset (buffer, 0, 0, -1);
  GST_BUFFER_PTS (buffer) = pts;
  if (GST_CLOCK_TIME_IS_VALID (pts)
      && base + now > gst_clock_get_time (GST_CLOCK (clock)))
    gst_harness_set_time (harness, base + now);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

static void
listen_to_it (void)
{
  feed = rtsp_sink_fanout_join (fanout, "pay0");
  fail_unless (feed != NULL);
  listener = gst_harness_new_with_element (GST_ELEMENT (feed), NULL, "src");
  gst_harness_play (listener);
  rtsp_sink_fanout_open (fanout, feed);
}

/* The media time of the next packet. */
static GstClockTime
pull_time (void)
{
  GstBuffer *packet = gst_harness_pull (listener);
  GstClockTime time;

  fail_unless (packet != NULL);
  time = GST_BUFFER_PTS (packet);
  gst_buffer_unref (packet);
  return time;
}

static guint32
pull_rtp_time (void)
{
  GstBuffer *packet = gst_harness_pull (listener);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint32 time;

  fail_unless (packet != NULL && gst_rtp_buffer_map (packet, GST_MAP_READ,
          &rtp));
  time = gst_rtp_buffer_get_timestamp (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  gst_buffer_unref (packet);
  return time;
}

GST_START_TEST (test_audiosink_makes_known_what_comes_while_nobody_listens)
{
  fail_if (rtsp_sink_fanout_is_ready (fanout));
  push (0, PACKET);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
}

END_TEST;

/* What was before is not heard, whatever was left in the chain. */
GST_START_TEST (test_audiosink_first_packet_is_of_when_the_listener_came)
{
  push (0, PACKET + PACKET / 2);
  for (guint i = 1; i < 50; i++)
    push (i * GST_SECOND, PACKET);
  listen_to_it ();
  push (100 * GST_SECOND, PACKET);
  assert_equals_uint64 (pull_time (), 100 * GST_SECOND);
  push (100 * GST_SECOND + PERIOD, PACKET);
  assert_equals_uint64 (pull_time (), 100 * GST_SECOND + PERIOD);
}

END_TEST;

/* Whatever the sizes of the buffers, packets are of 20 ms. */
GST_START_TEST (test_audiosink_packets_are_of_20_ms)
{
  GstClockTime time = GST_SECOND;
  guint32 begin;

  push (0, PACKET);
  listen_to_it ();
  for (guint i = 0; i < 20; i++) {
    push (time, 100 + i);
    time += gst_util_uint64_scale (100 + i, GST_SECOND, 8000);
  }
  begin = pull_rtp_time ();
  for (guint i = 1; i < 13; i++)
    fail_unless_equals_int (pull_rtp_time () - begin, i * PACKET);
}

END_TEST;

/* Stamps that tremble by less than what could be heard do not make holes. */
GST_START_TEST (test_audiosink_stamps_that_tremble_are_evened_out)
{
  guint32 begin;

  push (0, PACKET);
  listen_to_it ();
  push (GST_SECOND, PACKET);
  begin = pull_rtp_time ();
  for (guint i = 1; i < 100; i++) {
    push (GST_SECOND + i * PERIOD + i % 3 * 5 * GST_MSECOND, PACKET);
    fail_unless_equals_int (pull_rtp_time () - begin, i * PACKET);
  }
}

END_TEST;

GST_START_TEST (test_audiosink_gap_is_a_gap_in_the_times)
{
  push (0, PACKET);
  listen_to_it ();
  push (GST_SECOND, PACKET);
  assert_equals_uint64 (pull_time (), GST_SECOND);
  push (5 * GST_SECOND, PACKET);
  assert_equals_uint64 (pull_time (), 5 * GST_SECOND);
}

END_TEST;

/* The buffer with that number, which its samples are. */
static void
push_numbered (guint i, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, PACKET * 2, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint k = 0; k < PACKET; k++)
    GST_WRITE_UINT16_LE (map.data + 2 * k, i);
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = pts;
  gst_harness_set_time (harness, pts + PERIOD);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

/* Which buffer the next packet was; and its media time. */
static guint16
pull_numbered (GstClockTime * time)
{
  GstBuffer *packet = gst_harness_pull (listener);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 number;

  fail_unless (packet != NULL
      && gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp));
  number = GST_READ_UINT16_BE (gst_rtp_buffer_get_payload (&rtp));
  gst_rtp_buffer_unmap (&rtp);
  *time = GST_BUFFER_PTS (packet);
  gst_buffer_unref (packet);
  return number;
}

static GstClockTime
drifting_time (guint i, gint ppm)
{
  return GST_SECOND + i * PERIOD + (gint64) i *ppm *
      (gint64) (PERIOD / 1000000);
}

/* An hour (a run that is not long: some minutes) of a sound card whose second is too short or too long: its stamps are
 * true, the count of its samples is not. If there are too many, some are left
 * out. */
static void
check_hour (gint ppm)
{
  guint n_seconds = sink_test_is_long ()? 3600 : 400;
  GstClockTime last = 0, time;
  guint seen = 0;

  push (0, PACKET);
  listen_to_it ();
  for (guint i = 0; i < n_seconds * 50; i++) {
    push_numbered (i, drifting_time (i, ppm));
    /* the last two may be left out */
    while (i >= 2 && seen < i - 2) {
      GstClockTimeDiff error;

      seen += (guint16) (pull_numbered (&time) - (guint16) seen);
      error = GST_CLOCK_DIFF (drifting_time (seen, ppm), time);
      fail_unless (time > last);
      fail_unless (ABS (error) <= (GstClockTimeDiff) (20 * GST_MSECOND),
          "after %u s: %.1f ms", seen / 50, error / 1e6);
      last = time;
    }
  }
}

GST_START_TEST (test_audiosink_is_in_time_after_an_hour_of_drift)
{
  check_hour (__i__ == 0 ? 300 : -300);
}

END_TEST;

/* Without stamps: the same by the time of arrival. */
GST_START_TEST (test_audiosink_without_time_stamps_goes_by_arrival)
{
  guint32 begin;

  push (0, PACKET);
  listen_to_it ();
  for (guint i = 1; i <= 20; i++) {
    gst_harness_set_time (harness, GST_SECOND + i * PERIOD + i % 2 *
        GST_MSECOND);
    push (GST_CLOCK_TIME_NONE, PACKET);
  }
  begin = pull_rtp_time ();
  for (guint i = 1; i < 20; i++)
    fail_unless_equals_int (pull_rtp_time () - begin, i * PACKET);
}

END_TEST;

GST_START_TEST (test_audiosink_end_sends_what_is_left)
{
  push (0, PACKET);
  listen_to_it ();
  push (GST_SECOND, PACKET + 50);
  assert_equals_uint64 (pull_time (), GST_SECOND);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  assert_equals_uint64 (pull_time (), GST_SECOND + PERIOD);
  fail_unless (rtsp_sink_fanout_is_ended (fanout));
}

END_TEST;

static void
begin_segment (void)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_segment (&segment)));
}

/* As a pipeline does at a seek: running time begins anew. */
static void
flush (void)
{
  g_autoptr (GstTestClock) clock = gst_harness_get_testclock (harness);

  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (harness,
          gst_event_new_flush_stop (TRUE)));
  base = gst_clock_get_time (GST_CLOCK (clock));
  gst_element_set_base_time (GST_ELEMENT (sink), base);
  begin_segment ();
}

static void
stop_listening (void)
{
  rtsp_sink_fanout_leave (fanout, feed);
  g_clear_pointer (&listener, gst_harness_teardown);
  g_clear_object (&feed);
}

static const GstRtspServerSinkAudioCodec codecs[] = {
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_AAC,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_L16,
};

/* A file that is played round and round: its caps come once. */
GST_START_TEST (test_audiosink_flushed_after_the_end_goes_on)
{
  setup_with (codecs[__i__]);
  push (0, PACKET);
  for (guint round = 0; round < 3; round++) {
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    flush ();
    for (guint i = 0; i < 5; i++)
      push (i * PERIOD, PACKET);
    fail_unless (rtsp_sink_fanout_is_ready (fanout));
    listen_to_it ();
    for (guint i = 5; i < 20; i++)
      push (i * PERIOD, PACKET);
    fail_unless (GST_CLOCK_TIME_IS_VALID (pull_time ()));
    stop_listening ();
  }
}

END_TEST;

GST_START_TEST (test_audiosink_stream_behind_the_end_goes_on_without_a_flush)
{
  push (0, PACKET);
  for (guint round = 1; round < 4; round++) {
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    fail_unless (rtsp_sink_fanout_is_ended (fanout));
    gst_harness_push_event (harness, gst_event_new_stream_start ("another"));
    gst_harness_set_src_caps_str (harness, CAPS);
    begin_segment ();
    listen_to_it ();
    for (guint i = 0; i < 5; i++)
      push (round * GST_SECOND + i * PERIOD, PACKET);
    fail_unless (rtsp_sink_fanout_is_ready (fanout));
    assert_equals_uint64 (pull_time (), round * GST_SECOND);
    stop_listening ();
  }
}

END_TEST;

GST_START_TEST (test_audiosink_with_other_caps_after_the_end_goes_on)
{
  push (0, PACKET);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  flush ();
  gst_harness_set_src_caps_str (harness, "audio/x-raw,format=S16LE,rate=16000,"
      "channels=1,layout=interleaved");
  for (guint i = 0; i < 5; i++)
    push (i * PERIOD, PACKET * 2);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
}

END_TEST;

/* opusparse takes minutes over a buffer of some MB. */
GST_START_TEST (test_audiosink_buffer_that_is_no_packet_is_dropped_and_counted)
{
  static const guint8 silence[] = { 0xf8, 0xff, 0xfe };
  g_autoptr (GstStructure) stats = NULL;
  guint64 n_damaged = 0;

  setup_with (GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS);
  gst_harness_set_src_caps_str (harness, "audio/x-opus,rate=48000,channels=2,"
      "channel-mapping-family=0");
  fail_unless_equals_int (gst_harness_push (harness,
          gst_buffer_new_allocate (NULL, 3000000, NULL)), GST_FLOW_OK);
  stats = rtsp_sink_stats_describe (counts);
  fail_unless (gst_structure_get_uint64 (stats, "damaged", &n_damaged));
  fail_unless_equals_int (n_damaged, 1);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (harness,
            gst_buffer_new_memdup (silence, sizeof silence)), GST_FLOW_OK);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
}

END_TEST;

/* audioconvert would warn of it as of a fault in the program. */
GST_START_TEST (test_audiosink_part_of_a_sample_is_dropped_and_counted)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 n_damaged = 0;

  setup_with (GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU);
  gst_harness_set_src_caps_str (harness, "audio/x-raw,format=S16LE,rate=8000,"
      "channels=1,layout=interleaved");
  fail_unless_equals_int (gst_harness_push (harness,
          gst_buffer_new_allocate (NULL, PACKET * 2 + 1, NULL)), GST_FLOW_OK);
  stats = rtsp_sink_stats_describe (counts);
  fail_unless (gst_structure_get_uint64 (stats, "damaged", &n_damaged));
  fail_unless_equals_int (n_damaged, 1);
  for (guint i = 0; i < 3; i++)
    push (i * PERIOD, PACKET);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
}

END_TEST;

#define PLANES "audio/x-raw,format=S16LE,rate=8000,channels=2," \
    "channel-mask=(bitmask)3,layout="

static const struct
{
  GstAudioFormat format;
  guint channels;
  GstAudioLayout layout;
  gsize samples;
  gsize offset;                 /* of the second plane */
} metas[] = {
  {GST_AUDIO_FORMAT_S16LE, 2, GST_AUDIO_LAYOUT_NON_INTERLEAVED, PACKET,
      PACKET * 2},
  /* The others do not fit. */
  {GST_AUDIO_FORMAT_UNKNOWN, 0, 0, 0, 0},
  {GST_AUDIO_FORMAT_S8, 2, GST_AUDIO_LAYOUT_NON_INTERLEAVED, PACKET,
      PACKET * 2},
  {GST_AUDIO_FORMAT_S16LE, 1, GST_AUDIO_LAYOUT_NON_INTERLEAVED, PACKET, 0},
  {GST_AUDIO_FORMAT_S16LE, 2, GST_AUDIO_LAYOUT_INTERLEAVED, PACKET, 0},
  {GST_AUDIO_FORMAT_S16LE, 2, GST_AUDIO_LAYOUT_NON_INTERLEAVED, PACKET * 9,
      PACKET * 2},
  {GST_AUDIO_FORMAT_S16LE, 2, GST_AUDIO_LAYOUT_NON_INTERLEAVED, PACKET, PACKET},
  {GST_AUDIO_FORMAT_S16LE, 2, GST_AUDIO_LAYOUT_NON_INTERLEAVED, PACKET,
      G_MAXSIZE - PACKET},
};

/* With one that fits where that is made, changed afterwards. */
static GstBuffer *
make_planes (guint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, PACKET * 4, NULL);
  GstAudioMeta *meta;
  GstAudioInfo info;

  gst_buffer_memset (buffer, 0, 0, -1);
  if (metas[i].format == GST_AUDIO_FORMAT_UNKNOWN)
    return buffer;
  gst_audio_info_set_format (&info, metas[i].format, 8000, metas[i].channels,
      NULL);
  info.layout = metas[i].layout;
  meta = gst_buffer_add_audio_meta (buffer, &info, PACKET, NULL);
  meta->samples = metas[i].samples;
  if (metas[i].offset > 0)
    meta->offsets[1] = metas[i].offset;
  return buffer;
}

static void
expect_damaged (guint n)
{
  g_autoptr (GstStructure) stats = rtsp_sink_stats_describe (counts);
  guint64 n_damaged = 0;

  fail_unless (gst_structure_get_uint64 (stats, "damaged", &n_damaged));
  fail_unless_equals_int (n_damaged, n);
}

/* GStreamer's elements raise a CRITICAL, which would end the test. */
GST_START_TEST (test_audiosink_planes_that_do_not_fit_are_dropped_and_counted)
{
  gst_harness_set_src_caps_str (harness, PLANES "non-interleaved");
  fail_unless_equals_int (gst_harness_push (harness, make_planes (__i__)),
      GST_FLOW_OK);
  expect_damaged (__i__ > 0);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (harness, make_planes (0)),
        GST_FLOW_OK);
  expect_damaged (__i__ > 0);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
}

END_TEST;

/* Nobody has asked for it. */
GST_START_TEST (test_audiosink_planes_told_of_interleaved_samples_are_ignored)
{
  gst_harness_set_src_caps_str (harness, PLANES "interleaved");
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (harness, make_planes (__i__)),
        GST_FLOW_OK);
  expect_damaged (0);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
}

END_TEST;

static const gchar *const rates[] = { "30000001", "2147483647" };

/* audioresample would ask for more memory than there is. */
GST_START_TEST (test_audiosink_rate_that_nothing_resamples_is_refused)
{
  g_autofree gchar *text = g_strconcat ("audio/x-raw,format=S16LE,channels=1,"
      "layout=interleaved,rate=", rates[__i__], NULL);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  gst_pad_push_event (harness->srcpad, gst_event_new_caps (caps));
  fail_unless_equals_int (gst_harness_push (harness,
          gst_buffer_new_allocate (NULL, PACKET, NULL)),
      GST_FLOW_NOT_NEGOTIATED);
}

END_TEST;

GST_START_TEST (test_audiosink_before_its_caps_is_refused)
{
  GstSegment segment;
  GstPad *pad;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  rtsp_sink_settings_init (&settings);
  fanout = rtsp_sink_fanout_new (NULL, &funcs, NULL);
  counts = rtsp_sink_stats_new ();
  sink = rtsp_sink_audio_sink_new (fanout, source_known, &live, counts);
  gst_element_set_state (GST_ELEMENT (sink), GST_STATE_PLAYING);
  pad = gst_element_get_static_pad (GST_ELEMENT (sink), "sink");
  gst_pad_send_event (pad, gst_event_new_stream_start ("without caps"));
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_pad_chain (pad,
          gst_buffer_new_allocate (NULL, PACKET, NULL)),
      GST_FLOW_NOT_NEGOTIATED);
  gst_object_unref (pad);
  gst_element_set_state (GST_ELEMENT (sink), GST_STATE_NULL);
  gst_object_unref (sink);
}

END_TEST;

static Suite *
audiosink_suite (void)
{
  Suite *suite = suite_create ("audiosink");
  TCase *chain = tcase_create ("general");
  TCase *bare = tcase_create ("bare");
  TCase *hour = tcase_create ("hour");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain,
      test_audiosink_makes_known_what_comes_while_nobody_listens);
  tcase_add_test (chain,
      test_audiosink_first_packet_is_of_when_the_listener_came);
  tcase_add_test (chain, test_audiosink_packets_are_of_20_ms);
  tcase_add_test (chain, test_audiosink_stamps_that_tremble_are_evened_out);
  tcase_add_test (chain, test_audiosink_gap_is_a_gap_in_the_times);
  tcase_add_test (chain, test_audiosink_without_time_stamps_goes_by_arrival);
  tcase_add_test (chain, test_audiosink_end_sends_what_is_left);
  tcase_add_loop_test (chain,
      test_audiosink_planes_that_do_not_fit_are_dropped_and_counted, 0,
      G_N_ELEMENTS (metas));
  tcase_add_loop_test (chain,
      test_audiosink_planes_told_of_interleaved_samples_are_ignored, 0,
      G_N_ELEMENTS (metas));
  tcase_add_loop_test (chain,
      test_audiosink_rate_that_nothing_resamples_is_refused, 0,
      G_N_ELEMENTS (rates));

  tcase_add_test (chain,
      test_audiosink_stream_behind_the_end_goes_on_without_a_flush);
  tcase_add_test (chain, test_audiosink_with_other_caps_after_the_end_goes_on);

  suite_add_tcase (suite, bare);
  tcase_add_checked_fixture (bare, NULL, teardown);
  tcase_add_loop_test (bare, test_audiosink_flushed_after_the_end_goes_on, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_test (bare,
      test_audiosink_buffer_that_is_no_packet_is_dropped_and_counted);
  tcase_add_test (bare, test_audiosink_part_of_a_sample_is_dropped_and_counted);
  tcase_add_test (bare, test_audiosink_before_its_caps_is_refused);

  suite_add_tcase (suite, hour);
  tcase_add_checked_fixture (hour, setup_l16, teardown);
  tcase_add_loop_test (hour, test_audiosink_is_in_time_after_an_hour_of_drift,
      0, 2);

  return suite;
}

CHECK_SUITE (audiosink);
