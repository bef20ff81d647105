/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/viewer.h"

typedef struct _RtspSinkViewers RtspSinkViewers;

RtspSinkViewers *rtsp_sink_viewers_new (void);

RtspSinkViewers *rtsp_sink_viewers_ref (RtspSinkViewers * self);

void rtsp_sink_viewers_unref (RtspSinkViewers * self);

guint rtsp_sink_viewers_next_id (RtspSinkViewers * self);

gboolean rtsp_sink_viewers_add (RtspSinkViewers * self,
    RtspSinkViewer * viewer, guint max);

void rtsp_sink_viewers_remove (RtspSinkViewers * self,
    RtspSinkViewer * viewer);

gboolean rtsp_sink_viewers_is_full (RtspSinkViewers * self, guint max);

guint rtsp_sink_viewers_count_playing (RtspSinkViewers * self);

gboolean rtsp_sink_viewers_dismiss (RtspSinkViewers * self, guint id,
    const gchar * reason);

GstStructure *rtsp_sink_viewers_describe (RtspSinkViewers * self);
