/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How many file descriptors the process has left. GLib ends the process when
 * it cannot make a main context, and each connection and each media makes
 * one: no viewer may bring it there. Any thread. */

#include "base/descriptors.h"

#include <gst/gst.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

/* The application needs its own, and connections come without asking. */
#define SPARE 64

/* A viewer over UDP that shares no media takes 18, most of them only with its
 * SETUP; with a second stream 31. */
#define PER_VIEWER 20

/* The listening socket, the server's context, those of GLib's that look up a name,
 * and some that other threads take meanwhile. */
#define PER_SERVER 8

/* Viewers are refused, with an answer, before connections are. */
#define SPARE_CONNECTIONS 16

static GMutex lock;
static guint n_reserved;        /* streams of media; guarded by lock */

static gint were_short;         /* atomic: what the last look found */

/* Where there is no /proc none are known of. To look takes one, too: without it
 * all there may be are open. */
static guint64
count_open (rlim_t limit)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, &error);
  guint n = 0;

  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_MFILE)
      || g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NFILE))
    return limit;
  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  /* Without that of the directory. */
  return n > 0 ? n - 1 : 0;
}

static gboolean
are_scarce_locked (guint n_wanted)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return FALSE;
  return count_open (limit.rlim_cur) + n_wanted + SPARE > limit.rlim_cur;
}

/**
 * rtsp_sink_descriptors_check:
 * @error: says that there are too few, and the cure
 *
 * Returns: whether a server can be made at all
 */
gboolean
rtsp_sink_descriptors_check (GError ** error)
{
  gint taken[PER_SERVER];
  guint n = 0;

  while (n < PER_SERVER && (taken[n] = eventfd (0, EFD_CLOEXEC)) >= 0)
    n++;
  for (guint i = 0; i < n; i++)
    close (taken[i]);
  if (n == PER_SERVER)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "Cannot serve: the process has no file descriptors left. Raise its limit "
      "(ulimit -n), or close what is not needed");
  return FALSE;
}

/**
 * rtsp_sink_descriptors_are_scarce:
 *
 * Returns: whether none are left for another connection
 */
gboolean
rtsp_sink_descriptors_are_scarce (void)
{
  gboolean scarce;

  g_mutex_lock (&lock);
  scarce = are_scarce_locked (n_reserved * PER_VIEWER);
  g_mutex_unlock (&lock);

  return scarce;
}

/**
 * rtsp_sink_descriptors_are_short:
 *
 * Returns: whether none are left for another viewer, even of a shared media
 */
gboolean
rtsp_sink_descriptors_are_short (void)
{
  gboolean are_short;

  g_mutex_lock (&lock);
  are_short = are_scarce_locked (n_reserved * PER_VIEWER + SPARE_CONNECTIONS);
  g_atomic_int_set (&were_short, are_short);
  g_mutex_unlock (&lock);

  return are_short;
}

/**
 * rtsp_sink_descriptors_were_short:
 *
 * For threads that cannot spend the time of a look, nor wait for that of another.
 *
 * Returns: what rtsp_sink_descriptors_are_short() said last
 */
gboolean
rtsp_sink_descriptors_were_short (void)
{
  return g_atomic_int_get (&were_short);
}

/**
 * rtsp_sink_descriptors_are_tight:
 *
 * Returns: whether they would not do for another media
 */
gboolean
rtsp_sink_descriptors_are_tight (void)
{
  gboolean tight;

  g_mutex_lock (&lock);
  tight = are_scarce_locked ((n_reserved + 1) * PER_VIEWER + SPARE_CONNECTIONS);
  g_mutex_unlock (&lock);

  return tight;
}

/**
 * rtsp_sink_descriptors_reserve:
 * @n: for how many streams
 *
 * Returns: FALSE if too few are left for another viewer; TRUE if there are
 *   enough until rtsp_sink_descriptors_release()
 */
gboolean
rtsp_sink_descriptors_reserve (guint n)
{
  gboolean enough;

  g_mutex_lock (&lock);
  enough = !are_scarce_locked ((n_reserved + n) *
      PER_VIEWER + SPARE_CONNECTIONS);
  if (enough)
    n_reserved += n;
  g_mutex_unlock (&lock);

  return enough;
}

/**
 * rtsp_sink_descriptors_release:
 * @n: for how many streams they were reserved
 *
 * The viewer has taken its descriptors, or will not.
 */
void
rtsp_sink_descriptors_release (guint n)
{
  g_mutex_lock (&lock);
  n_reserved -= n;
  g_mutex_unlock (&lock);
}
