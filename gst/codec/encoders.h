/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

#include "codec/videocodecs.h"

GstElement *rtsp_sink_encoders_choose (const RtspSinkVideoCodec * codec,
    GError ** error);

GstElement *rtsp_sink_encoders_parse (const gchar * description,
    GError ** error);

GstElement *rtsp_sink_encoders_find (GstElement * element);

GstElement *rtsp_sink_encoders_make (const RtspSinkVideoCodec * codec,
    const gchar * description, GError ** error);

gchar *rtsp_sink_encoders_dup_name (GstElement * encoder);

const RtspSinkVideoCodec *rtsp_sink_encoders_get_codec (GstElement * encoder);

gboolean rtsp_sink_encoders_takes_interlaced (GstElement * encoder);

gboolean rtsp_sink_encoders_tells_shape (GstElement * encoder);

void rtsp_sink_encoders_complete (GstElement * encoder, GstVideoInfo * info);

guint rtsp_sink_encoders_auto_bitrate (const RtspSinkVideoCodec * codec,
    const GstVideoInfo * info);

void rtsp_sink_encoders_set_bitrate (GstElement * encoder, guint bitrate);

void rtsp_sink_encoders_set_key_unit_interval (GstElement * encoder, guint ms,
    gint fps_n, gint fps_d);
