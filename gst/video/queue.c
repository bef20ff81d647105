/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Frames that wait for the encoder, and the end of the upstream thread: what is
 * behind the queue runs on the encoder's. */

#include "video/queue.h"

#include "base/elements.h"

/* What bridges a late encoder: two frames of a camera that has few buffers,
 * else a little more, for programs that are held up and then catch up. */
#define SCARCE_FRAMES 2
#define LIVE_FRAMES 8
#define MAX_TIME (200 * GST_MSECOND)

/* It is full, and takes one more nevertheless, or waits. */
static void
overrun (GstElement * element, gpointer user_data)
{
  RtspSinkQueue *self = user_data;

  if (self->droppable)
    self->late (self->user_data);
}

/**
 * rtsp_sink_queue_init:
 * @bin: gets the element, and outlives @self not
 * @late: called for each frame that is left out
 * @error: names the package to install
 */
gboolean
rtsp_sink_queue_init (RtspSinkQueue * self, GstBin * bin,
    RtspSinkQueueFunc late, gpointer user_data, GError ** error)
{
  self->element = rtsp_sink_elements_add (bin, "queue", "queue", error);
  if (self->element == NULL)
    return FALSE;

  self->late = late;
  self->user_data = user_data;
  g_object_set (self->element, "max-size-buffers", SCARCE_FRAMES,
      "max-size-bytes", 0, "max-size-time", (guint64) MAX_TIME, NULL);
  g_signal_connect (self->element, "overrun", G_CALLBACK (overrun), self);
  return TRUE;
}

/**
 * rtsp_sink_queue_set_source:
 * @live: the source is
 * @droppable: a frame that finds the queue full takes the place of the oldest
 *   one, so that a live source never waits; else it waits
 * @scarce: the source has few buffers
 *
 * Upstream thread.
 */
void
rtsp_sink_queue_set_source (RtspSinkQueue * self, gboolean live,
    gboolean droppable, gboolean scarce)
{
  self->droppable = droppable;
  g_object_set (self->element, "max-size-buffers",
      live && !scarce ? LIVE_FRAMES : SCARCE_FRAMES, NULL);
  gst_util_set_object_arg (G_OBJECT (self->element), "leaky",
      droppable ? "downstream" : "no");
}

/**
 * rtsp_sink_queue_is_full:
 *
 * Upstream thread.
 *
 * Returns: whether the next frame would wait, or take the place of another
 */
gboolean
rtsp_sink_queue_is_full (RtspSinkQueue * self)
{
  guint n, max;
  guint64 time;

  g_object_get (self->element, "current-level-buffers", &n,
      "max-size-buffers", &max, "current-level-time", &time, NULL);
  return n >= max || time >= MAX_TIME;
}
