/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* A frame was left out. Upstream thread. */
typedef void (*RtspSinkQueueFunc) (gpointer user_data);

typedef struct
{
  GstElement *element;          /* in its bin */
  RtspSinkQueueFunc late;
  gpointer user_data;
  gboolean droppable;           /* upstream thread only: any frame */
} RtspSinkQueue;

gboolean rtsp_sink_queue_init (RtspSinkQueue * self, GstBin * bin,
    RtspSinkQueueFunc late, gpointer user_data, GError ** error);

void rtsp_sink_queue_set_source (RtspSinkQueue * self, gboolean live,
    gboolean droppable, gboolean scarce);

gboolean rtsp_sink_queue_is_full (RtspSinkQueue * self);
