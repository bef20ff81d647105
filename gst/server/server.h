/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "server/client.h"

typedef struct _RtspSinkServer RtspSinkServer;

/* What a mount asks its owner. Any thread, no lock held. */
typedef struct
{
  /* Can media be made now? If it is late, also one that may lack something. */
  gboolean (*is_ready) (gboolean late, gpointer user_data);

  /* NULL: one more may watch; else why not, in a few words. */
  const gchar *(*refuse) (const gchar * peer, RtspSinkClientStage stage,
      gpointer user_data);

  /* Connections are closed, for there are no file descriptors for them. The
   * server's thread. */
  void (*lacks_descriptors) (gpointer user_data);
} RtspSinkMountFuncs;

RtspSinkServer *rtsp_sink_server_new (const gchar * address, guint port,
    GError ** error);

void rtsp_sink_server_free (RtspSinkServer * self);

guint rtsp_sink_server_get_port (RtspSinkServer * self);

RtspSinkMount *rtsp_sink_server_add_mount (RtspSinkServer * self,
    const gchar * path, GstRTSPMediaFactory * factory,
    const RtspSinkMountFuncs * funcs, const RtspSinkClientLimits * limits,
    GObject * owner, gpointer user_data, GError ** error);

void rtsp_sink_server_remove_mount (RtspSinkServer * self,
    RtspSinkMount * mount);

RtspSinkMount *rtsp_sink_mount_ref (RtspSinkMount * self);

void rtsp_sink_mount_unref (RtspSinkMount * self);

void rtsp_sink_mount_add_media (RtspSinkMount * self);

void rtsp_sink_mount_remove_media (RtspSinkMount * self);

void rtsp_sink_mount_changed (RtspSinkMount * mount);
