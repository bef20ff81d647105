/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/stats.h"
#include "base/settings.h"
#include "stream/streams.h"

typedef struct _RtspSinkAudio RtspSinkAudio;

RtspSinkAudio *rtsp_sink_audio_new (RtspSinkFanout * video,
    const RtspSinkFanoutFuncs * funcs, gpointer user_data,
    RtspSinkStats * stats);

void rtsp_sink_audio_free (RtspSinkAudio * self);

GstElement *rtsp_sink_audio_get_bin (RtspSinkAudio * self);

RtspSinkFanout *rtsp_sink_audio_get_fanout (RtspSinkAudio * self);

gboolean rtsp_sink_audio_configure (RtspSinkAudio * self,
    const RtspSinkSettings * settings, GError ** error);
