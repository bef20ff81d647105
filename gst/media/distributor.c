/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The end of one stream of a media: its access units to each of the viewers. The
 * library's own sinks serve all viewers of a media alike and wait for the
 * slowest; so what would go into them is taken here, behind the RTP session, and
 * each viewer gets it through a sender of its own. RTCP, and RTP to a multicast
 * group, stay with the library's sinks.
 *
 * The media's thread sends; viewers' threads add and remove. The sending works
 * on a reference of the list that it found: the list itself is never changed,
 * only replaced. */

#include "media/distributor.h"

#include "media/rtcpfilter.h"
#include "base/socket.h"

enum
{
  SOCKET_IPV4,
  SOCKET_IPV6,
  N_SOCKETS
};

struct _RtspSinkDistributor
{
  /* Constant after construction. */
  guint stream;                 /* its number, and that of its RTP session */
  gboolean feedback;            /* viewers may ask for key units by RTCP */
  RtspSinkFanout *fanout;       /* no reference: it outlives this */

  GMutex lock;
  /* Guarded by lock. Nothing is called out while it is held. */
  GPtrArray *senders;           /* of RtspSinkSender; replaced, never changed */

  gint leaving;                 /* atomic: the RTP session has the end, and has
                                 * not said BYE yet */
  GWeakRef reports;             /* to the pad by which it sends RTCP */
  gint ssrc;                    /* atomic: of what was sent last, or 0 */

  /* Viewers' threads, one at a time: under the media's lock. */
  GSocket *sockets[N_SOCKETS];
};

static void
unref_sender (gpointer sender)
{
  rtsp_sink_sender_unref (sender);
}

/**
 * rtsp_sink_distributor_new:
 * @stream: which stream of the media, from 0 on
 * @feedback: whether viewers may ask for key units by RTCP
 * @fanout: asked for the key units that viewers wait for; outlives the delivery
 *
 * Returns: (transfer full): a delivery without viewers
 */
RtspSinkDistributor *
rtsp_sink_distributor_new (guint stream, gboolean feedback,
    RtspSinkFanout * fanout)
{
  RtspSinkDistributor *self = g_new0 (RtspSinkDistributor, 1);

  self->stream = stream;
  self->feedback = feedback;
  g_weak_ref_init (&self->reports, NULL);
  self->fanout = fanout;
  g_mutex_init (&self->lock);
  self->senders = g_ptr_array_new_with_free_func (unref_sender);
  return self;
}

/* No sink of the media runs any more. */
void
rtsp_sink_distributor_free (RtspSinkDistributor * self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->senders);
  g_weak_ref_clear (&self->reports);
  for (guint i = 0; i < N_SOCKETS; i++)
    g_clear_object (&self->sockets[i]);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gpointer
ref_sender (gconstpointer sender, gpointer user_data)
{
  return rtsp_sink_sender_ref ((gpointer) sender);
}

/**
 * rtsp_sink_distributor_has_sent:
 *
 * Any thread.
 *
 * Returns: whether any packet came to be sent
 */
gboolean
rtsp_sink_distributor_has_sent (RtspSinkDistributor * self)
{
  return g_atomic_int_get (&self->ssrc) != 0;
}

/**
 * rtsp_sink_distributor_ref_senders:
 *
 * Any thread.
 *
 * Returns: (transfer full): the senders of all viewers; not to be changed
 */
GPtrArray *
rtsp_sink_distributor_ref_senders (RtspSinkDistributor * self)
{
  GPtrArray *senders;

  g_mutex_lock (&self->lock);
  senders = g_ptr_array_ref (self->senders);
  g_mutex_unlock (&self->lock);

  return senders;
}

/**
 * rtsp_sink_distributor_add:
 *
 * Does nothing for a sender that was added before. Viewer's thread.
 */
