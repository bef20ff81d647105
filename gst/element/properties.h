/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_PROPERTIES_H__
#define __RTSP_SINK_PROPERTIES_H__

#include <gst/gst.h>

G_BEGIN_DECLS

GParamSpec *rtsp_sink_properties_make (guint i);

void rtsp_sink_properties_install_status (GObjectClass * klass,
    guint first_id);

G_END_DECLS

#endif
