/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The two UDP sockets of a viewer: RTP on an even port, RTCP on the next one.
 * Knows neither RTP nor RTSP.
 */

#ifndef __UDPPAIR_H__
#define __UDPPAIR_H__

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GSocket *rtp;
  GSocket *rtcp;
  guint16 port;                 /* RTP; RTCP is port + 1 */
} UdpPair;

/* Two bound, non-blocking sockets on the given local address; port = the even
 * one, 0 = any. Transfer full; NULL with an error if no pair of ports is free. */
UdpPair *udp_pair_new (GInetAddress * address, guint16 port, GError ** error);

/* Two non-blocking sockets that have joined a multicast group; port = the even one.
 * Several on one machine get the same datagrams. Transfer full; NULL with an error. */
UdpPair *udp_pair_new_multicast (GInetAddress * group, guint16 port,
    GError ** error);

/* Takes NULL. */
void udp_pair_free (UdpPair * pair);

/* The next waiting datagram with its length, or NULL. Transfer full. */
GstBuffer *udp_pair_receive (GSocket * socket);

/* Sends one datagram; losses are not noticed. */
void udp_pair_send (GSocket * socket, GInetAddress * to, guint16 port,
    GstBuffer * datagram);

G_END_DECLS

#endif
