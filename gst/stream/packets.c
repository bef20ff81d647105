/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What is to be known of RTP packets to hand them on: where their numbers go on,
 * and whether a viewer of others can take them. Pure. */

#include "stream/packets.h"

#include <gst/rtp/gstrtpbuffer.h>

/* Fields of RTP caps that may change under a viewer: H.264 and H.265 tell of
 * them in the stream itself, RTP and its times go on regardless. */
static const gchar *const in_band[] = {
  "sprop-parameter-sets", "profile-level-id", "profile",
  "sprop-vps", "sprop-sps", "sprop-pps", "a-framerate", "ssrc",
  "timestamp-offset", "seqnum-offset",
};

/**
 * rtsp_sink_packets_can_follow:
 * @old: caps of packets that a viewer was told
 *
 * Raw video has its size and format in the SDP alone (RFC 4175, 6).
 *
 * Returns: whether it can decode those that @caps announce
 */
gboolean
rtsp_sink_packets_can_follow (const GstCaps * old, const GstCaps * caps)
{
  g_autoptr (GstStructure) a =
      gst_structure_copy (gst_caps_get_structure (old, 0));
  g_autoptr (GstStructure) b =
      gst_structure_copy (gst_caps_get_structure (caps, 0));

  for (gsize i = 0; i < G_N_ELEMENTS (in_band); i++) {
    gst_structure_remove_field (a, in_band[i]);
    gst_structure_remove_field (b, in_band[i]);
  }
  return gst_structure_is_equal (a, b);
}

/**
 * rtsp_sink_packets_find_next_seqnum:
 * @packets: of one access unit
 * @next: the number of the packet that follows them
 *
 * Returns: FALSE if they are no RTP
 */
gboolean
rtsp_sink_packets_find_next_seqnum (GstBufferList * packets, guint16 * next)
{
  GstBuffer *last = gst_buffer_list_get (packets,
      gst_buffer_list_length (packets) - 1);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (last, GST_MAP_READ, &rtp))
    return FALSE;
  *next = gst_rtp_buffer_get_seq (&rtp) + 1;
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}
