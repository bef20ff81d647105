/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The one gate for all requests. The library asks it when it has found the URL
 * and the session of a request, before it reads any other header or calls a
 * method's handler.
 *
 *  - What is not served is answered here: methods, versions, paths, transports.
 *  - Headers that mean nothing here are taken out, so that no parser reads them:
 *    KeyMgmt, Seek-Style, Blocksize, Accept-Ranges and all others.
 *  - What clients write in several ways is brought into the library's: the
 *    alternatives of a Transport, the URL of a method for the whole stream.
 *
 * Has no state. Viewers' threads. */

#include "server/gate.h"

#include <string.h>

#include "server/mountpath.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_gate_debug);
#define GST_CAT_DEFAULT rtsp_sink_gate_debug

/* As many as there are ways to send, and some to spare. */
#define MAX_TRANSPORTS 16

struct _RtspSinkGate
{
  GstRTSPAuth parent;
};

G_DEFINE_FINAL_TYPE (RtspSinkGate, rtsp_sink_gate, GST_TYPE_RTSP_AUTH);

/* What is read of a request. */
static const GstRTSPHeaderField served_headers[] = {
  GST_RTSP_HDR_CSEQ, GST_RTSP_HDR_SESSION, GST_RTSP_HDR_REQUIRE,
  GST_RTSP_HDR_ACCEPT, GST_RTSP_HDR_TRANSPORT, GST_RTSP_HDR_RANGE,
  GST_RTSP_HDR_SCALE, GST_RTSP_HDR_SPEED
};

/* What is read of a transport. The library puts others into a g_warning(). */
static const gchar *const served_parameters[] = {
  "unicast", "multicast", "interleaved=", "client_port=", "port=", "ttl=",
  "mode="
};

/* Returns: FALSE: the request is answered */
static gboolean
answer (GstRTSPContext * ctx, GstRTSPStatusCode status)
{
  GST_INFO_OBJECT (ctx->client, "%u %s", status,
      gst_rtsp_status_as_text (status));
  gst_rtsp_message_init_response (ctx->response, status,
      gst_rtsp_status_as_text (status), ctx->request);
  if (status == GST_RTSP_STS_METHOD_NOT_ALLOWED)
    gst_rtsp_message_take_header (ctx->response, GST_RTSP_HDR_ALLOW,
        gst_rtsp_options_as_text (RTSP_SINK_GATE_METHODS));
  gst_rtsp_client_send_message (ctx->client, NULL, ctx->response);
  return FALSE;
}

static gboolean
is_served (GstRTSPHeaderField field)
{
  for (gsize i = 0; i < G_N_ELEMENTS (served_headers); i++) {
    if (served_headers[i] == field)
      return TRUE;
  }
  return FALSE;
}

static void
take_out_headers (GstRTSPMessage * request)
{
  for (guint field = GST_RTSP_HDR_INVALID + 1; field < GST_RTSP_HDR_LAST;
      field++) {
    if (!is_served (field))
      gst_rtsp_message_remove_header (request, field, -1);
  }
}

/* --- transports --- */

/* @parameter is a name, or a name, "=" and a value. */
static gboolean
is_served_parameter (const gchar * parameter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (served_parameters); i++) {
    const gchar *served = served_parameters[i];
    gsize length = strlen (served);

    if (g_ascii_strncasecmp (parameter, served, length) == 0
        && (served[length - 1] == '=' || parameter[length] == '\0'))
      return TRUE;
  }
  return FALSE;
}

/* Without parameters that the library does not know, and without spaces, which
 * it takes for part of them. */
static gchar *
clean_transport (const gchar * text)
{
  g_auto (GStrv) parameters = g_strsplit (text, ";", -1);
  GString *clean = g_string_new (NULL);

  for (gsize i = 0; parameters[i] != NULL; i++) {
    g_strstrip (parameters[i]);
    if (i == 0)
      g_string_append (clean, parameters[i]);
    else if (is_served_parameter (parameters[i]))
      g_string_append_printf (clean, ";%s", parameters[i]);
  }
  return g_string_free (clean, FALSE);
}

