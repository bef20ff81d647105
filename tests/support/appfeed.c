/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Frames with stamps of choice for an appsrc; see appfeed.h. */

#include "appfeed.h"

#include <gst/app/app.h>

#define FRAME_SIZE (64 * 48 * 3 / 2)

struct _AppFeed
{
  /* constant while the thread runs */
  SinkTest *test;
  GstAppSrc *src;
  guint rate;
  AppFeedStamp stamp;
  gpointer data;
  GThread *thread;

  gint n;                       /* atomic */
  gint stopped;                 /* atomic */
};

GstClockTime
app_feed_now (SinkTest * test)
{
  return gst_element_get_current_running_time (sink_test_pipeline (test));
}

static GstFlowReturn
push (GstAppSrc * src, GstClockTime pts)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL);

  gst_buffer_memset (frame, 0, 128, FRAME_SIZE);
  GST_BUFFER_PTS (frame) = pts;
  return gst_app_src_push_buffer (src, frame);
}

void
app_feed_push (SinkTest * test, const gchar * name, GstClockTime pts)
{
  fail_unless_equals_int (push (GST_APP_SRC (sink_test_element (test, name)),
          pts), GST_FLOW_OK);
}

static gpointer
run (gpointer data)
{
  AppFeed *feed = data;
  gint64 start = g_get_monotonic_time ();
  GstFlowReturn ret = GST_FLOW_OK;

  while (ret == GST_FLOW_OK && !g_atomic_int_get (&feed->stopped)) {
    guint n = app_feed_count (feed);
    gint64 due = start + n * G_USEC_PER_SEC / feed->rate;
    gint64 early = due - g_get_monotonic_time ();

    if (early > 0)
      g_usleep (early);
    ret = push (feed->src, feed->stamp (n, app_feed_now (feed->test),
            feed->data));
    g_atomic_int_inc (&feed->n);
  }
  return NULL;
}

AppFeed *
app_feed_start (SinkTest * test, const gchar * name, guint rate,
    AppFeedStamp stamp, gpointer data)
{
  AppFeed *feed = g_new0 (AppFeed, 1);

  feed->test = test;
  feed->src = gst_object_ref (sink_test_element (test, name));
  feed->rate = rate;
  feed->stamp = stamp;
  feed->data = data;
  feed->thread = g_thread_new ("test-feed", run, feed);
  return feed;
}

void
app_feed_stop (AppFeed * feed)
{
  if (feed == NULL)
    return;
  g_atomic_int_set (&feed->stopped, TRUE);
  g_thread_join (feed->thread);
  gst_object_unref (feed->src);
  g_free (feed);
}

guint
app_feed_count (AppFeed * feed)
{
  return g_atomic_int_get (&feed->n);
}
