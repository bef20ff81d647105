/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#include "rtpunits.h"

#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>

static GstBuffer *
make_packet (guint16 seqnum, gsize payload, gboolean marker)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (payload, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp));
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_seq (&rtp, seqnum);
  gst_rtp_buffer_set_marker (&rtp, marker);
  memset (gst_rtp_buffer_get_payload (&rtp), (guint8) seqnum, payload);
  gst_rtp_buffer_unmap (&rtp);
  return packet;
}

GstBufferList *
rtp_unit_new (guint16 seqnum, guint n, gsize payload, GstClockTime pts,
    gboolean key)
{
  GstBufferList *unit = gst_buffer_list_new_sized (n);

  for (guint i = 0; i < n; i++) {
    GstBuffer *packet = make_packet (seqnum + i, payload, i + 1 == n);

    GST_BUFFER_PTS (packet) = pts;
    if (!key)
      GST_BUFFER_FLAG_SET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
    gst_buffer_list_add (unit, packet);
  }
  return unit;
}

guint16
rtp_packet_seqnum (GstBuffer * packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint16 seqnum;

  fail_unless (gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp));
  seqnum = gst_rtp_buffer_get_seq (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return seqnum;
}
