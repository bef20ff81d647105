/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What many visits brought, and what the element said of them on the bus, in
 * numbers and rules. One thread.
 */

#ifndef __TALLY_H__
#define __TALLY_H__

#include <gst/gst.h>

#include "visit.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_visits[N_VISIT_TRANSPORTS][N_VISIT_ENDS];
  guint n_all;
  guint n_faults;
  guint n_stalled;
  guint n_paused;
  guint n_sent_away;
  VisitReport quickest;         /* to be sent away */
  VisitReport latest;           /* to catch up after a stall */
  VisitReport slowest;          /* to its first picture */
  gint64 sum_first_unit;        /* µs, of those that had one */
  guint n_first_unit;
  VisitReport largest_gap;      /* of those that did not stall */
  /* of the visits without a stall */
  guint64 n_units;
  guint64 n_missing;
  guint64 n_lost_tcp;
  guint64 n_lost_udp;

  /* messages of the element */
  guint n_added;
  GHashTable *removed;          /* reason -> number */
  guint n_removed;
  guint n_refused;
  guint n_errors;
} Tally;

Tally *tally_new (void);
void tally_free (Tally * tally);

void tally_add (Tally * tally, const VisitReport * report);

/* Takes all messages from the bus; prints errors and warnings. */
void tally_add_messages (Tally * tally, GstBus * bus);

void tally_print (const Tally * tally);

/* patience: nobody may be sent away sooner after it stopped reading (µs). */
void tally_judge (const Tally * tally, gint64 patience);

G_END_DECLS

#endif
