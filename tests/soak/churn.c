/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Viewers connect, DESCRIBE, SETUP, PLAY, PAUSE, TEARDOWN, close and vanish at
 * random, while the pipeline goes to PLAYING and back to NULL at random. Then
 * everything must be as before: descriptors, threads, objects; no state change
 * may have taken longer than a second, no error may be on the bus.
 *
 *   soak-churn [--cycles N] [--seed N] [--viewers N] [--pipelines 1|2]
 *
 * Without arguments it is a short run for the suite. It says what it found, and
 * ends with 1 if something is wrong; a hang ends it at once.
 */

#include "procinfo.h"
#include "rtspviewer.h"
#include "sinktest.h"
#include "soak.h"

#define WARM_UP_CYCLES 4
#define MAX_VIEWERS 32
#define MAX_PIPELINES 2
#define MAX_CYCLE_TIME_MS 500
#define STOP_LIMIT G_USEC_PER_SEC
#define VIEWER_TIMEOUT (5 * G_USEC_PER_SEC)
/* A cycle, or a viewer's end, that takes so long is a hang; in seconds. */
#define HANG_TIME 60

static gint n_cycles = 25;
static gint seed = 0;
static gint n_viewers = 4;
static gint n_pipelines = 1;

static const GOptionEntry options[] = {
  {"cycles", 'n', 0, G_OPTION_ARG_INT, &n_cycles, "PLAYING and NULL", "N"},
  {"seed", 's', 0, G_OPTION_ARG_INT, &seed, "of all that is random", "N"},
  {"viewers", 'v', 0, G_OPTION_ARG_INT, &n_viewers, "at once", "N"},
  {"pipelines", 'p', 0, G_OPTION_ARG_INT, &n_pipelines, "on one port", "1|2"},
  {NULL}
};

/* What viewers did, in all; atomic. */
static gint n_connected, n_described, n_played, n_units, n_refused, n_dirty;

static guint port;
static gint viewers_stop;       /* atomic */

/* --- viewers --- */

static const gchar *const mounts[MAX_PIPELINES] = { "/one", "/other" };

/* The first unit must be one that a decoder can begin with. Not asked of UDP: a
 * port may still get packets that were on their way to a viewer before. */
static void
check_start (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  RtspUnit *unit = rtsp_record_unit (record, 0);

  if (!record->h264 || rtsp_unit_is_clean_start (unit))
    return;
  g_atomic_int_inc (&n_dirty);
  g_print ("a viewer began with NAL units %d %d %d, at %u of %u\n",
      unit->nals[0], unit->nals[1], unit->nals[2], unit->first_seq,
      record->n_packets);
}

static void
count_units (RtspViewer * viewer, RtspViewerTransport transport)
{
  guint n = rtsp_record_count (rtsp_viewer_record (viewer));

  g_atomic_int_add (&n_units, n);
  if (n > 0 && transport == RTSP_VIEWER_TCP)
    check_start (viewer);
}

static void
wait_a_little (GRand * rand, RtspViewer * viewer, gint max_ms)
{
  rtsp_viewer_receive_for (viewer, g_rand_int_range (rand, 0, max_ms + 1)
      * G_TIME_SPAN_MILLISECOND, NULL);
}

/* What a viewer does while it plays. FALSE: the connection is gone. */
static gboolean
watch (GRand * rand, RtspViewer * viewer)
{
  switch (g_rand_int_range (rand, 0, 6)) {
    case 0:
      /* gone before the first packet */
      return TRUE;
    case 1:
      wait_a_little (rand, viewer, 20);
      return TRUE;
    case 2:
      return rtsp_viewer_pause (viewer, NULL)
          && rtsp_viewer_play (viewer, NULL);
    case 3:
      return rtsp_viewer_options (viewer, NULL)
          && rtsp_viewer_receive_units (viewer, 5, VIEWER_TIMEOUT, NULL);
    default:
      wait_a_little (rand, viewer, 400);
      return TRUE;
  }
}

static void
leave (GRand * rand, RtspViewer * viewer)
{
  switch (g_rand_int_range (rand, 0, 4)) {
    case 0:
      rtsp_viewer_teardown (viewer, NULL);
      break;
    case 1:
      rtsp_viewer_reset (viewer);
      break;
    case 2:
      /* asks, and does not wait for the answer */
      rtsp_viewer_send_request (viewer, GST_RTSP_TEARDOWN, NULL, NULL, NULL);
      break;
    default:
      break;
  }
}

