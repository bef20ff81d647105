/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "server/mount.h"

#define RTSP_SINK_TYPE_CLIENT (rtsp_sink_client_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkClient, rtsp_sink_client, RTSP_SINK, CLIENT,
    GstRTSPClient)

/* What a client asks its server. Client's thread. */
typedef struct
{
  /* Which mount serves @path? Transfer full; NULL: none. The client counts as
   * the mount's from now on. */
  RtspSinkMount *(*enter) (RtspSinkClient * client, const gchar * path,
      gpointer user_data);

  /* Whether no other client runs on its thread. */
  gboolean (*is_alone) (RtspSinkClient * client, gpointer user_data);

  /* Transfer full: the client that has joined @client's connection to its own
   * (rtsp_sink_client_has_joined()), or NULL. */
  RtspSinkClient *(*dup_joiner) (RtspSinkClient * client, gpointer user_data);
} RtspSinkClientFuncs;

RtspSinkClient *rtsp_sink_client_new (const RtspSinkClientFuncs * funcs,
    gpointer user_data, GDestroyNotify free_user_data, gboolean http);

gboolean rtsp_sink_client_is_http (RtspSinkClient * self);

void rtsp_sink_client_set_context (RtspSinkClient * self,
    GMainContext * context);

GMainContext *rtsp_sink_client_get_context (RtspSinkClient * self);

void rtsp_sink_client_dismiss (RtspSinkClient * self,
    const gchar * reason);

void rtsp_sink_client_leave (RtspSinkClient * self);

const gchar *rtsp_sink_client_get_peer (RtspSinkClient * self);

void rtsp_sink_client_connected (RtspSinkClient * self);

gboolean rtsp_sink_client_has_joined (RtspSinkClient * self,
    RtspSinkClient * other);

void rtsp_sink_client_flooded (RtspSinkClient * self, GSocket * socket);

void rtsp_sink_client_check (RtspSinkClient * self);
