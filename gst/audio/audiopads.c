/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The audio pads of an element, as they are requested and released, in any
 * state. Each brings its own way to its viewers: a bin with a queue and the sink
 * that makes packets, and their fan-out. Any thread of the application. */

#include "audio/audiopads.h"

#include "audio/audiosink.h"
#include "base/elements.h"
#include "codec/audiocodecs.h"
#include "time/sourcetime.h"

/* What bridges a late thread; of a file also what lies between its streams. */
#define LIVE_TIME (200 * GST_MSECOND)
#define FILE_TIME (1 * GST_SECOND)

/* What stands between a pad and its viewers. */
typedef struct
{
  /* Constant after construction. */
  GstPad *pad;                  /* the element's; no reference: it owns it */
  RtspSinkFanout *fanout;
  GstElement *bin;
  GstElement *queue;
  RtspSinkAudioSink *sink;

  gboolean repeats;             /* a segment; upstream thread only */
} Audio;

struct _RtspSinkAudioPads
{
  /* Constant after construction. */
  GstBin *element;              /* owns this */
  RtspSinkStreams *streams;
  RtspSinkFanout *video;
  RtspSinkStats *stats;         /* no reference: it outlives this */
  RtspSinkFanoutFuncs funcs;

  GMutex lock;
  /* Guarded by lock. Nothing of GStreamer is called while it is held but what
   * sets a sink up that does not run. */
  GPtrArray *all;               /* of Audio */
  GHashTable *names;            /* of the pads, also of those that are made */
  guint next;                   /* number of the next pad without a name */
};

static GstStaticPadTemplate audio_template =
    GST_STATIC_PAD_TEMPLATE ("audio_%u", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS ("audio/x-raw; "
        "audio/x-opus, channel-mapping-family = (int) 0; "
        "audio/mpeg, mpegversion = (int) { 2, 4 }; "
        "audio/x-mulaw, rate = (int) 8000, channels = (int) 1; "
        "audio/x-alaw, rate = (int) 8000, channels = (int) 1"));

void
rtsp_sink_audio_pads_add_template (GstElementClass * klass)
{
  gst_element_class_add_static_pad_template (klass, &audio_template);
}

/* For live input a full queue drops its oldest buffer, so that nobody holds up
 * a microphone; other input waits. The sink's thread. */
static void
source_known (gboolean live, gpointer user_data)
{
  Audio *audio = user_data;

  g_object_set (audio->queue, "max-size-time",
      (guint64) (live ? LIVE_TIME : FILE_TIME), NULL);
  gst_util_set_object_arg (G_OBJECT (audio->queue), "leaky",
      live ? "downstream" : "no");
}

/* A queue asks any segment for running times. One that has none becomes one
 * without times: the buffers go by their arrival, as pictures do. Takes the
 * reference. */
static GstEvent *
make_timed (GstEvent * event)
{
  GstSegment without_times;
  const GstSegment *segment;
  GstEvent *replaced;

  gst_event_parse_segment (event, &segment);
  if (rtsp_sink_source_time_has_running_time (segment))
    return event;

  gst_segment_init (&without_times, GST_FORMAT_BYTES);
  replaced = gst_event_new_segment (&without_times);
  gst_event_set_seqnum (replaced, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return replaced;
}

/* The queue gets each segment twice. If a flush, or a change to READY, takes a
 * segment away that is still in the queue, GstQueue (up to 1.28) may not apply the
 * next one to what comes out. Then it takes itself for full while it is empty, and
 * a queue that leaks ends the process. It applies the second one. Upstream
 * thread. */
static GstPadProbeReturn
take_segment (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Audio *audio = user_data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT || audio->repeats)
    return GST_PAD_PROBE_OK;

  event = GST_PAD_PROBE_INFO_DATA (info) = make_timed (event);
  audio->repeats = TRUE;
  gst_pad_send_event (pad, gst_event_ref (event));
  audio->repeats = FALSE;
  return GST_PAD_PROBE_OK;
}

static Audio *
audio_new (RtspSinkAudioPads * self)
{
  Audio *audio = g_new0 (Audio, 1);
  g_autoptr (GstPad) target = NULL;

  audio->fanout = rtsp_sink_fanout_new (self->video, &self->funcs,
      self->element);
  audio->bin = gst_object_ref_sink (gst_bin_new (NULL));
  audio->queue = gst_element_factory_make ("queue", "queue");
  g_object_set (audio->queue, "max-size-buffers", 0, "max-size-bytes", 0,
      "max-size-time", (guint64) FILE_TIME, "silent", TRUE, NULL);
  audio->sink = rtsp_sink_audio_sink_new (audio->fanout, source_known, audio,
      self->stats);
  gst_bin_add_many (GST_BIN (audio->bin), audio->queue,
      GST_ELEMENT (audio->sink), NULL);
  gst_element_link (audio->queue, GST_ELEMENT (audio->sink));

  target = gst_element_get_static_pad (audio->queue, "sink");
  gst_pad_add_probe (target, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      take_segment, audio, NULL);
  gst_element_add_pad (audio->bin, gst_ghost_pad_new ("sink", target));
  return audio;
}

/* Ends the stream. Its bin is in NULL. */
static void
audio_free (Audio * audio)
{
  rtsp_sink_fanout_end (audio->fanout);
  gst_object_unref (audio->bin);
  rtsp_sink_fanout_unref (audio->fanout);
  g_free (audio);
}

