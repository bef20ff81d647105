/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What the elements of a pipeline tell of their viewers on the bus, in its order:
 * the messages rtspserversink-viewer-added, -removed and -refused. They stay on
 * the bus for the test, too. A message that lacks a field, or has one of another
 * type, fails the test when it is asked for.
 */

#ifndef __VIEWERLOG_H__
#define __VIEWERLOG_H__

#include "sinktest.h"

G_BEGIN_DECLS

typedef struct
{
  const gchar *kind;            /* "added", "removed" or "refused" */
  gchar *element;               /* that told it */
  guint id;                     /* 0: not told, as the following */
  gchar *peer;
  gchar *transport;
  gchar *reason;
  gchar *text;
  guint count;                  /* of "refused": how many it tells of */
  gchar *fault;                 /* what the message lacks, or NULL */
} ViewerNote;

typedef struct _ViewerLog ViewerLog;

/* Notes from now on. It takes the place of the bus's sync handler. Transfer full. */
ViewerLog *viewer_log_new (SinkTest * test);

/* Takes NULL. */
void viewer_log_free (ViewerLog * log);

/* How many have come; kind NULL: of all kinds. Any thread. */
guint viewer_log_count (ViewerLog * log, const gchar * kind);

/* How many viewers the messages of kind "refused" tell of. Any thread. */
guint viewer_log_count_refused (ViewerLog * log);

/* The n-th, from 0, of a kind; kind NULL: of all. Fails the test if it does not
 * come in time. Transfer none. */
const ViewerNote *viewer_log_wait (ViewerLog * log, const gchar * kind,
    guint n);

/* How that viewer was removed. Likewise. */
const ViewerNote *viewer_log_wait_removed (ViewerLog * log,
    const ViewerNote * added);

/* Waits until each viewer that was added is removed, and checks that each was
 * added once, then removed once, and said to be the same both times. */
void viewer_log_expect_all_removed (ViewerLog * log);

G_END_DECLS

#endif
