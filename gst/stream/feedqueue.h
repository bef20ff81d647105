/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* Its fields are its own. */
typedef struct
{
  GQueue items;
  gsize n_bytes;                /* in the lists */
} RtspSinkFeedQueue;

void rtsp_sink_feed_queue_init (RtspSinkFeedQueue * self);

void rtsp_sink_feed_queue_clear (RtspSinkFeedQueue * self);

void rtsp_sink_feed_queue_push (RtspSinkFeedQueue * self, gpointer object,
    GstClockTime now);

gpointer rtsp_sink_feed_queue_pop (RtspSinkFeedQueue * self);

void rtsp_sink_feed_queue_drop_lists (RtspSinkFeedQueue * self);

GstClockTime rtsp_sink_feed_queue_get_time (RtspSinkFeedQueue * self);

gboolean rtsp_sink_feed_queue_is_full (RtspSinkFeedQueue * self,
    GstClockTime now);