void
rtsp_sink_distributor_add (RtspSinkDistributor * self, RtspSinkSender * sender)
{
  g_mutex_lock (&self->lock);
  if (!g_ptr_array_find (self->senders, sender, NULL)) {
    GPtrArray *senders = g_ptr_array_copy (self->senders, ref_sender, NULL);

    g_ptr_array_add (senders, rtsp_sink_sender_ref (sender));
    g_ptr_array_unref (self->senders);
    self->senders = senders;
  }
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_distributor_remove:
 *
 * Viewer's thread.
 */
void
rtsp_sink_distributor_remove (RtspSinkDistributor * self,
    RtspSinkSender * sender)
{
  GPtrArray *old, *senders;

  g_mutex_lock (&self->lock);
  old = self->senders;
  senders = g_ptr_array_copy (old, ref_sender, NULL);
  g_ptr_array_remove_fast (senders, sender);
  self->senders = senders;
  g_mutex_unlock (&self->lock);

  g_ptr_array_unref (old);
}

/**
 * rtsp_sink_distributor_is_open:
 *
 * Any thread.
 *
 * Returns: whether a viewer plays
 */
gboolean
rtsp_sink_distributor_is_open (RtspSinkDistributor * self)
{
  g_autoptr (GPtrArray) senders = rtsp_sink_distributor_ref_senders (self);

  for (guint i = 0; i < senders->len; i++) {
    if (rtsp_sink_sender_is_open (g_ptr_array_index (senders, i)))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_distributor_finish:
 *
 * The stream has ended: viewers who have still to get some of it get it now.
 * Media's thread.
 */
void
rtsp_sink_distributor_finish (RtspSinkDistributor * self)
{
  g_autoptr (GPtrArray) senders = rtsp_sink_distributor_ref_senders (self);

  for (guint i = 0; i < senders->len; i++)
    rtsp_sink_sender_finish (g_ptr_array_index (senders, i));
}

/* Returns whether some are viewers of a multicast group. */
static gboolean
deliver (RtspSinkDistributor * self, RtspSinkAccessUnit * unit)
{
  g_autoptr (GPtrArray) senders = rtsp_sink_distributor_ref_senders (self);
  gboolean wait = FALSE, multicast = FALSE;

  for (guint i = 0; i < senders->len; i++) {
    RtspSinkSender *sender = g_ptr_array_index (senders, i);
    RtspSinkSenderGate gate = rtsp_sink_sender_push (sender, unit);

    wait |= gate == RTSP_SINK_SENDER_JOINING
        || gate == RTSP_SINK_SENDER_SKIPPING;
    multicast |= rtsp_sink_sender_get_lower_transport (sender)
        == GST_RTSP_LOWER_TRANS_UDP_MCAST;
  }

  if (wait)
    rtsp_sink_fanout_request_key_unit (self->fanout, RTSP_SINK_FANOUT_RECOVERY);
  return multicast;
}

/* All RTP of the stream: in lists, as the feed sends it. */
static GstPadProbeReturn
take (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkDistributor *self = user_data;
  g_auto (RtspSinkAccessUnit) unit = { 0, };

  if (!rtsp_sink_access_unit_init (&unit,
          GST_PAD_PROBE_INFO_BUFFER_LIST (info)))
    return GST_PAD_PROBE_DROP;
  g_atomic_int_set (&self->ssrc, unit.ssrc);
  return deliver (self, &unit) ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* --- after the end --- */

/* RTCP has ended as well. What the library's sinks hold is of before, a BYE maybe
 * that a paused media had not sent yet. */
static void
restart_reports (RtspSinkDistributor * self)
{
  g_autoptr (GstPad) ghost = g_weak_ref_get (&self->reports);
  g_autoptr (GstPad) pad = NULL, inner = NULL;
  g_autoptr (GstEvent) segment = NULL;

  if (ghost == NULL)
    return;
  pad = gst_ghost_pad_get_target (GST_GHOST_PAD (ghost));
  inner = gst_pad_get_peer (pad);
  segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  /* No report comes in before the segment. */
  GST_PAD_STREAM_LOCK (inner);
  gst_pad_push_event (pad, gst_event_new_flush_stop (FALSE));
  if (segment != NULL)
    gst_pad_push_event (pad, gst_event_ref (segment));
  GST_PAD_STREAM_UNLOCK (inner);
}

/* Behind the RTP session: it has the end, or goes on. Media's thread. */
static GstPadProbeReturn
watch_end (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkDistributor *self = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_set (&self->leaving, TRUE);
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_FLUSH_STOP)
    restart_reports (self);
  return GST_PAD_PROBE_OK;
}

/* RTCP's thread. */
static GstPadProbeReturn
watch_bye (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkDistributor *self = user_data;

  if (g_atomic_int_get (&self->leaving)
      && rtsp_sink_rtcp_filter_is_bye (GST_PAD_PROBE_INFO_BUFFER (info)))
    g_atomic_int_set (&self->leaving, FALSE);
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_distributor_can_go_on:
 *
 * Any thread.
 *
 * Returns: FALSE if the stream has ended and its viewers are about to be told
 */
gboolean
rtsp_sink_distributor_can_go_on (RtspSinkDistributor * self)
{
  return !g_atomic_int_get (&self->leaving);
}

/* --- reports --- */

static guint32
get_own_ssrc (gpointer user_data)
{
  return g_atomic_int_get (&((RtspSinkDistributor *) user_data)->ssrc);
}

static gboolean
viewer_lives (GInetSocketAddress * address, gpointer user_data)
{
  g_autoptr (GPtrArray) senders = rtsp_sink_distributor_ref_senders (user_data);
  gboolean known = FALSE;

  for (guint i = 0; i < senders->len; i++)
    known |= rtsp_sink_sender_touch (g_ptr_array_index (senders, i), address);
  return known;
}

/* Several viewers can be of one address: they may report in turn. */
static gboolean
may_report (GInetSocketAddress * address, guint32 ssrc, gpointer user_data)
{
  g_autoptr (GPtrArray) senders = rtsp_sink_distributor_ref_senders (user_data);
  gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < senders->len; i++) {
    if (rtsp_sink_sender_may_report (g_ptr_array_index (senders, i), address,
            ssrc, now))
      return TRUE;
  }
  return FALSE;
}

static const RtspSinkRtcpFilterFuncs reports_funcs = {
  get_own_ssrc,
  viewer_lives,
  may_report,
};

static gboolean
is_pad (RtspSinkDistributor * self, GstPad * pad, const gchar * prefix)
{
  g_autofree gchar *name = g_strdup_printf ("%s%u", prefix, self->stream);

  return g_str_equal (GST_OBJECT_NAME (pad), name);
}

/* The RTP session's way out, before the library splits it between its
 * sinks, and its way in. */
static void
rtpbin_pad_added (GstElement * rtpbin, GstPad * pad, gpointer user_data)
{
  if (is_pad (user_data, pad, "send_rtp_src_")) {
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER_LIST, take, user_data,
        NULL);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM
        | GST_PAD_PROBE_TYPE_EVENT_FLUSH, watch_end, user_data, NULL);
  }
  if (is_pad (user_data, pad, "send_rtcp_src_")) {
    g_weak_ref_set (&((RtspSinkDistributor *) user_data)->reports, pad);
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, watch_bye, user_data,
        NULL);
  }
  if (is_pad (user_data, pad, "recv_rtcp_sink_"))
    rtsp_sink_rtcp_filter_watch (pad,
        ((RtspSinkDistributor *) user_data)->feedback, &reports_funcs,
        user_data);
}

