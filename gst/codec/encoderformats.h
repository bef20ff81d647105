/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_ENCODER_FORMATS_H__
#define __RTSP_SINK_ENCODER_FORMATS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

GstCaps *rtsp_sink_encoder_formats_get (GstElement * encoder);

G_END_DECLS

#endif
