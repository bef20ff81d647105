/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_REGISTRY_H__
#define __RTSP_SINK_REGISTRY_H__

#include "server/server.h"

G_BEGIN_DECLS

RtspSinkServer *rtsp_sink_registry_acquire (const gchar * address, guint port,
    GError ** error);

void rtsp_sink_registry_release (RtspSinkServer * server);

G_END_DECLS

#endif
