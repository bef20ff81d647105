/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* RTCP sender reports tell when a frame was captured. */

#include "sinktest.h"

#define N_UNITS 10
/* the promise */
#define TOLERANCE 1000
/* from 1900 to 1970, in µs */
#define NTP_TO_UNIX (G_GINT64_CONSTANT (2208988800) * G_USEC_PER_SEC)
#define FRAME (G_USEC_PER_SEC / 25)

static SinkTest *test;

/* When frames were captured: time stamp plus base time, on the clock of
 * g_get_monotonic_time(), which is the system clock's. */
static GMutex lock;
static GArray *captures;        /* gint64; guarded by lock */

static GstPadProbeReturn
note_capture (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstElement *element = GST_PAD_PARENT (pad);
  gint64 time = (GST_BUFFER_PTS (buffer)
      + gst_element_get_base_time (element)) / GST_USECOND;

  g_mutex_lock (&lock);
  g_array_append_val (captures, time);
  g_mutex_unlock (&lock);
  return GST_PAD_PROBE_OK;
}

static void
setup (void)
{
  captures = g_array_new (FALSE, FALSE, sizeof (gint64));
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  g_clear_pointer (&captures, g_array_unref);
}

static void
start (const gchar * launch)
{
  g_autoptr (GstPad) pad = NULL;

  test = sink_test_new (launch);
  pad = gst_element_get_static_pad (sink_test_element (test, "feed"), "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_capture, NULL, NULL);
  sink_test_play (test);
}

/* How far a time is from the nearest capture, in µs. */
static gint64
distance (gint64 time)
{
  gint64 nearest = G_MAXINT64;
  guint i;

  g_mutex_lock (&lock);
  for (i = 0; i < captures->len; i++)
    nearest = MIN (nearest, ABS (g_array_index (captures, gint64, i) - time));
  g_mutex_unlock (&lock);
  return nearest;
}

/* Waits for a new sender report and checks the units around it by it. */
static void
check_captures (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  gint64 boot = g_get_real_time () - g_get_monotonic_time ();
  GError *error = NULL;
  gint64 time, least_delay = G_MAXINT64;
  guint i;

  rtsp_record_clear (record);
  assert_viewer (rtsp_viewer_wait_report (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  assert_viewer (rtsp_viewer_receive_units (viewer,
          rtsp_record_count (record) + N_UNITS, SINK_TEST_TIMEOUT, &error),
      error);
  for (i = 0; i < rtsp_record_count (record); i++) {
    fail_unless (rtsp_record_capture_time (record, rtsp_record_unit (record,
                i), &time));
    fail_unless (distance (time - boot) < TOLERANCE,
        "unit %u: the nearest capture is %" G_GINT64_FORMAT " us off", i,
        distance (time - boot));
    least_delay = MIN (least_delay, rtsp_record_unit (record, i)->arrival
        - (time - boot));
  }
  /* and it was that frame's own capture, not a neighbour's */
  fail_unless (least_delay >= 0
      && least_delay < FRAME * sink_test_time_factor (),
      "frames arrive %.3f s after their capture", least_delay / 1e6);
}

#define LIVE(caps, sink) "videotestsrc name=feed is-live=true ! video/x-raw," \
    caps ",width=64,height=48,framerate=25/1 ! rtspserversink " sink

static const struct
{
  const gchar *launch;
  RtspViewerTransport transport;
} lines[] = {
  {LIVE ("format=I420", ""), RTSP_VIEWER_TCP},
  {LIVE ("format=I420", ""), RTSP_VIEWER_UDP},
  {LIVE ("format=BGR", "encoder=openh264enc"), RTSP_VIEWER_TCP},
  {LIVE ("format=RGB", "codec=raw"), RTSP_VIEWER_UDP},
  {"videotestsrc name=feed ! " SMALL_VIDEO " ! rtspserversink",
      RTSP_VIEWER_TCP},
};

GST_START_TEST (test_sender_reports_tell_the_time_of_capture)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  start (lines[__i__].launch);
  viewer = sink_test_start_viewer (test, NULL, lines[__i__].transport);
  /* What left the file before there was a base time was noted wrongly. */
  assert_viewer (rtsp_viewer_receive_units (viewer, N_UNITS,
          SINK_TEST_TIMEOUT, &error), error);
  check_captures (viewer);
}

END_TEST;

/* The base time moves by the length of the pause. */
GST_START_TEST (test_sender_reports_after_a_pause_of_the_input_are_right)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  start (lines[0].launch);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_units (viewer, N_UNITS,
          SINK_TEST_TIMEOUT, &error), error);
  sink_test_try_state (test, GST_STATE_PAUSED);
  assert_viewer (rtsp_viewer_receive_for (viewer, 1500 * 1000, &error), error);
  sink_test_try_state (test, GST_STATE_PLAYING);
  check_captures (viewer);
}

