/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Viewers come, play and leave in each way they can, many at once, while the
 * pipeline plays on: a number of visits, or as many as a time brings. Every visit
 * must begin with a key unit; and when nobody is there, descriptors, threads,
 * objects and memory must be what they were. The last line is PASS or FAIL.
 *
 *   soak-visits --cycles 10000 --parallel 6
 *   soak-visits --duration 3600 --parallel 20 --stay 1000:60000 --stalling 15
 *
 * tests/soak/run has the runs that are meant; --help tells the options. Without
 * any it is a short run for the suite. Viewers are processes (visitor.c).
 */

#include "habits.h"
#include "procinfo.h"
#include "served.h"
#include "sinktest.h"
#include "soak.h"
#include "tally.h"
#include "visitors.h"

#define WARM_UP_CYCLES 1000
#define N_COUNTS 4
/* Numbers of the visits before the first count, and from there on of a run by
 * time: far from each other. */
#define FIRST_VISIT 1000000
/* The visits before the first count stay for so long, in milliseconds: all are
 * there at the same time. */
#define FIRST_STAY "--stay=2000:2000"
/* Nothing from any visitor for so long, beside what it stays, is a hang. */
#define HANG_TIME (90 * G_USEC_PER_SEC)
/* Of an element that cannot be asked. */
#define DEFAULT_PATIENCE (10 * G_USEC_PER_SEC)

static gint n_cycles = 120;
static gint duration = 0;
static gint parallel = 6;
static gint memory_tolerance = 2048;
static gint progress = 60;
static gchar *source_line;
static gchar *sink_properties;

static const GOptionEntry options[] = {
  {"cycles", 'n', 0, G_OPTION_ARG_INT, &n_cycles, "Visits in all [120]", "N"},
  {"duration", 'd', 0, G_OPTION_ARG_INT, &duration,
      "Visits for so long in place of a number", "SECONDS"},
  {"parallel", 'p', 0, G_OPTION_ARG_INT, &parallel,
      "Visitors at the same time [6]", "N"},
  {"memory", 0, 0, G_OPTION_ARG_INT, &memory_tolerance,
        "How much resident memory may grow after the first 1000 visits (or a "
        "tenth, if that is less); the heap half of it [2048]",
      "KB"},
  {"source", 0, 0, G_OPTION_ARG_STRING, &source_line,
      "What stands before the element [a small live videotestsrc]", "LINE"},
  {"sink", 0, 0, G_OPTION_ARG_STRING, &sink_properties,
      "Properties of the element, e.g. shared=true", "PROPERTIES"},
  {"progress", 0, 0, G_OPTION_ARG_INT, &progress,
      "A line about that often; 0: never [60]", "SECONDS"},
  {NULL}
};

static Served *served;
static Tally *tally;
static guint n_first_visits;
static guint n_strange;         /* visitors that crashed */
static gint64 begin;            /* of all */
static gint64 next_progress;
static SoakCount *counts[N_COUNTS];     /* start, warm, middle, end */

/* How long a viewer may not read before it is sent away. */
static gint64
get_patience (void)
{
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (served->sink),
          "viewer-stall-timeout") == NULL)
    return DEFAULT_PATIENCE;
  return served_get_number (served,
      "viewer-stall-timeout") * G_TIME_SPAN_MILLISECOND;
}

/* --- visits --- */

static void
reset_alarm (void)
{
  soak_alarm ((habits_longest () + HANG_TIME) / G_USEC_PER_SEC);
}

static void
note (const VisitReport * report, gpointer user_data)
{
  reset_alarm ();
  tally_add (tally, report);
}

static void
tick (gpointer user_data)
{
  gint64 now = g_get_monotonic_time ();

  tally_add_messages (tally, served->bus);
  if (progress <= 0 || now < next_progress)
    return;
  next_progress = now + progress * G_USEC_PER_SEC;
  g_print ("%.0f s: %u visits, %u wrong; now %u viewers, %u descriptors, "
      "%u kB resident\n", (now - begin) / 1e6, tally->n_all, tally->n_faults,
      served_get_number (served, "num-viewers"), proc_count_fds (),
      proc_rss_kb ());
}

/* Visits number first to end, or those that begin until the time is over. */
static void
let_visit (guint first, guint end, gint64 until, GPtrArray * args)
{
  static const VisitorsFuncs funcs = { note, tick };
  Visitors *visitors = visitors_new (served->uri);

  reset_alarm ();
  for (gint i = 0; i < parallel; i++) {
    VisitorShare share = { first + i, parallel, end, until };

    visitors_add (visitors, args, &share);
  }
  n_strange += visitors_wait (visitors, &funcs, NULL);
  visitors_free (visitors);
  tally_add_messages (tally, served->bus);
  reset_alarm ();
}

/* What is made only once is there after it: the media that is shared, too, that
 * some viewers at once bring about, with what it has for each transport. */
