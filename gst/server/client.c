/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One connected viewer: the library's client, with what it lacks.
 *
 *  - A DESCRIBE that comes before the first frame waits for it.
 *  - Paths are compared in one spelling; Scale and Speed are refused.
 *  - It can be closed from any thread: the closing runs in its own context,
 *    for the library's connections are not thread safe.
 *  - Its socket sends at once, and holds a bounded amount.
 *
 * Everything not marked otherwise runs on the viewer's thread. */

#include "server/client.h"

#include "server/flood.h"
#include "server/gate.h"
#include "media/interleaved.h"
#include "media/media.h"
#include "base/loop.h"
#include "server/mountpath.h"
#include "server/sessions.h"
#include "base/socket.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_client_debug);
#define GST_CAT_DEFAULT rtsp_sink_client_debug

/* How long a DESCRIBE waits for the first frame. */
#define READY_TIME (2 * G_TIME_SPAN_SECOND)

/* Where the client plays or is paused: a media in one of its sessions. */
typedef struct
{
  GstRTSPSessionMedia *session_media;   /* a reference: media lives */
  RtspSinkMedia *media;
  RtspSinkViewer *viewer;       /* a reference */
} Played;

struct _RtspSinkClient
{
  GstRTSPClient parent;

  /* Constant after construction. */
  RtspSinkClientFuncs funcs;
  gpointer user_data;
  GDestroyNotify free_user_data;
  gboolean http;                /* may be half of a tunnel */

  /* Of the connection, and of the one that was joined to it last. Only the
   * library keeps a socket: it is closed with its last reference. */
  GWeakRef socket;
  GWeakRef joined;

  GMainContext *context;        /* atomic; set once, before the viewer runs */
  const gchar *reason;          /* atomic: why it is closed, NULL: it went */

  gboolean overdue;             /* server's thread only: it had expired when it
                                 * was last looked at */

  /* Viewer's thread only. */
  gboolean given_away;          /* joined to another viewer's connection */
  GPtrArray *mounts;            /* of RtspSinkMount, that it entered: its
                                 * requests may use them */
  GstRTSPSessionPool *sessions; /* that it began */
  RtspSinkFlood *flood;         /* NULL: nothing set up over TCP, or closed */
  GPtrArray *played;            /* of Played */
  const gchar *phrase;          /* why the request is refused, or NULL */
  gint64 stall_time;            /* 0: it did not SETUP yet */
  gboolean closed;
  RtspSinkProgress progress;
};

G_DEFINE_FINAL_TYPE (RtspSinkClient, rtsp_sink_client, GST_TYPE_RTSP_CLIENT);

static void
unref_mount (gpointer mount)
{
  rtsp_sink_mount_unref (mount);
}

/* Which mount serves @path, if any. */
static RtspSinkMount *
enter_path (RtspSinkClient * self, const gchar * path)
{
  RtspSinkMount *mount = NULL;

  /* It would not leave the mount any more. */
  if (!self->closed)
    mount = self->funcs.enter (self, path, self->user_data);
  if (mount == NULL)
    return NULL;
  if (g_ptr_array_find (self->mounts, mount, NULL))
    rtsp_sink_mount_unref (mount);
  else
    g_ptr_array_add (self->mounts, mount);
  return mount;
}

static RtspSinkMount *
enter (RtspSinkClient * self, GstRTSPContext * ctx)
{
  g_autofree gchar *path = rtsp_sink_mount_path_from_request (ctx->uri);

  return enter_path (self, path);
}

/* TRUE: @ctx is to be answered 503, with a phrase that says why. */
static gboolean
is_refused (RtspSinkClient * self, RtspSinkMount * mount,
    RtspSinkMountStage stage)
{
  self->phrase = rtsp_sink_mount_refuse (mount,
      rtsp_sink_client_get_peer (self), stage);
  if (self->phrase != NULL)
    GST_INFO_OBJECT (self, "503: %s", self->phrase);
  return self->phrase != NULL;
}