END_TEST;

/* The viewer pauses, others make the stream go on. */
GST_START_TEST (test_sender_reports_after_a_pause_of_the_viewer_are_right)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  start (lines[0].launch);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_units (viewer, N_UNITS,
          SINK_TEST_TIMEOUT, &error), error);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  assert_viewer (rtsp_viewer_receive_for (viewer, 1500 * 1000, &error), error);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  check_captures (viewer);
}

END_TEST;

/* --- as GStreamer's own client tells it --- */

typedef struct
{
  GMutex lock;
  gint n_metas;                 /* guarded by lock */
  gint64 worst;                 /* guarded by lock; distance in µs */
} Seen;

static GstPadProbeReturn
note_reference (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static GstStaticCaps ntp = GST_STATIC_CAPS ("timestamp/x-ntp");
  g_autoptr (GstCaps) caps = gst_static_caps_get (&ntp);
  GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta
      (GST_PAD_PROBE_INFO_BUFFER (info), caps);
  gint64 boot = g_get_real_time () - g_get_monotonic_time ();
  Seen *seen = user_data;

  if (meta != NULL) {
    gint64 off = distance ((gint64) (meta->timestamp / GST_USECOND)
        - NTP_TO_UNIX - boot);

    g_mutex_lock (&seen->lock);
    seen->n_metas++;
    seen->worst = MAX (seen->worst, off);
    g_mutex_unlock (&seen->lock);
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
has_metas (gpointer data)
{
  Seen *seen = data;
  gboolean enough;

  g_mutex_lock (&seen->lock);
  enough = seen->n_metas >= N_UNITS;
  g_mutex_unlock (&seen->lock);
  return enough;
}

GST_START_TEST (test_reference_time_of_rtspsrc_is_the_time_of_capture)
{
  static const gchar *const protocols[] = { "tcp", "udp" };
  g_autofree gchar *launch = NULL;
  g_autoptr (GstElement) client = NULL;
  g_autoptr (GstElement) end = NULL;
  g_autoptr (GstPad) pad = NULL;
  Seen seen = { 0, };

  start (lines[0].launch);
  launch = g_strdup_printf ("rtspsrc location=%s protocols=%s latency=0 "
      "add-reference-timestamp-meta=true ! rtph264depay ! fakesink name=end "
      "sync=false", sink_test_uri (test, NULL), protocols[__i__]);
  client = gst_parse_launch (launch, NULL);
  end = gst_bin_get_by_name (GST_BIN (client), "end");
  pad = gst_element_get_static_pad (end, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_reference, &seen,
      NULL);
  gst_element_set_state (client, GST_STATE_PLAYING);
  sink_test_wait_until (has_metas, &seen, SINK_TEST_TIMEOUT,
      "reference time stamps");
  gst_element_set_state (client, GST_STATE_NULL);
  fail_unless (seen.worst < TOLERANCE, "%" G_GINT64_FORMAT " us off",
      seen.worst);
}

END_TEST;

static Suite *
capturetime_suite (void)
{
  Suite *suite = suite_create ("capturetime");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_sender_reports_tell_the_time_of_capture, 0,
      G_N_ELEMENTS (lines));
  tcase_add_test (tests,
      test_sender_reports_after_a_pause_of_the_input_are_right);
  tcase_add_test (tests,
      test_sender_reports_after_a_pause_of_the_viewer_are_right);
  tcase_add_loop_test (tests,
      test_reference_time_of_rtspsrc_is_the_time_of_capture, 0, 2);
  return suite;
}

CHECK_SUITE (capturetime);
