/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One listening port: the library's server with a thread and a context of its
 * own, the mounts on it and the viewers that are connected.
 *
 * Stopping is an order of steps, each waiting for what it needs
 * (docs/threads-and-locks.md): no new viewers, then the viewers of the mount
 * closed in their own contexts, then their media gone, then the threads. */

#include "server/server.h"

#include <string.h>

#include "base/descriptors.h"
#include "server/inflow.h"
#include "server/listener.h"
#include "base/loop.h"
#include "server/mountpoints.h"
#include "server/roster.h"
#include "server/threadpool.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_server_debug);
#define GST_CAT_DEFAULT rtsp_sink_server_debug

/* Nobody sends us a body: what is larger is an attack. */
#define MAX_CONTENT_LENGTH (64 * 1024)

#define BACKLOG 512             /* for viewers that all come back at once */

/* How long a stop waits for viewers and threads before it gives them up. */
#define STOP_TIME (800 * G_TIME_SPAN_MILLISECOND)

#define CHECK_INTERVAL 1        /* s */

struct _RtspSinkMount
{
  gatomicrefcount refs;

  /* Constant after construction. */
  RtspSinkServer *server;       /* a reference */
  gchar *path;
  RtspSinkMountFuncs funcs;
  RtspSinkClientLimits limits;
  gpointer user_data;           /* lives as long as the owner */
  GWeakRef owner;

  /* Guarded by the server's lock. */
  gboolean stopping;
  guint n_media;
};

struct _RtspSinkServer
{
  gatomicrefcount refs;

  /* Constant after construction. */
  RtspSinkListener *listener;
  GstRTSPMountPoints *mount_points;
  RtspSinkThreadPool *thread_pool;
  RtspSinkLoop *loop;
  GSource *check_source;        /* NULL: it has not started */
  guint port;

  RtspSinkInflow *inflow;       /* server's thread only */

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. Nothing is called out while it is held. */
  GHashTable *mounts;           /* path → RtspSinkMount */
  RtspSinkRoster roster;        /* of the connected viewers */
  guint changes;                /* how often a mount changed */
};

static void
unref_server (gpointer server)
{
  RtspSinkServer *self = server;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  rtsp_sink_roster_clear (&self->roster);
  g_hash_table_unref (self->mounts);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

/* Is @path the mount's, or one below it? */
static gboolean
serves (RtspSinkMount * mount, const gchar * path)
{
  gsize length = strlen (mount->path);

  return g_str_equal (mount->path, "/")
      || (g_str_has_prefix (path, mount->path)
      && (path[length] == '/' || path[length] == '\0'));
}

/* The mount whose path is the longest that @path begins with, as the library
 * chooses the factory. A path of a viewer's may have very many segments: each
 * mount is looked at once. */
static RtspSinkMount *
find_mount_locked (RtspSinkServer * self, const gchar * path)
{
  RtspSinkMount *found = NULL;
  GHashTableIter iter;
  gpointer mount;

  g_hash_table_iter_init (&iter, self->mounts);
  while (g_hash_table_iter_next (&iter, NULL, &mount)) {
    if (serves (mount, path) && (found == NULL
            || strlen (((RtspSinkMount *) mount)->path) > strlen (found->path)))
      found = mount;
  }
  return found;
}

/* Viewer's thread. */
static RtspSinkMount *
enter_mount (RtspSinkClient * viewer, const gchar * path, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  mount = find_mount_locked (self, path);
  /* A viewer that entered a mount that stops would not be closed with it. */
  if (mount != NULL && mount->stopping)
    mount = NULL;
  else if (mount != NULL)
    rtsp_sink_roster_enter (&self->roster, viewer, rtsp_sink_mount_ref (mount));
  g_mutex_unlock (&self->lock);

  return mount;
}

/* A stop that took too long has given the viewer up, and so may have the owner:
 * it is held while it is asked. Viewer's thread. */
static gboolean
is_ready (RtspSinkMount * mount, gboolean late)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&mount->owner);

  return owner != NULL && mount->funcs.is_ready (late, mount->user_data);
}

/* Waits, with the lock held at entry and exit, until something changes.
 * FALSE: there is no more to wait for. */
