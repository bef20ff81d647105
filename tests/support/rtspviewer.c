/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The viewer's requests and its receiving loop; see rtspviewer.h. What comes in
 * goes to the record (rtsprecord.c), UDP sockets are in udppair.c, what the
 * methods mean is in rtspviewermethods.c.
 */

#include "rtspviewer-private.h"

#include <gio/gnetworking.h>

#define DEFAULT_TIMEOUT (10 * G_USEC_PER_SEC)
/* The rest of a message whose first byte has come. */
#define MESSAGE_TIMEOUT (5 * G_USEC_PER_SEC)

/* Not G_DEFINE_QUARK: its static is set by several viewers' threads at once. */
GQuark
rtsp_viewer_error_quark (void)
{
  return g_quark_from_static_string ("rtsp-viewer-error-quark");
}

RtspViewer *
rtsp_viewer_new (const gchar * url)
{
  RtspViewer *viewer = g_new0 (RtspViewer, 1);

  viewer->url = g_strdup (url);
  viewer->timeout = DEFAULT_TIMEOUT;
  viewer->ssrc = g_random_int ();
  viewer->record = rtsp_record_new ();
  viewer->streams = RTSP_VIEWER_VIDEO;
  rtsp_viewer_audio_init (&viewer->audio);
  return viewer;
}

void
rtsp_viewer_free (RtspViewer * viewer)
{
  if (viewer == NULL)
    return;
  rtsp_viewer_close (viewer);
  g_clear_pointer (&viewer->response, gst_rtsp_message_free);
  g_clear_pointer (&viewer->sdp, gst_sdp_message_free);
  g_clear_pointer (&viewer->transport, gst_rtsp_transport_free);
  udp_pair_free (viewer->udp);
  rtsp_rtp_info_clear (&viewer->rtp_info);
  rtsp_record_free (viewer->record);
  rtsp_viewer_audio_clear (&viewer->audio);
  g_free (viewer->base_url);
  g_free (viewer->url);
  g_free (viewer);
}

void
rtsp_viewer_set_timeout (RtspViewer * viewer, gint64 timeout)
{
  viewer->timeout = timeout;
}

void
rtsp_viewer_set_report_interval (RtspViewer * viewer, gint64 interval)
{
  viewer->report_interval = interval;
}

guint32
rtsp_viewer_ssrc (const RtspViewer * viewer)
{
  return viewer->ssrc;
}

void
rtsp_viewer_set_tunneled (RtspViewer * viewer, gboolean tunneled)
{
  viewer->tunneled = tunneled;
}

void
rtsp_viewer_set_client_port (RtspViewer * viewer, guint16 port)
{
  viewer->client_port = port;
}

static gboolean
fail_result (GError ** error, const gchar * what, GstRTSPResult result)
{
  g_autofree gchar *reason = gst_rtsp_strresult (result);
  gint code = RTSP_VIEWER_ERROR_NETWORK;

  if (result == GST_RTSP_ETIMEOUT)
    code = RTSP_VIEWER_ERROR_TIMEOUT;
  else if (result == GST_RTSP_EEOF)
    code = RTSP_VIEWER_ERROR_CLOSED;
  else if (result == GST_RTSP_EPARSE)
    code = RTSP_VIEWER_ERROR_PROTOCOL;
  g_set_error (error, RTSP_VIEWER_ERROR, code, "%s: %s", what, reason);
  return FALSE;
}

gboolean
rtsp_viewer_connect (RtspViewer * viewer, GError ** error)
{
  GstRTSPUrl *url = NULL;
  GstRTSPResult result = gst_rtsp_url_parse (viewer->url, &url);

  if (result != GST_RTSP_OK)
    return fail_result (error, viewer->url, result);
  result = gst_rtsp_connection_create (url, &viewer->connection);
  gst_rtsp_url_free (url);
  if (result == GST_RTSP_OK) {
    gst_rtsp_connection_set_tls_validation_flags (viewer->connection, 0);
    gst_rtsp_connection_set_tunneled (viewer->connection, viewer->tunneled);
    result = gst_rtsp_connection_connect_usec (viewer->connection,
        viewer->timeout);
  }
  if (result == GST_RTSP_OK)
    return TRUE;
  g_clear_pointer (&viewer->connection, gst_rtsp_connection_free);
  return fail_result (error, "connecting", result);
}

