/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Notices a viewer over TCP that sends what it cannot have to say, before much of
 * it is kept: the library keeps for ever what comes on a channel of RTP, where a
 * viewer has nothing to send (up to 1.28).
 *
 * Looks whenever the viewer's thread is about to wait: that is after each
 * message. Viewer's thread. */

#include "server/flood.h"

#include "server/inflow.h"

/* Where the library keeps the address that it notes on each message of a
 * transport. */
#define ADDRESS_KEY "rtsp-client.remote-addr"

/* Messages of one transport that are kept. A report is gone as soon as its
 * receiver's thread has run; viewers send one every few seconds. */
#define MAX_KEPT 8

struct _RtspSinkFlood
{
  GSource source;
  GWeakRef socket;              /* closed with its last reference */
  gint64 since;                 /* monotonic time */
  GPtrArray *addresses;         /* of GSocketAddress, one per transport */
  RtspSinkFloodFunc flooded;
  gpointer user_data;
};

/* Each message that is kept has a reference to the address; so have this object
 * and the transport. */
static gboolean
keeps_many (GSocketAddress * address)
{
  return g_atomic_int_get (&G_OBJECT (address)->ref_count) > 2 + MAX_KEPT;
}

static gboolean
is_flooding (RtspSinkFlood * self)
{
  g_autoptr (GSocket) socket = g_weak_ref_get (&self->socket);

  for (guint i = 0; i < self->addresses->len; i++) {
    if (keeps_many (g_ptr_array_index (self->addresses, i)))
      return TRUE;
  }
  return socket != NULL && rtsp_sink_inflow_is_too_much (socket, self->since);
}

static gboolean
flood_prepare (GSource * source, gint * timeout)
{
  *timeout = -1;
  return is_flooding ((RtspSinkFlood *) source);
}

static gboolean
flood_check (GSource * source)
{
  return is_flooding ((RtspSinkFlood *) source);
}

/* Once. */
static gboolean
flood_dispatch (GSource * source, GSourceFunc callback, gpointer user_data)
{
  RtspSinkFlood *self = (RtspSinkFlood *) source;

  self->flooded (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
flood_finalize (GSource * source)
{
  RtspSinkFlood *self = (RtspSinkFlood *) source;

  g_weak_ref_clear (&self->socket);
  g_ptr_array_unref (self->addresses);
}

static GSourceFuncs source_funcs = {
  flood_prepare, flood_check, flood_dispatch, flood_finalize, NULL, NULL,
};

/**
 * rtsp_sink_flood_new:
 * @socket: what the viewer sends comes by it
 * @context: of the viewer's thread
 * @flooded: called there, at most once
 *
 * Any thread.
 *
 * Returns: (transfer full): looks until it is freed
 */
RtspSinkFlood *
rtsp_sink_flood_new (GSocket * socket, GMainContext * context,
    RtspSinkFloodFunc flooded, gpointer user_data)
{
  GSource *source = g_source_new (&source_funcs, sizeof (RtspSinkFlood));
  RtspSinkFlood *self = (RtspSinkFlood *) source;

  g_weak_ref_init (&self->socket, socket);
  self->since = g_get_monotonic_time ();
  self->addresses = g_ptr_array_new_with_free_func (g_object_unref);
  self->flooded = flooded;
  self->user_data = user_data;
  g_source_set_static_name (source, "rtspserversink-flood");
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_attach (source, context);
  return self;
}

/**
 * rtsp_sink_flood_free:
 *
 * The viewer's thread, or when it does not run.
 */
void
rtsp_sink_flood_free (RtspSinkFlood * self)
{
  g_source_destroy ((GSource *) self);
  g_source_unref ((GSource *) self);
}

/**
 * rtsp_sink_flood_set_socket:
 * @socket: what the viewer sends comes by it from now on
 */
void
rtsp_sink_flood_set_socket (RtspSinkFlood * self, GSocket * socket)
{
  g_weak_ref_set (&self->socket, socket);
  self->since = g_get_monotonic_time ();
}

/* As the library would make it with the first message. */
static GSocketAddress *
make_address (const GstRTSPTransport * transport)
{
  g_autoptr (GInetAddress) host =
      g_inet_address_new_from_string (transport->destination);

  return host != NULL ?
      g_inet_socket_address_new (host, transport->client_port.min) : NULL;
}

/**
 * rtsp_sink_flood_watch:
 * @transport: over TCP, just set up, or set up again
 */
void
rtsp_sink_flood_watch (RtspSinkFlood * self, GstRTSPStreamTransport * transport)
{
  GSocketAddress *address;

  if (g_object_get_data (G_OBJECT (transport), ADDRESS_KEY) != NULL)
    return;
  address = make_address (gst_rtsp_stream_transport_get_transport (transport));
  if (address == NULL)
    return;
  g_object_set_data_full (G_OBJECT (transport), ADDRESS_KEY, address,
      g_object_unref);
  g_ptr_array_add (self->addresses, g_object_ref (address));
}