static GstRTSPStatusCode
rtsp_sink_client_pre_describe_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  RtspSinkMount *mount = enter (self, ctx);
  gint64 deadline = 0;

  /* The library answers 404. */
  if (mount == NULL)
    return GST_RTSP_STS_OK;

  /* Who has a place may ask again. */
  if (self->played->len == 0 && is_refused (self, mount, RTSP_SINK_MOUNT_ASKS))
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  /* Waits only where that holds up nobody else. */
  if (self->funcs.is_alone (self, self->user_data))
    deadline = g_get_monotonic_time () + READY_TIME;
  if (rtsp_sink_mount_is_ready (mount, deadline))
    return GST_RTSP_STS_OK;

  self->phrase = "Nothing To Play Yet";
  GST_INFO_OBJECT (self, "503: there is no frame yet");
  return GST_RTSP_STS_SERVICE_UNAVAILABLE;
}

/* The reason phrase is free text (RFC 2326, 7.1.1). */
static void
rtsp_sink_client_send_message (GstRTSPClient * client, GstRTSPContext * ctx,
    GstRTSPMessage * message)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);

  if (self->phrase == NULL
      || gst_rtsp_message_get_type (message) != GST_RTSP_MESSAGE_RESPONSE
      || message->type_data.response.code == GST_RTSP_STS_OK)
    return;
  g_free (message->type_data.response.reason);
  message->type_data.response.reason = g_strdup (self->phrase);
  self->phrase = NULL;
}

static GstRTSPStatusCode
rtsp_sink_client_pre_options_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  gst_rtsp_message_remove_header (ctx->response, GST_RTSP_HDR_PUBLIC, -1);
  gst_rtsp_message_take_header (ctx->response, GST_RTSP_HDR_PUBLIC,
      gst_rtsp_options_as_text (RTSP_SINK_GATE_METHODS));
  return GST_RTSP_STS_OK;
}

static Played *
find_played (RtspSinkClient * self, GstRTSPSessionMedia * media)
{
  for (guint i = 0; i < self->played->len; i++) {
    Played *played = g_ptr_array_index (self->played, i);

    if (played->session_media == media)
      return played;
  }
  return NULL;
}

static void
leave (RtspSinkClient * self, Played * played, const gchar * reason)
{
  g_ptr_array_remove_fast (self->played, played);
  rtsp_sink_media_leave (played->media, played->viewer, reason);
  rtsp_sink_viewer_unref (played->viewer);
  g_object_unref (played->session_media);
  g_free (played);
}

/* At SETUP, PLAY and TEARDOWN the library changes what the senders of all streams of
 * a connection use, on another thread and without a lock (up to 1.28). Returns
 * whether another stream than @media goes over the client's own connection. */
static gboolean
has_other_interleaved (RtspSinkClient * self, GstRTSPSessionMedia * media)
{
  for (guint i = 0; i < self->played->len; i++) {
    Played *played = g_ptr_array_index (self->played, i);

    if (played->session_media != media
        && rtsp_sink_sessions_has_transport (played->session_media,
            GST_RTSP_LOWER_TRANS_TCP))
      return TRUE;
  }
  return FALSE;
}

/* Whether this PLAY or TEARDOWN of @media gets in the way of another stream on the
 * connection. */
static gboolean
is_crossed (RtspSinkClient * self, GstRTSPSessionMedia * media)
{
  return rtsp_sink_sessions_has_transport (media, GST_RTSP_LOWER_TRANS_TCP)
      && has_other_interleaved (self, media);
}

/* The gate has left one transport. */
static gboolean
wants_tcp (GstRTSPContext * ctx)
{
  GstRTSPTransport transport = { 0, };
  gchar *text;

  return gst_rtsp_message_get_header (ctx->request, GST_RTSP_HDR_TRANSPORT,
      &text, 0) == GST_RTSP_OK
      && gst_rtsp_transport_parse (text, &transport) == GST_RTSP_OK
      && transport.lower_transport == GST_RTSP_LOWER_TRANS_TCP;
}

/* What to answer to a SETUP. */
static GstRTSPStatusCode
check_setup (RtspSinkClient * self, GstRTSPContext * ctx)
{
  g_autoptr (GstRTSPSessionMedia) media = rtsp_sink_sessions_dup_media (ctx);
  RtspSinkMount *mount;

  /* A transport cannot be changed under what is sent by it. */
  if ((media != NULL && find_played (self, media) != NULL)
      || (wants_tcp (ctx) && has_other_interleaved (self, media)))
    return GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE;

  mount = enter (self, ctx);
  if (mount != NULL && media == NULL
      && is_refused (self, mount, RTSP_SINK_MOUNT_HAS_MEDIA))
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  return GST_RTSP_STS_OK;
}

