/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Healthy viewers beside one that stops reading, compared with the same viewers
 * without it. Three rounds of the same length: without, with, without; the two
 * outer ones tell what is noise. Prints a table, then the rules; the last line is
 * PASS or FAIL.
 *
 *   soak-stalled [--seconds N] [--healthy N] [--stalled tcp|http] ...
 */

#include "procinfo.h"
#include "served.h"
#include "soak.h"
#include "visitors.h"

#define MAX_HEALTHY 64
#define N_ROUNDS 3
#define WITH 1                  /* the round with the one that stalls */

#define SOURCE "videotestsrc is-live=true ! " \
    "video/x-raw,format=I420,width=640,height=480,framerate=30/1"

/* What remains of the frames that come without the stalled one. */
#define MIN_FRAMES 0.99
/* A gap may be that much larger than without. */
#define MAX_GAP_GROWTH 1.5
/* Of the one that stalls: what it does not read fills its socket soon. */
#define RECEIVE_BUFFER "16384"
/* Nobody reports sooner than the round is long. */
#define HANG_TIME 90

static gint seconds = 10;
static gint n_healthy = 9;
static gint max_growth = 20;
static gint gap = 3;
static gint seed = 0;
static gchar *mix;
static gchar *stalled;
static gchar *source_line;
static gchar *sink_properties;

static const GOptionEntry options[] = {
  {"seconds", 'n', 0, G_OPTION_ARG_INT, &seconds,
      "That one viewer does not read, and each round lasts [10]", "N"},
  {"healthy", 0, 0, G_OPTION_ARG_INT, &n_healthy,
      "Viewers that read [9]", "N"},
  {"mix", 'm', 0, G_OPTION_ARG_STRING, &mix,
      "of these by TCP, UDP, HTTP tunnel, by chance [1:1:1]", "T:U:H"},
  {"stalled", 0, 0, G_OPTION_ARG_STRING, &stalled,
      "How the other one is connected [tcp]", "tcp|http"},
  {"memory", 0, 0, G_OPTION_ARG_INT, &max_growth,
        "How much memory may grow with the stalled one, once it has served the "
        "others [20]",
      "MB"},
  {"gap", 0, 0, G_OPTION_ARG_INT, &gap,
        "A gap of so many frames may always be: others use the machine too [3]",
      "FRAMES"},
  {"source", 0, 0, G_OPTION_ARG_STRING, &source_line,
      "What stands before the element [" SOURCE "]", "LINE"},
  {"sink", 0, 0, G_OPTION_ARG_STRING, &sink_properties,
      "Properties of the element, e.g. shared=true", "PROPERTIES"},
  {"seed", 's', 0, G_OPTION_ARG_INT, &seed, "of the mix [0]", "N"},
  {NULL}
};

typedef struct
{
  VisitReport healthy[MAX_HEALTHY];
  VisitReport other;            /* that stalls */
  guint n_reports;
  guint n_strange;
  gint64 begin;
  gint64 sent_away;             /* when somebody was first removed; 0 = never */
  guint resident_kb;            /* at the begin */
  guint max_resident_kb;

  /* at the element's sink pad; streaming thread, read when nobody is there */
  gint64 first_frame, last_frame, longest_gap;
  guint n_frames;
} Round;

static Served *served;
static Round rounds[N_ROUNDS];
static Round *current;          /* set while nothing streams */

/* Streaming thread. */
static GstPadProbeReturn
note_frame (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gint64 now = g_get_monotonic_time ();

  if (current->n_frames++ == 0)
    current->first_frame = now;
  else
    current->longest_gap = MAX (current->longest_gap,
        now - current->last_frame);
  current->last_frame = now;
  return GST_PAD_PROBE_OK;
}

static void
note (const VisitReport * report, gpointer user_data)
{
  current->n_reports++;
  if (report->number < (guint) n_healthy)
    current->healthy[report->number] = *report;
  else
    current->other = *report;
}

