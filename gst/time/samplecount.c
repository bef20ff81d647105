/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which time live audio is of that has no time stamps, or none that can be
 * believed: its samples follow each other, and arrive when they are recorded or
 * later, never before. So samples are counted, and the count is set right by
 * the least delay within a while, which is nearest to the truth.
 * A pure value: one owner, no clock of its own, no lock. */

#include "time/samplecount.h"

/* How long the least delay is looked for. */
#define WINDOW (2 * GST_SECOND)

/* What the count may be wrong by before it is set right: each time is a jump
 * that can be heard. */
#define MAX_ERROR (10 * GST_MSECOND)

/* More than this is no delay: nothing came for a while. */
#define GAP (500 * GST_MSECOND)

void
rtsp_sink_sample_count_restart (RtspSinkSampleCount * self)
{
  self->next = GST_CLOCK_TIME_NONE;
}

static void
begin_window (RtspSinkSampleCount * self, GstClockTime now)
{
  self->since = now;
  self->least = G_MAXINT64;
}

/* The buffer's time if it follows the one before. */
static GstClockTime
follow (RtspSinkSampleCount * self, GstClockTimeDiff delay, GstClockTime now)
{
  GstClockTime time = self->next;

  self->least = MIN (self->least, delay);
  if (now < self->since + WINDOW)
    return time;
  if (ABS (self->least) > (GstClockTimeDiff) MAX_ERROR)
    time += self->least;
  begin_window (self, now);
  return time;
}

/**
 * rtsp_sink_sample_count_stamp:
 * @duration: how long the buffer lasts
 * @now: the running time
 *
 * Returns: the running time of the buffer's first sample
 */
GstClockTime
rtsp_sink_sample_count_stamp (RtspSinkSampleCount * self, GstClockTime duration,
    GstClockTime now)
{
  GstClockTime begin = now > duration ? now - duration : 0;
  GstClockTimeDiff delay;
  GstClockTime time;

  if (!GST_CLOCK_TIME_IS_VALID (self->next)) {
    begin_window (self, now);
    self->next = begin;
  }
  delay = GST_CLOCK_DIFF (self->next, begin);
  if (ABS (delay) > (GstClockTimeDiff) GAP) {
    begin_window (self, now);
    time = begin;
  } else {
    time = follow (self, delay, now);
  }
  self->next = time + duration;
  return time;
}
