/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "time/timeline.h"

typedef struct _RtspSinkPacing RtspSinkPacing;

RtspSinkPacing *rtsp_sink_pacing_new (GstElement * element);

void rtsp_sink_pacing_free (RtspSinkPacing * self);

void rtsp_sink_pacing_set_flushing (RtspSinkPacing * self, gboolean flushing);

void rtsp_sink_pacing_set_playing (RtspSinkPacing * self, gboolean playing);

void rtsp_sink_pacing_set_latency (RtspSinkPacing * self,
    GstClockTime latency);

void rtsp_sink_pacing_restart (RtspSinkPacing * self);

gboolean rtsp_sink_pacing_is_playing (RtspSinkPacing * self);

GstClockTime rtsp_sink_pacing_due (GstClockTime now, GstClockTime latency);

GstClockTime rtsp_sink_pacing_now (RtspSinkPacing * self, gboolean paced);

GstClockTime rtsp_sink_pacing_running_time (GstElement * element);

gboolean rtsp_sink_pacing_ask_source (GstPad * pad, GstRtspServerSinkSync sync,
    RtspSinkTimeline * timeline);

/* It is not the time yet. */
#define RTSP_SINK_PACING_INTERRUPTED GST_FLOW_CUSTOM_SUCCESS

GstFlowReturn rtsp_sink_pacing_wait_restarted (RtspSinkPacing * self);

void rtsp_sink_pacing_interrupt (RtspSinkPacing * self);

GstFlowReturn rtsp_sink_pacing_wait (RtspSinkPacing * self, GstClockTime time);
