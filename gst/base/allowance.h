/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib.h>

/* Zero: nothing was taken yet. */
typedef struct
{
  gint64 due;                   /* monotonic time from which one may be taken */
} RtspSinkAllowance;

void rtsp_sink_allowance_charge (RtspSinkAllowance * self, gint64 now,
    gint64 interval, guint n_at_once);

gboolean rtsp_sink_allowance_take (RtspSinkAllowance * self, gint64 now,
    gint64 interval, guint n_at_once);

gboolean rtsp_sink_allowance_is_whole (const RtspSinkAllowance * self,
    gint64 now, gint64 interval, guint n_at_once);