static GstRTSPStatusCode
rtsp_sink_client_pre_setup_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);

  /* Refused here, the library would never let go of a session (up to 1.28). */
  if (ctx->session != NULL)
    return GST_RTSP_STS_OK;
  if (rtsp_sink_sessions_are_too_many (self->sessions)) {
    self->phrase = "Too Many Sessions";
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  }
  return check_setup (self, ctx);
}

/* The next that is called in a SETUP; a reply is its own business. */
static gboolean
rtsp_sink_client_configure_client_media (GstRTSPClient * client,
    GstRTSPMedia * media, GstRTSPStream * stream, GstRTSPContext * ctx)
{
  GstRTSPStatusCode status = check_setup (RTSP_SINK_CLIENT (client), ctx);

  if (status == GST_RTSP_STS_OK)
    return GST_RTSP_CLIENT_CLASS (rtsp_sink_client_parent_class)
        ->configure_client_media (client, media, stream, ctx);

  gst_rtsp_message_init_response (ctx->response, status,
      gst_rtsp_status_as_text (status), ctx->request);
  gst_rtsp_client_send_message (client, ctx->session, ctx->response);
  return FALSE;
}

/* The factory makes no media when there is no frame yet, or no descriptor for
 * one. A SETUP can be a bad request, too. */
static GstRTSPStatusCode
rtsp_sink_client_adjust_error_code (GstRTSPClient * client,
    GstRTSPContext * ctx, GstRTSPStatusCode code)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  RtspSinkMount *mount;

  if (code != GST_RTSP_STS_BAD_REQUEST || ctx->uri == NULL
      || ctx->media != NULL || (ctx->method != GST_RTSP_SETUP
          && ctx->method != GST_RTSP_DESCRIBE))
    return code;

  mount = enter (self, ctx);
  if (mount != NULL && (is_refused (self, mount, RTSP_SINK_MOUNT_HAS_NONE)
          || ctx->method == GST_RTSP_DESCRIBE
          || !rtsp_sink_mount_is_ready (mount, 0)))
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  return code;
}

/* SETUP without DESCRIBE: the mount shall know its viewer nevertheless. */
static gchar *
rtsp_sink_client_make_path_from_uri (GstRTSPClient * client,
    const GstRTSPUrl * uri)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  gchar *path = rtsp_sink_mount_path_from_request (uri);

  enter_path (self, path);
  return path;
}

/* Whether the library has joined @other's connection to that of @self: GET and
 * POST of a tunnel. The thread of both. */
gboolean
rtsp_sink_client_has_joined (RtspSinkClient * self, RtspSinkClient * other)
{
  GstRTSPConnection *connection =
      gst_rtsp_client_get_connection (GST_RTSP_CLIENT (self));
  g_autoptr (GSocket) socket = g_weak_ref_get (&other->socket);

  /* Only what is on this thread may be asked whether it is closed. */
  return socket != NULL && self != other && self->http
      && self->context == other->context && !self->closed
      && (gst_rtsp_connection_get_read_socket (connection) == socket
      || gst_rtsp_connection_get_write_socket (connection) == socket);
}

/* The one that has @self's connection now, or NULL. */
static RtspSinkClient *
dup_joiner (RtspSinkClient * self)
{
  return self->http ? self->funcs.dup_joiner (self, self->user_data) : NULL;
}

static void
join (RtspSinkClient * self, RtspSinkClient * other)
{
  g_autoptr (GSocket) socket = g_weak_ref_get (&other->socket);

  other->given_away = TRUE;
  g_weak_ref_set (&self->joined, socket);
  if (self->flood != NULL)
    rtsp_sink_flood_set_socket (self->flood, gst_rtsp_connection_get_read_socket
        (gst_rtsp_client_get_connection (GST_RTSP_CLIENT (self))));
}

static void
end_socket (GWeakRef * weak_ref)
{
  g_autoptr (GSocket) socket = g_weak_ref_get (weak_ref);

  if (socket != NULL)
    rtsp_sink_socket_end (socket);
}

/* Before the library closes it: a child process may have it, too. */
static void
end_connection (RtspSinkClient * self)
{
  if (self->given_away)
    return;
  end_socket (&self->socket);
  end_socket (&self->joined);
}

