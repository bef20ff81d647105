/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Where one viewer watches: a media in each of its sessions. What a seat does
 * is its maker's business. Viewer's thread. */

#include "server/seats.h"

/**
 * rtsp_sink_seats_find:
 *
 * Returns: (transfer none) (nullable): the seat in @media
 */
RtspSinkSeat *
rtsp_sink_seats_find (GPtrArray * seats, GstRTSPSessionMedia * media)
{
  for (guint i = 0; i < seats->len; i++) {
    RtspSinkSeat *seat = g_ptr_array_index (seats, i);

    if (seat->session_media == media)
      return seat;
  }
  return NULL;
}

/**
 * rtsp_sink_seats_steal:
 *
 * Returns: (transfer full) (nullable): the seat in @media, which is none of
 *   @seats any more
 */
RtspSinkSeat *
rtsp_sink_seats_steal (GPtrArray * seats, GstRTSPSessionMedia * media)
{
  RtspSinkSeat *seat = rtsp_sink_seats_find (seats, media);

  g_ptr_array_remove_fast (seats, seat);
  return seat;
}

/**
 * rtsp_sink_seats_is_interleaved:
 *
 * Returns: whether @media goes over the viewer's own connection
 */
gboolean
rtsp_sink_seats_is_interleaved (GstRTSPSessionMedia * media)
{
  guint n = gst_rtsp_media_n_streams (gst_rtsp_session_media_get_media (media));

  for (guint i = 0; i < n; i++) {
    GstRTSPStreamTransport *transport =
        gst_rtsp_session_media_get_transport (media, i);

    if (transport != NULL
        && gst_rtsp_stream_transport_get_transport (transport)->lower_transport
        == GST_RTSP_LOWER_TRANS_TCP)
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_seats_are_crossed:
 * @media: (nullable): that is to be set up, to play or to end over the viewer's
 *   own connection
 *
 * At SETUP and TEARDOWN the library changes what the senders of all streams of a
 * connection use, on another thread and without a lock (up to 1.28).
 *
 * Returns: whether another stream goes over that connection
 */
gboolean
rtsp_sink_seats_are_crossed (GPtrArray * seats, GstRTSPSessionMedia * media)
{
  for (guint i = 0; i < seats->len; i++) {
    RtspSinkSeat *seat = g_ptr_array_index (seats, i);

    if (seat->session_media != media
        && rtsp_sink_seats_is_interleaved (seat->session_media))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_seats_leave:
 * @reason: a static string
 *
 * The viewer is gone from all of them.
 */
void
rtsp_sink_seats_leave (GPtrArray * seats, const gchar * reason)
{
  while (seats->len > 0) {
    RtspSinkSeat *seat = g_ptr_array_steal_index_fast (seats, 0);

    seat->leave (seat, reason);
  }
}
