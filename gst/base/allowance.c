/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How often a peer may make something happen: a few times at once, and then once in
 * an interval. A plain value, and pure: the caller guards it. */

#include "base/allowance.h"

/* Nothing is regained beyond what may be taken at once. */
static gint64
next_due (const RtspSinkAllowance * self, gint64 now, gint64 interval,
    guint n_at_once)
{
  gint64 whole = now - (n_at_once - 1) * interval;

  return self->due == 0 ? whole : MAX (self->due, whole);
}

/**
 * rtsp_sink_allowance_charge:
 * @now: monotonic time
 * @interval: one is regained in this time
 * @n_at_once: how many may be taken at one moment, from 1 on
 *
 * It has happened, allowed or not.
 */
void
rtsp_sink_allowance_charge (RtspSinkAllowance * self, gint64 now,
    gint64 interval, guint n_at_once)
{
  self->due = next_due (self, now, interval, n_at_once) + interval;
}

/**
 * rtsp_sink_allowance_take:
 *
 * Returns: whether it may happen now; then it is taken
 */
gboolean
rtsp_sink_allowance_take (RtspSinkAllowance * self, gint64 now,
    gint64 interval, guint n_at_once)
{
  if (self->due > now)
    return FALSE;
  rtsp_sink_allowance_charge (self, now, interval, n_at_once);
  return TRUE;
}

/**
 * rtsp_sink_allowance_is_whole:
 *
 * Returns: whether all that was taken is regained: it is as good as new
 */
gboolean
rtsp_sink_allowance_is_whole (const RtspSinkAllowance * self, gint64 now,
    gint64 interval, guint n_at_once)
{
  return self->due <= now - (n_at_once - 1) * interval;
}
