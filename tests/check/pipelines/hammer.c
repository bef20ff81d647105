/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers come and go on many threads while the application lists, removes and
 * stops: nothing is used that is gone. */

#include "sinktest.h"

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink name=sink "
#define N_THREADS 8
#define TIME (2 * G_USEC_PER_SEC)
#define LONG_TIME (8 * G_USEC_PER_SEC)

static const gchar *const sharings[] = { "shared=true", "shared=false",
  "shared=auto"
};

static SinkTest *test;
static gint over;
static gchar *uri;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  g_clear_pointer (&uri, g_free);
}

static gpointer
visit (gpointer data)
{
  GRand *rand = g_rand_new_with_seed (GPOINTER_TO_UINT (data));
  guint n = 0;

  while (!g_atomic_int_get (&over)) {
    RtspViewer *viewer = rtsp_viewer_new (uri);
    GError *error = NULL;

    rtsp_viewer_set_timeout (viewer, 3 * G_USEC_PER_SEC);
    if (rtsp_viewer_start (viewer, g_rand_int_range (rand, 0, 3), &error)) {
      rtsp_viewer_receive_units (viewer, g_rand_int_range (rand, 1, 6),
          G_USEC_PER_SEC, NULL);
      n++;
      if (g_rand_boolean (rand) && rtsp_viewer_pause (viewer, NULL))
        rtsp_viewer_play (viewer, NULL);
      if (g_rand_boolean (rand))
        rtsp_viewer_receive_for (viewer, 50000, NULL);
      switch (g_rand_int_range (rand, 0, 3)) {
        case 0:
          rtsp_viewer_teardown (viewer, NULL);
          break;
        case 1:
          rtsp_viewer_reset (viewer);
          break;
        default:
          break;
      }
    } else {
      g_usleep (10000);
    }
    g_clear_error (&error);
    rtsp_viewer_free (viewer);
  }
  g_rand_free (rand);
  return GUINT_TO_POINTER (n);
}

static guint
use_actions (GstElement * sink, guint * removed)
{
  g_autoptr (GstStructure) viewers = NULL;
  const GValue *array;
  gboolean ok;
  guint n;

  g_signal_emit_by_name (sink, "get-viewers", &viewers);
  array = gst_structure_get_value (viewers, "viewers");
  n = gst_value_array_get_size (array);
  for (guint i = 0; i < n; i++) {
    const GstStructure *s = g_value_get_boxed (gst_value_array_get_value
        (array, i));
    guint id = 0;

    gst_structure_get_uint (s, "id", &id);
    if (g_random_int_range (0, 8) == 0) {
      g_signal_emit_by_name (sink, "remove-viewer", id, &ok);
      *removed += ok;
    }
  }
  g_signal_emit_by_name (sink, "force-key-unit", &ok);
  g_object_get (sink, "num-viewers", &n, NULL);
  return n;
}

GST_START_TEST (test_hammer)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *line = g_strdup_printf (LIVE "port=%u %s", port,
      sharings[__i__]);
  GThread *threads[N_THREADS];
  GstElement *sink;
  gint64 end;
  guint n = 0, stops = 0, visits = 0, removed = 0;

  test = sink_test_new (line);
  sink_test_play (test);
  sink = sink_test_element (test, "sink");
  uri = g_strdup (sink_test_uri (test, NULL));
  g_atomic_int_set (&over, FALSE);
  for (gsize i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("visit", visit, GSIZE_TO_POINTER (i));
  end = g_get_monotonic_time () + (sink_test_is_long ()? LONG_TIME : TIME)
      * sink_test_time_factor ();
  while (g_get_monotonic_time () < end) {
    use_actions (sink, &removed);
    g_usleep (3000);
    if (++n % 300 == 0) {
      sink_test_set_state (test, GST_STATE_NULL);
      sink_test_play (test);
      stops++;
    }
  }
  sink_test_set_state (test, GST_STATE_NULL);
  g_atomic_int_set (&over, TRUE);
  for (gsize i = 0; i < N_THREADS; i++)
    visits += GPOINTER_TO_UINT (g_thread_join (threads[i]));
  g_print ("%s: %u visits, %u removed, %u stops\n", sharings[__i__], visits,
      removed, stops);
}

END_TEST;

static Suite *
hammer_suite (void)
{
  Suite *suite = suite_create ("hammer");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 100);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_hammer, 0, 3);
  return suite;
}

CHECK_SUITE (hammer);
