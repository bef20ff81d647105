/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Many viewers in a process of their own, so that what they hold is not counted
 * as the server's: each in a thread, half of them over UDP. They come one after
 * the other, then all play for some seconds. Prints
 *
 *   here 256                          all have come, or were refused
 *   end 250 gaps 0 lost 0 fewest 24   so many played to the end
 *
 * where "fewest" is how many access units the one got, while all were there, that
 * got the fewest.
 *
 * Usage: rtspcrowd N SECONDS URL
 */

#include "viewerjob.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* For all to come. */
#define TIMEOUT (120 * G_USEC_PER_SEC)

static GMutex lock;
static GCond cond;
/* Guarded by lock, with cond. */
static guint n_done;            /* began to play, or cannot */
static gboolean all;            /* may play for their time now */

static gint64 duration;         /* constant */

static void
begin (void)
{
  g_mutex_lock (&lock);
  n_done++;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
}

static gboolean
all_play (RtspViewer * viewer, gpointer unused)
{
  gboolean yes;

  g_mutex_lock (&lock);
  yes = all;
  g_mutex_unlock (&lock);

  return yes;
}

typedef struct
{
  RtspViewerTransport transport;
  guint n_before;               /* units before all played */
  ViewerJob *job;
} Member;

static gboolean
watch (RtspViewer * viewer, gpointer data, GError ** error)
{
  Member *member = data;
  gboolean playing = rtsp_viewer_start (viewer, member->transport, error);

  begin ();
  if (!playing || !rtsp_viewer_receive_until (viewer, all_play, NULL,
          TIMEOUT, "all to play", error))
    return FALSE;
  member->n_before = rtsp_record_count (rtsp_viewer_record (viewer));
  return rtsp_viewer_receive_for (viewer, duration, error);
}

static void
wait_done (guint n)
{
  g_mutex_lock (&lock);
  while (n_done < n)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
}

static void
let_play (void)
{
  g_mutex_lock (&lock);
  all = TRUE;
  g_mutex_unlock (&lock);
}

typedef struct
{
  guint n;
  guint gaps;
  guint lost;
  guint fewest;
} Sum;

static void
add_member (Sum * sum, Member * member)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (RtspViewer) viewer = viewer_job_join (member->job, &error);
  RtspRecord *record;

  if (viewer == NULL) {
    g_printerr ("%s\n", error->message);
    return;
  }
  record = rtsp_viewer_record (viewer);
  sum->n++;
  sum->gaps += record->n_gaps;
  sum->lost += record->n_lost;
  sum->fewest = MIN (sum->fewest,
      rtsp_record_count (record) - member->n_before);
}

/* Three descriptors for each may be more than usual. */
static void
raise_limit (void)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}

int
main (int argc, char **argv)
{
  guint n = argc == 4 ? atoi (argv[1]) : 0;
  g_autofree Member *members = NULL;
  Sum sum = {.fewest = G_MAXUINT };

  if (n == 0) {
    g_printerr ("Usage: rtspcrowd N SECONDS URL\n");
    return 2;
  }
  gst_init (NULL, NULL);
  raise_limit ();
  duration = g_ascii_strtod (argv[2], NULL) * G_USEC_PER_SEC;
  members = g_new0 (Member, n);
  for (guint i = 0; i < n; i++) {
    members[i].transport = i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
    members[i].job = viewer_job_start (argv[3], watch, &members[i]);
    wait_done (i + 1);
  }
  g_print ("here %u\n", n);
  let_play ();
  for (guint i = 0; i < n; i++)
    add_member (&sum, &members[i]);
  g_print ("end %u gaps %u lost %u fewest %u\n", sum.n, sum.gaps, sum.lost,
      sum.n > 0 ? sum.fewest : 0);
  return 0;
}
