/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GstSegment segment;
  gboolean begun;               /* a frame of it came */
  GstClockTime shift;           /* by which all of it is later */
} RtspSinkSourceTime;

gboolean rtsp_sink_source_time_has_running_time (const GstSegment * segment);

void rtsp_sink_source_time_init (RtspSinkSourceTime * self, GstEvent * event);

void rtsp_sink_source_time_begin (RtspSinkSourceTime * self,
    GstClockTime first, gboolean shifted);

GstClockTime rtsp_sink_source_time_convert (const RtspSinkSourceTime * self,
    GstClockTime time, gboolean early);
