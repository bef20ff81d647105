/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkStats RtspSinkStats;

/* What is counted. */
typedef enum
{
  RTSP_SINK_STATS_FRAMES,       /* whole, and in time */
  RTSP_SINK_STATS_UNWATCHED,    /* frames that nobody had a use for */
  RTSP_SINK_STATS_LATE,         /* frames that the encoder was too slow for */
  RTSP_SINK_STATS_MISFITS,      /* raw frames of another size than the caps' */
  RTSP_SINK_STATS_DAMAGED,      /* encoded pieces that nothing takes */
  RTSP_SINK_N_STATS
} RtspSinkStat;

RtspSinkStats *rtsp_sink_stats_new (void);

void rtsp_sink_stats_free (RtspSinkStats * self);

void rtsp_sink_stats_add (RtspSinkStats * self, RtspSinkStat what);

void rtsp_sink_stats_reset (RtspSinkStats * self);

GstStructure *rtsp_sink_stats_describe (RtspSinkStats * self);
