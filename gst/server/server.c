/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One listening port: the library's server with a thread and a context of its
 * own, the mounts on it and the clients that are connected.
 *
 * Stopping is an order of steps, each waiting for what it needs
 * (docs/threads-and-locks.md): no new clients, then the clients of the mount
 * closed in their own contexts, then their media gone, then the threads. */

#include "server/server.h"

#include <string.h>

#include "base/descriptors.h"
#include "base/loop.h"
#include "server/client.h"
#include "server/inflow.h"
#include "server/listener.h"
#include "server/mountpoints.h"
#include "server/threadpool.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_server_debug);
#define GST_CAT_DEFAULT rtsp_sink_server_debug

/* Nobody sends us a body: what is larger is an attack. */
#define MAX_CONTENT_LENGTH (64 * 1024)

#define BACKLOG 512             /* for viewers that all come back at once */

/* How long a stop waits for viewers and threads before it gives them up. */
#define STOP_TIME (800 * G_TIME_SPAN_MILLISECOND)

#define CHECK_INTERVAL 1        /* s */

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
  /* Guarded by lock. Nothing is called out while it is held. */
  GHashTable *mounts;           /* path → RtspSinkMount, references */
  GHashTable *clients;          /* that are connected: a set of references */
  GSource *accept_source;       /* the listener's; NULL: it runs */
};

static void
unref_mount (gpointer mount)
{
  rtsp_sink_mount_unref (mount);
}

static void
unref_server (gpointer server)
{
  RtspSinkServer *self = server;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_hash_table_unref (self->clients);
  g_hash_table_unref (self->mounts);
  g_mutex_clear (&self->lock);
  g_free (self);
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
    if (rtsp_sink_mount_serves (mount, path) && (found == NULL
            || strlen (rtsp_sink_mount_get_path (mount)) >
            strlen (rtsp_sink_mount_get_path (found))))
      found = mount;
  }
  return found;
}

/* Client's thread. */
static RtspSinkMount *
enter_mount (RtspSinkClient * client, const gchar * path, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  mount = find_mount_locked (self, path);
  if (mount != NULL)
    rtsp_sink_mount_ref (mount);
  g_mutex_unlock (&self->lock);

  if (mount != NULL && !rtsp_sink_mount_enter (mount, G_OBJECT (client)))
    g_clear_pointer (&mount, rtsp_sink_mount_unref);
  return mount;
}

/* Client's thread. */
static gboolean
is_alone (RtspSinkClient * client, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  GMainContext *context = rtsp_sink_client_get_context (client);
  gboolean alone = TRUE;
  GHashTableIter iter;
  gpointer other;

  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->clients);
  while (alone && g_hash_table_iter_next (&iter, &other, NULL))
    alone = other == client || rtsp_sink_client_get_context (other) != context;
  g_mutex_unlock (&self->lock);

  return alone;
}

/* Client's thread. */
static void
client_closed (GstRTSPClient * gst_client, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkClient *client = RTSP_SINK_CLIENT (gst_client);

  GST_INFO_OBJECT (client, "disconnected");
  rtsp_sink_client_leave (client);

  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->clients, client);
  g_mutex_unlock (&self->lock);
}

static GPtrArray *
ref_clients (RtspSinkServer * self)
{
  GPtrArray *clients = g_ptr_array_new_with_free_func (g_object_unref);
  GHashTableIter iter;
  gpointer client;

  g_mutex_lock (&self->lock);
  g_hash_table_iter_init (&iter, self->clients);
  while (g_hash_table_iter_next (&iter, &client, NULL))
    g_ptr_array_add (clients, g_object_ref (client));
  g_mutex_unlock (&self->lock);

  return clients;
}

/* Client's thread. */
static RtspSinkClient *
dup_joiner (RtspSinkClient * client, gpointer user_data)
{
  g_autoptr (GPtrArray) clients = ref_clients (user_data);

  for (guint i = 0; i < clients->len; i++) {
    RtspSinkClient *other = g_ptr_array_index (clients, i);

    if (rtsp_sink_client_has_joined (other, client))
      return g_object_ref (other);
  }
  return NULL;
}

static const RtspSinkClientFuncs client_funcs = {
  enter_mount,
  is_alone,
  dup_joiner,
};

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
  for (guint i = 0; i < mounts->len; i++)
    rtsp_sink_mount_lacks_descriptors (g_ptr_array_index (mounts, i));
}

/* Server's thread. */
static GstRTSPClient *
make_client (gboolean http, gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkClient *client;

  if (rtsp_sink_descriptors_are_scarce ()) {
    lacks_descriptors (self);
    return NULL;
  }
  /* A client that outlives the stop finds a server without mounts. */
  g_atomic_ref_count_inc (&self->refs);
  client = rtsp_sink_client_new (&client_funcs, self, unref_server, http);
  gst_rtsp_client_set_content_length_limit (GST_RTSP_CLIENT (client),
      MAX_CONTENT_LENGTH);
  return GST_RTSP_CLIENT (client);
}

