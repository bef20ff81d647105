/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One listening port: the library's server with a thread and a context of its
 * own, the mounts on it and the viewers that are connected.
 *
 * Stopping is an order of steps, each waiting for what it needs
 * (docs/threads-and-locks.md): no new viewers, then the viewers of the mount
 * closed in their own contexts, then their media gone, then the sessions that
 * are left over, then the threads. */

#include "rtspsinkserver.h"

#include "rtspsinkloop.h"
#include "rtspsinkmountpoints.h"
#include "rtspsinkthreads.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_server_debug);
#define GST_CAT_DEFAULT rtsp_sink_server_debug

/* Nobody sends us a body: what is larger is an attack. */
#define MAX_CONTENT_LENGTH (64 * 1024)

#define BACKLOG 64

/* How long a stop waits for viewers and threads before it gives them up. */
#define STOP_TIME (800 * G_TIME_SPAN_MILLISECOND)

#define CHECK_INTERVAL 1

struct _RtspSinkMount
{
  /* Constant after construction. */
  RtspSinkServer *server;
  gchar *path;
  RtspSinkMountFuncs funcs;
  gpointer user_data;

  gboolean stopping;            /* guarded by the server's lock */
};

struct _RtspSinkServer
{
  /* Constant after construction. */
  GstRTSPServer *server;
  GstRTSPMountPoints *mount_points;
  RtspSinkThreads *threads;
  RtspSinkLoop *loop;
  GSource *listen_source;
  GSource *check_source;
  guint port;

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. Nothing is called out while it is held, but
   * for waking a context. */
  GHashTable *mounts;           /* path → RtspSinkMount */
  GHashTable *viewers;          /* RtspSinkViewer → its RtspSinkMount or NULL */
};

/* The library's server, making our viewers. */

#define RTSP_TYPE_SINK_RTSP_SERVER (rtsp_sink_rtsp_server_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkRtspServer, rtsp_sink_rtsp_server, RTSP,
    SINK_RTSP_SERVER, GstRTSPServer)
     struct _RtspSinkRtspServer
     {
       GstRTSPServer parent;
       RtspSinkServer *owner;
     };

G_DEFINE_FINAL_TYPE (RtspSinkRtspServer, rtsp_sink_rtsp_server,
    GST_TYPE_RTSP_SERVER);

/* The mount whose path is the longest that @path begins with, as the library
 * chooses the factory. */
     static RtspSinkMount *find_mount_locked (RtspSinkServer * self,
    const gchar * path)
{
  g_autofree gchar *rest = g_strdup (path);
  RtspSinkMount *mount;
  gchar *slash;

  while ((mount = g_hash_table_lookup (self->mounts, rest)) == NULL
      && (slash = strrchr (rest, '/')) != NULL && slash != rest)
    *slash = '\0';

  return mount != NULL ? mount : g_hash_table_lookup (self->mounts, "/");
}

/* Viewer's thread. */
static RtspSinkMount *
enter_mount (RtspSinkViewer * viewer, const gchar * path, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  mount = find_mount_locked (self, path);
  /* A viewer that entered a mount that stops would not be closed with it. */
  if (mount != NULL && mount->stopping)
    mount = NULL;
  if (mount != NULL && g_hash_table_contains (self->viewers, viewer))
    g_hash_table_insert (self->viewers, g_object_ref (viewer), mount);
  g_mutex_unlock (&self->lock);

  return mount;
}

/* Viewer's thread. The viewer has entered the mount, so the mount lives. */
static gint
mount_ready (RtspSinkMount * mount, gpointer user_data)
{
  if (rtsp_sink_mount_is_stopping (mount))
    return -1;
  return mount->funcs.is_ready (mount->user_data) ? 1 : 0;
}

/**
 * rtsp_sink_mount_is_stopping:
 *
 * Any thread.
 */
gboolean
rtsp_sink_mount_is_stopping (RtspSinkMount * mount)
{
  gboolean stopping;

  g_mutex_lock (&mount->server->lock);
  stopping = mount->stopping;
  g_mutex_unlock (&mount->server->lock);

  return stopping;
}

