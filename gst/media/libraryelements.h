/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_TUNING_H__
#define __RTSP_SINK_TUNING_H__

#include <gst/gst.h>

G_BEGIN_DECLS

void rtsp_sink_tuning_apply (GstElement * element, const gchar * name);

G_END_DECLS

#endif
