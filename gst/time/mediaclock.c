/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Media time: the one time axis that all viewers' media share. It is the time
 * of a clock minus a fixed epoch, so it goes on through every pause, flush and
 * restart of the user's running time, at the speed of the clock. The clock is
 * the pipeline's own, hence RTCP sender reports tell when a frame was
 * captured. Each stream of an element has a media clock, all on one axis: what
 * two streams say of one time is the same. Used by the encoder's thread
 * (convert) and by viewers' threads. */

#include "time/mediaclock.h"

/* Two access units may not share an RTP time: one tick of 90 kHz. */
#define MIN_STEP (GST_SECOND / 90000 + 1)

/* The PLAY answer names the RTP time of a first packet that does not exist yet. It
 * must not be later than that packet's: cameras stamp a frame up to this long
 * before it arrives. */
#define MAX_CAPTURE_DELAY (300 * GST_MSECOND)

/* While frames come in such distances, the newest one tells better: the next one
 * is later. */
#define RECENT (500 * GST_MSECOND)

/* By how much frames may be encoded in another order than they are shown in. */
#define MAX_REORDER (2 * GST_SECOND)

/* What the streams of one element share. */
typedef struct
{
  GMutex lock;
  /* Guarded by lock. Only clocks are called while it is held. */
  GstClock *clock;              /* set once, then kept */
  GstClockTime epoch;
} Axis;

struct _RtspSinkMediaClock
{
  Axis *axis;                   /* constant after construction */

  /* Guarded by the axis's lock. */
  GstClockTime newest;          /* last time given out, or NONE */
  GstClockTime came;            /* media time at that moment */
  GstClockTime behind;          /* frames are shown that long before it */
  gboolean direct;              /* frames come as the source sends them */
  GstClockTime held;            /* what is sent next may be as old, or NONE */
};

static void
clear_axis (gpointer box)
{
  Axis *axis = box;

  gst_clear_object (&axis->clock);
  g_mutex_clear (&axis->lock);
}

static void
clear (gpointer box)
{
  g_atomic_rc_box_release_full (((RtspSinkMediaClock *) box)->axis, clear_axis);
}

/* Takes @axis. */
static RtspSinkMediaClock *
new_on (Axis * axis)
{
  RtspSinkMediaClock *self = g_atomic_rc_box_new0 (RtspSinkMediaClock);

  self->axis = axis;
  self->newest = GST_CLOCK_TIME_NONE;
  self->held = GST_CLOCK_TIME_NONE;
  return self;
}

/**
 * rtsp_sink_media_clock_new:
 *
 * Returns: (transfer full): an axis that takes its clock from the first use
 */
RtspSinkMediaClock *
rtsp_sink_media_clock_new (void)
{
  Axis *axis = g_atomic_rc_box_new0 (Axis);

  g_mutex_init (&axis->lock);
  return new_on (axis);
}

/**
 * rtsp_sink_media_clock_new_beside:
 *
 * Returns: (transfer full): that of another stream, on the axis of @other
 */
RtspSinkMediaClock *
rtsp_sink_media_clock_new_beside (RtspSinkMediaClock * other)
{
  return new_on (g_atomic_rc_box_acquire (other->axis));
}

RtspSinkMediaClock *
rtsp_sink_media_clock_ref (RtspSinkMediaClock * self)
{
  return g_atomic_rc_box_acquire (self);
}

