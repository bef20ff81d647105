/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_NVMM_H__
#define __RTSP_SINK_NVMM_H__

#include <gst/gst.h>

G_BEGIN_DECLS

GstElement *rtsp_sink_nvmm_feed (GstElement * encoder);

GstCaps *rtsp_sink_nvmm_get_taken (GstElement * encoder);

void rtsp_sink_nvmm_bypass (GstElement * encoder);

G_END_DECLS

#endif
