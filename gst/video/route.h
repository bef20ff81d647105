/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/rates.h"
#include "codec/videocodecs.h"
#include "base/settings.h"
#include "base/stats.h"

typedef struct _RtspSinkRoute RtspSinkRoute;

/* What the encoding tells its owner. The encoder's thread. */
typedef struct
{
  /* An encoder is there, without caps. Also within rtsp_sink_route_new(). */
  void (*encoder_made) (GstElement * encoder, gpointer user_data);

  /* Video of other caps comes next. Is it encoded here? */
  void (*input_changed) (gboolean encoded_here, gpointer user_data);

  /* Something came that cannot be served; what follows is refused. */
  void (*failed) (const GError * error, gpointer user_data);
} RtspSinkRouteFuncs;

RtspSinkRoute *rtsp_sink_route_new (const RtspSinkSettings * settings,
    const GstCaps * expected, RtspSinkRates * rates, RtspSinkStats * stats,
    const RtspSinkRouteFuncs * funcs, gpointer user_data, GError ** error);

void rtsp_sink_route_free (RtspSinkRoute * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkRoute, rtsp_sink_route_free)

GstElement *rtsp_sink_route_get_bin (RtspSinkRoute * self);

GstCaps *rtsp_sink_route_get_caps (RtspSinkRoute * self);

gchar *rtsp_sink_route_dup_encoder_name (RtspSinkRoute * self);

const RtspSinkVideoCodec *rtsp_sink_route_get_codec (RtspSinkRoute * self);

void rtsp_sink_route_set_source (RtspSinkRoute * self, gboolean live,
    gboolean droppable, gboolean scarce);

gboolean rtsp_sink_route_has_room (RtspSinkRoute * self);
