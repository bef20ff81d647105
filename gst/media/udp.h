/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "media/accessunit.h"

typedef struct _RtspSinkDestination RtspSinkDestination;

RtspSinkDestination *rtsp_sink_destination_new (const GstRTSPTransport *
    transport, const gchar * peer, GSocket * socket);

void rtsp_sink_destination_free (RtspSinkDestination * self);

guint rtsp_sink_destination_send (RtspSinkDestination * self,
    RtspSinkUnit * unit, guint16 seqnum);

gboolean rtsp_sink_destination_reports_from (RtspSinkDestination * self,
    GInetSocketAddress * address);