static void
rtsp_sink_client_closed (GstRTSPClient * client)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  g_autoptr (RtspSinkClient) joiner = dup_joiner (self);
  GstRTSPConnection *connection = gst_rtsp_client_get_connection (client);

  self->closed = TRUE;
  g_clear_pointer (&self->flood, rtsp_sink_flood_free);
  if (joiner != NULL)
    join (joiner, self);
  end_connection (self);
  /* When both of a tunnel's connections go at once, the library may remember it
   * for a POST that never comes, and the client with it. */
  if (gst_rtsp_connection_get_tunnelid (connection) != NULL)
    gst_rtsp_client_close (client);
  /* The library would do so only when it forgets the client, which its shared
   * streams may refer to for some seconds. */
  gst_rtsp_connection_close (connection);
}

/* The answer to the GET of a tunnel. If its POST came first, the library takes
 * the tunnel for one whose GET is to come, also when it has lost the POST: it
 * would join a second GET to it (up to 1.28). So it does not get to know the
 * tunnel's name again: no cookie is empty. */
static void
rtsp_sink_client_tunnel_http_response (GstRTSPClient * client,
    GstRTSPMessage * request, GstRTSPMessage * response)
{
  g_autoptr (RtspSinkClient) joiner = dup_joiner (RTSP_SINK_CLIENT (client));
  gchar *name;

  if (joiner == NULL)
    return;
  name = (gchar *) gst_rtsp_connection_get_tunnelid
      (gst_rtsp_client_get_connection (GST_RTSP_CLIENT (joiner)));
  if (name != NULL)
    name[0] = '\0';
}

/* A connection may watch several mounts: the strictest counts. */
static void
rtsp_sink_client_new_session (GstRTSPClient * client, GstRTSPSession * session)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  RtspSinkMount *mount = enter (self, gst_rtsp_context_get_current ());
  const RtspSinkMountLimits *limits;

  if (mount == NULL)
    return;
  limits = rtsp_sink_mount_get_limits (mount);
  rtsp_sink_sessions_set_up (session, limits->session_timeout);
  if (self->stall_time == 0 || limits->stall_time < self->stall_time)
    self->stall_time = limits->stall_time;
}

/* There is one speed: that of now. The library's 1.22 aborts the process on
 * some rates (CVE-2024-44331; fixed in 1.24.9). */
static GstRTSPStatusCode
rtsp_sink_client_adjust_play_mode (GstRTSPClient * client,
    GstRTSPContext * ctx, GstRTSPTimeRange ** range, GstSeekFlags * flags,
    gdouble * rate, GstClockTime * trickmode_interval,
    gboolean * enable_rate_control)
{
  if (*rate != 1.0)
    return GST_RTSP_STS_HEADER_FIELD_NOT_VALID_FOR_RESOURCE;

  /* Live: any range is now. */
  g_clear_pointer (range, gst_rtsp_range_free);
  *flags = GST_SEEK_FLAG_NONE;
  return GST_RTSP_STS_OK;
}

static void
dismiss (GObject * client, const gchar * reason)
{
  rtsp_sink_client_dismiss (RTSP_SINK_CLIENT (client), reason);
}

static gboolean
admit (RtspSinkClient * self, GstRTSPContext * ctx, RtspSinkMedia * media)
{
  RtspSinkViewer *viewer = rtsp_sink_media_admit (media, ctx, dismiss);
  Played *played;

  if (viewer == NULL)
    return FALSE;
  played = g_new (Played, 1);
  played->session_media = g_object_ref (ctx->sessmedia);
  played->media = media;
  played->viewer = viewer;
  g_ptr_array_add (self->played, played);
  return TRUE;
}

/* What is fed after the viewer got its answer is the viewer's: it is let in
 * before. What it set up is its own: it cannot play the session of another one. */
static GstRTSPStatusCode
rtsp_sink_client_adjust_play_response (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  RtspSinkMount *mount = enter (self, ctx);
  RtspSinkMedia *media = rtsp_sink_media_find (ctx->media);
  Played *played = find_played (self, ctx->sessmedia);

  if (mount == NULL)
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  if (!rtsp_sink_sessions_has_transport (ctx->sessmedia,
          RTSP_SINK_SESSIONS_ANY))
    return GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE;
  if (played != NULL)
    return rtsp_sink_media_play (played->media,
        played->viewer) ? GST_RTSP_STS_OK : GST_RTSP_STS_SERVICE_UNAVAILABLE;
  if (admit (self, ctx, media))
    return GST_RTSP_STS_OK;
  is_refused (self, mount, RTSP_SINK_MOUNT_HAS_MEDIA);
  return GST_RTSP_STS_SERVICE_UNAVAILABLE;
}

