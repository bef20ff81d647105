/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#define RTSP_SINK_TYPE_LISTENER (rtsp_sink_listener_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkListener, rtsp_sink_listener, RTSP_SINK, LISTENER, GstRTSPServer)

/* @http: whether the connection begins as HTTP does: half of a tunnel */
typedef GstRTSPClient *(*RtspSinkListenerFunc) (gboolean http,
    gpointer user_data);

RtspSinkListener *rtsp_sink_listener_new (RtspSinkListenerFunc make_client,
    void (*lacks_descriptors) (gpointer), gpointer user_data);

GSource *rtsp_sink_listener_listen (RtspSinkListener * self, guint * port,
    GError ** error);

void rtsp_sink_listener_check (RtspSinkListener * self);

void rtsp_sink_listener_stop (RtspSinkListener * self);
