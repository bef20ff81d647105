/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Packets on a viewer's own TCP connection, between its RTSP messages
 * (RFC 2326, 10.12). The library writes them, as much as the socket takes,
 * and keeps the rest of one access unit; what comes meanwhile waits here, so
 * that a viewer who takes nothing holds up nobody and its queue can be
 * dropped. RTCP goes the same way, as the library tells of what it has sent
 * but not whether that was RTP or RTCP.
 *
 * Whoever finds that the library has nothing left sends what waits: the
 * media's thread, or the viewer's when its socket took the rest.
 *
 * Belongs to a stream transport, from SETUP on, and lives as long. */

#include "media/interleaved.h"

#include "media/rtcpfilter.h"
#include "base/socket.h"

/* '$', channel and length before each packet. */
#define FRAME_SIZE 4

/* A viewer that has more than this to take gets no reports: should one of
 * them be stuck in a socket that is full, the library would stop reporting to
 * all viewers of the media. */
#define MAX_UNTAKEN_FOR_REPORT (64 * 1024)

/* What the library gets in one call: it lays out all packets of a call on its
 * stack, and a raw picture can have 70,000. */
#define MAX_PACKETS_PER_CALL 256

/* An access unit that waits, maybe but for a part that was sent. */
typedef struct
{
  GstBufferList *packets;
  guint n_sent;                 /* of them */
  GstClockTime since;           /* monotonic time */
} Unit;

/* Some of an access unit that the library was given, and where it ends. */
typedef struct
{
  GstClockTime since;           /* it waits since then */
  guint64 end;                  /* in bytes of all that was written */
} Mark;

static void
free_unit (gpointer data)
{
  Unit *unit = data;

  gst_clear_buffer_list (&unit->packets);
  g_free (unit);
}

/* What hangs on a socket, and on a transport. */
#define WIRE "rtspserversink-wire"
#define INTERLEAVED "rtspserversink-interleaved"

/* What the streams on one connection share: the order of their bytes. Hangs on
 * the connection's socket. */
typedef struct
{
  GMutex lock;
  /* Guarded by lock. Nothing is called while it is held. */
  guint64 given;                /* bytes that the library was given in all */
  guint64 written;              /* up to the newest of which it keeps nothing:
                                 * it writes in their order */
} Wire;

struct _RtspSinkInterleaved
{
  /* Constant after construction. */
  GstRTSPStreamTransport *transport;    /* owns this */
  GSocket *socket;
  Wire *wire;
  gboolean tunneled;            /* over HTTP, in base64 */

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. The lock is not held while sending; the wire's
   * may be taken. */
  GQueue queue;                 /* of Unit */
  gsize queued_bytes;
  GstBufferList *report;        /* RTCP that waits, or NULL */
  gboolean bye;                 /* the stream has ended: it is the last */
  gboolean playing;             /* the viewer plays, and was told so */
  GThread *sending;             /* the thread that is in the library */
  gboolean held;                /* the library keeps some of the last */
  gboolean stopped;
  GQueue marks;                 /* of Mark: what may not be taken yet */
  guint64 last_end;             /* of what the library was given last */
};

static void
clear_wire (gpointer wire)
{
  g_mutex_clear (&((Wire *) wire)->lock);
}

static void
unref_wire (gpointer wire)
{
  g_atomic_rc_box_release_full (wire, clear_wire);
}

/* Viewer's thread: one per connection. */
static Wire *
ref_wire (GSocket * socket)
{
  Wire *wire = socket != NULL ?
      g_object_get_data (G_OBJECT (socket), WIRE) : NULL;

  if (wire == NULL) {
    wire = g_atomic_rc_box_new0 (Wire);
    g_mutex_init (&wire->lock);
    if (socket == NULL)
      return wire;
    g_object_set_data_full (G_OBJECT (socket), WIRE, wire, unref_wire);
  }
  return g_atomic_rc_box_acquire (wire);
}

/* Returns where it ends. */
static guint64
wire_give (Wire * wire, gsize n)
{
  guint64 end;

  g_mutex_lock (&wire->lock);
  wire->given += n;
  end = wire->given;
  g_mutex_unlock (&wire->lock);

  return end;
}

static void
wire_set_written (Wire * wire, guint64 end)
{
  g_mutex_lock (&wire->lock);
  wire->written = MAX (wire->written, end);
  g_mutex_unlock (&wire->lock);
}

static guint64
wire_get_written (Wire * wire)
{
  guint64 written;

  g_mutex_lock (&wire->lock);
  written = wire->written;
  g_mutex_unlock (&wire->lock);

  return written;
}

