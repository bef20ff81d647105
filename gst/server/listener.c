/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The library's server, with clients of our own making, and a listening socket
 * of our own: a connection waits in the lobby until something comes, for the
 * first byte tells whether it may be half of an HTTP tunnel. Server's thread. */

#include "server/listener.h"

#include "server/gate.h"
#include "server/lobby.h"
#include "base/socket.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_listener_debug);
#define GST_CAT_DEFAULT rtsp_sink_listener_debug

struct _RtspSinkListener
{
  GstRTSPServer parent;

  /* Constant after construction. */
  RtspSinkListenerFunc make_client;
  void (*lacks_descriptors) (gpointer);
  gpointer user_data;
  GSocket *socket;              /* NULL: it does not listen yet */

  /* Server's thread only; before it runs, the application's. */
  GSource *source;              /* destroyed: it rests until the next check */
  RtspSinkLobby *lobby;
  gboolean http;                /* the connection that is being taken */
};

G_DEFINE_FINAL_TYPE (RtspSinkListener, rtsp_sink_listener,
    GST_TYPE_RTSP_SERVER);

static GstRTSPClient *
rtsp_sink_listener_create_client (GstRTSPServer * server)
{
  RtspSinkListener *self = RTSP_SINK_LISTENER (server);
  GstRTSPClient *client = self->make_client (self->http, self->user_data);
  g_autoptr (GstRTSPAuth) gate = gst_rtsp_server_get_auth (server);
  g_autoptr (GstRTSPMountPoints) mounts =
      gst_rtsp_server_get_mount_points (server);
  g_autoptr (GstRTSPThreadPool) thread_pool =
      gst_rtsp_server_get_thread_pool (server);

  if (client == NULL)
    return NULL;

  gst_rtsp_client_set_auth (client, gate);
  gst_rtsp_client_set_mount_points (client, mounts);
  gst_rtsp_client_set_thread_pool (client, thread_pool);
  return client;
}

/* The methods of HTTP that a tunnel has, GET and POST. Other requests that begin
 * like these lose nothing by it. (Within TLS the first byte says nothing: there
 * either all connections are taken for HTTP, or none.) */
static gboolean
is_http (guint8 first)
{
  return first == 'G' || first == 'P';
}

static void
guest_spoke (GSocket * socket, guint8 first, gpointer user_data)
{
  RtspSinkListener *self = user_data;
  g_autoptr (GSocketAddress) address =
      g_socket_get_remote_address (socket, NULL);
  g_autofree gchar *ip = NULL;

  if (!G_IS_INET_SOCKET_ADDRESS (address)) {
    g_object_unref (socket);
    return;
  }
  ip = g_inet_address_to_string (g_inet_socket_address_get_address
      (G_INET_SOCKET_ADDRESS (address)));
  self->http = is_http (first);
  gst_rtsp_server_transfer_connection (GST_RTSP_SERVER (self), socket, ip,
      g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address)), NULL);
}

/* Without a descriptor for it the connection waits where it is, and the socket
 * says so again at once: it rests. */
static gboolean
connection_came (GSocket * socket, GIOCondition condition, gpointer user_data)
{
  RtspSinkListener *self = user_data;
  g_autoptr (GError) error = NULL;
  GSocket *connection = g_socket_accept (socket, NULL, &error);

  if (connection != NULL) {
    if (!rtsp_sink_lobby_add (self->lobby, connection))
      self->lacks_descriptors (self->user_data);
    return G_SOURCE_CONTINUE;
  }
  GST_INFO_OBJECT (self, "accepting: %s", error->message);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TOO_MANY_OPEN_FILES))
    self->lacks_descriptors (self->user_data);
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK) ?
      G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
watch_socket (RtspSinkListener * self)
{
  self->source = g_socket_create_source (self->socket, G_IO_IN, NULL);
  g_source_set_static_name (self->source, "rtspserversink-listen");
  g_source_set_callback (self->source, G_SOURCE_FUNC (connection_came), self,
      NULL);
}

/**
 * rtsp_sink_listener_listen:
 * @port: (out): where it listens
 * @error: why it cannot
 *
 * Once. Any thread.
 *
 * Returns: (transfer none) (nullable): a source that is to run on the server's
 *   thread
 */
GSource *
rtsp_sink_listener_listen (RtspSinkListener * self, guint * port,
    GError ** error)
{
  g_autoptr (GSocketAddress) address = NULL;

  self->socket = gst_rtsp_server_create_socket (GST_RTSP_SERVER (self), NULL,
      error);
  if (self->socket == NULL)
    return NULL;
  rtsp_sink_socket_set_up (self->socket);
  address = g_socket_get_local_address (self->socket, error);
  if (address == NULL)
    return NULL;
  *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (address));

  watch_socket (self);
  return self->source;
}

/**
 * rtsp_sink_listener_check:
 *
 * Closes connections of which nothing came for too long. Accepts again, if it
 * could not.
 */
void
rtsp_sink_listener_check (RtspSinkListener * self)
{
  rtsp_sink_lobby_check (self->lobby);
  if (!g_source_is_destroyed (self->source))
    return;
  g_source_unref (self->source);
  watch_socket (self);
  g_source_attach (self->source, g_main_context_get_thread_default ());
}

/**
 * rtsp_sink_listener_stop:
 *
 * After this no client appears any more.
 */
void
rtsp_sink_listener_stop (RtspSinkListener * self)
{
  g_source_destroy (self->source);
  g_clear_pointer (&self->lobby, rtsp_sink_lobby_free);
  /* A child process may have the socket, too: it ends there as well. */
  rtsp_sink_socket_end (self->socket);
  g_socket_close (self->socket, NULL);
}

static void
rtsp_sink_listener_finalize (GObject * object)
{
  RtspSinkListener *self = RTSP_SINK_LISTENER (object);

  g_clear_pointer (&self->source, g_source_unref);
  g_clear_object (&self->socket);
  g_clear_pointer (&self->lobby, rtsp_sink_lobby_free);
  G_OBJECT_CLASS (rtsp_sink_listener_parent_class)->finalize (object);
}

static void
rtsp_sink_listener_class_init (RtspSinkListenerClass * klass)
{
  GST_DEBUG_CATEGORY_INIT (rtsp_sink_listener_debug, "rtspserversink-listener",
      0, "rtspserversink: new connections");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_listener_finalize;
  GST_RTSP_SERVER_CLASS (klass)->create_client =
      rtsp_sink_listener_create_client;
}

static void
rtsp_sink_listener_init (RtspSinkListener * self)
{
  self->lobby = rtsp_sink_lobby_new (guest_spoke, self);
}

/**
 * rtsp_sink_listener_new:
 * @make_client: returns a new client, which gets what the server shares,
 *   or NULL to refuse the connection
 * @lacks_descriptors: called for each connection that finds no file descriptors
 *
 * Returns: (transfer full): a server that does not listen yet
 */
RtspSinkListener *
rtsp_sink_listener_new (RtspSinkListenerFunc make_client,
    void (*lacks_descriptors) (gpointer), gpointer user_data)
{
  RtspSinkListener *self = g_object_new (RTSP_SINK_TYPE_LISTENER, NULL);
  g_autoptr (GstRTSPAuth) gate = rtsp_sink_gate_new ();

  gst_rtsp_server_set_auth (GST_RTSP_SERVER (self), gate);
  self->make_client = make_client;
  self->lacks_descriptors = lacks_descriptors;
  self->user_data = user_data;
  return self;
}
