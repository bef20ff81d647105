/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One access unit in RTP packets, on its way to the viewers of a media: what
 * each of them needs to know of it, and the forms that they need it in, each
 * made once. A unit is of one thread. */

#include "media/accessunit.h"

#include <gst/rtp/gstrtpbuffer.h>

/**
 * rtsp_sink_access_unit_init:
 * @packets: (transfer none): outlive the unit; their first buffer says whether
 *   it is a key unit
 *
 * Returns: FALSE if they are no RTP
 */
gboolean
rtsp_sink_access_unit_init (RtspSinkAccessUnit * self, GstBufferList * packets)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *first;

  memset (self, 0, sizeof *self);
  if (gst_buffer_list_length (packets) == 0)
    return FALSE;
  first = gst_buffer_list_get (packets, 0);
  if (!gst_rtp_buffer_map (first, GST_MAP_READ, &rtp))
    return FALSE;

  self->packets = packets;
  self->came = g_get_monotonic_time () * GST_USECOND;
  self->pts = GST_BUFFER_PTS (first);
  self->n_packets = gst_buffer_list_length (packets);
  self->n_bytes = gst_buffer_list_calculate_size (packets);
  self->seqnum = gst_rtp_buffer_get_seq (&rtp);
  self->ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  self->key = !GST_BUFFER_FLAG_IS_SET (first, GST_BUFFER_FLAG_DELTA_UNIT);
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

void
rtsp_sink_access_unit_clear (RtspSinkAccessUnit * self)
{
  g_clear_pointer (&self->datagrams, rtsp_sink_datagrams_free);
}

/**
 * rtsp_sink_access_unit_get_datagrams:
 *
 * Returns: (transfer none): the unit, laid out for UDP
 */
RtspSinkDatagrams *
rtsp_sink_access_unit_get_datagrams (RtspSinkAccessUnit * self)
{
  if (self->datagrams == NULL)
    self->datagrams = rtsp_sink_datagrams_new (self->packets);
  return self->datagrams;
}

/* A packet of a viewer's own: the header with its sequence number, and the
 * shared payload. */
static GstBuffer *
renumber (GstBuffer * packet, guint16 seqnum)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *own;
  guint header;

  if (!gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp))
    return NULL;
  header = gst_rtp_buffer_get_header_len (&rtp);
  gst_rtp_buffer_unmap (&rtp);

  own = gst_buffer_copy_region (packet, GST_BUFFER_COPY_METADATA |
      GST_BUFFER_COPY_MEMORY | GST_BUFFER_COPY_DEEP, 0, header);
  gst_buffer_copy_into (own, packet, GST_BUFFER_COPY_MEMORY, header, -1);

  gst_rtp_buffer_map (own, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_seq (&rtp, seqnum);
  gst_rtp_buffer_unmap (&rtp);
  return own;
}

/**
 * rtsp_sink_access_unit_renumber:
 * @first: sequence number of the first packet
 *
 * Returns: (transfer full): its packets with other numbers
 */
GstBufferList *
rtsp_sink_access_unit_renumber (const RtspSinkAccessUnit * self, guint16 first)
{
  GstBufferList *own;

  if (self->seqnum == first)
    return gst_buffer_list_ref (self->packets);

  own = gst_buffer_list_new_sized (self->n_packets);
  for (guint i = 0; i < self->n_packets; i++) {
    GstBuffer *packet =
        renumber (gst_buffer_list_get (self->packets, i), first + i);

    if (packet != NULL)
      gst_buffer_list_add (own, packet);
  }
  return own;
}
