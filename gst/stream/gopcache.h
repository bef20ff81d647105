/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkGroup RtspSinkGroup;

RtspSinkGroup *rtsp_sink_group_new (void);

void rtsp_sink_group_free (RtspSinkGroup * self);

void rtsp_sink_group_add (RtspSinkGroup * self, GstBufferList * packets,
    gboolean key_unit);

void rtsp_sink_group_clear (RtspSinkGroup * self);

GPtrArray *rtsp_sink_group_dup_units (RtspSinkGroup * self);

GstClockTime rtsp_sink_group_get_time (RtspSinkGroup * self);