/* One visit, which may end after each step. */
static void
visit (GRand * rand, RtspViewer * viewer)
{
  RtspViewerTransport transport = g_rand_boolean (rand) ? RTSP_VIEWER_UDP :
      RTSP_VIEWER_TCP;
  guint steps = g_rand_int_range (rand, 0, 16);

  if (!rtsp_viewer_connect (viewer, NULL))
    return;
  g_atomic_int_inc (&n_connected);
  if (steps == 0)
    return;

  if (!rtsp_viewer_describe (viewer, NULL)) {
    if (rtsp_viewer_status (viewer) != 0)
      g_atomic_int_inc (&n_refused);
    return;
  }
  g_atomic_int_inc (&n_described);
  if (steps == 1 || !rtsp_viewer_setup (viewer, transport, NULL))
    return;
  if (steps == 2 || !rtsp_viewer_play (viewer, NULL))
    return;

  g_atomic_int_inc (&n_played);
  if (watch (rand, viewer))
    leave (rand, viewer);
  count_units (viewer, transport);
}

static gpointer
run_viewer (gpointer data)
{
  guint number = GPOINTER_TO_UINT (data);
  GRand *rand = g_rand_new_with_seed (seed * 1000 + number);

  while (!g_atomic_int_get (&viewers_stop)) {
    g_autofree gchar *url = g_strdup_printf ("rtsp://127.0.0.1:%u%s", port,
        mounts[g_rand_int_range (rand, 0, n_pipelines)]);
    RtspViewer *viewer = rtsp_viewer_new (url);

    rtsp_viewer_set_timeout (viewer, VIEWER_TIMEOUT);
    visit (rand, viewer);
    if (rtsp_viewer_is_closed (viewer))
      g_usleep (g_rand_int_range (rand, 0, 20) * 1000);
    rtsp_viewer_free (viewer);
  }
  g_rand_free (rand);
  return NULL;
}

/* --- the pipelines --- */

static GstElement *pipelines[MAX_PIPELINES];
static gint64 longest_stop;
static guint n_errors, n_unserved;

static void
note_errors (GstElement * pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop (bus)) != NULL) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_error (message, &error, NULL);
      g_print ("error on the bus: %s\n", error->message);
      n_errors++;
    }
    gst_message_unref (message);
  }
}

static GstElement *
new_pipeline (guint number)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc name=source ! "
      SMALL_VIDEO " ! rtspserversink name=sink address=127.0.0.1 port=%u "
      "mount=%s", port, mounts[number]);
  GstElement *pipeline = gst_parse_launch (line, NULL);

  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (pipeline), FALSE);
  return pipeline;
}

static void
set_element (GstElement * pipeline, const gchar * name,
    const gchar * property, const gchar * value)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (GST_BIN (pipeline),
      name);

  gst_util_set_object_arg (G_OBJECT (element), property, value);
}

static void
start (GRand * rand, GstElement * pipeline)
{
  set_element (pipeline, "source", "is-live",
      g_rand_int_range (rand, 0, 4) ? "true" : "false");
  set_element (pipeline, "sink", "codec",
      g_rand_int_range (rand, 0, 4) ? "h264" : "raw");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

static void
stop (GstElement * pipeline)
{
  gint64 begin = g_get_monotonic_time ();

  gst_element_set_state (pipeline, GST_STATE_NULL);
  begin = g_get_monotonic_time () - begin;
  longest_stop = MAX (longest_stop, begin);
  if (begin > STOP_LIMIT)
    g_print ("a stop took %.3f s\n", begin / 1e6);
  note_errors (pipeline);
}

/* Each has served something: what it keeps of its last run is then the same
 * whenever it is counted. */
static void
serve_once (guint number)
{
  g_autofree gchar *url = g_strdup_printf ("rtsp://127.0.0.1:%u%s", port,
      mounts[number]);
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);

  set_element (pipelines[number], "source", "is-live", "true");
  set_element (pipelines[number], "sink", "codec", "h264");
  gst_element_set_state (pipelines[number], GST_STATE_PLAYING);
  if (!rtsp_viewer_connect (viewer, NULL)
      || !rtsp_viewer_describe (viewer, NULL)) {
    n_unserved++;
  }
  stop (pipelines[number]);
}

