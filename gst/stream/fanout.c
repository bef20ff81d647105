/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One access unit of a stream to the feed of every media. Knows which feeds
 * there are, what their packets look like, and when a key unit may be asked
 * for.
 *
 * The encoder's thread sends; viewers' threads join, open, close and leave. Who
 * sends works on a reference of the list of feeds that it found, so that nobody
 * waits for it: the list itself is never changed, only replaced. */

#include "stream/fanout.h"

#include <gst/rtp/gstrtpbuffer.h>

#include "stream/gopcache.h"
#include "stream/peers.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_fanout_debug);
#define GST_CAT_DEFAULT rtsp_sink_fanout_debug

/* Viewers that join within this time share one key unit, and there are not
 * more than ten a second however many join. */
#define JOIN_INTERVAL (100 * G_TIME_SPAN_MILLISECOND)

/* A viewer who fell behind waits for a key unit; it may not make everybody's
 * stream a row of key units. */
#define RECOVERY_INTERVAL (1 * G_TIME_SPAN_SECOND)

/* Nor may a viewer that plays, leaves and comes again. Many honest viewers can have
 * one address, but they stay: only viewers that go are counted. Beyond this number
 * the next viewer of the address waits for a key unit, for a second at most. */
#define GOING_INTERVAL (1 * G_TIME_SPAN_SECOND)
#define GOING_AT_ONCE 4

/* How long the end of the input waits for viewers to get its last frames. */
#define DRAIN_TIME (500 * G_TIME_SPAN_MILLISECOND)

struct _RtspSinkFanout
{
  /* Constant after construction. */
  RtspSinkFanoutFuncs funcs;
  gpointer user_data;
  RtspSinkFanoutTime get_time;
  RtspSinkMediaClock *media_clock;

  GMutex lock;
  /* Guarded by lock. While it is held feeds are made and asked,
   * which takes their locks and the media clock's; nothing else is called. */
  GPtrArray *feeds;             /* of RtspSinkFeed; replaced, never changed */
  GPtrArray *draining;          /* feeds whose viewers get the end now */
  gboolean flushing;
  GCond cond;                   /* of the two */
  GstCaps *caps;                /* of the packets, NULL: never known */
  gboolean stale;               /* the caps may not be true any more */
  gboolean ended;
  gint64 key_requested;         /* monotonic time of the last request */
  gboolean join_waits;          /* a viewer that begins has no key unit yet */
  RtspSinkPeers *gone;          /* addresses whose viewers got one and went */
  guint16 next_seqnum;          /* of the next packet that is sent */
  RtspSinkGopCache *group;      /* the newest one, NULL: none is kept */

  gint n_open;                  /* atomic: feeds that are not closed */
};

/**
 * rtsp_sink_fanout_new:
 * @beside: (nullable): that of another stream, which shares its time axis
 *
 * Returns: (transfer full): a fan-out without feeds
 */
RtspSinkFanout *
rtsp_sink_fanout_new (RtspSinkFanout * beside,
    const RtspSinkFanoutFuncs * funcs, gpointer user_data)
{
  RtspSinkFanout *self = g_atomic_rc_box_new0 (RtspSinkFanout);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_fanout_debug, "rtspserversink-fanout", 0,
      "rtspserversink: access units to all viewers");

  self->funcs = *funcs;
  self->user_data = user_data;
  self->get_time = g_get_monotonic_time;
  self->media_clock = beside == NULL ? rtsp_sink_media_clock_new ()
      : rtsp_sink_media_clock_new_beside (beside->media_clock);
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->feeds = g_ptr_array_new_with_free_func (gst_object_unref);
  self->draining = g_ptr_array_new ();
  self->gone = rtsp_sink_peers_new (GOING_INTERVAL, GOING_AT_ONCE);

  return self;
}

/**
 * rtsp_sink_fanout_set_time_source:
 * @get_time: in place of g_get_monotonic_time()
 *
 * For tests of how often a key unit is asked for. Before the first request.
 */
void
rtsp_sink_fanout_set_time_source (RtspSinkFanout * self,
    RtspSinkFanoutTime get_time)
{
  self->get_time = get_time;
}

/* Any thread. */
RtspSinkFanout *
rtsp_sink_fanout_ref (RtspSinkFanout * self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer box)
{
  RtspSinkFanout *self = box;

  g_ptr_array_unref (self->feeds);
  g_ptr_array_unref (self->draining);
  rtsp_sink_peers_free (self->gone);
  gst_clear_caps (&self->caps);
  g_clear_pointer (&self->group, rtsp_sink_gop_cache_free);
  rtsp_sink_media_clock_unref (self->media_clock);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->lock);
}

