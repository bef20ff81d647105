/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers in threads; see viewerjob.h. */

#include "viewerjob.h"

#define UNITS_TIMEOUT (60 * G_USEC_PER_SEC)

struct _ViewerJob
{
  GThread *thread;

  /* the job's thread only, until it is joined */
  RtspViewer *viewer;
  ViewerJobFunc func;
  gpointer data;
  GError *error;
};

static gpointer
run (gpointer data)
{
  ViewerJob *job = data;

  if (!job->func (job->viewer, job->data, &job->error))
    g_clear_pointer (&job->viewer, rtsp_viewer_free);
  return NULL;
}

ViewerJob *
viewer_job_start (const gchar * url, ViewerJobFunc func, gpointer data)
{
  ViewerJob *job = g_new0 (ViewerJob, 1);

  job->viewer = rtsp_viewer_new (url);
  job->func = func;
  job->data = data;
  job->thread = g_thread_new ("test-viewer", run, job);
  return job;
}

RtspViewer *
viewer_job_join (ViewerJob * job, GError ** error)
{
  RtspViewer *viewer;

  g_thread_join (job->thread);
  viewer = job->viewer;
  if (job->error != NULL)
    g_propagate_error (error, job->error);
  g_free (job);
  return viewer;
}

static gboolean
play (RtspViewer * viewer, RtspViewerTransport transport, guint n_units,
    GError ** error)
{
  return rtsp_viewer_start (viewer, transport, error)
      && rtsp_viewer_receive_units (viewer, n_units, UNITS_TIMEOUT, error);
}

gboolean
viewer_job_play_tcp (RtspViewer * viewer, gpointer data, GError ** error)
{
  return play (viewer, RTSP_VIEWER_TCP, GPOINTER_TO_UINT (data), error);
}

gboolean
viewer_job_play_udp (RtspViewer * viewer, gpointer data, GError ** error)
{
  return play (viewer, RTSP_VIEWER_UDP, GPOINTER_TO_UINT (data), error);
}
