/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A source that goes on whatever it meets; see stepsource.h. */

#include "stepsource.h"

#include <gst/rtp/gstrtpbuffer.h>

/* Of buffers that do not tell. */
#define FRAME_TIME (10 * GST_MSECOND)
#define LONGEST_FRAME (100 * GST_MSECOND)
/* Unless live it may be this much faster, if nothing holds it up. */
#define HASTE 4
#define MAX_DRIFT (200 * GST_MSECOND)

typedef enum
{
  DO_PLAY,
  DO_SEND,
  DO_BEGIN,
  DO_SEGMENT,
} Action;

typedef struct
{
  Action action;
  gpointer data;                /* the clip, the event */
} Order;

struct _StepSource
{
  GstElement parent;

  /* Constant after construction. */
  GstPad *srcpad;
  gboolean live;

  /* The task's thread only, or while it does not run. */
  EncodedClip *clip;
  guint next;                   /* buffer of the clip */
  guint16 seqnum;               /* of the next RTP packet */
  GstSegment segment;
  GstClockTime running;         /* running time of the next buffer */
  gboolean begun;               /* stream-start, caps, segment were sent */
  gboolean flushed;             /* caps and segment come next */
  gboolean ended;               /* what follows meets what it meets */

  /* Guards what follows; nothing is called with it held. */
  GMutex lock;
  GCond cond;
  GQueue orders;                /* of Order */
  gboolean active;
  gboolean playing;
  gboolean held;
  gboolean busy;                /* a push is under way */
  gboolean flushing;
  gboolean stamps;
  guint n_taken;
  GstFlowReturn met;            /* by the newest buffer */
  GstFlowReturn fault;
};

G_DEFINE_FINAL_TYPE (StepSource, step_source, GST_TYPE_ELEMENT);

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
order_free (Order * order)
{
  if (order->action == DO_SEND)
    gst_event_unref (order->data);
  g_free (order);
}

static void
give_order (StepSource * self, Action action, gpointer data)
{
  Order *order = g_new (Order, 1);

  *order = (Order) {
  action, data};
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->orders, order);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* --- what is pushed --- */

/* Of the next buffer. Live, as of a sound card: it goes on by what was pushed, also
 * where the machine is late, and begins anew where it is far from the clock's. */
static GstClockTime
running_time (StepSource * self)
{
  GstClockTime now;

  if (!self->live)
    return self->running;
  now = gst_element_get_current_running_time (GST_ELEMENT (self));
  if (!GST_CLOCK_TIME_IS_VALID (now))
    now = 0;
  if (now > self->running + MAX_DRIFT || self->running > now + MAX_DRIFT)
    self->running = now;
  return self->running;
}

/* Until the next buffer, in us. */
static gint64
time_to_wait (StepSource * self, GstClockTime time)
{
  GstClockTime now;

  if (!self->live)
    return GST_TIME_AS_USECONDS (time / HASTE);
  now = gst_element_get_current_running_time (GST_ELEMENT (self));
  if (!GST_CLOCK_TIME_IS_VALID (now) || self->running > now + MAX_DRIFT)
    return GST_TIME_AS_USECONDS (time);
  return self->running > now ? GST_TIME_AS_USECONDS (self->running - now) : 0;
}

static void
push_begin (StepSource * self)
{
  GstEvent *start = gst_event_new_stream_start ("step");

  gst_event_set_group_id (start, 1);
  gst_pad_push_event (self->srcpad, start);
  gst_pad_push_event (self->srcpad, gst_event_new_caps (self->clip->caps));
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&self->segment));
  self->begun = TRUE;
  self->flushed = FALSE;
}

/* What has to come before anything else. Caps that met a flush are lost. */
static void
push_missing (StepSource * self)
{
  if (!self->begun)
    push_begin (self);
  if (!self->flushed)
    return;
  gst_pad_push_event (self->srcpad, gst_event_new_caps (self->clip->caps));
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&self->segment));
  self->flushed = FALSE;
}

