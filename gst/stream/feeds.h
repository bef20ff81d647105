/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "stream/feed.h"

typedef struct _RtspSinkFeeds RtspSinkFeeds;

RtspSinkFeeds *rtsp_sink_feeds_new (void);

void rtsp_sink_feeds_free (RtspSinkFeeds * self);

void rtsp_sink_feeds_add (RtspSinkFeeds * self, RtspSinkFeed * feed);

void rtsp_sink_feeds_remove (RtspSinkFeeds * self, RtspSinkFeed * feed);

void rtsp_sink_feeds_recount (RtspSinkFeeds * self);

gboolean rtsp_sink_feeds_has_open (RtspSinkFeeds * self);

void rtsp_sink_feeds_drain (RtspSinkFeeds * self);

void rtsp_sink_feeds_drained (RtspSinkFeeds * self, RtspSinkFeed * feed);

guint rtsp_sink_feeds_wait_drained (RtspSinkFeeds * self, GMutex * lock);

void rtsp_sink_feeds_set_flushing (RtspSinkFeeds * self, gboolean flushing);

GPtrArray *rtsp_sink_feeds_ref_list (RtspSinkFeeds * self);

gboolean rtsp_sink_feeds_push (GPtrArray * list, GstBufferList * packets,
    gboolean key_unit, guint16 next_seqnum);

void rtsp_sink_feeds_set_caps (GPtrArray * list, GstCaps * caps);

void rtsp_sink_feeds_end (GPtrArray * list);