void
rtsp_viewer_close (RtspViewer * viewer)
{
  if (viewer->connection == NULL)
    return;
  gst_rtsp_connection_close (viewer->connection);
  g_clear_pointer (&viewer->connection, gst_rtsp_connection_free);
}

static void
drop_at_close (GSocket * socket)
{
  struct linger at_once = {.l_onoff = 1,.l_linger = 0 };

  setsockopt (g_socket_get_fd (socket), SOL_SOCKET, SO_LINGER, &at_once,
      sizeof at_once);
}

void
rtsp_viewer_reset (RtspViewer * viewer)
{
  if (viewer->connection == NULL)
    return;
  /* a tunnel has two sockets */
  drop_at_close (gst_rtsp_connection_get_read_socket (viewer->connection));
  drop_at_close (gst_rtsp_connection_get_write_socket (viewer->connection));
  rtsp_viewer_close (viewer);
}

gboolean
rtsp_viewer_is_closed (const RtspViewer * viewer)
{
  return viewer->connection == NULL;
}

void
rtsp_viewer_set_receive_buffer (RtspViewer * viewer, gint bytes)
{
  g_socket_set_option (rtsp_viewer_socket (viewer), SOL_SOCKET, SO_RCVBUF,
      bytes, NULL);
}

GSocket *
rtsp_viewer_socket (RtspViewer * viewer)
{
  return gst_rtsp_connection_get_read_socket (viewer->connection);
}

/* --- one thing that came in --- */

static void
handle_data (RtspViewer * viewer, GstRTSPMessage * message)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GstBuffer) packet = NULL;
  guint8 channel, *data;
  guint size;

  if (gst_rtsp_message_parse_data (message, &channel) != GST_RTSP_OK
      || gst_rtsp_message_steal_body (message, &data, &size) != GST_RTSP_OK)
    return;
  /* GstRTSPMessage puts a 0 byte behind each body and counts it. */
  packet = gst_buffer_new_wrapped_full (0, data, size, 0, MAX (size, 1) - 1,
      data, g_free);
  if (rtsp_viewer_audio_take (viewer, channel, packet, now))
    return;
  if (viewer->transport == NULL)
    viewer->record->n_malformed++;
  else if (channel == viewer->transport->interleaved.min)
    rtsp_record_add_rtp (viewer->record, packet, now);
  else if (channel == viewer->transport->interleaved.max)
    rtsp_record_add_rtcp (viewer->record, packet, now);
  else
    viewer->record->n_malformed++;
}

static void
handle_message (RtspViewer * viewer, GstRTSPMessage * message)
{
  switch (gst_rtsp_message_get_type (message)) {
    case GST_RTSP_MESSAGE_DATA:
      handle_data (viewer, message);
      gst_rtsp_message_free (message);
      break;
    case GST_RTSP_MESSAGE_RESPONSE:
      g_clear_pointer (&viewer->response, gst_rtsp_message_free);
      viewer->response = message;
      viewer->n_responses++;
      break;
    default:
      viewer->n_server_requests++;
      gst_rtsp_message_free (message);
      break;
  }
}

static gboolean
read_message (RtspViewer * viewer, GError ** error)
{
  GstRTSPMessage *message;
  GstRTSPResult result;

  gst_rtsp_message_new (&message);
  result = gst_rtsp_connection_receive_usec (viewer->connection, message,
      MESSAGE_TIMEOUT);
  if (result == GST_RTSP_OK) {
    handle_message (viewer, message);
    return TRUE;
  }
  gst_rtsp_message_free (message);
  rtsp_viewer_close (viewer);
  return fail_result (error, "reading from the server", result);
}

static void
read_datagrams (UdpPair * udp, RtspRecord * record)
{
  gint64 now = g_get_monotonic_time ();
  GstBuffer *packet;

  while ((packet = udp_pair_receive (udp->rtp)) != NULL) {
    rtsp_record_add_rtp (record, packet, now);
    gst_buffer_unref (packet);
  }
  while ((packet = udp_pair_receive (udp->rtcp)) != NULL) {
    rtsp_record_add_rtcp (record, packet, now);
    gst_buffer_unref (packet);
  }
}

