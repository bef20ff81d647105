/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gio/gio.h>

typedef struct _RtspSinkLobby RtspSinkLobby;

/* @socket: (transfer full)
 * @first: the first byte that came; it is still to be read */
typedef void (*RtspSinkLobbyFunc) (GSocket * socket, guint8 first,
    gpointer user_data);

RtspSinkLobby *rtsp_sink_lobby_new (RtspSinkLobbyFunc spoke,
    gpointer user_data);

void rtsp_sink_lobby_free (RtspSinkLobby * self);

gboolean rtsp_sink_lobby_add (RtspSinkLobby * self, GSocket * socket);

void rtsp_sink_lobby_check (RtspSinkLobby * self);
