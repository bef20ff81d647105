/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* When a click is heard: at the time of which it was recorded, and once, whatever
 * was before. From buffers of audio to what a player makes of the packets. The
 * clock stands: time stamps are the only times. */

#include <gst/audio/audio.h>
#include <gst/check/gstharness.h>

#include "codec/audiocodecs.h"
#include "audio/audiosink.h"
#include "sinktest.h"

#define RATE 48000
#define CAPS "audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved"
#define BUFFER_TIME (10 * GST_MSECOND)

/* of the promise of 40 ms */
#define TOLERANCE (10 * GST_MSECOND)

#define CLICK_INTERVAL (100 * GST_MSECOND)
#define CLICK_TIME (3 * GST_MSECOND)
#define CLICK_LEVEL 16000
#define CLICK_THRESHOLD 5000

/* What may still be in the encoder when it is told to begin anew. */
#define HELD_TIME (100 * GST_MSECOND)

/* of a piece of sound */
#define LENGTH (500 * GST_MSECOND)

typedef struct
{
  GstClockTime time;
  gboolean optional;            /* may be lost */
  guint n_heard;
} Click;

#define CODEC(name) GST_RTSP_SERVER_SINK_AUDIO_CODEC_ ## name
#define AAC_DECODER "rtpmp4gdepay ! aacparse ! avdec_aac"

static const struct
{
  GstRtspServerSinkAudioCodec codec;
  const gchar *encoder;         /* NULL: any */
  const gchar *decoder;
  const gchar *user;            /* the user encodes with this; NULL: raw input */
  guint delay;                  /* samples by which the user's encoder is late */
} codecs[] = {
  {CODEC (OPUS), NULL, "rtpopusdepay ! opusdec", NULL, 0},
  {CODEC (AAC), "avenc_aac", AAC_DECODER, NULL, 0},
  {CODEC (AAC), "voaacenc", AAC_DECODER, NULL, 0},
  {CODEC (PCMU), NULL, "rtppcmudepay ! mulawdec", NULL, 0},
  {CODEC (PCMA), NULL, "rtppcmadepay ! alawdec", NULL, 0},
  {CODEC (L16), NULL, "rtpL16depay", NULL, 0},
  /* the last N_ENCODED */
  {CODEC (AUTO), NULL, "rtpopusdepay ! opusdec", "opusenc "
        "audio-type=restricted-lowdelay", 0},
  {CODEC (AUTO), NULL, AAC_DECODER, "audioconvert ! avenc_aac", 1024},
  {CODEC (AUTO), NULL, AAC_DECODER, "audioconvert ! avenc_aac ! aacparse ! "
        "capsfilter caps=audio/mpeg,stream-format=adts", 1024},
  {CODEC (AUTO), NULL, "rtppcmudepay ! mulawdec", "audioresample ! "
        "audio/x-raw,rate=8000 ! mulawenc", 0},
};

#define N_ENCODED 4
#define N_RAW (G_N_ELEMENTS (codecs) - N_ENCODED)

static RtspSinkSettings settings;
static RtspSinkFanout *fanout;
static GstHarness *harness;
static GstHarness *user;        /* the user's encoder, or NULL */
static gboolean losing;         /* what comes out of that */
static GArray *clicks;          /* Click */
static GstClockTime delay;

static void
source_known (gboolean is_live, gpointer user_data)
{
}

static void
ignore (gpointer user_data)
{
}

static void
setup (void)
{
  clicks = g_array_new (FALSE, FALSE, sizeof (Click));
}

static GList *removed;          /* of GstPluginFeature */

/* Of the encoders of a codec there is only this one. */
static void
leave_encoder (const RtspSinkAudioCodec * codec, const gchar * name)
{
  GstRegistry *registry = gst_registry_get ();

  for (guint i = 0; i < G_N_ELEMENTS (codec->encoders)
      && codec->encoders[i].factory != NULL; i++) {
    GstPluginFeature *feature = g_strcmp0 (codec->encoders[i].factory, name) ?
        gst_registry_lookup_feature (registry, codec->encoders[i].factory) :
        NULL;

    if (feature == NULL)
      continue;
    gst_registry_remove_feature (registry, feature);
    removed = g_list_prepend (removed, feature);
  }
}

