/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* No codec lets more frames pass by one that is shown before them (H.264, A.3.1:
 * MaxDpbFrames). */
#define RTSP_SINK_SHOWN_DEPTH 16

typedef struct
{
  GstClockTime recent[RTSP_SINK_SHOWN_DEPTH];   /* of the newest frames */
  guint n_recent;
  guint next;                   /* where the next one is written */
  GstClockTime highest;         /* came with a frame so far, or NONE */
  GstClockTime given;           /* and what its frame got */
} RtspSinkShown;

void rtsp_sink_shown_init (RtspSinkShown * self);

gboolean rtsp_sink_shown_take (RtspSinkShown * self, GstClockTime pts,
    gboolean key_unit);

GstClockTime rtsp_sink_shown_place (RtspSinkShown * self, GstClockTime pts,
    GstClockTimeDiff wanted);
