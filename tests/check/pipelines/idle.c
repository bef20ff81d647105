/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What is done, and what is not, while nobody, one or many watch. */

#include "sinktest.h"

#define FEED "videotestsrc is-live=true ! " SMALL_VIDEO " ! identity name=feed " \
    "! rtspserversink"
#define CODES "codesrc name=feed is-live=true ! video/x-raw,format=I420,width=64," \
    "height=48,framerate=25/1 ! rtspserversink key-unit-interval=3600000"
/* What a start or a leaving viewer may leave in queues, of a busy machine too. */
#define LEFT_OVERS 12

static SinkTest *test;
static BufferCounter *fed;
static BufferCounter *encoded;

static void
teardown (void)
{
  g_clear_pointer (&fed, buffer_counter_free);
  g_clear_pointer (&encoded, buffer_counter_free);
  g_clear_pointer (&test, sink_test_free);
}

static void
start (const gchar * launch)
{
  test = sink_test_new (launch);
  fed = buffer_counter_new (test, "feed", "src");
  sink_test_set_state (test, GST_STATE_READY);
  encoded = buffer_counter_new (test, "encoder", "sink");
  sink_test_play (test);
}

static void
feed_frames (guint n)
{
  buffer_counter_wait (fed, buffer_counter_count (fed) + n, SINK_TEST_TIMEOUT);
}

/* The input goes on, nothing of it is encoded. */
static void
check_rest (void)
{
  guint before;

  feed_frames (LEFT_OVERS);
  before = buffer_counter_count (encoded);
  feed_frames (20);
  fail_unless_equals_int (buffer_counter_count (encoded), before);
}

GST_START_TEST (test_unwatched_input_is_not_encoded)
{
  start (FEED);
  check_rest ();
  fail_unless (buffer_counter_count (encoded) <= LEFT_OVERS);
}

END_TEST;

GST_START_TEST (test_encoding_ends_with_the_last_viewer)
{
  RtspViewer *first, *second;
  GError *error = NULL;

  start (FEED);
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  second = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  sink_test_receive (first, 5);
  sink_test_receive (second, 5);
  assert_viewer (rtsp_viewer_teardown (first, &error), error);
  rtsp_viewer_free (first);
  sink_test_receive (second, 15);
  rtsp_viewer_reset (second);
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  check_rest ();
  rtsp_viewer_free (second);
}

END_TEST;

GST_START_TEST (test_viewer_that_does_not_play_costs_no_encoding)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  start (FEED);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  check_rest ();
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  check_rest ();
  assert_viewer (rtsp_viewer_setup_udp (viewer, &error), error);
  check_rest ();
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, 5);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
  check_rest ();
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  sink_test_receive (viewer, 15);
}

END_TEST;

GST_START_TEST (test_many_viewers_are_encoded_for_once)
{
  RtspViewer *viewers[5];
  guint i, before;

  start (FEED);
  for (i = 0; i < G_N_ELEMENTS (viewers); i++)
    viewers[i] = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  sink_test_receive (viewers[0], 5);
  before = buffer_counter_count (encoded);
  feed_frames (25);
  fail_unless (buffer_counter_count (encoded) <= before + 25 + LEFT_OVERS);
  for (i = 0; i < G_N_ELEMENTS (viewers); i++) {
    sink_test_receive (viewers[i], 25);
    rtsp_viewer_free (viewers[i]);
  }
}

END_TEST;

/* The age in µs of the first picture that a viewer sees. */
static gint64
age_of_first_picture (void)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GstElement *src = sink_test_element (test, "feed");
  g_autoptr (GstSample) sample = NULL;
  PictureDecoder *decoder;
  GError *error = NULL;
  RtspUnit *unit;
  gint n;

  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  sink_test_receive (viewer, 1);
  unit = rtsp_record_unit (rtsp_viewer_record (viewer), 0);
  decoder = picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");
  sample = picture_decoder_decode (decoder, unit, SINK_TEST_TIMEOUT);
  fail_unless (sample != NULL);
  n = code_src_find (src, code_src_nearest (picture_grey (sample)),
      unit->arrival);
  fail_unless (n >= 0);
  picture_decoder_free (decoder);
  return unit->arrival - code_src_time (src, n);
}

/* Nothing that was left in a queue when the last viewer went. */
GST_START_TEST (test_first_picture_after_a_rest_is_fresh)
{
  guint i;

  start (CODES);
  for (i = 0; i < 4; i++) {
    gint64 age;

    /* not a multiple of the 14 codes: an old one is told by its code */
    feed_frames (17);
    age = age_of_first_picture ();
    fail_unless (age < 200 * 1000 * sink_test_time_factor (),
        "visit %u: the first picture is %.3f s old", i, age / 1e6);
    sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  }
}

END_TEST;

/* A sanitizer keeps what was freed. */
#ifndef __SANITIZE_ADDRESS__
GST_START_TEST (test_unwatched_input_takes_no_memory)
{
  guint before;

  start ("videotestsrc is-live=true pattern=black ! video/x-raw,format=BGR,"
      "width=1280,height=720,framerate=30/1 ! identity name=feed "
      "! rtspserversink");
  feed_frames (30);
  before = proc_rss_kb ();
  /* 2.7 MB each */
  feed_frames (120);
  fail_unless (proc_rss_kb () < before + 5 * 1024, "%u kB became %u kB",
      before, proc_rss_kb ());
}

END_TEST;
#endif

static Suite *
idle_suite (void)
{
  Suite *suite = suite_create ("idle");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_unwatched_input_is_not_encoded);
  tcase_add_test (tests, test_encoding_ends_with_the_last_viewer);
  tcase_add_test (tests, test_viewer_that_does_not_play_costs_no_encoding);
  tcase_add_test (tests, test_many_viewers_are_encoded_for_once);
  tcase_add_test (tests, test_first_picture_after_a_rest_is_fresh);
#ifndef __SANITIZE_ADDRESS__
  tcase_add_test (tests, test_unwatched_input_takes_no_memory);
#endif
  return suite;
}

CHECK_SUITE (idle);