static gboolean
is_offered (const gchar * text, GstRTSPMediaFactory * factory)
{
  GstRTSPTransport transport = { 0, };

  /* What clean_transport() leaves allocates nothing. */
  if (gst_rtsp_transport_parse (text, &transport) != GST_RTSP_OK
      || transport.trans != GST_RTSP_TRANS_RTP || transport.mode_record)
    return FALSE;
  /* There is no port to send to. */
  if (transport.lower_transport == GST_RTSP_LOWER_TRANS_UDP
      && transport.client_port.min <= 0)
    return FALSE;
  return (transport.lower_transport
      & gst_rtsp_media_factory_get_protocols (factory)) != 0
      && (transport.profile
      & gst_rtsp_media_factory_get_profiles (factory)) != 0;
}

/* The first that is offered, as the client prefers it (RFC 2326, 12.39). NULL:
 * none is. The library reads the first alternative alone. */
static gchar *
choose_transport (GstRTSPMessage * request, GstRTSPMediaFactory * factory)
{
  gchar *text;

  for (gint i = 0; i < MAX_TRANSPORTS
      && gst_rtsp_message_get_header (request, GST_RTSP_HDR_TRANSPORT, &text,
          i) == GST_RTSP_OK; i++) {
    g_autofree gchar *clean = clean_transport (text);

    if (is_offered (clean, factory))
      return g_steal_pointer (&clean);
  }
  return NULL;
}

/* --- paths --- */

static GstRTSPMediaFactory *
find_factory (GstRTSPContext * ctx)
{
  g_autoptr (GstRTSPMountPoints) mounts =
      gst_rtsp_client_get_mount_points (ctx->client);
  g_autofree gchar *path = rtsp_sink_mount_path_from_request (ctx->uri);
  gint matched;

  return gst_rtsp_mount_points_match (mounts, path, &matched);
}

static gboolean
check_describe (GstRTSPContext * ctx)
{
  g_autoptr (GstRTSPMediaFactory) factory = find_factory (ctx);

  return factory != NULL || answer (ctx, GST_RTSP_STS_NOT_FOUND);
}

static gboolean
check_setup (GstRTSPContext * ctx)
{
  g_autoptr (GstRTSPMediaFactory) factory = find_factory (ctx);
  gchar *transport;

  if (factory == NULL)
    return answer (ctx, GST_RTSP_STS_NOT_FOUND);
  transport = choose_transport (ctx->request, factory);
  if (transport == NULL)
    return answer (ctx, GST_RTSP_STS_UNSUPPORTED_TRANSPORT);

  gst_rtsp_message_remove_header (ctx->request, GST_RTSP_HDR_TRANSPORT, -1);
  gst_rtsp_message_take_header (ctx->request, GST_RTSP_HDR_TRANSPORT,
      transport);
  return TRUE;
}

/* Whether this stream of @media is set up; if @alone, and no other one. */
static gboolean
is_set_up (GstRTSPSessionMedia * media, const gchar * control, gboolean alone)
{
  guint n = gst_rtsp_media_n_streams (gst_rtsp_session_media_get_media (media));
  gboolean found = FALSE;

  for (guint i = 0; i < n; i++) {
    GstRTSPStreamTransport *transport =
        gst_rtsp_session_media_get_transport (media, i);

    if (transport == NULL)
      continue;
    if (gst_rtsp_stream_has_control (gst_rtsp_stream_transport_get_stream
            (transport), control))
      found = TRUE;
    else if (alone)
      return FALSE;
  }
  return found;
}

/* Whether a request for @control, a stream of @media, is taken for all of @media.
 * PLAY is: all that is set up plays. PAUSE and TEARDOWN of one stream among several
 * are not (RFC 2326, 11.3.9: 460). */
static gboolean
means_all (GstRTSPContext * ctx, GstRTSPSessionMedia * media,
    const gchar * control)
{
  return g_str_equal (control, "*")
      || is_set_up (media, control, ctx->method != GST_RTSP_PLAY);
}

/* The path of the only media that the session watches, or NULL. */
static gchar *
dup_only_path (GstRTSPSession * session)
{
  GList *all = gst_rtsp_session_filter (session, NULL, NULL);
  gchar *path = NULL;
  guint n;

  if (all != NULL && all->next == NULL) {
    n = gst_rtsp_media_n_streams (gst_rtsp_session_media_get_media (all->data));
    for (guint i = 0; path == NULL && i < n; i++) {
      GstRTSPStreamTransport *transport =
          gst_rtsp_session_media_get_transport (all->data, i);

      if (transport != NULL)
        path = rtsp_sink_mount_path_from_request
            (gst_rtsp_stream_transport_get_url (transport));
    }
  }
  g_list_free_full (all, g_object_unref);
  return path;
}

