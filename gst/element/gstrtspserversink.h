/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

#define GST_TYPE_RTSP_SERVER_SINK (gst_rtsp_server_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRtspServerSink, gst_rtsp_server_sink, GST,
    RTSP_SERVER_SINK, GstBin)

GST_ELEMENT_REGISTER_DECLARE (rtspserversink);
