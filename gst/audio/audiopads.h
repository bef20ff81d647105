/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/settings.h"
#include "base/stats.h"
#include "stream/streams.h"

typedef struct _RtspSinkAudioPads RtspSinkAudioPads;

void rtsp_sink_audio_pads_add_template (GstElementClass * klass);

RtspSinkAudioPads *rtsp_sink_audio_pads_new (GstBin * element,
    RtspSinkStreams * streams, RtspSinkFanout * video,
    RtspSinkStats * stats, const RtspSinkFanoutFuncs * funcs);

void rtsp_sink_audio_pads_free (RtspSinkAudioPads * self);

GstPad *rtsp_sink_audio_pads_request (RtspSinkAudioPads * self,
    GstPadTemplate * template, const gchar * name,
    const RtspSinkSettings * settings);

void rtsp_sink_audio_pads_release (RtspSinkAudioPads * self,
    GstPad * pad);

gboolean rtsp_sink_audio_pads_configure (RtspSinkAudioPads * self,
    const RtspSinkSettings * settings, GError ** error);

gboolean rtsp_sink_audio_pads_is_empty (RtspSinkAudioPads * self);
