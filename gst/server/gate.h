/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#define RTSP_SINK_TYPE_GATE (rtsp_sink_gate_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkGate, rtsp_sink_gate, RTSP_SINK, GATE,
    GstRTSPAuth)

/* The methods that are served. */
#define RTSP_SINK_GATE_METHODS (GST_RTSP_OPTIONS | GST_RTSP_DESCRIBE | \
    GST_RTSP_SETUP | GST_RTSP_PLAY | GST_RTSP_PAUSE | GST_RTSP_TEARDOWN | \
    GST_RTSP_GET_PARAMETER | GST_RTSP_SET_PARAMETER)

GstRTSPAuth *rtsp_sink_gate_new (void);
