/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What a viewer does with RTSP's methods: DESCRIBE keeps the SDP, SETUP the
 * transport, PLAY RTP-Info; and the waits and reports that follow from them.
 */

#include "rtspviewer-private.h"

#include <gst/rtp/rtp.h>

#define RTCP_MTU 1400

/* DESCRIBE after 503 on a slow machine */
#define PATIENCE (20 * G_USEC_PER_SEC)
#define RETRY_INTERVAL (50 * 1000)

gboolean
rtsp_viewer_ask (RtspViewer * viewer, GstRTSPMethod method, const gchar * url,
    const gchar * const *headers, GError ** error)
{
  guint status = rtsp_viewer_request (viewer, method, url, headers, error);

  if (status == 0)
    return FALSE;
  if (status == GST_RTSP_STS_OK)
    return TRUE;
  g_set_error (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_STATUS,
      "%s of %s was answered %u (%s)", gst_rtsp_method_as_text (method),
      url != NULL ? url : viewer->url, status,
      gst_rtsp_status_as_text (status));
  return FALSE;
}

static gboolean
fail_protocol (GError ** error, const gchar * what)
{
  g_set_error_literal (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_PROTOCOL,
      what);
  return FALSE;
}

gboolean
rtsp_viewer_options (RtspViewer * viewer, GError ** error)
{
  return rtsp_viewer_ask (viewer, GST_RTSP_OPTIONS, NULL, NULL, error);
}

/* --- DESCRIBE --- */

static void
learn_stream (RtspViewer * viewer)
{
  g_autofree gchar *codec = rtsp_sdp_field (viewer->sdp, "encoding-name");
  g_autofree gchar *rate = rtsp_sdp_field (viewer->sdp, "clock-rate");

  viewer->record->h264 = g_strcmp0 (codec, "H264") == 0;
  if (rate != NULL && atoi (rate) > 0)
    viewer->record->clock_rate = atoi (rate);
}

static gboolean
machine_is_slow (void)
{
  const gchar *factor = g_getenv ("CK_TIMEOUT_MULTIPLIER");

  return factor != NULL && g_ascii_strtod (factor, NULL) > 1;
}

static gboolean
ask_for_sdp (RtspViewer * viewer, GError ** error)
{
  static const gchar *const accept[] = { "Accept", "application/sdp", NULL };
  gint64 deadline = g_get_monotonic_time ()
      + (machine_is_slow ()? PATIENCE : 0);

  while (!rtsp_viewer_ask (viewer, GST_RTSP_DESCRIBE, NULL, accept, error)) {
    if (rtsp_viewer_status (viewer) != GST_RTSP_STS_SERVICE_UNAVAILABLE
        || g_get_monotonic_time () >= deadline)
      return FALSE;
    g_clear_error (error);
    g_usleep (RETRY_INTERVAL);
  }
  return TRUE;
}

gboolean
rtsp_viewer_describe (RtspViewer * viewer, GError ** error)
{
  const gchar *base;
  guint8 *body = NULL;
  guint size = 0;

  if (!ask_for_sdp (viewer, error))
    return FALSE;
  base = rtsp_viewer_header (viewer, GST_RTSP_HDR_CONTENT_BASE);
  g_free (viewer->base_url);
  viewer->base_url = g_strdup (base != NULL ? base : viewer->url);
  g_clear_pointer (&viewer->sdp, gst_sdp_message_free);
  gst_sdp_message_new (&viewer->sdp);
  gst_rtsp_message_get_body (viewer->response, &body, &size);
  if (gst_sdp_message_parse_buffer (body, size, viewer->sdp) != GST_SDP_OK)
    return fail_protocol (error, "the SDP cannot be parsed");
  if (rtsp_sdp_video (viewer->sdp) == NULL
      && (viewer->streams & RTSP_VIEWER_VIDEO))
    return fail_protocol (error, "the SDP has no video");
  if (rtsp_sdp_video (viewer->sdp) != NULL)
    learn_stream (viewer);
  rtsp_viewer_audio_learn (viewer);
  return TRUE;
}

const GstSDPMessage *
rtsp_viewer_sdp (const RtspViewer * viewer)
{
  return viewer->sdp;
}

