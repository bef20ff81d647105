/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#include "standin.h"

#include <gst/check/gstcheck.h>
#include <sys/socket.h>

#include "rtpunits.h"

/* '$', channel and length before each packet (RFC 2326, 10.12). */
#define FRAME_SIZE 4

/* So that little is taken by the viewer's machine, and much waits here: at least
 * 200 KiB, however low net.core.wmem_max is. */
#define VIEWER_BUFFER 4096
#define SERVER_BUFFER (2 * 1024 * 1024)

struct _StandIn
{
  GstElement *payloader;        /* the library asks for one */
  GstRTSPStreamTransport *transport;
  GstRTSPConnection *connection;
  GSocket *viewer_socket;

  gint sending;                 /* atomic: how many threads send just now */

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. */
  StandInMode mode;
  gboolean held;
  GPtrArray *units;             /* of GstBufferList */
  GPtrArray *packets;           /* of GstBuffer */
  guint n_reports;
  gsize report_size;
};

/* Returns another mode than this. */
static StandInMode
wait_mode (StandIn * self, StandInMode unwanted)
{
  StandInMode mode;

  g_mutex_lock (&self->lock);
  while (self->mode == unwanted)
    g_cond_wait (&self->cond, &self->lock);
  mode = self->mode;
  g_mutex_unlock (&self->lock);

  return mode;
}

static void
hold (StandIn * self, gboolean held)
{
  g_mutex_lock (&self->lock);
  fail_if (self->held, "more is sent before the rest of a list is");
  self->held = held;
  g_mutex_unlock (&self->lock);
}

static void
keep_unit (StandIn * self, GstBufferList * unit)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->units, gst_buffer_list_ref (unit));
  for (guint i = 0; i < gst_buffer_list_length (unit); i++)
    g_ptr_array_add (self->packets,
        gst_buffer_ref (gst_buffer_list_get (unit, i)));
  g_mutex_unlock (&self->lock);
}

static void
keep_report (StandIn * self, GstBufferList * report)
{
  g_mutex_lock (&self->lock);
  self->n_reports++;
  self->report_size = gst_buffer_list_calculate_size (report);
  g_mutex_unlock (&self->lock);
}

static void
write_list (StandIn * self, GstBufferList * list)
{
  gsize size = gst_buffer_list_calculate_size (list) +
      gst_buffer_list_length (list) * FRAME_SIZE;
  g_autofree gchar *bytes = g_malloc0 (size);
  gssize n = g_socket_send (gst_rtsp_connection_get_write_socket
      (self->connection), bytes, size, NULL, NULL);

  fail_unless (n == (gssize) size, "the socket is full");
}

/* As the library does: what went out as a whole is told of within. */
static gboolean
send_list (StandIn * self, GstBufferList * list,
    void (*keep) (StandIn * self, GstBufferList * list))
{
  StandInMode mode;

  fail_unless (g_atomic_int_add (&self->sending, 1) == 0, "two senders");
  mode = wait_mode (self, STAND_IN_STUCK);
  if (mode == STAND_IN_WRITES)
    write_list (self, list);
  if (mode != STAND_IN_REFUSES)
    keep (self, list);
  hold (self, mode == STAND_IN_HOLDS || mode == STAND_IN_LINGERS);
  if (mode == STAND_IN_LINGERS)
    wait_mode (self, mode);
  if (mode == STAND_IN_TAKES || mode == STAND_IN_WRITES)
    gst_rtsp_stream_transport_message_sent (self->transport);
  g_atomic_int_add (&self->sending, -1);
  return mode != STAND_IN_REFUSES;
}

static gboolean
send_unit (GstBufferList * list, guint8 channel, gpointer user_data)
{
  return send_list (user_data, list, keep_unit);
}

static gboolean
send_report (GstBufferList * list, guint8 channel, gpointer user_data)
{
  return send_list (user_data, list, keep_report);
}

static StandIn *
stand_in_new (GstRTSPTransport * transport)
{
  StandIn *self = g_new0 (StandIn, 1);
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstRTSPStream) stream = NULL;

  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->units =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_list_unref);
  self->packets =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  self->payloader =
      gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  pad = gst_element_get_static_pad (self->payloader, "src");
  stream = gst_rtsp_stream_new (0, self->payloader, pad);
  self->transport = gst_rtsp_stream_transport_new (stream, transport);
  gst_rtsp_stream_transport_set_list_callbacks (self->transport, send_unit,
      send_report, self, NULL);
  return self;
}

static GSocket *
make_socket (void)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);

  fail_unless (socket != NULL);
  return socket;
}

/* Returns the server's side. */
static GSocket *
connect_viewer (StandIn * self)
{
  g_autoptr (GSocket) listener = make_socket ();
  g_autoptr (GSocketAddress) any =
      g_inet_socket_address_new_from_string ("127.0.0.1", 0);
  g_autoptr (GSocketAddress) address = NULL;
  GSocket *server;

  fail_unless (g_socket_bind (listener, any, TRUE, NULL));
  fail_unless (g_socket_listen (listener, NULL));
  address = g_socket_get_local_address (listener, NULL);

  self->viewer_socket = make_socket ();
  g_socket_set_option (self->viewer_socket, SOL_SOCKET, SO_RCVBUF,
      VIEWER_BUFFER, NULL);
  fail_unless (g_socket_connect (self->viewer_socket, address, NULL, NULL));
  server = g_socket_accept (listener, NULL, NULL);
  fail_unless (server != NULL);
  g_socket_set_option (server, SOL_SOCKET, SO_SNDBUF, SERVER_BUFFER, NULL);
  g_socket_set_blocking (server, FALSE);
  return server;
}

