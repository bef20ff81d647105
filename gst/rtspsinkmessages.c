/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Element messages from our own threads, posted in their order by one of
 * GStreamer's: an application may stop the pipeline from a sync handler, and
 * stopping waits for our threads. */

#include "rtspsinkmessages.h"

void
rtsp_sink_messages_init (RtspSinkMessages * self)
{
  g_mutex_init (&self->lock);
  g_queue_init (&self->waiting);
  self->posting = FALSE;
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

static void
post (RtspSinkMessages * self, GstElement * element, GstMessage * message)
{
  gboolean start;

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
 * Any thread. Does not wait for anybody.
 */
void
rtsp_sink_messages_post (RtspSinkMessages * self, GstElement * element,
    GstStructure * structure)
{
  post (self, element, gst_message_new_element (GST_OBJECT (element),
          structure));
}

/**
 * rtsp_sink_messages_post_warning:
 * @text: a sentence with its cure
 *
 * As rtsp_sink_messages_post().
 */
void
rtsp_sink_messages_post_warning (RtspSinkMessages * self, GstElement * element,
    const gchar * text)
{
  g_autoptr (GError) error = g_error_new_literal (GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, text);

  GST_WARNING_OBJECT (element, "%s", text);
  post (self, element, gst_message_new_warning (GST_OBJECT (element), error,
          NULL));
}
