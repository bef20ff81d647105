/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "server/server.h"

RtspSinkServer *rtsp_sink_registry_acquire (const gchar * address, guint port,
    GError ** error);

void rtsp_sink_registry_release (RtspSinkServer * server);
