/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* When frames are shown that come in the order of decoding. Their times may go
 * back, but only as far as frames are reordered; beyond that the time stamps
 * have begun again, and the frames go on behind those before. A pure value: one
 * owner, no lock. */

#include "time/shown.h"

/* Frames may not share an RTP time: one tick of 90 kHz. */
#define MIN_STEP (GST_SECOND / 90000 + 1)

/* By how much frames may be encoded in another order than they are shown in. */
#define MAX_REORDER (2 * GST_SECOND)

/* Time stamps begin anew; what was given out is not forgotten. */
static void
restart (RtspSinkShown * self)
{
  self->highest = GST_CLOCK_TIME_NONE;
  self->n_recent = 0;
  self->next = 0;
}

void
rtsp_sink_shown_init (RtspSinkShown * self)
{
  self->given = GST_CLOCK_TIME_NONE;
  restart (self);
}

/* Whether a frame of @pts can be one that is shown before the highest. Nothing
 * passes a key unit. No two frames have one time: where one comes again the
 * stream was here before. */
static gboolean
is_reordered (const RtspSinkShown * self, GstClockTime pts, gboolean key_unit)
{
  gboolean earlier = self->n_recent < RTSP_SINK_SHOWN_DEPTH;

  if (key_unit || !GST_CLOCK_TIME_IS_VALID (self->highest)
      || pts >= self->highest || pts + MAX_REORDER < self->highest)
    return FALSE;
  for (guint i = 0; i < self->n_recent; i++) {
    GstClockTimeDiff distance = GST_CLOCK_DIFF (self->recent[i], pts);

    if (ABS (distance) < (GstClockTimeDiff) MIN_STEP)
      return FALSE;
    earlier |= distance > 0;
  }
  return earlier;
}

/**
 * rtsp_sink_shown_take:
 * @pts: when the next frame is shown
 * @key_unit: a decoder can begin with it
 *
 * Returns: FALSE if it is shown before one that came earlier; TRUE if it is behind
 *   all of them, or if the time stamps have begun again
 */
gboolean
rtsp_sink_shown_take (RtspSinkShown * self, GstClockTime pts, gboolean key_unit)
{
  gboolean reordered = is_reordered (self, pts, key_unit);

  if (!reordered) {
    if (GST_CLOCK_TIME_IS_VALID (self->highest) && pts < self->highest)
      restart (self);
    self->highest = pts;
  }
  self->recent[self->next] = pts;
  self->next = (self->next + 1) % RTSP_SINK_SHOWN_DEPTH;
  self->n_recent = MIN (self->n_recent + 1, RTSP_SINK_SHOWN_DEPTH);
  return !reordered;
}

/**
 * rtsp_sink_shown_place:
 * @pts: of the frame that was taken last
 * @wanted: when it should be shown, on another axis
 *
 * Returns: when it is shown on that axis. In the order of the time stamps
 */
GstClockTime
rtsp_sink_shown_place (RtspSinkShown * self, GstClockTime pts,
    GstClockTimeDiff wanted)
{
  GstClockTime before = self->highest - pts;

  if (before > 0)
    return self->given > before ? self->given - before : 0;
  if (GST_CLOCK_TIME_IS_VALID (self->given))
    wanted = MAX (wanted, (GstClockTimeDiff) (self->given + MIN_STEP));
  self->given = MAX (wanted, 0);
  return self->given;
}
