/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What many visits brought; see tally.h. */

#include "tally.h"

#include "soak.h"

#include <string.h>

#define PREFIX "rtspserversink-viewer-"

/* Frames that a viewer that keeps up may miss: the machine may be busy. */
#define MAX_MISSING 0.01
/* UDP packets that may get lost in the kernel, likewise. */
#define MAX_LOST 0.001

Tally *
tally_new (void)
{
  Tally *tally = g_new0 (Tally, 1);

  tally->removed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
      NULL);
  return tally;
}

void
tally_free (Tally * tally)
{
  g_hash_table_unref (tally->removed);
  g_free (tally);
}

/* --- reports --- */

static void
add_start (Tally * tally, const VisitReport * report)
{
  if (report->first_unit == 0)
    return;
  tally->n_first_unit++;
  tally->sum_first_unit += report->first_unit;
  if (report->first_unit > tally->slowest.first_unit)
    tally->slowest = *report;
}

static void
add_stall (Tally * tally, const VisitReport * report)
{
  tally->n_stalled++;
  if (!report->sent_away) {
    if (report->catch_up > tally->latest.catch_up)
      tally->latest = *report;
  } else if (tally->n_sent_away++ == 0
      || report->away_after < tally->quickest.away_after) {
    tally->quickest = *report;
  }
}

static void
add_steady (Tally * tally, const VisitReport * report)
{
  tally->n_units += report->n_units;
  tally->n_missing += report->n_missing;
  if (report->transport == RTSP_VIEWER_UDP)
    tally->n_lost_udp += report->n_lost;
  else
    tally->n_lost_tcp += report->n_lost;
  if (report->longest_gap > tally->largest_gap.longest_gap)
    tally->largest_gap = *report;
}

void
tally_add (Tally * tally, const VisitReport * report)
{
  tally->n_all++;
  tally->n_visits[report->transport][report->end]++;
  tally->n_faults += report->fault[0] != '\0';
  tally->n_paused += report->paused;
  add_start (tally, report);
  if (report->stalled)
    add_stall (tally, report);
  else
    add_steady (tally, report);
}

/* --- messages --- */

static void
add_removal (Tally * tally, const GstStructure * structure)
{
  const gchar *reason = gst_structure_get_string (structure, "reason");
  gsize n;

  if (reason == NULL)
    reason = "no reason said";
  n = GPOINTER_TO_SIZE (g_hash_table_lookup (tally->removed, reason));
  g_hash_table_insert (tally->removed, g_strdup (reason),
      GSIZE_TO_POINTER (n + 1));
  tally->n_removed++;
}

static void
add_element_message (Tally * tally, GstMessage * message)
{
  const GstStructure *structure = gst_message_get_structure (message);
  const gchar *name = gst_structure_get_name (structure);

  if (g_str_equal (name, PREFIX "added"))
    tally->n_added++;
  else if (g_str_equal (name, PREFIX "removed"))
    add_removal (tally, structure);
  else if (g_str_equal (name, PREFIX "refused"))
    tally->n_refused++;
}

static void
add_problem (Tally * tally, GstMessage * message)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    tally->n_errors++;
  } else {
    gst_message_parse_warning (message, &error, NULL);
  }
  g_print ("%s on the bus: %s\n", GST_MESSAGE_TYPE_NAME (message),
      error->message);
}

void
tally_add_messages (Tally * tally, GstBus * bus)
{
  GstMessage *message;

  while ((message = gst_bus_pop (bus)) != NULL) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT)
      add_element_message (tally, message);
    else if (GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR |
            GST_MESSAGE_WARNING))
      add_problem (tally, message);
    gst_message_unref (message);
  }
}

/* --- in print --- */

static void
print_visits (const Tally * tally)
{
  g_print ("visits:    %10s %10s %10s %10s\n", visit_end_name (0),
      visit_end_name (1), visit_end_name (2), visit_end_name (3));
  for (gint t = 0; t < N_VISIT_TRANSPORTS; t++)
    g_print ("  %-8s %10u %10u %10u %10u\n", visit_transport_name (t),
        tally->n_visits[t][0], tally->n_visits[t][1], tally->n_visits[t][2],
        tally->n_visits[t][3]);
  g_print ("  %u in all, %u paused, %u stalled (%u of them were sent away)\n",
      tally->n_all, tally->n_paused, tally->n_stalled, tally->n_sent_away);
}

static void
print_messages (const Tally * tally)
{
  GHashTableIter iter;
  gpointer reason, n;

  g_print ("messages: %u viewers added, %u refused, %u removed", tally->n_added,
      tally->n_refused, tally->n_removed);
  g_hash_table_iter_init (&iter, tally->removed);
  while (g_hash_table_iter_next (&iter, &reason, &n))
    g_print (", %s %" G_GSIZE_FORMAT, (gchar *) reason, GPOINTER_TO_SIZE (n));
  g_print ("\n");
}

void
tally_print (const Tally * tally)
{
  print_visits (tally);
  g_print ("first picture: %.0f ms after connecting on average, %.0f at the "
      "most (visit %u, %s)\n", tally->n_first_unit == 0 ? 0.0
      : tally->sum_first_unit / 1e3 / tally->n_first_unit,
      tally->slowest.first_unit / 1e3, tally->slowest.number,
      visit_transport_name (tally->slowest.transport));
  g_print ("largest gap of who did not stall: %.0f ms (visit %u, %s)\n",
      tally->largest_gap.longest_gap / 1e3, tally->largest_gap.number,
      visit_transport_name (tally->largest_gap.transport));
  if (tally->n_stalled > 0)
    g_print
        ("the picture of now after a stall: after %.1f s at the most (visit "
        "%u, %s)\n", tally->latest.catch_up / 1e6, tally->latest.number,
        visit_transport_name (tally->latest.transport));
  print_messages (tally);
}

void
tally_judge (const Tally * tally, gint64 patience)
{
  soak_rule (tally->n_faults == 0,
      "%u visits did not get a key unit first, or went wrong otherwise",
      tally->n_faults);
  soak_rule (tally->n_missing <= MAX_MISSING * tally->n_units,
      "%" G_GUINT64_FORMAT " frames left out, %" G_GUINT64_FORMAT " received",
      tally->n_missing, tally->n_units);
  soak_rule (tally->n_lost_tcp == 0,
      "%" G_GUINT64_FORMAT " packets missing by TCP and HTTP",
      tally->n_lost_tcp);
  soak_rule (tally->n_lost_udp <= MAX_LOST * tally->n_units,
      "%" G_GUINT64_FORMAT " packets missing by UDP", tally->n_lost_udp);
  if (tally->n_sent_away > 0)
    soak_rule (tally->quickest.away_after >= patience,
        "nobody was sent away sooner than %.1f s after it stopped reading, "
        "%.1f are allowed (visit %u, %s)", tally->quickest.away_after / 1e6,
        patience / 1e6, tally->quickest.number,
        visit_transport_name (tally->quickest.transport));
  soak_rule (tally->n_removed == tally->n_added,
      "as many viewers removed as added: %u, %u", tally->n_removed,
      tally->n_added);
  soak_rule (tally->n_errors == 0, "%u errors on the bus", tally->n_errors);
}
