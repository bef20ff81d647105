/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Where a viewer's datagrams go, through which socket, and where its reports
 * come from. To a multicast group, and over TCP, others send.
 *
 * Sending is guarded by the sender's lock; all else is constant. */

#include "media/udp.h"

#include "base/descriptors.h"
#include "base/socket.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_udp_debug);
#define GST_CAT_DEFAULT rtsp_sink_udp_debug

struct _RtspSinkUdp
{
  /* Constant after construction. */
  gboolean multicast;
  gchar *name;                  /* the viewer's host */
  GInetAddress *host;           /* the same, where reports come from */
  gint ports[2];                /* likewise, but of a viewer of a group */
  GSocketAddress *address;      /* NULL: no datagrams go there */

  /* Guarded by the sender's lock. */
  GSocket *socket;              /* shared with others, unless apart */
  gboolean apart;               /* no longer shared, if that could be */
};

static void
init_debug (void)
{
  static gsize done = 0;

  if (!g_once_init_enter (&done))
    return;
  GST_DEBUG_CATEGORY_INIT (rtsp_sink_udp_debug,
      "rtspserversink-udp", 0, "rtspserversink: one viewer's UDP");
  g_once_init_leave (&done, 1);
}

/**
 * rtsp_sink_udp_new:
 * @transport: of the viewer
 * @peer: the viewer's address
 * @socket: (nullable): of a viewer over UDP: the datagrams leave through it
 *
 * Returns: (transfer full): the destination
 */
RtspSinkUdp *
rtsp_sink_udp_new (const GstRTSPTransport * transport,
    const gchar * peer, GSocket * socket)
{
  RtspSinkUdp *self = g_new0 (RtspSinkUdp, 1);

  init_debug ();
  self->multicast =
      transport->lower_transport == GST_RTSP_LOWER_TRANS_UDP_MCAST;
  /* A viewer of a group reports to the group, from any port. */
  self->name = g_strdup (self->multicast ? peer : transport->destination);
  if (self->name != NULL)
    self->host = g_inet_address_new_from_string (self->name);
  self->ports[0] = transport->client_port.min;
  self->ports[1] = transport->client_port.max;
  if (transport->lower_transport != GST_RTSP_LOWER_TRANS_UDP)
    return self;
  self->address = g_inet_socket_address_new_from_string
      (transport->destination, transport->client_port.min);
  self->socket = socket != NULL ? g_object_ref (socket) : NULL;
  return self;
}

void
rtsp_sink_udp_free (RtspSinkUdp * self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->address);
  g_clear_object (&self->socket);
  g_clear_object (&self->host);
  g_free (self->name);
  g_free (self);
}

/* The rest of a unit that the shared socket did not take, which may be full of
 * what another viewer's machine does not take: from now on this one has a
 * socket of its own. */
static guint
send_apart (RtspSinkUdp * self, RtspSinkAccessUnit * unit, guint16 seqnum,
    guint first)
{
  GSocket *own = !rtsp_sink_descriptors_were_short ()?
      rtsp_sink_socket_new_beside (self->socket) : NULL;

  self->apart = TRUE;
  if (own == NULL)
    return first;
  GST_INFO ("the viewer at '%s' gets a socket of its own", self->name);
  g_object_unref (self->socket);
  self->socket = own;
  return rtsp_sink_datagrams_send (rtsp_sink_access_unit_get_datagrams (unit),
      own, self->address, seqnum, first);
}

/**
 * rtsp_sink_udp_send:
 * @seqnum: of the first packet
 *
 * Does not block. With the sender's lock held.
 *
 * Returns: how many packets of @unit were taken
 */
guint
rtsp_sink_udp_send (RtspSinkUdp * self, RtspSinkAccessUnit * unit,
    guint16 seqnum)
{
  guint n;

  if (self->socket == NULL || self->address == NULL)
    return 0;
  n = rtsp_sink_datagrams_send (rtsp_sink_access_unit_get_datagrams (unit),
      self->socket, self->address, seqnum, 0);
  if (n < unit->n_packets && !self->apart)
    n = send_apart (self, unit, seqnum, n);
  return n;
}

/* The port first: every viewer is asked about every report. */
static gboolean
is_port (RtspSinkUdp * self, gint port)
{
  return self->multicast || port == self->ports[0] || port == self->ports[1];
}

/**
 * rtsp_sink_udp_reports_from:
 *
 * Any thread.
 *
 * Returns: whether what comes from @address comes from this viewer
 */
gboolean
rtsp_sink_udp_reports_from (RtspSinkUdp * self, GInetSocketAddress * address)
{
  return self->host != NULL
      && is_port (self, g_inet_socket_address_get_port (address))
      && g_inet_address_equal (self->host,
      g_inet_socket_address_get_address (address));
}
