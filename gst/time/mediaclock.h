/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkMediaClock RtspSinkMediaClock;

RtspSinkMediaClock *rtsp_sink_media_clock_new (void);

RtspSinkMediaClock *rtsp_sink_media_clock_new_beside (RtspSinkMediaClock *
    other);

RtspSinkMediaClock *rtsp_sink_media_clock_ref (RtspSinkMediaClock * self);

void rtsp_sink_media_clock_unref (RtspSinkMediaClock * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkMediaClock,
    rtsp_sink_media_clock_unref)

GstClock *rtsp_sink_media_clock_get (RtspSinkMediaClock * self,
    GstClockTime * epoch);

GstClockTime rtsp_sink_media_clock_now (RtspSinkMediaClock * self);

GstClockTime rtsp_sink_media_clock_convert (RtspSinkMediaClock * self,
    GstClock * clock, GstClockTime base_time, GstClockTime running_time);

void rtsp_sink_media_clock_hold (RtspSinkMediaClock * self,
    GstClockTime time);

GstClockTime rtsp_sink_media_clock_newest (RtspSinkMediaClock * self);

GstClockTime rtsp_sink_media_clock_convert_of (RtspSinkMediaClock * self,
    GstElement * element, GstClockTime running_time);

void rtsp_sink_media_clock_note_shown (RtspSinkMediaClock * self,
    GstClockTime time);

void rtsp_sink_media_clock_set_direct (RtspSinkMediaClock * self,
    gboolean direct);

GstClockTime rtsp_sink_media_clock_next (RtspSinkMediaClock * self);