static gboolean
wait_change_locked (RtspSinkServer * self, RtspSinkMount * mount,
    RtspSinkClient * viewer, gint64 deadline)
{
  return !mount->stopping
      && !rtsp_sink_roster_shares_thread (&self->roster, viewer)
      && g_cond_wait_until (&self->cond, &self->lock, deadline);
}

/* Viewer's thread. */
static gboolean
mount_ready (RtspSinkMount * mount, RtspSinkClient * viewer, gint64 deadline,
    gpointer user_data)
{
  RtspSinkServer *self = user_data;
  gboolean ready, late = FALSE;

  g_mutex_lock (&self->lock);
  for (guint changes;;) {
    changes = self->changes;
    g_mutex_unlock (&self->lock);
    ready = is_ready (mount, late);
    g_mutex_lock (&self->lock);
    if (changes != self->changes)
      continue;
    if (ready || late)
      break;
    late = !wait_change_locked (self, mount, viewer, deadline);
  }
  ready = ready && !mount->stopping;
  g_mutex_unlock (&self->lock);

  return ready;
}

/* Viewer's thread. */
static void
viewer_closed (GstRTSPClient * client, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkClient *viewer = RTSP_SINK_CLIENT (client);

  GST_INFO_OBJECT (client, "disconnected");
  rtsp_sink_client_leave_all (viewer);
  /* When sending to a closed connection fails, the library queues a close of a
   * client that it holds no reference to (up to 1.28). None of the viewer's
   * media sends any more now. */
  rtsp_sink_loop_hold (rtsp_sink_client_get_context (viewer), G_OBJECT (viewer),
      "rtspserversink-outlive-closes");

  g_mutex_lock (&self->lock);
  rtsp_sink_roster_remove (&self->roster, viewer);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static const RtspSinkClientLimits *
mount_get_limits (RtspSinkMount * mount)
{
  return &mount->limits;
}

static const gchar *
get_peer (GstRTSPClient * client)
{
  const gchar *ip =
      gst_rtsp_connection_get_ip (gst_rtsp_client_get_connection (client));

  return ip != NULL ? ip : "unknown";
}

/* Viewer's thread. The viewer has entered the mount. */
static const gchar *
mount_refuse (RtspSinkMount * mount, RtspSinkClient * viewer,
    RtspSinkClientStage stage)
{
  g_autoptr (GObject) owner = g_weak_ref_get (&mount->owner);

  return owner != NULL ?
      mount->funcs.refuse (get_peer (GST_RTSP_CLIENT (viewer)), stage,
      mount->user_data) : "Stopped";
}

static GPtrArray *
ref_viewers (RtspSinkServer * self, RtspSinkMount * mount)
{
  GPtrArray *viewers;

  g_mutex_lock (&self->lock);
  viewers = rtsp_sink_roster_list (&self->roster, mount);
  g_mutex_unlock (&self->lock);

  return viewers;
}

/* Viewer's thread. */
static RtspSinkClient *
dup_joiner (RtspSinkClient * viewer, gpointer user_data)
{
  g_autoptr (GPtrArray) viewers = ref_viewers (user_data, NULL);

  for (guint i = 0; i < viewers->len; i++) {
    RtspSinkClient *other = g_ptr_array_index (viewers, i);

    if (rtsp_sink_client_has_joined (other, viewer))
      return g_object_ref (other);
  }
  return NULL;
}

static const RtspSinkClientFuncs viewer_funcs = {
  enter_mount,
  rtsp_sink_mount_unref,
  mount_ready,
  mount_get_limits,
  mount_refuse,
  dup_joiner,
};

static void
unref_mount (gpointer mount)
{
  rtsp_sink_mount_unref (mount);
}

static GPtrArray *
ref_mounts (RtspSinkServer * self)
{
  GPtrArray *mounts = g_ptr_array_new_with_free_func (unref_mount);
  GHashTableIter iter;
  gpointer mount;

  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->mounts);
  while (g_hash_table_iter_next (&iter, NULL, &mount))
    g_ptr_array_add (mounts, rtsp_sink_mount_ref (mount));
  g_mutex_unlock (&self->lock);

  return mounts;
}

