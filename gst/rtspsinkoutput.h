/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_OUTPUT_H__
#define __RTSP_SINK_OUTPUT_H__

#include <gst/base/gstbasesink.h>

#include "rtspsinkfanout.h"
#include "rtspsinkpayloading.h"

G_BEGIN_DECLS

#define RTSP_TYPE_SINK_OUTPUT (rtsp_sink_output_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkOutput, rtsp_sink_output, RTSP, SINK_OUTPUT,
    GstBaseSink)

RtspSinkOutput *rtsp_sink_output_new (RtspSinkFanout * fanout);

void rtsp_sink_output_set_payloading (RtspSinkOutput * self,
    RtspSinkPayloading * payloading, GstClockTime key_unit_interval);

gboolean rtsp_sink_output_wants_frame (RtspSinkOutput * self);

void rtsp_sink_output_expect_unit (RtspSinkOutput * self);

void rtsp_sink_output_request_key_unit (RtspSinkOutput * self);

G_END_DECLS

#endif
