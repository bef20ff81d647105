/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers of an element that has a hard life; see stepviewers.h. */

#include "stepviewers.h"

#define ANSWER_TIMEOUT (5 * G_USEC_PER_SEC)
#define UNITS_TIMEOUT (5 * G_USEC_PER_SEC)
#define N_UNITS 3
#define MAX_STAY_MS 150
#define RETRY_TIME (10 * 1000)

typedef struct
{
  StepViewers *viewers;
  GThread *thread;
  guint number;
} Visitor;

struct _StepViewers
{
  GstElement *sink;
  guint32 seed;
  GArray *visitors;             /* of Visitor */
  gint stop;                    /* atomic */
};

/* atomic */
static gint n_connected, n_played, n_watched;

static RtspViewer *
viewer_of (GstElement * sink, RtspViewerTransport transport)
{
  g_autofree gchar *uri = NULL;
  RtspViewer *viewer;

  g_object_get (sink, "uri", &uri, NULL);
  if (uri == NULL)
    return NULL;
  viewer = rtsp_viewer_new (uri);
  rtsp_viewer_set_timeout (viewer, ANSWER_TIMEOUT);
  rtsp_viewer_set_tunneled (viewer, transport == RTSP_VIEWER_HTTP);
  return viewer;
}

static void
stay (RtspViewer * viewer, GRand * rand)
{
  rtsp_viewer_receive_for (viewer, g_rand_int_range (rand, 0, MAX_STAY_MS)
      * G_TIME_SPAN_MILLISECOND, NULL);
}

static void
watch (RtspViewer * viewer, GRand * rand)
{
  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      /* gone before the first packet */
      break;
    case 1:
      stay (viewer, rand);
      if (rtsp_viewer_pause (viewer, NULL))
        rtsp_viewer_play (viewer, NULL);
      break;
    case 2:
      /* reads nothing meanwhile */
      g_usleep (g_rand_int_range (rand, 0, MAX_STAY_MS) * 1000);
      break;
    default:
      stay (viewer, rand);
      break;
  }
}

static void
leave (RtspViewer * viewer, GRand * rand)
{
  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      rtsp_viewer_teardown (viewer, NULL);
      break;
    case 1:
      rtsp_viewer_reset (viewer);
      break;
    case 2:
      rtsp_viewer_send_request (viewer, GST_RTSP_TEARDOWN, NULL, NULL, NULL);
      break;
    default:
      break;
  }
}

/* It may end after each request. FALSE: it did not get to play. */
static gboolean
visit (RtspViewer * viewer, RtspViewerTransport transport, GRand * rand)
{
  guint steps = g_rand_int_range (rand, 0, 16);

  if (!rtsp_viewer_connect (viewer, NULL))
    return FALSE;
  g_atomic_int_inc (&n_connected);
  if (steps == 0 || !rtsp_viewer_describe (viewer, NULL) || steps == 1
      || !rtsp_viewer_setup (viewer, transport, NULL) || steps == 2
      || !rtsp_viewer_play (viewer, NULL))
    return FALSE;
  g_atomic_int_inc (&n_played);
  watch (viewer, rand);
  leave (viewer, rand);
  return TRUE;
}

static gpointer
run (gpointer data)
{
  static const RtspViewerTransport transports[] = {
    RTSP_VIEWER_UDP, RTSP_VIEWER_TCP, RTSP_VIEWER_HTTP
  };
  Visitor *self = data;
  GRand *rand = g_rand_new_with_seed (self->viewers->seed + self->number);

  while (!g_atomic_int_get (&self->viewers->stop)) {
    RtspViewerTransport transport = transports[g_rand_int_range (rand, 0,
            G_N_ELEMENTS (transports))];
    RtspViewer *viewer = viewer_of (self->viewers->sink, transport);

    if (viewer == NULL || !visit (viewer, transport, rand))
      g_usleep (RETRY_TIME);
    rtsp_viewer_free (viewer);
  }
  g_rand_free (rand);
  return NULL;
}

StepViewers *
step_viewers_start (GstElement * sink, guint n, guint32 seed)
{
  StepViewers *self = g_new0 (StepViewers, 1);

  self->sink = gst_object_ref (sink);
  self->seed = seed;
  self->visitors = g_array_new (FALSE, TRUE, sizeof (Visitor));
  g_array_set_size (self->visitors, n);
  for (guint i = 0; i < n; i++) {
    Visitor *visitor = &g_array_index (self->visitors, Visitor, i);

    visitor->viewers = self;
    visitor->number = i;
    visitor->thread = g_thread_new ("visitor", run, visitor);
  }
  return self;
}

void
step_viewers_stop (StepViewers * self)
{
  g_atomic_int_set (&self->stop, TRUE);
  for (guint i = 0; i < self->visitors->len; i++)
    g_thread_join (g_array_index (self->visitors, Visitor, i).thread);
  g_array_unref (self->visitors);
  gst_object_unref (self->sink);
  g_free (self);
}

gboolean
step_viewers_watch (GstElement * sink, RtspViewerTransport transport,
    RtspViewerStreams streams, GError ** error)
{
  g_autoptr (RtspViewer) viewer = viewer_of (sink, transport);

  g_atomic_int_inc (&n_watched);
  if (viewer == NULL) {
    g_set_error_literal (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_NETWORK,
        "the element has no uri");
    return FALSE;
  }
  rtsp_viewer_set_streams (viewer, streams);
  return rtsp_viewer_start (viewer, transport, error)
      && rtsp_viewer_receive_streams (viewer,
      streams & RTSP_VIEWER_VIDEO ? N_UNITS : 0,
      streams & RTSP_VIEWER_AUDIO ? N_UNITS : 0, UNITS_TIMEOUT, error);
}

void
step_viewers_report (void)
{
  g_print ("viewers: %d connected, %d played, %d came to see all streams\n",
      n_connected, n_played, n_watched);
}
