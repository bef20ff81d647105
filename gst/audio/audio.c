/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What stands between an audio pad and its viewers: a bin with a queue and the
 * sink that makes packets, and their fan-out.
 *
 * Made and freed by whoever requests and releases the pad. */

#include "audio/audio.h"

#include "codec/audiocodecs.h"
#include "audio/audiosink.h"
#include "time/sourcetime.h"

/* What bridges a late thread; of a file also what lies between its streams. */
#define LIVE_TIME (200 * GST_MSECOND)
#define FILE_TIME (1 * GST_SECOND)

struct _RtspSinkAudio
{
  /* Constant after construction. */
  RtspSinkFanout *fanout;
  GstElement *bin;
  GstElement *queue;
  RtspSinkAudioSink *sink;
};

/* For live input a full queue drops its oldest buffer, so that nobody holds up
 * a microphone; other input waits. The sink's thread. */
static void
source_known (gboolean live, gpointer user_data)
{
  RtspSinkAudio *self = user_data;

  g_object_set (self->queue, "max-size-time",
      (guint64) (live ? LIVE_TIME : FILE_TIME), NULL);
  gst_util_set_object_arg (G_OBJECT (self->queue), "leaky",
      live ? "downstream" : "no");
}

/* A queue asks any segment for running times. One that has none becomes one
 * without times: the buffers go by their arrival, as pictures do. */
static GstPadProbeReturn
replace_segment (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  const GstSegment *segment;
  GstSegment without_times;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment (event, &segment);
  if (rtsp_sink_source_time_has_running_time (segment))
    return GST_PAD_PROBE_OK;

  gst_segment_init (&without_times, GST_FORMAT_BYTES);
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_segment (&without_times);
  gst_event_set_seqnum (GST_PAD_PROBE_INFO_EVENT (info),
      gst_event_get_seqnum (event));
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

static void
fill_bin (RtspSinkAudio * self, RtspSinkStats * stats)
{
  g_autoptr (GstPad) target = NULL;

  self->queue = gst_element_factory_make ("queue", "queue");
  g_object_set (self->queue, "max-size-buffers", 0, "max-size-bytes", 0,
      "max-size-time", (guint64) FILE_TIME, "silent", TRUE, NULL);
  self->sink = rtsp_sink_audio_sink_new (self->fanout, source_known, self,
      stats);
  gst_bin_add_many (GST_BIN (self->bin), self->queue, GST_ELEMENT (self->sink),
      NULL);
  gst_element_link (self->queue, GST_ELEMENT (self->sink));

  target = gst_element_get_static_pad (self->queue, "sink");
  gst_pad_add_probe (target, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      replace_segment, NULL, NULL);
  gst_element_add_pad (self->bin, gst_ghost_pad_new ("sink", target));
}

/**
 * rtsp_sink_audio_new:
 * @video: the fan-out on whose time axis the audio is
 * @counts: outlives it
 *
 * Returns: (transfer full): the way of one audio stream
 */
RtspSinkAudio *
rtsp_sink_audio_new (RtspSinkFanout * video, const RtspSinkFanoutFuncs * funcs,
    gpointer user_data, RtspSinkStats * stats)
{
  RtspSinkAudio *self = g_new0 (RtspSinkAudio, 1);

  self->fanout = rtsp_sink_fanout_new (video, funcs, user_data);
  self->bin = gst_object_ref_sink (gst_bin_new (NULL));
  fill_bin (self, stats);
  return self;
}

/**
 * rtsp_sink_audio_free:
 *
 * Ends the stream. Its bin is in NULL.
 */
void
rtsp_sink_audio_free (RtspSinkAudio * self)
{
  rtsp_sink_fanout_end (self->fanout);
  gst_object_unref (self->bin);
  rtsp_sink_fanout_unref (self->fanout);
  g_free (self);
}

/**
 * rtsp_sink_audio_get_bin:
 *
 * Returns: (transfer none): the bin, with the pad sink
 */
GstElement *
rtsp_sink_audio_get_bin (RtspSinkAudio * self)
{
  return self->bin;
}

/**
 * rtsp_sink_audio_get_fanout:
 *
 * Returns: (transfer none): where its packets go
 */
RtspSinkFanout *
rtsp_sink_audio_get_fanout (RtspSinkAudio * self)
{
  return self->fanout;
}

/**
 * rtsp_sink_audio_configure:
 * @error: says what is missing
 *
 * In NULL or READY.
 *
 * Returns: whether audio can be served as @settings say
 */
gboolean
rtsp_sink_audio_configure (RtspSinkAudio * self,
    const RtspSinkSettings * settings, GError ** error)
{
  rtsp_sink_audio_sink_configure (self->sink, settings);
  /* Which it is by itself depends on what comes in. */
  return settings->audio_codec == GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO
      || rtsp_sink_audio_codecs_check (rtsp_sink_audio_codecs_find
      (settings->audio_codec), error);
}
