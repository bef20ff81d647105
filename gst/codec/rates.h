/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

#include "codec/videocodecs.h"

typedef struct _RtspSinkRates RtspSinkRates;

RtspSinkRates *rtsp_sink_rates_new (void);

void rtsp_sink_rates_free (RtspSinkRates * self);

void rtsp_sink_rates_set (RtspSinkRates * self, guint bitrate,
    guint key_unit_interval);

void rtsp_sink_rates_set_input (RtspSinkRates * self,
    const RtspSinkVideoCodec * codec, const GstVideoInfo * info);

void rtsp_sink_rates_apply (RtspSinkRates * self, GstElement * encoder,
    gboolean own_choice);
