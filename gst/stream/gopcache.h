/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkGopCache RtspSinkGopCache;

RtspSinkGopCache *rtsp_sink_gop_cache_new (void);

void rtsp_sink_gop_cache_free (RtspSinkGopCache * self);

void rtsp_sink_gop_cache_add (RtspSinkGopCache * self, GstBufferList * packets,
    gboolean key_unit);

void rtsp_sink_gop_cache_clear (RtspSinkGopCache * self);

GPtrArray *rtsp_sink_gop_cache_dup_units (RtspSinkGopCache * self);

GstClockTime rtsp_sink_gop_cache_get_time (RtspSinkGopCache * self);
