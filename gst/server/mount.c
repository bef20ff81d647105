/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* A path on a server, the clients that have entered it and how many media it has.
 * Asks its owner whether media can be made and whether one more viewer may watch, and
 * waits: for the owner to be ready, and, at a stop, for clients and media to go. */

#include "server/mount.h"

#include <string.h>

struct _RtspSinkMount
{
  /* Constant after construction. */
  gchar *path;
  RtspSinkMountFuncs funcs;
  RtspSinkMountLimits limits;
  gpointer user_data;           /* lives as long as the owner */
  GWeakRef owner;

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. Nothing is called out while it is held. */
  GHashTable *clients;          /* that are connected: a set of references */
  gboolean stopping;
  guint n_media;
  guint changes;                /* how often it became or ceased to be ready */
};

/**
 * rtsp_sink_mount_new:
 * @path: in the spelling of server/mountpath.h
 * @owner: of @user_data; held while one of @funcs is called
 *
 * Returns: (transfer full): the mount
 */
RtspSinkMount *
rtsp_sink_mount_new (const gchar * path, const RtspSinkMountFuncs * funcs,
    const RtspSinkMountLimits * limits, GObject * owner, gpointer user_data)
{
  RtspSinkMount *self = g_atomic_rc_box_new0 (RtspSinkMount);

  self->path = g_strdup (path);
  self->funcs = *funcs;
  self->limits = *limits;
  self->user_data = user_data;
  g_weak_ref_init (&self->owner, owner);
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->clients = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  return self;
}

/**
 * rtsp_sink_mount_ref:
 *
 * Any thread.
 */
RtspSinkMount *
rtsp_sink_mount_ref (RtspSinkMount * self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_mount (gpointer mount)
{
  RtspSinkMount *self = mount;

  g_hash_table_unref (self->clients);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_weak_ref_clear (&self->owner);
  g_free (self->path);
}

/**
 * rtsp_sink_mount_unref:
 *
 * Any thread.
 */
void
rtsp_sink_mount_unref (RtspSinkMount * self)
{
  g_atomic_rc_box_release_full (self, clear_mount);
}

const gchar *
rtsp_sink_mount_get_path (RtspSinkMount * self)
{
  return self->path;
}

const RtspSinkMountLimits *
rtsp_sink_mount_get_limits (RtspSinkMount * self)
{
  return &self->limits;
}

/**
 * rtsp_sink_mount_serves:
 *
 * Returns: whether @path is the mount's, or one below it
 */
gboolean
rtsp_sink_mount_serves (RtspSinkMount * self, const gchar * path)
{
  gsize length = strlen (self->path);

  return g_str_equal (self->path, "/")
      || (g_str_has_prefix (path, self->path)
      && (path[length] == '/' || path[length] == '\0'));
}

/**
 * rtsp_sink_mount_enter:
 *
 * @client counts as the mount's until it leaves. Its thread.
 *
 * Returns: FALSE if the mount stops: the client would not be closed with it
 */
gboolean
rtsp_sink_mount_enter (RtspSinkMount * self, GObject * client)
{
  gboolean enters;

  g_mutex_lock (&self->lock);
  enters = !self->stopping;
  if (enters && !g_hash_table_contains (self->clients, client))
    g_hash_table_add (self->clients, g_object_ref (client));
  g_mutex_unlock (&self->lock);

  return enters;
}

/**
 * rtsp_sink_mount_leave:
 * @client: the caller holds a reference
 *
 * @client is closed. Its thread.
 */
void
rtsp_sink_mount_leave (RtspSinkMount * self, GObject * client)
{
  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->clients, client);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* A stop that took too long has given the client up, and so may have the owner:
 * it is held while it is asked. */
static gboolean
ask_ready (RtspSinkMount * self, gboolean late)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  return owner != NULL && self->funcs.is_ready (late, self->user_data);
}

/* Waits until the mount has changed more often than @changes, which then tells how
 * often. FALSE: there is no more to wait for. */