/* The library forgets its watch before it takes the senders' functions away:
 * do that first, so that none is inside. */
static void
close_client (RtspSinkClient * self)
{
  GstRTSPClient *client = GST_RTSP_CLIENT (self);

  gst_rtsp_client_set_send_func (client, NULL, NULL, NULL);
  gst_rtsp_client_set_send_messages_func (client, NULL, NULL, NULL);
  end_connection (self);
  gst_rtsp_client_close (client);
}

/* The first reason is the true one. */
static void
set_reason (RtspSinkClient * self, const gchar * reason)
{
  g_atomic_pointer_compare_and_exchange (&self->reason, NULL, reason);
}

static void
give_up (RtspSinkClient * self, const gchar * reason)
{
  GST_INFO_OBJECT (self, "closing: %s", reason);
  set_reason (self, reason);
  close_client (self);
}

/* It can only have a bad intent. */
static void
flooded (gpointer user_data)
{
  RtspSinkClient *self = g_object_ref (user_data);

  give_up (self, "error");
  g_object_unref (self);
}

/* Before anything is sent to it. From now on the library takes what comes on a
 * channel; by a tunnel, that is what the POST brings. */
static void
rtsp_sink_client_setup_request (GstRTSPClient * client, GstRTSPContext * ctx)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);

  rtsp_sink_sessions_kept_alive_by (ctx->session, ctx->trans);
  if (gst_rtsp_stream_transport_get_transport (ctx->trans)->lower_transport
      != GST_RTSP_LOWER_TRANS_TCP)
    return;
  rtsp_sink_interleaved_attach (ctx->trans, ctx->conn);
  if (self->flood == NULL)
    self->flood = rtsp_sink_flood_new (gst_rtsp_connection_get_read_socket
        (ctx->conn), self->context, flooded, self);
  rtsp_sink_flood_watch (self->flood, ctx->trans);
}

static void
rtsp_sink_client_play_request (GstRTSPClient * client, GstRTSPContext * ctx)
{
  Played *played = find_played (RTSP_SINK_CLIENT (client), ctx->sessmedia);

  if (played != NULL)
    rtsp_sink_media_start (played->media, played->viewer);
}

static GstRTSPStatusCode
rtsp_sink_client_pre_play_request (GstRTSPClient * client, GstRTSPContext * ctx)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  Played *played = find_played (self, ctx->sessmedia);

  if (is_crossed (self, ctx->sessmedia))
    return GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE;
  rtsp_sink_media_prepare_play (rtsp_sink_media_find (ctx->media),
      played != NULL ? played->viewer : NULL);
  return GST_RTSP_STS_OK;
}

static GstRTSPStatusCode
rtsp_sink_client_pre_pause_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  Played *played = find_played (RTSP_SINK_CLIENT (client), ctx->sessmedia);

  if (played != NULL)
    rtsp_sink_media_pause (played->media, played->viewer);
  return GST_RTSP_STS_OK;
}

static GstRTSPStatusCode
rtsp_sink_client_pre_teardown_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (client);
  Played *played = find_played (self, ctx->sessmedia);

  if (is_crossed (self, ctx->sessmedia))
    return GST_RTSP_STS_METHOD_NOT_VALID_IN_THIS_STATE;
  if (played != NULL)
    leave (self, played, "torn-down");
  return GST_RTSP_STS_OK;
}

static void
leave_all (RtspSinkClient * self)
{
  const gchar *reason = g_atomic_pointer_get (&self->reason);

  while (self->played->len > 0)
    leave (self, g_ptr_array_index (self->played, 0),
        reason != NULL ? reason : "closed");
}

/**
 * rtsp_sink_client_leave:
 *
 * It is closed: it watches nothing any more, and is none of its mounts'. Client's
 * thread.
 */
void
rtsp_sink_client_leave (RtspSinkClient * self)
{
  leave_all (self);
  /* When sending to a closed connection fails, the library queues a close of a
   * client that it holds no reference to (up to 1.28). None of the client's media
   * sends any more now. */
  rtsp_sink_loop_hold (self->context, G_OBJECT (self),
      "rtspserversink-outlive-closes");
  for (guint i = 0; i < self->mounts->len; i++)
    rtsp_sink_mount_leave (g_ptr_array_index (self->mounts, i),
        G_OBJECT (self));
}

