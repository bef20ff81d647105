/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* One visit: a viewer connects, plays, stays as its plan says and leaves. */

#ifndef __VISIT_H__
#define __VISIT_H__

#include "habits.h"

G_BEGIN_DECLS

/* What it found; goes through a pipe as it is. */
typedef struct
{
  guint number;
  RtspViewerTransport transport;
  VisitEnd end;
  gboolean stalled;
  gboolean paused;
  gboolean sent_away;           /* the server closed while it did not read */
  gint64 stayed;                /* from the first unit on, µs */
  gint64 first_unit;            /* from connecting to the first unit, µs */
  gint64 away_after;            /* since it stopped reading, µs */
  gint64 catch_up;              /* from the stall's end to a new picture, µs */
  gint64 longest_gap;           /* between units, pauses and stalls apart; µs */
  guint n_units;
  guint n_missing;              /* frames left out among them, likewise */
  guint n_lost;                 /* sequence numbers left out */
  gchar fault[160];             /* what was wrong; "" = nothing */
} VisitReport;

/* Makes the visit. VISIT_KILL is left to the caller: the connection is open.
 * Transfer full: the viewer. */
RtspViewer *visit_make (const VisitPlan * plan, const gchar * url,
    VisitReport * report);

G_END_DECLS

#endif
