/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkInlineBin RtspSinkInlineBin;

/* Where that goes which comes out. The thread that pushes. */
typedef struct
{
  /* Transfer full. */
  GstFlowReturn (*buffer) (GstBuffer * buffer, gpointer user_data);

  /* Transfer full. */
  gboolean (*event) (GstEvent * event, gpointer user_data);
} RtspSinkInlineBinFuncs;

RtspSinkInlineBin *rtsp_sink_inline_bin_new (const RtspSinkInlineBinFuncs *
    funcs, gpointer user_data);

void rtsp_sink_inline_bin_free (RtspSinkInlineBin * self);

void rtsp_sink_inline_bin_append (RtspSinkInlineBin * self,
    GstElement * element);

gboolean rtsp_sink_inline_bin_start (RtspSinkInlineBin * self,
    GstCaps * output, GError ** error);

gchar *rtsp_sink_inline_bin_take_problem (RtspSinkInlineBin * self);

gboolean rtsp_sink_inline_bin_set_caps (RtspSinkInlineBin * self,
    GstCaps * caps);

gboolean rtsp_sink_inline_bin_push_event (RtspSinkInlineBin * self,
    GstEvent * event);

GstFlowReturn rtsp_sink_inline_bin_push (RtspSinkInlineBin * self,
    GstBuffer * buffer);

GstBufferList *rtsp_sink_inline_bin_call (RtspSinkInlineBin * self,
    GstBuffer * buffer);

GstBufferList *rtsp_sink_inline_bin_end (RtspSinkInlineBin * self);

void rtsp_sink_inline_bin_restart (RtspSinkInlineBin * self);

void rtsp_sink_inline_bin_go_on (RtspSinkInlineBin * self,
    RtspSinkInlineBin * old);

GstCaps *rtsp_sink_inline_bin_get_caps (RtspSinkInlineBin * self);