/* A connection that was closed has named no mount: all are told. Server's
 * thread. */
static void
lacks_descriptors (gpointer user_data)
{
  g_autoptr (GPtrArray) mounts = ref_mounts (user_data);

  GST_INFO ("refusing a connection: few descriptors left (ulimit -n)");
  for (guint i = 0; i < mounts->len; i++) {
    RtspSinkMount *mount = g_ptr_array_index (mounts, i);
    g_autoptr (GObject) owner = g_weak_ref_get (&mount->owner);

    if (owner != NULL)
      mount->funcs.lacks_descriptors (mount->user_data);
  }
}

/* Server's thread. */
static GstRTSPClient *
make_client (gboolean http, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkClient *viewer;

  if (rtsp_sink_descriptors_are_scarce ()) {
    lacks_descriptors (self);
    return NULL;
  }
  /* A viewer that outlives the stop finds a server without mounts. */
  g_atomic_ref_count_inc (&self->refs);
  viewer = rtsp_sink_client_new (&viewer_funcs, self, unref_server, http);
  gst_rtsp_client_set_content_length_limit (GST_RTSP_CLIENT (viewer),
      MAX_CONTENT_LENGTH);
  return GST_RTSP_CLIENT (viewer);
}

/* Server's thread, before the viewer runs. */
static void
client_connected (GstRTSPServer * server, GstRTSPClient * client,
    gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkClient *viewer = RTSP_SINK_CLIENT (client);

  GST_INFO_OBJECT (client, "connected from '%s'", get_peer (client));
  rtsp_sink_client_connected (viewer);
  rtsp_sink_inflow_add (self->inflow, gst_rtsp_connection_get_read_socket
      (gst_rtsp_client_get_connection (client)));
  g_mutex_lock (&self->lock);
  rtsp_sink_roster_add (&self->roster, viewer);
  g_mutex_unlock (&self->lock);
  g_signal_connect (viewer, "closed", G_CALLBACK (viewer_closed), self);
}

/* The library joins the two connections of an HTTP tunnel to one, without a
 * lock. */
static gboolean
client_runs_with_others (GstRTSPClient * client)
{
  return rtsp_sink_client_is_http (RTSP_SINK_CLIENT (client));
}

/* Server's thread, in whose context the library puts a client that has no thread
 * of its own: it is closed before it can hold up the others. */
static void
client_placed (GstRTSPClient * client, GMainContext * context)
{
  RtspSinkClient *viewer = RTSP_SINK_CLIENT (client);

  if (context != NULL) {
    rtsp_sink_client_set_context (viewer, context);
    return;
  }
  GST_WARNING_OBJECT (client, "closing: no thread could be made for it");
  rtsp_sink_client_set_context (viewer, g_main_context_get_thread_default ());
  rtsp_sink_client_dismiss (viewer, "error");
}

static const RtspSinkThreadPoolFuncs threads_funcs = {
  client_runs_with_others,
  client_placed,
};

/* The watchdog. Server's thread. */
static gboolean
check_viewers (gpointer user_data)
{
  RtspSinkServer *self = user_data;
  g_autoptr (GPtrArray) viewers = ref_viewers (self, NULL);

  rtsp_sink_listener_check (self->listener);
  /* The media's threads go by it. */
  if (viewers->len > 0)
    rtsp_sink_descriptors_are_short ();
  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_client_check (g_ptr_array_index (viewers, i));
  return G_SOURCE_CONTINUE;
}

/* Server's thread. */
static void
connection_flooded (GSocket * socket, gpointer user_data)
{
  g_autoptr (GPtrArray) viewers = ref_viewers (user_data, NULL);

  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_client_flooded (g_ptr_array_index (viewers, i), socket);
}

static void
start (RtspSinkServer * self, GSource * listen_source)
{
  rtsp_sink_loop_attach (self->loop, listen_source, "rtspserversink-listen");

  self->check_source = g_timeout_source_new_seconds (CHECK_INTERVAL);
  g_source_set_callback (self->check_source, check_viewers, self, NULL);
  rtsp_sink_loop_attach (self->loop, self->check_source,
      "rtspserversink-watchdog");

  rtsp_sink_loop_start (self->loop);
}

