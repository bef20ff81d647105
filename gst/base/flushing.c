/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One flush at a time. A stream that begins behind the end is flushed by us, on the
 * upstream thread, while a flush from upstream may come on any other. The stop of
 * one between start and stop of the other would set a queue going again that the
 * other waits for. */

#include "base/flushing.h"

void
rtsp_sink_flushing_init (RtspSinkFlushing * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  self->upstream = self->own = FALSE;
}

void
rtsp_sink_flushing_clear (RtspSinkFlushing * self)
{
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
}

/**
 * rtsp_sink_flushing_start:
 *
 * A flush comes from upstream; it is not handed on yet. Waits for the end of one of
 * our own, which waits for nobody. Any thread.
 */
void
rtsp_sink_flushing_start (RtspSinkFlushing * self)
{
  g_mutex_lock (&self->lock);
  self->upstream = TRUE;
  while (self->own)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_flushing_stop:
 *
 * The flush from upstream has been handed on whole, or the stream starts anew. Any
 * thread.
 */
void
rtsp_sink_flushing_stop (RtspSinkFlushing * self)
{
  g_mutex_lock (&self->lock);
  self->upstream = FALSE;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_flushing_begin_own:
 *
 * Upstream thread.
 *
 * Returns: FALSE: a flush from upstream is under way, which does as much
 */
gboolean
rtsp_sink_flushing_begin_own (RtspSinkFlushing * self)
{
  gboolean free;

  g_mutex_lock (&self->lock);
  free = !self->upstream;
  self->own = free;
  g_mutex_unlock (&self->lock);

  return free;
}

void
rtsp_sink_flushing_end_own (RtspSinkFlushing * self)
{
  g_mutex_lock (&self->lock);
  self->own = FALSE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}