/**
 * rtsp_sink_distributor_take_over:
 * @rtpbin: of the media; it has no pads yet
 *
 * From now on the delivery gets what the RTP session of its stream sends.
 * Viewer's thread.
 */
void
rtsp_sink_distributor_take_over (RtspSinkDistributor * self,
    GstElement * rtpbin)
{
  g_signal_connect (rtpbin, "pad-added", G_CALLBACK (rtpbin_pad_added), self);
}

/**
 * rtsp_sink_distributor_get_socket:
 * @transport: of a viewer of this stream
 *
 * The socket is that which the viewer was told of, so that its answers find
 * the way back through a translated address. Viewer's thread, with the media's
 * lock held.
 *
 * Returns: (transfer none) (nullable): where @transport's datagrams are sent
 *   from; it does not block
 */
GSocket *
rtsp_sink_distributor_get_socket (RtspSinkDistributor * self,
    GstRTSPStreamTransport * transport)
{
  const GstRTSPTransport *t =
      gst_rtsp_stream_transport_get_transport (transport);
  g_autoptr (GInetAddress) address = NULL;
  GSocketFamily family;
  guint i;

  if (t->lower_transport != GST_RTSP_LOWER_TRANS_UDP)
    return NULL;
  address = g_inet_address_new_from_string (t->destination);
  if (address == NULL)
    return NULL;

  family = g_inet_address_get_family (address);
  i = family == G_SOCKET_FAMILY_IPV4 ? SOCKET_IPV4 : SOCKET_IPV6;
  if (self->sockets[i] == NULL) {
    g_autoptr (GSocket) socket = gst_rtsp_stream_get_rtp_socket
        (gst_rtsp_stream_transport_get_stream (transport), family);

    if (socket != NULL)
      self->sockets[i] = rtsp_sink_socket_duplicate (socket);
  }
  return self->sockets[i];
}