static void
free_interleaved (gpointer data)
{
  RtspSinkInterleaved *self = data;

  g_queue_clear_full (&self->queue, free_unit);
  g_queue_clear_full (&self->marks, g_free);
  gst_clear_buffer_list (&self->report);
  g_clear_object (&self->socket);
  unref_wire (self->wire);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

/* Nothing is held any more. The viewer's thread when its socket took the rest,
 * or within a send that went out as a whole. */
static void
all_sent (gpointer user_data)
{
  RtspSinkInterleaved *self = user_data;
  gboolean within;

  g_mutex_lock (&self->lock);
  self->held = FALSE;
  wire_set_written (self->wire, self->last_end);
  within = self->sending == g_thread_self ();
  g_mutex_unlock (&self->lock);

  if (!within)
    rtsp_sink_interleaved_send (self);
}

/* The newest report makes those before it useless. The library's thread. */
static gboolean
report_came (GstBuffer * buffer, guint8 channel, gpointer user_data)
{
  RtspSinkInterleaved *self = user_data;
  GstBufferList *report = gst_buffer_list_new ();
  gboolean bye = rtsp_sink_rtcp_filter_is_bye (buffer);

  gst_buffer_list_add (report, gst_buffer_ref (buffer));
  g_mutex_lock (&self->lock);
  gst_clear_buffer_list (&self->report);
  self->report = report;
  self->bye = bye;
  g_mutex_unlock (&self->lock);

  rtsp_sink_interleaved_send (self);
  return TRUE;
}

/**
 * rtsp_sink_interleaved_find:
 *
 * Returns: (transfer none) (nullable): what sends to @transport
 */
RtspSinkInterleaved *
rtsp_sink_interleaved_find (GstRTSPStreamTransport * transport)
{
  return g_object_get_data (G_OBJECT (transport), INTERLEAVED);
}

static void
nothing (GstRTSPStreamTransport * transport, gpointer user_data)
{
}

static RtspSinkInterleaved *
make (GstRTSPStreamTransport * transport, GstRTSPConnection * connection)
{
  RtspSinkInterleaved *self = g_new0 (RtspSinkInterleaved, 1);
  GSocket *socket = gst_rtsp_connection_get_write_socket (connection);

  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  g_queue_init (&self->queue);
  g_queue_init (&self->marks);
  self->transport = transport;
  self->socket = socket != NULL ? g_object_ref (socket) : NULL;
  self->wire = ref_wire (socket);
  self->tunneled = gst_rtsp_connection_is_tunneled (connection);

  g_object_set_data_full (G_OBJECT (transport), INTERLEAVED, self,
      free_interleaved);
  return self;
}

/**
 * rtsp_sink_interleaved_attach:
 * @transport: one that was just set up, or set up again: nothing is sent to it
 *   yet
 *
 * Viewer's thread.
 *
 * Returns: (transfer none): what from now on sends to @transport
 */
RtspSinkInterleaved *
rtsp_sink_interleaved_attach (GstRTSPStreamTransport * transport,
    GstRTSPConnection * connection)
{
  RtspSinkInterleaved *self = rtsp_sink_interleaved_find (transport);

  if (self == NULL)
    self = make (transport, connection);

  /* RTP comes from the delivery; the library's function for lists stays, and
   * is what sends. */
  gst_rtsp_stream_transport_set_callbacks (transport, NULL, report_came, self,
      NULL);
  gst_rtsp_stream_transport_set_message_sent (transport, all_sent, self, NULL);
  /* The library sets its own, function first, when the viewer plays: the data
   * is right for whichever function another thread finds. */
  gst_rtsp_stream_transport_set_message_sent_full (transport, nothing,
      gst_rtsp_stream_transport_get_stream (transport), NULL);
  return self;
}

/**
 * rtsp_sink_interleaved_start:
 *
 * The viewer was told that it plays: what waits is sent, and what comes. Not
 * before that, for FFmpeg drops what comes while it waits for an answer, and the
 * first is the key unit.
 *
 * The library now wants to know of each message that was sent, which wakes a
 * thread of its own that has nothing to do: it does not get to know. Viewer's
 * thread.
 */
void
rtsp_sink_interleaved_start (RtspSinkInterleaved * self)
{
  /* The same data as the library's: another thread may be calling. */
  gst_rtsp_stream_transport_set_message_sent_full (self->transport, nothing,
      gst_rtsp_stream_transport_get_stream (self->transport), NULL);

  g_mutex_lock (&self->lock);
  self->playing = TRUE;
  g_mutex_unlock (&self->lock);
  rtsp_sink_interleaved_send (self);
}

/**
 * rtsp_sink_interleaved_enqueue:
 * @packets: (transfer full): an access unit
 * @since: monotonic time: it waits since then
 *
 * Does not send yet. Media's thread.
 */
void
rtsp_sink_interleaved_enqueue (RtspSinkInterleaved * self,
    GstBufferList * packets, GstClockTime since)
{
  Unit *unit = g_new (Unit, 1);

  unit->packets = packets;
  unit->n_sent = 0;
  unit->since = since;
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->queue, unit);
  self->queued_bytes += gst_buffer_list_calculate_size (packets);
  g_mutex_unlock (&self->lock);
}