/* Any thread. Its owner calls it when it sends nothing any more. */
void
rtsp_sink_fanout_unref (RtspSinkFanout * self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/**
 * rtsp_sink_fanout_get_media_clock:
 *
 * Any thread.
 *
 * Returns: (transfer none): the time axis of all feeds, and what came on it
 */
RtspSinkMediaClock *
rtsp_sink_fanout_get_media_clock (RtspSinkFanout * self)
{
  return self->media_clock;
}

static gboolean
is_ready_locked (RtspSinkFanout * self)
{
  return self->caps != NULL && !self->stale && !self->ended;
}

/**
 * rtsp_sink_fanout_is_ready:
 *
 * Any thread.
 *
 * Returns: whether viewers can be told what they will get: the packets' caps
 *   are known and true, and the input has not ended
 */
gboolean
rtsp_sink_fanout_is_ready (RtspSinkFanout * self)
{
  gboolean ready;

  g_mutex_lock (&self->lock);
  ready = is_ready_locked (self);
  g_mutex_unlock (&self->lock);

  return ready;
}

/**
 * rtsp_sink_fanout_is_ended:
 *
 * Any thread.
 *
 * Returns: whether the input has ended
 */
gboolean
rtsp_sink_fanout_is_ended (RtspSinkFanout * self)
{
  gboolean ended;

  g_mutex_lock (&self->lock);
  ended = self->ended;
  g_mutex_unlock (&self->lock);

  return ended;
}

/**
 * rtsp_sink_fanout_can_join:
 *
 * Caps that may not be true any more do not matter here: a feed that joined
 * with them is told the true ones, or ends. Any thread.
 *
 * Returns: whether feeds can join
 */
gboolean
rtsp_sink_fanout_can_join (RtspSinkFanout * self)
{
  gboolean can;

  g_mutex_lock (&self->lock);
  can = self->caps != NULL && !self->ended;
  g_mutex_unlock (&self->lock);

  return can;
}

static void
recount_locked (RtspSinkFanout * self)
{
  gint n_open = 0;

  for (guint i = 0; i < self->feeds->len; i++) {
    RtspSinkFeedGate gate =
        rtsp_sink_feed_get_gate (g_ptr_array_index (self->feeds, i));

    if (gate != RTSP_SINK_FEED_CLOSED && gate != RTSP_SINK_FEED_ENDED)
      n_open++;
  }
  g_atomic_int_set (&self->n_open, n_open);
}

/* Feeds opened, closed or ended. */
static void
recount (RtspSinkFanout * self)
{
  g_mutex_lock (&self->lock);
  recount_locked (self);
  g_mutex_unlock (&self->lock);
}

static gpointer
ref_feed (gconstpointer feed, gpointer user_data)
{
  return gst_object_ref ((gpointer) feed);
}

/* Takes @feeds. */
static void
replace_feeds_locked (RtspSinkFanout * self, GPtrArray * feeds)
{
  g_ptr_array_unref (self->feeds);
  self->feeds = feeds;
  recount_locked (self);
}

/**
 * rtsp_sink_fanout_join:
 *
 * If the input has ended, the feed ends at once. Viewer's thread.
 *
 * Returns: (transfer full) (nullable): a closed feed; NULL if the caps of the
 *   packets were never known
 */
RtspSinkFeed *
rtsp_sink_fanout_join (RtspSinkFanout * self, const gchar * name)
{
  RtspSinkFeed *feed;
  GPtrArray *feeds;

  g_mutex_lock (&self->lock);
  if (self->caps == NULL) {
    g_mutex_unlock (&self->lock);
    return NULL;
  }
  feed = gst_object_ref_sink (rtsp_sink_feed_new (name, self->media_clock,
          self->caps, self->next_seqnum));
  if (self->ended)
    rtsp_sink_feed_end (feed);
  feeds = g_ptr_array_copy (self->feeds, ref_feed, NULL);
  g_ptr_array_add (feeds, gst_object_ref (feed));
  replace_feeds_locked (self, feeds);
  g_mutex_unlock (&self->lock);

  return feed;
}

static gboolean
may_request_locked (RtspSinkFanout * self)
{
  gint64 now = self->get_time ();
  gint64 interval = self->join_waits ? JOIN_INTERVAL : RECOVERY_INTERVAL;

  if (self->key_requested != 0 && now - self->key_requested < interval)
    return FALSE;
  self->key_requested = now;
  return TRUE;
}

/**
 * rtsp_sink_fanout_request_key_unit:
 * @why: says how often that may be
 *
 * Asks the encoder for a key unit, unless one was asked for shortly before. Who
 * still waits at a later unit asks again: so does a request that got lost on
 * its way. Any thread, with no lock of ours held.
 */
void
rtsp_sink_fanout_request_key_unit (RtspSinkFanout * self,
    RtspSinkFanoutReason why)
{
  gboolean may;

  g_mutex_lock (&self->lock);
  self->join_waits |= why == RTSP_SINK_FANOUT_JOIN;
  may = may_request_locked (self);
  g_mutex_unlock (&self->lock);

  if (may && self->funcs.request_key_unit != NULL)
    self->funcs.request_key_unit (self->user_data);
}

/**
 * rtsp_sink_fanout_request_first:
 * @peer: address of a viewer that begins
 *
 * Asks for its first key unit. Viewer's thread.
 *
 * Returns: whether it costs all others one: rtsp_sink_fanout_viewer_gone() is to be
 *   called when the viewer pauses or leaves
 */
gboolean
rtsp_sink_fanout_request_first (RtspSinkFanout * self, const gchar * peer)
{
  gboolean shares, costs;

  g_mutex_lock (&self->lock);
  shares = self->join_waits;
  costs = !shares && rtsp_sink_peers_may (self->gone, peer, self->get_time ());
  g_mutex_unlock (&self->lock);

  rtsp_sink_fanout_request_key_unit (self, shares || costs ?
      RTSP_SINK_FANOUT_JOIN : RTSP_SINK_FANOUT_RECOVERY);
  return costs;
}

/* Viewer's thread. */
void
rtsp_sink_fanout_viewer_gone (RtspSinkFanout * self, const gchar * peer)
{
  g_mutex_lock (&self->lock);
  rtsp_sink_peers_charge (self->gone, peer, self->get_time ());
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_open:
 *
 * A viewer of @feed plays, maybe the first. Viewer's thread.
 */
void
rtsp_sink_fanout_open (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  rtsp_sink_feed_open (feed);
  recount (self);
}

/**
 * rtsp_sink_fanout_go_on:
 *
 * A viewer of @feed wants to play, maybe again after the end: @feed goes on where
 * the input does. Viewer's thread.
 */
void
rtsp_sink_fanout_go_on (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  g_mutex_lock (&self->lock);
  if (self->caps != NULL && !self->ended
      && !rtsp_sink_feed_go_on (feed, self->caps))
    GST_DEBUG ("%s: what its viewers were told of has ended for good",
        GST_OBJECT_NAME (feed));
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_close:
 *
 * No viewer of @feed plays any more. Viewer's thread.
 */
void
rtsp_sink_fanout_close (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  rtsp_sink_feed_close (feed);
  recount (self);
}

/* The viewers of @feed got the end, or are gone. */
static void
end_drain_locked (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  g_ptr_array_remove_fast (self->draining, feed);
  g_cond_broadcast (&self->cond);
}

/**
 * rtsp_sink_fanout_leave:
 *
 * The media of @feed is gone. Does nothing for a feed that left. Any thread.
 */
void
rtsp_sink_fanout_leave (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  rtsp_sink_feed_close (feed);

  g_mutex_lock (&self->lock);
  if (g_ptr_array_find (self->feeds, feed, NULL)) {
    GPtrArray *feeds = g_ptr_array_copy (self->feeds, ref_feed, NULL);

    g_ptr_array_remove_fast (feeds, feed);
    replace_feeds_locked (self, feeds);
    end_drain_locked (self, feed);
  }
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_drained:
 *
 * The end has left through all of @feed's media. Its bus's thread.
 */
void
rtsp_sink_fanout_drained (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  g_mutex_lock (&self->lock);
  end_drain_locked (self, feed);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_has_viewers:
 *
 * Any thread.
 *
 * Returns: whether anybody watches
 */
gboolean
rtsp_sink_fanout_has_viewers (RtspSinkFanout * self)
{
  return g_atomic_int_get (&self->n_open) > 0;
}

static void
end_feeds (RtspSinkFanout * self, GPtrArray * list)
{
  for (guint i = 0; i < list->len; i++)
    rtsp_sink_feed_end (g_ptr_array_index (list, i));
  recount (self);
}

static void
tell_feeds (RtspSinkFanout * self, GPtrArray * list, const GstCaps * old,
    GstCaps * caps)
{
  GST_DEBUG ("packets are %" GST_PTR_FORMAT, caps);
  if (old != NULL && !rtsp_sink_feed_can_follow (old, caps)) {
    end_feeds (self, list);
    return;
  }
  for (guint i = 0; i < list->len; i++)
    rtsp_sink_feed_set_caps (g_ptr_array_index (list, i), caps);
}

/**
 * rtsp_sink_fanout_set_caps:
 * @caps: of the packets that follow
 *
 * Viewers that cannot follow get the end of their stream, so that they come
 * again and are told. Encoder's thread.
 */
void
rtsp_sink_fanout_set_caps (RtspSinkFanout * self, GstCaps * caps)
{
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (GstCaps) old = NULL;
  gboolean was_ready, same;

  g_mutex_lock (&self->lock);
  was_ready = is_ready_locked (self);
  self->stale = FALSE;
  old = g_steal_pointer (&self->caps);
  self->caps = gst_caps_ref (caps);
  /* The feeds that have the old ones: a feed that joins later has the new ones. */
  list = g_ptr_array_ref (self->feeds);
  g_mutex_unlock (&self->lock);

  same = old != NULL && gst_caps_is_equal (old, caps);
  if (!same)
    tell_feeds (self, list, old, caps);
  if (!was_ready)
    self->funcs.ready (self->user_data);
}

/* FALSE: they are no RTP. @next: the number of the packet behind @packets. */
static gboolean
find_next_seqnum (GstBufferList * packets, guint16 * next)
{
  GstBuffer *last = gst_buffer_list_get (packets,
      gst_buffer_list_length (packets) - 1);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (last, GST_MAP_READ, &rtp))
    return FALSE;
  *next = gst_rtp_buffer_get_seq (&rtp) + 1;
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

/* A feed that joins now begins behind @packets. */
static GPtrArray *
begin_send (RtspSinkFanout * self, GstBufferList * packets, gboolean key_unit,
    guint16 next_seqnum)
{
  GPtrArray *list;

  g_mutex_lock (&self->lock);
  self->next_seqnum = next_seqnum;
  if (key_unit)
    self->join_waits = FALSE;
  if (self->group != NULL)
    rtsp_sink_gop_cache_add (self->group, packets, key_unit);
  list = g_ptr_array_ref (self->feeds);
  g_mutex_unlock (&self->lock);

  return list;
}

/**
 * rtsp_sink_fanout_send:
 * @packets: (transfer none): one access unit
 * @key_unit: can a decoder begin with it?
 *
 * Encoder's thread. Does not block.
 */
void
rtsp_sink_fanout_send (RtspSinkFanout * self, GstBufferList * packets,
    gboolean key_unit)
{
  g_autoptr (GPtrArray) list = NULL;
  gboolean waits = FALSE;
  guint16 next_seqnum;

  if (!find_next_seqnum (packets, &next_seqnum))
    return;
  list = begin_send (self, packets, key_unit, next_seqnum);
  for (guint i = 0; i < list->len; i++) {
    RtspSinkFeedGate gate = rtsp_sink_feed_push (g_ptr_array_index (list, i),
        packets, key_unit, next_seqnum);

    waits |= gate == RTSP_SINK_FEED_WAIT_KEY || gate == RTSP_SINK_FEED_SKIPPING;
  }
  if (waits)
    rtsp_sink_fanout_request_key_unit (self, RTSP_SINK_FANOUT_RECOVERY);
}

/**
 * rtsp_sink_fanout_end:
 *
 * The input has ended: so do all streams. Encoder's thread.
 */
void
rtsp_sink_fanout_end (RtspSinkFanout * self)
{
  g_autoptr (GPtrArray) list = NULL;

  g_mutex_lock (&self->lock);
  self->ended = TRUE;
  list = g_ptr_array_ref (self->feeds);
  /* Before they end, so that none is drained before it is expected. */
  for (guint i = 0; i < list->len; i++) {
    RtspSinkFeed *feed = g_ptr_array_index (list, i);

    if (rtsp_sink_feed_get_gate (feed) == RTSP_SINK_FEED_FLOW)
      g_ptr_array_add (self->draining, feed);
  }
  g_mutex_unlock (&self->lock);

  end_feeds (self, list);
}

/**
 * rtsp_sink_fanout_wait_drained:
 *
 * Returns when the viewers have got the end, after half a second at the
 * latest, or when flushing. Encoder's thread.
 */
void
rtsp_sink_fanout_wait_drained (RtspSinkFanout * self)
{
  gint64 deadline = g_get_monotonic_time () + DRAIN_TIME;
  guint n_left = 0;

  g_mutex_lock (&self->lock);
  while (self->draining->len > 0 && !self->flushing && n_left == 0) {
    if (!g_cond_wait_until (&self->cond, &self->lock, deadline))
      n_left = self->draining->len;
  }
  g_ptr_array_set_size (self->draining, 0);
  g_mutex_unlock (&self->lock);

  if (n_left > 0)
    GST_INFO ("%u viewers did not get the end in time", n_left);
}

/**
 * rtsp_sink_fanout_set_flushing:
 *
 * TRUE ends a wait for the end to drain. Any thread.
 */
void
rtsp_sink_fanout_set_flushing (RtspSinkFanout * self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  /* GstBaseSink may take it back before the waiter has seen it. */
  if (flushing)
    g_ptr_array_set_size (self->draining, 0);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
set_stale_locked (RtspSinkFanout * self)
{
  self->stale = TRUE;
  if (self->group != NULL)
    rtsp_sink_gop_cache_clear (self->group);
}

/**
 * rtsp_sink_fanout_expect_caps:
 *
 * New viewers wait until the caps are set again. Encoder's thread.
 */
void
rtsp_sink_fanout_expect_caps (RtspSinkFanout * self)
{
  g_mutex_lock (&self->lock);
  set_stale_locked (self);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_restart:
 *
 * A stream begins: new viewers can join once its caps are known. Encoder's
 * thread, or while it does not run.
 */
void
rtsp_sink_fanout_restart (RtspSinkFanout * self)
{
  g_mutex_lock (&self->lock);
  self->ended = FALSE;
  self->key_requested = 0;
  self->join_waits = FALSE;
  set_stale_locked (self);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_handle_event:
 * @event: (transfer none): that comes to the sink which sends
 *
 * A stream that begins, begins anew or ends. Encoder's thread.
 */
void
rtsp_sink_fanout_handle_event (RtspSinkFanout * self, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      rtsp_sink_fanout_restart (self);
      break;
    case GST_EVENT_EOS:
      /* Who gets the EOS message may end the process: let the viewers have
       * the last frames first. */
      rtsp_sink_fanout_end (self);
      rtsp_sink_fanout_wait_drained (self);
      break;
    default:
      break;
  }
}

/**
 * rtsp_sink_fanout_keep:
 * @keep: whether the newest group of pictures is kept, for viewers to begin with
 *
 * Encoder's thread, or while it does not run.
 */
void
rtsp_sink_fanout_keep (RtspSinkFanout * self, gboolean keep)
{
  g_mutex_lock (&self->lock);
  if (!keep)
    g_clear_pointer (&self->group, rtsp_sink_gop_cache_free);
  else if (self->group == NULL)
    self->group = rtsp_sink_gop_cache_new ();
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_fanout_is_keeping:
 *
 * Any thread.
 */
gboolean
rtsp_sink_fanout_is_keeping (RtspSinkFanout * self)
{
  gboolean keeping;

  g_mutex_lock (&self->lock);
  keeping = self->group != NULL;
  g_mutex_unlock (&self->lock);

  return keeping;
}

/**
 * rtsp_sink_fanout_get_kept_time:
 *
 * Any thread.
 *
 * Returns: the media time of what is shown first of what is kept, or
 *   GST_CLOCK_TIME_NONE
 */
GstClockTime
rtsp_sink_fanout_get_kept_time (RtspSinkFanout * self)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  g_mutex_lock (&self->lock);
  if (self->group != NULL)
    time = rtsp_sink_gop_cache_get_time (self->group);
  g_mutex_unlock (&self->lock);

  return time;
}

/**
 * rtsp_sink_fanout_begin:
 *
 * A viewer of @feed begins with what is kept. All that is sent after that goes
 * through @feed. Viewer's thread.
 *
 * Returns: (transfer full) (nullable) (element-type GstBufferList): the newest
 *   group of pictures; NULL: there is none, or @feed is not open
 */
GPtrArray *
rtsp_sink_fanout_begin (RtspSinkFanout * self, RtspSinkFeed * feed)
{
  GPtrArray *group = NULL;

  g_mutex_lock (&self->lock);
  if (self->group != NULL)
    group = rtsp_sink_gop_cache_dup_units (self->group);
  if (group != NULL && !rtsp_sink_feed_flow (feed))
    g_clear_pointer (&group, g_ptr_array_unref);
  g_mutex_unlock (&self->lock);

  return group;
}
