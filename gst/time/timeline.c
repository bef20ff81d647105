/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Decides which time a frame is of, in running time: the time stamp that came
 * with it as long as that agrees with the clock, else a repaired one. What it
 * returns always rises, and in the long run runs at the speed of the clock.
 * A pure value: one owner, no clock of its own, no lock.
 *
 * Two things go wrong with time stamps. They jump: a file starts again, a
 * camera's driver restarts. Then the offset takes the jump out and the
 * stream goes on. Or they drift: OpenCV's writer stamps frame number divided
 * by declared rate, whatever the real rate is. Then they tell nothing, and
 * the time of arrival counts from there on. */

#include "time/timeline.h"

/* One tick of RTP's 90 kHz: nearer frames would share an RTP time. */
#define MIN_STEP (GST_SECOND / 90000 + 1)

/* How late a paced frame may be before its stamp is not believed, beyond the
 * latency that its source reports. */
#define PACED_TOLERANCE (200 * GST_MSECOND)

/* The same of a live frame: a source that hangs for a moment and then delivers
 * what it held is right. */
#define LIVE_TOLERANCE (1 * GST_SECOND)

/* How far ahead of the clock a live frame may be: not at all, but for a
 * source whose clock is not quite the pipeline's. */
#define LIVE_LEAD (200 * GST_MSECOND)

/* The same of a paced frame: a slide show waits for the next slide, yet a
 * jump ahead by an hour shall not silence the stream for an hour. */
#define PACED_LEAD (10 * GST_SECOND)

/* How long a frame is waited for at most, believed or not. GStreamer's system clock
 * spins, and cannot be stopped, where the time overflows (1.22). */
#define MAX_WAIT (365 * 24 * 3600 * GST_SECOND)

/* By how much a frame may be decoded before it is shown, and how much earlier
 * than that in between, where frames are reordered. */
#define MAX_AHEAD (500 * GST_MSECOND)

/* A step of the time stamps against the clock from one frame to the next
 * that is a jump, no drift. */
#define JUMP (200 * GST_MSECOND)

void
rtsp_sink_timeline_init (RtspSinkTimeline * self,
    GstRtspServerSinkTimestampMode mode)
{
  *self = (RtspSinkTimeline) {
  .mode = mode};
  rtsp_sink_timeline_restart (self);
}

/**
 * rtsp_sink_timeline_restart:
 *
 * To be called when running time starts again from 0 (a flush).
 */
void
rtsp_sink_timeline_restart (RtspSinkTimeline * self)
{
  self->last_pts = GST_CLOCK_TIME_NONE;
  self->last = GST_CLOCK_TIME_NONE;
  rtsp_sink_shown_init (&self->shown);
  self->ahead = MAX_AHEAD;
  self->lead = 0;
  self->offset = 0;
  self->drifting = FALSE;
}

/* Where a frame goes whose own time stamp is of no use. */
static GstClockTime
next_free_time (const RtspSinkTimeline * self, GstClockTime duration,
    GstClockTime now)
{
  GstClockTime next;

  if (!GST_CLOCK_TIME_IS_VALID (self->last))
    return GST_CLOCK_TIME_IS_VALID (now) ? now : 0;

  if (self->paced && GST_CLOCK_TIME_IS_VALID (duration))
    next = self->last + MAX (duration, MIN_STEP);
  else
    next = self->last + MIN_STEP;

  return GST_CLOCK_TIME_IS_VALID (now) ? MAX (next, now) : next;
}

static gboolean
agrees_with_clock (const RtspSinkTimeline * self, GstClockTimeDiff lead)
{
  GstClockTimeDiff tolerance, max_lead;

  if (self->paced) {
    tolerance = PACED_TOLERANCE + self->latency;
    max_lead = PACED_LEAD;
  } else {
    tolerance = LIVE_TOLERANCE + self->latency;
    max_lead = LIVE_LEAD;
  }
  if (self->drifting) {
    tolerance = 0;
    max_lead = self->paced ? max_lead : 0;
  }

  return lead >= -tolerance && lead <= max_lead;
}

static gboolean
has_jumped (const RtspSinkTimeline * self, GstClockTimeDiff time,
    GstClockTime now)
{
  GstClockTimeDiff lead = time - (GstClockTimeDiff) now;

  return ABS (lead - self->lead) > (GstClockTimeDiff) JUMP;
}

/* The time of a frame whose stamp the clock contradicts. */
static GstClockTime
repair (RtspSinkTimeline * self, GstClockTimeDiff time, GstClockTime duration,
    GstClockTime now)
{
  GstClockTime target = next_free_time (self, duration, now);
  gboolean jumped = has_jumped (self, time, now);

  if (jumped && !self->paced && self->lead < 0) {
    /* As long on its way as the frame before. */
    GstClockTimeDiff kept = (GstClockTimeDiff) now + self->lead;

    if (kept > (GstClockTimeDiff) self->last)
      target = kept;
  }
  if (!jumped)
    self->drifting = TRUE;

  self->offset += (GstClockTimeDiff) target - time;
  return target;
}

