/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How much comes on each connection, from its first byte until it is closed. The
 * library takes a request of any length, byte by byte, and its thread looks at
 * nothing else while there is more: so this is counted by the kernel and looked
 * at from elsewhere. Server's thread; the timer runs in its default context, and
 * only while there are connections. */

#include "server/inflow.h"

#include "base/socket.h"

/* Requests and reports: so many bytes, and so many per second. A viewer asks
 * for some hundred bytes at a time, and reports in a hundred every 5 s. */
#define MAX_RECEIVED (32 * 1024)
#define MAX_RECEIVED_PER_SECOND (2 * 1024)

/* How often, in ms: what comes meanwhile from a peer that sends as fast as it can
 * is kept, and keeps the others on its thread waiting. */
#define CHECK_INTERVAL 200

typedef struct
{
  GWeakRef socket;              /* closed with its last reference */
  gint64 since;                 /* monotonic time */
} Connection;

struct _RtspSinkInflow
{
  RtspSinkInflowFunc flooded;
  gpointer user_data;
  GPtrArray *connections;       /* of Connection */
  GSource *timer;               /* NULL: there are no connections */
};

static void
free_connection (gpointer data)
{
  Connection *connection = data;

  g_weak_ref_clear (&connection->socket);
  g_free (connection);
}

static void
stop_timer (RtspSinkInflow * self)
{
  if (self->timer == NULL)
    return;
  g_source_destroy (self->timer);
  g_clear_pointer (&self->timer, g_source_unref);
}

/**
 * rtsp_sink_inflow_new:
 * @flooded: told of each connection that was ended
 *
 * Returns: (transfer full): counts nothing yet
 */
RtspSinkInflow *
rtsp_sink_inflow_new (RtspSinkInflowFunc flooded, gpointer user_data)
{
  RtspSinkInflow *self = g_new0 (RtspSinkInflow, 1);

  self->flooded = flooded;
  self->user_data = user_data;
  self->connections = g_ptr_array_new_with_free_func (free_connection);
  return self;
}

/* When the server's thread has ended, or has never begun. */
void
rtsp_sink_inflow_free (RtspSinkInflow * self)
{
  stop_timer (self);
  g_ptr_array_unref (self->connections);
  g_free (self);
}

/**
 * rtsp_sink_inflow_is_too_much:
 * @since: when the connection came, in monotonic time
 *
 * Any thread.
 *
 * Returns: whether more came than a viewer can have to say
 */
gboolean
rtsp_sink_inflow_is_too_much (GSocket * socket, gint64 since)
{
  gint64 age = g_get_monotonic_time () - since;

  return rtsp_sink_socket_count_received (socket) > (guint64) (MAX_RECEIVED +
      age * MAX_RECEIVED_PER_SECOND / G_TIME_SPAN_SECOND);
}

/* Whether the connection needs no look any more. */
static gboolean
check (RtspSinkInflow * self, Connection * connection)
{
  g_autoptr (GSocket) socket = g_weak_ref_get (&connection->socket);

  if (socket == NULL)
    return TRUE;
  if (!rtsp_sink_inflow_is_too_much (socket, connection->since))
    return FALSE;
  self->flooded (socket, self->user_data);
  rtsp_sink_socket_end (socket);
  return TRUE;
}

static gboolean
check_all (gpointer user_data)
{
  RtspSinkInflow *self = user_data;

  for (guint i = self->connections->len; i > 0; i--) {
    if (check (self, g_ptr_array_index (self->connections, i - 1)))
      g_ptr_array_remove_index_fast (self->connections, i - 1);
  }
  if (self->connections->len == 0)
    stop_timer (self);
  return G_SOURCE_CONTINUE;
}

static void
start_timer (RtspSinkInflow * self)
{
  self->timer = g_timeout_source_new (CHECK_INTERVAL);
  g_source_set_callback (self->timer, check_all, self, NULL);
  g_source_set_static_name (self->timer, "rtspserversink-inflow");
  g_source_attach (self->timer, g_main_context_get_thread_default ());
}

/**
 * rtsp_sink_inflow_add:
 * @socket: is looked at as long as it lives, and ended if too much comes
 */
void
rtsp_sink_inflow_add (RtspSinkInflow * self, GSocket * socket)
{
  Connection *connection = g_new (Connection, 1);

  g_weak_ref_init (&connection->socket, socket);
  connection->since = g_get_monotonic_time ();
  g_ptr_array_add (self->connections, connection);
  if (self->timer == NULL)
    start_timer (self);
}
