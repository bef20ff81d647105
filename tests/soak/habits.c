/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What visitors do; see habits.h. */

#include "habits.h"

#include <stdio.h>

#define LONGEST_TIME_MS (24 * 3600 * 1000)

typedef struct
{
  gint min, max;
} Range;

static gchar *mix;
static gint killed = 50;
static gchar *stay;
static gint stalling = 0;
static gchar *stall;
static gint receive_buffer = 0;
static gint pausing = 0;
static gchar *pause_time;
static gint seed = 0;

/* What the texts above say. */
static gint weights[N_VISIT_TRANSPORTS];
static Range stay_ms, stall_ms, pause_ms;

const GOptionEntry habits_options[] = {
  {"mix", 'm', 0, G_OPTION_ARG_STRING, &mix,
      "Viewers by TCP, UDP, HTTP tunnel in this ratio [1:1:1]", "T:U:H"},
  {"killed", 'k', 0, G_OPTION_ARG_INT, &killed, "So many of a hundred visits "
        "end without TEARDOWN: half of them close, a quarter reset their "
        "connection, a quarter are ended by SIGKILL [50]", "N"},
  {"stay", 0, 0, G_OPTION_ARG_STRING, &stay,
      "Milliseconds from the first picture on [0:200]", "MIN:MAX"},
  {"stalling", 0, 0, G_OPTION_ARG_INT, &stalling,
      "So many of a hundred visits stop reading for a while [0]", "N"},
  {"stall", 0, 0, G_OPTION_ARG_STRING, &stall,
      "for that many milliseconds [1000:20000]", "MIN:MAX"},
  {"receive-buffer", 0, 0, G_OPTION_ARG_INT, &receive_buffer,
        "with so small a receive buffer that the server feels it soon; what "
        "comes after the stall is slow then, by TCP's doing [the kernel's]",
      "BYTES"},
  {"pausing", 0, 0, G_OPTION_ARG_INT, &pausing,
      "So many of a hundred visits PAUSE and PLAY again [0]", "N"},
  {"pause", 0, 0, G_OPTION_ARG_STRING, &pause_time,
      "after that many milliseconds [300:3000]", "MIN:MAX"},
  {"seed", 's', 0, G_OPTION_ARG_INT, &seed, "of all that is random [0]", "N"},
  {NULL}
};

const gchar *
visit_transport_name (RtspViewerTransport transport)
{
  static const gchar *const names[] = { "tcp", "udp", "http" };

  return names[transport];
}

const gchar *
visit_end_name (VisitEnd end)
{
  static const gchar *const names[] = { "teardown", "close", "reset", "kill" };

  return names[end];
}

static gboolean
fail (GError ** error, const gchar * option, const gchar * value)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "--%s=%s makes no sense", option, value);
  return FALSE;
}

static gboolean
parse_range (const gchar * option, gchar ** text, const gchar * standard,
    Range * range, GError ** error)
{
  if (*text == NULL)
    *text = g_strdup (standard);
  if (sscanf (*text, "%d:%d", &range->min, &range->max) == 2
      && range->min >= 0 && range->max >= range->min
      && range->max <= LONGEST_TIME_MS)
    return TRUE;
  return fail (error, option, *text);
}

static gboolean
check_percentage (const gchar * option, gint value, GError ** error)
{
  g_autofree gchar *text = g_strdup_printf ("%d", value);

  return (value >= 0 && value <= 100) || fail (error, option, text);
}

static gboolean
parse_mix (GError ** error)
{
  if (mix == NULL)
    mix = g_strdup ("1:1:1");
  if (sscanf (mix, "%d:%d:%d", &weights[RTSP_VIEWER_TCP],
          &weights[RTSP_VIEWER_UDP], &weights[RTSP_VIEWER_HTTP]) == 3
      && MIN (MIN (weights[0], weights[1]), weights[2]) >= 0
      && weights[0] + weights[1] + weights[2] > 0)
    return TRUE;
  return fail (error, "mix", mix);
}

gboolean
habits_parse (GError ** error)
{
  return parse_mix (error)
      && parse_range ("stay", &stay, "0:200", &stay_ms, error)
      && parse_range ("stall", &stall, "1000:20000", &stall_ms, error)
      && parse_range ("pause", &pause_time, "300:3000", &pause_ms, error)
      && check_percentage ("killed", killed, error)
      && check_percentage ("stalling", stalling, error)
      && check_percentage ("pausing", pausing, error);
}

gint
habits_weight (RtspViewerTransport transport)
{
  return weights[transport];
}

gint64
habits_longest (void)
{
  return ((gint64) stay_ms.max + (stalling > 0 ? stall_ms.max : 0)
      + (pausing > 0 ? pause_ms.max : 0)) * G_TIME_SPAN_MILLISECOND;
}

static void
add_arg (GPtrArray * args, const gchar * option, const gchar * value)
{
  g_ptr_array_add (args, g_strdup_printf ("--%s=%s", option, value));
}

static void
add_number (GPtrArray * args, const gchar * option, gint value)
{
  g_ptr_array_add (args, g_strdup_printf ("--%s=%d", option, value));
}

GPtrArray *
habits_args (void)
{
  GPtrArray *args = g_ptr_array_new_with_free_func (g_free);

  add_arg (args, "mix", mix);
  add_arg (args, "stay", stay);
  add_arg (args, "stall", stall);
  add_arg (args, "pause", pause_time);
  add_number (args, "killed", killed);
  add_number (args, "stalling", stalling);
  add_number (args, "receive-buffer", receive_buffer);
  add_number (args, "pausing", pausing);
  add_number (args, "seed", seed);
  return args;
}

/* --- one visit --- */

static RtspViewerTransport
choose_transport (GRand * rand)
{
  gint chosen = g_rand_int_range (rand, 0, weights[0] + weights[1] +
      weights[2]);

  if (chosen < weights[RTSP_VIEWER_TCP])
    return RTSP_VIEWER_TCP;
  if (chosen < weights[RTSP_VIEWER_TCP] + weights[RTSP_VIEWER_UDP])
    return RTSP_VIEWER_UDP;
  return RTSP_VIEWER_HTTP;
}

static VisitEnd
choose_end (GRand * rand)
{
  static const VisitEnd ends[] = {
    VISIT_CLOSE, VISIT_CLOSE, VISIT_RESET, VISIT_KILL
  };
  gint kind = g_rand_int_range (rand, 0, G_N_ELEMENTS (ends));

  return g_rand_int_range (rand, 0, 100) < killed ? ends[kind]
      : VISIT_TEARDOWN;
}

static gint64
choose_time (GRand * rand, const Range * range)
{
  return g_rand_int_range (rand, range->min, range->max + 1)
      * G_TIME_SPAN_MILLISECOND;
}

static gint64
choose_sometimes (GRand * rand, gint percentage, const Range * range)
{
  gint64 time = choose_time (rand, range);

  return g_rand_int_range (rand, 0, 100) < percentage ? time : 0;
}

/* Always the same number of random numbers, in the same order: one habit does
 * not change what another brings. */
VisitPlan
habits_plan (guint number)
{
  GRand *rand = g_rand_new_with_seed_array ((guint32[]){
        seed, number
      }, 2);
  VisitPlan plan = {.number = number,.receive_buffer = receive_buffer };

  plan.transport = choose_transport (rand);
  plan.end = choose_end (rand);
  plan.stay = choose_time (rand, &stay_ms);
  plan.stall = choose_sometimes (rand, stalling, &stall_ms);
  plan.pause = choose_sometimes (rand, pausing, &pause_ms);
  g_rand_free (rand);
  return plan;
}
