/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

typedef struct _RtspSinkInterleaved RtspSinkInterleaved;

RtspSinkInterleaved *rtsp_sink_interleaved_attach
    (GstRTSPStreamTransport * transport, GstRTSPConnection * connection);

RtspSinkInterleaved *rtsp_sink_interleaved_find
    (GstRTSPStreamTransport * transport);

void rtsp_sink_interleaved_start (RtspSinkInterleaved * self);

void rtsp_sink_interleaved_enqueue (RtspSinkInterleaved * self,
    GstBufferList * packets, GstClockTime since);

void rtsp_sink_interleaved_send (RtspSinkInterleaved * self);

gsize rtsp_sink_interleaved_get_queued (RtspSinkInterleaved * self);

GstClockTime rtsp_sink_interleaved_get_delay (RtspSinkInterleaved * self,
    GstClockTime now);

/* Access units, and what they had. */
typedef struct
{
  guint n_units;
  guint n_packets;
  gsize n_bytes;
} RtspSinkSkipped;

void rtsp_sink_interleaved_skip (RtspSinkInterleaved * self,
    RtspSinkSkipped * skipped);

void rtsp_sink_interleaved_drop (RtspSinkInterleaved * self);

void rtsp_sink_interleaved_stop (RtspSinkInterleaved * self);
