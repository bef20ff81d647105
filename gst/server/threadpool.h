/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#define RTSP_TYPE_SINK_THREADS (rtsp_sink_threads_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkThreads, rtsp_sink_threads, RTSP, SINK_THREADS,
    GstRTSPThreadPool)

typedef struct
{
  /* Whether @client must run on the same thread as all others of its kind. */
  gboolean (*runs_with_others) (GstRTSPClient * client);

  /* @client will run in @context. NULL: there is no thread for it. */
  void (*placed) (GstRTSPClient * client, GMainContext * context);
} RtspSinkThreadsFuncs;

RtspSinkThreads *rtsp_sink_threads_new (const RtspSinkThreadsFuncs * funcs);

gboolean rtsp_sink_threads_wait (RtspSinkThreads * self, gint64 deadline);
