/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

/* Its fields are its own. */
typedef struct
{
  GstEvent *caps;               /* NULL: none are held */
  GstEvent *segment;            /* it comes behind them */
} RtspSinkHeldCaps;

void rtsp_sink_held_caps_clear (RtspSinkHeldCaps * self);

gboolean rtsp_sink_held_caps_send_caps (RtspSinkHeldCaps * self, GstPad * pad,
    GstEvent * event, gboolean hold);

gboolean rtsp_sink_held_caps_send_segment (RtspSinkHeldCaps * self,
    GstPad * pad, GstEvent * event);

void rtsp_sink_held_caps_drop_segment (RtspSinkHeldCaps * self);

void rtsp_sink_held_caps_release (RtspSinkHeldCaps * self, GstPad * pad,
    GstBuffer * frame);
