/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What time it is for an element in the user's pipeline, and waiting for it: by
 * the pipeline's clock, ended at once by a flush or a change of state.
 *
 * The upstream thread asks and waits; the application's threads change. */

#include "time/pacing.h"

/* How often it is looked whether a pipeline plays again. */
#define MOMENT (5 * GST_MSECOND)

struct _RtspSinkPacing
{
  GstElement *element;          /* no reference: it owns this; constant */

  GMutex lock;
  /* Guarded by lock. Nothing is called out while it is held. */
  gboolean flushing;
  gboolean playing;
  gboolean restarting;          /* flushed: running time begins anew */
  GstClockTime stopped_at;      /* running time while not playing */
  gboolean interrupted;         /* the wait, or the next one */
  GstClockID clock_id;          /* what the upstream thread waits for */
  GstClockTime latency;         /* of the whole pipeline, from its event */
};

RtspSinkPacing *
rtsp_sink_pacing_new (GstElement * element)
{
  RtspSinkPacing *self = g_new0 (RtspSinkPacing, 1);

  self->element = element;
  g_mutex_init (&self->lock);
  return self;
}

void
rtsp_sink_pacing_free (RtspSinkPacing * self)
{
  g_mutex_clear (&self->lock);
  g_free (self);
}

/**
 * rtsp_sink_pacing_set_flushing:
 *
 * TRUE ends a wait. Any thread.
 */
void
rtsp_sink_pacing_set_flushing (RtspSinkPacing * self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  if (self->clock_id != NULL)
    gst_clock_id_unschedule (self->clock_id);
  g_mutex_unlock (&self->lock);
}

static GstElement *
find_top (RtspSinkPacing * self)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self->element));
  GstObject *parent;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  return GST_ELEMENT (top);
}

/**
 * rtsp_sink_pacing_running_time:
 *
 * Returns: the running time of @element now, NONE if it has no clock
 */
GstClockTime
rtsp_sink_pacing_running_time (GstElement * element)
{
  GstClockTime now = gst_element_get_current_clock_time (element);
  GstClockTime base_time = gst_element_get_base_time (element);

  if (!GST_CLOCK_TIME_IS_VALID (now))
    return GST_CLOCK_TIME_NONE;
  return now > base_time ? now - base_time : 0;
}

/**
 * rtsp_sink_pacing_ask_source:
 * @pad: the pad that the source feeds
 * @timeline: told whether what comes waits for its time, and how late it may be
 *
 * Returns: whether the source is live
 */
gboolean
rtsp_sink_pacing_ask_source (GstPad * pad, GstRtspServerSinkSync sync,
    RtspSinkTimeline * timeline)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime latency = 0;
  gboolean live = FALSE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &live, &latency, NULL);

  timeline->latency = latency;
  timeline->paced = sync == GST_RTSP_SERVER_SINK_SYNC_AUTO ?
      !live : sync == GST_RTSP_SERVER_SINK_SYNC_TRUE;
  return live;
}

/**
 * rtsp_sink_pacing_set_playing:
 *
 * The element's state changes. Application thread.
 */
void
rtsp_sink_pacing_set_playing (RtspSinkPacing * self, gboolean playing)
{
  GstClockTime now = rtsp_sink_pacing_running_time (self->element);

  g_mutex_lock (&self->lock);
  self->playing = playing;
  self->restarting = FALSE;
  self->stopped_at = now;
  if (self->clock_id != NULL)
    gst_clock_id_unschedule (self->clock_id);
  g_mutex_unlock (&self->lock);
}

