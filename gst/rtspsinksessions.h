/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_SESSIONS_H__
#define __RTSP_SINK_SESSIONS_H__

#include <gst/rtsp-server/rtsp-server.h>

G_BEGIN_DECLS

void rtsp_sink_sessions_add (GPtrArray * sessions, GstRTSPSession * session,
    guint timeout);

gboolean rtsp_sink_sessions_are_too_many (GPtrArray * sessions,
    GstRTSPClient * client);

void rtsp_sink_sessions_kept_alive_by (GstRTSPSession * session,
    GstRTSPStreamTransport * transport);

gboolean rtsp_sink_sessions_are_expired (GstRTSPClient * client);

GstRTSPStatusCode rtsp_sink_sessions_check (GPtrArray * sessions,
    GstRTSPClient * client, GstRTSPSession * session);

GstRTSPSessionMedia *rtsp_sink_sessions_dup_media (GstRTSPContext * ctx);

void rtsp_sink_sessions_forget (GPtrArray * sessions, GstRTSPClient * client);

G_END_DECLS

#endif
