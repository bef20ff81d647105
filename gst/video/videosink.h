/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/base/gstbasesink.h>

#include "codec/videocodecs.h"
#include "base/stats.h"
#include "stream/fanout.h"
#include "video/payloader.h"

#define RTSP_TYPE_SINK_OUTPUT (rtsp_sink_output_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkOutput, rtsp_sink_output, RTSP, SINK_OUTPUT,
    GstBaseSink)

/* A payloader is there, in NULL. Encoder's thread, or the application's. */
typedef void (*RtspSinkOutputPayloaderMade) (GstElement * payloader,
    gpointer user_data);

RtspSinkOutput *rtsp_sink_output_new (RtspSinkFanout * fanout,
    RtspSinkOutputPayloaderMade payloader_made, gpointer user_data,
    RtspSinkCounts * counts);

gboolean rtsp_sink_output_set_codec (RtspSinkOutput * self,
    const RtspSinkCodec * codec, GError ** error);

void rtsp_sink_output_set_feedback (RtspSinkOutput * self, gboolean feedback);

void rtsp_sink_output_set_gop_cache (RtspSinkOutput * self,
    gboolean gop_cache);

void rtsp_sink_output_set_key_unit_interval (RtspSinkOutput * self,
    guint interval);

void rtsp_sink_output_reset (RtspSinkOutput * self);

gboolean rtsp_sink_output_wants_frame (RtspSinkOutput * self);

void rtsp_sink_output_expect_unit (RtspSinkOutput * self,
    gboolean encoded_here);

void rtsp_sink_output_request_key_unit (RtspSinkOutput * self);