static void
note_message (GstMessage * message)
{
  if (gst_message_has_name (message, "rtspserversink-viewer-removed")
      && current->sent_away == 0 && current->n_reports == 0)
    current->sent_away = g_get_monotonic_time () - current->begin;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    soak_rule (FALSE, "no error on the bus");
}

static void
tick (gpointer user_data)
{
  GstMessage *message;

  while ((message = gst_bus_pop (served->bus)) != NULL) {
    note_message (message);
    gst_message_unref (message);
  }
  current->max_resident_kb = MAX (current->max_resident_kb, proc_rss_kb ());
}

/* The options that make a visitor stay or stall for the whole round. */
static GPtrArray *
visitor_args (const gchar * mix_arg, gint stay, gint stall)
{
  GPtrArray *args = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (args, g_strdup_printf ("--mix=%s", mix_arg));
  g_ptr_array_add (args, g_strdup_printf ("--seed=%d", seed));
  g_ptr_array_add (args, g_strdup ("--killed=0"));
  g_ptr_array_add (args, g_strdup ("--receive-buffer=" RECEIVE_BUFFER));
  g_ptr_array_add (args, g_strdup_printf ("--stay=%d:%d", stay, stay));
  g_ptr_array_add (args, g_strdup_printf ("--stall=%d:%d", stall, stall));
  g_ptr_array_add (args, g_strdup_printf ("--stalling=%d", stall > 0 ? 100
          : 0));
  return args;
}

static void
add_visitor (Visitors * visitors, guint number)
{
  VisitorShare share = { number, 1, number + 1, G_MAXINT64 };
  g_autoptr (GPtrArray) args = NULL;

  if (number < (guint) n_healthy)
    args = visitor_args (mix ? mix : "1:1:1", seconds * 1000, 0);
  else
    args = visitor_args (g_strcmp0 (stalled, "http") == 0 ? "0:0:1" : "1:0:0",
        0, seconds * 1000);
  visitors_add (visitors, args, &share);
}

static void
run_round (guint number)
{
  static const VisitorsFuncs funcs = { note, tick };
  Visitors *visitors;
  guint n = n_healthy + (number == WITH);

  served_set_state (served, GST_STATE_PAUSED);
  current = &rounds[number];
  served_play (served);
  tick (NULL);
  current->resident_kb = proc_rss_kb ();
  current->max_resident_kb = 0;
  current->begin = g_get_monotonic_time ();
  soak_alarm (seconds + HANG_TIME);
  visitors = visitors_new (served->uri);
  for (guint i = 0; i < n; i++)
    add_visitor (visitors, i);
  current->n_strange = visitors_wait (visitors, &funcs, NULL);
  visitors_free (visitors);
}

/* --- the verdict --- */

static void
print_viewer (guint i)
{
  const VisitReport *a = &rounds[0].healthy[i], *b = &rounds[1].healthy[i];
  const VisitReport *c = &rounds[2].healthy[i];

  g_print ("%2u %-5s %7u %7u %7u   %5u %5u %5u   %5u %5u %5u   "
      "%6.0f %6.0f %6.0f\n", i + 1, visit_transport_name (a->transport),
      a->n_units, b->n_units, c->n_units, a->n_missing, b->n_missing,
      c->n_missing, a->n_lost, b->n_lost, c->n_lost, a->longest_gap / 1e3,
      b->longest_gap / 1e3, c->longest_gap / 1e3);
}

static void
print_table (void)
{
  const Round *a = &rounds[0], *b = &rounds[1], *c = &rounds[2];

  g_print ("\nEach group: without, with, without the stalled viewer.\n"
      "viewer                    frames          left out       lost packets"
      "       largest gap, ms\n");
  for (gint i = 0; i < n_healthy; i++)
    print_viewer (i);
  g_print ("feeder   %7u %7u %7u %39s %6.0f %6.0f %6.0f\n", a->n_frames,
      b->n_frames, c->n_frames, "", a->longest_gap / 1e3, b->longest_gap / 1e3,
      c->longest_gap / 1e3);
  /* the first round makes what is made once */
  g_print ("memory, largest growth from the round's begin in kB: %d %d %d\n",
      (gint) (a->max_resident_kb - a->resident_kb),
      (gint) (b->max_resident_kb - b->resident_kb),
      (gint) (c->max_resident_kb - c->resident_kb));
  if (b->sent_away != 0)
    g_print ("the stalled viewer was sent away after %.1f s\n",
        b->sent_away / 1e6);
  else
    g_print ("the stalled viewer was not sent away\n");
}

