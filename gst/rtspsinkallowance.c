/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How often something may happen that a peer brings about: a few times at once,
 * and then once in an interval. A plain value, and pure: the caller guards it. */

#include "rtspsinkallowance.h"

/**
 * rtsp_sink_allowance_take:
 * @now: monotonic time
 * @interval: one is regained in this time
 * @n_at_once: how many may be taken at one moment, from 1 on
 *
 * Returns: whether it may happen now; then it is taken
 */
gboolean
rtsp_sink_allowance_take (RtspSinkAllowance * self, gint64 now,
    gint64 interval, guint n_at_once)
{
  gint64 full = now - (n_at_once - 1) * interval;

  if (self->due == 0 || self->due < full)
    self->due = full;
  if (self->due > now)
    return FALSE;
  self->due += interval;
  return TRUE;
}