static void
put_encoders_back (void)
{
  for (GList * l = removed; l != NULL; l = l->next)
    gst_registry_add_feature (gst_registry_get (), l->data);
  g_list_free_full (g_steal_pointer (&removed), gst_object_unref);
}

static void
teardown (void)
{
  g_clear_pointer (&user, gst_harness_teardown);
  g_clear_pointer (&harness, gst_harness_teardown);
  g_clear_pointer (&fanout, rtsp_sink_fanout_unref);
  g_clear_pointer (&clicks, g_array_unref);
  rtsp_sink_settings_clear (&settings);
  put_encoders_back ();
}

/* A click is a square wave of 1 kHz. */
static gint16
sample_at (GstClockTime time)
{
  for (guint i = 0; i < clicks->len; i++) {
    GstClockTimeDiff since = GST_CLOCK_DIFF (g_array_index (clicks, Click,
            i).time, time);

    if (since >= 0 && since < (GstClockTimeDiff) CLICK_TIME)
      return since * 2 / GST_MSECOND % 2 == 0 ? CLICK_LEVEL : -CLICK_LEVEL;
  }
  return 0;
}

static void
push_encoded (GstBuffer * raw)
{
  GstBuffer *buffer;

  fail_unless_equals_int (gst_harness_push (user, raw), GST_FLOW_OK);
  while ((buffer = gst_harness_try_pull (user)) != NULL) {
    if (!gst_pad_has_current_caps (harness->srcpad))
      gst_harness_set_src_caps (harness,
          gst_pad_get_current_caps (user->sinkpad));
    if (losing)
      gst_buffer_unref (buffer);
    else
      fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
}

static void
push (GstClockTime time)
{
  guint n = gst_util_uint64_scale (BUFFER_TIME, RATE, GST_SECOND);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n * 2, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint i = 0; i < n; i++)
    GST_WRITE_UINT16_LE (map.data + 2 * i, sample_at (time +
            gst_util_uint64_scale (i, GST_SECOND, RATE)));
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = time;
  if (user != NULL)
    push_encoded (buffer);
  else
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

/* What lies between is lost before it comes to the element. */
static void
lose (GstClockTime from, GstClockTime to)
{
  losing = TRUE;
  for (GstClockTime time = from; user != NULL && time < to; time += BUFFER_TIME)
    push (time);
  losing = FALSE;
}

/* Until the first can listen. */
static void
serve (guint n)
{
  static const RtspSinkFanoutFuncs funcs = { NULL, ignore };
  RtspSinkAudioSink *sink;

  if (codecs[n].encoder != NULL)
    leave_encoder (rtsp_sink_audio_codecs_find (codecs[n].codec),
        codecs[n].encoder);
  rtsp_sink_settings_init (&settings);
  settings.audio_codec = codecs[n].codec;
  settings.sync = GST_RTSP_SERVER_SINK_SYNC_FALSE;
  settings.timestamp_mode = GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS;
  fanout = rtsp_sink_fanout_new (NULL, &funcs, NULL);
  sink = rtsp_sink_audio_sink_new (fanout, source_known, NULL, NULL);
  rtsp_sink_audio_sink_configure (sink, &settings);
  harness = gst_harness_new_with_element (GST_ELEMENT (sink), "sink", NULL);
  gst_object_unref (sink);
  gst_harness_use_testclock (harness);
  if (codecs[n].user != NULL)
    user = gst_harness_new_parse (codecs[n].user);
  gst_harness_set_src_caps_str (user != NULL ? user : harness, CAPS);
  delay = gst_util_uint64_scale (codecs[n].delay, GST_SECOND, RATE);

  for (GstClockTime time = 0; !rtsp_sink_fanout_is_ready (fanout);
      time += BUFFER_TIME)
    push (time);
}

static void
add_click (GstClockTime time, gboolean optional)
{
  Click click = { time, optional, 0 };

  g_array_append_val (clicks, click);
}

/* Sound with clicks in it, the last one at its very end. */
static void
record (GstClockTime from, GstClockTime to)
{
  GstClockTime time;

  for (time = from + CLICK_INTERVAL / 2; time < to; time += CLICK_INTERVAL)
    add_click (time, time + HELD_TIME > to);
  add_click (to - BUFFER_TIME, TRUE);
  for (time = from; time < to; time += BUFFER_TIME)
    push (time);
}

typedef struct
{
  RtspSinkFeed *feed;
  GstHarness *harness;
  GstClockTime announced;       /* in the answer to PLAY */
} Listener;

static Listener *
listener_new (void)
{
  Listener *self = g_new0 (Listener, 1);

  self->feed = rtsp_sink_fanout_join (fanout, "pay0");
  fail_unless (self->feed != NULL);
  self->harness = gst_harness_new_with_element (GST_ELEMENT (self->feed), NULL,
      "src");
  gst_harness_play (self->harness);
  rtsp_sink_fanout_open (fanout, self->feed);
  self->announced = rtsp_sink_feed_get_next_time (self->feed);
  return self;
}

static void
listener_free (Listener * self)
{
  rtsp_sink_fanout_leave (fanout, self->feed);
  gst_harness_teardown (self->harness);
  g_object_unref (self->feed);
  g_free (self);
}

static GstHarness *
make_decoder (guint n, GstHarness * packets)
{
  g_autofree gchar *line = g_strconcat (codecs[n].decoder,
      " ! audioconvert ! capsfilter caps=audio/x-raw,format=S16LE", NULL);
  GstHarness *decoder = gst_harness_new_parse (line);

  gst_harness_set_src_caps (decoder,
      gst_pad_get_current_caps (packets->sinkpad));
  return decoder;
}

static void
hear_click (GstClockTime time)
{
  GstClockTimeDiff error = G_MAXINT64;
  Click *nearest = NULL;

  for (guint i = 0; i < clicks->len; i++) {
    Click *click = &g_array_index (clicks, Click, i);
    GstClockTimeDiff difference = GST_CLOCK_DIFF (click->time, time);

    if (ABS (difference) < ABS (error)) {
      error = difference;
      nearest = click;
    }
  }
  fail_unless (nearest != NULL
      && ABS (error) < (GstClockTimeDiff) TOLERANCE,
      "a click at %" GST_TIME_FORMAT " is off by %.1f ms",
      GST_TIME_ARGS (time), error / 1e6);
  nearest->n_heard++;
}

static void
hear (GstHarness * decoder)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (decoder->sinkpad);
  GstClockTime last = 0;
  GstAudioInfo info;
  GstBuffer *buffer;

  fail_unless (gst_audio_info_from_caps (&info, caps));
  while ((buffer = gst_harness_try_pull (decoder)) != NULL) {
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_READ);
    for (guint i = 0; i < map.size / info.bpf; i++) {
      gint16 sample = GST_READ_UINT16_LE (map.data + i * info.bpf);
      GstClockTime time = GST_BUFFER_PTS (buffer) + gst_util_uint64_scale (i,
          GST_SECOND, info.rate);

      if (ABS (sample) < CLICK_THRESHOLD || time < last + CLICK_INTERVAL / 4)
        continue;
      hear_click (time - delay);
      last = time;
    }
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
}

