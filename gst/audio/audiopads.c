/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The audio pads of an element, as they are requested and released, in any
 * state; each brings its own way to its viewers. Any thread of the
 * application. */

#include "audio/audiopads.h"

#include "base/elements.h"

typedef struct
{
  GstPad *pad;                  /* the element's; no reference: it owns it */
  RtspSinkAudio *audio;
} Entry;

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
  GArray *entries;              /* of Entry */
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
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return self;
}

/* The element is being finalized: its bins and pads are gone. */
void
rtsp_sink_audio_pads_free (RtspSinkAudioPads * self)
{
  for (guint i = 0; i < self->entries->len; i++)
    rtsp_sink_audio_free (g_array_index (self->entries, Entry, i).audio);
  g_array_unref (self->entries);
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

static GstPad *
make_pad (RtspSinkAudio * audio, GstPadTemplate * template, const gchar * name)
{
  g_autoptr (GstPad) target =
      gst_element_get_static_pad (rtsp_sink_audio_get_bin (audio), "sink");

  return gst_ghost_pad_new_from_template (name, target, template);
}

static void
keep (RtspSinkAudioPads * self, GstPad * pad, RtspSinkAudio * audio)
{
  Entry entry = { pad, audio };

  g_mutex_lock (&self->lock);
  g_array_append_val (self->entries, entry);
  g_mutex_unlock (&self->lock);
  rtsp_sink_streams_add (self->streams, rtsp_sink_audio_get_fanout (audio),
      pad);
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
  RtspSinkAudio *audio;
  GstElement *bin;
  GstPad *pad;

  if (own == NULL)
    return NULL;
  audio = rtsp_sink_audio_new (self->video, &self->funcs, self->element,
      self->stats);
  rtsp_sink_audio_configure (audio, settings, NULL);
  bin = rtsp_sink_audio_get_bin (audio);
  gst_bin_add (self->element, bin);

  pad = make_pad (audio, template, own);
  keep (self, pad, audio);
  rtsp_sink_elements_sync_state (bin);
  /* Active in PAUSED only, as all pads: one that a source flushes in NULL, which
   * does not end the flush there, would stay flushing. */
  gst_element_add_pad (GST_ELEMENT (self->element), pad);
  return pad;
}

static RtspSinkAudio *
steal (RtspSinkAudioPads * self, GstPad * pad)
{
  RtspSinkAudio *audio = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; audio == NULL && i < self->entries->len; i++) {
    Entry *entry = &g_array_index (self->entries, Entry, i);

    if (entry->pad == pad) {
      audio = entry->audio;
      g_array_remove_index (self->entries, i);
    }
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
  RtspSinkAudio *audio = steal (self, pad);
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (pad));
  GstElement *bin;

  if (audio == NULL)
    return;
  rtsp_sink_streams_remove (self->streams, rtsp_sink_audio_get_fanout (audio));

  bin = rtsp_sink_audio_get_bin (audio);
  gst_element_set_locked_state (bin, TRUE);
  gst_pad_set_active (pad, FALSE);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_element_remove_pad (GST_ELEMENT (self->element), pad);
  give_name_back (self, name);
  /* A bin that is disposed of has let it go. */
  if (GST_OBJECT_PARENT (bin) != NULL)
    gst_bin_remove (self->element, bin);
  rtsp_sink_audio_free (audio);
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
  for (guint i = 0; ok && i < self->entries->len; i++)
    ok = rtsp_sink_audio_configure (g_array_index (self->entries, Entry,
            i).audio, settings, error);
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
  empty = self->entries->len == 0;
  g_mutex_unlock (&self->lock);

  return empty;
}
