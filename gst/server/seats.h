/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

/* Where a viewer watches a media of a mount, within one of its sessions.
 * Viewer's thread. */
typedef struct _RtspSinkSeat RtspSinkSeat;

struct _RtspSinkSeat
{
  GstRTSPSessionMedia *session_media;

  /* The viewer plays, and was told so. */
  void (*start) (RtspSinkSeat * seat);

  /* It is about to be paused. */
  void (*pause) (RtspSinkSeat * seat);

  /* It is gone, and so is @seat. */
  void (*leave) (RtspSinkSeat * seat, const gchar * reason);
};

RtspSinkSeat *rtsp_sink_seats_find (GPtrArray * seats,
    GstRTSPSessionMedia * media);

RtspSinkSeat *rtsp_sink_seats_steal (GPtrArray * seats,
    GstRTSPSessionMedia * media);

gboolean rtsp_sink_seats_is_interleaved (GstRTSPSessionMedia * media);

gboolean rtsp_sink_seats_are_crossed (GPtrArray * seats,
    GstRTSPSessionMedia * media);

void rtsp_sink_seats_leave (GPtrArray * seats, const gchar * reason);