/* All clicks from @since on are heard, once and in time. The stream has ended. */
static void
check_heard (guint n, Listener * listener, GstClockTime since)
{
  GstHarness *decoder = NULL;
  GstBuffer *packet;

  while (gst_harness_pull_until_eos (listener->harness, &packet)
      && packet != NULL) {
    if (decoder == NULL)
      decoder = make_decoder (n, listener->harness);
    fail_unless (GST_BUFFER_PTS (packet) >= listener->announced);
    fail_unless_equals_int (gst_harness_push (decoder, packet), GST_FLOW_OK);
  }
  fail_unless (decoder != NULL);
  hear (decoder);
  gst_harness_teardown (decoder);
  listener_free (listener);

  for (guint i = 0; i < clicks->len; i++) {
    Click *click = &g_array_index (clicks, Click, i);

    fail_if (click->n_heard > 1 || (click->n_heard == 0 && !click->optional
            && click->time >= since), "the click at %" GST_TIME_FORMAT
        " was heard %u times", GST_TIME_ARGS (click->time), click->n_heard);
    click->n_heard = 0;
  }
}

/* Buffers were lost: of more than the 20 ms that time stamps may tremble by. */
GST_START_TEST (test_clicks_are_in_time_behind_a_jump)
{
  static const GstClockTimeDiff jumps[] =
      { 50 * GST_MSECOND, 140 * GST_MSECOND, 2 * GST_SECOND };
  GstClockTime time = 10 * GST_SECOND;
  Listener *listener;

  serve (__i__);
  listener = listener_new ();
  for (guint i = 0; i < G_N_ELEMENTS (jumps); i++) {
    record (time, time + LENGTH);
    time += LENGTH;
    lose (time, time + jumps[i]);
    time += jumps[i];
  }
  record (time, time + LENGTH);
  rtsp_sink_fanout_end (fanout);
  check_heard (__i__, listener, 0);
}

