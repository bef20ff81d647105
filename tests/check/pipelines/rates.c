/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What of the encoder and the payloader the application can set: bit rate and
 * key-unit interval at any time, all else by signals. */

#include "sinktest.h"

#define NOISE "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420," \
    "width=160,height=120,framerate=25/1 ! "
#define N_UNITS 25

static SinkTest *test;
static GThread *setup_thread;   /* that the signal came on */
static guint n_setups;
static gchar *set_up;           /* factory of what it came for */

static void
setup (void)
{
  n_setups = 0;
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  g_clear_pointer (&set_up, g_free);
}

static guint64
bytes_of (RtspViewer * viewer, guint from, guint n)
{
  guint64 bytes = 0;

  for (guint i = from; i < from + n; i++)
    bytes += rtsp_record_unit (rtsp_viewer_record (viewer), i)->n_bytes;
  return bytes;
}

static guint
key_units_of (RtspViewer * viewer, guint from, guint n)
{
  guint n_keys = 0;

  for (guint i = from; i < from + n; i++)
    n_keys += rtsp_record_unit (rtsp_viewer_record (viewer), i)->key;
  return n_keys;
}

static const gchar *const codecs[] = { "h264", "vp8" };

GST_START_TEST (test_bitrate_changes_while_somebody_watches)
{
  g_autofree gchar *launch = g_strdup_printf (NOISE "rtspserversink "
      "bitrate=4000000 key-unit-interval=60000 codec=%s", codecs[__i__]);
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (launch);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 2 * N_UNITS);
  g_object_set (sink_test_element (test, NULL), "bitrate", 400000, NULL);
  /* a rate control needs a while */
  sink_test_receive (viewer, 6 * N_UNITS);
  fail_unless (bytes_of (viewer, N_UNITS, N_UNITS)
      > 3 * bytes_of (viewer, 5 * N_UNITS, N_UNITS));
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

END_TEST;

GST_START_TEST (test_key_unit_interval_changes_while_somebody_watches)
{
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (NOISE "rtspserversink key-unit-interval=60000");
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, N_UNITS);
  fail_unless_equals_int (key_units_of (viewer, 0, N_UNITS), 1);
  g_object_set (sink_test_element (test, NULL), "key-unit-interval", 200, NULL);
  /* what was on its way */
  sink_test_receive (viewer, N_UNITS + 10 + 50);
  fail_unless (key_units_of (viewer, N_UNITS + 10, 50) >= 7);
}

END_TEST;

static gint n_heard;            /* atomic: notifications that were answered */

/* Encoder's thread. */
static void
answer_notify (GstObject * pipeline, GstObject * object, GParamSpec * pspec,
    gpointer user_data)
{
  GstElement *sink = sink_test_element (test, NULL);
  g_autofree gchar *name = NULL;
  g_autoptr (GstStructure) stats = NULL;

  if (object == GST_OBJECT (sink) || g_atomic_int_get (&n_heard) > 0)
    return;
  g_object_set (sink, "bitrate", 500000, "key-unit-interval", 300, NULL);
  g_object_get (sink, "active-encoder", &name, "stats", &stats, NULL);
  fail_unless_equals_string (name, "x264enc");
  g_atomic_int_inc (&n_heard);
}

GST_START_TEST (test_properties_can_be_set_when_the_encoder_tells_of_its_own)
{
  test = sink_test_new (NOISE "rtspserversink");
  g_atomic_int_set (&n_heard, 0);
  g_signal_connect (sink_test_pipeline (test), "deep-notify::bitrate",
      G_CALLBACK (answer_notify), NULL);
  sink_test_play (test);
  fail_unless_equals_int (g_atomic_int_get (&n_heard), 1);
}

END_TEST;

static void
was_made (GstElement * element, GstElement * part, gpointer settings)
{
  setup_thread = g_thread_self ();
  n_setups++;
  g_free (set_up);
  set_up = g_strdup (GST_OBJECT_NAME (gst_element_get_factory (part)));
  gst_util_set_object_arg (G_OBJECT (part), ((gchar **) settings)[0],
      ((gchar **) settings)[1]);
}

