/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer's UDP sockets; see udppair.h. */

#include "udppair.h"

#include <gio/gnetworking.h>

#define MAX_DATAGRAM 65536
#define RECEIVE_BUFFER (2 * 1024 * 1024)
#define ATTEMPTS 100

static GSocket *
open_socket (GInetAddress * address, guint16 port, gboolean shared,
    GError ** error)
{
  g_autoptr (GSocketAddress) local = g_inet_socket_address_new (address, port);
  g_autoptr (GSocket) socket = NULL;

  socket = g_socket_new (g_inet_address_get_family (address),
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, error);
  if (socket == NULL)
    return NULL;
  g_socket_set_blocking (socket, FALSE);
  g_socket_set_option (socket, SOL_SOCKET, SO_RCVBUF, RECEIVE_BUFFER, NULL);
  if (!g_socket_bind (socket, local, shared, error))
    return NULL;
  return g_steal_pointer (&socket);
}

static guint16
local_port (GSocket * socket)
{
  g_autoptr (GSocketAddress) local = g_socket_get_local_address (socket, NULL);

  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (local));
}

UdpPair *
udp_pair_new (GInetAddress * address, guint16 port, GError ** error)
{
  UdpPair *pair = g_new0 (UdpPair, 1);
  guint i;

  for (i = 0; i < (port == 0 ? ATTEMPTS : 1); i++) {
    g_clear_error (error);
    g_clear_object (&pair->rtp);
    pair->rtp = open_socket (address, port, FALSE, error);
    if (pair->rtp == NULL)
      break;
    pair->port = local_port (pair->rtp);
    if (pair->port % 2 != 0)
      continue;
    pair->rtcp = open_socket (address, pair->port + 1, FALSE, error);
    if (pair->rtcp != NULL)
      return pair;
  }
  if (error != NULL && *error == NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE,
        "no free pair of UDP ports");
  udp_pair_free (pair);
  return NULL;
}

static GSocket *
join (GInetAddress * group, guint16 port, GError ** error)
{
  g_autoptr (GSocket) socket = open_socket (group, port, TRUE, error);

  if (socket == NULL
      || !g_socket_join_multicast_group (socket, group, FALSE, NULL, error))
    return NULL;
  return g_steal_pointer (&socket);
}

UdpPair *
udp_pair_new_multicast (GInetAddress * group, guint16 port, GError ** error)
{
  UdpPair *pair = g_new0 (UdpPair, 1);

  pair->port = port;
  pair->rtp = join (group, port, error);
  if (pair->rtp != NULL)
    pair->rtcp = join (group, port + 1, error);
  if (pair->rtcp != NULL)
    return pair;
  udp_pair_free (pair);
  return NULL;
}

void
udp_pair_free (UdpPair * pair)
{
  if (pair == NULL)
    return;
  g_clear_object (&pair->rtp);
  g_clear_object (&pair->rtcp);
  g_free (pair);
}

GstBuffer *
udp_pair_receive (GSocket * socket)
{
  gchar data[MAX_DATAGRAM];
  gssize size = g_socket_receive (socket, data, sizeof data, NULL, NULL);

  return size < 0 ? NULL : gst_buffer_new_memdup (data, size);
}

void
udp_pair_send (GSocket * socket, GInetAddress * to, guint16 port,
    GstBuffer * datagram)
{
  g_autoptr (GSocketAddress) peer = g_inet_socket_address_new (to, port);
  GstMapInfo map;

  gst_buffer_map (datagram, &map, GST_MAP_READ);
  g_socket_send_to (socket, peer, (const gchar *) map.data, map.size, NULL,
      NULL);
  gst_buffer_unmap (datagram, &map);
}
