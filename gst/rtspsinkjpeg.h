/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_JPEG_H__
#define __RTSP_SINK_JPEG_H__

#include <gst/gst.h>

G_BEGIN_DECLS

const gchar *rtsp_sink_jpeg_find_obstacle (GstBuffer * picture);

G_END_DECLS

#endif