/* A paced stream that goes back a little has begun again: the frame follows
 * the one before. A live one is merely confused for a moment. */
static GstClockTime
step_back (RtspSinkTimeline * self, GstClockTimeDiff time,
    GstClockTime duration, GstClockTime now)
{
  GstClockTime target;

  if (!self->paced)
    return self->last;

  target = next_free_time (self, duration, now);
  self->offset += (GstClockTimeDiff) target - time;
  return target;
}

static GstClockTime
believe_or_repair (RtspSinkTimeline * self, GstClockTime pts,
    GstClockTime duration, GstClockTime now)
{
  GstClockTimeDiff time = (GstClockTimeDiff) pts + self->offset;
  gboolean first = !GST_CLOCK_TIME_IS_VALID (self->last);
  gboolean back = !first && time <= (GstClockTimeDiff) self->last;

  if (GST_CLOCK_TIME_IS_VALID (now)
      && (!agrees_with_clock (self, time - (GstClockTimeDiff) now)
          || (back && !self->paced && has_jumped (self, time, now))))
    return repair (self, time, duration, now);

  if (!back)
    return MAX (time, 0);

  /* The same again is no news about the clock. */
  if (pts == self->last_pts)
    return self->last;
  return step_back (self, time, duration, now);
}

/**
 * rtsp_sink_timeline_stamp:
 * @pts: the running time that came with the frame, or NONE
 * @duration: how long the frame lasts, or NONE
 * @now: the running time now, or NONE while no clock runs
 *
 * Returns: the running time of the frame, later than any returned before
 */
GstClockTime
rtsp_sink_timeline_stamp (RtspSinkTimeline * self, GstClockTime pts,
    GstClockTime duration, GstClockTime now)
{
  GstClockTime time;

  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || self->mode == GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL)
    time = next_free_time (self, duration, now);
  else if (self->mode == GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS)
    time = pts;
  else
    time = believe_or_repair (self, pts, duration, now);

  if (self->paced && GST_CLOCK_TIME_IS_VALID (now))
    time = MIN (time, now + MAX_WAIT);
  if (GST_CLOCK_TIME_IS_VALID (self->last))
    time = MAX (time, self->last + MIN_STEP);

  if (GST_CLOCK_TIME_IS_VALID (now))
    self->lead = GST_CLOCK_DIFF (now, time);
  self->last_pts = pts;
  self->last = time;
  return time;
}

/* When a frame is to be decoded. What a source tells of it is believed only where
 * it fits what it tells of when frames are shown, for that is what viewers get:
 * the highest PTS so far rises from frame to frame, and takes the place of a DTS
 * that is missing or wrong. */
static GstClockTime
decode_time (RtspSinkTimeline * self, GstClockTime dts, gboolean begun_again)
{
  GstClockTime highest = self->shown.highest, latest = highest, before = 0;

  if (!begun_again && GST_CLOCK_TIME_IS_VALID (self->last_pts))
    before = self->last_pts;
  if (GST_CLOCK_TIME_IS_VALID (dts) && dts <= highest)
    self->ahead = MIN (self->ahead, highest - dts);
  if (self->ahead < MAX_AHEAD)
    latest = highest > self->ahead ? highest - self->ahead : 0;
  if (GST_CLOCK_TIME_IS_VALID (dts) && dts <= latest
      && dts + MAX_AHEAD >= latest)
    latest = dts;
  return MAX (latest, before);
}

/**
 * rtsp_sink_timeline_stamp_encoded:
 * @pts: (inout): when the frame is shown, NONE if it does not tell; a running
 *   time
 * @dts: (inout): when it is decoded, likewise
 * @key_unit: a decoder can begin with it
 *
 * As rtsp_sink_timeline_stamp(), for frames in the order of decoding: @dts is
 * later than any before. @pts are in the order in which they came, and go back
 * only where frames are reordered, whatever @dts said.
 */
void
rtsp_sink_timeline_stamp_encoded (RtspSinkTimeline * self, GstClockTime * pts,
    GstClockTime * dts, gboolean key_unit, GstClockTime duration,
    GstClockTime now)
{
  GstClockTime highest = self->shown.highest, decoded, time;

  if (!GST_CLOCK_TIME_IS_VALID (*pts)) {
    *pts = *dts = rtsp_sink_timeline_stamp (self, *dts, duration, now);
    return;
  }
  rtsp_sink_shown_take (&self->shown, *pts, key_unit);
  decoded = decode_time (self, *dts, GST_CLOCK_TIME_IS_VALID (highest)
      && self->shown.highest < highest);
  time = rtsp_sink_timeline_stamp (self, decoded, duration, now);
  *pts = rtsp_sink_shown_place (&self->shown, *pts,
      (GstClockTimeDiff) time + GST_CLOCK_DIFF (decoded, *pts));
  *dts = time;
}