/* Server's thread, before the client runs. */
static void
client_connected (GstRTSPServer * server, GstRTSPClient * gst_client,
    gpointer user_data)
{
  RtspSinkServer *self = user_data;
  RtspSinkClient *client = RTSP_SINK_CLIENT (gst_client);

  GST_INFO_OBJECT (client, "connected from '%s'",
      rtsp_sink_client_get_peer (client));
  rtsp_sink_client_connected (client);
  rtsp_sink_inflow_add (self->inflow, gst_rtsp_connection_get_read_socket
      (gst_rtsp_client_get_connection (gst_client)));
  g_mutex_lock (&self->lock);
  g_hash_table_add (self->clients, g_object_ref (client));
  g_mutex_unlock (&self->lock);
  g_signal_connect (client, "closed", G_CALLBACK (client_closed), self);
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
client_placed (GstRTSPClient * gst_client, GMainContext * context)
{
  RtspSinkClient *client = RTSP_SINK_CLIENT (gst_client);

  if (context != NULL) {
    rtsp_sink_client_set_context (client, context);
    return;
  }
  GST_WARNING_OBJECT (client, "closing: no thread could be made for it");
  rtsp_sink_client_set_context (client, g_main_context_get_thread_default ());
  rtsp_sink_client_dismiss (client, "error");
}

static const RtspSinkThreadPoolFuncs threads_funcs = {
  client_runs_with_others,
  client_placed,
};

/* The watchdog. Server's thread. */
static gboolean
check_clients (gpointer user_data)
{
  RtspSinkServer *self = user_data;
  g_autoptr (GPtrArray) clients = ref_clients (self);

  rtsp_sink_listener_check (self->listener);
  /* The media's threads go by it. */
  if (clients->len > 0)
    rtsp_sink_descriptors_are_short ();
  for (guint i = 0; i < clients->len; i++)
    rtsp_sink_client_check (g_ptr_array_index (clients, i));
  return G_SOURCE_CONTINUE;
}

/* Server's thread. */
static void
connection_flooded (GSocket * socket, gpointer user_data)
{
  g_autoptr (GPtrArray) clients = ref_clients (user_data);

  for (guint i = 0; i < clients->len; i++)
    rtsp_sink_client_flooded (g_ptr_array_index (clients, i), socket);
}

static void
start (RtspSinkServer * self)
{
  self->check_source = g_timeout_source_new_seconds (CHECK_INTERVAL);
  g_source_set_callback (self->check_source, check_clients, self, NULL);
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
 * Listens at once, and accepts from its first mount on: no client finds it empty.
 * Application's thread.
 *
 * Returns: (transfer full) (nullable): a running server
 */
RtspSinkServer *
rtsp_sink_server_new (const gchar * address, guint port, GError ** error)
{
  RtspSinkServer *self = g_new0 (RtspSinkServer, 1);

  g_atomic_ref_count_init (&self->refs);
  GST_DEBUG_CATEGORY_INIT (rtsp_sink_server_debug, "rtspserversink-server", 0,
      "rtspserversink: listening port, mounts");

  g_mutex_init (&self->lock);
  self->mounts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
      unref_mount);
  self->clients = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  self->loop = rtsp_sink_loop_new ();
  self->mount_points = rtsp_sink_mount_points_new ();
  self->thread_pool = rtsp_sink_thread_pool_new (&threads_funcs);
  self->inflow = rtsp_sink_inflow_new (connection_flooded, self);
  make_listener (self, address, port);

  self->accept_source = rtsp_sink_listener_listen (self->listener, &self->port,
      error);
  if (self->accept_source == NULL) {
    rtsp_sink_server_free (self);
    return NULL;
  }

  start (self);
  GST_INFO ("listening on '%s' port %u", address, self->port);
  return self;
}

/**
 * rtsp_sink_server_add_mount:
 * @mount: its path is in the spelling of server/mountpath.h
 * @factory: (transfer none): makes the media of its viewers
 * @error: the path is taken
 *
 * Application's thread.
 *
 * Returns: whether clients find it
 */
gboolean
rtsp_sink_server_add_mount (RtspSinkServer * self, RtspSinkMount * mount,
    GstRTSPMediaFactory * factory, GError ** error)
{
  const gchar *path = rtsp_sink_mount_get_path (mount);
  GSource *accept_source = NULL;
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = g_hash_table_contains (self->mounts, path);
  if (!taken)
    accept_source = g_steal_pointer (&self->accept_source);
  if (!taken)
    g_hash_table_insert (self->mounts, (gpointer) path,
        rtsp_sink_mount_ref (mount));
  g_mutex_unlock (&self->lock);

  if (taken)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS,
        "another rtspserversink of this process already serves %s on port %u: "
        "give each its own mount", path, self->port);
  else
    rtsp_sink_mount_points_add (self->mount_points, path, factory);
  if (accept_source != NULL)
    rtsp_sink_loop_attach (self->loop, accept_source, "rtspserversink-accept");
  return !taken;
}

static void
close_clients (GPtrArray * clients)
{
  for (guint i = 0; i < clients->len; i++)
    rtsp_sink_client_dismiss (g_ptr_array_index (clients, i), "stopped");
}

/**
 * rtsp_sink_server_remove_mount:
 * @mount: (transfer none): a mount of @self
 *
 * Closes the mount's clients and waits until their media are gone.
 * Application's thread.
 */
void
rtsp_sink_server_remove_mount (RtspSinkServer * self, RtspSinkMount * mount)
{
  const gchar *path = rtsp_sink_mount_get_path (mount);
  g_autoptr (GPtrArray) clients = rtsp_sink_mount_stop (mount);

  rtsp_sink_mount_points_remove (self->mount_points, path);
  close_clients (clients);
  if (!rtsp_sink_mount_wait_unused (mount, g_get_monotonic_time () + STOP_TIME))
    GST_WARNING ("some viewers of %s did not leave in time", path);

  g_mutex_lock (&self->lock);
  g_hash_table_remove (self->mounts, path);
  g_mutex_unlock (&self->lock);
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

/* After this no client appears any more. Server's thread. */
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
  g_autoptr (GPtrArray) clients = NULL;

  rtsp_sink_loop_call (self->loop, stop_listening, self);
  clients = ref_clients (self);
  close_clients (clients);
  if (!rtsp_sink_thread_pool_wait (self->thread_pool,
          g_get_monotonic_time () + STOP_TIME))
    GST_WARNING ("some threads of port %u did not end in time", self->port);
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
