/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The RTCP that viewers send, on its way into the RTP session of their media.
 *
 * Whose it is is known by where it comes from: the session goes by SSRC, and
 * viewers of one media can have the same (FFmpeg takes the server's plus one).
 * RTCP that claims to come from our own SSRC would make the session say
 * goodbye to everyone and take another one (RFC 3550, 8.2): it is dropped. */

#include "rtspsinkreports.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtcpbuffer.h>

/* One that speaks for several sources has a chunk for each. */
static gboolean
describes (GstRTCPPacket * packet, guint32 ssrc)
{
  if (gst_rtcp_packet_sdes_get_item_count (packet) == 0
      || !gst_rtcp_packet_sdes_first_item (packet))
    return FALSE;
  do {
    if (gst_rtcp_packet_sdes_get_ssrc (packet) == ssrc)
      return TRUE;
  } while (gst_rtcp_packet_sdes_next_item (packet));
  return FALSE;
}

static gboolean
is_from (GstRTCPPacket * packet, guint32 ssrc)
{
  guint32 sr;

  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_SR:
      gst_rtcp_packet_sr_get_sender_info (packet, &sr, NULL, NULL, NULL, NULL);
      return sr == ssrc;
    case GST_RTCP_TYPE_RR:
      return gst_rtcp_packet_rr_get_ssrc (packet) == ssrc;
    case GST_RTCP_TYPE_SDES:
      return describes (packet, ssrc);
    case GST_RTCP_TYPE_BYE:
      return gst_rtcp_packet_bye_get_ssrc_count (packet) > 0
          && gst_rtcp_packet_bye_get_nth_ssrc (packet, 0) == ssrc;
    case GST_RTCP_TYPE_RTPFB:
    case GST_RTCP_TYPE_PSFB:
      return gst_rtcp_packet_fb_get_sender_ssrc (packet) == ssrc;
    case GST_RTCP_TYPE_APP:
      return gst_rtcp_packet_app_get_ssrc (packet) == ssrc;
    default:
      return FALSE;
  }
}

/* PRIV items of SDES (RFC 3550, 6.5.8): nobody uses them, and the session
 * believes the length that they say their prefix has (up to 1.28). */
static gboolean
has_private (GstRTCPPacket * packet)
{
  if (gst_rtcp_packet_get_type (packet) != GST_RTCP_TYPE_SDES
      || gst_rtcp_packet_sdes_get_item_count (packet) == 0
      || !gst_rtcp_packet_sdes_first_item (packet))
    return FALSE;
  do {
    gboolean more = gst_rtcp_packet_sdes_first_entry (packet);

    while (more) {
      GstRTCPSDESType type;

      if (gst_rtcp_packet_sdes_get_entry (packet, &type, NULL, NULL)
          && type == GST_RTCP_SDES_PRIV)
        return TRUE;
      more = gst_rtcp_packet_sdes_next_entry (packet);
    }
  } while (gst_rtcp_packet_sdes_next_item (packet));
  return FALSE;
}

/* Must it not get into the session? */
static gboolean
is_bad (GstBuffer * buffer, guint32 ssrc)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean found = FALSE;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return FALSE;
  for (gboolean more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
      more && !found; more = gst_rtcp_packet_move_to_next (&packet))
    found = is_from (&packet, ssrc) || has_private (&packet);
  gst_rtcp_buffer_unmap (&rtcp);
  return found;
}

typedef struct
{
  RtspSinkReportsFuncs funcs;
  gpointer user_data;
} Watch;

static GstPadProbeReturn
report_came (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Watch *watch = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  guint32 ssrc = watch->funcs.get_own_ssrc (watch->user_data);

  if (!gst_rtcp_buffer_validate_reduced (buffer) || is_bad (buffer, ssrc))
    return GST_PAD_PROBE_DROP;
  if (meta != NULL && G_IS_INET_SOCKET_ADDRESS (meta->addr))
    watch->funcs.alive (G_INET_SOCKET_ADDRESS (meta->addr), watch->user_data);
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_reports_watch:
 * @pad: where RTCP enters an RTP session
 */
void
rtsp_sink_reports_watch (GstPad * pad, const RtspSinkReportsFuncs * funcs,
    gpointer user_data)
{
  Watch *watch = g_new (Watch, 1);

  watch->funcs = *funcs;
  watch->user_data = user_data;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, report_came, watch,
      g_free);
}
