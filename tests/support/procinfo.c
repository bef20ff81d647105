/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What this process holds; see procinfo.h. */

#include "procinfo.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* include/net/tcp_states.h of the kernel */
#define TCP_CLOSE_WAIT 8

static guint
count_entries (const gchar * path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  if (dir == NULL)
    return 0;
  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

guint
proc_count_fds (void)
{
  /* not the one that reads the directory */
  return count_entries ("/proc/self/fd") - 1;
}

guint
proc_count_threads (void)
{
  g_thread_pool_stop_unused_threads ();
  return count_entries ("/proc/self/task");
}

/* One line per entry of a directory, as told by the function. */
static gchar *
list_entries (const gchar * path, gchar * (*describe) (const gchar * entry))
{
  GDir *dir = g_dir_open (path, 0, NULL);
  GString *list = g_string_new (NULL);
  const gchar *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree gchar *entry = g_build_filename (path, name, NULL);
    g_autofree gchar *text = describe (entry);

    if (text != NULL)
      g_string_append_printf (list, "%s %s\n", name, g_strstrip (text));
  }
  g_clear_pointer (&dir, g_dir_close);
  return g_string_free (list, FALSE);
}

static gchar *
describe_thread (const gchar * entry)
{
  g_autofree gchar *comm = g_build_filename (entry, "comm", NULL);
  gchar *name = NULL;

  g_file_get_contents (comm, &name, NULL, NULL);
  return name;
}

gchar *
proc_thread_names (void)
{
  return list_entries ("/proc/self/task", describe_thread);
}

static gchar *
describe_fd (const gchar * entry)
{
  return g_file_read_link (entry, NULL);
}

gchar *
proc_fd_names (void)
{
  return list_entries ("/proc/self/fd", describe_fd);
}

guint
proc_rss_kb (void)
{
  g_autofree gchar *text = NULL;
  gulong size, resident;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)
      || sscanf (text, "%lu %lu", &size, &resident) != 2)
    return 0;
  return resident * (sysconf (_SC_PAGESIZE) / 1024);
}

static gint64
microseconds (const struct timeval *time)
{
  return time->tv_sec * G_USEC_PER_SEC + time->tv_usec;
}

gint64
proc_cpu_time (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return microseconds (&usage.ru_utime) + microseconds (&usage.ru_stime);
}

static guint
count_state (const gchar * path, guint port, guint state)
{
  g_autofree gchar *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint i, n = 0, local_port, line_state;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return 0;
  lines = g_strsplit (text, "\n", -1);
  for (i = 0; lines[i] != NULL; i++)
    if (sscanf (lines[i], " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x", &local_port,
            &line_state) == 2)
      n += local_port == port && line_state == state;
  return n;
}

guint
proc_count_close_wait (guint port)
{
  return count_state ("/proc/net/tcp", port, TCP_CLOSE_WAIT)
      + count_state ("/proc/net/tcp6", port, TCP_CLOSE_WAIT);
}