gchar *
rtsp_viewer_resolve (const RtspViewer * viewer, const gchar * control)
{
  GstRTSPUrl *base = NULL;
  gchar *url;

  if (control == NULL || g_str_equal (control, "*")
      || gst_rtsp_url_parse (viewer->base_url, &base) != GST_RTSP_OK)
    return g_strdup (viewer->base_url);
  url = gst_rtsp_url_get_request_uri_with_control (base, control);
  gst_rtsp_url_free (base);
  return url;
}

gchar *
rtsp_viewer_control_url (const RtspViewer * viewer)
{
  if (viewer->sdp == NULL)
    return NULL;
  return rtsp_viewer_resolve (viewer,
      gst_sdp_media_get_attribute_val (rtsp_sdp_video (viewer->sdp),
          "control"));
}

static gchar *
aggregate_url (const RtspViewer * viewer)
{
  if (viewer->sdp == NULL)
    return g_strdup (viewer->url);
  return rtsp_viewer_resolve (viewer,
      gst_sdp_message_get_attribute_val (viewer->sdp, "control"));
}

/* --- SETUP --- */

static gboolean
setup (RtspViewer * viewer, const gchar * transport, GError ** error)
{
  const gchar *headers[] = { "Transport", transport, NULL };
  g_autofree gchar *url = rtsp_viewer_control_url (viewer);
  const gchar *answer;

  if (url == NULL)
    return fail_protocol (error, "SETUP needs a DESCRIBE before it");
  if (!rtsp_viewer_ask (viewer, GST_RTSP_SETUP, url, headers, error))
    return FALSE;
  answer = rtsp_viewer_header (viewer, GST_RTSP_HDR_TRANSPORT);
  g_clear_pointer (&viewer->transport, gst_rtsp_transport_free);
  gst_rtsp_transport_new (&viewer->transport);
  if (answer == NULL
      || gst_rtsp_transport_parse (answer, viewer->transport) != GST_RTSP_OK)
    return fail_protocol (error, "SETUP was answered without a transport");
  return TRUE;
}

/* "RTP/AVP" or another profile, as the SDP says. */
static const gchar *
protocol (const RtspViewer * viewer)
{
  return viewer->sdp == NULL ? "RTP/AVP" :
      gst_sdp_media_get_proto (rtsp_sdp_video (viewer->sdp));
}

gboolean
rtsp_viewer_setup_tcp (RtspViewer * viewer, gint channel, GError ** error)
{
  g_autofree gchar *transport = NULL;

  if (channel < 0)
    transport = g_strdup_printf ("%s/TCP;unicast", protocol (viewer));
  else
    transport = g_strdup_printf ("%s/TCP;unicast;interleaved=%d-%d",
        protocol (viewer), channel, channel + 1);
  if (!setup (viewer, transport, error))
    return FALSE;
  if (viewer->transport->interleaved.min < 0)
    return fail_protocol (error, "SETUP was answered without channels");
  return TRUE;
}

GInetAddress *
rtsp_viewer_local_address (RtspViewer * viewer)
{
  g_autoptr (GSocketAddress) local =
      g_socket_get_local_address (rtsp_viewer_socket (viewer), NULL);

  return
      g_object_ref (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS
          (local)));
}

gboolean
rtsp_viewer_setup_udp (RtspViewer * viewer, GError ** error)
{
  g_autoptr (GInetAddress) address = NULL;
  g_autofree gchar *transport = NULL;

  if (viewer->connection == NULL)
    return fail_protocol (error, "SETUP needs a connection");
  if (viewer->udp == NULL) {
    address = rtsp_viewer_local_address (viewer);
    viewer->udp = udp_pair_new (address, viewer->client_port, error);
  }
  if (viewer->udp == NULL)
    return FALSE;
  transport = g_strdup_printf ("%s;unicast;client_port=%u-%u",
      protocol (viewer), viewer->udp->port, viewer->udp->port + 1);
  return setup (viewer, transport, error);
}

