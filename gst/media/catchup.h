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
} RtspSinkCatchup;

void rtsp_sink_catchup_init (RtspSinkCatchup * self);

void rtsp_sink_catchup_clear (RtspSinkCatchup * self);

void rtsp_sink_catchup_push (RtspSinkCatchup * self, GstBufferList * packets);

void rtsp_sink_catchup_begin (RtspSinkCatchup * self, GPtrArray * group);

gboolean rtsp_sink_catchup_covers (RtspSinkCatchup * self, guint16 seqnum);

void rtsp_sink_catchup_allow (RtspSinkCatchup * self);

void rtsp_sink_catchup_finish (RtspSinkCatchup * self);

gboolean rtsp_sink_catchup_is_empty (RtspSinkCatchup * self);

GstBufferList *rtsp_sink_catchup_pop (RtspSinkCatchup * self);
