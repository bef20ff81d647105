/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Visitors at the same time, each a process of its own (visitor.c): what they
 * hold is not counted as the server's, and they can be killed. No threads.
 */

#ifndef __VISITORS_H__
#define __VISITORS_H__

#include "visit.h"

G_BEGIN_DECLS

typedef struct _Visitors Visitors;

/* Visits number first, first + step, ... below end, none begun after until. */
typedef struct
{
  guint first;
  guint step;
  guint end;
  gint64 until;                 /* of g_get_monotonic_time() */
} VisitorShare;

typedef struct
{
  /* A visit is over. */
  void (*note) (const VisitReport * report, gpointer user_data);
  /* Several times a second. */
  void (*tick) (gpointer user_data);
} VisitorsFuncs;

/* Nobody yet. Transfer full. */
Visitors *visitors_new (const gchar * url);
void visitors_free (Visitors * visitors);

/* Starts one more. args: the options of habits.h, transfer none. */
void visitors_add (Visitors * visitors, GPtrArray * args,
    const VisitorShare * share);

/* Until all have made their visits. Who ends with SIGKILL as planned is followed
 * by another one. Returns the number of visitors that ended otherwise than they
 * should; blocks. */
guint visitors_wait (Visitors * visitors, const VisitorsFuncs * funcs,
    gpointer user_data);

G_END_DECLS

#endif