gboolean
rtsp_viewer_setup_multicast (RtspViewer * viewer, GError ** error)
{
  g_autoptr (GInetAddress) group = NULL;

  if (!setup (viewer, "RTP/AVP;multicast", error))
    return FALSE;
  if (viewer->transport->destination != NULL)
    group = g_inet_address_new_from_string (viewer->transport->destination);
  if (group == NULL || !g_inet_address_get_is_multicast (group)
      || viewer->transport->port.min <= 0)
    return fail_protocol (error, "SETUP was answered without a group");
  g_clear_pointer (&viewer->udp, udp_pair_free);
  viewer->udp = udp_pair_new_multicast (group, viewer->transport->port.min,
      error);
  return viewer->udp != NULL;
}

static gboolean
setup_video (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error)
{
  if (transport == RTSP_VIEWER_UDP)
    return rtsp_viewer_setup_udp (viewer, error);
  if (transport == RTSP_VIEWER_MULTICAST)
    return rtsp_viewer_setup_multicast (viewer, error);
  return rtsp_viewer_setup_tcp (viewer, 0, error);
}

gboolean
rtsp_viewer_setup (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error)
{
  return (!(viewer->streams & RTSP_VIEWER_VIDEO)
      || setup_video (viewer, transport, error))
      && (!(viewer->streams & RTSP_VIEWER_AUDIO)
      || rtsp_viewer_audio_setup (viewer, transport, error));
}

const GstRTSPTransport *
rtsp_viewer_transport (const RtspViewer * viewer)
{
  return viewer->transport;
}

/* --- PLAY, PAUSE, TEARDOWN --- */

gboolean
rtsp_viewer_play (RtspViewer * viewer, GError ** error)
{
  static const gchar *const range[] = { "Range", "npt=0-", NULL };
  /* RFC 2326 10.5: without a range PLAY goes on from where PAUSE stopped */
  const gchar *const *headers = viewer->play_time == 0 ? range : NULL;
  g_autofree gchar *url = aggregate_url (viewer);

  viewer->play_time = g_get_monotonic_time ();
  viewer->next_report = viewer->play_time + viewer->report_interval;
  if (!rtsp_viewer_ask (viewer, GST_RTSP_PLAY, url, headers, error))
    return FALSE;
  rtsp_rtp_info_clear (&viewer->rtp_info);
  rtsp_rtp_info_parse (rtsp_viewer_header (viewer, GST_RTSP_HDR_RTP_INFO),
      &viewer->rtp_info);
  rtsp_viewer_audio_play (viewer);
  return TRUE;
}

gboolean
rtsp_viewer_pause (RtspViewer * viewer, GError ** error)
{
  g_autofree gchar *url = aggregate_url (viewer);

  return rtsp_viewer_ask (viewer, GST_RTSP_PAUSE, url, NULL, error);
}

gboolean
rtsp_viewer_teardown (RtspViewer * viewer, GError ** error)
{
  g_autofree gchar *url = aggregate_url (viewer);

  return rtsp_viewer_ask (viewer, GST_RTSP_TEARDOWN, url, NULL, error);
}

gboolean
rtsp_viewer_start (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error)
{
  if (transport == RTSP_VIEWER_HTTP)
    rtsp_viewer_set_tunneled (viewer, TRUE);
  return rtsp_viewer_connect (viewer, error)
      && rtsp_viewer_describe (viewer, error)
      && rtsp_viewer_setup (viewer, transport, error)
      && rtsp_viewer_play (viewer, error);
}

gboolean
rtsp_viewer_rtp_info (const RtspViewer * viewer, RtspRtpInfo * info)
{
  *info = viewer->rtp_info;
  return info->url != NULL;
}

gint64
rtsp_viewer_play_time (const RtspViewer * viewer)
{
  return viewer->play_time;
}

/* --- waits --- */

static gboolean
has_units (RtspViewer * viewer, gpointer n)
{
  return rtsp_record_count (viewer->record) >= GPOINTER_TO_UINT (n);
}

gboolean
rtsp_viewer_receive_units (RtspViewer * viewer, guint n, gint64 timeout,
    GError ** error)
{
  g_autofree gchar *what = g_strdup_printf ("%u units", n);

  return rtsp_viewer_receive_until (viewer, has_units, GUINT_TO_POINTER (n),
      timeout, what, error);
}

static gboolean
never (RtspViewer * viewer, gpointer data)
{
  return FALSE;
}

