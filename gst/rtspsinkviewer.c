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

#include "rtspsinkviewer.h"

#include "rtspsinkdescriptors.h"
#include "rtspsinkpath.h"

#include <linux/sockios.h>
/* Not <netinet/tcp.h>: its struct tcp_info lacks tcpi_bytes_acked. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_viewer_debug);
#define GST_CAT_DEFAULT rtsp_sink_viewer_debug

/* How long a DESCRIBE waits for the first frame. */
#define READY_TIME (2 * G_TIME_SPAN_SECOND)

/* Bounds how old a picture can get in the socket of a slow viewer. */
#define SEND_BUFFER (512 * 1024)

/* A TCP viewer that takes nothing at all for so long is gone. */
#define STALL_TIME (10 * G_TIME_SPAN_SECOND)

/* How many seconds beyond the announced timeout a session lives on. */
#define EXTRA_TIMEOUT 15

struct _RtspSinkViewer
{
  GstRTSPClient parent;

  /* Constant after construction. */
  RtspSinkViewerFuncs funcs;
  gpointer user_data;
  GDestroyNotify free_user_data;

  GMainContext *context;        /* atomic; set once, before the viewer runs */

  /* Viewer's thread only. */
  GPtrArray *sessions;          /* of GstRTSPSession, that it began */
  gboolean closed;
  guint64 acked;                /* bytes that the peer has taken in all */
  gint64 progress;              /* when it last took something, or 0 */
};

G_DEFINE_FINAL_TYPE (RtspSinkViewer, rtsp_sink_viewer, GST_TYPE_RTSP_CLIENT);

static GstRTSPStatusCode
rtsp_sink_viewer_pre_describe_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (client);
  g_autofree gchar *path = rtsp_sink_path_from_request (ctx->uri->abspath);
  RtspSinkMount *mount = self->funcs.enter (self, path, self->user_data);

  /* The library answers 404. */
  if (mount == NULL)
    return GST_RTSP_STS_OK;

  if (self->funcs.ready (mount, self, g_get_monotonic_time () + READY_TIME,
          self->user_data))
    return GST_RTSP_STS_OK;

  GST_INFO_OBJECT (self, "503 for '%s': there is no frame yet", path);
  return GST_RTSP_STS_SERVICE_UNAVAILABLE;
}

/* The factory makes no media when there is no frame yet, or no descriptor for
 * one. A SETUP can be a bad request, too. */
static GstRTSPStatusCode
rtsp_sink_viewer_adjust_error_code (GstRTSPClient * client,
    GstRTSPContext * ctx, GstRTSPStatusCode code)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (client);
  g_autofree gchar *path = NULL;
  RtspSinkMount *mount;

  if (code != GST_RTSP_STS_BAD_REQUEST || ctx->uri == NULL
      || ctx->media != NULL || (ctx->method != GST_RTSP_SETUP
          && ctx->method != GST_RTSP_DESCRIBE))
    return code;

  path = rtsp_sink_path_from_request (ctx->uri->abspath);
  mount = self->funcs.enter (self, path, self->user_data);
  if (mount != NULL && (ctx->method == GST_RTSP_DESCRIBE
          || rtsp_sink_descriptors_are_scarce ()
          || !self->funcs.ready (mount, self, 0, self->user_data)))
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  return code;
}

/* SETUP without DESCRIBE: the mount shall know its viewer nevertheless. */
static gchar *
rtsp_sink_viewer_make_path_from_uri (GstRTSPClient * client,
    const GstRTSPUrl * uri)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (client);
  gchar *path = rtsp_sink_path_from_request (uri->abspath);

  self->funcs.enter (self, path, self->user_data);
  return path;
}

static void
rtsp_sink_viewer_closed (GstRTSPClient * client)
{
  RTSP_SINK_VIEWER (client)->closed = TRUE;
}

/* Relays as Janus send no keep-alive unless they are told the timeout, and a
 * viewer may be late with its own. */
static void
rtsp_sink_viewer_new_session (GstRTSPClient * client, GstRTSPSession * session)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (client);

  g_object_set (session, "timeout-always-visible", TRUE,
      "extra-timeout", EXTRA_TIMEOUT, NULL);
  g_ptr_array_add (self->sessions, g_object_ref (session));
}

/* There is one speed: that of now. The library's 1.22 aborts the process on
 * some rates (CVE-2024-44331; fixed in 1.24.9). */