/* Base64 makes four bytes of three (RFC 4648, 4). */
static guint64
count_untaken_locked (RtspSinkInterleaved * self)
{
  guint64 n = self->socket != NULL ?
      rtsp_sink_socket_count_untaken (self->socket) : 0;

  return self->tunneled ? n * 3 / 4 : n;
}

static void
mark_locked (RtspSinkInterleaved * self, GstClockTime since)
{
  Mark *mark = g_new (Mark, 1);

  mark->since = since;
  mark->end = self->last_end;
  g_queue_push_tail (&self->marks, mark);
}

static GstBufferList *
take_report_locked (RtspSinkInterleaved * self)
{
  GstBufferList *report = g_steal_pointer (&self->report);

  if (report != NULL && !self->bye
      && count_untaken_locked (self) > MAX_UNTAKEN_FOR_REPORT)
    gst_clear_buffer_list (&report);
  return report;
}

/* @n packets from @first on. */
static GstBufferList *
get_part (GstBufferList * packets, guint first, guint n)
{
  GstBufferList *part;

  if (n == gst_buffer_list_length (packets))
    return gst_buffer_list_ref (packets);

  part = gst_buffer_list_new_sized (n);
  for (guint i = 0; i < n; i++)
    gst_buffer_list_add (part,
        gst_buffer_ref (gst_buffer_list_get (packets, first + i)));
  return part;
}

/* Of the unit that waits longest, as much as goes into one call. */
static GstBufferList *
take_part_locked (RtspSinkInterleaved * self, GstClockTime * since)
{
  Unit *unit = g_queue_peek_head (&self->queue);
  GstBufferList *part;
  guint n, n_left;

  if (unit == NULL)
    return NULL;
  n_left = gst_buffer_list_length (unit->packets) - unit->n_sent;
  n = MIN (n_left, MAX_PACKETS_PER_CALL);
  part = get_part (unit->packets, unit->n_sent, n);
  unit->n_sent += n;
  *since = unit->since;
  self->queued_bytes -= gst_buffer_list_calculate_size (part);
  if (n == n_left)
    free_unit (g_queue_pop_head (&self->queue));
  return part;
}

/* A unit that began to go out goes out whole: the viewer would not notice what it
 * lacks. */
static gboolean
is_under_way_locked (RtspSinkInterleaved * self)
{
  Unit *unit = g_queue_peek_head (&self->queue);

  return unit != NULL && unit->n_sent > 0;
}

/* The newest unit that waits, but for one that is under way. */
static Unit *
steal_newest_locked (RtspSinkInterleaved * self)
{
  Unit *unit = g_queue_peek_tail (&self->queue);

  if (unit == NULL || unit->n_sent > 0)
    return NULL;
  self->queued_bytes -= gst_buffer_list_calculate_size (unit->packets);
  return g_queue_pop_tail (&self->queue);
}

/* What may be sent now; the caller then is the sender. The end of the stream
 * comes behind all of it. */
static GstBufferList *
take_locked (RtspSinkInterleaved * self, gboolean * report)
{
  GstBufferList *packets;
  GstClockTime since = 0;

  if (self->held || self->stopped
      || (!self->playing && !is_under_way_locked (self)))
    return NULL;
  packets = !self->playing || (self->bye && self->queue.length > 0) ? NULL :
      take_report_locked (self);
  *report = packets != NULL;
  if (packets == NULL)
    packets = take_part_locked (self, &since);
  if (packets == NULL)
    return NULL;

  self->held = TRUE;
  self->last_end = wire_give (self->wire,
      gst_buffer_list_calculate_size (packets)
      + gst_buffer_list_length (packets) * FRAME_SIZE);
  if (!*report)
    mark_locked (self, since);
  return packets;
}

/**
 * rtsp_sink_interleaved_send:
 *
 * Sends what waits, as much as the socket takes. Does not block. Media's or
 * viewer's thread, with no lock held.
 */
