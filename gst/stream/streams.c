/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What an element serves: the fan-out of each of its streams, in the order in
 * which viewers are told of them. Says which of them can be offered now, and
 * whether it is worth waiting for more.
 *
 * The application adds and removes, viewers' threads ask. */

#include "stream/streams.h"

typedef struct
{
  RtspSinkFanout *fanout;       /* a reference */
  GstPad *pad;                  /* a reference: where the stream comes in */
} Entry;

struct _RtspSinkStreams
{
  GMutex lock;
  /* Guarded by lock. While it is held fan-outs are asked, and whether a pad is
   * linked, which takes their locks. */
  GPtrArray *entries;           /* of Entry */
};

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  rtsp_sink_fanout_unref (entry->fanout);
  gst_object_unref (entry->pad);
  g_free (entry);
}

/**
 * rtsp_sink_streams_new:
 *
 * Returns: (transfer full): no streams
 */
RtspSinkStreams *
rtsp_sink_streams_new (void)
{
  RtspSinkStreams *self = g_new0 (RtspSinkStreams, 1);

  g_mutex_init (&self->lock);
  self->entries = g_ptr_array_new_with_free_func (free_entry);
  return self;
}

void
rtsp_sink_streams_free (RtspSinkStreams * self)
{
  g_ptr_array_unref (self->entries);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/**
 * rtsp_sink_streams_add:
 * @pad: where the stream comes in: it is waited for while this is linked
 *
 * The first stream stays. Application's thread.
 */
void
rtsp_sink_streams_add (RtspSinkStreams * self, RtspSinkFanout * fanout,
    GstPad * pad)
{
  Entry *entry = g_new (Entry, 1);

  entry->fanout = rtsp_sink_fanout_ref (fanout);
  entry->pad = gst_object_ref (pad);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->entries, entry);
  g_mutex_unlock (&self->lock);
}

static Entry *
steal_locked (RtspSinkStreams * self, RtspSinkFanout * fanout)
{
  for (guint i = 0; i < self->entries->len; i++) {
    Entry *entry = g_ptr_array_index (self->entries, i);

    if (entry->fanout == fanout)
      return g_ptr_array_steal_index (self->entries, i);
  }
  return NULL;
}

/**
 * rtsp_sink_streams_remove:
 *
 * Application's thread.
 */
void
rtsp_sink_streams_remove (RtspSinkStreams * self, RtspSinkFanout * fanout)
{
  Entry *entry;

  g_mutex_lock (&self->lock);
  entry = steal_locked (self, fanout);
  g_mutex_unlock (&self->lock);

  if (entry != NULL)
    free_entry (entry);
}

/**
 * rtsp_sink_streams_is_ready:
 * @late: what is not known by now is not waited for
 *
 * Any thread.
 *
 * Returns: whether viewers can be told what they will get
 */
gboolean
rtsp_sink_streams_is_ready (RtspSinkStreams * self, gboolean late)
{
  guint n_ready = 0, n_missing = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++) {
    Entry *entry = g_ptr_array_index (self->entries, i);

    if (rtsp_sink_fanout_is_ready (entry->fanout))
      n_ready++;
    else if (gst_pad_is_linked (entry->pad)
        && !rtsp_sink_fanout_is_ended (entry->fanout))
      n_missing++;
  }
  g_mutex_unlock (&self->lock);

  return n_ready > 0 && (late || n_missing == 0);
}

static void
unref_fanout (gpointer fanout)
{
  rtsp_sink_fanout_unref (fanout);
}

/**
 * rtsp_sink_streams_ref_offered:
 *
 * Any thread.
 *
 * Returns: (transfer full): the fan-outs that a media can join now
 */
GPtrArray *
rtsp_sink_streams_ref_offered (RtspSinkStreams * self)
{
  GPtrArray *offered = g_ptr_array_new_with_free_func (unref_fanout);

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->entries->len; i++) {
    Entry *entry = g_ptr_array_index (self->entries, i);

    if (rtsp_sink_fanout_can_join (entry->fanout))
      g_ptr_array_add (offered, rtsp_sink_fanout_ref (entry->fanout));
  }
  g_mutex_unlock (&self->lock);

  return offered;
}

/**
 * rtsp_sink_streams_get_media_clock:
 *
 * Any thread.
 *
 * Returns: (transfer none): one on the time axis of all streams
 */
RtspSinkMediaClock *
rtsp_sink_streams_get_media_clock (RtspSinkStreams * self)
{
  RtspSinkMediaClock *media_clock;

  g_mutex_lock (&self->lock);
  media_clock = rtsp_sink_fanout_get_media_clock (((Entry *)
          g_ptr_array_index (self->entries, 0))->fanout);
  g_mutex_unlock (&self->lock);

  return media_clock;
}
