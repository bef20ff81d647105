/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gio/gio.h>

/* How a peer takes what is written to it. A plain value. */
typedef struct
{
  guint64 acked;                /* bytes that it has taken in all */
  gint64 time;                  /* when it last took something, or 0 */
} RtspSinkProgress;

/* What is there to be read. */
typedef enum
{
  RTSP_SINK_PEEK_NOTHING,       /* as yet */
  RTSP_SINK_PEEK_BYTE,
  RTSP_SINK_PEEK_GONE,          /* nor will there be */
} RtspSinkPeek;

void rtsp_sink_socket_set_up (GSocket * socket);

gsize rtsp_sink_socket_count_untaken (GSocket * socket);

guint64 rtsp_sink_socket_count_received (GSocket * socket);

gint64 rtsp_sink_socket_get_stall (GSocket * socket,
    RtspSinkProgress * progress, gint64 now);

void rtsp_sink_socket_abort (GSocket * socket);

RtspSinkPeek rtsp_sink_socket_peek (GSocket * socket, guint8 * first);

void rtsp_sink_socket_end (GSocket * socket);

GSocket *rtsp_sink_socket_duplicate (GSocket * socket);

GSocket *rtsp_sink_socket_new_beside (GSocket * beside);
