/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GstClockTime next;            /* where the buffer before ended, or NONE */
  GstClockTime since;           /* when the window began */
  GstClockTimeDiff least;       /* delay in it, against the time given */
} RtspSinkSampleCount;

void rtsp_sink_sample_count_restart (RtspSinkSampleCount * self);

GstClockTime rtsp_sink_sample_count_stamp (RtspSinkSampleCount * self,
    GstClockTime duration, GstClockTime now);
