/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#define RTSP_SINK_TYPE_THREAD_POOL (rtsp_sink_thread_pool_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkThreadPool, rtsp_sink_thread_pool, RTSP_SINK, THREAD_POOL,
    GstRTSPThreadPool)

typedef struct
{
  /* Whether @client must run on the same thread as all others of its kind. */
  gboolean (*runs_with_others) (GstRTSPClient * client);

  /* @client will run in @context. NULL: there is no thread for it. */
  void (*placed) (GstRTSPClient * client, GMainContext * context);
} RtspSinkThreadPoolFuncs;

RtspSinkThreadPool *rtsp_sink_thread_pool_new (const RtspSinkThreadPoolFuncs * funcs);

gboolean rtsp_sink_thread_pool_wait (RtspSinkThreadPool * self, gint64 deadline);
