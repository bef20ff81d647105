/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* One visit; see visit.h. */

#include "visit.h"

/* What a loaded machine may need; nothing waits it out unless it fails. */
#define VISIT_TIMEOUT (30 * G_USEC_PER_SEC)
/* What is still on its way when PAUSE is answered comes within that. */
#define UNDER_WAY (200 * 1000)
/* A picture that is not later than that is that of now. */
#define ON_TIME G_USEC_PER_SEC
/* How long that may take beside what TCP needs. */
#define CATCH_UP_TIME (5 * G_USEC_PER_SEC)
/* Keeps a session alive whose media is on UDP. */
#define REPORT_INTERVAL (5 * G_USEC_PER_SEC)
/* A hole of so many frames after a stall: the server has skipped something. */
#define SKIPPED_FRAMES 10

/* A UDP port is used again only after so many others: packets that are still on
 * their way to the viewer that had it before do not count as the next one's. Below
 * the ports that the kernel gives to others. */
#define FIRST_PORT 12000
#define N_PORTS 20000
#define PORT_ATTEMPTS 20

typedef struct
{
  const VisitPlan *plan;
  VisitReport *report;
  RtspViewer *viewer;
  gdouble unit_interval;        /* RTP ticks from frame to frame; 0 = unknown */
  guint n_before_stall;
  gint64 stall_begin;
  guint n_judged;               /* units that are in the report already */
  guint n_jumped;               /* sequence numbers that PLAY left out */
} Visit;

static RtspRecord *
get_record (Visit * visit)
{
  return rtsp_viewer_record (visit->viewer);
}

static gboolean
G_GNUC_PRINTF (2, 3)
fail (Visit * visit, const gchar * format, ...)
{
  va_list args;

  va_start (args, format);
  g_vsnprintf (visit->report->fault, sizeof visit->report->fault, format, args);
  va_end (args);
  return FALSE;
}

/* Passes the outcome of a step on; takes the error. */
static gboolean
step (Visit * visit, const gchar * what, gboolean ok, GError * error)
{
  if (!ok)
    fail (visit, "%s: %s", what, error->message);
  g_clear_error (&error);
  return ok;
}

