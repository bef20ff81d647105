/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Connections of which nothing has come yet. They cost a descriptor each, but
 * neither a client nor a thread, and their first byte tells on which thread
 * they belong. Server's thread; the sources run in its default context. */

#include "server/lobby.h"

#include "base/descriptors.h"
#include "base/socket.h"

/* How many may wait. One more, and the one that waits longest is closed: a
 * client speaks as soon as it is connected. */
#define MAX_WAITING 512

/* How long they may wait: as long as the library lets a client that asks for nothing. */
#define MAX_WAIT (60 * G_TIME_SPAN_SECOND)

typedef struct
{
  RtspSinkLobby *lobby;
  GSocket *socket;
  GSource *source;
  gint64 since;                 /* monotonic time */
  GList link;                   /* in the lobby's queue */
} Guest;

struct _RtspSinkLobby
{
  RtspSinkLobbyFunc spoke;
  gpointer user_data;
  GQueue guests;                /* of Guest, the oldest first */
};

/**
 * rtsp_sink_lobby_new:
 * @spoke: gets a connection of which something came
 *
 * Returns: (transfer full): an empty lobby
 */
RtspSinkLobby *
rtsp_sink_lobby_new (RtspSinkLobbyFunc spoke, gpointer user_data)
{
  RtspSinkLobby *self = g_new0 (RtspSinkLobby, 1);

  self->spoke = spoke;
  self->user_data = user_data;
  g_queue_init (&self->guests);
  return self;
}

/* Returns: (transfer full): the guest's socket */
static GSocket *
let_go (Guest * guest)
{
  GSocket *socket = guest->socket;

  g_queue_unlink (&guest->lobby->guests, &guest->link);
  g_source_destroy (guest->source);
  g_source_unref (guest->source);
  g_free (guest);
  return socket;
}

static void
send_away (Guest * guest)
{
  GSocket *socket = let_go (guest);

  rtsp_sink_socket_end (socket);
  g_object_unref (socket);
}

static gboolean
guest_spoke (GSocket * unused, GIOCondition condition, gpointer user_data)
{
  Guest *guest = user_data;
  RtspSinkLobby *self = guest->lobby;
  guint8 first;

  switch (rtsp_sink_socket_peek (guest->socket, &first)) {
    case RTSP_SINK_PEEK_NOTHING:
      return G_SOURCE_CONTINUE;
    case RTSP_SINK_PEEK_GONE:
      send_away (guest);
      return G_SOURCE_REMOVE;
    case RTSP_SINK_PEEK_BYTE:
      break;
  }
  self->spoke (let_go (guest), first, self->user_data);
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_lobby_add:
 * @socket: (transfer full): of a new connection
 *
 * Closes another one, or this one, if there are too many or no descriptors for
 * more.
 *
 * Returns: FALSE if there are no descriptors for more
 */
gboolean
rtsp_sink_lobby_add (RtspSinkLobby * self, GSocket * socket)
{
  gboolean scarce = rtsp_sink_descriptors_are_scarce ();
  Guest *guest = g_new0 (Guest, 1);

  rtsp_sink_socket_set_up (socket);
  guest->lobby = self;
  guest->socket = socket;
  guest->since = g_get_monotonic_time ();
  guest->link.data = guest;
  guest->source = g_socket_create_source (socket, G_IO_IN, NULL);
  g_source_set_callback (guest->source, G_SOURCE_FUNC (guest_spoke), guest,
      NULL);
  g_source_set_static_name (guest->source, "rtspserversink-lobby");
  g_source_attach (guest->source, g_main_context_get_thread_default ());
  g_queue_push_tail_link (&self->guests, &guest->link);

  if (self->guests.length > MAX_WAITING || scarce)
    send_away (g_queue_peek_head (&self->guests));
  return !scarce;
}

/**
 * rtsp_sink_lobby_check:
 *
 * Closes what has waited too long.
 */
void
rtsp_sink_lobby_check (RtspSinkLobby * self)
{
  gint64 oldest = g_get_monotonic_time () - MAX_WAIT;
  Guest *guest;

  while ((guest = g_queue_peek_head (&self->guests)) != NULL
      && guest->since < oldest)
    send_away (guest);
}

/**
 * rtsp_sink_lobby_free:
 *
 * Closes what still waits.
 */
void
rtsp_sink_lobby_free (RtspSinkLobby * self)
{
  while (self->guests.length > 0)
    send_away (g_queue_peek_head (&self->guests));
  g_free (self);
}
