/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One stream of one viewer: decides per access unit whether the viewer gets it,
 * gives the packets sequence numbers of the viewer's own, so that a viewer
 * who joins or skips sees no gap and RTP-Info (RFC 2326, 12.33) names the
 * very first packet, and sends them.
 *
 * Pushed to on the media's thread, opened and closed on the viewer's.
 * Pushing never blocks. */

#include "media/sender.h"

#include "base/allowance.h"
#include "media/catchup.h"
#include "media/udp.h"
#include "media/interleaved.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_sender_debug);
#define GST_CAT_DEFAULT rtsp_sink_sender_debug

/* What may wait for a viewer in all, however short a time that is. */
#define MAX_QUEUED_BYTES (8 * 1024 * 1024)

/* How often a viewer may report: an honest one does so every few seconds, and at
 * once when it asks for a key unit. */
#define REPORT_INTERVAL (100 * G_TIME_SPAN_MILLISECOND)
#define REPORTS_AT_ONCE 10

/* How often under another SSRC than before, as after a collision (RFC 3550, 8.2):
 * the RTP session remembers each for half a minute. */
#define SSRC_INTERVAL (10 * G_TIME_SPAN_SECOND)
#define SSRCS_AT_ONCE 2

struct _RtspSinkSender
{
  /* Constant after construction. */
  guint id;                     /* of the viewer */
  GstRTSPStreamTransport *transport;
  GstRTSPLowerTrans lower_transport;
  GstClockTime max_delay;
  RtspSinkUdp *destination;     /* lock guards the sending */
  RtspSinkInterleaved *interleaved;     /* TCP: belongs to the transport */

  gint costs;                   /* atomic: a key unit was made for it */

  GMutex lock;
  /* Guarded by lock. While it is held datagrams are sent, the queue of the
   * connection is filled and descriptors are counted, which takes the locks of
   * the latter two. */
  RtspSinkSenderGate gate;
  guint16 next_seqnum;
  GstClockTime newest;          /* when the newest unit came, or NONE */
  GstClockTime sent;            /* the highest PTS that was sent, or NONE */
  RtspSinkCatchup catchup;      /* what goes before units that come */
  RtspSinkSenderStats stats;    /* without delay, open, slow */
  guint32 reporter;             /* SSRC of its reports, 0: none came */
  RtspSinkAllowance reports;
  RtspSinkAllowance reporters;
};

static void
init_debug (void)
{
  static gsize done = 0;

  if (!g_once_init_enter (&done))
    return;
  GST_DEBUG_CATEGORY_INIT (rtsp_sink_sender_debug, "rtspserversink-sender", 0,
      "rtspserversink: one viewer's packets");
  g_once_init_leave (&done, 1);
}

/**
 * rtsp_sink_sender_new:
 *
 * Viewer's thread.
 *
 * Returns: (transfer full): a closed sender
 */
RtspSinkSender *
rtsp_sink_sender_new (const RtspSinkSenderConfig * config)
{
  RtspSinkSender *self = g_atomic_rc_box_new0 (RtspSinkSender);
  const GstRTSPTransport *transport =
      gst_rtsp_stream_transport_get_transport (config->transport);

  init_debug ();

  g_mutex_init (&self->lock);
  self->id = config->id;
  self->transport = g_object_ref (config->transport);
  self->lower_transport = transport->lower_transport;
  self->max_delay = config->max_delay;
  self->newest = GST_CLOCK_TIME_NONE;
  self->sent = GST_CLOCK_TIME_NONE;
  rtsp_sink_catchup_init (&self->catchup);

  if (self->lower_transport == GST_RTSP_LOWER_TRANS_TCP)
    self->interleaved = rtsp_sink_interleaved_find (config->transport);
  self->destination = rtsp_sink_udp_new (transport, config->peer,
      config->socket);
  return self;
}

