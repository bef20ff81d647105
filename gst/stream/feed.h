/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "time/mediaclock.h"

#define RTSP_SINK_TYPE_FEED (rtsp_sink_feed_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkFeed, rtsp_sink_feed, RTSP_SINK, FEED, GstElement)

typedef enum
{
  RTSP_SINK_FEED_CLOSED,        /* prepared or paused: nothing goes through */
  RTSP_SINK_FEED_WAIT_KEY,      /* opens with the next key unit */
  RTSP_SINK_FEED_FLOW,
  RTSP_SINK_FEED_SKIPPING,      /* was too slow: goes on with a key unit */
  RTSP_SINK_FEED_ENDED,
} RtspSinkFeedGate;

RtspSinkFeed *rtsp_sink_feed_new (const gchar * name,
    RtspSinkMediaClock * media_clock, GstCaps * caps, guint16 next_seqnum);

gboolean rtsp_sink_feed_can_follow (const GstCaps * old, const GstCaps * caps);

RtspSinkFeedGate rtsp_sink_feed_get_gate (RtspSinkFeed * self);

void rtsp_sink_feed_open (RtspSinkFeed * self);

gboolean rtsp_sink_feed_flow (RtspSinkFeed * self);

void rtsp_sink_feed_close (RtspSinkFeed * self);

GstClockTime rtsp_sink_feed_get_next_time (RtspSinkFeed * self);

void rtsp_sink_feed_announce_time (RtspSinkFeed * self, GstClockTime time);

void rtsp_sink_feed_announce_seqnum (RtspSinkFeed * self, guint16 seqnum);

guint16 rtsp_sink_feed_get_announced_seqnum (RtspSinkFeed * self);

RtspSinkFeedGate rtsp_sink_feed_push (RtspSinkFeed * self,
    GstBufferList * packets, gboolean key_unit, guint16 next_seqnum);

void rtsp_sink_feed_set_caps (RtspSinkFeed * self, GstCaps * caps);

gboolean rtsp_sink_feed_go_on (RtspSinkFeed * self, GstCaps * caps);

void rtsp_sink_feed_end (RtspSinkFeed * self);
