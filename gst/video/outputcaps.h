/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

gboolean rtsp_sink_output_caps_check (const GstCaps * wanted, GError ** error);

void rtsp_sink_output_caps_apply (const GstCaps * wanted, GstVideoInfo * info);

/* Which frames are left out, so that not more than a rate is served. */
typedef struct
{
  GstClockTime interval;        /* from one to the next; 0: none is left out */
  GstClockTime next;            /* PTS that the next one has, or NONE */
} RtspSinkOutputCapsRate;

void rtsp_sink_output_caps_make_square (GstVideoInfo * info);

void rtsp_sink_output_caps_rate_init (RtspSinkOutputCapsRate * self,
    const GstVideoInfo * input, const GstVideoInfo * served);

gboolean rtsp_sink_output_caps_rate_takes (RtspSinkOutputCapsRate * self,
    GstClockTime pts);
