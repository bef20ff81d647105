/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

#include "codec/encodertable.h"
#include "codec/videocodecs.h"

GstElement *rtsp_sink_encoder_find (GstElement * element);

gchar *rtsp_sink_encoder_dup_name (GstElement * encoder);

const RtspSinkVideoCodec *rtsp_sink_encoder_get_codec (GstElement * encoder);

gboolean rtsp_sink_encoder_takes_interlaced (GstElement * encoder);

gboolean rtsp_sink_encoder_tells_shape (GstElement * encoder);

void rtsp_sink_encoder_complete (GstElement * encoder, GstVideoInfo * info);

void rtsp_sink_encoder_apply_settings (GstElement * encoder,
    const RtspSinkEncoderRow * row);

void rtsp_sink_encoder_translate_requests (GstElement * encoder,
    const RtspSinkEncoderRow * row);

guint rtsp_sink_encoder_auto_bitrate (const RtspSinkVideoCodec * codec,
    const GstVideoInfo * info);

void rtsp_sink_encoder_set_bitrate (GstElement * encoder, guint bitrate);

void rtsp_sink_encoder_set_key_unit_interval (GstElement * encoder, guint ms,
    gint fps_n, gint fps_d);