static gboolean
set_up (Visit * visit)
{
  RtspViewer *viewer = visit->viewer;
  GError *error = NULL;
  gboolean ok;

  if (visit->plan->transport != RTSP_VIEWER_UDP) {
    ok = rtsp_viewer_setup_tcp (viewer, 0, &error);
    return step (visit, "SETUP", ok, error);
  }
  for (guint i = 0; i < PORT_ATTEMPTS; i++) {
    guint pair = (visit->plan->number + i) % (N_PORTS / 2);

    g_clear_error (&error);
    rtsp_viewer_set_client_port (viewer, FIRST_PORT + 2 * pair);
    ok = rtsp_viewer_setup_udp (viewer, &error);
    /* somebody else has it */
    if (ok || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
      break;
  }
  return step (visit, "SETUP", ok, error);
}

static void
learn_interval (Visit * visit)
{
  g_autofree gchar *text = rtsp_sdp_field (rtsp_viewer_sdp (visit->viewer),
      "a-framerate");
  gdouble rate = text != NULL ? g_ascii_strtod (text, NULL) : 0;

  if (rate > 0)
    visit->unit_interval = get_record (visit)->clock_rate / rate;
}

static gboolean
play (Visit * visit)
{
  RtspViewer *viewer = visit->viewer;
  GError *error = NULL;
  gboolean ok;

  ok = rtsp_viewer_connect (viewer, &error);
  if (!step (visit, "connecting", ok, error))
    return FALSE;
  ok = rtsp_viewer_describe (viewer, &error);
  if (!step (visit, "DESCRIBE", ok, error))
    return FALSE;
  learn_interval (visit);
  if (!set_up (visit))
    return FALSE;
  ok = rtsp_viewer_play (viewer, &error);
  return step (visit, "PLAY", ok, error);
}

/* --- units --- */

/* PLAY may say with which sequence number it goes on: what it leaves out is not
 * lost. */
static void
forgive_jump (Visit * visit, guint index)
{
  RtspUnit *unit = rtsp_record_unit (get_record (visit), index);
  guint n_packets = (guint16) (unit->last_seq - unit->first_seq + 1);
  RtspUnit *before;
  RtspRtpInfo info;

  if (index == 0 || !unit->damaged || unit->n_packets != n_packets
      || !rtsp_viewer_rtp_info (visit->viewer, &info)
      || info.seq != unit->first_seq)
    return;
  before = rtsp_record_unit (get_record (visit), index - 1);
  visit->n_jumped += (guint16) (unit->first_seq - before->last_seq - 1);
  unit->damaged = FALSE;
}

/* The unit of that index must be one that a decoder can begin with. Receives
 * until it is there. */
static gboolean
begins_clean (Visit * visit, guint index, const gchar * when)
{
  RtspRecord *record = get_record (visit);
  GError *error = NULL;
  RtspUnit *unit;
  gboolean ok = rtsp_viewer_receive_units (visit->viewer, index + 1,
      VISIT_TIMEOUT, &error);

  if (!step (visit, when, ok, error))
    return FALSE;
  forgive_jump (visit, index);
  unit = rtsp_record_unit (record, index);
  if (unit->damaged)
    return fail (visit, "%s: a packet of the first unit is missing", when);
  if (record->h264 && !rtsp_unit_is_clean_start (unit))
    return fail (visit, "%s: began with NAL units %d %d %d", when,
        unit->nals[0], unit->nals[1], unit->nals[2]);
  return TRUE;
}

/* How many frames are left out between a unit and the one before. */
static guint
count_missing (Visit * visit, guint index)
{
  RtspRecord *record = get_record (visit);
  guint32 ticks = rtsp_record_unit (record, index)->rtp_time
      - rtsp_record_unit (record, index - 1)->rtp_time;
  gint frames;

  if (visit->unit_interval == 0)
    return 0;
  frames = (gint) (ticks / visit->unit_interval + 0.5);
  return MAX (frames - 1, 0);
}

/* Puts into the report what has come since the last time. */
static void
judge_units (Visit * visit)
{
  RtspRecord *record = get_record (visit);
  VisitReport *report = visit->report;
  guint n = rtsp_record_count (record);

  for (; visit->n_judged < n; visit->n_judged++) {
    guint i = visit->n_judged;
    RtspUnit *unit = rtsp_record_unit (record, i);

    if (i == 0)
      continue;
    report->n_missing += count_missing (visit, i);
    report->longest_gap = MAX (report->longest_gap,
        unit->arrival - rtsp_record_unit (record, i - 1)->arrival);
  }
  report->n_units = n;
  report->n_lost = record->n_lost - visit->n_jumped;
}

/* Forgets what comes until now, as far as gaps are concerned: they were asked
 * for. The unit after them is not judged. */
static void
skip_units (Visit * visit)
{
  visit->n_judged = rtsp_record_count (get_record (visit)) + 1;
}

/* --- what it does while it plays --- */

static gboolean
watch (Visit * visit, gint64 duration)
{
  GError *error = NULL;
  gboolean ok = rtsp_viewer_receive_for (visit->viewer, duration, &error);

  judge_units (visit);
  return step (visit, "watching", ok, error);
}

static gboolean
pause_and_play (Visit * visit)
{
  RtspRecord *record = get_record (visit);
  GError *error = NULL;
  guint n_before;
  gboolean ok;

  if (visit->plan->pause == 0)
    return TRUE;
  visit->report->paused = TRUE;
  ok = rtsp_viewer_pause (visit->viewer, &error);
  if (!step (visit, "PAUSE", ok, error) || !watch (visit, UNDER_WAY))
    return FALSE;
  n_before = record->units->len;
  ok = rtsp_viewer_receive_for (visit->viewer, visit->plan->pause, &error);
  if (!step (visit, "pausing", ok, error))
    return FALSE;
  if (record->units->len != n_before)
    return fail (visit, "%u units came in a pause",
        record->units->len - n_before);
  ok = rtsp_viewer_play (visit->viewer, &error);
  if (!step (visit, "PLAY after PAUSE", ok, error)
      || !begins_clean (visit, n_before, "after PAUSE"))
    return FALSE;
  skip_units (visit);
  return TRUE;
}

/* After the first hole that is no loss of the network there must be a key unit. */
static gboolean
check_skip (Visit * visit, guint from)
{
  RtspRecord *record = get_record (visit);

  if (visit->plan->transport == RTSP_VIEWER_UDP || !record->h264)
    return TRUE;
  for (guint i = MAX (from, 1); i < rtsp_record_count (record); i++) {
    RtspUnit *unit = rtsp_record_unit (record, i);

    if (count_missing (visit, i) <= SKIPPED_FRAMES)
      continue;
    if (!rtsp_unit_is_clean_start (unit))
      return fail (visit, "skipped %u frames to NAL units %d %d %d",
          count_missing (visit, i), unit->nals[0], unit->nals[1],
          unit->nals[2]);
    return TRUE;
  }
  return TRUE;
}

/* How much later than the first unit the newest one is, by its RTP time. */
static gint64
get_delay (Visit * visit)
{
  RtspRecord *record = get_record (visit);
  RtspUnit *first = rtsp_record_unit (record, 0);
  RtspUnit *last = rtsp_record_unit (record, rtsp_record_count (record) - 1);

  return last->arrival - first->arrival
      - (gint64) (last->rtp_time - first->rtp_time) * G_USEC_PER_SEC
      / record->clock_rate;
}

static gboolean
is_on_time (RtspViewer * viewer, gpointer user_data)
{
  Visit *visit = user_data;

  /* one unit may have been half there before */
  return rtsp_record_count (rtsp_viewer_record (viewer)) >
      visit->n_before_stall + 1 && get_delay (visit) <= ON_TIME;
}

/* Reads what has waited until the picture is that of now. TCP tries in vain for
 * about as long again as the stall lasted, at worst: on loopback its segments may
 * be larger than the window that a reader opens, and it probes ever more rarely. */
static gboolean
catch_up (Visit * visit, GError ** error)
{
  gint64 begin = g_get_monotonic_time ();
  gboolean ok = rtsp_viewer_receive_until (visit->viewer, is_on_time, visit,
      2 * visit->plan->stall + CATCH_UP_TIME, "the picture of now", error);

  visit->report->catch_up = g_get_monotonic_time () - begin;
  skip_units (visit);
  return ok;
}

static gboolean
stall (Visit * visit)
{
  GError *error = NULL;
  gboolean ok;

  if (visit->plan->stall == 0)
    return TRUE;
  visit->report->stalled = TRUE;
  visit->n_before_stall = rtsp_record_count (get_record (visit));
  visit->stall_begin = g_get_monotonic_time ();
  if (visit->plan->receive_buffer > 0)
    rtsp_viewer_set_receive_buffer (visit->viewer, visit->plan->receive_buffer);
  g_usleep (visit->plan->stall);
  ok = catch_up (visit, &error);
  return step (visit, "after stalling", ok, error)
      && check_skip (visit, visit->n_before_stall);
}

static void
leave (Visit * visit)
{
  GError *error = NULL;
  gboolean ok;

  switch (visit->plan->end) {
    case VISIT_TEARDOWN:
      ok = rtsp_viewer_teardown (visit->viewer, &error);
      step (visit, "TEARDOWN", ok, error);
      break;
    case VISIT_CLOSE:
      rtsp_viewer_close (visit->viewer);
      break;
    case VISIT_RESET:
      rtsp_viewer_reset (visit->viewer);
      break;
    case VISIT_KILL:
      break;
  }
}

/* Closing on a viewer that has stalled is the server's right. */
static void
note_sent_away (Visit * visit)
{
  VisitReport *report = visit->report;

  report->sent_away = report->stalled && report->fault[0] != '\0'
      && rtsp_viewer_is_closed (visit->viewer);
  if (!report->sent_away)
    return;
  report->fault[0] = '\0';
  report->away_after = g_get_monotonic_time () - visit->stall_begin;
}

static void
stay_and_leave (Visit * visit)
{
  gint64 begin = g_get_monotonic_time ();
  RtspUnit *first;

  if (!play (visit) || !begins_clean (visit, 0, "at first"))
    return;
  first = rtsp_record_unit (get_record (visit), 0);
  visit->report->first_unit = first->arrival - begin;
  begin = g_get_monotonic_time ();
  if (watch (visit, visit->plan->stay / 2)
      && pause_and_play (visit) && stall (visit)
      && watch (visit, visit->plan->stay - visit->plan->stay / 2))
    leave (visit);
  visit->report->stayed = g_get_monotonic_time () - begin;
  note_sent_away (visit);
}

RtspViewer *
visit_make (const VisitPlan * plan, const gchar * url, VisitReport * report)
{
  Visit visit = {.plan = plan,.report = report,.viewer = rtsp_viewer_new (url)
  };

  *report = (VisitReport) {
  .number = plan->number,.transport = plan->transport,.end = plan->end};
  rtsp_viewer_set_timeout (visit.viewer, VISIT_TIMEOUT);
  rtsp_viewer_set_report_interval (visit.viewer, REPORT_INTERVAL);
  rtsp_viewer_set_tunneled (visit.viewer, plan->transport == RTSP_VIEWER_HTTP);
  stay_and_leave (&visit);
  return visit.viewer;
}
