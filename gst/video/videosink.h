/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/base/gstbasesink.h>

#include "codec/rates.h"
#include "codec/videocodecs.h"
#include "base/stats.h"
#include "stream/fanout.h"
#include "video/payloader.h"

#define RTSP_SINK_TYPE_VIDEO_SINK (rtsp_sink_video_sink_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkVideoSink, rtsp_sink_video_sink, RTSP_SINK, VIDEO_SINK,
    GstBaseSink)

/* A payloader is there, in NULL. Encoder's thread, or the application's. */
typedef void (*RtspSinkVideoSinkPayloaderMade) (GstElement * payloader,
    gpointer user_data);

RtspSinkVideoSink *rtsp_sink_video_sink_new (RtspSinkFanout * fanout,
    RtspSinkVideoSinkPayloaderMade payloader_made, gpointer user_data,
    RtspSinkRates * rates, RtspSinkStats * stats);

gboolean rtsp_sink_video_sink_set_codec (RtspSinkVideoSink * self,
    const RtspSinkVideoCodec * codec, GError ** error);

void rtsp_sink_video_sink_set_feedback (RtspSinkVideoSink * self, gboolean feedback);

void rtsp_sink_video_sink_set_gop_cache (RtspSinkVideoSink * self,
    gboolean gop_cache);

void rtsp_sink_video_sink_reset (RtspSinkVideoSink * self);

gboolean rtsp_sink_video_sink_wants_frame (RtspSinkVideoSink * self);

void rtsp_sink_video_sink_expect_unit (RtspSinkVideoSink * self,
    gboolean encoded_here);

void rtsp_sink_video_sink_request_key_unit (RtspSinkVideoSink * self);
