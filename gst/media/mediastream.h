/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/distributor.h"
#include "stream/fanout.h"

/* Constant after construction, and references each. */
typedef struct
{
  RtspSinkFanout *fanout;
  RtspSinkFeed *feed;
  RtspSinkDistributor *distributor;
} RtspSinkMediaStream;

RtspSinkMediaStream *rtsp_sink_media_stream_new (RtspSinkFanout * fanout,
    RtspSinkFeed * feed, guint i, gboolean ask_by_rtcp);

void rtsp_sink_media_stream_free (RtspSinkMediaStream * self);

void rtsp_sink_media_stream_dismiss (RtspSinkMediaStream * self,
    const gchar * reason);

gboolean rtsp_sink_media_stream_has_ended (RtspSinkMediaStream * self);

GstClockTime rtsp_sink_media_stream_get_next_time (RtspSinkMediaStream *
    self);

void rtsp_sink_media_stream_update_gate (RtspSinkMediaStream * self);

void rtsp_sink_media_stream_resume (RtspSinkMediaStream * self,
    RtspSinkSender * sender);

void rtsp_sink_media_stream_add (RtspSinkMediaStream * self,
    RtspSinkSender * sender);

gboolean rtsp_sink_media_stream_open (RtspSinkMediaStream * self,
    RtspSinkSender * sender);

void rtsp_sink_media_stream_request_first (RtspSinkMediaStream * self,
    RtspSinkSender * sender);

void rtsp_sink_media_stream_begin (RtspSinkMediaStream * self,
    RtspSinkSender * sender);

void rtsp_sink_media_stream_close (RtspSinkMediaStream * self,
    RtspSinkSender * sender);

void rtsp_sink_media_stream_remove (RtspSinkMediaStream * self,
    RtspSinkSender * sender);