static void
set_path (GstRTSPUrl * uri, gchar * path)
{
  g_free (uri->abspath);
  uri->abspath = path;
  g_clear_pointer (&uri->query, g_free);
}

/* PLAY, PAUSE, TEARDOWN: their URL is that of the whole stream. Small clients
 * write that of a track, or none. */
static gboolean
check_aggregate (GstRTSPContext * ctx)
{
  g_autoptr (GstRTSPSessionMedia) media = NULL;
  g_autofree gchar *path = NULL;
  gboolean whole;
  gint matched;

  /* The library answers 454. */
  if (ctx->session == NULL)
    return TRUE;

  path = rtsp_sink_mount_path_from_request (ctx->uri);
  media = gst_rtsp_session_dup_media (ctx->session, path, &matched);
  whole = media == NULL && g_str_equal (path, "/");
  if (whole) {
    g_free (path);
    path = dup_only_path (ctx->session);
    if (path != NULL)
      media = gst_rtsp_session_dup_media (ctx->session, path, &matched);
  }
  if (media == NULL)
    return answer (ctx, GST_RTSP_STS_NOT_FOUND);
  if (whole || path[matched] == '\0'
      || means_all (ctx, media, path + matched + (matched > 1 ? 1 : 0)))
    set_path (ctx->uri, g_strndup (path, matched));
  return TRUE;
}

static gboolean
check_request (GstRTSPContext * ctx)
{
  GstRTSPMessage *request = ctx->request;

  /* The answer is to be of a version that is served (RFC 2326, 7.1). */
  if (request->type_data.request.version != GST_RTSP_VERSION_1_0) {
    request->type_data.request.version = GST_RTSP_VERSION_1_0;
    return answer (ctx, GST_RTSP_STS_RTSP_VERSION_NOT_SUPPORTED);
  }
  take_out_headers (request);

  switch (ctx->method) {
    case GST_RTSP_OPTIONS:
    case GST_RTSP_GET_PARAMETER:
    case GST_RTSP_SET_PARAMETER:
      return TRUE;
    case GST_RTSP_DESCRIBE:
    case GST_RTSP_SETUP:
    case GST_RTSP_PLAY:
    case GST_RTSP_PAUSE:
    case GST_RTSP_TEARDOWN:
      break;
    case GST_RTSP_ANNOUNCE:
    case GST_RTSP_RECORD:
    case GST_RTSP_REDIRECT:
      return answer (ctx, GST_RTSP_STS_METHOD_NOT_ALLOWED);
    default:
      return answer (ctx, GST_RTSP_STS_NOT_IMPLEMENTED);
  }

  /* The URL "*". */
  if (ctx->uri == NULL)
    return answer (ctx, GST_RTSP_STS_BAD_REQUEST);
  if (ctx->method == GST_RTSP_DESCRIBE)
    return check_describe (ctx);
  if (ctx->method == GST_RTSP_SETUP)
    return check_setup (ctx);
  return check_aggregate (ctx);
}

static gboolean
rtsp_sink_gate_check (GstRTSPAuth * auth, GstRTSPContext * ctx,
    const gchar * check)
{
  if (g_str_equal (check, GST_RTSP_AUTH_CHECK_URL))
    return check_request (ctx);

  /* As the library does without this object: all is allowed, but that a client
   * chooses where packets go. */
  return !g_str_equal (check, GST_RTSP_AUTH_CHECK_TRANSPORT_CLIENT_SETTINGS);
}

static void
rtsp_sink_gate_class_init (RtspSinkGateClass * klass)
{
  GST_DEBUG_CATEGORY_INIT (rtsp_sink_gate_debug, "rtspserversink-gate", 0,
      "rtspserversink: requests, before they are served");

  GST_RTSP_AUTH_CLASS (klass)->check = rtsp_sink_gate_check;
}

static void
rtsp_sink_gate_init (RtspSinkGate * self)
{
}

/**
 * rtsp_sink_gate_new:
 *
 * Returns: (transfer full): a gate, for any number of clients
 */
GstRTSPAuth *
rtsp_sink_gate_new (void)
{
  return g_object_new (RTSP_SINK_TYPE_GATE, NULL);
}
