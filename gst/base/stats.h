/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkCounts RtspSinkCounts;

/* What is counted. */
typedef enum
{
  RTSP_SINK_COUNT_FRAMES,       /* whole, and in time */
  RTSP_SINK_COUNT_UNWATCHED,    /* frames that nobody had a use for */
  RTSP_SINK_COUNT_LATE,         /* frames that the encoder was too slow for */
  RTSP_SINK_COUNT_MISFITS,      /* raw frames of another size than the caps' */
  RTSP_SINK_COUNT_DAMAGED,      /* encoded pieces that nothing takes */
  RTSP_SINK_N_COUNTS
} RtspSinkCount;

RtspSinkCounts *rtsp_sink_counts_new (void);

void rtsp_sink_counts_free (RtspSinkCounts * self);

void rtsp_sink_counts_add (RtspSinkCounts * self, RtspSinkCount what);

void rtsp_sink_counts_reset (RtspSinkCounts * self);

GstStructure *rtsp_sink_counts_describe (RtspSinkCounts * self);