static GstRTSPStatusCode
rtsp_sink_viewer_adjust_play_mode (GstRTSPClient * client,
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

/* What is fed after the viewer got its answer is the viewer's: its media is
 * opened before. */
static GstRTSPStatusCode
rtsp_sink_viewer_adjust_play_response (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (client);
  g_autofree gchar *path = rtsp_sink_path_from_request (ctx->uri->abspath);
  RtspSinkMount *mount = self->funcs.enter (self, path, self->user_data);

  if (mount == NULL)
    return GST_RTSP_STS_SERVICE_UNAVAILABLE;
  self->funcs.play (mount, ctx->media);
  return GST_RTSP_STS_OK;
}

static GstRTSPStatusCode
rtsp_sink_viewer_pre_pause_request (GstRTSPClient * client,
    GstRTSPContext * ctx)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (client);
  g_autofree gchar *path = rtsp_sink_path_from_request (ctx->uri->abspath);
  RtspSinkMount *mount = self->funcs.enter (self, path, self->user_data);

  /* The library sets ctx->media only later. */
  if (mount != NULL)
    self->funcs.pause (mount,
        gst_rtsp_session_media_get_media (ctx->sessmedia));
  return GST_RTSP_STS_OK;
}

static gint
write_socket (RtspSinkViewer * self)
{
  GstRTSPConnection *connection =
      gst_rtsp_client_get_connection (GST_RTSP_CLIENT (self));
  GSocket *socket = gst_rtsp_connection_get_write_socket (connection);

  return socket != NULL ? g_socket_get_fd (socket) : -1;
}

/**
 * rtsp_sink_viewer_set_up_socket:
 *
 * Server's thread, before the viewer runs.
 */
