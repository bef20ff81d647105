/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/viewer.h"

typedef struct _RtspSinkAudience RtspSinkAudience;

RtspSinkAudience *rtsp_sink_audience_new (void);

RtspSinkAudience *rtsp_sink_audience_ref (RtspSinkAudience * self);

void rtsp_sink_audience_unref (RtspSinkAudience * self);

guint rtsp_sink_audience_next_id (RtspSinkAudience * self);

gboolean rtsp_sink_audience_add (RtspSinkAudience * self,
    RtspSinkSpectator * spectator, guint max);

void rtsp_sink_audience_remove (RtspSinkAudience * self,
    RtspSinkSpectator * spectator);

gboolean rtsp_sink_audience_is_full (RtspSinkAudience * self, guint max);

guint rtsp_sink_audience_count_playing (RtspSinkAudience * self);

gboolean rtsp_sink_audience_dismiss (RtspSinkAudience * self, guint id,
    const gchar * reason);

GstStructure *rtsp_sink_audience_describe (RtspSinkAudience * self);