void
rtsp_sink_media_clock_unref (RtspSinkMediaClock * self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/* A pipeline that has not played yet has no clock; the system clock is what
 * it will most likely choose. */
static void
ensure_clock_locked (Axis * axis, GstClock * clock, GstClockTime base_time)
{
  if (axis->clock != NULL)
    return;

  if (clock != NULL) {
    axis->clock = gst_object_ref (clock);
    axis->epoch = base_time;
  } else {
    axis->clock = gst_system_clock_obtain ();
    axis->epoch = gst_clock_get_time (axis->clock);
  }
}

static GstClockTime
now_locked (Axis * axis)
{
  GstClockTime now = gst_clock_get_time (axis->clock);

  return now > axis->epoch ? now - axis->epoch : 0;
}

/**
 * rtsp_sink_media_clock_get:
 * @epoch: (out): the base time for a pipeline whose running time shall be
 *   media time
 *
 * Any thread.
 *
 * Returns: (transfer full): the clock for such a pipeline
 */
GstClock *
rtsp_sink_media_clock_get (RtspSinkMediaClock * self, GstClockTime * epoch)
{
  Axis *axis = self->axis;
  GstClock *clock;

  g_mutex_lock (&axis->lock);
  ensure_clock_locked (axis, NULL, 0);
  clock = gst_object_ref (axis->clock);
  *epoch = axis->epoch;
  g_mutex_unlock (&axis->lock);

  return clock;
}

/**
 * rtsp_sink_media_clock_now:
 *
 * Any thread.
 *
 * Returns: the media time now
 */
GstClockTime
rtsp_sink_media_clock_now (RtspSinkMediaClock * self)
{
  GstClockTime now;

  g_mutex_lock (&self->axis->lock);
  ensure_clock_locked (self->axis, NULL, 0);
  now = now_locked (self->axis);
  g_mutex_unlock (&self->axis->lock);

  return now;
}

static GstClockTime
convert_locked (Axis * axis, GstClock * clock, GstClockTime base_time,
    GstClockTime running_time)
{
  GstClockTime captured = base_time + running_time;

  if (clock == NULL)
    return now_locked (axis);

  if (clock != axis->clock) {
    /* The user's pipeline changed its clock: carry over the frame's age. */
    GstClockTimeDiff age =
        GST_CLOCK_DIFF (captured, gst_clock_get_time (clock));
    GstClockTimeDiff time = (GstClockTimeDiff) now_locked (axis) - age;

    return MAX (time, 0);
  }
  return captured > axis->epoch ? captured - axis->epoch : 0;
}

/**
 * rtsp_sink_media_clock_convert:
 * @clock: (nullable): the clock of the user's pipeline now
 * @base_time: the base time of the user's pipeline now
 * @running_time: when the frame was captured
 *
 * The thread of the stream's encoder only.
 *
 * Returns: the media time of the frame, later than any returned before
 */
GstClockTime
rtsp_sink_media_clock_convert (RtspSinkMediaClock * self, GstClock * clock,
    GstClockTime base_time, GstClockTime running_time)
{
  GstClockTime time;

  g_mutex_lock (&self->axis->lock);
  ensure_clock_locked (self->axis, clock, base_time);
  time = convert_locked (self->axis, clock, base_time, running_time);
  if (GST_CLOCK_TIME_IS_VALID (self->newest))
    time = MAX (time, self->newest + MIN_STEP);
  self->newest = time;
  self->came = now_locked (self->axis);
  g_mutex_unlock (&self->axis->lock);

  return time;
}

/**
 * rtsp_sink_media_clock_convert_of:
 * @running_time: that of @element
 *
 * Returns: the media time
 */
GstClockTime
rtsp_sink_media_clock_convert_of (RtspSinkMediaClock * self,
    GstElement * element, GstClockTime running_time)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (element);

  return rtsp_sink_media_clock_convert (self, clock,
      gst_element_get_base_time (element), running_time);
}

/**
 * rtsp_sink_media_clock_hold:
 * @time: what is sent from now on is of this time or later
 *
 * For streams of which something is sent after times of newer frames were given
 * out. The thread of the stream's encoder only.
 */
void
rtsp_sink_media_clock_hold (RtspSinkMediaClock * self, GstClockTime time)
{
  g_mutex_lock (&self->axis->lock);
  self->held = time;
  g_mutex_unlock (&self->axis->lock);
}

/**
 * rtsp_sink_media_clock_newest:
 *
 * Any thread.
 *
 * Returns: the media time of the stream's newest frame, or what it was told to
 *   hold; NONE before the first
 */
GstClockTime
rtsp_sink_media_clock_newest (RtspSinkMediaClock * self)
{
  GstClockTime newest;

  g_mutex_lock (&self->axis->lock);
  newest = MIN (self->newest, self->held);
  g_mutex_unlock (&self->axis->lock);

  return newest;
}

/**
 * rtsp_sink_media_clock_note_shown:
 * @time: when the newest frame is shown, which may be before the time that was given
 *   out for it, where its source does not say when it is decoded
 *
 * The thread of the stream's encoder only.
 */
void
rtsp_sink_media_clock_note_shown (RtspSinkMediaClock * self, GstClockTime time)
{
  g_mutex_lock (&self->axis->lock);
  if (GST_CLOCK_TIME_IS_VALID (self->newest) && time < self->newest)
    self->behind = MAX (self->behind, MIN (self->newest - time, MAX_REORDER));
  g_mutex_unlock (&self->axis->lock);
}

/**
 * rtsp_sink_media_clock_set_direct:
 * @direct: frames come to be sent as the source sends them, and so does what it holds
 *   back; else they are encoded here when they are wanted
 *
 * The thread of the stream's encoder only.
 */
void
rtsp_sink_media_clock_set_direct (RtspSinkMediaClock * self, gboolean direct)
{
  g_mutex_lock (&self->axis->lock);
  self->direct = direct;
  self->behind = 0;
  g_mutex_unlock (&self->axis->lock);
}

/* How much older than now a frame may be that comes next, after a while without. */
static GstClockTime
max_age_locked (RtspSinkMediaClock * self)
{
  GstClockTime age = 0;

  /* An encoder that looks ahead, or reorders frames, is that late with each. */
  if (self->direct && GST_CLOCK_TIME_IS_VALID (self->newest)
      && self->came > self->newest)
    age = self->came - self->newest;
  return age + MAX_CAPTURE_DELAY;
}

/**
 * rtsp_sink_media_clock_next:
 *
 * Any thread.
 *
 * Returns: the lower bound of the media time of the stream's next frame
 */
GstClockTime
rtsp_sink_media_clock_next (RtspSinkMediaClock * self)
{
  GstClockTime now, newest, age, next;

  g_mutex_lock (&self->axis->lock);
  ensure_clock_locked (self->axis, NULL, 0);
  now = now_locked (self->axis);
  newest = MIN (self->newest, self->held);
  age = max_age_locked (self);
  next = now > age ? now - age : 0;
  if (GST_CLOCK_TIME_IS_VALID (newest)
      && (now < self->came + RECENT || next < newest))
    next = newest;
  next = next > self->behind ? next - self->behind : 0;
  g_mutex_unlock (&self->axis->lock);

  return next;
}