/* --- waiting --- */

/* TLS may hold data that the socket no longer shows. */
static gboolean
tls_has_data (RtspViewer * viewer)
{
  GTlsConnection *tls;

  if (!g_str_has_prefix (viewer->url, "rtsps"))
    return FALSE;
  tls = gst_rtsp_connection_get_tls (viewer->connection, NULL);
  return tls != NULL
      && g_pollable_input_stream_is_readable (G_POLLABLE_INPUT_STREAM
      (g_io_stream_get_input_stream (G_IO_STREAM (tls))));
}

static void
add_fd (GPollFD * fds, guint * n, GSocket * socket)
{
  fds[*n] = (GPollFD) {
  .fd = g_socket_get_fd (socket),.events = G_IO_IN};
  (*n)++;
}

static void
add_pair (GPollFD * fds, guint * n, UdpPair * udp)
{
  if (udp == NULL)
    return;
  add_fd (fds, n, udp->rtp);
  add_fd (fds, n, udp->rtcp);
}

static void
read_pair (UdpPair * udp, RtspRecord * record)
{
  if (udp != NULL)
    read_datagrams (udp, record);
}

static gint
milliseconds_until (gint64 deadline)
{
  gint64 left = deadline - g_get_monotonic_time ();

  return left <= 0 ? 0 : (gint) MIN ((left + 999) / 1000, G_MAXINT);
}

static gint64
wake_up_time (RtspViewer * viewer, gint64 deadline)
{
  if (viewer->report_interval > 0)
    deadline = MIN (deadline, viewer->next_report);
  return deadline;
}

static gboolean
fail_closed (GError ** error)
{
  g_set_error_literal (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_CLOSED,
      "the connection is closed");
  return FALSE;
}

/* Waits for anything to come in, takes in some of it. FALSE if the connection
 * ended; a passed deadline is TRUE. */
static gboolean
receive_some (RtspViewer * viewer, gint64 deadline, GError ** error)
{
  GPollFD fds[5] = { {0,}, };
  guint n = 0;
  gboolean buffered = FALSE;

  if (viewer->connection == NULL && viewer->udp == NULL
      && viewer->audio.udp == NULL)
    return fail_closed (error);
  add_pair (fds, &n, viewer->udp);
  add_pair (fds, &n, viewer->audio.udp);
  if (viewer->connection != NULL) {
    add_fd (fds, &n, rtsp_viewer_socket (viewer));
    buffered = tls_has_data (viewer);
  }
  g_poll (fds, n, buffered ? 0
      : milliseconds_until (wake_up_time (viewer, deadline)));
  rtsp_viewer_report_if_due (viewer);
  read_pair (viewer->udp, viewer->record);
  read_pair (viewer->audio.udp, viewer->audio.record);
  if (viewer->connection != NULL && (buffered || fds[n - 1].revents != 0))
    return read_message (viewer, error);
  return TRUE;
}

gboolean
rtsp_viewer_receive_until (RtspViewer * viewer, RtspViewerPredicate predicate,
    gpointer data, gint64 timeout, const gchar * what, GError ** error)
{
  gint64 deadline = g_get_monotonic_time () + timeout;

  while (!predicate (viewer, data)) {
    if (g_get_monotonic_time () >= deadline) {
      g_set_error (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_TIMEOUT,
          "waited %.3f s for %s; have %u units, %u packets, %u RTCP packets",
          timeout / 1e6, what, rtsp_record_count (viewer->record),
          viewer->record->n_packets, viewer->record->n_rtcp);
      return FALSE;
    }
    if (!receive_some (viewer, deadline, error)) {
      if (!predicate (viewer, data))
        return FALSE;
      g_clear_error (error);
    }
  }
  return TRUE;
}

/* --- requests --- */

static void
add_headers (GstRTSPMessage * message, const gchar * const *headers)
{
  for (; headers != NULL && headers[0] != NULL; headers += 2)
    gst_rtsp_message_add_header_by_name (message, headers[0], headers[1]);
}

