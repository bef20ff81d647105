/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* All viewers of an element, whichever media they belong to: counts, limits,
 * finds and lists them. Any thread; while its lock is held those of the
 * viewers' senders are taken, and nothing else. */

#include "media/viewers.h"

struct _RtspSinkViewers
{
  /* Constant after construction. */
  RtspSinkViewersFuncs funcs;
  gpointer user_data;
  GWeakRef owner;               /* of user_data */

  GMutex lock;
  /* Guarded by lock. */
  GPtrArray *list;              /* of RtspSinkViewer */
  guint last_id;
  guint max;                    /* 0: any number */
};

static void
unref_viewer (gpointer viewer)
{
  rtsp_sink_viewer_unref (viewer);
}

/**
 * rtsp_sink_viewers_new:
 * @owner: of @user_data; held while one of @funcs is called
 *
 * Returns: (transfer full): an empty list, for any number of viewers
 */
RtspSinkViewers *
rtsp_sink_viewers_new (const RtspSinkViewersFuncs * funcs, GObject * owner,
    gpointer user_data)
{
  RtspSinkViewers *self = g_atomic_rc_box_new0 (RtspSinkViewers);

  self->funcs = *funcs;
  self->user_data = user_data;
  g_weak_ref_init (&self->owner, owner);
  g_mutex_init (&self->lock);
  self->list = g_ptr_array_new_with_free_func (unref_viewer);
  return self;
}

RtspSinkViewers *
rtsp_sink_viewers_ref (RtspSinkViewers * self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_viewers (gpointer viewers)
{
  RtspSinkViewers *self = viewers;

  g_ptr_array_unref (self->list);
  g_weak_ref_clear (&self->owner);
  g_mutex_clear (&self->lock);
}

void
rtsp_sink_viewers_unref (RtspSinkViewers * self)
{
  g_atomic_rc_box_release_full (self, clear_viewers);
}

/**
 * rtsp_sink_viewers_set_max:
 * @max: how many there may be, 0: any number
 */
void
rtsp_sink_viewers_set_max (RtspSinkViewers * self, guint max)
{
  g_mutex_lock (&self->lock);
  self->max = max;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_viewers_next_id:
 *
 * Returns: the number of a new viewer, from 1 on
 */
guint
rtsp_sink_viewers_next_id (RtspSinkViewers * self)
{
  guint id;

  g_mutex_lock (&self->lock);
  id = ++self->last_id;
  g_mutex_unlock (&self->lock);

  return id;
}

static gboolean
is_full_locked (RtspSinkViewers * self)
{
  return self->max > 0 && self->list->len >= self->max;
}

gboolean
rtsp_sink_viewers_is_full (RtspSinkViewers * self)
{
  gboolean full;

  g_mutex_lock (&self->lock);
  full = is_full_locked (self);
  g_mutex_unlock (&self->lock);

  return full;
}

/**
 * rtsp_sink_viewers_add:
 *
 * Returns: FALSE if there are too many already
 */
gboolean
rtsp_sink_viewers_add (RtspSinkViewers * self, RtspSinkViewer * viewer)
{
  gboolean full;

  g_mutex_lock (&self->lock);
  full = is_full_locked (self);
  if (!full)
    g_ptr_array_add (self->list, rtsp_sink_viewer_ref (viewer));
  g_mutex_unlock (&self->lock);

  return !full;
}

/**
 * rtsp_sink_viewers_tell_added:
 *
 * A viewer that was added plays.
 */
void
rtsp_sink_viewers_tell_added (RtspSinkViewers * self, RtspSinkViewer * viewer)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  if (owner != NULL)
    self->funcs.added (viewer, self->user_data);
}

/**
 * rtsp_sink_viewers_remove:
 * @viewer: the caller holds a reference
 * @reason: (nullable): a static string; NULL: the owner was not told of it
 */
void
rtsp_sink_viewers_remove (RtspSinkViewers * self, RtspSinkViewer * viewer,
    const gchar * reason)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  g_mutex_lock (&self->lock);
  g_ptr_array_remove_fast (self->list, viewer);
  g_mutex_unlock (&self->lock);

  if (owner != NULL && reason != NULL)
    self->funcs.removed (viewer, reason, self->user_data);
}

/**
 * rtsp_sink_viewers_count_playing:
 *
 * Returns: how many play; those who paused do not
 */
guint
rtsp_sink_viewers_count_playing (RtspSinkViewers * self)
{
  guint n = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->list->len; i++)
    n += rtsp_sink_viewer_is_open (g_ptr_array_index (self->list, i));
  g_mutex_unlock (&self->lock);

  return n;
}

static RtspSinkViewer *
ref_viewer (RtspSinkViewers * self, guint id)
{
  RtspSinkViewer *found = NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; found == NULL && i < self->list->len; i++) {
    RtspSinkViewer *viewer = g_ptr_array_index (self->list, i);

    if (rtsp_sink_viewer_get_id (viewer) == id)
      found = rtsp_sink_viewer_ref (viewer);
  }
  g_mutex_unlock (&self->lock);

  return found;
}

/**
 * rtsp_sink_viewers_dismiss:
 * @reason: a static string
 *
 * Closes the connection of the viewer @id soon.
 *
 * Returns: FALSE if there is no such viewer
 */
gboolean
rtsp_sink_viewers_dismiss (RtspSinkViewers * self, guint id,
    const gchar * reason)
{
  g_autoptr (RtspSinkViewer) viewer = ref_viewer (self, id);

  if (viewer != NULL)
    rtsp_sink_viewer_dismiss (viewer, reason);
  return viewer != NULL;
}

static void
append_viewer (GValue * viewers, RtspSinkViewer * viewer)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, rtsp_sink_viewer_describe (viewer));
  gst_value_array_append_and_take_value (viewers, &value);
}

/**
 * rtsp_sink_viewers_describe:
 *
 * Returns: (transfer full): a structure with one structure per viewer
 */
GstStructure *
rtsp_sink_viewers_describe (RtspSinkViewers * self)
{
  GstStructure *described =
      gst_structure_new_empty ("application/x-rtspserversink-viewers");
  GValue viewers = G_VALUE_INIT;

  gst_value_array_init (&viewers, 0);
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->list->len; i++)
    append_viewer (&viewers, g_ptr_array_index (self->list, i));
  g_mutex_unlock (&self->lock);

  gst_structure_take_value (described, "viewers", &viewers);
  return described;
}
