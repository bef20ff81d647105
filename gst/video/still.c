/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The newest frame of a stream, and whether it is shown again: a viewer who joins
 * while the source is quiet, as a slide show or a screen that does not change,
 * gets it at once and not with the next frame.
 *
 * The upstream thread keeps; any thread wants; one of GStreamer's pool waits. */

#include "video/still.h"

#define QUIET_TIME ((gint64) (RTSP_SINK_STILL_QUIET_TIME / GST_USECOND))

/* Who joins within as long shares one frame, as it shares one key unit. */
#define JOIN_TIME (100 * G_TIME_SPAN_MILLISECOND)

/* After as long without a break the source is not quiet. */
#define PATIENCE (1 * G_TIME_SPAN_SECOND)

struct _RtspSinkStill
{
  GMutex lock;
  /* Guarded by lock, with cond. Nothing is called while it is held. */
  GCond cond;
  GstBuffer *frame;             /* NULL: none, or it cannot be kept */
  gint64 came;                  /* monotonic time of the newest frame */
  gint64 wanted;                /* monotonic time; 0: nobody waits */
};

RtspSinkStill *
rtsp_sink_still_new (void)
{
  RtspSinkStill *self = g_new0 (RtspSinkStill, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  return self;
}

void
rtsp_sink_still_free (RtspSinkStill * self)
{
  gst_clear_buffer (&self->frame);
  g_cond_clear (&self->cond);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* Takes @frame. */
static void
replace (RtspSinkStill * self, GstBuffer * frame, gint64 came)
{
  GstBuffer *old;

  g_mutex_lock (&self->lock);
  old = self->frame;
  self->frame = frame;
  self->came = came;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);

  gst_clear_buffer (&old);
}

/**
 * rtsp_sink_still_keep:
 * @frame: (transfer none): it is shown now
 * @scarce: its source has few buffers: not one of these is kept, but a copy, and
 *   only where frames come seldom
 *
 * Upstream thread.
 */
void
rtsp_sink_still_keep (RtspSinkStill * self, GstBuffer * frame, gboolean scarce)
{
  gint64 now = g_get_monotonic_time ();
  gint64 before;

  g_mutex_lock (&self->lock);
  before = self->came;
  g_mutex_unlock (&self->lock);

  if (!scarce)
    gst_buffer_ref (frame);
  else if (now - before > QUIET_TIME)
    frame = gst_buffer_copy_deep (frame);
  else
    frame = NULL;
  replace (self, frame, now);
}

/**
 * rtsp_sink_still_resume:
 *
 * The source was paused, which is not quiet: it goes on now. Any thread.
 */
void
rtsp_sink_still_resume (RtspSinkStill * self)
{
  g_mutex_lock (&self->lock);
  self->came = g_get_monotonic_time ();
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_still_clear:
 *
 * The stream ends, or other frames follow. Any thread.
 */
void
rtsp_sink_still_clear (RtspSinkStill * self)
{
  replace (self, NULL, g_get_monotonic_time ());
}

/**
 * rtsp_sink_still_want:
 *
 * A viewer waits for a frame. Any thread.
 *
 * Returns: whether somebody has to call rtsp_sink_still_wait()
 */
gboolean
rtsp_sink_still_want (RtspSinkStill * self)
{
  gboolean first;

  g_mutex_lock (&self->lock);
  first = self->wanted == 0 && self->frame != NULL;
  if (first)
    self->wanted = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);

  return first;
}

/**
 * rtsp_sink_still_wait:
 *
 * Returns when the source is quiet, or after a second in which it was not: a frame
 * that comes meanwhile may have been encoded before it was to be a key unit.
 *
 * Returns: whether the frame is to be shown again
 */
gboolean
rtsp_sink_still_wait (RtspSinkStill * self)
{
  gboolean quiet = FALSE;

  g_mutex_lock (&self->lock);
  while (!quiet && self->frame != NULL) {
    gint64 until = MAX (self->came + QUIET_TIME, self->wanted + JOIN_TIME);
    gint64 end = self->wanted + PATIENCE;

    if (g_cond_wait_until (&self->cond, &self->lock, MIN (until, end)))
      continue;
    if (g_get_monotonic_time () >= end)
      break;
    quiet = TRUE;
  }
  self->wanted = 0;
  quiet = quiet && self->frame != NULL;
  g_mutex_unlock (&self->lock);

  return quiet;
}

/**
 * rtsp_sink_still_ref_frame:
 *
 * Returns: (transfer full) (nullable): the frame that is shown
 */
GstBuffer *
rtsp_sink_still_ref_frame (RtspSinkStill * self)
{
  GstBuffer *frame = NULL;

  g_mutex_lock (&self->lock);
  if (self->frame != NULL)
    frame = gst_buffer_ref (self->frame);
  g_mutex_unlock (&self->lock);

  return frame;
}
