/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "server/seats.h"

#define RTSP_TYPE_SINK_VIEWER (rtsp_sink_viewer_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkViewer, rtsp_sink_viewer, RTSP, SINK_VIEWER,
    GstRTSPClient)

typedef struct _RtspSinkMount RtspSinkMount;

/* How long a mount bears with a viewer. */
typedef struct
{
  guint session_timeout;        /* s, without a sign of life */
  gint64 stall_time;            /* µs, without taking anything over TCP */
} RtspSinkViewerLimits;

/* How far a viewer has come. */
typedef enum
{
  RTSP_SINK_VIEWER_ASKS,        /* DESCRIBE: a media is to be made or found */
  RTSP_SINK_VIEWER_HAS_MEDIA,
  RTSP_SINK_VIEWER_HAS_NONE,    /* none could be made */
} RtspSinkViewerStage;

/* What a viewer asks its server. Viewer's thread. */
typedef struct
{
  /* Which mount serves @path? Transfer full; NULL: none. The viewer counts as
   * the mount's from now on. */
  RtspSinkMount *(*enter) (RtspSinkViewer * viewer, const gchar * path,
      gpointer user_data);

  /* Gives a reference to a mount up. Any thread. */
  void (*release) (RtspSinkMount * mount);

  /* Can @mount make media, now or until @deadline (monotonic time)? Waits
   * only where that holds up nobody else. */
    gboolean (*ready) (RtspSinkMount * mount, RtspSinkViewer * viewer,
      gint64 deadline, gpointer user_data);

  const RtspSinkViewerLimits *(*get_limits) (RtspSinkMount * mount);

  /* NULL: @viewer may watch; else why it may not, in a few words. */
  const gchar *(*refuse) (RtspSinkMount * mount, RtspSinkViewer * viewer,
      RtspSinkViewerStage stage);

  /* The viewer asks to play; it has a seat if it played before. */
  void (*ask) (RtspSinkMount * mount, GstRTSPContext * ctx,
      RtspSinkSeat * seat);

  /* The viewer is about to be told that it plays. Takes and returns its
   * seat. */
  RtspSinkSeat *(*play) (RtspSinkMount * mount, GstRTSPContext * ctx,
      RtspSinkSeat * seat, GstRTSPStatusCode * status);

  /* Transfer full: the viewer that has joined @viewer's connection to its own
   * (rtsp_sink_viewer_has_joined()), or NULL. */
  RtspSinkViewer *(*dup_joiner) (RtspSinkViewer * viewer, gpointer user_data);
} RtspSinkViewerFuncs;

RtspSinkViewer *rtsp_sink_viewer_new (const RtspSinkViewerFuncs * funcs,
    gpointer user_data, GDestroyNotify free_user_data, gboolean http);

gboolean rtsp_sink_viewer_is_http (RtspSinkViewer * self);

void rtsp_sink_viewer_set_context (RtspSinkViewer * self,
    GMainContext * context);

GMainContext *rtsp_sink_viewer_get_context (RtspSinkViewer * self);

void rtsp_sink_viewer_dismiss (RtspSinkViewer * self,
    const gchar * reason);

void rtsp_sink_viewer_leave_all (RtspSinkViewer * self);

void rtsp_sink_viewer_connected (RtspSinkViewer * self);

gboolean rtsp_sink_viewer_has_joined (RtspSinkViewer * self,
    RtspSinkViewer * other);

void rtsp_sink_viewer_flooded (RtspSinkViewer * self, GSocket * socket);

void rtsp_sink_viewer_check (RtspSinkViewer * self);
