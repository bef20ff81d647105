/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/base/gstbasesink.h>

#include "base/stats.h"
#include "stream/fanout.h"
#include "base/settings.h"

#define RTSP_SINK_TYPE_AUDIO_SINK (rtsp_sink_audio_sink_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkAudioSink, rtsp_sink_audio_sink, RTSP_SINK, AUDIO_SINK, GstBaseSink)

/* Its thread. Is the source live? */
typedef void (*RtspSinkAudioSinkFunc) (gboolean live, gpointer user_data);

RtspSinkAudioSink *rtsp_sink_audio_sink_new (RtspSinkFanout * fanout,
    RtspSinkAudioSinkFunc source_known, gpointer user_data,
    RtspSinkStats * stats);

void rtsp_sink_audio_sink_configure (RtspSinkAudioSink * self,
    const RtspSinkSettings * settings);
