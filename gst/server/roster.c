/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Who is connected, and which mounts each viewer has entered. A plain value,
 * guarded by its owner's lock; calls nobody. */

#include "server/roster.h"

void
rtsp_sink_roster_init (RtspSinkRoster * self)
{
  self->viewers = g_hash_table_new_full (NULL, NULL, g_object_unref,
      (GDestroyNotify) g_ptr_array_unref);
}

void
rtsp_sink_roster_clear (RtspSinkRoster * self)
{
  g_hash_table_unref (self->viewers);
}

void
rtsp_sink_roster_add (RtspSinkRoster * self, RtspSinkClient * viewer)
{
  g_hash_table_insert (self->viewers, g_object_ref (viewer),
      g_ptr_array_new ());
}

/* The caller holds a reference to @viewer. */
void
rtsp_sink_roster_remove (RtspSinkRoster * self, RtspSinkClient * viewer)
{
  g_hash_table_remove (self->viewers, viewer);
}

/**
 * rtsp_sink_roster_enter:
 *
 * A viewer that was removed enters nothing.
 */
void
rtsp_sink_roster_enter (RtspSinkRoster * self, RtspSinkClient * viewer,
    RtspSinkMount * mount)
{
  GPtrArray *entered = g_hash_table_lookup (self->viewers, viewer);

  if (entered != NULL && !g_ptr_array_find (entered, mount, NULL))
    g_ptr_array_add (entered, mount);
}

/**
 * rtsp_sink_roster_forget:
 *
 * @mount is no more.
 */
void
rtsp_sink_roster_forget (RtspSinkRoster * self, RtspSinkMount * mount)
{
  GHashTableIter iter;
  gpointer entered;

  g_hash_table_iter_init (&iter, self->viewers);
  while (g_hash_table_iter_next (&iter, NULL, &entered))
    g_ptr_array_remove_fast (entered, mount);
}

/**
 * rtsp_sink_roster_has:
 *
 * Returns: whether a viewer is connected that entered @mount
 */
gboolean
rtsp_sink_roster_has (RtspSinkRoster * self, RtspSinkMount * mount)
{
  GHashTableIter iter;
  gpointer entered;

  g_hash_table_iter_init (&iter, self->viewers);
  while (g_hash_table_iter_next (&iter, NULL, &entered)) {
    if (g_ptr_array_find (entered, mount, NULL))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_roster_list:
 * @mount: (nullable): only viewers that entered it
 *
 * Returns: (transfer full): references to the viewers
 */
GPtrArray *
rtsp_sink_roster_list (RtspSinkRoster * self, RtspSinkMount * mount)
{
  GPtrArray *viewers = g_ptr_array_new_with_free_func (g_object_unref);
  GHashTableIter iter;
  gpointer viewer, entered;

  g_hash_table_iter_init (&iter, self->viewers);
  while (g_hash_table_iter_next (&iter, &viewer, &entered)) {
    if (mount == NULL || g_ptr_array_find (entered, mount, NULL))
      g_ptr_array_add (viewers, g_object_ref (viewer));
  }
  return viewers;
}

/**
 * rtsp_sink_roster_shares_thread:
 *
 * Returns: whether another viewer runs on the thread of @viewer
 */
gboolean
rtsp_sink_roster_shares_thread (RtspSinkRoster * self, RtspSinkClient * viewer)
{
  GMainContext *context = rtsp_sink_client_get_context (viewer);
  GHashTableIter iter;
  gpointer other;

  g_hash_table_iter_init (&iter, self->viewers);
  while (g_hash_table_iter_next (&iter, &other, NULL)) {
    if (other != viewer && rtsp_sink_client_get_context (other) == context)
      return TRUE;
  }
  return FALSE;
}
