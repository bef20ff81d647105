/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_ENCODERS_H__
#define __RTSP_SINK_ENCODERS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

GstElement *rtsp_sink_encoders_choose (GError ** error);

GstElement *rtsp_sink_encoders_parse (const gchar * description,
    GError ** error);

gboolean rtsp_sink_encoders_takes_interlaced (GstElement * encoder);

void rtsp_sink_encoders_set_bitrate (GstElement * encoder, guint bitrate);

G_END_DECLS

#endif