/* Running time goes on. */
static void
push_segment (StepSource * self)
{
  self->segment.base = running_time (self);
  self->segment.start += GST_SECOND;
  self->segment.time = self->segment.position = self->segment.start;
  push_missing (self);
  gst_pad_push_event (self->srcpad, gst_event_new_segment (&self->segment));
}

static void
follow_order (StepSource * self, Order * order)
{
  switch (order->action) {
    case DO_PLAY:
      self->clip = order->data;
      self->next = 0;
      if (self->begun)
        gst_pad_push_event (self->srcpad,
            gst_event_new_caps (self->clip->caps));
      break;
    case DO_SEND:
      push_missing (self);
      self->ended |= GST_EVENT_TYPE (order->data) == GST_EVENT_EOS;
      gst_pad_push_event (self->srcpad, gst_event_ref (order->data));
      break;
    case DO_BEGIN:
      push_begin (self);
      break;
    case DO_SEGMENT:
      push_segment (self);
      break;
  }
}

static GstBuffer *
peek (StepSource * self, guint i)
{
  return gst_sample_get_buffer (g_ptr_array_index (self->clip->samples,
          i % self->clip->samples->len));
}

/* From this buffer of the clip to the next; 0 within a unit. */
static GstClockTime
time_to_next (StepSource * self)
{
  GstBuffer *now = peek (self, self->next), *then = peek (self, self->next + 1);
  GstClockTime time = FRAME_TIME;

  if (GST_BUFFER_DURATION_IS_VALID (now))
    time = GST_BUFFER_DURATION (now);
  if (GST_BUFFER_DTS_OR_PTS (then) >= GST_BUFFER_DTS_OR_PTS (now)
      && GST_CLOCK_TIME_IS_VALID (GST_BUFFER_DTS_OR_PTS (now)))
    time = GST_BUFFER_DTS_OR_PTS (then) - GST_BUFFER_DTS_OR_PTS (now);
  return MIN (time, LONGEST_FRAME);
}

/* Round and round the numbers of packets must go on. */
static void
number_packet (StepSource * self, GstBuffer * packet, GstClockTime time)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_structure_has_name (gst_caps_get_structure (self->clip->caps, 0),
          "application/x-rtp")
      || !gst_rtp_buffer_map (packet, GST_MAP_READWRITE, &rtp))
    return;
  gst_rtp_buffer_set_seq (&rtp, self->seqnum++);
  gst_rtp_buffer_set_timestamp (&rtp, gst_util_uint64_scale (time, 90000,
          GST_SECOND));
  gst_rtp_buffer_unmap (&rtp);
}

static GstBuffer *
make_buffer (StepSource * self, gboolean stamps)
{
  GstBuffer *buffer = encoded_clip_frame (self->clip, self->next);
  GstClockTime running = running_time (self);
  GstClockTime time = self->segment.start +
      (running > self->segment.base ? running - self->segment.base : 0);
  GstClockTimeDiff shown = 0;

  if (GST_BUFFER_PTS_IS_VALID (buffer) && GST_BUFFER_DTS_IS_VALID (buffer))
    shown = GST_CLOCK_DIFF (GST_BUFFER_DTS (buffer), GST_BUFFER_PTS (buffer));
  number_packet (self, buffer, running);
  GST_BUFFER_OFFSET (buffer) = GST_BUFFER_OFFSET_NONE;
  GST_BUFFER_PTS (buffer) = stamps ? time + MAX (shown, 0)
      : GST_CLOCK_TIME_NONE;
  GST_BUFFER_DTS (buffer) = stamps && shown > 0 ? time : GST_CLOCK_TIME_NONE;
  return buffer;
}

/* Nobody there, an end, a flush: what a source meets in such a life. */
static void
note_result (StepSource * self, GstFlowReturn ret)
{
  g_mutex_lock (&self->lock);
  self->met = ret;
  if (ret == GST_FLOW_OK) {
    self->n_taken++;
    g_cond_broadcast (&self->cond);
  } else if (!self->ended
      && (ret == GST_FLOW_ERROR || ret == GST_FLOW_NOT_NEGOTIATED)) {
    self->fault = ret;
  }
  g_mutex_unlock (&self->lock);
}

static gboolean
must_rest_locked (StepSource * self)
{
  return self->held || (self->live && !self->playing);
}