void
rtsp_sink_pacing_set_latency (RtspSinkPacing * self, GstClockTime latency)
{
  g_mutex_lock (&self->lock);
  self->latency = latency;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_pacing_restart:
 *
 * Running time begins anew.
 */
void
rtsp_sink_pacing_restart (RtspSinkPacing * self)
{
  g_mutex_lock (&self->lock);
  self->stopped_at = 0;
  self->restarting = self->playing;
  g_mutex_unlock (&self->lock);
}

/* A flush takes the pipeline back to PAUSED, though not this element, until its
 * sinks have a frame again. Only then the base time is that of the new running
 * time. */
static gboolean
is_playing_locked (RtspSinkPacing * self)
{
  g_autoptr (GstObject) bin = NULL;

  if (!self->restarting)
    return self->playing;
  bin = gst_object_get_parent (GST_OBJECT (self->element));
  if (bin == NULL || GST_STATE (bin) == GST_STATE_PLAYING)
    self->restarting = FALSE;
  return self->playing && !self->restarting;
}

gboolean
rtsp_sink_pacing_is_playing (RtspSinkPacing * self)
{
  gboolean playing;

  g_mutex_lock (&self->lock);
  playing = is_playing_locked (self);
  g_mutex_unlock (&self->lock);

  return playing;
}

static gboolean
is_restarting (RtspSinkPacing * self)
{
  gboolean restarting;

  g_mutex_lock (&self->lock);
  restarting = self->restarting;
  g_mutex_unlock (&self->lock);

  return restarting;
}

/**
 * rtsp_sink_pacing_due:
 * @now: a running time, or NONE
 * @latency: of the whole pipeline
 *
 * Returns: the running time of the frames whose turn it is at @now
 */
GstClockTime
rtsp_sink_pacing_due (GstClockTime now, GstClockTime latency)
{
  if (!GST_CLOCK_TIME_IS_VALID (now))
    return GST_CLOCK_TIME_NONE;
  return now > latency ? now - latency : 0;
}

static GstClockTime
get_due (RtspSinkPacing * self, GstClockTime now)
{
  GstClockTime latency;

  g_mutex_lock (&self->lock);
  latency = self->latency;
  g_mutex_unlock (&self->lock);

  return rtsp_sink_pacing_due (now, latency);
}

/**
 * rtsp_sink_pacing_now:
 * @paced: frames wait for their time and the pipeline's latency
 *
 * Returns: the running time now, if @paced less the latency: that of the frames
 *   whose turn it is; NONE if there is no clock
 */
GstClockTime
rtsp_sink_pacing_now (RtspSinkPacing * self, gboolean paced)
{
  GstClockTime now;

  if (rtsp_sink_pacing_is_playing (self)) {
    now = rtsp_sink_pacing_running_time (self->element);
    return paced ? get_due (self, now) : now;
  }

  /* A live pipeline plays before its sinks do: those wait for this frame. */
  if (!paced && !is_restarting (self)) {
    g_autoptr (GstElement) top = find_top (self);

    return rtsp_sink_pacing_running_time (top);
  }
  if (!paced)
    return GST_CLOCK_TIME_NONE;
  g_mutex_lock (&self->lock);
  now = self->stopped_at;
  g_mutex_unlock (&self->lock);
  return get_due (self, now);
}

/* Waits on the clock with the lock held at entry and exit; it is given up
 * meanwhile. TRUE: the time came, or there is no clock. */
static gboolean
wait_clock_locked (RtspSinkPacing * self, GstClockTime time)
{
  GstClockReturn result;
  GstClock *clock = gst_element_get_clock (self->element);

  if (clock == NULL)
    return TRUE;

  self->clock_id = gst_clock_new_single_shot_id (clock,
      gst_element_get_base_time (self->element) + time + self->latency);
  g_mutex_unlock (&self->lock);

  result = gst_clock_id_wait (self->clock_id, NULL);
  gst_object_unref (clock);

  g_mutex_lock (&self->lock);
  gst_clock_id_unref (self->clock_id);
  self->clock_id = NULL;

  return result != GST_CLOCK_UNSCHEDULED;
}

static gboolean
top_is_playing (RtspSinkPacing * self)
{
  g_autoptr (GstElement) top = find_top (self);

  return GST_STATE (top) == GST_STATE_PLAYING;
}

/* Waits a moment, as wait_clock_locked(). */
static void
wait_moment_locked (RtspSinkPacing * self, GstClock * clock)
{
  self->clock_id = gst_clock_new_single_shot_id (clock,
      gst_clock_get_time (clock) + MOMENT);
  g_mutex_unlock (&self->lock);

  gst_clock_id_wait (self->clock_id, NULL);

  g_mutex_lock (&self->lock);
  gst_clock_id_unref (self->clock_id);
  self->clock_id = NULL;
}

/**
 * rtsp_sink_pacing_wait_restarted:
 *
 * For a sink that does not preroll: returns when running time has begun anew
 * after a flush. The pipeline gives out its new base time when those sinks that
 * do preroll have a frame again, and tells nobody.
 *
 * Returns: OK, or FLUSHING
 */
GstFlowReturn
rtsp_sink_pacing_wait_restarted (RtspSinkPacing * self)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (self->element);
  GstFlowReturn ret;

  g_mutex_lock (&self->lock);
  while (!self->flushing && self->playing && self->restarting) {
    if (clock == NULL || top_is_playing (self))
      self->restarting = FALSE;
    else
      wait_moment_locked (self, clock);
  }
  ret = self->flushing ? GST_FLOW_FLUSHING : GST_FLOW_OK;
  g_mutex_unlock (&self->lock);

  return ret;
}

/**
 * rtsp_sink_pacing_interrupt:
 *
 * The thread that waits does something else, and waits again. If it does not wait
 * yet, that holds for its next wait. Any thread.
 */
void
rtsp_sink_pacing_interrupt (RtspSinkPacing * self)
{
  g_mutex_lock (&self->lock);
  self->interrupted = TRUE;
  if (self->clock_id != NULL)
    gst_clock_id_unschedule (self->clock_id);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_pacing_wait:
 * @time: a running time
 *
 * Returns when it is @time. A pipeline that does not play yet takes what comes:
 * an encoder may need several frames before the sink is prerolled, and then
 * the queue is soon full.
 *
 * Returns: OK, FLUSHING, or RTSP_SINK_PACING_INTERRUPTED
 */
GstFlowReturn
rtsp_sink_pacing_wait (RtspSinkPacing * self, GstClockTime time)
{
  GstFlowReturn ret = GST_FLOW_OK;

  g_mutex_lock (&self->lock);
  while (!self->flushing && !self->interrupted && is_playing_locked (self)) {
    if (wait_clock_locked (self, time))
      break;
  }
  if (self->interrupted)
    ret = RTSP_SINK_PACING_INTERRUPTED;
  self->interrupted = FALSE;
  if (self->flushing)
    ret = GST_FLOW_FLUSHING;
  g_mutex_unlock (&self->lock);

  return ret;
}
