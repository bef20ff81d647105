/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/viewers.h"
#include "base/settings.h"
#include "stream/streams.h"

/* The application is told of it once in this time, in µs, that descriptors run out. A
 * test that waits for the next time sets less before the start; nothing else does. */
extern gint64 rtsp_sink_service_warning_interval;

typedef struct _RtspSinkService RtspSinkService;

RtspSinkService *rtsp_sink_service_new (GstElement * element,
    RtspSinkStreams * streams);

void rtsp_sink_service_free (RtspSinkService * self);

gboolean rtsp_sink_service_start (RtspSinkService * self,
    const RtspSinkSettings * settings);

void rtsp_sink_service_stop (RtspSinkService * self);

guint rtsp_sink_service_get_port (RtspSinkService * self);

gchar *rtsp_sink_service_dup_uri (RtspSinkService * self);

RtspSinkAudience *rtsp_sink_service_get_audience (RtspSinkService * self);

void rtsp_sink_service_changed (RtspSinkService * self);
