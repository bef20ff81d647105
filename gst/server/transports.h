/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "base/settings.h"

gboolean rtsp_sink_transports_configure (GstRTSPMediaFactory * factory,
    const RtspSinkSettings * settings, GError ** error);

gboolean rtsp_sink_transports_has_multicast (const RtspSinkSettings * settings);

gboolean rtsp_sink_transports_has_feedback (const RtspSinkSettings * settings);
