/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The RTSP sessions that one viewer began (RFC 2326, 3.4): how long they live
 * without a sign of life, and that they end with the viewer. Viewer's
 * thread. */

#include "server/sessions.h"

#include "server/mountpath.h"

guint rtsp_sink_sessions_extra_timeout = 15;

/* How many one viewer may have: one for each stream that it watches. */
#define MAX_SESSIONS 16

/**
 * rtsp_sink_sessions_new:
 *
 * Each viewer has a pool of its own: the library answers 454 to a session of
 * another one in any request, and overlooks it in a response, before it does
 * anything with it. Another connection could otherwise end it, or take it along
 * when it closes.
 *
 * Returns: (transfer full): where the library keeps the sessions of one viewer
 */
GstRTSPSessionPool *
rtsp_sink_sessions_new (void)
{
  return gst_rtsp_session_pool_new ();
}

/**
 * rtsp_sink_sessions_are_too_many:
 *
 * A session that does not play holds descriptors.
 *
 * Returns: whether the viewer of @sessions may begin none any more
 */
gboolean
rtsp_sink_sessions_are_too_many (GstRTSPSessionPool * sessions)
{
  return gst_rtsp_session_pool_get_n_sessions (sessions) >= MAX_SESSIONS;
}

/**
 * rtsp_sink_sessions_set_up:
 * @session: a new one
 * @timeout: in seconds
 *
 * Relays as Janus send no keep-alive unless they are told the timeout, and a
 * viewer may be late with its own.
 */
void
rtsp_sink_sessions_set_up (GstRTSPSession * session, guint timeout)
{
  gst_rtsp_session_set_timeout (session, timeout);
  g_object_set (session, "timeout-always-visible", TRUE,
      "extra-timeout", rtsp_sink_sessions_extra_timeout, NULL);
}

static void
keep_alive (gpointer weak_ref)
{
  g_autoptr (GstRTSPSession) session = g_weak_ref_get (weak_ref);

  if (session != NULL)
    gst_rtsp_session_touch (session);
}

static void
free_weak_ref (gpointer weak_ref)
{
  g_weak_ref_clear (weak_ref);
  g_free (weak_ref);
}

/**
 * rtsp_sink_sessions_kept_alive_by:
 * @transport: that was just set up: nothing comes or goes by it yet
 *
 * What comes by @transport, and over TCP what goes, is a sign of life. The
 * library's own function has the session without a reference, and other threads
 * call it while the session ends (up to 1.28).
 */
void
rtsp_sink_sessions_kept_alive_by (GstRTSPSession * session,
    GstRTSPStreamTransport * transport)
{
  GWeakRef *weak_ref = g_new (GWeakRef, 1);

  g_weak_ref_init (weak_ref, session);
  gst_rtsp_stream_transport_set_keepalive (transport, keep_alive, weak_ref,
      free_weak_ref);
}

static GstRTSPFilterResult
count_live (GstRTSPClient * client, GstRTSPSession * session,
    gpointer user_data)
{
  gint *stats = user_data;

  if (gst_rtsp_session_is_expired_usec (session, g_get_monotonic_time ()))
    stats[0]++;
  else
    stats[1]++;
  return GST_RTSP_FILTER_KEEP;
}

/**
 * rtsp_sink_sessions_are_expired:
 *
 * Any thread.
 *
 * Returns: whether @client has sessions, and all have timed out
 */
gboolean
rtsp_sink_sessions_are_expired (GstRTSPClient * client)
{
  gint stats[2] = { 0, 0 };

  gst_rtsp_client_session_filter (client, count_live, stats);
  return stats[0] > 0 && stats[1] == 0;
}

/**
 * rtsp_sink_sessions_dup_media:
 * @ctx: of a request
 *
 * Returns: (transfer full) (nullable): what the request is for, if that is part
 *   of its session already
 */
GstRTSPSessionMedia *
rtsp_sink_sessions_dup_media (GstRTSPContext * ctx)
{
  g_autofree gchar *path = rtsp_sink_mount_path_from_request (ctx->uri);
  gint matched;

  return ctx->session != NULL ?
      gst_rtsp_session_dup_media (ctx->session, path, &matched) : NULL;
}

/**
 * rtsp_sink_sessions_has_transport:
 * @by: one lower transport, or several
 *
 * Returns: whether a stream of @media is set up by one of these
 */
gboolean
rtsp_sink_sessions_has_transport (GstRTSPSessionMedia * media,
    GstRTSPLowerTrans by)
{
  guint n = gst_rtsp_media_n_streams (gst_rtsp_session_media_get_media (media));

  for (guint i = 0; i < n; i++) {
    GstRTSPStreamTransport *transport =
        gst_rtsp_session_media_get_transport (media, i);

    if (transport != NULL && (by &
            gst_rtsp_stream_transport_get_transport
            (transport)->lower_transport) != 0)
      return TRUE;
  }
  return FALSE;
}

static GstRTSPFilterResult
remove_session (GstRTSPSessionPool * sessions, GstRTSPSession * session,
    gpointer user_data)
{
  return GST_RTSP_FILTER_REMOVE;
}

/**
 * rtsp_sink_sessions_forget:
 *
 * The viewer of @sessions is being finalized. Nobody else does so: the pool
 * forgets a session that times out only when it is asked to, and may not be asked
 * while the session's client lives.
 */
void
rtsp_sink_sessions_forget (GstRTSPSessionPool * sessions)
{
  g_list_free_full (gst_rtsp_session_pool_filter (sessions, remove_session,
          NULL), g_object_unref);
}