void
rtsp_sink_viewer_set_up_socket (RtspSinkViewer * self)
{
  gint fd = write_socket (self);
  gint one = 1, size = SEND_BUFFER;

  if (fd < 0)
    return;
  /* Without it the first packets wait 40 ms for an ACK (RFC 896). */
  setsockopt (fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt (fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

/**
 * rtsp_sink_viewer_set_context:
 * @context: where the viewer's requests run
 *
 * Once. Server's thread, before the viewer runs.
 */
void
rtsp_sink_viewer_set_context (RtspSinkViewer * self, GMainContext * context)
{
  g_atomic_pointer_set (&self->context, g_main_context_ref (context));
}

/**
 * rtsp_sink_viewer_get_context:
 *
 * Any thread.
 *
 * Returns: (transfer none) (nullable): where the viewer's requests run, NULL
 *   before they do
 */
GMainContext *
rtsp_sink_viewer_get_context (RtspSinkViewer * self)
{
  return g_atomic_pointer_get (&self->context);
}

static void
free_weak_ref (gpointer weak_ref)
{
  g_weak_ref_clear (weak_ref);
  g_free (weak_ref);
}

/* Runs @job on the viewer's thread, with a weak reference to the viewer: a
 * strong one in a source of the viewer's own context would be a cycle once
 * that context no longer runs. Any thread. */
static void
run_soon (RtspSinkViewer * self, GSourceFunc job, const gchar * name)
{
  GWeakRef *weak_ref = g_new (GWeakRef, 1);
  GSource *source = g_idle_source_new ();

  g_weak_ref_init (weak_ref, self);
  g_source_set_static_name (source, name);
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, job, weak_ref, free_weak_ref);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

/* The library forgets its watch before it takes the senders' functions away:
 * do that first, so that none is inside. */
static void
close_client (RtspSinkViewer * self)
{
  GstRTSPClient *client = GST_RTSP_CLIENT (self);

  gst_rtsp_client_set_send_func (client, NULL, NULL, NULL);
  gst_rtsp_client_set_send_messages_func (client, NULL, NULL, NULL);
  gst_rtsp_client_close (client);
}

static gboolean
close_now (gpointer weak_ref)
{
  g_autoptr (RtspSinkViewer) self = g_weak_ref_get (weak_ref);

  if (self != NULL)
    close_client (self);
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_viewer_close:
 *
 * Closes the connection soon. Any thread.
 */
void
rtsp_sink_viewer_close (RtspSinkViewer * self)
{
  run_soon (self, close_now, "rtspserversink-close-viewer");
}

static gboolean
run_nothing (gpointer viewer)
{
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_viewer_outlive_closes:
 *
 * When sending to a closed connection fails, the library queues a close of a
 * client that it holds no reference to (still so in 1.28). Once the viewer is
 * closed none of its media sends any more, so a reference is needed only until
 * what is queued by now has run. With the same priority as that, for the
 * context may end after.
 */
void
rtsp_sink_viewer_outlive_closes (RtspSinkViewer * self)
{
  GSource *source = g_idle_source_new ();

  g_source_set_static_name (source, "rtspserversink-outlive-closes");
  g_source_set_callback (source, run_nothing, g_object_ref (self),
      g_object_unref);
  g_source_attach (source, self->context);
  g_source_unref (source);
}

static GstRTSPFilterResult
count_live_sessions (GstRTSPClient * client, GstRTSPSession * session,
    gpointer user_data)
{
  gint *counts = user_data;

  if (gst_rtsp_session_is_expired_usec (session, g_get_monotonic_time ()))
    counts[0]++;
  else
    counts[1]++;
  return GST_RTSP_FILTER_KEEP;
}

static gboolean
is_expired (RtspSinkViewer * self)
{
  gint counts[2] = { 0, 0 };

  gst_rtsp_client_session_filter (GST_RTSP_CLIENT (self),
      count_live_sessions, counts);
  return counts[0] > 0 && counts[1] == 0;
}

/* Counted by what the peer has acknowledged, not by what was written: a
 * socket that is full may be full of old data. */
static gboolean
is_stalled (RtspSinkViewer * self, gint64 now)
{
  gint fd = write_socket (self);
  struct tcp_info info = { 0, };
  socklen_t len = sizeof info;
  gint unsent = 0;

  if (fd < 0 || ioctl (fd, SIOCOUTQ, &unsent) < 0
      || getsockopt (fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
    return FALSE;

  if (unsent == 0 || self->progress == 0 || info.tcpi_bytes_acked > self->acked)
    self->progress = now;
  self->acked = info.tcpi_bytes_acked;

  return now - self->progress > STALL_TIME;
}

static gboolean
check_now (gpointer weak_ref)
{
  g_autoptr (RtspSinkViewer) self = g_weak_ref_get (weak_ref);
  const gchar *reason = NULL;

  if (self == NULL || self->closed)
    return G_SOURCE_REMOVE;

  if (is_expired (self))
    reason = "its session timed out";
  else if (is_stalled (self, g_get_monotonic_time ()))
    reason = "it takes nothing any more";

  if (reason != NULL) {
    GST_INFO_OBJECT (self, "closing: %s", reason);
    close_client (self);
  }
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_viewer_check:
 *
 * Closes the viewer soon if it shows no life any more. Any thread.
 */
void
rtsp_sink_viewer_check (RtspSinkViewer * self)
{
  run_soon (self, check_now, "rtspserversink-check-viewer");
}

/* Nobody else does: the pool forgets a session that times out only when it is
 * asked to, and may not be asked while the session's client lives. */
static void
forget_sessions (RtspSinkViewer * self)
{
  g_autoptr (GstRTSPSessionPool) pool =
      gst_rtsp_client_get_session_pool (GST_RTSP_CLIENT (self));

  for (guint i = 0; pool != NULL && i < self->sessions->len; i++)
    gst_rtsp_session_pool_remove (pool, g_ptr_array_index (self->sessions, i));
  g_ptr_array_unref (self->sessions);
}

static void
rtsp_sink_viewer_finalize (GObject * object)
{
  RtspSinkViewer *self = RTSP_SINK_VIEWER (object);

  forget_sessions (self);

  g_clear_pointer (&self->context, g_main_context_unref);
  self->free_user_data (self->user_data);
  G_OBJECT_CLASS (rtsp_sink_viewer_parent_class)->finalize (object);
}

static void
rtsp_sink_viewer_class_init (RtspSinkViewerClass * klass)
{
  GstRTSPClientClass *client_class = GST_RTSP_CLIENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_viewer_debug, "rtspserversink-viewer", 0,
      "rtspserversink: one connected viewer");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_viewer_finalize;
  client_class->pre_describe_request = rtsp_sink_viewer_pre_describe_request;
  client_class->adjust_error_code = rtsp_sink_viewer_adjust_error_code;
  client_class->closed = rtsp_sink_viewer_closed;
  client_class->new_session = rtsp_sink_viewer_new_session;
  client_class->adjust_play_mode = rtsp_sink_viewer_adjust_play_mode;
  client_class->pre_pause_request = rtsp_sink_viewer_pre_pause_request;
  client_class->adjust_play_response = rtsp_sink_viewer_adjust_play_response;
  client_class->make_path_from_uri = rtsp_sink_viewer_make_path_from_uri;
}

static void
rtsp_sink_viewer_init (RtspSinkViewer * self)
{
  self->sessions = g_ptr_array_new_with_free_func (g_object_unref);
}

/**
 * rtsp_sink_viewer_new:
 *
 * Returns: (transfer full): a client without connection
 */
RtspSinkViewer *
rtsp_sink_viewer_new (const RtspSinkViewerFuncs * funcs, gpointer user_data,
    GDestroyNotify free_user_data)
{
  RtspSinkViewer *self = g_object_new (RTSP_TYPE_SINK_VIEWER, NULL);

  self->funcs = *funcs;
  self->user_data = user_data;
  self->free_user_data = free_user_data;
  return self;
}
