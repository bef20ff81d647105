/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * A visitor: a process that makes one visit after the other. Writes a VisitReport
 * to stdout after each, and what was wrong to stderr. When a visit shall end by
 * SIGKILL the process does; who started it starts another.
 */

#include "visit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static gint first = 0;
static gint step = 1;
static gint end = 1;
static gint64 until = G_MAXINT64;
static gchar **urls;

static const GOptionEntry options[] = {
  {"first", 0, 0, G_OPTION_ARG_INT, &first, "Number of the first visit", "N"},
  {"step", 0, 0, G_OPTION_ARG_INT, &step, "To the next one", "N"},
  {"end", 0, 0, G_OPTION_ARG_INT, &end, "The first that is not made", "N"},
  {"until", 0, 0, G_OPTION_ARG_INT64, &until,
      "Begins none after that, of CLOCK_MONOTONIC", "MICROSECONDS"},
  {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &urls, NULL, "URL"},
  {NULL}
};

static gboolean
parse (int *argc, char ***argv, GError ** error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_main_entries (context, habits_options, NULL);
  if (!g_option_context_parse (context, argc, argv, error)
      || !habits_parse (error))
    return FALSE;
  if (urls != NULL && step > 0)
    return TRUE;
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "needs a URL and a step above 0");
  return FALSE;
}

static void
visit (guint number)
{
  VisitPlan plan = habits_plan (number);
  VisitReport report;
  RtspViewer *viewer = visit_make (&plan, urls[0], &report);

  if (report.fault[0] != '\0')
    g_printerr ("visit %u (%s, %s): %s\n", number,
        visit_transport_name (plan.transport), visit_end_name (plan.end),
        report.fault);
  if (write (STDOUT_FILENO, &report, sizeof report) != sizeof report)
    exit (EXIT_FAILURE);
  if (plan.end == VISIT_KILL)
    kill (getpid (), SIGKILL);
  rtsp_viewer_free (viewer);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  if (!parse (&argc, &argv, &error)) {
    g_printerr ("%s: %s\n", g_get_prgname (), error->message);
    return 2;
  }
  gst_init (NULL, NULL);
  /* who is started after one that was killed begins behind its last visit */
  for (gint i = first; i < end && g_get_monotonic_time () < until; i += step)
    visit (i);
  return EXIT_SUCCESS;
}
