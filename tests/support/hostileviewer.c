/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer that breaks rules; see hostileviewer.h. */

#include "hostileviewer.h"

#include "rtspviewer-private.h"

#include <gio/gnetworking.h>

#define RTCP_MTU 1400
#define INTERLEAVED_HEADER 4

/* Until the server has read enough to take more. */
#define PATIENCE (200 * 1000)

#define SDES_HEADER 4
#define SDES_CHUNK 12           /* SSRC, one entry of 7 bytes, its end */

gboolean
hostile_send (RtspViewer * viewer, gconstpointer data, gsize size)
{
  GSocket *socket;
  gsize done = 0;
  gssize sent = 0;

  if (viewer->connection == NULL)
    return FALSE;
  socket = rtsp_viewer_socket (viewer);
  while (done < size && sent >= 0 && g_socket_condition_timed_wait (socket,
          G_IO_OUT, PATIENCE, NULL, NULL)) {
    sent = g_socket_send_with_blocking (socket, (const gchar *) data + done,
        size - done, FALSE, NULL, NULL);
    done += MAX (sent, 0);
  }
  return done == size;
}

gboolean
hostile_send_message (RtspViewer * viewer, GstRTSPMessage * message)
{
  return viewer->connection != NULL
      && gst_rtsp_connection_send_usec (viewer->connection, message,
      PATIENCE) == GST_RTSP_OK;
}

gboolean
hostile_send_interleaved (RtspViewer * viewer, guint8 channel,
    gconstpointer data, guint16 size)
{
  g_autofree guint8 *message = g_malloc (INTERLEAVED_HEADER + size);

  message[0] = '$';
  message[1] = channel;
  GST_WRITE_UINT16_BE (message + 2, size);
  memcpy (message + INTERLEAVED_HEADER, data, size);
  return hostile_send (viewer, message, INTERLEAVED_HEADER + size);
}

void
hostile_send_datagram (RtspViewer * viewer, guint channel, gconstpointer data,
    gsize size)
{
  g_autoptr (GSocketAddress) remote = NULL;
  g_autoptr (GSocketAddress) to = NULL;
  const GstRTSPRange *port = &viewer->transport->server_port;

  if (viewer->connection == NULL)
    return;
  remote = g_socket_get_remote_address (rtsp_viewer_socket (viewer), NULL);
  if (remote == NULL)
    return;
  to = g_inet_socket_address_new (g_inet_socket_address_get_address
      (G_INET_SOCKET_ADDRESS (remote)), channel == 0 ? port->min : port->max);
  g_socket_send_to (channel == 0 ? viewer->udp->rtp : viewer->udp->rtcp, to,
      data, size, NULL, NULL);
}

void
hostile_send_rtcp (RtspViewer * viewer, GstBuffer * rtcp)
{
  GstMapInfo map;

  gst_buffer_map (rtcp, &map, GST_MAP_READ);
  if (viewer->udp != NULL)
    hostile_send_datagram (viewer, 1, map.data, map.size);
  else
    hostile_send_interleaved (viewer, viewer->transport->interleaved.max,
        map.data, map.size);
  gst_buffer_unmap (rtcp, &map);
  gst_buffer_unref (rtcp);
}

/* gst_rtcp_packet_sdes_add_item() of 1.22 overwrites the first item with the
 * second one. */
static GstBuffer *
append_sdes (GstBuffer * buffer, const guint32 * ssrcs, guint n)
{
  guint size = SDES_HEADER + n * SDES_CHUNK;
  guint8 *data = g_malloc0 (size);

  data[0] = 0x80 | n;           /* version 2 */
  data[1] = GST_RTCP_TYPE_SDES;
  GST_WRITE_UINT16_BE (data + 2, size / 4 - 1);
  for (guint i = 0; i < n; i++) {
    guint8 *chunk = data + SDES_HEADER + i * SDES_CHUNK;

    GST_WRITE_UINT32_BE (chunk, ssrcs[i]);
    chunk[4] = GST_RTCP_SDES_CNAME;
    chunk[5] = 5;
    memcpy (chunk + 6, "enemy", 5);
  }
  return gst_buffer_append (buffer, gst_buffer_new_wrapped (data, size));
}

/* One SSRC speaks. */
static void
add_packet (GstRTCPBuffer * rtcp, GstRTCPType type, guint32 ssrc)
{
  GstRTCPPacket packet;

  gst_rtcp_buffer_add_packet (rtcp, type, &packet);
  switch (type) {
    case GST_RTCP_TYPE_SR:
      gst_rtcp_packet_sr_set_sender_info (&packet, ssrc, 1, 1, 1, 1);
      break;
    case GST_RTCP_TYPE_RR:
      gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
      break;
    case GST_RTCP_TYPE_APP:
      gst_rtcp_packet_app_set_ssrc (&packet, ssrc);
      gst_rtcp_packet_app_set_name (&packet, "evil");
      break;
    default:
      gst_rtcp_packet_fb_set_type (&packet, GST_RTCP_PSFB_TYPE_PLI);
      gst_rtcp_packet_fb_set_sender_ssrc (&packet, ssrc);
      break;
  }
}

static void
add_packets (GstRTCPBuffer * rtcp, GstRTCPType type, const guint32 * ssrcs,
    guint n)
{
  GstRTCPPacket packet;

  if (type == GST_RTCP_TYPE_BYE)
    gst_rtcp_buffer_add_packet (rtcp, type, &packet);
  for (guint i = 0; i < n; i++) {
    if (type == GST_RTCP_TYPE_BYE)
      gst_rtcp_packet_bye_add_ssrc (&packet, ssrcs[i]);
    else
      add_packet (rtcp, type, ssrcs[i]);
  }
}

GstBuffer *
hostile_rtcp_new (GstRTCPType type, guint32 first, guint32 second)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (RTCP_MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  const guint32 ssrcs[] = { first, second };
  guint n = second != 0 ? 2 : 1;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  if (type != GST_RTCP_TYPE_RR && type != GST_RTCP_TYPE_SR)
    add_packet (&rtcp, GST_RTCP_TYPE_RR, first);
  if (type != GST_RTCP_TYPE_SDES)
    add_packets (&rtcp, type, ssrcs, n);
  gst_rtcp_buffer_unmap (&rtcp);

  return type == GST_RTCP_TYPE_SDES ? append_sdes (buffer, ssrcs, n) : buffer;
}

void
hostile_half_close (RtspViewer * viewer)
{
  g_socket_shutdown (rtsp_viewer_socket (viewer), FALSE, TRUE, NULL);
}

gsize
hostile_swallow (RtspViewer * viewer, gsize max)
{
  g_autofree gchar *data = g_malloc (max);
  gsize total = 0;
  gssize n = 0;

  while (total < max && (n = g_socket_receive_with_blocking (rtsp_viewer_socket
              (viewer), data, max - total, FALSE, NULL, NULL)) > 0)
    total += n;
  return total;
}

gsize
hostile_wait_bytes (RtspViewer * viewer, gint64 timeout)
{
  g_socket_condition_timed_wait (rtsp_viewer_socket (viewer), G_IO_IN, timeout,
      NULL, NULL);
  return hostile_swallow (viewer, 4096);
}
