/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Element messages from our own threads, posted in their order by one of
 * GStreamer's: an application may stop the pipeline from a sync handler, and
 * stopping waits for our threads. Those of an application that does not read its
 * bus do not fill the memory: viewers, hence peers, bring them about. */

#include "element/messages.h"

/* With these on the bus there are no more. */
#define MAX_UNREAD 1000

void
rtsp_sink_messages_init (RtspSinkMessages * self)
{
  g_mutex_init (&self->lock);
  g_queue_init (&self->waiting);
  self->posting = FALSE;
  self->n_unread = 0;
  self->n_missed = 0;
}

void
rtsp_sink_messages_clear (RtspSinkMessages * self)
{
  g_queue_clear_full (&self->waiting, (GDestroyNotify) gst_message_unref);
  g_mutex_clear (&self->lock);
}

static GstMessage *
next_message (RtspSinkMessages * self)
{
  GstMessage *message;

  g_mutex_lock (&self->lock);
  message = g_queue_pop_head (&self->waiting);
  if (message == NULL)
    self->posting = FALSE;
  g_mutex_unlock (&self->lock);

  return message;
}

/* GStreamer's thread, which holds a reference to @element, hence to @self. */
static void
post_waiting (GstElement * element, gpointer user_data)
{
  GstMessage *message;

  while ((message = next_message (user_data)) != NULL)
    gst_element_post_message (element, message);
}

/* Any thread. The message still has its reference to the owner of the messages. */
static void
message_freed (gpointer user_data, GstMiniObject * message)
{
  RtspSinkMessages *self = user_data;

  g_mutex_lock (&self->lock);
  self->n_unread--;
  g_mutex_unlock (&self->lock);
}

/* FALSE: too many are unread. @n_missed: before that one. */
static gboolean
may_make (RtspSinkMessages * self, guint * n_missed)
{
  gboolean may;

  g_mutex_lock (&self->lock);
  may = self->n_unread < MAX_UNREAD;
  *n_missed = self->n_missed;
  if (may)
    self->n_unread++;
  self->n_missed = may ? 0 : self->n_missed + 1;
  g_mutex_unlock (&self->lock);

  return may;
}

static void
post (RtspSinkMessages * self, GstElement * element, GstMessage * message)
{
  gboolean start;

  gst_mini_object_weak_ref (GST_MINI_OBJECT_CAST (message), message_freed,
      self);
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->waiting, message);
  start = !self->posting;
  self->posting = TRUE;
  g_mutex_unlock (&self->lock);

  if (start)
    gst_element_call_async (element, post_waiting, self, NULL);
}

/**
 * rtsp_sink_messages_post:
 * @element: the owner of @self
 * @structure: (transfer full): what to tell
 *
 * If some were not posted before, as nobody read those on the bus, the field
 * "missed" tells how many. Any thread. Does not wait for anybody.
 */
void
rtsp_sink_messages_post (RtspSinkMessages * self, GstElement * element,
    GstStructure * structure)
{
  guint n_missed;

  if (!may_make (self, &n_missed)) {
    if (n_missed == 0)
      GST_WARNING_OBJECT (element, "nobody reads the bus: posting no more of "
          "viewers");
    gst_structure_free (structure);
    return;
  }
  if (n_missed > 0)
    gst_structure_set (structure, "missed", G_TYPE_UINT, n_missed, NULL);
  post (self, element, gst_message_new_element (GST_OBJECT (element),
          structure));
}

/**
 * rtsp_sink_messages_post_warning:
 * @text: a sentence with its cure
 *
 * Any thread. Does not wait for anybody.
 */
void
rtsp_sink_messages_post_warning (RtspSinkMessages * self, GstElement * element,
    const gchar * text)
{
  g_autoptr (GError) error = g_error_new_literal (GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, text);

  GST_WARNING_OBJECT (element, "%s", text);
  g_mutex_lock (&self->lock);
  self->n_unread++;
  g_mutex_unlock (&self->lock);
  post (self, element, gst_message_new_warning (GST_OBJECT (element), error,
          NULL));
}
