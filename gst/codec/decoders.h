/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_DECODERS_H__
#define __RTSP_SINK_DECODERS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

GstElement *rtsp_sink_decoders_choose (const GstCaps * caps, GError ** error);

G_END_DECLS

#endif