RtspSinkSender *
rtsp_sink_sender_ref (RtspSinkSender * self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_sender (gpointer sender)
{
  RtspSinkSender *self = sender;

  rtsp_sink_catchup_clear (&self->catchup);
  rtsp_sink_udp_free (self->destination);
  g_object_unref (self->transport);
  g_mutex_clear (&self->lock);
}

void
rtsp_sink_sender_unref (RtspSinkSender * self)
{
  g_atomic_rc_box_release_full (self, clear_sender);
}

GstRTSPLowerTrans
rtsp_sink_sender_get_lower_transport (RtspSinkSender * self)
{
  return self->lower_transport;
}

/**
 * rtsp_sink_sender_is_open:
 *
 * Any thread.
 *
 * Returns: whether the viewer plays
 */
gboolean
rtsp_sink_sender_is_open (RtspSinkSender * self)
{
  gboolean open;

  g_mutex_lock (&self->lock);
  open = self->gate != RTSP_SINK_SENDER_CLOSED;
  g_mutex_unlock (&self->lock);

  return open;
}

/**
 * rtsp_sink_sender_touch:
 * @address: from where RTCP came
 *
 * If it was from this viewer, the viewer lives. Receiver's thread.
 *
 * Returns: whether it was
 */
gboolean
rtsp_sink_sender_touch (RtspSinkSender * self, GInetSocketAddress * address)
{
  if (!rtsp_sink_udp_reports_from (self->destination, address))
    return FALSE;
  gst_rtsp_stream_transport_keep_alive (self->transport);
  return TRUE;
}

static gboolean
may_report_locked (RtspSinkSender * self, guint32 ssrc, gint64 now)
{
  if (!rtsp_sink_allowance_take (&self->reports, now, REPORT_INTERVAL,
          REPORTS_AT_ONCE))
    return FALSE;
  if (ssrc == 0 || ssrc == self->reporter)
    return TRUE;
  if (!rtsp_sink_allowance_take (&self->reporters, now, SSRC_INTERVAL,
          SSRCS_AT_ONCE))
    return FALSE;
  self->reporter = ssrc;
  return TRUE;
}

/**
 * rtsp_sink_sender_may_report:
 * @address: from where RTCP came
 * @ssrc: of which it is, 0: of none
 * @now: monotonic time
 *
 * Receiver's thread.
 *
 * Returns: whether it is from this viewer, and not too often
 */
gboolean
rtsp_sink_sender_may_report (RtspSinkSender * self,
    GInetSocketAddress * address, guint32 ssrc, gint64 now)
{
  gboolean may;

  if (!rtsp_sink_udp_reports_from (self->destination, address))
    return FALSE;
  g_mutex_lock (&self->lock);
  may = may_report_locked (self, ssrc, now);
  g_mutex_unlock (&self->lock);

  return may;
}

/**
 * rtsp_sink_sender_resume:
 *
 * The viewer asks to play again. When a viewer of a multicast group pauses, the
 * library forgets that the viewer is one of the group's, and would refuse it.
 * Viewer's thread.
 */
void
rtsp_sink_sender_resume (RtspSinkSender * self)
{
  const GstRTSPTransport *transport =
      gst_rtsp_stream_transport_get_transport (self->transport);
  g_autoptr (GInetAddress) group = NULL;

  if (self->lower_transport != GST_RTSP_LOWER_TRANS_UDP_MCAST
      || rtsp_sink_sender_is_open (self))
    return;
  group = g_inet_address_new_from_string (transport->destination);
  if (group != NULL)
    gst_rtsp_stream_add_multicast_client_address
        (gst_rtsp_stream_transport_get_stream (self->transport),
        transport->destination, transport->port.min, transport->port.max,
        g_inet_address_get_family (group));
}

/**
 * rtsp_sink_sender_get_next_seqnum:
 *
 * Any thread.
 *
 * Returns: the sequence number of the next packet that the viewer gets
 */
guint16
rtsp_sink_sender_get_next_seqnum (RtspSinkSender * self)
{
  guint16 seqnum;

  g_mutex_lock (&self->lock);
  seqnum = self->next_seqnum;
  g_mutex_unlock (&self->lock);

  return seqnum;
}

/**
 * rtsp_sink_sender_start:
 *
 * The viewer plays, and was told so. Viewer's thread.
 */
void
rtsp_sink_sender_start (RtspSinkSender * self)
{
  if (self->interleaved != NULL)
    rtsp_sink_interleaved_start (self->interleaved);
}

/**
 * rtsp_sink_sender_open:
 * @seqnum: of the first packet, as the viewer is told
 *
 * The viewer plays: it gets what comes from the next key unit on. Does nothing
 * if it plays already. Viewer's thread.
 *
 * Returns: FALSE if it does
 */
gboolean
rtsp_sink_sender_open (RtspSinkSender * self, guint16 seqnum)
{
  gboolean opens;

  g_mutex_lock (&self->lock);
  opens = self->gate == RTSP_SINK_SENDER_CLOSED;
  if (opens) {
    self->gate = RTSP_SINK_SENDER_JOINING;
    self->next_seqnum = seqnum;
  }
  g_mutex_unlock (&self->lock);

  return opens;
}

/**
 * rtsp_sink_sender_set_costs:
 * @costs: whether a key unit was made for this viewer, since it was opened
 *
 * Viewer's thread.
 *
 * Returns: what it was before
 */
gboolean
rtsp_sink_sender_set_costs (RtspSinkSender * self, gboolean costs)
{
  return g_atomic_int_exchange (&self->costs, costs);
}

/* The viewer shall not miss the packets that wait: they are as if never sent. */
static void
take_back_locked (RtspSinkSender * self, gboolean slow)
{
  RtspSinkSkipped skipped;

  rtsp_sink_interleaved_skip (self->interleaved, &skipped);
  self->next_seqnum -= skipped.n_packets;
  self->stats.n_units -= skipped.n_units;
  self->stats.n_packets -= skipped.n_packets;
  self->stats.n_bytes -= skipped.n_bytes;
  self->stats.n_skips += slow;
}

/**
 * rtsp_sink_sender_close:
 *
 * The viewer pauses: when this returns nothing is on its way to it any more.
 * Viewer's thread.
 */
void
rtsp_sink_sender_close (RtspSinkSender * self)
{
  g_mutex_lock (&self->lock);
  self->gate = RTSP_SINK_SENDER_CLOSED;
  rtsp_sink_catchup_clear (&self->catchup);
  if (self->interleaved != NULL)
    take_back_locked (self, FALSE);
  g_mutex_unlock (&self->lock);

  if (self->interleaved != NULL)
    rtsp_sink_interleaved_drop (self->interleaved);
}

/**
 * rtsp_sink_sender_stop:
 *
 * The viewer leaves. Viewer's thread.
 */
void
rtsp_sink_sender_stop (RtspSinkSender * self)
{
  rtsp_sink_sender_close (self);
  if (self->interleaved != NULL)
    rtsp_sink_interleaved_stop (self->interleaved);
}

static gboolean
is_slow_locked (RtspSinkSender * self)
{
  return self->gate == RTSP_SINK_SENDER_SKIPPING
      || self->gate == RTSP_SINK_SENDER_BEHIND;
}

/* Whether the viewer is too far behind. Once it is, half of what may wait has to be
 * taken first, so that it does not skip again at once. */
static gboolean
is_behind_locked (RtspSinkSender * self, const RtspSinkAccessUnit * unit)
{
  GstClockTime max =
      is_slow_locked (self) ? self->max_delay / 2 : self->max_delay;

  if (self->interleaved == NULL)
    return FALSE;
  return rtsp_sink_interleaved_get_queued (self->interleaved) >
      MAX_QUEUED_BYTES
      || rtsp_sink_interleaved_get_delay (self->interleaved, unit->came) > max;
}

/* TRUE: the unit goes out. */
static gboolean
pass_locked (RtspSinkSender * self, const RtspSinkAccessUnit * unit)
{
  gboolean behind;

  if (self->gate == RTSP_SINK_SENDER_CLOSED)
    return FALSE;

  if (self->gate == RTSP_SINK_SENDER_HOLDING)
    return TRUE;

  behind = is_behind_locked (self, unit);
  /* What waits would be old when it is taken. */
  if (behind && self->gate == RTSP_SINK_SENDER_FLOW)
    take_back_locked (self, TRUE);
  if (behind)
    self->gate = RTSP_SINK_SENDER_BEHIND;
  else if (self->gate == RTSP_SINK_SENDER_BEHIND)
    self->gate = RTSP_SINK_SENDER_SKIPPING;

  if (unit->key && !behind)
    self->gate = RTSP_SINK_SENDER_FLOW;
  return self->gate == RTSP_SINK_SENDER_FLOW;
}

/* What is behind a lost packet is of no use before the next key unit. */
static gboolean
send_datagrams_locked (RtspSinkSender * self, RtspSinkAccessUnit * unit,
    guint16 seqnum)
{
  guint n = rtsp_sink_udp_send (self->destination, unit, seqnum);

  if (n == unit->n_packets)
    return TRUE;
  self->stats.n_packets += n;
  self->stats.n_lost += unit->n_packets - n;
  self->stats.n_skips++;
  self->gate = RTSP_SINK_SENDER_SKIPPING;
  return FALSE;
}

static void
send_locked (RtspSinkSender * self, RtspSinkAccessUnit * unit)
{
  guint16 first = self->next_seqnum;

  /* Also if they get lost: the viewer shall see that. */
  self->next_seqnum += unit->n_packets;
  if (self->interleaved != NULL)
    rtsp_sink_interleaved_enqueue (self->interleaved,
        rtsp_sink_access_unit_renumber (unit, first), unit->came);
  else if (self->lower_transport == GST_RTSP_LOWER_TRANS_UDP
      && !send_datagrams_locked (self, unit, first))
    return;

  self->stats.n_units++;
  self->stats.n_packets += unit->n_packets;
  self->stats.n_bytes += unit->n_bytes;
  if (!GST_CLOCK_TIME_IS_VALID (self->sent) || unit->pts > self->sent)
    self->sent = unit->pts;
}

static void
catch_up_locked (RtspSinkSender * self)
{
  GstBufferList *packets;

  rtsp_sink_catchup_allow (&self->catchup);
  while (self->gate == RTSP_SINK_SENDER_FLOW
      && (packets = rtsp_sink_catchup_pop (&self->catchup)) != NULL) {
    g_auto (RtspSinkAccessUnit) unit = { 0, };

    rtsp_sink_access_unit_init (&unit, packets);
    unit.came = self->newest;
    send_locked (self, &unit);
    gst_buffer_list_unref (packets);
  }
}

/* In the order of the stream, whatever waits before @unit. */
static void
send_in_order_locked (RtspSinkSender * self, RtspSinkAccessUnit * unit)
{
  if (self->gate == RTSP_SINK_SENDER_FLOW
      && rtsp_sink_catchup_is_empty (&self->catchup)) {
    send_locked (self, unit);
    return;
  }
  rtsp_sink_catchup_push (&self->catchup, unit->packets);
  catch_up_locked (self);
}

/* With no lock held. */
static void
flush (RtspSinkSender * self)
{
  if (self->interleaved != NULL)
    rtsp_sink_interleaved_send (self->interleaved);
}

/**
 * rtsp_sink_sender_push:
 * @unit: may be laid out for UDP
 *
 * Media's thread. Does not block.
 *
 * Returns: the gate afterwards
 */
RtspSinkSenderGate
rtsp_sink_sender_push (RtspSinkSender * self, RtspSinkAccessUnit * unit)
{
  RtspSinkSenderGate before, after;
  gboolean pass;

  g_mutex_lock (&self->lock);
  before = self->gate;
  self->newest = unit->came;
  pass = !rtsp_sink_catchup_covers (&self->catchup, unit->seqnum)
      && pass_locked (self, unit);
  if (pass)
    send_in_order_locked (self, unit);
  after = self->gate;
  if (after != RTSP_SINK_SENDER_FLOW && after != RTSP_SINK_SENDER_HOLDING)
    rtsp_sink_catchup_clear (&self->catchup);
  g_mutex_unlock (&self->lock);

  if (before == RTSP_SINK_SENDER_FLOW && after != RTSP_SINK_SENDER_FLOW)
    GST_INFO ("viewer %u is slow: skipping to a key unit", self->id);
  if (pass)
    flush (self);
  return after;
}

/**
 * rtsp_sink_sender_hold:
 *
 * What comes from now on waits for rtsp_sink_sender_begin(). Viewer's thread.
 *
 * Returns: FALSE if the viewer does not wait for a key unit
 */
gboolean
rtsp_sink_sender_hold (RtspSinkSender * self)
{
  gboolean joining;

  g_mutex_lock (&self->lock);
  joining = self->gate == RTSP_SINK_SENDER_JOINING
      && self->lower_transport != GST_RTSP_LOWER_TRANS_UDP_MCAST;
  if (joining)
    self->gate = RTSP_SINK_SENDER_HOLDING;
  g_mutex_unlock (&self->lock);

  return joining;
}

/* FALSE: the viewer has seen some of it before it paused. */
static gboolean
is_new_locked (RtspSinkSender * self, GstBufferList * packets)
{
  return !GST_CLOCK_TIME_IS_VALID (self->sent)
      || GST_BUFFER_PTS (gst_buffer_list_get (packets, 0)) > self->sent;
}

static void
begin_locked (RtspSinkSender * self, GPtrArray * group, GstClockTime now)
{
  if (group == NULL || !is_new_locked (self, g_ptr_array_index (group, 0))) {
    rtsp_sink_catchup_clear (&self->catchup);
    self->gate = RTSP_SINK_SENDER_JOINING;
    return;
  }
  self->newest = now;
  rtsp_sink_catchup_begin (&self->catchup, group);
  self->gate = RTSP_SINK_SENDER_FLOW;
  catch_up_locked (self);
}

/**
 * rtsp_sink_sender_begin:
 * @group: (transfer none) (nullable): the newest group of pictures, of which all
 *   that follows came or will come; NULL: there is none
 * @now: monotonic time
 *
 * After rtsp_sink_sender_hold(): the viewer gets that first, and then what came
 * since. Viewer's thread.
 */
void
rtsp_sink_sender_begin (RtspSinkSender * self, GPtrArray * group,
    GstClockTime now)
{
  g_mutex_lock (&self->lock);
  if (self->gate == RTSP_SINK_SENDER_HOLDING)
    begin_locked (self, group, now);
  g_mutex_unlock (&self->lock);

  flush (self);
}

/**
 * rtsp_sink_sender_finish:
 *
 * The stream has ended: all that waits goes out. Media's thread.
 */
void
rtsp_sink_sender_finish (RtspSinkSender * self)
{
  g_mutex_lock (&self->lock);
  rtsp_sink_catchup_finish (&self->catchup);
  catch_up_locked (self);
  g_mutex_unlock (&self->lock);

  flush (self);
}

static GstClockTime
delay_locked (RtspSinkSender * self)
{
  if (self->interleaved == NULL || !GST_CLOCK_TIME_IS_VALID (self->newest))
    return 0;
  return rtsp_sink_interleaved_get_delay (self->interleaved, self->newest);
}

/**
 * rtsp_sink_sender_add_stats:
 * @sum: (inout): of the viewer's senders; slow if one is, with the longest delay
 *
 * Any thread.
 */
void
rtsp_sink_sender_add_stats (RtspSinkSender * self, RtspSinkSenderStats * sum)
{
  g_mutex_lock (&self->lock);
  sum->n_units += self->stats.n_units;
  sum->n_packets += self->stats.n_packets;
  sum->n_bytes += self->stats.n_bytes;
  sum->n_lost += self->stats.n_lost;
  sum->n_skips += self->stats.n_skips;
  sum->delay = MAX (sum->delay, delay_locked (self));
  sum->open |= self->gate != RTSP_SINK_SENDER_CLOSED;
  sum->slow |= is_slow_locked (self);
  g_mutex_unlock (&self->lock);
}
