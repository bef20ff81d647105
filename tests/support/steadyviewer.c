/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer in a thread, until it is told to stop; see steadyviewer.h. */

#include "steadyviewer.h"

#include "viewerjob.h"

/* No test is longer. */
#define LONGEST (300 * G_USEC_PER_SEC)

/* It looks at least so often whether it shall stop. */
#define REPORT_INTERVAL (G_USEC_PER_SEC / 2)

struct _SteadyViewer
{
  ViewerJob *job;
  RtspViewerTransport transport;

  /* guards what follows, with cond; nothing is called with it held */
  GMutex lock;
  GCond cond;
  guint n_units;
  guint32 ssrc;                 /* of its reports */
  gboolean ended;
  gboolean stop;
};

/* The viewer's thread. */
static gboolean
is_told_to_stop (RtspViewer * viewer, gpointer data)
{
  SteadyViewer *steady = data;
  guint n = rtsp_record_count (rtsp_viewer_record (viewer));
  gboolean stop;

  g_mutex_lock (&steady->lock);
  if (n > steady->n_units)
    g_cond_broadcast (&steady->cond);
  steady->n_units = n;
  steady->ssrc = rtsp_viewer_ssrc (viewer);
  stop = steady->stop;
  g_mutex_unlock (&steady->lock);

  return stop;
}

static gboolean
watch (RtspViewer * viewer, gpointer data, GError ** error)
{
  SteadyViewer *steady = data;
  gboolean ok;

  rtsp_viewer_set_report_interval (viewer, REPORT_INTERVAL);
  ok = rtsp_viewer_start (viewer, steady->transport, error)
      && rtsp_viewer_receive_until (viewer, is_told_to_stop, steady, LONGEST,
      "the test's end", error);
  g_mutex_lock (&steady->lock);
  steady->ended = TRUE;
  g_cond_broadcast (&steady->cond);
  g_mutex_unlock (&steady->lock);

  return ok;
}

SteadyViewer *
steady_viewer_start (const gchar * url, RtspViewerTransport transport)
{
  SteadyViewer *steady = g_new0 (SteadyViewer, 1);

  g_mutex_init (&steady->lock);
  g_cond_init (&steady->cond);
  steady->transport = transport;
  steady->job = viewer_job_start (url, watch, steady);
  return steady;
}

guint
steady_viewer_count (SteadyViewer * steady)
{
  guint n;

  g_mutex_lock (&steady->lock);
  n = steady->n_units;
  g_mutex_unlock (&steady->lock);

  return n;
}

guint32
steady_viewer_ssrc (SteadyViewer * steady)
{
  guint32 ssrc;

  g_mutex_lock (&steady->lock);
  ssrc = steady->ssrc;
  g_mutex_unlock (&steady->lock);

  return ssrc;
}

gboolean
steady_viewer_wait (SteadyViewer * steady, guint n, gint64 timeout)
{
  gint64 deadline = g_get_monotonic_time () + timeout;
  gboolean enough;

  g_mutex_lock (&steady->lock);
  while (steady->n_units < n && !steady->ended) {
    if (!g_cond_wait_until (&steady->cond, &steady->lock, deadline))
      break;
  }
  enough = steady->n_units >= n;
  g_mutex_unlock (&steady->lock);

  return enough;
}

void
steady_viewer_tell (SteadyViewer * steady)
{
  g_mutex_lock (&steady->lock);
  steady->stop = TRUE;
  g_mutex_unlock (&steady->lock);
}

RtspViewer *
steady_viewer_stop (SteadyViewer * steady, GError ** error)
{
  RtspViewer *viewer;

  steady_viewer_tell (steady);
  viewer = viewer_job_join (steady->job, error);
  g_mutex_clear (&steady->lock);
  g_cond_clear (&steady->cond);
  g_free (steady);
  return viewer;
}
