/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

gboolean rtsp_sink_rtp_check_has_min_payload (const RtspSinkVideoCodec * codec,
    GstBuffer * packet);

gboolean rtsp_sink_rtp_check_has_start_code (GstBuffer * packet);
