/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "stream/fanout.h"

typedef struct _RtspSinkStreams RtspSinkStreams;

RtspSinkStreams *rtsp_sink_streams_new (void);

void rtsp_sink_streams_free (RtspSinkStreams * self);

void rtsp_sink_streams_add (RtspSinkStreams * self, RtspSinkFanout * fanout,
    GstPad * pad);

void rtsp_sink_streams_remove (RtspSinkStreams * self,
    RtspSinkFanout * fanout);

gboolean rtsp_sink_streams_is_ready (RtspSinkStreams * self, gboolean late);

GPtrArray *rtsp_sink_streams_ref_offered (RtspSinkStreams * self);

RtspSinkMediaClock *rtsp_sink_streams_get_media_clock (RtspSinkStreams * self);
