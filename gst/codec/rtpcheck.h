/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_PACKING_H__
#define __RTSP_SINK_PACKING_H__

#include "codec/videocodecs.h"

G_BEGIN_DECLS

gboolean rtsp_sink_packing_is_whole (const RtspSinkCodec * codec,
    GstBuffer * packet);

gboolean rtsp_sink_packing_has_start_code (GstBuffer * packet);

G_END_DECLS

#endif