static void
let_visit_first (void)
{
  static const gchar *const mixes[] = { "1:0:0", "0:1:0", "0:0:1" };
  guint first = FIRST_VISIT;

  for (gint i = 0; i < N_VISIT_TRANSPORTS; i++) {
    g_autoptr (GPtrArray) args = habits_args ();

    if (habits_weight (i) == 0)
      continue;
    g_ptr_array_add (args, g_strdup (FIRST_STAY));
    g_ptr_array_add (args, g_strdup_printf ("--mix=%s", mixes[i]));
    let_visit (first, first + parallel, G_MAXINT64, args);
    first += parallel;
  }
  n_first_visits = first - FIRST_VISIT;
}

/* --- counting, with nobody there --- */

static SoakCount *
count (const gchar * when, const SoakCount * before)
{
  guint port = served_get_number (served, "bound-port");
  SoakCount *result;
  guint n_viewers, n_waiting;

  /* objects are counted while nothing streams */
  served_set_state (served, GST_STATE_PAUSED);
  result = soak_count_new (when, before, port);
  tally_add_messages (tally, served->bus);
  soak_count_print (result);
  n_viewers = served_get_number (served, "num-viewers");
  n_waiting = proc_count_close_wait (port);
  soak_rule (n_viewers == 0 && n_waiting == 0,
      "%s: nobody is left: %u viewers, %u connections in CLOSE-WAIT", when,
      n_viewers, n_waiting);
  served_play (served);
  return result;
}

static void
run_cycles (void)
{
  const guint ends[N_COUNTS] = {
    0, MIN (WARM_UP_CYCLES, n_cycles / 10), n_cycles / 2, n_cycles
  };

  g_autoptr (GPtrArray) args = habits_args ();

  for (gint i = 1; i < N_COUNTS; i++) {
    g_autofree gchar *when = g_strdup_printf ("after %u visits", ends[i]);

    let_visit (ends[i - 1], ends[i], G_MAXINT64, args);
    counts[i] = count (when, counts[0]);
  }
  soak_rule (tally->n_all == n_first_visits + n_cycles,
      "%u visits of %u + %d were made", tally->n_all, n_first_visits, n_cycles);
}

/* Numbers go on, for the plans of visits are made of them. */
static void
run_duration (void)
{
  const gint ends[N_COUNTS] = { 0, duration / 10, duration / 2, duration };
  g_autoptr (GPtrArray) args = habits_args ();

  for (gint i = 1; i < N_COUNTS; i++) {
    g_autofree gchar *when = g_strdup_printf ("after %d s", ends[i]);

    let_visit (i * 10 * FIRST_VISIT, G_MAXINT,
        begin + ends[i] * (gint64) G_USEC_PER_SEC, args);
    counts[i] = count (when, counts[0]);
  }
  soak_rule (tally->n_all > 0, "%u visits were made", tally->n_all);
}

static void
judge (void)
{
  g_print ("\n");
  for (gint i = 0; i < N_COUNTS; i++)
    soak_count_print (counts[i]);
  tally_print (tally);
  for (gint i = 1; i < N_COUNTS; i++)
    soak_rule_back (counts[0], counts[i]);
  /* one in a hundred visits would be too much */
  soak_rule_objects (counts[1], counts[N_COUNTS - 1],
      MAX (8, tally->n_all / 100));
  soak_rule_memory (counts[1], counts[N_COUNTS - 1], memory_tolerance);
  tally_judge (tally, get_patience ());
  soak_rule (n_strange == 0, "%u viewers' processes crashed", n_strange);
  soak_rule_criticals ();
}

static void
parse_options (int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) all = g_array_new (TRUE, TRUE, sizeof (GOptionEntry));

  for (const GOptionEntry * entry = options; entry->long_name; entry++)
    g_array_append_val (all, *entry);
  for (const GOptionEntry * entry = habits_options; entry->long_name; entry++)
    g_array_append_val (all, *entry);
  soak_init (argc, argv, (GOptionEntry *) all->data,
      "Viewers come, play and leave while a pipeline plays; then all must be as "
      "before. Ends with PASS or FAIL.");
  if (!habits_parse (&error))
    soak_wrong_usage (error->message);
  if (n_cycles < 10 || parallel < 1 || parallel > n_cycles || duration < 0)
    soak_wrong_usage ("an option is out of range");
}

static void
tear_down (void)
{
  for (gint i = 0; i < N_COUNTS; i++)
    soak_count_free (counts[i]);
  tally_free (tally);
  served_free (served);
}

int
main (int argc, char **argv)
{
  parse_options (&argc, &argv);
  tally = tally_new ();
  begin = g_get_monotonic_time ();
  served = served_new (source_line ? source_line
      : "videotestsrc is-live=true ! " SMALL_VIDEO, sink_properties);
  served_play (served);
  let_visit_first ();
  counts[0] = count ("start", NULL);
  if (duration > 0)
    run_duration ();
  else
    run_cycles ();
  judge ();
  tear_down ();
  return soak_verdict ();
}