void
rtsp_sink_interleaved_send (RtspSinkInterleaved * self)
{
  GstBufferList *packets;
  gboolean report;

  g_mutex_lock (&self->lock);
  while (self->sending == NULL
      && (packets = take_locked (self, &report)) != NULL) {
    self->sending = g_thread_self ();
    g_mutex_unlock (&self->lock);

    /* Calls all_sent() at once or later; or closes the connection. */
    if (report)
      gst_rtsp_stream_transport_send_rtcp_list (self->transport, packets);
    else
      gst_rtsp_stream_transport_send_rtp_list (self->transport, packets);
    gst_buffer_list_unref (packets);

    g_mutex_lock (&self->lock);
    self->sending = NULL;
    g_cond_broadcast (&self->cond);
  }
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_interleaved_get_queued:
 *
 * Any thread.
 *
 * Returns: how many bytes wait here
 */
gsize
rtsp_sink_interleaved_get_queued (RtspSinkInterleaved * self)
{
  gsize bytes;

  g_mutex_lock (&self->lock);
  bytes = self->queued_bytes;
  g_mutex_unlock (&self->lock);

  return bytes;
}

static GstClockTime
oldest_untaken_locked (RtspSinkInterleaved * self, guint64 untaken)
{
  guint64 written = wire_get_written (self->wire);
  Mark *mark;

  while ((mark = g_queue_peek_head (&self->marks)) != NULL
      && mark->end + untaken <= written)
    g_free (g_queue_pop_head (&self->marks));

  if (mark != NULL)
    return mark->since;
  if (self->queue.length > 0)
    return ((Unit *) g_queue_peek_head (&self->queue))->since;
  return GST_CLOCK_TIME_NONE;
}

/**
 * rtsp_sink_interleaved_get_delay:
 * @now: monotonic time
 *
 * Any thread.
 *
 * Returns: how long the oldest waits that the viewer's machine has not taken,
 *   what is in the socket included
 */
GstClockTime
rtsp_sink_interleaved_get_delay (RtspSinkInterleaved * self, GstClockTime now)
{
  GstClockTime oldest;

  g_mutex_lock (&self->lock);
  oldest = oldest_untaken_locked (self, count_untaken_locked (self));
  g_mutex_unlock (&self->lock);

  return GST_CLOCK_TIME_IS_VALID (oldest) && now > oldest ? now - oldest : 0;
}

/**
 * rtsp_sink_interleaved_skip:
 * @skipped: (out): what they were
 *
 * Drops the units that wait, but for the rest of one that is under way. Media's
 * or viewer's thread.
 */
void
rtsp_sink_interleaved_skip (RtspSinkInterleaved * self,
    RtspSinkSkipped * skipped)
{
  Unit *unit;

  memset (skipped, 0, sizeof *skipped);
  g_mutex_lock (&self->lock);
  while ((unit = steal_newest_locked (self)) != NULL) {
    skipped->n_units++;
    skipped->n_packets += gst_buffer_list_length (unit->packets);
    skipped->n_bytes += gst_buffer_list_calculate_size (unit->packets);
    free_unit (unit);
  }
  g_mutex_unlock (&self->lock);
}

static void
drop_locked (RtspSinkInterleaved * self)
{
  Unit *unit;

  self->playing = FALSE;
  while ((unit = steal_newest_locked (self)) != NULL)
    free_unit (unit);
  gst_clear_buffer_list (&self->report);
  while (self->sending != NULL && self->sending != g_thread_self ())
    g_cond_wait (&self->cond, &self->lock);
}

/**
 * rtsp_sink_interleaved_drop:
 *
 * The viewer pauses: drops what waits, and sends no more before the next start.
 * When it returns nothing is on its way, but for the rest of one, without which
 * the connection would be out of step. Viewer's thread.
 */
void
rtsp_sink_interleaved_drop (RtspSinkInterleaved * self)
{
  g_mutex_lock (&self->lock);
  drop_locked (self);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_interleaved_stop:
 *
 * When it returns nothing is sent any more: the client that sends may go.
 * Viewer's thread.
 */
void
rtsp_sink_interleaved_stop (RtspSinkInterleaved * self)
{
  GSocket *socket;

  g_mutex_lock (&self->lock);
  self->stopped = TRUE;
  drop_locked (self);
  socket = g_steal_pointer (&self->socket);
  g_mutex_unlock (&self->lock);

  /* The library's connection closes it only if nobody else refers to it. */
  g_clear_object (&socket);
}
