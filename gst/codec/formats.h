/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

gboolean rtsp_sink_formats_fit_buffer (const GstVideoInfo * info,
    GstBuffer ** buffer);

GstCaps *rtsp_sink_formats_crop_caps (const GstCaps * caps, gint right,
    gint bottom);

GstBuffer *rtsp_sink_formats_crop_buffer (const GstVideoInfo * info,
    GstBuffer * buffer, gint right, gint bottom);

gboolean rtsp_sink_formats_lacks_field_order (const GstVideoInfo * info);

GstCaps *rtsp_sink_formats_tell_field_order (GstCaps * caps,
    GstBuffer * frame);

/* What videobalance is to be set to. */
typedef struct
{
  gdouble contrast;
  gdouble brightness;
  gdouble saturation;
} RtspSinkRangeMap;

gboolean rtsp_sink_formats_has_range (const GstVideoInfo * info,
    gboolean full_range);

RtspSinkRangeMap rtsp_sink_formats_map_range (const GstVideoInfo * info,
    gboolean full_range);

GstCaps *rtsp_sink_formats_for_encoder (const GstCaps * formats,
    const GstVideoInfo * info, const gchar * colorimetry);

GstVideoFormat rtsp_sink_formats_for_raw (const GstVideoInfo * info,
    GError ** error);

gint rtsp_sink_formats_raw_columns (GstVideoFormat format);

gint rtsp_sink_formats_raw_rows (GstVideoFormat format);

gboolean rtsp_sink_formats_is_scarce (GstBuffer * buffer);
