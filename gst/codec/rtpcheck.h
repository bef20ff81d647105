/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

gboolean rtsp_sink_packing_is_whole (const RtspSinkCodec * codec,
    GstBuffer * packet);

gboolean rtsp_sink_packing_has_start_code (GstBuffer * packet);
