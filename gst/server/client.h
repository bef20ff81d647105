/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#define RTSP_SINK_TYPE_CLIENT (rtsp_sink_client_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkClient, rtsp_sink_client, RTSP_SINK, CLIENT,
    GstRTSPClient)

typedef struct _RtspSinkMount RtspSinkMount;

/* How long a mount bears with a viewer. */
typedef struct
{
  guint session_timeout;        /* s, without a sign of life */
  gint64 stall_time;            /* µs, without taking anything over TCP */
} RtspSinkClientLimits;

/* How far a viewer has come. */
typedef enum
{
  RTSP_SINK_CLIENT_ASKS,        /* DESCRIBE: a media is to be made or found */
  RTSP_SINK_CLIENT_HAS_MEDIA,
  RTSP_SINK_CLIENT_HAS_NONE,    /* none could be made */
} RtspSinkClientStage;

/* What a viewer asks its server. Viewer's thread. */
typedef struct
{
  /* Which mount serves @path? Transfer full; NULL: none. The viewer counts as
   * the mount's from now on. */
  RtspSinkMount *(*enter) (RtspSinkClient * viewer, const gchar * path,
      gpointer user_data);

  /* Gives a reference to a mount up. Any thread. */
  void (*release) (RtspSinkMount * mount);

  /* Can @mount make media, now or until @deadline (monotonic time)? Waits
   * only where that holds up nobody else. */
    gboolean (*ready) (RtspSinkMount * mount, RtspSinkClient * viewer,
      gint64 deadline, gpointer user_data);

  const RtspSinkClientLimits *(*get_limits) (RtspSinkMount * mount);

  /* NULL: @viewer may watch; else why it may not, in a few words. */
  const gchar *(*refuse) (RtspSinkMount * mount, RtspSinkClient * viewer,
      RtspSinkClientStage stage);

  /* Transfer full: the viewer that has joined @viewer's connection to its own
   * (rtsp_sink_client_has_joined()), or NULL. */
  RtspSinkClient *(*dup_joiner) (RtspSinkClient * viewer, gpointer user_data);
} RtspSinkClientFuncs;

RtspSinkClient *rtsp_sink_client_new (const RtspSinkClientFuncs * funcs,
    gpointer user_data, GDestroyNotify free_user_data, gboolean http);

gboolean rtsp_sink_client_is_http (RtspSinkClient * self);

void rtsp_sink_client_set_context (RtspSinkClient * self,
    GMainContext * context);

GMainContext *rtsp_sink_client_get_context (RtspSinkClient * self);

void rtsp_sink_client_dismiss (RtspSinkClient * self,
    const gchar * reason);

void rtsp_sink_client_leave_all (RtspSinkClient * self);

void rtsp_sink_client_connected (RtspSinkClient * self);

gboolean rtsp_sink_client_has_joined (RtspSinkClient * self,
    RtspSinkClient * other);

void rtsp_sink_client_flooded (RtspSinkClient * self, GSocket * socket);

void rtsp_sink_client_check (RtspSinkClient * self);