/* FALSE: nothing more comes before the deadline, which holds unless it rests. */
static gboolean
wait_for_change_locked (StepSource * self, gint64 deadline)
{
  if (!must_rest_locked (self))
    return g_cond_wait_until (&self->cond, &self->lock, deadline);
  g_cond_wait (&self->cond, &self->lock);
  return TRUE;
}

/* Waits until the next buffer is due, or an order comes. FALSE: the pad is flushing
 * or not active. */
static gboolean
wait_turn (StepSource * self, GstClockTime time, Order ** order,
    gboolean * stamps)
{
  gint64 deadline = g_get_monotonic_time () + time_to_wait (self, time);
  gboolean may;

  g_mutex_lock (&self->lock);
  while (self->active && !self->flushing
      && (must_rest_locked (self) || g_queue_is_empty (&self->orders))
      && wait_for_change_locked (self, deadline));
  may = self->busy = self->active && !self->flushing;
  if (may)
    *order = g_queue_pop_head (&self->orders);
  *stamps = self->stamps;
  g_mutex_unlock (&self->lock);

  return may;
}

static void
end_turn (StepSource * self)
{
  g_mutex_lock (&self->lock);
  self->busy = FALSE;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static void
push_next (StepSource * self, gboolean stamps)
{
  GstBuffer *buffer;

  push_missing (self);
  buffer = make_buffer (self, stamps);
  self->running += time_to_next (self);
  self->next++;
  note_result (self, gst_pad_push (self->srcpad, buffer));
}

static void
loop (gpointer user_data)
{
  StepSource *self = user_data;
  Order *order = NULL;
  gboolean stamps;

  if (!wait_turn (self, self->next == 0 ? FRAME_TIME : time_to_next (self),
          &order, &stamps)) {
    gst_pad_pause_task (self->srcpad);
    return;
  }
  if (order != NULL)
    follow_order (self, order);
  else
    push_next (self, stamps);
  g_clear_pointer (&order, order_free);
  end_turn (self);
}

/* --- GStreamer's side --- */

static void
set_flag (StepSource * self, gboolean * flag, gboolean value)
{
  g_mutex_lock (&self->lock);
  *flag = value;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/* As data is dropped by a flush, so is what would have come among it; the clip
 * that was chosen stays so. While the task does not run. */
static void
restart (StepSource * self, gboolean reset_time)
{
  g_mutex_lock (&self->lock);
  for (GList * l = self->orders.head, *next; l != NULL; l = next) {
    next = l->next;
    if (((Order *) l->data)->action != DO_PLAY) {
      order_free (l->data);
      g_queue_delete_link (&self->orders, l);
    }
  }
  g_mutex_unlock (&self->lock);
  self->ended = FALSE;
  self->segment.base = reset_time ? 0 : running_time (self);
  if (reset_time)
    self->running = 0;
}

static gboolean
step_source_activate_mode (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  StepSource *self = STEP_SOURCE (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;
  set_flag (self, &self->active, active);
  if (!active)
    return gst_pad_stop_task (pad);
  self->begun = FALSE;
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  restart (self, TRUE);
  return gst_pad_start_task (pad, loop, self, NULL);
}

static gboolean
step_source_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  StepSource *self = STEP_SOURCE (parent);
  GstSeekFlags flags;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  if (flags & GST_SEEK_FLAG_FLUSH)
    step_source_flush (self, TRUE);
  else
    step_source_send_segment (self);
  gst_event_unref (event);
  return TRUE;
}

static gboolean
step_source_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, STEP_SOURCE (parent)->live, 0,
      GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* What an application sends to the pipeline comes here. */
static gboolean
step_source_send_event (GstElement * element, GstEvent * event)
{
  StepSource *self = STEP_SOURCE (element);

  if (GST_EVENT_IS_UPSTREAM (event))
    return gst_pad_send_event (self->srcpad, event);
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_push_event (self->srcpad, event);
  step_source_send (self, event);
  return TRUE;
}

static GstStateChangeReturn
step_source_change_state (GstElement * element, GstStateChange transition)
{
  StepSource *self = STEP_SOURCE (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    set_flag (self, &self->playing, FALSE);
  ret = GST_ELEMENT_CLASS (step_source_parent_class)->change_state (element,
      transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    set_flag (self, &self->playing, TRUE);
  if (ret == GST_STATE_CHANGE_SUCCESS && self->live
      && (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          || transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED))
    return GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

static void
step_source_finalize (GObject * object)
{
  StepSource *self = STEP_SOURCE (object);

  g_queue_clear_full (&self->orders, (GDestroyNotify) order_free);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  G_OBJECT_CLASS (step_source_parent_class)->finalize (object);
}

static void
step_source_class_init (StepSourceClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = step_source_finalize;
  element_class->change_state = step_source_change_state;
  element_class->send_event = step_source_send_event;
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Step source",
      "Source", "Goes on whatever it meets", "The rtspserversink developers");
}

static void
step_source_init (StepSource * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  g_queue_init (&self->orders);
  self->stamps = TRUE;
  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_activatemode_function (self->srcpad, step_source_activate_mode);
  gst_pad_set_event_function (self->srcpad, step_source_event);
  gst_pad_set_query_function (self->srcpad, step_source_query);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
}

/* --- what it is told --- */

StepSource *
step_source_new (gboolean live, EncodedClip * clip)
{
  StepSource *self = g_object_new (STEP_TYPE_SOURCE, NULL);

  self->live = live;
  self->clip = clip;
  return self;
}

void
step_source_play (StepSource * self, EncodedClip * clip)
{
  give_order (self, DO_PLAY, clip);
}

void
step_source_set_stamps (StepSource * self, gboolean stamps)
{
  set_flag (self, &self->stamps, stamps);
}

void
step_source_send (StepSource * self, GstEvent * event)
{
  give_order (self, event != NULL ? DO_SEND : DO_BEGIN, event);
}

void
step_source_send_segment (StepSource * self)
{
  give_order (self, DO_SEGMENT, NULL);
}

void
step_source_flush (StepSource * self, gboolean reset_time)
{
  gboolean active;

  set_flag (self, &self->flushing, TRUE);
  gst_pad_push_event (self->srcpad, gst_event_new_flush_start ());
  /* which waits until nothing is pushed any more */
  gst_pad_pause_task (self->srcpad);
  gst_pad_push_event (self->srcpad, gst_event_new_flush_stop (reset_time));
  restart (self, reset_time);
  self->flushed = TRUE;

  g_mutex_lock (&self->lock);
  self->flushing = FALSE;
  active = self->active;
  g_mutex_unlock (&self->lock);
  if (active)
    gst_pad_start_task (self->srcpad, loop, self, NULL);
}

void
step_source_hold (StepSource * self)
{
  g_mutex_lock (&self->lock);
  self->held = TRUE;
  while (self->busy)
    g_cond_wait (&self->cond, &self->lock);
  g_mutex_unlock (&self->lock);
}

void
step_source_release (StepSource * self)
{
  set_flag (self, &self->held, FALSE);
}

gboolean
step_source_wait (StepSource * self, guint n, gint64 timeout)
{
  gint64 deadline = g_get_monotonic_time () + timeout;
  gboolean taken;

  g_mutex_lock (&self->lock);
  n += self->n_taken;
  while (self->n_taken < n
      && g_cond_wait_until (&self->cond, &self->lock, deadline));
  taken = self->n_taken >= n;
  g_mutex_unlock (&self->lock);
  return taken;
}

void
step_source_print (StepSource * self)
{
  g_mutex_lock (&self->lock);
  g_print ("      %s: %u buffers taken, the newest met %s%s%s\n",
      GST_OBJECT_NAME (self), self->n_taken, gst_flow_get_name (self->met),
      self->busy ? ", one is being pushed" : "",
      self->playing ? "" : ", it does not play");
  g_mutex_unlock (&self->lock);
}

GstFlowReturn
step_source_fault (StepSource * self)
{
  GstFlowReturn fault;

  g_mutex_lock (&self->lock);
  fault = self->fault;
  g_mutex_unlock (&self->lock);
  return fault;
}