static gboolean
wait_for_change (RtspSinkMount * self, guint * changes, gint64 deadline)
{
  gboolean changed;

  g_mutex_lock (&self->lock);
  while (*changes == self->changes && !self->stopping
      && g_cond_wait_until (&self->cond, &self->lock, deadline));
  changed = *changes != self->changes && !self->stopping;
  *changes = self->changes;
  g_mutex_unlock (&self->lock);

  return changed;
}

static gboolean
is_stopping (RtspSinkMount * self)
{
  gboolean stopping;

  g_mutex_lock (&self->lock);
  stopping = self->stopping;
  g_mutex_unlock (&self->lock);

  return stopping;
}

/**
 * rtsp_sink_mount_is_ready:
 * @deadline: in monotonic time
 *
 * Waits for it if need be. Client's thread.
 *
 * Returns: whether media can be made
 */
gboolean
rtsp_sink_mount_is_ready (RtspSinkMount * self, gint64 deadline)
{
  guint changes;
  gboolean ready;

  g_mutex_lock (&self->lock);
  changes = self->changes;
  g_mutex_unlock (&self->lock);

  do
    ready = ask_ready (self, FALSE);
  while (!ready && wait_for_change (self, &changes, deadline));
  return (ready || ask_ready (self, TRUE)) && !is_stopping (self);
}

/**
 * rtsp_sink_mount_refuse:
 * @peer: of a client that has entered the mount
 *
 * Client's thread.
 *
 * Returns: NULL: the client may watch; else why not, in a few words
 */
const gchar *
rtsp_sink_mount_refuse (RtspSinkMount * self, const gchar * peer,
    RtspSinkMountStage stage)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  return owner != NULL ?
      self->funcs.refuse (peer, stage, self->user_data) : "Stopped";
}

/**
 * rtsp_sink_mount_lacks_descriptors:
 *
 * A connection was closed for lack of them. Server's thread.
 */
void
rtsp_sink_mount_lacks_descriptors (RtspSinkMount * self)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);

  if (owner != NULL)
    self->funcs.lacks_descriptors (self->user_data);
}

/**
 * rtsp_sink_mount_add_media:
 *
 * A media is being made: a stop waits for it. The thread of a client that has
 * entered the mount.
 */
void
rtsp_sink_mount_add_media (RtspSinkMount * self)
{
  g_mutex_lock (&self->lock);
  self->n_media++;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_mount_remove_media:
 *
 * A media is gone. Any thread.
 */
void
rtsp_sink_mount_remove_media (RtspSinkMount * self)
{
  g_mutex_lock (&self->lock);
  self->n_media--;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_mount_changed:
 *
 * Whether media can be made has changed. Any thread.
 */
void
rtsp_sink_mount_changed (RtspSinkMount * self)
{
  g_mutex_lock (&self->lock);
  self->changes++;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
add_client (gpointer client, gpointer unused, gpointer clients)
{
  g_ptr_array_add (clients, g_object_ref (client));
}

/**
 * rtsp_sink_mount_stop:
 *
 * From now on no client enters it. Application's thread.
 *
 * Returns: (transfer full): the clients that have, which are to be closed
 */
GPtrArray *
rtsp_sink_mount_stop (RtspSinkMount * self)
{
  GPtrArray *clients = g_ptr_array_new_with_free_func (g_object_unref);

  g_mutex_lock (&self->lock);
  self->stopping = TRUE;
  g_hash_table_foreach (self->clients, add_client, clients);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);

  return clients;
}

/**
 * rtsp_sink_mount_wait_unused:
 * @deadline: in monotonic time
 *
 * Application's thread.
 *
 * Returns: FALSE if it still has clients or media
 */
gboolean
rtsp_sink_mount_wait_unused (RtspSinkMount * self, gint64 deadline)
{
  gboolean unused;

  g_mutex_lock (&self->lock);
  while ((self->n_media > 0 || g_hash_table_size (self->clients) > 0)
      && g_cond_wait_until (&self->cond, &self->lock, deadline));
  unused = self->n_media == 0 && g_hash_table_size (self->clients) == 0;
  g_mutex_unlock (&self->lock);

  return unused;
}
