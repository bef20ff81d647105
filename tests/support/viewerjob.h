/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Viewers that run at the same time, each in a thread of its own, which ends by
 * the deadlines of the viewer's waits.
 */

#ifndef __VIEWERJOB_H__
#define __VIEWERJOB_H__

#include "rtspviewer.h"

G_BEGIN_DECLS

typedef struct _ViewerJob ViewerJob;

/* What the viewer does; runs in the job's thread. Must not use GstCheck's
 * assertions: it returns FALSE and an error. */
typedef gboolean (*ViewerJobFunc) (RtspViewer * viewer, gpointer data,
    GError ** error);

/* Starts a viewer with the URL that is not yet connected. */
ViewerJob *viewer_job_start (const gchar * url, ViewerJobFunc func,
    gpointer data);

/* Waits for the end, frees the job. Returns the viewer with its record, or NULL
 * and the error. Transfer full. */
RtspViewer *viewer_job_join (ViewerJob * job, GError ** error);

/* Jobs to use: play over TCP or UDP until GPOINTER_TO_UINT (data) whole units
 * have come. */
gboolean viewer_job_play_tcp (RtspViewer * viewer, gpointer data,
    GError ** error);
gboolean viewer_job_play_udp (RtspViewer * viewer, gpointer data,
    GError ** error);

G_END_DECLS

#endif
