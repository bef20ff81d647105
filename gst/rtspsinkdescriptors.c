/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How many file descriptors the process has left. GLib ends the process when
 * it cannot make a main context, and each connection and each media makes
 * one: no viewer may bring it there. Any thread; no state. */

#include "rtspsinkdescriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* A viewer over UDP takes 17 of them; some more may be on their way, and the
 * application needs its own. */
#define RESERVE 64

/* The lowest that is free: the kernel gives them out from below. */
static gint
lowest_free (void)
{
  gint fd = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  if (fd >= 0)
    close (fd);
  return fd;
}

/**
 * rtsp_sink_descriptors_are_scarce:
 *
 * Returns: whether too few are left for another viewer
 */
gboolean
rtsp_sink_descriptors_are_scarce (void)
{
  struct rlimit limit;
  gint fd = lowest_free ();

  if (fd < 0)
    return TRUE;
  if (getrlimit (RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return FALSE;
  return (rlim_t) fd + RESERVE > limit.rlim_cur;
}
