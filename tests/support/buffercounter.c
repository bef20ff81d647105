/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Counting of buffers that pass a pad; declared in sinktest.h. */

#include "sinktest.h"

/* Counted: the pad's probe may still run when the test lets go. */
struct _BufferCounter
{
  GstPad *pad;
  gulong probe;

  /* guards what follows; nothing is called with it held */
  GMutex lock;
  GCond passed;
  guint n;
  gint64 last;
  gint64 longest_gap;
};

/* Streaming thread. */
static GstPadProbeReturn
count (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  BufferCounter *counter = user_data;
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&counter->lock);
  if (counter->n > 0)
    counter->longest_gap = MAX (counter->longest_gap, now - counter->last);
  counter->last = now;
  counter->n++;
  g_cond_broadcast (&counter->passed);
  g_mutex_unlock (&counter->lock);
  return GST_PAD_PROBE_OK;
}

static void
clear (gpointer data)
{
  BufferCounter *counter = data;

  gst_object_unref (counter->pad);
  g_mutex_clear (&counter->lock);
  g_cond_clear (&counter->passed);
}

static void
unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, clear);
}

BufferCounter *
buffer_counter_new (SinkTest * test, const gchar * element, const gchar * pad)
{
  BufferCounter *counter = g_atomic_rc_box_new0 (BufferCounter);

  g_mutex_init (&counter->lock);
  g_cond_init (&counter->passed);
  counter->pad = gst_element_get_static_pad (sink_test_element (test,
          element), pad);
  fail_unless (counter->pad != NULL, "'%s' has no pad '%s'", element, pad);
  counter->probe = gst_pad_add_probe (counter->pad, GST_PAD_PROBE_TYPE_BUFFER,
      count, g_atomic_rc_box_acquire (counter), unref);
  return counter;
}

void
buffer_counter_free (BufferCounter * counter)
{
  if (counter == NULL)
    return;
  gst_pad_remove_probe (counter->pad, counter->probe);
  unref (counter);
}

guint
buffer_counter_count (BufferCounter * counter)
{
  guint n;

  g_mutex_lock (&counter->lock);
  n = counter->n;
  g_mutex_unlock (&counter->lock);
  return n;
}

gint64
buffer_counter_longest_gap (BufferCounter * counter)
{
  gint64 gap;

  g_mutex_lock (&counter->lock);
  gap = counter->longest_gap;
  g_mutex_unlock (&counter->lock);
  return gap;
}

void
buffer_counter_wait (BufferCounter * counter, guint n, gint64 timeout)
{
  gint64 deadline = g_get_monotonic_time () + timeout;
  guint seen;

  g_mutex_lock (&counter->lock);
  while (counter->n < n
      && g_cond_wait_until (&counter->passed, &counter->lock, deadline));
  seen = counter->n;
  g_mutex_unlock (&counter->lock);
  fail_unless (seen >= n, "%u of %u buffers in %.3f s", seen, n, timeout / 1e6);
}
