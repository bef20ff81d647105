/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* Its fields are its own. */
typedef struct
{
  GQueue units;                 /* of GstBufferList */
  gboolean covers;              /* what comes may be among them */
  guint16 last_seqnum;          /* of the newest that they cover */
  guint n_taken;                /* units, since some might be taken */
  gsize n_bytes;                /* of these */
  gboolean finishing;           /* nothing comes any more: all may be taken */
} RtspSinkBacklog;

void rtsp_sink_backlog_init (RtspSinkBacklog * self);

void rtsp_sink_backlog_clear (RtspSinkBacklog * self);

void rtsp_sink_backlog_push (RtspSinkBacklog * self, GstBufferList * packets);

void rtsp_sink_backlog_begin (RtspSinkBacklog * self, GPtrArray * group);

gboolean rtsp_sink_backlog_covers (RtspSinkBacklog * self, guint16 seqnum);

void rtsp_sink_backlog_allow (RtspSinkBacklog * self);

void rtsp_sink_backlog_finish (RtspSinkBacklog * self);

gboolean rtsp_sink_backlog_is_empty (RtspSinkBacklog * self);

GstBufferList *rtsp_sink_backlog_pop (RtspSinkBacklog * self);
