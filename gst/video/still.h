/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* A source is quiet when no frame came for as long. A live one that is only held up
 * is to go on by itself. */
#define RTSP_SINK_STILL_QUIET_TIME (500 * GST_MSECOND)

typedef struct _RtspSinkStill RtspSinkStill;

RtspSinkStill *rtsp_sink_still_new (void);

void rtsp_sink_still_free (RtspSinkStill * self);

void rtsp_sink_still_keep (RtspSinkStill * self, GstBuffer * frame,
    gboolean scarce);

void rtsp_sink_still_resume (RtspSinkStill * self);

void rtsp_sink_still_clear (RtspSinkStill * self);

gboolean rtsp_sink_still_want (RtspSinkStill * self);

gboolean rtsp_sink_still_wait (RtspSinkStill * self);

GstBuffer *rtsp_sink_still_ref_frame (RtspSinkStill * self);
