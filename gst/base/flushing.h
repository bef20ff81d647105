/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib.h>

/* Its fields are its own. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean upstream;            /* a flush from upstream is under way */
  gboolean own;                 /* one of our own */
} RtspSinkFlushing;

void rtsp_sink_flushing_init (RtspSinkFlushing * self);

void rtsp_sink_flushing_clear (RtspSinkFlushing * self);

void rtsp_sink_flushing_start (RtspSinkFlushing * self);

void rtsp_sink_flushing_stop (RtspSinkFlushing * self);

gboolean rtsp_sink_flushing_begin_own (RtspSinkFlushing * self);

void rtsp_sink_flushing_end_own (RtspSinkFlushing * self);