static gboolean
unref_late (gpointer viewer)
{
  return G_SOURCE_REMOVE;
}

/* When sending to a closed connection fails, the library queues a close of a
 * client that it holds no reference to (still so in 1.28): keep the client
 * until that has run. */
static void
keep_for_a_while (RtspSinkServer * self, RtspSinkViewer * viewer)
{
  GSource *source = g_timeout_source_new_seconds (1);

  g_source_set_callback (source, unref_late, g_object_ref (viewer),
      g_object_unref);
  rtsp_sink_loop_attach (self->loop, source, "rtspserversink-keep-viewer");
  g_source_unref (source);
}

/* Viewer's thread. */
static void
viewer_closed (GstRTSPClient * client, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkViewer *viewer = RTSP_SINK_VIEWER (client);

  GST_INFO_OBJECT (client, "disconnected");
  keep_for_a_while (self, viewer);

  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->viewers, viewer);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static const RtspSinkViewerFuncs viewer_funcs = {
  enter_mount,
  mount_ready,
};

/* Server's thread. */
static GstRTSPClient *
rtsp_sink_rtsp_server_create_client (GstRTSPServer * server)
{
  RtspSinkServer *self = RTSP_SINK_RTSP_SERVER (server)->owner;
  RtspSinkViewer *viewer = rtsp_sink_viewer_new (&viewer_funcs, self);
  GstRTSPClient *client = GST_RTSP_CLIENT (viewer);
  g_autoptr (GstRTSPSessionPool) sessions =
      gst_rtsp_server_get_session_pool (server);

  gst_rtsp_client_set_session_pool (client, sessions);
  gst_rtsp_client_set_mount_points (client, self->mount_points);
  gst_rtsp_client_set_content_length_limit (client, MAX_CONTENT_LENGTH);
  gst_rtsp_client_set_thread_pool (client,
      GST_RTSP_THREAD_POOL (self->threads));

  g_mutex_lock (&self->lock);
  g_hash_table_insert (self->viewers, g_object_ref (viewer), NULL);
  g_mutex_unlock (&self->lock);
  g_signal_connect (viewer, "closed", G_CALLBACK (viewer_closed), self);

  return client;
}

/* Server's thread. */
static void
rtsp_sink_rtsp_server_client_connected (GstRTSPServer * server,
    GstRTSPClient * client)
{
  GstRTSPConnection *connection = gst_rtsp_client_get_connection (client);

  GST_INFO_OBJECT (client, "connected from '%s'",
      gst_rtsp_connection_get_ip (connection));
  rtsp_sink_viewer_set_up_socket (RTSP_SINK_VIEWER (client));
}

static void
rtsp_sink_rtsp_server_class_init (RtspSinkRtspServerClass * klass)
{
  GstRTSPServerClass *server_class = GST_RTSP_SERVER_CLASS (klass);

  server_class->create_client = rtsp_sink_rtsp_server_create_client;
  server_class->client_connected = rtsp_sink_rtsp_server_client_connected;
}

static void
rtsp_sink_rtsp_server_init (RtspSinkRtspServer * self)
{
}

/* Server's thread. */
static void
client_placed (GstRTSPClient * client, GMainContext * context)
{
  rtsp_sink_viewer_set_context (RTSP_SINK_VIEWER (client), context);
}

static GPtrArray *
ref_viewers (RtspSinkServer * self, RtspSinkMount * mount, gboolean all)
{
  GPtrArray *viewers = g_ptr_array_new_with_free_func (g_object_unref);
  GHashTableIter iter;
  gpointer viewer, entered;

  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->viewers);
  while (g_hash_table_iter_next (&iter, &viewer, &entered)) {
    if (all || entered == mount)
      g_ptr_array_add (viewers, g_object_ref (viewer));
  }
  g_mutex_unlock (&self->lock);

  return viewers;
}