gboolean
rtsp_viewer_receive_for (RtspViewer * viewer, gint64 duration, GError ** error)
{
  GError *ended = NULL;

  rtsp_viewer_receive_until (viewer, never, NULL, duration, "nothing", &ended);
  if (g_error_matches (ended, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_TIMEOUT)) {
    g_error_free (ended);
    return TRUE;
  }
  g_propagate_error (error, ended);
  return FALSE;
}

static gboolean
has_report (RtspViewer * viewer, gpointer data)
{
  return viewer->record->reports->len > 0;
}

gboolean
rtsp_viewer_wait_report (RtspViewer * viewer, gint64 timeout, GError ** error)
{
  return rtsp_viewer_receive_until (viewer, has_report, NULL, timeout,
      "a sender report", error);
}

static gboolean
has_bye (RtspViewer * viewer, gpointer data)
{
  return viewer->record->bye != 0;
}

gboolean
rtsp_viewer_wait_bye (RtspViewer * viewer, gint64 timeout, GError ** error)
{
  return rtsp_viewer_receive_until (viewer, has_bye, NULL, timeout, "BYE",
      error);
}

static gboolean
is_closed (RtspViewer * viewer, gpointer data)
{
  return rtsp_viewer_is_closed (viewer);
}

gboolean
rtsp_viewer_wait_closed (RtspViewer * viewer, gint64 timeout, GError ** error)
{
  return rtsp_viewer_receive_until (viewer, is_closed, NULL, timeout,
      "the server to close", error);
}

/* --- receiver reports --- */

static GstBuffer *
new_receiver_report (RtspViewer * viewer)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  RtspRecord *record = viewer->record;
  RtspUnit *last = NULL;

  if (record->units->len > 0)
    last = rtsp_record_unit (record, record->units->len - 1);
  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, viewer->ssrc);
  if (last != NULL)
    gst_rtcp_packet_add_rb (&packet, record->ssrc, 0, record->n_lost,
        last->last_seq, 0, 0, 0);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet);
  gst_rtcp_packet_sdes_add_item (&packet, viewer->ssrc);
  gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME, 6,
      (const guint8 *) "viewer");
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}

static void
send_interleaved (RtspViewer * viewer, GstBuffer * buffer)
{
  GstRTSPMessage *message;
  GstMapInfo map;

  if (viewer->connection == NULL || viewer->transport->interleaved.max < 0)
    return;
  gst_rtsp_message_new_data (&message, viewer->transport->interleaved.max);
  gst_buffer_map (buffer, &map, GST_MAP_READ);
  gst_rtsp_message_set_body (message, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
  gst_rtsp_connection_send_usec (viewer->connection, message, viewer->timeout);
  gst_rtsp_message_free (message);
}

static GInetAddress *
server_address (RtspViewer * viewer)
{
  g_autoptr (GSocketAddress) remote =
      g_socket_get_remote_address (rtsp_viewer_socket (viewer), NULL);

  if (remote == NULL)
    return NULL;
  return
      g_object_ref (g_inet_socket_address_get_address (G_INET_SOCKET_ADDRESS
          (remote)));
}

static void
send_datagram (RtspViewer * viewer, GstBuffer * buffer)
{
  const GstRTSPTransport *transport = viewer->transport;
  g_autoptr (GInetAddress) to = NULL;
  gint port = transport->server_port.max;

  if (transport->lower_transport == GST_RTSP_LOWER_TRANS_UDP_MCAST) {
    to = g_inet_address_new_from_string (transport->destination);
    port = transport->port.max;
  } else if (viewer->connection != NULL) {
    to = server_address (viewer);
  }
  if (to != NULL)
    udp_pair_send (viewer->udp->rtcp, to, port, buffer);
}

void
rtsp_viewer_send_rtcp (RtspViewer * viewer, GstBuffer * buffer)
{
  if (viewer->udp == NULL)
    send_interleaved (viewer, buffer);
  else
    send_datagram (viewer, buffer);
}

void
rtsp_viewer_report_if_due (RtspViewer * viewer)
{
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GstBuffer) buffer = NULL;

  if (viewer->report_interval <= 0 || viewer->transport == NULL
      || now < viewer->next_report)
    return;
  viewer->next_report = now + viewer->report_interval;
  buffer = new_receiver_report (viewer);
  rtsp_viewer_send_rtcp (viewer, buffer);
}
