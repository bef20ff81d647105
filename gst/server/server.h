/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "server/mount.h"

typedef struct _RtspSinkServer RtspSinkServer;

RtspSinkServer *rtsp_sink_server_new (const gchar * address, guint port,
    GError ** error);

void rtsp_sink_server_free (RtspSinkServer * self);

guint rtsp_sink_server_get_port (RtspSinkServer * self);

gboolean rtsp_sink_server_add_mount (RtspSinkServer * self,
    RtspSinkMount * mount, GstRTSPMediaFactory * factory, GError ** error);

void rtsp_sink_server_remove_mount (RtspSinkServer * self,
    RtspSinkMount * mount);