static void
connect_setup (const gchar * signal, const gchar * const *settings)
{
  g_signal_connect (sink_test_element (test, NULL), signal,
      G_CALLBACK (was_made), (gpointer) settings);
}

static const struct
{
  const gchar *properties;
  const gchar *encoder;
} encoders[] = {
  {"", "x264enc"},
  {"encoder=\"identity ! x264enc tune=zerolatency\"", "x264enc"},
  {"codec=vp8", "vp8enc"},
};

GST_START_TEST (test_encoder_setup_comes_on_the_applications_thread)
{
  static const gchar *const settings[] = { "threads", "1" };
  g_autofree gchar *launch = g_strdup_printf (NOISE "rtspserversink %s",
      encoders[__i__].properties);
  g_autoptr (GstIterator) found = NULL;
  GValue item = G_VALUE_INIT;
  gint threads;

  test = sink_test_new (launch);
  connect_setup ("encoder-setup", settings);
  sink_test_set_state (test, GST_STATE_READY);
  fail_unless_equals_int (n_setups, 1);
  fail_unless (setup_thread == g_thread_self ());
  fail_unless_equals_string (set_up, encoders[__i__].encoder);

  found = gst_bin_iterate_all_by_element_factory_name (GST_BIN
      (sink_test_pipeline (test)), encoders[__i__].encoder);
  fail_unless_equals_int (gst_iterator_next (found, &item), GST_ITERATOR_OK);
  g_object_get (g_value_get_object (&item), "threads", &threads, NULL);
  fail_unless_equals_int (threads, 1);
  g_value_unset (&item);
}

END_TEST;

GST_START_TEST (test_payloader_setup_sets_the_size_of_packets)
{
  static const gchar *const settings[] = { "mtu", "500" };
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (NOISE "rtspserversink");
  connect_setup ("payloader-setup", settings);
  sink_test_play (test);
  fail_unless_equals_int (n_setups, 1);
  fail_unless (setup_thread == g_thread_self ());
  fail_unless_equals_string (set_up, "rtph264pay");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 10);
  fail_unless (rtsp_viewer_record (viewer)->max_packet <= 500);
  fail_unless (rtsp_viewer_record (viewer)->max_packet > 400);
}

END_TEST;

static void
expect_active (const gchar * properties, const gchar * name)
{
  g_autofree gchar *launch = g_strdup_printf (NOISE "rtspserversink %s",
      properties);
  g_autofree gchar *before = NULL;
  g_autofree gchar *active = NULL;
  g_autofree gchar *after = NULL;
  GstElement *sink;

  test = sink_test_new (launch);
  sink = sink_test_element (test, NULL);
  g_object_get (sink, "active-encoder", &before, NULL);
  fail_unless (before == NULL);
  sink_test_play (test);
  g_object_get (sink, "active-encoder", &active, NULL);
  fail_unless (g_strcmp0 (active, name) == 0, "%s", active);
  sink_test_set_state (test, GST_STATE_NULL);
  g_object_get (sink, "active-encoder", &after, NULL);
  fail_unless (after == NULL);
  g_clear_pointer (&test, sink_test_free);
}

GST_START_TEST (test_active_encoder_is_told)
{
  expect_active ("", "x264enc");
  expect_active ("codec=vp9", "vp9enc");
  expect_active ("encoder=\"identity ! vp8enc\"", "vp8enc");
  expect_active ("codec=raw", NULL);
}

END_TEST;

static Suite *
rates_suite (void)
{
  Suite *suite = suite_create ("rates");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_bitrate_changes_while_somebody_watches, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_test (tests, test_key_unit_interval_changes_while_somebody_watches);
  tcase_add_test (tests,
      test_properties_can_be_set_when_the_encoder_tells_of_its_own);
  tcase_add_loop_test (tests,
      test_encoder_setup_comes_on_the_applications_thread, 0,
      G_N_ELEMENTS (encoders));
  tcase_add_test (tests, test_payloader_setup_sets_the_size_of_packets);
  tcase_add_test (tests, test_active_encoder_is_told);
  return suite;
}

CHECK_SUITE (rates);