/**
 * rtsp_sink_client_get_peer:
 *
 * Client's thread, or before it runs.
 *
 * Returns: its address, as text
 */
const gchar *
rtsp_sink_client_get_peer (RtspSinkClient * self)
{
  const gchar *ip = gst_rtsp_connection_get_ip (gst_rtsp_client_get_connection
      (GST_RTSP_CLIENT (self)));

  return ip != NULL ? ip : "unknown";
}

static GSocket *
write_socket (RtspSinkClient * self)
{
  return gst_rtsp_connection_get_write_socket (gst_rtsp_client_get_connection
      (GST_RTSP_CLIENT (self)));
}

/**
 * rtsp_sink_client_is_http:
 *
 * Any thread.
 *
 * Returns: whether it may become half of an HTTP tunnel; all such viewers have
 *   to run on one thread
 */
gboolean
rtsp_sink_client_is_http (RtspSinkClient * self)
{
  return self->http;
}

/**
 * rtsp_sink_client_connected:
 *
 * Once, when it has its connection. Server's thread, before the viewer runs.
 */
void
rtsp_sink_client_connected (RtspSinkClient * self)
{
  GstRTSPConnection *connection =
      gst_rtsp_client_get_connection (GST_RTSP_CLIENT (self));

  /* With it a later GET or POST makes no tunnel: it is ignored. */
  gst_rtsp_connection_set_http_mode (connection, !self->http);
  g_weak_ref_set (&self->socket,
      gst_rtsp_connection_get_write_socket (connection));
}

/**
 * rtsp_sink_client_set_context:
 * @context: where the viewer's requests run
 *
 * Once. Server's thread, before the viewer runs.
 */
void
rtsp_sink_client_set_context (RtspSinkClient * self, GMainContext * context)
{
  g_atomic_pointer_set (&self->context, g_main_context_ref (context));
}

/**
 * rtsp_sink_client_get_context:
 *
 * Any thread.
 *
 * Returns: (transfer none) (nullable): where the viewer's requests run, NULL
 *   before they do
 */
GMainContext *
rtsp_sink_client_get_context (RtspSinkClient * self)
{
  return g_atomic_pointer_get (&self->context);
}