static void
make_listener (RtspSinkServer * self, const gchar * address, guint port)
{
  g_autofree gchar *endpoint = g_strdup_printf ("%u", port);
  GstRTSPServer *server;

  self->listener = rtsp_sink_listener_new (make_client, lacks_descriptors,
      self);
  server = GST_RTSP_SERVER (self->listener);
  gst_rtsp_server_set_address (server, address);
  gst_rtsp_server_set_service (server, endpoint);
  gst_rtsp_server_set_backlog (server, BACKLOG);
  gst_rtsp_server_set_mount_points (server, self->mount_points);
  gst_rtsp_server_set_thread_pool (server,
      GST_RTSP_THREAD_POOL (self->thread_pool));
  g_signal_connect (server, "client-connected", G_CALLBACK (client_connected),
      self);
}

/**
 * rtsp_sink_server_new:
 * @address: an IP address
 * @port: 0: any free one
 * @error: why it cannot listen there
 *
 * Listens at once. Application's thread.
 *
 * Returns: (transfer full) (nullable): a running server
 */
RtspSinkServer *
rtsp_sink_server_new (const gchar * address, guint port, GError ** error)
{
  RtspSinkServer *self = g_new0 (RtspSinkServer, 1);
  GSource *listen_source;

  g_atomic_ref_count_init (&self->refs);
  GST_DEBUG_CATEGORY_INIT (rtsp_sink_server_debug, "rtspserversink-server", 0,
      "rtspserversink: listening port, mounts");

  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->mounts = g_hash_table_new (g_str_hash, g_str_equal);
  rtsp_sink_roster_init (&self->roster);
  self->loop = rtsp_sink_loop_new ();
  self->mount_points = rtsp_sink_mount_points_new ();
  self->thread_pool = rtsp_sink_thread_pool_new (&threads_funcs);
  self->inflow = rtsp_sink_inflow_new (connection_flooded, self);
  make_listener (self, address, port);

  listen_source = rtsp_sink_listener_listen (self->listener, &self->port,
      error);
  if (listen_source == NULL) {
    rtsp_sink_server_free (self);
    return NULL;
  }

  start (self, listen_source);
  GST_INFO ("listening on '%s' port %u", address, self->port);
  return self;
}

/**
 * rtsp_sink_mount_add_media:
 *
 * A media is being made: a stop waits for it. Viewer's thread, which has
 * entered the mount.
 */
void
rtsp_sink_mount_add_media (RtspSinkMount * self)
{
  g_mutex_lock (&self->server->lock);
  self->n_media++;
  g_mutex_unlock (&self->server->lock);
}

/**
 * rtsp_sink_mount_remove_media:
 *
 * A media is gone. Any thread.
 */
void
rtsp_sink_mount_remove_media (RtspSinkMount * self)
{
  g_mutex_lock (&self->server->lock);
  self->n_media--;
  g_cond_broadcast (&self->server->cond);
  g_mutex_unlock (&self->server->lock);
}

/**
 * rtsp_sink_mount_changed:
 *
 * Whether media can be made has changed. Any thread.
 */
void
rtsp_sink_mount_changed (RtspSinkMount * mount)
{
  g_mutex_lock (&mount->server->lock);
  mount->server->changes++;
  g_cond_broadcast (&mount->server->cond);
  g_mutex_unlock (&mount->server->lock);
}

/**
 * rtsp_sink_server_add_mount:
 * @path: in the spelling of server/mountpath.h
 * @factory: (transfer none): makes the media of its viewers
 * @owner: of @user_data; held while one of @funcs is called
 * @error: the path is taken
 *
 * Application's thread.
 *
 * Returns: (transfer full) (nullable): the mount
 */
