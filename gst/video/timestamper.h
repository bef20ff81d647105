/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"
#include "time/sourcetime.h"
#include "time/timeline.h"

typedef struct
{
  const RtspSinkCodec *codec;   /* of the frames; NULL: no caps yet */
  gint fps_n;                   /* 0: not known */
  gint fps_d;
  RtspSinkTimeline timeline;
  RtspSinkSourceTime source_time;
  gboolean segment_sent;        /* downstream has its one */
} RtspSinkStamping;

void rtsp_sink_stamping_init (RtspSinkStamping * self,
    GstRtspServerSinkTimestampMode mode);

void rtsp_sink_stamping_restart (RtspSinkStamping * self);

gboolean rtsp_sink_stamping_is_raw (const RtspSinkStamping * self);

gboolean rtsp_sink_stamping_is_intra_only (const RtspSinkStamping * self);

void rtsp_sink_stamping_set_caps (RtspSinkStamping * self,
    const GstCaps * caps);

GstEvent *rtsp_sink_stamping_take_segment (RtspSinkStamping * self,
    GstEvent * event);

gboolean rtsp_sink_stamping_stamp (RtspSinkStamping * self,
    GstBuffer ** buffer, GstClockTime now);
