/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Viewers that come, play, pause, tear down and vanish at random, whatever
 * happens to the element; and one that must get what flows.
 */

#ifndef __STEPVIEWERS_H__
#define __STEPVIEWERS_H__

#include "rtspviewer.h"

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _StepViewers StepViewers;

/* So many at a time. Transfer full. */
StepViewers *step_viewers_start (GstElement * sink, guint n, guint32 seed);

/* Until all have left. */
void step_viewers_stop (StepViewers * self);

/* Comes until it got some units of each of the streams; FALSE and why, if it did
 * not get in or waited in vain. */
gboolean step_viewers_watch (GstElement * sink, RtspViewerTransport transport,
    RtspViewerStreams streams, GError ** error);

/* In all, since the program began. */
void step_viewers_report (void);

G_END_DECLS

#endif
