/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What the long runs share; see soak.h. */

#include "soak.h"

#include "procinfo.h"
#include "sinktest.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SETTLE_TIME (20 * G_USEC_PER_SEC)
#define SETTLE_STEP (50 * 1000)
/* So many equal counts in a row: nothing changes any more. */
#define SETTLED 10

static gint n_criticals;        /* atomic */
static guint n_broken;

static gint arenas = 1;

static const GOptionEntry common_options[] = {
  {"arenas", 0, 0, G_OPTION_ARG_INT, &arenas,
        "of glibc's malloc(), as with MALLOC_ARENA_MAX; 0: as many as it likes. "
        "With one, memory that grows is a leak and no fragmentation [1]",
      "N"},
  {NULL}
};

/* Any thread. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField * fields, gsize n_fields,
    gpointer user_data)
{
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
    g_atomic_int_inc (&n_criticals);
  return g_log_writer_default (level, fields, n_fields, user_data);
}

static void
on_hang (int signal)
{
  static const gchar text[] = "WRONG: hang\nFAIL\n";

  if (write (STDOUT_FILENO, text, sizeof text - 1) > 0)
    abort ();
}

void
soak_wrong_usage (const gchar * what)
{
  g_printerr ("%s: %s\n", g_get_prgname (), what);
  exit (2);
}

void
soak_init (int *argc, char ***argv, const GOptionEntry * options,
    const gchar * what)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_set_summary (context, what);
  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_main_entries (context, common_options, NULL);
  if (!g_option_context_parse (context, argc, argv, &error))
    soak_wrong_usage (error->message);
  if (*argc > 1)
    soak_wrong_usage ("takes options only; --help lists them");

  if (arenas > 0)
    mallopt (M_ARENA_MAX, arenas);
  setvbuf (stdout, NULL, _IOLBF, 0);
  live_objects_enable ();
  gst_init (NULL, NULL);
  g_log_set_writer_func (write_log, NULL, NULL);
  sink_test_init ();
  live_objects_start ();
  signal (SIGALRM, on_hang);
}

void
soak_alarm (guint seconds)
{
  alarm (seconds);
}

/* --- counting --- */

static gboolean
is_more (const SoakCount * count, const SoakCount * before)
{
  return before != NULL && (count->fds > before->fds
      || count->threads > before->threads);
}

/* Some things go a little later, on threads of their own. */
static void
settle (SoakCount * count, const SoakCount * before, guint port)
{
  gint64 deadline = g_get_monotonic_time () + SETTLE_TIME;
  guint unchanged = 0;

  while (g_get_monotonic_time () < deadline && (unchanged < SETTLED
          || is_more (count, before) || proc_count_close_wait (port) > 0)) {
    guint fds = proc_count_fds (), threads = proc_count_threads ();

    unchanged = fds == count->fds && threads == count->threads ?
        unchanged + 1 : 0;
    count->fds = fds;
    count->threads = threads;
    g_usleep (SETTLE_STEP);
  }
}

SoakCount *
soak_count_new (const gchar * when, const SoakCount * before, guint port)
{
  SoakCount *count = g_new0 (SoakCount, 1);
  struct mallinfo2 heap;

  count->when = g_strdup (when);
  settle (count, before, port);
  /* last, for the threads that free objects have ended now */
  count->objects = live_objects_new ();
  count->resident_kb = proc_rss_kb ();
  heap = mallinfo2 ();
  count->heap_kb = (heap.uordblks + heap.hblkhd) / 1024;
  return count;
}

void
soak_count_free (SoakCount * count)
{
  if (count == NULL)
    return;
  live_objects_free (count->objects);
  g_free (count->when);
  g_free (count);
}

void
soak_count_print (const SoakCount * count)
{
  g_print ("%s: %u descriptors, %u threads, %u objects, %u kB resident, "
      "%u kB of heap\n", count->when, count->fds, count->threads,
      live_objects_total (count->objects), count->resident_kb, count->heap_kb);
}

/* --- the verdict --- */

void
soak_rule (gboolean kept, const gchar * format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_print ("%s%s\n", kept ? "  ok: " : "WRONG: ", text);
  if (!kept)
    n_broken++;
}

void
soak_rule_back (const SoakCount * first, const SoakCount * last)
{
  gboolean fds_back = last->fds <= first->fds;
  gboolean threads_back = last->threads <= first->threads;

  soak_rule (fds_back, "%s: descriptors are back: %u, %s %u", last->when,
      last->fds, first->when, first->fds);
  soak_rule (threads_back, "%s: threads are back: %u, %s %u", last->when,
      last->threads, first->when, first->threads);
  if (!fds_back) {
    g_autofree gchar *names = proc_fd_names ();

    g_print ("descriptors now:\n%s", names);
  }
  if (!threads_back) {
    g_autofree gchar *names = proc_thread_names ();

    g_print ("threads now:\n%s", names);
  }
}

void
soak_rule_objects (const SoakCount * first, const SoakCount * last,
    guint tolerance)
{
  g_autofree gchar *growth = live_objects_growth_over (last->objects,
      first->objects, tolerance);

  soak_rule (growth[0] == '\0',
      "%s: no type of objects has over %u more than %s", last->when, tolerance,
      first->when);
  g_print ("%s", growth);
}

static void
rule_growth (const gchar * what, guint first, guint last, guint tolerance)
{
  gint growth = (gint) last - (gint) first;

  soak_rule (growth <= (gint) tolerance,
      "%s has grown by %d kB, %u are allowed", what, growth, tolerance);
}

void
soak_rule_memory (const SoakCount * first, const SoakCount * last,
    guint tolerance_kb)
{
  g_print ("from %s to %s:\n", first->when, last->when);
  rule_growth ("resident memory", first->resident_kb, last->resident_kb,
      tolerance_kb);
  /* which does not fragment */
  rule_growth ("the heap", first->heap_kb, last->heap_kb, tolerance_kb / 2);
}

void
soak_rule_criticals (void)
{
  gint n = g_atomic_int_get (&n_criticals);

  soak_rule (n == 0, "%d CRITICAL", n);
}

gint
soak_verdict (void)
{
  g_print (n_broken == 0 ? "PASS\n" : "FAIL: %u rules are broken\n", n_broken);
  return n_broken == 0 ? 0 : 1;
}
