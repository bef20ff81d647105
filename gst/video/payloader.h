/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkPayloading RtspSinkPayloading;

RtspSinkPayloading *rtsp_sink_payloading_new (GstElement * payloader,
    gboolean feedback, GError ** error);

void rtsp_sink_payloading_free (RtspSinkPayloading * self);

gboolean rtsp_sink_payloading_set_caps (RtspSinkPayloading * self,
    GstCaps * caps);

GstBufferList *rtsp_sink_payloading_push (RtspSinkPayloading * self,
    GstBuffer * unit);

gchar *rtsp_sink_payloading_take_problem (RtspSinkPayloading * self);

GstCaps *rtsp_sink_payloading_get_caps (RtspSinkPayloading * self);
