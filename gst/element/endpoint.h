/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/viewers.h"
#include "base/settings.h"
#include "stream/streams.h"

/* The application is told of it once in this time, in µs, that descriptors run out. A
 * test that waits for the next time sets less before the start; nothing else does. */
extern gint64 rtsp_sink_endpoint_warning_interval;

typedef struct _RtspSinkEndpoint RtspSinkEndpoint;

RtspSinkEndpoint *rtsp_sink_endpoint_new (GstElement * element,
    RtspSinkStreams * streams);

void rtsp_sink_endpoint_free (RtspSinkEndpoint * self);

gboolean rtsp_sink_endpoint_start (RtspSinkEndpoint * self,
    const RtspSinkSettings * settings);

void rtsp_sink_endpoint_stop (RtspSinkEndpoint * self);

guint rtsp_sink_endpoint_get_port (RtspSinkEndpoint * self);

gchar *rtsp_sink_endpoint_dup_uri (RtspSinkEndpoint * self);

RtspSinkViewers *rtsp_sink_endpoint_get_viewers (RtspSinkEndpoint * self);

void rtsp_sink_endpoint_changed (RtspSinkEndpoint * self);
