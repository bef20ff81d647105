/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gio/gio.h>

typedef struct _RtspSinkInflow RtspSinkInflow;

typedef void (*RtspSinkInflowFunc) (GSocket * socket, gpointer user_data);

RtspSinkInflow *rtsp_sink_inflow_new (RtspSinkInflowFunc flooded,
    gpointer user_data);

void rtsp_sink_inflow_free (RtspSinkInflow * self);

void rtsp_sink_inflow_add (RtspSinkInflow * self, GSocket * socket);

gboolean rtsp_sink_inflow_is_too_much (GSocket * socket, gint64 since);