gboolean
rtsp_viewer_send_request (RtspViewer * viewer, GstRTSPMethod method,
    const gchar * url, const gchar * const *headers, GError ** error)
{
  GstRTSPMessage *message;
  GstRTSPResult result;

  if (viewer->connection == NULL)
    return fail_closed (error);
  gst_rtsp_message_new_request (&message, method,
      url != NULL ? url : viewer->url);
  add_headers (message, headers);
  result = gst_rtsp_connection_send_usec (viewer->connection, message,
      viewer->timeout);
  gst_rtsp_message_free (message);
  viewer->n_requests++;
  if (result != GST_RTSP_OK)
    return fail_result (error, gst_rtsp_method_as_text (method), result);
  return TRUE;
}

static gboolean
has_next_response (RtspViewer * viewer, gpointer awaited)
{
  return viewer->n_responses >= GPOINTER_TO_UINT (awaited);
}

/* GstRTSPConnection counts from 1 and we ask one thing after the other. */
static gboolean
check_cseq (RtspViewer * viewer, GError ** error)
{
  const gchar *cseq = rtsp_viewer_header (viewer, GST_RTSP_HDR_CSEQ);

  if (cseq != NULL && atoi (cseq) == (gint) viewer->n_responses)
    return TRUE;
  g_set_error (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_PROTOCOL,
      "answer %u has CSeq '%s'", viewer->n_responses, GST_STR_NULL (cseq));
  return FALSE;
}

guint
rtsp_viewer_wait_response (RtspViewer * viewer, GError ** error)
{
  guint awaited = viewer->n_responses + 1;

  if (!rtsp_viewer_receive_until (viewer, has_next_response,
          GUINT_TO_POINTER (awaited), viewer->timeout, "an answer", error))
    return 0;
  if (!check_cseq (viewer, error))
    return 0;
  return rtsp_viewer_status (viewer);
}

guint
rtsp_viewer_request (RtspViewer * viewer, GstRTSPMethod method,
    const gchar * url, const gchar * const *headers, GError ** error)
{
  guint status;

  if (!rtsp_viewer_send_request (viewer, method, url, headers, error))
    return 0;
  status = rtsp_viewer_wait_response (viewer, error);
  if (status == 0)
    g_prefix_error (error, "%s: ", gst_rtsp_method_as_text (method));
  return status;
}

guint
rtsp_viewer_status (const RtspViewer * viewer)
{
  GstRTSPStatusCode code = GST_RTSP_STS_INVALID;

  if (viewer->response == NULL)
    return 0;
  gst_rtsp_message_parse_response (viewer->response, &code, NULL, NULL);
  return code;
}

void
rtsp_viewer_forget_sessions (RtspViewer * viewer)
{
  gst_rtsp_connection_set_remember_session_id (viewer->connection, FALSE);
}

void
rtsp_viewer_begin_session (RtspViewer * viewer)
{
  rtsp_viewer_forget_sessions (viewer);
  gst_rtsp_connection_set_remember_session_id (viewer->connection, TRUE);
}

const gchar *
rtsp_viewer_reason (const RtspViewer * viewer)
{
  const gchar *reason = NULL;

  if (viewer->response != NULL)
    gst_rtsp_message_parse_response (viewer->response, NULL, &reason, NULL);
  return reason;
}

const gchar *
rtsp_viewer_header (const RtspViewer * viewer, GstRTSPHeaderField field)
{
  gchar *value = NULL;

  if (viewer->response != NULL)
    gst_rtsp_message_get_header (viewer->response, field, &value, 0);
  return value;
}

gchar *
rtsp_viewer_dup_headers (const RtspViewer * viewer, GstRTSPHeaderField field)
{
  GString *all = g_string_new (NULL);
  gchar *value;

  for (gint i = 0; viewer->response != NULL
      && gst_rtsp_message_get_header (viewer->response, field, &value, i)
      == GST_RTSP_OK; i++)
    g_string_append_printf (all, "%s%s", i > 0 ? ", " : "", value);
  return g_string_free (all, FALSE);
}

RtspRecord *
rtsp_viewer_record (RtspViewer * viewer)
{
  return viewer->record;
}

guint
rtsp_viewer_server_requests (const RtspViewer * viewer)
{
  return viewer->n_server_requests;
}
