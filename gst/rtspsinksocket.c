/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What the kernel knows of a viewer's TCP connection: the part of Linux that
 * GLib does not wrap. No locks. */

#include "rtspsinksocket.h"

#include <linux/sockios.h>
/* Not <netinet/tcp.h>: its struct tcp_info lacks tcpi_bytes_acked. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Bounds how old a picture can get in the socket of a slow viewer. */
#define SEND_BUFFER (512 * 1024)

/**
 * rtsp_sink_socket_set_up:
 *
 * The socket sends at once, and holds a bounded amount.
 */
void
rtsp_sink_socket_set_up (GSocket * socket)
{
  /* Without it the first packets wait 40 ms for an ACK (RFC 896). */
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER, NULL);
}

/**
 * rtsp_sink_socket_count_untaken:
 *
 * Returns: how many bytes that were written the peer's machine has not
 *   acknowledged
 */
gsize
rtsp_sink_socket_count_untaken (GSocket * socket)
{
  gint n = 0;

  if (ioctl (g_socket_get_fd (socket), SIOCOUTQ, &n) < 0)
    return 0;
  return n;
}

/**
 * rtsp_sink_socket_get_stall:
 * @progress: of this socket; zero at first
 * @now: monotonic time
 *
 * Counted by what the peer has acknowledged, not by what was written: a socket
 * that is full may be full of old data.
 *
 * Returns: for how long, in microseconds, the peer has taken nothing although
 *   something was there for it
 */
gint64
rtsp_sink_socket_get_stall (GSocket * socket, RtspSinkProgress * progress,
    gint64 now)
{
  struct tcp_info info = { 0, };
  socklen_t len = sizeof info;

  if (getsockopt (g_socket_get_fd (socket), IPPROTO_TCP, TCP_INFO, &info,
          &len) < 0)
    return 0;

  if (progress->time == 0 || rtsp_sink_socket_count_untaken (socket) == 0
      || info.tcpi_bytes_acked > progress->acked)
    progress->time = now;
  progress->acked = info.tcpi_bytes_acked;
  return now - progress->time;
}

/**
 * rtsp_sink_socket_abort:
 *
 * When the socket is closed what was written to it is lost, and the peer is
 * told at once; else the kernel would keep all that for a peer that does not
 * take it.
 */
void
rtsp_sink_socket_abort (GSocket * socket)
{
  const struct linger linger = { 1, 0 };

  setsockopt (g_socket_get_fd (socket), SOL_SOCKET, SO_LINGER, &linger,
      sizeof linger);
}