static gint64
allowed_gap (gint64 one, gint64 other, gint64 interval)
{
  return MAX (gap * interval, (gint64) (MAX_GAP_GROWTH * MAX (one, other)));
}

static void
judge_viewer (guint i, gint64 interval)
{
  const VisitReport *a = &rounds[0].healthy[i], *b = &rounds[1].healthy[i];
  const VisitReport *c = &rounds[2].healthy[i];
  guint fewest = MIN (a->n_units, c->n_units);
  gint64 allowed = allowed_gap (a->longest_gap, c->longest_gap, interval);

  soak_rule (b->n_units >= MIN_FRAMES * fewest,
      "viewer %u gets its frames: %u, at least %u without", i + 1, b->n_units,
      fewest);
  soak_rule (b->n_lost <= MAX (a->n_lost, c->n_lost),
      "viewer %u loses no more packets: %u", i + 1, b->n_lost);
  soak_rule (b->longest_gap <= allowed,
      "viewer %u has no larger gap: %.0f ms, allowed %.0f", i + 1,
      b->longest_gap / 1e3, allowed / 1e3);
}

static void
judge_faults (const Round * round, guint n)
{
  for (gint i = 0; i < n_healthy; i++) {
    if (round->healthy[i].fault[0] != '\0')
      soak_rule (FALSE, "viewer %d is well: %s", i + 1,
          round->healthy[i].fault);
  }
  if (round == &rounds[WITH])
    soak_rule (round->other.stalled, "the stalled viewer had begun to play");
  soak_rule (round->n_reports == n && round->n_strange == 0,
      "%u viewers of %u came to their end", round->n_reports, n);
}

static void
judge (void)
{
  const Round *a = &rounds[0], *b = &rounds[WITH], *c = &rounds[2];
  gint64 interval = (a->last_frame - a->first_frame)
      / MAX (a->n_frames - 1, 1);
  gint64 allowed = allowed_gap (a->longest_gap, c->longest_gap, interval);
  gint growth = b->max_resident_kb - b->resident_kb;

  for (gint i = 0; i < N_ROUNDS; i++)
    judge_faults (&rounds[i], n_healthy + (i == WITH));
  for (gint i = 0; i < n_healthy; i++)
    judge_viewer (i, interval);
  soak_rule (b->longest_gap <= allowed,
      "the feeder is not held: %.0f ms, allowed %.0f", b->longest_gap / 1e3,
      allowed / 1e3);
  soak_rule (growth <= max_growth * 1024,
      "memory grows by %d kB with the stalled viewer, %d are allowed", growth,
      max_growth * 1024);
  soak_rule_criticals ();
}

static void
watch_frames (void)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (served->sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_frame, NULL, NULL);
}

int
main (int argc, char **argv)
{
  soak_init (&argc, &argv, options, "Healthy viewers beside one that stops "
      "reading, and without it. Ends with PASS or FAIL.");
  if (n_healthy < 1 || n_healthy > MAX_HEALTHY || seconds < 1)
    soak_wrong_usage ("an option is out of range");
  if (stalled != NULL && !g_str_equal (stalled, "tcp")
      && !g_str_equal (stalled, "http"))
    soak_wrong_usage ("--stalled is tcp or http");

  served = served_new (source_line ? source_line : SOURCE, sink_properties);
  current = &rounds[0];
  watch_frames ();
  for (guint i = 0; i < N_ROUNDS; i++) {
    g_print ("round %u: %s\n", i + 1, i == WITH ? "with" : "without");
    run_round (i);
  }
  print_table ();
  judge ();
  served_free (served);
  return soak_verdict ();
}
