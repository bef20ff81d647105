/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/settings.h"

/* What can only be read. The ids of the settings follow. */
typedef enum
{
  RTSP_SINK_PROPERTY_BOUND_PORT = 1,
  RTSP_SINK_PROPERTY_URI,
  RTSP_SINK_PROPERTY_NUM_VIEWERS,
  RTSP_SINK_PROPERTY_ACTIVE_ENCODER,
  RTSP_SINK_PROPERTY_STATS,
} RtspSinkProperty;

void rtsp_sink_properties_install (GObjectClass * klass);

void rtsp_sink_properties_set (RtspSinkSettings * settings, guint id,
    const GValue * value);

void rtsp_sink_properties_get (const RtspSinkSettings * settings, guint id,
    GValue * value);