/* The watchdog. Server's thread. */
static gboolean
check_viewers (gpointer user_data)
{
  g_autoptr (GPtrArray) viewers = ref_viewers (user_data, NULL, TRUE);
  gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_viewer_check (g_ptr_array_index (viewers, i), now);
  return G_SOURCE_CONTINUE;
}

static void
start (RtspSinkServer * self)
{
  rtsp_sink_loop_attach (self->loop, self->listen_source,
      "rtspserversink-listen");

  self->check_source = g_timeout_source_new_seconds (CHECK_INTERVAL);
  g_source_set_callback (self->check_source, check_viewers, self, NULL);
  rtsp_sink_loop_attach (self->loop, self->check_source,
      "rtspserversink-watchdog");

  rtsp_sink_loop_start (self->loop);
}

static GstRTSPServer *
make_server (RtspSinkServer * self, const gchar * address, guint port)
{
  RtspSinkRtspServer *server = g_object_new (RTSP_TYPE_SINK_RTSP_SERVER, NULL);
  g_autofree gchar *service = g_strdup_printf ("%u", port);

  server->owner = self;
  gst_rtsp_server_set_address (GST_RTSP_SERVER (server), address);
  gst_rtsp_server_set_service (GST_RTSP_SERVER (server), service);
  gst_rtsp_server_set_backlog (GST_RTSP_SERVER (server), BACKLOG);
  gst_rtsp_server_set_mount_points (GST_RTSP_SERVER (server),
      self->mount_points);
  gst_rtsp_server_set_thread_pool (GST_RTSP_SERVER (server),
      GST_RTSP_THREAD_POOL (self->threads));
  return GST_RTSP_SERVER (server);
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

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_server_debug, "rtspserversink-server", 0,
      "rtspserversink: listening port, mounts");

  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->mounts = g_hash_table_new (g_str_hash, g_str_equal);
  self->viewers = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  self->loop = rtsp_sink_loop_new ();
  self->mount_points = rtsp_sink_mount_points_new ();
  self->threads = rtsp_sink_threads_new (client_placed);
  self->server = make_server (self, address, port);

  self->listen_source = gst_rtsp_server_create_source (self->server, NULL,
      error);
  if (self->listen_source == NULL) {
    rtsp_sink_server_free (self);
    return NULL;
  }

  self->port = gst_rtsp_server_get_bound_port (self->server);
  start (self);
  GST_INFO ("listening on '%s' port %u", address, self->port);
  return self;
}

static void
wake_viewers (RtspSinkServer * self, RtspSinkMount * mount)
{
  g_autoptr (GPtrArray) viewers = ref_viewers (self, mount, FALSE);

  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_viewer_wake (g_ptr_array_index (viewers, i));
}

/**
 * rtsp_sink_mount_changed:
 *
 * Whether media can be made has changed, or a media is gone. Any thread.
 */
void
rtsp_sink_mount_changed (RtspSinkMount * mount)
{
  g_mutex_lock (&mount->server->lock);
  g_cond_broadcast (&mount->server->cond);
  g_mutex_unlock (&mount->server->lock);

  wake_viewers (mount->server, mount);
}

/**
 * rtsp_sink_server_add_mount:
 * @path: in the spelling of rtspsinkpath.h
 * @factory: (transfer none): makes the media of its viewers
 * @error: the path is taken
 *
 * Application's thread.
 *
 * Returns: (transfer full) (nullable): the mount
 */
RtspSinkMount *
rtsp_sink_server_add_mount (RtspSinkServer * self, const gchar * path,
    GstRTSPMediaFactory * factory, const RtspSinkMountFuncs * funcs,
    gpointer user_data, GError ** error)
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
  mount->server = self;
  mount->path = g_strdup (path);
  mount->funcs = *funcs;
  mount->user_data = user_data;
  g_hash_table_insert (self->mounts, mount->path, mount);
  g_mutex_unlock (&self->lock);

  gst_rtsp_mount_points_add_factory (self->mount_points, path,
      g_object_ref (factory));
  return mount;
}

