/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The RTCP that viewers send, on its way into the RTP session of their media.
 *
 * Anybody can send to the port. The session keeps a record of each SSRC that it
 * hears of, answers what nobody here needs, and reads some kinds of packets
 * beyond their end (transport-wide feedback, up to 1.28). So it gets what viewers
 * have to say and no more: from their addresses, as often as an honest one
 * reports, under one SSRC, and of the kinds that the media serves.
 *
 * Whose it is is known by where it comes from: the session goes by SSRC, and
 * viewers of one media can have the same (FFmpeg takes the server's plus one).
 * RTCP that claims to come from our own SSRC would make the session say
 * goodbye to everyone and take another one (RFC 3550, 8.2). */

#include "media/rtcpfilter.h"

#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtcpbuffer.h>

/* An honest report is far shorter, and fits into a packet of the network. */
#define MAX_SIZE 1500

/* Words of 32 bits. */
#define REPORT_BLOCK_WORDS 6

typedef struct
{
  gboolean feedback;
  RtspSinkRtcpFilterFuncs funcs;
  gpointer user_data;
} Watch;

/* PRIV items of SDES (RFC 3550, 6.5.8): nobody uses them, and the session
 * believes the length that they say their prefix has (up to 1.28). */
static gboolean
has_private_entry (GstRTCPPacket * packet)
{
  gboolean more = gst_rtcp_packet_sdes_first_entry (packet);

  while (more) {
    GstRTCPSDESType type;

    if (gst_rtcp_packet_sdes_get_entry (packet, &type, NULL, NULL)
        && type == GST_RTCP_SDES_PRIV)
      return TRUE;
    more = gst_rtcp_packet_sdes_next_entry (packet);
  }
  return FALSE;
}

/* Whether it is as long as what is read of it, here and by the session. GstRTCPPacket
 * does not look (up to 1.28). */
static gboolean
is_whole (GstRTCPPacket * packet)
{
  guint words = 1;              /* an SSRC */

  if (gst_rtcp_packet_get_type (packet) == GST_RTCP_TYPE_RR)
    words += gst_rtcp_packet_get_count (packet) * REPORT_BLOCK_WORDS;
  else if (gst_rtcp_packet_get_type (packet) == GST_RTCP_TYPE_PSFB)
    words++;                    /* and that of the media */
  return gst_rtcp_packet_get_length (packet) >= words;
}

/* Of one source alone: each chunk is another (RFC 3550, 6.5). */
static gboolean
read_sdes (GstRTCPPacket * packet, guint32 * ssrc)
{
  if (gst_rtcp_packet_sdes_get_item_count (packet) != 1
      || !gst_rtcp_packet_sdes_first_item (packet)
      || has_private_entry (packet))
    return FALSE;
  *ssrc = gst_rtcp_packet_sdes_get_ssrc (packet);
  return TRUE;
}

static gboolean
read_bye (GstRTCPPacket * packet, guint32 * ssrc)
{
  if (gst_rtcp_packet_bye_get_ssrc_count (packet) != 1)
    return FALSE;
  *ssrc = gst_rtcp_packet_bye_get_nth_ssrc (packet, 0);
  return TRUE;
}

static gboolean
asks_for_key_unit (GstRTCPPacket * packet)
{
  GstRTCPFBType type = gst_rtcp_packet_fb_get_type (packet);

  return type == GST_RTCP_PSFB_TYPE_PLI || type == GST_RTCP_PSFB_TYPE_FIR;
}

/* Returns whether the session gets @packet. @speaker: whose SSRC all packets of
 * a report have; 0: not said yet. Who asks for a key unit may well name another
 * one; of that the session keeps nothing. */
static gboolean
is_allowed (Watch * self, GstRTCPPacket * packet, guint32 own,
    guint32 * speaker)
{
  guint32 ssrc = 0;
  gboolean good = FALSE;

  if (!is_whole (packet))
    return FALSE;
  switch (gst_rtcp_packet_get_type (packet)) {
    case GST_RTCP_TYPE_RR:
      ssrc = gst_rtcp_packet_rr_get_ssrc (packet);
      good = TRUE;
      break;
    case GST_RTCP_TYPE_SDES:
      good = read_sdes (packet, &ssrc);
      break;
    case GST_RTCP_TYPE_BYE:
      good = read_bye (packet, &ssrc);
      break;
    case GST_RTCP_TYPE_PSFB:
      return self->feedback && asks_for_key_unit (packet)
          && gst_rtcp_packet_fb_get_sender_ssrc (packet) != own;
    default:
      break;
  }
  if (!good || ssrc == own || (*speaker != 0 && ssrc != *speaker))
    return FALSE;
  *speaker = ssrc;
  return TRUE;
}

/* Takes out of @buffer, which is writable, what the session does not get. Returns
 * how many packets are left. */
static guint
reduce (Watch * self, GstBuffer * buffer, guint32 own, guint32 * speaker)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean more;
  guint n = 0;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp))
    return 0;
  more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
  while (more) {
    if (is_allowed (self, &packet, own, speaker)) {
      n++;
      more = gst_rtcp_packet_move_to_next (&packet);
    } else {
      more = gst_rtcp_packet_remove (&packet);
    }
  }
  gst_rtcp_buffer_unmap (&rtcp);
  return n;
}

static GstPadProbeReturn
report_came (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  Watch *self = user_data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  GInetSocketAddress *address;
  guint32 own, speaker = 0;

  if (meta == NULL || !G_IS_INET_SOCKET_ADDRESS (meta->addr)
      || gst_buffer_get_size (buffer) > MAX_SIZE
      || !gst_rtcp_buffer_validate_reduced (buffer))
    return GST_PAD_PROBE_DROP;

  address = G_INET_SOCKET_ADDRESS (meta->addr);
  if (!self->funcs.alive (address, self->user_data))
    return GST_PAD_PROBE_DROP;

  buffer = gst_buffer_make_writable (buffer);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  meta = gst_buffer_get_net_address_meta (buffer);
  address = G_INET_SOCKET_ADDRESS (meta->addr);
  own = self->funcs.get_own_ssrc (self->user_data);
  if (reduce (self, buffer, own, &speaker) == 0
      || !self->funcs.may_report (address, speaker, self->user_data))
    return GST_PAD_PROBE_DROP;
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_rtcp_filter_is_bye:
 * @buffer: RTCP
 *
 * Returns: whether it tells that somebody leaves
 */
gboolean
rtsp_sink_rtcp_filter_is_bye (GstBuffer * buffer)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean found = FALSE;

  if (!gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp))
    return FALSE;
  for (gboolean more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
      more && !found; more = gst_rtcp_packet_move_to_next (&packet))
    found = gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_BYE;
  gst_rtcp_buffer_unmap (&rtcp);
  return found;
}

/**
 * rtsp_sink_rtcp_filter_watch:
 * @pad: where RTCP enters an RTP session
 * @feedback: whether viewers may ask for key units (PLI, FIR)
 */
void
rtsp_sink_rtcp_filter_watch (GstPad * pad, gboolean feedback,
    const RtspSinkRtcpFilterFuncs * funcs, gpointer user_data)
{
  Watch *watch = g_new (Watch, 1);

  watch->feedback = feedback;
  watch->funcs = *funcs;
  watch->user_data = user_data;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, report_came, watch,
      g_free);
}
