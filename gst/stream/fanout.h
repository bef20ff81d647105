/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "stream/feed.h"

typedef struct _RtspSinkFanout RtspSinkFanout;

/* What the fan-out tells its owner. Any thread, no lock held. */
typedef struct
{
  /* The encoder shall make the next frame a key unit. NULL: all are. */
  void (*request_key_unit) (gpointer user_data);

  /* From now on media can be made. */
  void (*ready) (gpointer user_data);
} RtspSinkFanoutFuncs;

/* Returns the monotonic time. */
typedef gint64 (*RtspSinkFanoutTime) (void);

/* Why a key unit is wanted. While a viewer that joins waits, all ask as often as
 * it may. */
typedef enum
{
  RTSP_SINK_FANOUT_JOIN,        /* a viewer begins: ten times a second */
  RTSP_SINK_FANOUT_RECOVERY,    /* one fell behind, lost some, or begins again
                                 * and again: once */
} RtspSinkFanoutReason;

RtspSinkFanout *rtsp_sink_fanout_new (RtspSinkFanout * beside,
    const RtspSinkFanoutFuncs * funcs, gpointer user_data);

void rtsp_sink_fanout_set_time_source (RtspSinkFanout * self,
    RtspSinkFanoutTime get_time);

RtspSinkFanout *rtsp_sink_fanout_ref (RtspSinkFanout * self);

void rtsp_sink_fanout_unref (RtspSinkFanout * self);

RtspSinkMediaClock *rtsp_sink_fanout_get_media_clock (RtspSinkFanout * self);

gboolean rtsp_sink_fanout_is_ready (RtspSinkFanout * self);

gboolean rtsp_sink_fanout_is_ended (RtspSinkFanout * self);

gboolean rtsp_sink_fanout_can_join (RtspSinkFanout * self);

RtspSinkFeed *rtsp_sink_fanout_join (RtspSinkFanout * self, const gchar * name);

void rtsp_sink_fanout_open (RtspSinkFanout * self, RtspSinkFeed * feed);

void rtsp_sink_fanout_go_on (RtspSinkFanout * self, RtspSinkFeed * feed);

void rtsp_sink_fanout_close (RtspSinkFanout * self, RtspSinkFeed * feed);

void rtsp_sink_fanout_drained (RtspSinkFanout * self, RtspSinkFeed * feed);

void rtsp_sink_fanout_leave (RtspSinkFanout * self, RtspSinkFeed * feed);

void rtsp_sink_fanout_request_key_unit (RtspSinkFanout * self,
    RtspSinkFanoutReason why);

gboolean rtsp_sink_fanout_request_first (RtspSinkFanout * self,
    const gchar * peer);

void rtsp_sink_fanout_viewer_gone (RtspSinkFanout * self,
    const gchar * peer);

gboolean rtsp_sink_fanout_has_viewers (RtspSinkFanout * self);

void rtsp_sink_fanout_set_caps (RtspSinkFanout * self, GstCaps * caps);

void rtsp_sink_fanout_send (RtspSinkFanout * self, GstBufferList * packets,
    gboolean key_unit);

void rtsp_sink_fanout_end (RtspSinkFanout * self);

void rtsp_sink_fanout_wait_drained (RtspSinkFanout * self);

void rtsp_sink_fanout_set_flushing (RtspSinkFanout * self, gboolean flushing);

void rtsp_sink_fanout_expect_caps (RtspSinkFanout * self);

void rtsp_sink_fanout_restart (RtspSinkFanout * self);

void rtsp_sink_fanout_handle_event (RtspSinkFanout * self, GstEvent * event);

void rtsp_sink_fanout_keep (RtspSinkFanout * self, gboolean keep);

gboolean rtsp_sink_fanout_is_keeping (RtspSinkFanout * self);

GstClockTime rtsp_sink_fanout_get_kept_time (RtspSinkFanout * self);

GPtrArray *rtsp_sink_fanout_begin (RtspSinkFanout * self,
    RtspSinkFeed * feed);
