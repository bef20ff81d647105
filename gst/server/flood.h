/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

typedef struct _RtspSinkFlood RtspSinkFlood;

typedef void (*RtspSinkFloodFunc) (gpointer user_data);

RtspSinkFlood *rtsp_sink_flood_new (GSocket * socket, GMainContext * context,
    RtspSinkFloodFunc flooded, gpointer user_data);

void rtsp_sink_flood_free (RtspSinkFlood * self);

void rtsp_sink_flood_set_socket (RtspSinkFlood * self, GSocket * socket);

void rtsp_sink_flood_watch (RtspSinkFlood * self,
    GstRTSPStreamTransport * transport);