/* What happens between PLAYING and NULL, besides viewers. */
static void
disturb (GRand * rand, GstElement * pipeline)
{
  switch (g_rand_int_range (rand, 0, 6)) {
    case 0:
      gst_element_set_state (pipeline, GST_STATE_PAUSED);
      gst_element_set_state (pipeline, GST_STATE_PLAYING);
      break;
    case 1:
      /* sending holds the pipeline's state lock: not before it plays */
      if (gst_element_get_state (pipeline, NULL, NULL, 0) ==
          GST_STATE_CHANGE_SUCCESS)
        gst_element_send_event (pipeline, gst_event_new_eos ());
      break;
    default:
      break;
  }
}

static void
cycle (GRand * rand)
{
  GstElement *pipeline = pipelines[g_rand_int_range (rand, 0, n_pipelines)];

  soak_alarm (HANG_TIME);
  start (rand, pipeline);
  /* the time is what is random here */
  g_usleep (g_rand_int_range (rand, 0, MAX_CYCLE_TIME_MS) * 1000);
  disturb (rand, pipeline);
  g_usleep (g_rand_int_range (rand, 0, MAX_CYCLE_TIME_MS) * 1000);
  /* with two of them, the port often lives on */
  if (n_pipelines == 1 || g_rand_boolean (rand))
    stop (pipeline);
}

/* --- what is there --- */

/* With everything in NULL. */
static SoakCount *
count_settled (const gchar * when, const SoakCount * before)
{
  SoakCount *count;

  /* a message that waits on a bus is no leak */
  for (gint i = 0; i < n_pipelines; i++)
    note_errors (pipelines[i]);
  count = soak_count_new (when, before, 0);
  soak_count_print (count);
  return count;
}

/* Runs that many cycles with viewers, ends with neither. */
static void
run (GRand * rand, gint cycles)
{
  GThread *threads[MAX_VIEWERS];

  g_atomic_int_set (&viewers_stop, FALSE);
  for (gint i = 0; i < n_viewers; i++)
    threads[i] = g_thread_new ("viewer", run_viewer, GINT_TO_POINTER (i));
  for (gint i = 0; i < cycles; i++)
    cycle (rand);

  soak_alarm (HANG_TIME);
  g_atomic_int_set (&viewers_stop, TRUE);
  for (gint i = 0; i < n_pipelines; i++)
    stop (pipelines[i]);
  for (gint i = 0; i < n_viewers; i++)
    g_thread_join (threads[i]);

  soak_alarm (HANG_TIME);
  for (gint i = 0; i < n_pipelines; i++)
    serve_once (i);
}

static void
judge (const SoakCount * first, const SoakCount * last)
{
  g_print ("viewers: %d connected, %d described, %d played, %d refused, "
      "%d units\n", n_connected, n_described, n_played, n_refused, n_units);
  soak_rule (longest_stop < STOP_LIMIT, "the longest stop took %.3f s",
      longest_stop / 1e6);
  soak_rule (n_errors == 0, "%u errors on the bus", n_errors);
  soak_rule (n_unserved == 0, "%u viewers not served in quiet", n_unserved);
  soak_rule (n_dirty == 0, "%d viewers began without a key unit", n_dirty);
  soak_rule (n_played > 0 && n_units > 0, "somebody got to play");
  soak_rule_back (first, last);
  soak_rule_objects (first, last, 0);
  soak_rule (proc_count_close_wait (port) == 0,
      "no connection is left in CLOSE-WAIT");
  soak_rule_criticals ();
}

static void
set_up (int *argc, char ***argv)
{
  soak_init (argc, argv, options,
      "Viewers and state changes at random; then all must be as before.");
  if (n_viewers > MAX_VIEWERS || n_pipelines < 1 || n_pipelines > MAX_PIPELINES)
    soak_wrong_usage ("an option is out of range");
}

int
main (int argc, char **argv)
{
  SoakCount *first, *middle, *last;
  GRand *rand;

  set_up (&argc, &argv);
  g_print ("%d cycles, %d viewers, %d pipelines, seed %d\n", n_cycles,
      n_viewers, n_pipelines, seed);
  rand = g_rand_new_with_seed (seed);
  port = sink_test_free_port ();
  for (gint i = 0; i < n_pipelines; i++)
    pipelines[i] = new_pipeline (i);

  run (rand, WARM_UP_CYCLES);
  first = count_settled ("start", NULL);
  run (rand, n_cycles / 2);
  middle = count_settled ("middle", first);
  run (rand, n_cycles - n_cycles / 2);
  last = count_settled ("end", first);

  judge (first, last);
  soak_count_free (first);
  soak_count_free (middle);
  soak_count_free (last);
  for (gint i = 0; i < n_pipelines; i++)
    gst_object_unref (pipelines[i]);
  g_rand_free (rand);
  return soak_verdict ();
}
