/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* All viewers of an element, whichever media they belong to: counts, limits,
 * finds and lists them. Any thread; while its lock is held those of the
 * spectators' senders are taken, and nothing else. */

#include "media/viewers.h"

struct _RtspSinkAudience
{
  gatomicrefcount refs;

  GMutex lock;
  GPtrArray *spectators;        /* guarded by lock */
  guint last_id;                /* guarded by lock */
};

static void
unref_spectator (gpointer spectator)
{
  rtsp_sink_spectator_unref (spectator);
}

/**
 * rtsp_sink_audience_new:
 *
 * Returns: (transfer full): an audience of nobody
 */
RtspSinkAudience *
rtsp_sink_audience_new (void)
{
  RtspSinkAudience *self = g_new0 (RtspSinkAudience, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->spectators = g_ptr_array_new_with_free_func (unref_spectator);
  return self;
}

RtspSinkAudience *
rtsp_sink_audience_ref (RtspSinkAudience * self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
rtsp_sink_audience_unref (RtspSinkAudience * self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_ptr_array_unref (self->spectators);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/**
 * rtsp_sink_audience_next_id:
 *
 * Returns: the number of a new viewer, from 1 on
 */
guint
rtsp_sink_audience_next_id (RtspSinkAudience * self)
{
  guint id;

  g_mutex_lock (&self->lock);
  id = ++self->last_id;
  g_mutex_unlock (&self->lock);

  return id;
}

static gboolean
is_full_locked (RtspSinkAudience * self, guint max)
{
  return max > 0 && self->spectators->len >= max;
}

/**
 * rtsp_sink_audience_is_full:
 * @max: how many there may be, 0: any number
 */
gboolean
rtsp_sink_audience_is_full (RtspSinkAudience * self, guint max)
{
  gboolean full;

  g_mutex_lock (&self->lock);
  full = is_full_locked (self, max);
  g_mutex_unlock (&self->lock);

  return full;
}

/**
 * rtsp_sink_audience_add:
 * @max: how many there may be, 0: any number
 *
 * Returns: FALSE if there are too many already
 */
gboolean
rtsp_sink_audience_add (RtspSinkAudience * self, RtspSinkSpectator * spectator,
    guint max)
{
  gboolean full;

  g_mutex_lock (&self->lock);
  full = is_full_locked (self, max);
  if (!full)
    g_ptr_array_add (self->spectators, rtsp_sink_spectator_ref (spectator));
  g_mutex_unlock (&self->lock);

  return !full;
}

/* The caller holds a reference to @spectator. */
void
rtsp_sink_audience_remove (RtspSinkAudience * self,
    RtspSinkSpectator * spectator)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_remove_fast (self->spectators, spectator);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_audience_count_playing:
 *
 * Returns: how many play; those who paused do not
 */
guint
rtsp_sink_audience_count_playing (RtspSinkAudience * self)
{
  guint n = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->spectators->len; i++)
    n += rtsp_sink_spectator_is_open (g_ptr_array_index (self->spectators, i));
  g_mutex_unlock (&self->lock);

  return n;
}

static RtspSinkSpectator *
ref_spectator (RtspSinkAudience * self, guint id)
{
  RtspSinkSpectator *found = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; found == NULL && i < self->spectators->len; i++) {
    RtspSinkSpectator *spectator = g_ptr_array_index (self->spectators, i);

    if (rtsp_sink_spectator_get_id (spectator) == id)
      found = rtsp_sink_spectator_ref (spectator);
  }
  g_mutex_unlock (&self->lock);

  return found;
}

/**
 * rtsp_sink_audience_dismiss:
 * @reason: a static string
 *
 * Closes the connection of the viewer @id soon.
 *
 * Returns: FALSE if there is no such viewer
 */
gboolean
rtsp_sink_audience_dismiss (RtspSinkAudience * self, guint id,
    const gchar * reason)
{
  g_autoptr (RtspSinkSpectator) spectator = ref_spectator (self, id);

  if (spectator != NULL)
    rtsp_sink_spectator_dismiss (spectator, reason);
  return spectator != NULL;
}

static void
append_viewer (GValue * viewers, RtspSinkSpectator * spectator)
{
  GValue viewer = G_VALUE_INIT;

  g_value_init (&viewer, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&viewer, rtsp_sink_spectator_describe (spectator));
  gst_value_array_append_and_take_value (viewers, &viewer);
}

/**
 * rtsp_sink_audience_describe:
 *
 * Returns: (transfer full): a structure with one structure per viewer
 */
GstStructure *
rtsp_sink_audience_describe (RtspSinkAudience * self)
{
  GstStructure *audience =
      gst_structure_new_empty ("application/x-rtspserversink-viewers");
  GValue viewers = G_VALUE_INIT;

  gst_value_array_init (&viewers, 0);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->spectators->len; i++)
    append_viewer (&viewers, g_ptr_array_index (self->spectators, i));
  g_mutex_unlock (&self->lock);

  gst_structure_take_value (audience, "viewers", &viewers);
  return audience;
}
