/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"
#include "time/sourcetime.h"
#include "time/timeline.h"

typedef struct
{
  const RtspSinkVideoCodec *codec;   /* of the frames; NULL: no caps yet */
  gint fps_n;                   /* 0: not known */
  gint fps_d;
  RtspSinkTimeline timeline;
  RtspSinkSourceTime source_time;
  gboolean segment_sent;        /* downstream has its one */
} RtspSinkTimestamper;

void rtsp_sink_timestamper_init (RtspSinkTimestamper * self,
    GstRtspServerSinkTimestampMode mode);

void rtsp_sink_timestamper_restart (RtspSinkTimestamper * self);

gboolean rtsp_sink_timestamper_is_raw (const RtspSinkTimestamper * self);

gboolean rtsp_sink_timestamper_is_intra_only (const RtspSinkTimestamper * self);

void rtsp_sink_timestamper_set_caps (RtspSinkTimestamper * self,
    const GstCaps * caps);

GstEvent *rtsp_sink_timestamper_take_segment (RtspSinkTimestamper * self,
    GstEvent * event);

gboolean rtsp_sink_timestamper_stamp (RtspSinkTimestamper * self,
    GstBuffer ** buffer, GstClockTime now);
