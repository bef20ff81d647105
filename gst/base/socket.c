/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Viewers' sockets: the part of Linux that GLib does not wrap. No locks. */

#include "base/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
/* Not <netinet/tcp.h>: its struct tcp_info lacks tcpi_bytes_acked. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A neighbour that does not answer for its address keeps up to 208 KiB of a
 * socket's buffer for seconds (net.ipv4.neigh.default.unres_qlen_bytes). What
 * a process may have is twice that, unless net.core.wmem_max says more. */
#define DATAGRAM_BUFFER (4 * 1024 * 1024)

/* Requests and reports are small; what is behind them is not wanted. The library
 * reads byte by byte: 64 KiB that a flood left in the kernel took 0.1 s of CPU time
 * on each connection, after its end, too. */
#define RECEIVE_BUFFER (4 * 1024)

/* What waits to be sent waits where it can be dropped. */
#define MAX_UNSENT (128 * 1024)

/* Bounds how old a picture can get in the socket of a slow viewer. */
#define SEND_BUFFER (512 * 1024)

/**
 * rtsp_sink_socket_set_up:
 * @socket: of a connection, or one that listens: then its connections are so from
 *   the first byte
 *
 * The socket sends at once, and holds a bounded amount.
 */
void
rtsp_sink_socket_set_up (GSocket * socket)
{
  /* Without it the first packets wait 40 ms for an ACK (RFC 896). */
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NODELAY, TRUE, NULL);
  g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER, NULL);
  g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, NULL);
  g_socket_set_option (socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, MAX_UNSENT,
      NULL);
}

static gboolean
get_info (GSocket * socket, struct tcp_info *info)
{
  socklen_t len = sizeof *info;

  memset (info, 0, sizeof *info);
  return getsockopt (g_socket_get_fd (socket), IPPROTO_TCP, TCP_INFO, info,
      &len) == 0;
}

/**
 * rtsp_sink_socket_count_received:
 *
 * Returns: how many bytes the peer has sent in all
 */
guint64
rtsp_sink_socket_count_received (GSocket * socket)
{
  struct tcp_info info;

  return get_info (socket, &info) ? info.tcpi_bytes_received : 0;
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
  struct tcp_info info;

  if (!get_info (socket, &info))
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

/**
 * rtsp_sink_socket_peek:
 * @first: (out): the first byte, which is still to be read
 *
 * Does not block.
 */
RtspSinkPeek
rtsp_sink_socket_peek (GSocket * socket, guint8 * first)
{
  gssize n = recv (g_socket_get_fd (socket), first, 1,
      MSG_PEEK | MSG_DONTWAIT);

  if (n > 0)
    return RTSP_SINK_PEEK_BYTE;
  return n < 0 && (errno == EAGAIN || errno == EINTR) ?
      RTSP_SINK_PEEK_NOTHING : RTSP_SINK_PEEK_GONE;
}

/**
 * rtsp_sink_socket_end:
 * @socket: of a connection, or one that listens
 *
 * Ends it both ways, also for who reads or writes just now, and where a child
 * process has it, too: closing alone would leave it open there. What comes after
 * this is refused by the kernel; shut down for reading alone, a socket would still
 * give what comes. Any thread.
 */
void
rtsp_sink_socket_end (GSocket * socket)
{
  gint fd = g_socket_get_fd (socket);

  if (fd >= 0)
    shutdown (fd, SHUT_RDWR);
}

/* The caller has @fd no more. */
static GSocket *
wrap_datagrams (gint fd)
{
  GSocket *socket = g_socket_new_from_fd (fd, NULL);

  if (socket == NULL) {
    close (fd);
    return NULL;
  }
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_option (socket, SOL_SOCKET, SO_SNDBUF, DATAGRAM_BUFFER, NULL);
  return socket;
}

/**
 * rtsp_sink_socket_duplicate:
 * @socket: for datagrams; is left as it is
 *
 * Returns: (transfer full) (nullable): the same socket, as an object that does
 *   not block
 */
GSocket *
rtsp_sink_socket_duplicate (GSocket * socket)
{
  gint fd = fcntl (g_socket_get_fd (socket), F_DUPFD_CLOEXEC, 0);

  return fd >= 0 ? wrap_datagrams (fd) : NULL;
}

static gboolean
copy_option (gint from, gint to, gint level, gint option)
{
  gint value;
  socklen_t len = sizeof value;

  return getsockopt (from, level, option, &value, &len) == 0
      && setsockopt (to, level, option, &value, len) == 0;
}

/* @fd shall send from where @other does. */
static gboolean
bind_beside (gint fd, gint other)
{
  struct sockaddr_storage address;
  socklen_t len = sizeof address;
  gint one = 1;

  if (getsockname (other, (struct sockaddr *) &address, &len) != 0
      || setsockopt (other, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0
      || setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0)
    return FALSE;
  if (address.ss_family == AF_INET6
      && !copy_option (other, fd, IPPROTO_IPV6, IPV6_V6ONLY))
    return FALSE;
  return bind (fd, (struct sockaddr *) &address, len) == 0;
}

/**
 * rtsp_sink_socket_new_beside:
 * @beside: for datagrams
 *
 * Returns: (transfer full) (nullable): another socket, with a buffer of its
 *   own, that sends from the same address and port and does not block
 */
GSocket *
rtsp_sink_socket_new_beside (GSocket * beside)
{
  gint fd = socket ((gint) g_socket_get_family (beside),
      SOCK_DGRAM | SOCK_CLOEXEC, 0);

  if (fd < 0)
    return NULL;
  if (!bind_beside (fd, g_socket_get_fd (beside))) {
    close (fd);
    return NULL;
  }
  return wrap_datagrams (fd);
}