END_TEST;

/* Samples came twice. */
GST_START_TEST (test_clicks_are_in_time_behind_a_step_back)
{
  GstClockTime time = 10 * GST_SECOND;
  Listener *listener;

  serve (__i__);
  listener = listener_new ();
  record (time, time + LENGTH);
  time += LENGTH - 3 * BUFFER_TIME;
  record (time, time + LENGTH);
  rtsp_sink_fanout_end (fanout);
  check_heard (__i__, listener, 0);
}

END_TEST;

/* One listens, then nobody for @pause, then another one. */
static void
check_pause (guint n, GstClockTime pause)
{
  GstClockTime time = 10 * GST_SECOND;
  Listener *listener;

  serve (n);
  listener = listener_new ();
  record (time, time + LENGTH);
  time += LENGTH;
  listener_free (listener);

  record (time, time + pause);
  time += pause;
  listener = listener_new ();
  record (time, time + LENGTH);
  rtsp_sink_fanout_end (fanout);
  check_heard (n, listener, time);
}

GST_START_TEST (test_clicks_are_in_time_after_nobody_listened)
{
  check_pause (__i__, LENGTH);
}

END_TEST;

/* So it is when a viewer asks what there is, and then plays. */
GST_START_TEST (test_clicks_are_in_time_after_nobody_listened_for_a_buffer)
{
  check_pause (__i__, BUFFER_TIME);
}

END_TEST;

GST_START_TEST (test_clicks_are_in_time_for_one_who_joins)
{
  GstClockTime time = 10 * GST_SECOND;
  Listener *first, *second;

  serve (__i__);
  first = listener_new ();
  record (time, time + LENGTH);
  second = listener_new ();
  record (time + LENGTH, time + 2 * LENGTH);
  rtsp_sink_fanout_end (fanout);
  check_heard (__i__, first, 0);
  check_heard (__i__, second, time + LENGTH);
}

END_TEST;

static Suite *
clicks_suite (void)
{
  Suite *suite = suite_create ("clicks");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_loop_test (chain, test_clicks_are_in_time_behind_a_jump, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_loop_test (chain, test_clicks_are_in_time_behind_a_step_back, 0,
      N_RAW);
  tcase_add_loop_test (chain, test_clicks_are_in_time_after_nobody_listened, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_loop_test (chain,
      test_clicks_are_in_time_after_nobody_listened_for_a_buffer, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_loop_test (chain, test_clicks_are_in_time_for_one_who_joins, 0,
      G_N_ELEMENTS (codecs));

  return suite;
}

CHECK_SUITE (clicks);
