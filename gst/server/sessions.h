/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

/* How many seconds beyond the announced timeout a session lives on. A test that waits
 * for the end of one sets less before the first viewer comes; nothing else does. */
extern guint rtsp_sink_sessions_extra_timeout;

#define RTSP_SINK_SESSIONS_ANY (GST_RTSP_LOWER_TRANS_UDP | \
    GST_RTSP_LOWER_TRANS_UDP_MCAST | GST_RTSP_LOWER_TRANS_TCP)

GstRTSPSessionPool *rtsp_sink_sessions_new (void);

gboolean rtsp_sink_sessions_are_too_many (GstRTSPSessionPool * sessions);

void rtsp_sink_sessions_set_up (GstRTSPSession * session, guint timeout);

void rtsp_sink_sessions_kept_alive_by (GstRTSPSession * session,
    GstRTSPStreamTransport * transport);

gboolean rtsp_sink_sessions_are_expired (GstRTSPClient * client);

GstRTSPSessionMedia *rtsp_sink_sessions_dup_media (GstRTSPContext * ctx);

gboolean rtsp_sink_sessions_has_transport (GstRTSPSessionMedia * media,
    GstRTSPLowerTrans by);

void rtsp_sink_sessions_forget (GstRTSPSessionPool * sessions);