static gboolean
close_now (gpointer weak_ref)
{
  g_autoptr (RtspSinkClient) self = g_weak_ref_get (weak_ref);

  if (self != NULL)
    close_client (self);
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_client_dismiss:
 * @reason: a static string
 *
 * Closes the connection soon. Any thread.
 */
void
rtsp_sink_client_dismiss (RtspSinkClient * self, const gchar * reason)
{
  set_reason (self, reason);
  rtsp_sink_loop_run_weakly (self->context, close_now, G_OBJECT (self),
      "rtspserversink-close-viewer");
}

static gboolean
is_stalled (RtspSinkClient * self)
{
  GSocket *socket = write_socket (self);

  return socket != NULL && self->stall_time > 0
      && rtsp_sink_socket_get_stall (socket, &self->progress,
      g_get_monotonic_time ()) > self->stall_time;
}

static gboolean
check_now (gpointer weak_ref)
{
  g_autoptr (RtspSinkClient) self = g_weak_ref_get (weak_ref);

  if (self == NULL || self->closed)
    return G_SOURCE_REMOVE;

  if (rtsp_sink_sessions_are_expired (GST_RTSP_CLIENT (self))) {
    give_up (self, "timeout");
  } else if (is_stalled (self)) {
    rtsp_sink_socket_abort (write_socket (self));
    give_up (self, "slow");
  }
  return G_SOURCE_REMOVE;
}

static gboolean
is_of (GWeakRef * weak_ref, GSocket * socket)
{
  g_autoptr (GSocket) found = g_weak_ref_get (weak_ref);

  return found == socket;
}

/**
 * rtsp_sink_client_flooded:
 * @socket: too much came by it
 *
 * Ends the viewer that has @socket, by the socket, since its thread may be busy
 * with what comes. Server's thread.
 */
void
rtsp_sink_client_flooded (RtspSinkClient * self, GSocket * socket)
{
  if (!is_of (&self->socket, socket) && !is_of (&self->joined, socket))
    return;
  GST_INFO_OBJECT (self, "closing: more came than a viewer can have to say");
  set_reason (self, "error");
  end_socket (&self->socket);
}

/* The viewer's thread closes it. If that has not happened by the next look, the
 * thread is busy with another viewer: the connection is ended from here. */
static void
check_expiry (RtspSinkClient * self)
{
  gboolean expired = rtsp_sink_sessions_are_expired (GST_RTSP_CLIENT (self));

  if (expired && self->overdue) {
    set_reason (self, "timeout");
    end_socket (&self->socket);
  }
  self->overdue = expired;
}

/**
 * rtsp_sink_client_check:
 *
 * Closes the viewer soon if it shows no life any more. Server's thread, now and
 * then.
 */
void
rtsp_sink_client_check (RtspSinkClient * self)
{
  check_expiry (self);
  rtsp_sink_loop_run_weakly (self->context, check_now, G_OBJECT (self),
      "rtspserversink-check-viewer");
}

static void
rtsp_sink_client_finalize (GObject * object)
{
  RtspSinkClient *self = RTSP_SINK_CLIENT (object);

  leave_all (self);
  g_ptr_array_unref (self->played);
  g_ptr_array_unref (self->mounts);
  g_clear_pointer (&self->flood, rtsp_sink_flood_free);
  g_weak_ref_clear (&self->socket);
  g_weak_ref_clear (&self->joined);
  rtsp_sink_sessions_forget (self->sessions);
  g_object_unref (self->sessions);

  g_clear_pointer (&self->context, g_main_context_unref);
  self->free_user_data (self->user_data);
  G_OBJECT_CLASS (rtsp_sink_client_parent_class)->finalize (object);
}

static void
rtsp_sink_client_class_init (RtspSinkClientClass * klass)
{
  GstRTSPClientClass *client_class = GST_RTSP_CLIENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_client_debug, "rtspserversink-client", 0,
      "rtspserversink: one connected viewer");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_client_finalize;
  client_class->pre_options_request = rtsp_sink_client_pre_options_request;
  client_class->pre_describe_request = rtsp_sink_client_pre_describe_request;
  client_class->adjust_error_code = rtsp_sink_client_adjust_error_code;
  client_class->send_message = rtsp_sink_client_send_message;
  client_class->configure_client_media =
      rtsp_sink_client_configure_client_media;
  client_class->pre_setup_request = rtsp_sink_client_pre_setup_request;
  client_class->pre_teardown_request = rtsp_sink_client_pre_teardown_request;
  client_class->closed = rtsp_sink_client_closed;
  client_class->tunnel_http_response = rtsp_sink_client_tunnel_http_response;
  client_class->new_session = rtsp_sink_client_new_session;
  client_class->adjust_play_mode = rtsp_sink_client_adjust_play_mode;
  client_class->setup_request = rtsp_sink_client_setup_request;
  client_class->play_request = rtsp_sink_client_play_request;
  client_class->pre_play_request = rtsp_sink_client_pre_play_request;
  client_class->pre_pause_request = rtsp_sink_client_pre_pause_request;
  client_class->adjust_play_response = rtsp_sink_client_adjust_play_response;
  client_class->make_path_from_uri = rtsp_sink_client_make_path_from_uri;
}

static void
rtsp_sink_client_init (RtspSinkClient * self)
{
  g_weak_ref_init (&self->socket, NULL);
  g_weak_ref_init (&self->joined, NULL);
  self->sessions = rtsp_sink_sessions_new ();
  self->mounts = g_ptr_array_new_with_free_func (unref_mount);
  self->played = g_ptr_array_new ();
  gst_rtsp_client_set_session_pool (GST_RTSP_CLIENT (self), self->sessions);
}

/**
 * rtsp_sink_client_new:
 * @http: see rtsp_sink_client_is_http()
 *
 * Returns: (transfer full): a client without connection
 */
RtspSinkClient *
rtsp_sink_client_new (const RtspSinkClientFuncs * funcs, gpointer user_data,
    GDestroyNotify free_user_data, gboolean http)
{
  RtspSinkClient *self = g_object_new (RTSP_SINK_TYPE_CLIENT, NULL);

  self->funcs = *funcs;
  self->user_data = user_data;
  self->free_user_data = free_user_data;
  self->http = http;
  return self;
}
