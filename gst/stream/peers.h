/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib.h>

typedef struct _RtspSinkPeers RtspSinkPeers;

RtspSinkPeers *rtsp_sink_peers_new (gint64 interval, guint n_at_once);

void rtsp_sink_peers_free (RtspSinkPeers * self);

gboolean rtsp_sink_peers_may (RtspSinkPeers * self, const gchar * address,
    gint64 now);

void rtsp_sink_peers_charge (RtspSinkPeers * self, const gchar * address,
    gint64 now);