StandIn *
stand_in_new_tcp (void)
{
  GstRTSPTransport *transport;
  g_autoptr (GSocket) server = NULL;
  StandIn *self;

  gst_rtsp_transport_new (&transport);
  transport->lower_transport = GST_RTSP_LOWER_TRANS_TCP;
  transport->interleaved.min = 0;
  transport->interleaved.max = 1;
  self = stand_in_new (transport);
  server = connect_viewer (self);
  fail_unless_equals_int (gst_rtsp_connection_create_from_socket (server,
          "127.0.0.1", 0, NULL, &self->connection), GST_RTSP_OK);
  return self;
}

static StandIn *
new_datagrams (GstRTSPLowerTrans lower_transport, const gchar * address,
    guint16 port)
{
  GstRTSPTransport *transport;

  gst_rtsp_transport_new (&transport);
  transport->lower_transport = lower_transport;
  transport->destination = g_strdup (address);
  transport->client_port.min = port;
  transport->client_port.max = port + 1;
  return stand_in_new (transport);
}

StandIn *
stand_in_new_udp (const gchar * address, guint16 port)
{
  return new_datagrams (GST_RTSP_LOWER_TRANS_UDP, address, port);
}

StandIn *
stand_in_new_multicast (const gchar * group, guint16 port)
{
  return new_datagrams (GST_RTSP_LOWER_TRANS_UDP_MCAST, group, port);
}

void
stand_in_free (StandIn * self)
{
  if (self == NULL)
    return;
  g_object_unref (self->transport);
  gst_object_unref (self->payloader);
  if (self->connection != NULL)
    gst_rtsp_connection_free (self->connection);
  g_clear_object (&self->viewer_socket);
  g_ptr_array_unref (self->units);
  g_ptr_array_unref (self->packets);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

GstRTSPStreamTransport *
stand_in_transport (StandIn * self)
{
  return self->transport;
}

GstRTSPConnection *
stand_in_connection (StandIn * self)
{
  return self->connection;
}

gsize
stand_in_read (StandIn * self, gsize n)
{
  g_autofree gchar *bytes = g_malloc (n);
  gssize taken = 0;

  if (g_socket_condition_check (self->viewer_socket, G_IO_IN))
    taken = g_socket_receive (self->viewer_socket, bytes, n, NULL, NULL);
  fail_unless (taken >= 0);
  return taken;
}

void
stand_in_set_mode (StandIn * self, StandInMode mode)
{
  g_mutex_lock (&self->lock);
  self->mode = mode;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

gboolean
stand_in_is_sending (StandIn * self)
{
  return g_atomic_int_get (&self->sending) > 0;
}

gboolean
stand_in_release (StandIn * self)
{
  gboolean held;

  g_mutex_lock (&self->lock);
  held = self->held;
  self->held = FALSE;
  g_mutex_unlock (&self->lock);

  if (held)
    gst_rtsp_stream_transport_message_sent (self->transport);
  return held;
}

void
stand_in_report (StandIn * self, gsize n)
{
  GstBuffer *report = gst_buffer_new_allocate (NULL, n, NULL);

  gst_buffer_memset (report, 0, 0, n);
  gst_rtsp_stream_transport_send_rtcp (self->transport, report);
  gst_buffer_unref (report);
}

guint
stand_in_count_reports (StandIn * self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->n_reports;
  g_mutex_unlock (&self->lock);

  return n;
}

gsize
stand_in_report_size (StandIn * self)
{
  gsize size;

  g_mutex_lock (&self->lock);
  size = self->report_size;
  g_mutex_unlock (&self->lock);

  return size;
}

guint
stand_in_count_units (StandIn * self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->units->len;
  g_mutex_unlock (&self->lock);

  return n;
}

guint
stand_in_count_packets (StandIn * self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->packets->len;
  g_mutex_unlock (&self->lock);

  return n;
}

GstBufferList *
stand_in_unit (StandIn * self, guint i)
{
  GstBufferList *unit;

  fail_unless (i < stand_in_count_units (self));
  g_mutex_lock (&self->lock);
  unit = g_ptr_array_index (self->units, i);
  g_mutex_unlock (&self->lock);

  return unit;
}

GstBuffer *
stand_in_packet (StandIn * self, guint i)
{
  GstBuffer *packet;

  fail_unless (i < stand_in_count_packets (self));
  g_mutex_lock (&self->lock);
  packet = g_ptr_array_index (self->packets, i);
  g_mutex_unlock (&self->lock);

  return packet;
}

void
stand_in_expect_seqnums (StandIn * self, guint16 from, guint n)
{
  fail_unless_equals_int (stand_in_count_packets (self), n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (rtp_packet_seqnum (stand_in_packet (self, i)),
        (guint16) (from + i));
}

void
stand_in_forget (StandIn * self)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_set_size (self->units, 0);
  g_ptr_array_set_size (self->packets, 0);
  g_mutex_unlock (&self->lock);
}

gboolean
stand_in_has_ipv6 (void)
{
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV6,
      G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);
  g_autoptr (GSocketAddress) loopback =
      g_inet_socket_address_new_from_string ("::1", 0);

  return socket != NULL && g_socket_bind (socket, loopback, FALSE, NULL);
}
