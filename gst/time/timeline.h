/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/settings.h"
#include "time/shown.h"

typedef struct
{
  GstRtspServerSinkTimestampMode mode;
  gboolean paced;               /* frames wait for their time */
  GstClockTime latency;         /* of live input: how late a frame may be */

  GstClockTime last_pts;        /* came with the frame before, or NONE */
  GstClockTime last;            /* given to it, or NONE */
  RtspSinkShown shown;          /* frames of encoded video */
  GstClockTime ahead;           /* the least by which PTS is ahead of DTS */
  GstClockTimeDiff lead;        /* of that frame before the clock */
  GstClockTimeDiff offset;      /* added to time stamps */
  gboolean drifting;            /* time stamps run at another speed */
} RtspSinkTimeline;

void rtsp_sink_timeline_init (RtspSinkTimeline * self,
    GstRtspServerSinkTimestampMode mode);

void rtsp_sink_timeline_restart (RtspSinkTimeline * self);

GstClockTime rtsp_sink_timeline_stamp (RtspSinkTimeline * self,
    GstClockTime pts, GstClockTime duration, GstClockTime now);

void rtsp_sink_timeline_stamp_encoded (RtspSinkTimeline * self,
    GstClockTime * pts, GstClockTime * dts, gboolean key_unit,
    GstClockTime duration, GstClockTime now);
