/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_DORMANT_H__
#define __RTSP_SINK_DORMANT_H__

#include <gst/gst.h>

G_BEGIN_DECLS

void rtsp_sink_dormant_set (GstElement * element, gboolean dormant);

G_END_DECLS

#endif
