/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The packets of one access unit as datagrams: laid out once, sent to many
 * addresses, each with sequence numbers of its own, with one system call for
 * all of a viewer's packets.
 *
 * Packets of one size in a row go to the kernel as one message, which it cuts
 * late (UDP_SEGMENT, Linux 4.18): that is most of the way through the network
 * stack once per run, and not once per packet. Where a network card, a tunnel
 * or an old kernel cannot, they go one by one.
 *
 * One thread at a time; no locks. */

#include "media/datagrams.h"

#include <netinet/in.h>
#include <netinet/udp.h>

/* Version, marker, payload type and sequence number (RFC 3550, 5.1): what
 * differs between viewers, and no more. */
#define OWN_SIZE 4
#define SEQNUM_OFFSET 2

/* What the kernel takes as one message. */
#define MAX_RUN_PACKETS 60
#define MAX_RUN_BYTES 60000

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

/* Says where the kernel cuts a message. */
typedef struct
{
  GSocketControlMessage parent;
  guint16 size;
} RtspSinkSegment;

typedef GSocketControlMessageClass RtspSinkSegmentClass;

static GType rtsp_sink_segment_get_type (void);
G_DEFINE_FINAL_TYPE (RtspSinkSegment, rtsp_sink_segment,
    G_TYPE_SOCKET_CONTROL_MESSAGE);

static gsize
rtsp_sink_segment_get_size (GSocketControlMessage * message)
{
  return sizeof (guint16);
}

static int
rtsp_sink_segment_get_level (GSocketControlMessage * message)
{
  return IPPROTO_UDP;
}

static int
rtsp_sink_segment_get_msg_type (GSocketControlMessage * message)
{
  return UDP_SEGMENT;
}

static void
rtsp_sink_segment_serialize (GSocketControlMessage * message, gpointer data)
{
  memcpy (data, &((RtspSinkSegment *) message)->size, sizeof (guint16));
}

static void
rtsp_sink_segment_class_init (RtspSinkSegmentClass * klass)
{
  klass->get_size = rtsp_sink_segment_get_size;
  klass->get_level = rtsp_sink_segment_get_level;
  klass->get_type = rtsp_sink_segment_get_msg_type;
  klass->serialize = rtsp_sink_segment_serialize;
}

static void
rtsp_sink_segment_init (RtspSinkSegment * self)
{
}

typedef struct
{
  guint8 own[OWN_SIZE];
  GstMapInfo *maps;             /* one per memory of the packet */
  guint n_maps;
  gsize size;
  GOutputVector *vectors;       /* n_maps + 1 */
} Packet;

/* Packets in a row that are of one size; the last may be smaller. */
typedef struct
{
  guint first;
  guint n;
  GSocketControlMessage *segment;       /* NULL: a single packet */
} Run;

struct _RtspSinkDatagrams
{
  guint n_packets;
  Packet *packets;
  GOutputVector *vectors;       /* of all packets, in their order */
  GstMapInfo *maps;
  guint n_runs;
  Run *runs;
  GOutputMessage *messages;     /* as many as packets, used for runs, too */
};

/* On a socket: it does not take runs. */
static GQuark
one_by_one_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string
        ("rtspserversink-one-by-one"));
  return quark;
}

static guint
count_memories (GstBufferList * packets)
{
  guint n = 0;

  for (guint i = 0; i < gst_buffer_list_length (packets); i++)
    n += gst_buffer_n_memory (gst_buffer_list_get (packets, i));
  return n;
}

/* FALSE: no RTP packet. */
static gboolean
map_packet (Packet * self, GstBuffer * buffer)
{
  guint n = gst_buffer_n_memory (buffer);

  for (guint i = 0; i < n; i++) {
    /* Its memory lives as long as the list does. */
    if (!gst_memory_map (gst_buffer_peek_memory (buffer, i), &self->maps[i],
            GST_MAP_READ))
      return FALSE;
    self->n_maps++;
    self->size += self->maps[i].size;
  }
  if (n == 0 || self->maps[0].size < OWN_SIZE)
    return FALSE;
  memcpy (self->own, self->maps[0].data, OWN_SIZE);
  return TRUE;
}

static void
unmap_packet (Packet * self)
{
  for (guint i = 0; i < self->n_maps; i++)
    gst_memory_unmap (self->maps[i].memory, &self->maps[i]);
}

static void
lay_out (Packet * self)
{
  GOutputVector *vectors = self->vectors;

  vectors[0].buffer = self->own;
  vectors[0].size = OWN_SIZE;
  for (guint i = 0; i < self->n_maps; i++) {
    vectors[i + 1].buffer = self->maps[i].data;
    vectors[i + 1].size = self->maps[i].size;
  }
  vectors[1].buffer = self->maps[0].data + OWN_SIZE;
  vectors[1].size -= OWN_SIZE;
}

/* Does the next packet belong to the run that begins with @first? */
static gboolean
continues (const Packet * first, guint n)
{
  return n < MAX_RUN_PACKETS && (n + 1) * first->size <= MAX_RUN_BYTES
      && first[n - 1].size == first->size && first[n].size <= first->size;
}

static void
find_runs (RtspSinkDatagrams * self)
{
  guint i = 0;

  while (i < self->n_packets) {
    Run *run = &self->runs[self->n_runs++];
    RtspSinkSegment *segment;

    run->first = i++;
    run->n = 1;
    while (i < self->n_packets && continues (&self->packets[run->first],
            run->n)) {
      run->n++;
      i++;
    }
    if (run->n == 1)
      continue;
    segment = g_object_new (rtsp_sink_segment_get_type (), NULL);
    segment->size = self->packets[run->first].size;
    run->segment = G_SOCKET_CONTROL_MESSAGE (segment);
  }
}

