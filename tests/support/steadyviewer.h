/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * A viewer that watches in a thread of its own, so that it reads at once whatever
 * the test does, until it is told to stop. For the test's main thread.
 *
 *   SteadyViewer *steady = steady_viewer_start (uri, RTSP_VIEWER_UDP);
 *   ... something that shall not disturb it ...
 *   viewer = steady_viewer_stop (steady, &error);
 *   ... rtsp_viewer_record (viewer) ...
 */

#ifndef __STEADYVIEWER_H__
#define __STEADYVIEWER_H__

#include "rtspviewer.h"

G_BEGIN_DECLS

typedef struct _SteadyViewer SteadyViewer;

/* Begins to watch. Transfer full. */
SteadyViewer *steady_viewer_start (const gchar * url,
    RtspViewerTransport transport);

/* How many whole units it has got by now. */
guint steady_viewer_count (SteadyViewer * steady);

/* The SSRC of its reports, of which it sends two a second; known once a unit has
 * come. */
guint32 steady_viewer_ssrc (SteadyViewer * steady);

/* Waits until it has got n whole units in all; FALSE if it gave up, or if the
 * timeout passed. */
gboolean steady_viewer_wait (SteadyViewer * steady, guint n, gint64 timeout);

/* Tells it to stop, and does not wait. */
void steady_viewer_tell (SteadyViewer * steady);

/* Ends it. Returns the viewer, still connected, with its record; or NULL and why
 * it gave up before. Transfer full. */
RtspViewer *steady_viewer_stop (SteadyViewer * steady, GError ** error);

G_END_DECLS

#endif
