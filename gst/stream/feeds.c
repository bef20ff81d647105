/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The feeds of a fan-out: which there are, how many are open, and which get the
 * end now.
 *
 * A sender works on a reference of the list that it found, so that nobody
 * waits for it: the list itself is never changed, only replaced. All but that is
 * guarded by the fan-out. */

#include "stream/feeds.h"

/* How long the end of the input waits for viewers to get its last frames. */
#define DRAIN_TIME (500 * G_TIME_SPAN_MILLISECOND)

struct _RtspSinkFeeds
{
  GPtrArray *list;              /* of RtspSinkFeed; replaced, never changed */
  GPtrArray *draining;          /* feeds whose viewers get the end now */
  gboolean flushing;
  GCond cond;                   /* of the two */

  gint n_open;                  /* atomic: feeds that are not closed */
};

RtspSinkFeeds *
rtsp_sink_feeds_new (void)
{
  RtspSinkFeeds *self = g_new0 (RtspSinkFeeds, 1);

  self->list = g_ptr_array_new_with_free_func (gst_object_unref);
  self->draining = g_ptr_array_new ();
  g_cond_init (&self->cond);
  return self;
}

void
rtsp_sink_feeds_free (RtspSinkFeeds * self)
{
  g_ptr_array_unref (self->list);
  g_ptr_array_unref (self->draining);
  g_cond_clear (&self->cond);
  g_free (self);
}

static gpointer
ref_feed (gconstpointer feed, gpointer user_data)
{
  return gst_object_ref ((gpointer) feed);
}

static void
replace (RtspSinkFeeds * self, GPtrArray * list)
{
  g_ptr_array_unref (self->list);
  self->list = list;
  rtsp_sink_feeds_recount (self);
}

/**
 * rtsp_sink_feeds_add:
 * @feed: (transfer none): a new one
 */
void
rtsp_sink_feeds_add (RtspSinkFeeds * self, RtspSinkFeed * feed)
{
  GPtrArray *list = g_ptr_array_copy (self->list, ref_feed, NULL);

  g_ptr_array_add (list, gst_object_ref (feed));
  replace (self, list);
}

/* Does nothing if @feed is none of them. */
void
rtsp_sink_feeds_remove (RtspSinkFeeds * self, RtspSinkFeed * feed)
{
  GPtrArray *list;

  if (!g_ptr_array_find (self->list, feed, NULL))
    return;
  list = g_ptr_array_copy (self->list, ref_feed, NULL);
  g_ptr_array_remove_fast (list, feed);
  replace (self, list);
  rtsp_sink_feeds_drained (self, feed);
}

/**
 * rtsp_sink_feeds_recount:
 *
 * Feeds opened, closed or ended.
 */
void
rtsp_sink_feeds_recount (RtspSinkFeeds * self)
{
  gint n_open = 0;

  for (guint i = 0; i < self->list->len; i++) {
    RtspSinkFeedGate gate =
        rtsp_sink_feed_get_gate (g_ptr_array_index (self->list, i));

    if (gate != RTSP_SINK_FEED_CLOSED && gate != RTSP_SINK_FEED_ENDED)
      n_open++;
  }
  g_atomic_int_set (&self->n_open, n_open);
}

/* Any thread, without the fan-out's lock. */
gboolean
rtsp_sink_feeds_has_open (RtspSinkFeeds * self)
{
  return g_atomic_int_get (&self->n_open) > 0;
}

/* --- the end --- */

/**
 * rtsp_sink_feeds_drain:
 *
 * Those that flow are about to get the end.
 */
void
rtsp_sink_feeds_drain (RtspSinkFeeds * self)
{
  for (guint i = 0; i < self->list->len; i++) {
    RtspSinkFeed *feed = g_ptr_array_index (self->list, i);

    if (rtsp_sink_feed_get_gate (feed) == RTSP_SINK_FEED_FLOW)
      g_ptr_array_add (self->draining, feed);
  }
}

/* The viewers of @feed got it. */
void
rtsp_sink_feeds_drained (RtspSinkFeeds * self, RtspSinkFeed * feed)
{
  g_ptr_array_remove_fast (self->draining, feed);
  g_cond_broadcast (&self->cond);
}

/**
 * rtsp_sink_feeds_wait_drained:
 * @lock: the fan-out's, which is given up meanwhile
 *
 * Returns when the viewers have got the end, after half a second at the latest, or
 * when flushing.
 *
 * Returns: how many feeds ran out of time
 */
guint
rtsp_sink_feeds_wait_drained (RtspSinkFeeds * self, GMutex * lock)
{
  gint64 deadline = g_get_monotonic_time () + DRAIN_TIME;
  guint n_left = 0;

  while (self->draining->len > 0 && !self->flushing) {
    if (!g_cond_wait_until (&self->cond, lock, deadline)) {
      n_left = self->draining->len;
      break;
    }
  }
  g_ptr_array_set_size (self->draining, 0);
  return n_left;
}

void
rtsp_sink_feeds_set_flushing (RtspSinkFeeds * self, gboolean flushing)
{
  self->flushing = flushing;
  /* GstBaseSink may take it back before the waiter has seen it. */
  if (flushing)
    g_ptr_array_set_size (self->draining, 0);
  g_cond_broadcast (&self->cond);
}

/* --- a list, without the fan-out's lock --- */

/**
 * rtsp_sink_feeds_ref_list:
 *
 * With the fan-out's lock.
 *
 * Returns: (transfer full): those that there are now
 */
GPtrArray *
rtsp_sink_feeds_ref_list (RtspSinkFeeds * self)
{
  return g_ptr_array_ref (self->list);
}

/**
 * rtsp_sink_feeds_push:
 * @packets: (transfer none): one access unit
 * @key_unit: can a decoder begin with it?
 * @next_seqnum: of the packet that follows
 *
 * Returns: whether any waits for a key unit
 */
gboolean
rtsp_sink_feeds_push (GPtrArray * list, GstBufferList * packets,
    gboolean key_unit, guint16 next_seqnum)
{
  gboolean wait = FALSE;

  for (guint i = 0; i < list->len; i++) {
    RtspSinkFeedGate gate = rtsp_sink_feed_push (g_ptr_array_index (list, i),
        packets, key_unit, next_seqnum);

    wait |= gate == RTSP_SINK_FEED_WAIT_KEY || gate == RTSP_SINK_FEED_SKIPPING;
  }
  return wait;
}

/**
 * rtsp_sink_feeds_set_caps:
 * @caps: of the packets that follow
 */
void
rtsp_sink_feeds_set_caps (GPtrArray * list, GstCaps * caps)
{
  for (guint i = 0; i < list->len; i++)
    rtsp_sink_feed_set_caps (g_ptr_array_index (list, i), caps);
}

void
rtsp_sink_feeds_end (GPtrArray * list)
{
  for (guint i = 0; i < list->len; i++)
    rtsp_sink_feed_end (g_ptr_array_index (list, i));
}