/**
 * rtsp_sink_datagrams_new:
 * @packets: (transfer none): RTP packets; must live until the datagrams are
 *   freed
 *
 * Returns: (transfer full): the datagrams
 */
RtspSinkDatagrams *
rtsp_sink_datagrams_new (GstBufferList * packets)
{
  RtspSinkDatagrams *self = g_new0 (RtspSinkDatagrams, 1);
  guint n = gst_buffer_list_length (packets);
  guint n_memories = count_memories (packets);
  GstMapInfo *maps;
  GOutputVector *vectors;

  self->packets = g_new0 (Packet, n);
  self->vectors = vectors = g_new (GOutputVector, n + n_memories);
  self->maps = maps = g_new (GstMapInfo, n_memories);
  self->runs = g_new0 (Run, n);
  self->messages = g_new0 (GOutputMessage, n);

  for (guint i = 0; i < n; i++) {
    Packet *packet = &self->packets[i];

    packet->maps = maps;
    packet->vectors = vectors;
    if (!map_packet (packet, gst_buffer_list_get (packets, i))) {
      unmap_packet (packet);
      break;
    }
    lay_out (packet);
    maps += packet->n_maps;
    vectors += packet->n_maps + 1;
    self->n_packets++;
  }
  find_runs (self);
  return self;
}

void
rtsp_sink_datagrams_free (RtspSinkDatagrams * self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_packets; i++)
    unmap_packet (&self->packets[i]);
  for (guint i = 0; i < self->n_runs; i++)
    g_clear_object (&self->runs[i].segment);
  g_free (self->packets);
  g_free (self->vectors);
  g_free (self->maps);
  g_free (self->runs);
  g_free (self->messages);
  g_free (self);
}

static void
number (RtspSinkDatagrams * self, guint16 seqnum)
{
  for (guint i = 0; i < self->n_packets; i++)
    GST_WRITE_UINT16_BE (self->packets[i].own + SEQNUM_OFFSET,
        (guint16) (seqnum + i));
}

/* @n packets from @first on as one message. */
static void
fill (RtspSinkDatagrams * self, GOutputMessage * message, guint first, guint n,
    GSocketAddress * address)
{
  const Packet *last = &self->packets[first + n - 1];

  memset (message, 0, sizeof *message);
  message->address = address;
  message->vectors = self->packets[first].vectors;
  message->num_vectors = last->vectors + last->n_maps + 1 - message->vectors;
}

static void
fill_runs (RtspSinkDatagrams * self, guint first, GSocketAddress * address)
{
  for (guint i = first; i < self->n_runs; i++) {
    Run *run = &self->runs[i];

    fill (self, &self->messages[i], run->first, run->n, address);
    if (run->segment != NULL) {
      self->messages[i].control_messages = &run->segment;
      self->messages[i].num_control_messages = 1;
    }
  }
}

static guint
find_run (RtspSinkDatagrams * self, guint packet)
{
  guint i = 0;

  while (i < self->n_runs && self->runs[i].first < packet)
    i++;
  return i;
}

/* From packet @first on, which begins a run. Returns which was not sent.
 * @refused: the kernel does not take that as a run. */
static guint
send_runs (RtspSinkDatagrams * self, GSocket * socket,
    GSocketAddress * address, guint first, gboolean * refused)
{
  g_autoptr (GError) error = NULL;
  guint done = find_run (self, first);
  gint sent = 0;

  fill_runs (self, done, address);
  /* An error is told only of the first message of a call. */
  while (done < self->n_runs && sent >= 0) {
    sent = g_socket_send_messages (socket, self->messages + done,
        self->n_runs - done, 0, NULL, &error);
    done += MAX (sent, 0);
  }
  *refused = error != NULL && self->runs[done].segment != NULL
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK);
  return done < self->n_runs ? self->runs[done].first : self->n_packets;
}

/* Likewise, from any packet on. */
static guint
send_one_by_one (RtspSinkDatagrams * self, GSocket * socket,
    GSocketAddress * address, guint first)
{
  gint sent = 0;

  for (guint i = first; i < self->n_packets; i++)
    fill (self, &self->messages[i], i, 1, address);
  while (first < self->n_packets && sent >= 0) {
    sent = g_socket_send_messages (socket, self->messages + first,
        self->n_packets - first, 0, NULL, NULL);
    first += MAX (sent, 0);
  }
  return first;
}

/**
 * rtsp_sink_datagrams_send:
 * @socket: one that does not block
 * @seqnum: of the first packet of all
 * @first: which packet to begin with: 0, or what this returned before
 *
 * Returns: the packet that was not sent, since the socket is full; or how many
 *   there are
 */
guint
rtsp_sink_datagrams_send (RtspSinkDatagrams * self, GSocket * socket,
    GSocketAddress * address, guint16 seqnum, guint first)
{
  gboolean refused;
  guint n, done;

  number (self, seqnum);
  if (g_object_get_qdata (G_OBJECT (socket), one_by_one_quark ()) != NULL
      || (first > 0 && self->runs[find_run (self, first)].first != first))
    return send_one_by_one (self, socket, address, first);

  done = send_runs (self, socket, address, first, &refused);
  if (!refused)
    return done;
  n = send_one_by_one (self, socket, address, done);
  /* It was the runs, and not the address. */
  if (n > done)
    g_object_set_qdata (G_OBJECT (socket), one_by_one_quark (), socket);
  return n;
}
