/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What this process holds, from /proc: descriptors, threads, memory, CPU time,
 * TCP connections left half closed. No state; any thread.
 */

#ifndef __PROCINFO_H__
#define __PROCINFO_H__

#include <glib.h>

G_BEGIN_DECLS

guint proc_count_fds (void);

/* GLib keeps threads that a pool no longer needs for some seconds; they are
 * ended first, so that only threads in use count. */
guint proc_count_threads (void);

/* Names of all threads, one per line. Transfer full. */
gchar *proc_thread_names (void);

/* What each descriptor is, one per line. Transfer full. */
gchar *proc_fd_names (void);

guint proc_rss_kb (void);

/* User and system time so far, in µs. */
gint64 proc_cpu_time (void);

/* Sockets of the whole machine on a local TCP port that wait in CLOSE-WAIT. */
guint proc_count_close_wait (guint port);

G_END_DECLS

#endif
