/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkPayloader RtspSinkPayloader;

RtspSinkPayloader *rtsp_sink_payloader_new (GstElement * payloader,
    gboolean feedback, GError ** error);

void rtsp_sink_payloader_free (RtspSinkPayloader * self);

gboolean rtsp_sink_payloader_set_caps (RtspSinkPayloader * self,
    GstCaps * caps);

GstBufferList *rtsp_sink_payloader_push (RtspSinkPayloader * self,
    GstBuffer * unit);

gchar *rtsp_sink_payloader_take_problem (RtspSinkPayloader * self);

GstCaps *rtsp_sink_payloader_get_caps (RtspSinkPayloader * self);