static gboolean
has_viewers_locked (RtspSinkServer * self, RtspSinkMount * mount)
{
  GHashTableIter iter;
  gpointer entered;

  g_hash_table_iter_init (&iter, self->viewers);
  while (g_hash_table_iter_next (&iter, NULL, &entered)) {
    if (entered == mount)
      return TRUE;
  }
  return FALSE;
}

static void
close_viewers (RtspSinkServer * self, RtspSinkMount * mount, gboolean all)
{
  g_autoptr (GPtrArray) viewers = ref_viewers (self, mount, all);

  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_viewer_close (g_ptr_array_index (viewers, i));
}

/* Waits until the mount has neither viewers nor media. */
static gboolean
wait_unused (RtspSinkServer * self, RtspSinkMount * mount, gint64 deadline)
{
  gboolean unused = FALSE;

  g_mutex_lock (&self->lock);
  for (;;) {
    gboolean viewers = has_viewers_locked (self, mount);

    if (!viewers) {
      /* Called out without the lock; a change meanwhile broadcasts. */
      g_mutex_unlock (&self->lock);
      unused = mount->funcs.count_media (mount->user_data) == 0;
      g_mutex_lock (&self->lock);
      if (unused)
        break;
    }
    if (g_get_monotonic_time () >= deadline)
      break;
    /* The count of media may drop between its reading and the wait: look
     * again soon. */
    g_cond_wait_until (&self->cond, &self->lock, MIN (deadline,
            g_get_monotonic_time () + 10 * G_TIME_SPAN_MILLISECOND));
  }
  g_mutex_unlock (&self->lock);

  return unused;
}

/**
 * rtsp_sink_server_stop_mount:
 * @mount: a mount of @self
 *
 * Closes the mount's viewers and waits until their media are gone.
 * Application's thread.
 */
void
rtsp_sink_server_stop_mount (RtspSinkServer * self, RtspSinkMount * mount)
{
  g_mutex_lock (&self->lock);
  mount->stopping = TRUE;
  g_mutex_unlock (&self->lock);

  gst_rtsp_mount_points_remove_factory (self->mount_points, mount->path);
  wake_viewers (self, mount);
  close_viewers (self, mount, FALSE);

  if (!wait_unused (self, mount, g_get_monotonic_time () + STOP_TIME))
    GST_WARNING ("some viewers of %s did not leave in time", mount->path);
}

/**
 * rtsp_sink_server_remove_mount:
 * @mount: (transfer full): a stopped mount of @self
 *
 * Application's thread.
 */
void
rtsp_sink_server_remove_mount (RtspSinkServer * self, RtspSinkMount * mount)
{
  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->mounts, mount->path);
  g_mutex_unlock (&self->lock);

  g_free (mount->path);
  g_free (mount);
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

  g_source_destroy (self->listen_source);
  g_source_destroy (self->check_source);
}

static GstRTSPFilterResult
remove_session (GstRTSPSessionPool * pool, GstRTSPSession * session,
    gpointer user_data)
{
  return GST_RTSP_FILTER_REMOVE;
}

/* Only now that no client lives: a session that goes before its client leaves
 * the stream's transport with a dangling client. */
static void
remove_sessions (RtspSinkServer * self)
{
  g_autoptr (GstRTSPSessionPool) sessions =
      gst_rtsp_server_get_session_pool (self->server);
  GList *left = gst_rtsp_session_pool_filter (sessions, remove_session, NULL);

  g_list_free_full (left, g_object_unref);
}

static void
stop (RtspSinkServer * self)
{
  rtsp_sink_loop_call (self->loop, stop_listening, self);
  close_viewers (self, NULL, TRUE);
  if (!rtsp_sink_threads_wait (self->threads,
          g_get_monotonic_time () + STOP_TIME))
    GST_WARNING ("some threads of port %u did not end in time", self->port);
  remove_sessions (self);
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

  g_clear_pointer (&self->listen_source, g_source_unref);
  g_clear_pointer (&self->check_source, g_source_unref);
  g_clear_object (&self->server);
  g_clear_object (&self->mount_points);
  g_clear_object (&self->threads);
  g_hash_table_unref (self->viewers);
  g_hash_table_unref (self->mounts);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}
