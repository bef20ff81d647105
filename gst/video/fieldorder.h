/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

/* Its fields are its own. */
typedef struct
{
  GstEvent *caps;               /* NULL: none are held */
  GstEvent *segment;            /* it comes behind them */
} RtspSinkFieldOrder;

void rtsp_sink_field_order_clear (RtspSinkFieldOrder * self);

gboolean rtsp_sink_field_order_send_caps (RtspSinkFieldOrder * self, GstPad * pad,
    GstEvent * event, gboolean hold);

gboolean rtsp_sink_field_order_send_segment (RtspSinkFieldOrder * self,
    GstPad * pad, GstEvent * event);

void rtsp_sink_field_order_drop_segment (RtspSinkFieldOrder * self);

void rtsp_sink_field_order_release (RtspSinkFieldOrder * self, GstPad * pad,
    GstBuffer * frame);