RtspSinkMount *
rtsp_sink_server_add_mount (RtspSinkServer * self, const gchar * path,
    GstRTSPMediaFactory * factory, const RtspSinkMountFuncs * funcs,
    const RtspSinkClientLimits * limits, GObject * owner, gpointer user_data,
    GError ** error)
{
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  if (g_hash_table_contains (self->mounts, path)) {
    g_mutex_unlock (&self->lock);
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "another rtspserversink of this process already serves %s on port %u: "
        "give each its own mount", path, self->port);
    return NULL;
  }
  mount = g_new0 (RtspSinkMount, 1);
  g_atomic_ref_count_init (&mount->refs);
  g_atomic_ref_count_inc (&self->refs);
  mount->server = self;
  mount->path = g_strdup (path);
  mount->funcs = *funcs;
  mount->limits = *limits;
  mount->user_data = user_data;
  g_weak_ref_init (&mount->owner, owner);
  g_hash_table_insert (self->mounts, mount->path, mount);
  g_mutex_unlock (&self->lock);

  rtsp_sink_mount_points_add (self->mount_points, path, factory);
  return mount;
}

static void
close_viewers (RtspSinkServer * self, RtspSinkMount * mount)
{
  g_autoptr (GPtrArray) viewers = ref_viewers (self, mount);

  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_client_dismiss (g_ptr_array_index (viewers, i), "stopped");
}

/* Waits until the mount has neither viewers nor media. */
static gboolean
wait_unused_locked (RtspSinkServer * self, RtspSinkMount * mount)
{
  gint64 deadline = g_get_monotonic_time () + STOP_TIME;

  while (mount->n_media > 0 || rtsp_sink_roster_has (&self->roster, mount)) {
    if (!g_cond_wait_until (&self->cond, &self->lock, deadline))
      return FALSE;
  }
  return TRUE;
}

/**
 * rtsp_sink_server_remove_mount:
 * @mount: a mount of @self
 *
 * Closes the mount's viewers and waits until their media are gone.
 * Application's thread.
 */
void
rtsp_sink_server_remove_mount (RtspSinkServer * self, RtspSinkMount * mount)
{
  gboolean unused;

  g_mutex_lock (&self->lock);
  mount->stopping = TRUE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);

  rtsp_sink_mount_points_remove (self->mount_points, mount->path);
  close_viewers (self, mount);

  g_mutex_lock (&self->lock);
  unused = wait_unused_locked (self, mount);
  g_hash_table_remove (self->mounts, mount->path);
  rtsp_sink_roster_forget (&self->roster, mount);
  g_mutex_unlock (&self->lock);

  if (!unused)
    GST_WARNING ("some viewers of %s did not leave in time", mount->path);
}

/**
 * rtsp_sink_server_get_port:
 *
 * Any thread.
 */
guint
rtsp_sink_server_get_port (RtspSinkServer * self)
{
  return self->port;
}

/* After this no viewer appears any more. Server's thread. */
static void
stop_listening (gpointer user_data)
{
  RtspSinkServer *self = user_data;

  rtsp_sink_listener_stop (self->listener);
  g_source_destroy (self->check_source);
}

static void
stop (RtspSinkServer * self)
{
  rtsp_sink_loop_call (self->loop, stop_listening, self);
  close_viewers (self, NULL);
  if (!rtsp_sink_thread_pool_wait (self->thread_pool,
          g_get_monotonic_time () + STOP_TIME))
    GST_WARNING ("some threads of port %u did not end in time", self->port);
}

/**
 * rtsp_sink_mount_ref:
 *
 * Any thread.
 */
RtspSinkMount *
rtsp_sink_mount_ref (RtspSinkMount * self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

/**
 * rtsp_sink_mount_unref:
 *
 * Any thread.
 */
void
rtsp_sink_mount_unref (RtspSinkMount * self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  unref_server (self->server);
  g_weak_ref_clear (&self->owner);
  g_free (self->path);
  g_free (self);
}

/**
 * rtsp_sink_server_free:
 * @self: (transfer full) (nullable): a server without mounts
 *
 * Closes the port and what is still connected. Not on one of its own threads.
 */
void
rtsp_sink_server_free (RtspSinkServer * self)
{
  if (self == NULL)
    return;
  if (self->check_source != NULL)
    stop (self);
  rtsp_sink_loop_free (self->loop);
  self->loop = NULL;

  g_clear_pointer (&self->check_source, g_source_unref);
  g_clear_pointer (&self->inflow, rtsp_sink_inflow_free);
  g_clear_object (&self->listener);
  g_clear_object (&self->mount_points);
  g_clear_object (&self->thread_pool);
  unref_server (self);
}
