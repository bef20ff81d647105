/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The tests' viewer as a program, for tests in Python. Prints one line per event
 * and per access unit, fields separated by blanks:
 *
 *   status describe 200
 *   sdp encoding-name=H264 profile-level-id=42c01e sprop=1 framerate=25.000000
 *   line a=fmtp:96 ...                 (the SDP's lines, with --describe)
 *   transport destination=239.192.0.1 port=5000-5001 ttl=1    (with --multicast)
 *   rtpinfo seq=123 rtptime=456
 *   au time=1234.567890 rtp=456 seq=123-130 packets=8 bytes=9000 nals=7,8,5 key=1
 *   sr time=... ntp=16045690984835251200 rtp=...
 *   bye | eof
 *   end units=25 packets=200 gaps=0 lost=0 malformed=0
 *
 * time is CLOCK_MONOTONIC in seconds. Exit status: 0 = all that was asked for came,
 * 1 = it did not (the reason stands on stderr), 2 = wrong usage.
 */

#include "rtspviewer.h"

#include <stdio.h>
#include <stdlib.h>

static gboolean opt_udp;
static gboolean opt_http;
static gboolean opt_multicast;
static gint opt_frames;
static gdouble opt_seconds;
static gdouble opt_timeout = 10;
static gint opt_channel;
static gchar *opt_pause;
static gboolean opt_describe;
static gboolean opt_teardown;
static gdouble opt_reports;

static const GOptionEntry options[] = {
  {"udp", 'u', 0, G_OPTION_ARG_NONE, &opt_udp, "UDP in place of TCP", NULL},
  {"http", 0, 0, G_OPTION_ARG_NONE, &opt_http, "TCP in an HTTP tunnel", NULL},
  {"multicast", 'm', 0, G_OPTION_ARG_NONE, &opt_multicast,
      "Multicast in place of TCP", NULL},
  {"frames", 'n', 0, G_OPTION_ARG_INT, &opt_frames,
      "End after N access units", "N"},
  {"seconds", 's', 0, G_OPTION_ARG_DOUBLE, &opt_seconds,
      "End after S seconds", "S"},
  {"timeout", 't', 0, G_OPTION_ARG_DOUBLE, &opt_timeout,
      "Fail if an answer or the next unit takes longer", "S"},
  {"channel", 'c', 0, G_OPTION_ARG_INT, &opt_channel,
      "First interleaved channel, -1 = server's choice", "N"},
  {"pause", 'p', 0, G_OPTION_ARG_STRING, &opt_pause,
      "PAUSE after A seconds, PLAY again after B more", "A:B"},
  {"describe", 'd', 0, G_OPTION_ARG_NONE, &opt_describe,
      "Only DESCRIBE, printing the SDP", NULL},
  {"teardown", 0, 0, G_OPTION_ARG_NONE, &opt_teardown,
      "TEARDOWN at the end, not just close", NULL},
  {"reports", 'r', 0, G_OPTION_ARG_DOUBLE, &opt_reports,
      "Receiver report every S seconds", "S"},
  {NULL},
};

typedef struct
{
  RtspViewer *viewer;
  guint n_units;                /* printed so far */
  guint n_reports;
  gboolean bye;
} View;

static void
print_unit (const RtspUnit * unit)
{
  guint i;

  g_print ("au time=%.6f rtp=%u seq=%u-%u packets=%u bytes=%" G_GSIZE_FORMAT
      " nals=", unit->arrival / 1e6, unit->rtp_time, unit->first_seq,
      unit->last_seq, unit->n_packets, unit->n_bytes);
  for (i = 0; i < MIN (unit->n_nals, RTSP_UNIT_MAX_NALS); i++)
    g_print ("%s%u", i > 0 ? "," : "", unit->nals[i]);
  g_print (" key=%d%s\n", unit->key, unit->damaged ? " damaged=1" : "");
}

static void
print_report (const RtspSenderReport * report)
{
  g_print ("sr time=%.6f ntp=%" G_GUINT64_FORMAT " rtp=%u packets=%u\n",
      report->arrival / 1e6, report->ntp_time, report->rtp_time,
      report->n_packets);
}

static void
print_news (View * view)
{
  RtspRecord *record = rtsp_viewer_record (view->viewer);

  for (; view->n_units < rtsp_record_count (record); view->n_units++)
    print_unit (rtsp_record_unit (record, view->n_units));
  for (; view->n_reports < record->reports->len; view->n_reports++)
    print_report (&g_array_index (record->reports, RtspSenderReport,
            view->n_reports));
  if (record->bye != 0 && !view->bye) {
    view->bye = TRUE;
    g_print ("bye\n");
  }
}

static void
print_sdp (View * view)
{
  const GstSDPMessage *sdp = rtsp_viewer_sdp (view->viewer);
  g_autofree gchar *codec = rtsp_sdp_field (sdp, "encoding-name");
  g_autofree gchar *profile = rtsp_sdp_field (sdp, "profile-level-id");
  g_autofree gchar *rate = rtsp_sdp_field (sdp, "a-framerate");

  g_print ("sdp encoding-name=%s profile-level-id=%s sprop=%d framerate=%s\n",
      codec ? codec : "", profile ? profile : "",
      rtsp_sdp_has_parameter_sets (sdp), rate ? rate : "");
}

static void
print_lines (const gchar * text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\r\n", -1);
  guint i;

  for (i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    g_print ("line %s\n", lines[i]);
}

/* Prints the status of a request that has been answered. */
static gboolean
told (View * view, const gchar * method, gboolean ok)
{
  if (rtsp_viewer_status (view->viewer) != 0)
    g_print ("status %s %u\n", method, rtsp_viewer_status (view->viewer));
  return ok;
}

static gboolean
setup_multicast (View * view, GError ** error)
{
  const GstRTSPTransport *transport;

  if (!rtsp_viewer_setup_multicast (view->viewer, error))
    return FALSE;
  transport = rtsp_viewer_transport (view->viewer);
  g_print ("transport destination=%s port=%d-%d ttl=%u\n",
      transport->destination, transport->port.min, transport->port.max,
      transport->ttl);
  return TRUE;
}

static gboolean
setup (View * view, GError ** error)
{
  if (opt_multicast)
    return setup_multicast (view, error);
  if (opt_udp)
    return rtsp_viewer_setup_udp (view->viewer, error);
  return rtsp_viewer_setup_tcp (view->viewer, opt_channel, error);
}

static gboolean
play (View * view, GError ** error)
{
  RtspRtpInfo info;

  if (!told (view, "play", rtsp_viewer_play (view->viewer, error)))
    return FALSE;
  if (rtsp_viewer_rtp_info (view->viewer, &info))
    g_print ("rtpinfo seq=%u rtptime=%u\n", info.seq, info.rtptime);
  return TRUE;
}

static gboolean
open_stream (View * view, GError ** error)
{
  if (!rtsp_viewer_connect (view->viewer, error)
      || !told (view, "describe", rtsp_viewer_describe (view->viewer, error)))
    return FALSE;
  print_sdp (view);
  if (opt_describe) {
    g_autofree gchar *text =
        gst_sdp_message_as_text (rtsp_viewer_sdp (view->viewer));
    print_lines (text);
    return TRUE;
  }
  return told (view, "setup", setup (view, error)) && play (view, error);
}

static gboolean
has_news (RtspViewer * viewer, gpointer data)
{
  View *view = data;
  RtspRecord *record = rtsp_viewer_record (viewer);

  return view->n_units < rtsp_record_count (record)
      || view->n_reports < record->reports->len
      || (record->bye != 0 && !view->bye);
}

static gboolean
enough (View * view)
{
  return opt_frames > 0 && view->n_units >= (guint) opt_frames;
}

/* Receives and prints for a time; time < 0 = until enough, with a deadline for
 * each unit. */
static gboolean
watch (View * view, gdouble seconds, GError ** error)
{
  gint64 end = g_get_monotonic_time () + (gint64) (seconds * G_USEC_PER_SEC);
  gint64 left;
  GError *ended = NULL;

  while (!enough (view)) {
    left = seconds < 0 ? (gint64) (opt_timeout * G_USEC_PER_SEC)
        : end - g_get_monotonic_time ();
    if (left <= 0)
      return TRUE;
    rtsp_viewer_receive_until (view->viewer, has_news, view, left, "a unit",
        &ended);
    print_news (view);
    if (ended != NULL && seconds >= 0 && g_error_matches (ended,
            RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_TIMEOUT)) {
      g_error_free (ended);
      return TRUE;
    }
    if (ended != NULL) {
      g_propagate_error (error, ended);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
pause_and_play (View * view, GError ** error)
{
  gdouble before, during;

  if (opt_pause == NULL)
    return TRUE;
  if (sscanf (opt_pause, "%lf:%lf", &before, &during) != 2) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
        "--pause=%s is not A:B", opt_pause);
    return FALSE;
  }
  return watch (view, before, error)
      && told (view, "pause", rtsp_viewer_pause (view->viewer, error))
      && watch (view, during, error) && play (view, error);
}

static gboolean
run (View * view, GError ** error)
{
  gdouble seconds = opt_seconds > 0 ? opt_seconds : -1;

  if (!open_stream (view, error))
    return FALSE;
  if (opt_describe)
    return TRUE;
  if (!pause_and_play (view, error) || !watch (view, seconds, error))
    return FALSE;
  if (opt_teardown)
    return told (view, "teardown", rtsp_viewer_teardown (view->viewer, error));
  return TRUE;
}

/* Being left by the server is a way to end, if no number of frames was asked
 * for. */
static gint
finish (View * view, gboolean ok, GError * error)
{
  RtspRecord *record = rtsp_viewer_record (view->viewer);
  gboolean left = g_error_matches (error, RTSP_VIEWER_ERROR,
      RTSP_VIEWER_ERROR_CLOSED);

  print_news (view);
  if (left)
    g_print ("eof\n");
  g_print ("end units=%u packets=%u gaps=%u lost=%u malformed=%u\n",
      rtsp_record_count (record), record->n_packets, record->n_gaps,
      record->n_lost, record->n_malformed);
  if (ok || (left && opt_frames == 0))
    return EXIT_SUCCESS;
  g_printerr ("rtspview: %s\n", error->message);
  return EXIT_FAILURE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("URL");
  g_autoptr (GError) error = NULL;
  View view = { NULL, };
  gint status;
  gboolean ok;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc != 2) {
    g_printerr ("rtspview: %s\n", error ? error->message : "needs one URL");
    return 2;
  }
  setvbuf (stdout, NULL, _IOLBF, 0);
  view.viewer = rtsp_viewer_new (argv[1]);
  rtsp_viewer_set_tunneled (view.viewer, opt_http);
  rtsp_viewer_set_timeout (view.viewer, opt_timeout * G_USEC_PER_SEC);
  rtsp_viewer_set_report_interval (view.viewer, opt_reports * G_USEC_PER_SEC);
  ok = run (&view, &error);
  status = finish (&view, ok, error);
  rtsp_viewer_free (view.viewer);
  return status;
}
