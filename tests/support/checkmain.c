/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Usage: check-DIRECTORY [SUITE ...]
 * Runs these suites of the program, or all. */

#include "checksuite.h"

#include "sinktest.h"

#define MAX_SUITES 100

static struct
{
  const gchar *name;
  Suite *(*make) (void);
  const gchar *file;
} suites[MAX_SUITES];

static guint n_suites;

void
check_suite_add (const gchar * name, Suite * (*make) (void), const gchar * file)
{
  g_assert (n_suites < MAX_SUITES);
  suites[n_suites].name = name;
  suites[n_suites].make = make;
  suites[n_suites].file = file;
  n_suites++;
}

/* Returns how many cases failed; without @name: of all suites. */
static gint
run (const gchar * name)
{
  gint n_failed = 0;
  gboolean found = FALSE;

  for (guint i = 0; i < n_suites; i++) {
    if (name != NULL && !g_str_equal (suites[i].name, name))
      continue;
    found = TRUE;
    n_failed += gst_check_run_suite (suites[i].make (), suites[i].name,
        suites[i].file);
  }
  if (!found)
    g_error ("no suite '%s'", name);
  return n_failed;
}

int
main (int argc, char **argv)
{
  gint n_failed = 0;

  gst_check_init (&argc, &argv);
  sink_test_init ();
  if (argc < 2)
    n_failed = run (NULL);
  for (gint i = 1; i < argc; i++)
    n_failed += run (argv[i]);
  return sink_test_finish (n_failed) > 0;
}
