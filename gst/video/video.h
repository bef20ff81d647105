/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/stats.h"
#include "stream/fanout.h"
#include "base/settings.h"

typedef struct _RtspSinkVideo RtspSinkVideo;

/* From now on media can be made. Any thread, no lock held. */
typedef void (*RtspSinkVideoFunc) (gpointer element);

RtspSinkVideo *rtsp_sink_video_new (GstBin * element, RtspSinkVideoFunc ready);

void rtsp_sink_video_free (RtspSinkVideo * self);

RtspSinkFanout *rtsp_sink_video_get_fanout (RtspSinkVideo * self);

RtspSinkStats *rtsp_sink_video_get_counts (RtspSinkVideo * self);

GstPad *rtsp_sink_video_get_pad (RtspSinkVideo * self);

gboolean rtsp_sink_video_open (RtspSinkVideo * self,
    const RtspSinkSettings * settings, gboolean feedback,
    const GstCaps * expected);

void rtsp_sink_video_close (RtspSinkVideo * self);

void rtsp_sink_video_set_dormant (RtspSinkVideo * self, gboolean runs,
    gboolean dormant);

void rtsp_sink_video_set_rates (RtspSinkVideo * self, guint bitrate,
    guint key_unit_interval);

gchar *rtsp_sink_video_dup_encoder_name (RtspSinkVideo * self);

GstStructure *rtsp_sink_video_describe (RtspSinkVideo * self);
