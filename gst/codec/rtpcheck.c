/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How H.264 and H.265 are packed in RTP, as far as a packet may be too short for
 * what it says to be, where GStreamer's depayloaders (1.22) read and write beyond
 * its end or end the process; or more than it says. Pure. */

#include "codec/rtpcheck.h"

#include <gst/base/gstbytereader.h>
#include <gst/rtp/gstrtpbuffer.h>

/* RFC 6184, 5.2. */
enum
{
  H264_STAP_A = 24,
  H264_STAP_B,
  H264_FU_A = 28,
  H264_FU_B,
};

/* RFC 7798, 4.4. */
enum
{
  H265_AP = 48,
  H265_FU,
};

/* Headers, and a byte at least of what is packed. */
static guint
least_of_h264 (guint8 header)
{
  switch (header & 0x1f) {
    case H264_STAP_A:
      return 1 + 2 + 1;
    case H264_STAP_B:
      return 1 + 2 + 2 + 1;
    case H264_FU_A:
    case H264_FU_B:
      return 2 + 1;
    default:
      return 1;
  }
}

static guint
least_of_h265 (guint8 header)
{
  switch ((header >> 1) & 0x3f) {
    case H265_AP:
      return 2 + 2 + 1;
    case H265_FU:
      return 2 + 1 + 1;
    default:
      return 2 + 1;
  }
}

static guint
find_least (const RtspSinkVideoCodec * codec, guint8 header)
{
  switch (codec->codec) {
    case GST_RTSP_SERVER_SINK_CODEC_H264:
      return least_of_h264 (header);
    case GST_RTSP_SERVER_SINK_CODEC_H265:
      return least_of_h265 (header);
    default:
      return 0;
  }
}

/**
 * rtsp_sink_rtp_check_has_min_payload:
 * @codec: of the video in the packet
 *
 * Returns: FALSE if a depayloader must not get @packet. What is no RTP it drops
 *   itself
 */
gboolean
rtsp_sink_rtp_check_has_min_payload (const RtspSinkVideoCodec * codec,
    GstBuffer * packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint length;
  gboolean whole;

  if (!gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp))
    return TRUE;
  length = gst_rtp_buffer_get_payload_len (&rtp);
  whole = length >= find_least (codec, length > 0 ?
      *(guint8 *) gst_rtp_buffer_get_payload (&rtp) : 0);
  gst_rtp_buffer_unmap (&rtp);
  return whole;
}

/* Where a number of two zeroes may stand no start code is looked for. */
static gboolean
has_numbers (guint8 header)
{
  guint type = header & 0x1f;

  return type > H264_STAP_A && type != H264_FU_A;
}

/**
 * rtsp_sink_rtp_check_has_start_code:
 * @packet: of H.264
 *
 * Returns: whether @packet has units with start codes between them, which RTP
 *   forbids (RFC 6184, 5.6)
 */
gboolean
rtsp_sink_rtp_check_has_start_code (GstBuffer * packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  const guint8 *payload;
  GstByteReader reader;
  gboolean has;
  guint length;

  if (!gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp))
    return FALSE;
  length = gst_rtp_buffer_get_payload_len (&rtp);
  payload = gst_rtp_buffer_get_payload (&rtp);
  gst_byte_reader_init (&reader, payload, length);
  /* No unit has these three bytes. */
  has = length >= 4 && !has_numbers (payload[0])
      && gst_byte_reader_masked_scan_uint32 (&reader, 0xffffff00, 0x00000100,
      0, length) != (guint) - 1;
  gst_rtp_buffer_unmap (&rtp);
  return has;
}