/* Whether it can be served as @settings say. */
static gboolean
configure (Audio * audio, const RtspSinkSettings * settings, GError ** error)
{
  rtsp_sink_audio_sink_configure (audio->sink, settings);
  /* Which codec it is by itself depends on what comes in. */
  return settings->audio_codec == GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO
      || rtsp_sink_audio_codecs_check (rtsp_sink_audio_codecs_find
      (settings->audio_codec), error);
}

/**
 * rtsp_sink_audio_pads_new:
 * @video: on whose time axis all audio is
 * @counts: outlives the pads
 * @funcs: of the fan-outs; told of @element
 *
 * Returns: (transfer full): no pads
 */
RtspSinkAudioPads *
rtsp_sink_audio_pads_new (GstBin * element, RtspSinkStreams * streams,
    RtspSinkFanout * video, RtspSinkStats * stats,
    const RtspSinkFanoutFuncs * funcs)
{
  RtspSinkAudioPads *self = g_new0 (RtspSinkAudioPads, 1);

  self->element = element;
  self->streams = streams;
  self->video = video;
  self->stats = stats;
  self->funcs = *funcs;
  g_mutex_init (&self->lock);
  self->all = g_ptr_array_new ();
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

/* The element is being finalized: its bins and pads are gone. */
void
rtsp_sink_audio_pads_free (RtspSinkAudioPads * self)
{
  for (guint i = 0; i < self->all->len; i++)
    audio_free (g_ptr_array_index (self->all, i));
  g_ptr_array_unref (self->all);
  g_hash_table_unref (self->names);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* NULL: there is one of @name. Two threads may ask for the same. */
static gchar *
take_name (RtspSinkAudioPads * self, const gchar * name)
{
  gchar *own = g_strdup (name);

  g_mutex_lock (&self->lock);
  while (name == NULL && (own == NULL || g_hash_table_contains (self->names,
              own))) {
    g_free (own);
    own = g_strdup_printf ("audio_%u", self->next++);
  }
  if (!g_hash_table_contains (self->names, own))
    g_hash_table_add (self->names, g_strdup (own));
  else
    g_clear_pointer (&own, g_free);
  g_mutex_unlock (&self->lock);
  return own;
}

static void
give_name_back (RtspSinkAudioPads * self, const gchar * name)
{
  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->names, name);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_audio_pads_request:
 * @name: (nullable): the pad's
 *
 * Returns: (transfer none) (nullable): a new pad of the element; NULL if there
 *   is one of that name
 */
GstPad *
rtsp_sink_audio_pads_request (RtspSinkAudioPads * self,
    GstPadTemplate * template, const gchar * name,
    const RtspSinkSettings * settings)
{
  g_autofree gchar *own = take_name (self, name);
  g_autoptr (GstPad) target = NULL;
  Audio *audio;
  GstPad *pad;

  if (own == NULL)
    return NULL;
  audio = audio_new (self);
  configure (audio, settings, NULL);
  gst_bin_add (self->element, audio->bin);
  target = gst_element_get_static_pad (audio->bin, "sink");
  pad = audio->pad = gst_ghost_pad_new_from_template (own, target, template);

  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->all, audio);
  g_mutex_unlock (&self->lock);
  rtsp_sink_streams_add (self->streams, audio->fanout, pad);
  rtsp_sink_elements_sync_state (audio->bin);
  /* Active in PAUSED only, as all pads: one that a source flushes in NULL, which
   * does not end the flush there, would stay flushing. */
  gst_element_add_pad (GST_ELEMENT (self->element), pad);
  return pad;
}

static Audio *
steal (RtspSinkAudioPads * self, GstPad * pad)
{
  Audio *audio = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; audio == NULL && i < self->all->len; i++) {
    if (((Audio *) g_ptr_array_index (self->all, i))->pad == pad)
      audio = g_ptr_array_remove_index (self->all, i);
  }
  g_mutex_unlock (&self->lock);

  return audio;
}

/**
 * rtsp_sink_audio_pads_release:
 *
 * Who listens gets the end of the stream.
 */
void
rtsp_sink_audio_pads_release (RtspSinkAudioPads * self, GstPad * pad)
{
  Audio *audio = steal (self, pad);
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (pad));

  if (audio == NULL)
    return;
  rtsp_sink_streams_remove (self->streams, audio->fanout);

  gst_element_set_locked_state (audio->bin, TRUE);
  gst_pad_set_active (pad, FALSE);
  gst_element_set_state (audio->bin, GST_STATE_NULL);
  gst_element_remove_pad (GST_ELEMENT (self->element), pad);
  give_name_back (self, name);
  /* A bin that is disposed of has let it go. */
  if (GST_OBJECT_PARENT (audio->bin) != NULL)
    gst_bin_remove (self->element, audio->bin);
  audio_free (audio);
}

/**
 * rtsp_sink_audio_pads_configure:
 * @error: says what is missing
 *
 * In NULL.
 *
 * Returns: whether audio can be served as @settings say
 */
gboolean
rtsp_sink_audio_pads_configure (RtspSinkAudioPads * self,
    const RtspSinkSettings * settings, GError ** error)
{
  gboolean ok = TRUE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; ok && i < self->all->len; i++)
    ok = configure (g_ptr_array_index (self->all, i), settings, error);
  g_mutex_unlock (&self->lock);

  return ok;
}

/**
 * rtsp_sink_audio_pads_is_empty:
 */
gboolean
rtsp_sink_audio_pads_is_empty (RtspSinkAudioPads * self)
{
  gboolean empty;

  g_mutex_lock (&self->lock);
  empty = self->all->len == 0;
  g_mutex_unlock (&self->lock);

  return empty;
}
