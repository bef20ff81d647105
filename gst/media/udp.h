/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "media/accessunit.h"

typedef struct _RtspSinkUdp RtspSinkUdp;

RtspSinkUdp *rtsp_sink_udp_new (const GstRTSPTransport *
    transport, const gchar * peer, GSocket * socket);

void rtsp_sink_udp_free (RtspSinkUdp * self);

guint rtsp_sink_udp_send (RtspSinkUdp * self,
    RtspSinkAccessUnit * unit, guint16 seqnum);

gboolean rtsp_sink_udp_reports_from (RtspSinkUdp * self,
    GInetSocketAddress * address);
