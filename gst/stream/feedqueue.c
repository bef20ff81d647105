/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What waits for a media's thread: access units and events, in their order, and
 * how long they do. What counts is when they came, not which time they are of:
 * a source that was held up sends what is of seconds at once.
 *
 * No locks: the feed's guards it. */

#include "stream/feedqueue.h"

/* Viewers have queues of their own, so more than this means that the machine
 * cannot send to as many as there are. */
#define MAX_TIME (1 * GST_SECOND)
#define MAX_BYTES (8 * 1024 * 1024)

typedef struct
{
  gpointer object;              /* a GstEvent or a GstBufferList */
  GstClockTime came;
} Item;

void
rtsp_sink_feed_queue_init (RtspSinkFeedQueue * self)
{
  g_queue_init (&self->items);
  self->n_bytes = 0;
}

static void
free_item (gpointer data)
{
  Item *item = data;

  gst_mini_object_unref (item->object);
  g_free (item);
}

void
rtsp_sink_feed_queue_clear (RtspSinkFeedQueue * self)
{
  g_queue_clear_full (&self->items, free_item);
  self->n_bytes = 0;
}

/**
 * rtsp_sink_feed_queue_push:
 * @object: (transfer full): an event, or the packets of an access unit
 */
void
rtsp_sink_feed_queue_push (RtspSinkFeedQueue * self, gpointer object,
    GstClockTime now)
{
  Item *item = g_new (Item, 1);

  item->object = object;
  item->came = now;
  g_queue_push_tail (&self->items, item);
  if (GST_IS_BUFFER_LIST (object))
    self->n_bytes += gst_buffer_list_calculate_size (object);
}

/**
 * rtsp_sink_feed_queue_pop:
 *
 * Returns: (transfer full) (nullable): the oldest
 */
gpointer
rtsp_sink_feed_queue_pop (RtspSinkFeedQueue * self)
{
  Item *item = g_queue_pop_head (&self->items);
  gpointer object;

  if (item == NULL)
    return NULL;
  object = item->object;
  g_free (item);
  if (GST_IS_BUFFER_LIST (object))
    self->n_bytes -= gst_buffer_list_calculate_size (object);
  return object;
}

void
rtsp_sink_feed_queue_drop_lists (RtspSinkFeedQueue * self)
{
  GList *next;

  for (GList * l = self->items.head; l != NULL; l = next) {
    next = l->next;
    if (GST_IS_BUFFER_LIST (((Item *) l->data)->object)) {
      free_item (l->data);
      g_queue_delete_link (&self->items, l);
    }
  }
  self->n_bytes = 0;
}

/* NULL: only events wait. */
static Item *
find_list (RtspSinkFeedQueue * self)
{
  for (GList * l = self->items.head; l != NULL; l = l->next) {
    if (GST_IS_BUFFER_LIST (((Item *) l->data)->object))
      return l->data;
  }
  return NULL;
}

/**
 * rtsp_sink_feed_queue_get_time:
 *
 * Frames come in the order of decoding: the oldest need not be that which is shown
 * first.
 *
 * Returns: the lowest PTS of the access units, GST_CLOCK_TIME_NONE if there are
 *   none
 */
GstClockTime
rtsp_sink_feed_queue_get_time (RtspSinkFeedQueue * self)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  for (GList * l = self->items.head; l != NULL; l = l->next) {
    gpointer object = ((Item *) l->data)->object;

    if (GST_IS_BUFFER_LIST (object))
      time = MIN (time, GST_BUFFER_PTS (gst_buffer_list_get (object, 0)));
  }
  return time;
}

/**
 * rtsp_sink_feed_queue_is_full:
 *
 * Returns: whether more access units wait than may, or for longer
 */
gboolean
rtsp_sink_feed_queue_is_full (RtspSinkFeedQueue * self, GstClockTime now)
{
  Item *oldest = find_list (self);

  return oldest != NULL
      && (self->n_bytes > MAX_BYTES || now > oldest->came + MAX_TIME);
}
