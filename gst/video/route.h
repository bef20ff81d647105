/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "video/converter.h"
#include "base/settings.h"
#include "base/stats.h"

typedef struct _RtspSinkRoute RtspSinkRoute;

RtspSinkRoute *rtsp_sink_route_new (const RtspSinkSettings * settings,
    const GstCaps * expected, RtspSinkRates * rates, RtspSinkStats * stats,
    const RtspSinkConverterFuncs * funcs, gpointer user_data, GError ** error);

void rtsp_sink_route_free (RtspSinkRoute * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkRoute, rtsp_sink_route_free)

GstElement *rtsp_sink_route_get_bin (RtspSinkRoute * self);

GstCaps *rtsp_sink_route_get_caps (RtspSinkRoute * self);

gchar *rtsp_sink_route_dup_encoder_name (RtspSinkRoute * self);

const RtspSinkVideoCodec *rtsp_sink_route_get_codec (RtspSinkRoute * self);

void rtsp_sink_route_set_source (RtspSinkRoute * self, gboolean live,
    gboolean droppable, gboolean scarce);

gboolean rtsp_sink_route_has_room (RtspSinkRoute * self);
