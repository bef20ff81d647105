/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What a viewer gets first, whenever it comes, pauses or comes back. */

#include "appfeed.h"
#include "sinktest.h"
#include "viewerjob.h"

#define SMALL_CODES "codesrc name=feed is-live=true ! video/x-raw,format=I420," \
    "width=64,height=48,framerate=25/1 "
#define RARE_KEY_UNITS "! rtspserversink key-unit-interval=3600000"
#define CLOCK_RATE 90000
#define FRAME_TICKS (CLOCK_RATE / 25)
#define FRAME (G_USEC_PER_SEC / 25)
/* Key units come on demand: far less than any interval. */
#define FIRST_UNIT_LIMIT (G_USEC_PER_SEC / 2)

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
start (const gchar * launch)
{
  test = sink_test_new (launch);
  sink_test_play (test);
}

static RtspUnit *
first_unit (RtspViewer * viewer)
{
  return rtsp_record_unit (rtsp_viewer_record (viewer), 0);
}

/* From PLAY to the end of the first unit, in µs. */
static gint64
time_to_first_unit (RtspViewer * viewer)
{
  return first_unit (viewer)->last_arrival - rtsp_viewer_play_time (viewer);
}

static void
check_start (RtspViewer * viewer)
{
  sink_test_receive (viewer, 1);
  fail_unless (rtsp_unit_is_clean_start (first_unit (viewer)));
  fail_unless (time_to_first_unit (viewer)
      < FIRST_UNIT_LIMIT * sink_test_time_factor (),
      "the first unit came after %.3f s", time_to_first_unit (viewer) / 1e6);
}

/* How much later, by RTP time against arrival, the units of one viewer are than
 * those of another, in seconds: what is stale is late. */
static gdouble
lateness (RtspUnit * unit, RtspUnit * reference)
{
  gint32 ticks = unit->rtp_time - reference->rtp_time;

  return (unit->arrival - reference->arrival) / 1e6
      - ticks / (gdouble) CLOCK_RATE;
}

static void
check_fresh (RtspUnit * unit, RtspViewer * reference)
{
  RtspRecord *record = rtsp_viewer_record (reference);
  gdouble late = lateness (unit, rtsp_record_unit (record,
          rtsp_record_count (record) - 1));

  fail_unless (ABS (late) < 0.3 * sink_test_time_factor (),
      "the picture is %.3f s late", late);
}

/* --- the first viewer of all --- */

GST_START_TEST (test_first_viewer_of_a_fresh_start_loses_no_packet)
{
  guint i;

  for (i = 0; i < 8; i++) {
    RtspViewer *viewer;
    RtspRtpInfo info;

    start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
    viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    check_start (viewer);
    fail_unless (rtsp_viewer_rtp_info (viewer, &info));
    fail_unless_equals_int (info.seq, first_unit (viewer)->first_seq);
    rtsp_viewer_free (viewer);
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

/* --- late ones --- */

GST_START_TEST (test_late_viewers_start_on_a_key_unit_at_once)
{
  g_autoptr (GPtrArray) viewers = g_ptr_array_new_with_free_func
      ((GDestroyNotify) rtsp_viewer_free);
  g_autoptr (RtspViewer) early = NULL;
  guint i;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
  early = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  for (i = 0; i < 6; i++) {
    RtspViewer *late;

    sink_test_receive (early, 10 * (i + 1));
    late = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    g_ptr_array_add (viewers, late);
    check_start (late);
    check_fresh (first_unit (late), early);
  }
  fail_unless_equals_int (rtsp_viewer_record (early)->n_gaps, 0);
}

END_TEST;

/* A unit that was encoded before the key unit was asked for comes after PLAY,
 * and is not for the new viewer. */
GST_START_TEST (test_late_viewer_gets_no_unit_that_was_on_its_way)
{
  g_autoptr (GPtrArray) viewers = g_ptr_array_new_with_free_func
      ((GDestroyNotify) rtsp_viewer_free);
  g_autoptr (RtspViewer) early = NULL;
  guint i;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS
      " encoder=\"x264enc tune=zerolatency speed-preset=ultrafast "
      "! identity sleep-time=60000\"");
  early = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (i = 0; i < 6; i++) {
    RtspViewer *late;

    sink_test_receive (early, 3 * (i + 1));
    late = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    g_ptr_array_add (viewers, late);
    check_start (late);
  }
}

END_TEST;

/* Two that come together share the key unit: they shall not make everybody's
 * stream a row of key units. */
GST_START_TEST (test_viewers_that_come_together_share_key_units)
{
  g_autoptr (RtspViewer) early = NULL;
  ViewerJob *jobs[8];
  RtspRecord *record;
  guint i, n_keys = 0;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
  early = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  sink_test_receive (early, 5);
  for (i = 0; i < G_N_ELEMENTS (jobs); i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL),
        viewer_job_play_tcp, GUINT_TO_POINTER (5));
  for (i = 0; i < G_N_ELEMENTS (jobs); i++) {
    GError *error = NULL;
    RtspViewer *late = viewer_job_join (jobs[i], &error);

    assert_viewer (late != NULL, error);
    fail_unless (rtsp_unit_is_clean_start (first_unit (late)));
    rtsp_viewer_free (late);
  }
  sink_test_receive (early, 10);
  record = rtsp_viewer_record (early);
  for (i = 5; i < rtsp_record_count (record); i++)
    n_keys += rtsp_record_unit (record, i)->key;
  fail_unless (n_keys <= G_N_ELEMENTS (jobs), "%u key units", n_keys);
}

END_TEST;

/* The media is prepared long before it plays: nothing of then is sent. */
GST_START_TEST (test_play_long_after_setup_starts_now)
{
  RtspViewerTransport transport = __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  g_autoptr (RtspViewer) reference = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup (viewer, transport, &error), error);
  reference = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_receive_for (reference, 3 * G_USEC_PER_SEC,
          &error), error);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  check_start (viewer);
  sink_test_receive (reference,
      rtsp_record_count (rtsp_viewer_record (reference)) + 2);
  check_fresh (first_unit (viewer), reference);
}

END_TEST;

/* --- those that come again --- */

GST_START_TEST (test_thirty_visits_do_not_take_longer_and_longer)
{
  gint64 first = 0, last = 0;
  guint i;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
  for (i = 0; i < 30; i++) {
    RtspViewer *viewer = sink_test_start_viewer (test, NULL,
        i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);

    sink_test_receive (viewer, 3);
    fail_unless (rtsp_unit_is_clean_start (first_unit (viewer)));
    if (i < 10)
      first += time_to_first_unit (viewer);
    if (i >= 20)
      last += time_to_first_unit (viewer);
    rtsp_viewer_free (viewer);
  }
  /* a frame interval of slack each: joins fall anywhere in it */
  fail_unless (last <= 1.5 * first + 10 * FRAME * sink_test_time_factor (),
      "ten visits: first %.3f s, then %.3f s", first / 1e6, last / 1e6);
}

END_TEST;

static gboolean
play_pause_play (RtspViewer * viewer, gpointer seed, GError ** error)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (GPOINTER_TO_UINT (seed));
  RtspViewerTransport transport = GPOINTER_TO_UINT (seed) % 2
      ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  gint64 length = g_rand_int_range (rand, 300, 1500) * 1000;

  return rtsp_viewer_start (viewer, transport, error)
      && rtsp_viewer_receive_for (viewer, length, error)
      && rtsp_viewer_pause (viewer, error)
      && rtsp_viewer_receive_for (viewer, length / 2, error)
      && rtsp_viewer_play (viewer, error)
      && rtsp_viewer_receive_for (viewer, length / 3, error)
      && rtsp_viewer_teardown (viewer, error);
}

/* Eight play, pause and leave as they like; the ninth sees every frame. */
GST_START_TEST (test_viewers_that_pause_and_leave_disturb_nobody)
{
  g_autoptr (RtspViewer) steady = NULL;
  ViewerJob *jobs[8];
  RtspRecord *record;
  BufferCounter *fed;
  guint i;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! identity name=feed " RARE_KEY_UNITS);
  fed = buffer_counter_new (test, "feed", "src");
  steady = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (i = 0; i < G_N_ELEMENTS (jobs); i++)
    jobs[i] = viewer_job_start (sink_test_uri (test, NULL), play_pause_play,
        GUINT_TO_POINTER (i));
  sink_test_receive (steady, 100);
  for (i = 0; i < G_N_ELEMENTS (jobs); i++) {
    GError *error = NULL;
    RtspViewer *viewer = viewer_job_join (jobs[i], &error);

    assert_viewer (viewer != NULL, error);
    fail_unless (rtsp_unit_is_clean_start (first_unit (viewer)));
    rtsp_viewer_free (viewer);
  }
  record = rtsp_viewer_record (steady);
  fail_unless_equals_int (record->n_gaps, 0);
  /* 98 of 100 frames: the feed itself may be late on a busy machine */
  fail_unless (rtsp_record_unit (record, 99)->rtp_time
      - rtsp_record_unit (record, 0)->rtp_time <= 101 * FRAME_TICKS);
  fail_unless (rtsp_record_longest_gap (record)
      < buffer_counter_longest_gap (fed) + 200 * 1000);
  buffer_counter_free (fed);
}

END_TEST;

/* --- a viewer that pauses --- */

/* No frame of before or during the pause, no burst of them. */
GST_START_TEST (test_play_after_pause_shows_now)
{
  RtspViewerTransport transport = __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (RtspViewer) reference = NULL;
  RtspRecord *record;
  GError *error = NULL;
  guint i;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
  reference = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  viewer = sink_test_start_viewer (test, NULL, transport);
  record = rtsp_viewer_record (viewer);
  for (i = 0; i < 2; i++) {
    sink_test_receive (viewer, rtsp_record_count (record) + 5);
    assert_viewer (rtsp_viewer_pause (viewer, &error), error);
    assert_viewer (rtsp_viewer_receive_for (viewer, 200 * 1000, &error), error);
    rtsp_record_clear (record);
    assert_viewer (rtsp_viewer_receive_for (viewer, G_USEC_PER_SEC, &error),
        error);
    fail_unless_equals_int (record->n_packets, 0);
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
    assert_viewer (rtsp_viewer_receive_for (viewer, G_USEC_PER_SEC, &error),
        error);
    check_start (viewer);
    fail_unless (rtsp_record_count (record) <= 25 + 2,
        "%u units in a second", rtsp_record_count (record));
    assert_viewer (rtsp_viewer_receive_for (reference, 100 * 1000, &error),
        error);
    check_fresh (rtsp_record_unit (record, rtsp_record_count (record) - 1),
        reference);
    fail_unless_equals_int (record->n_gaps, 0);
    fail_unless (rtsp_record_times_rise (record));
  }
}

END_TEST;

/* PLAY while playing (some players' way to ask for the position) is harmless. */
GST_START_TEST (test_play_while_playing_goes_on)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  guint i;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO RARE_KEY_UNITS);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (i = 1; i < 4; i++) {
    sink_test_receive (viewer, 10 * i);
    assert_viewer (rtsp_viewer_play (viewer, &error), error);
  }
  sink_test_receive (viewer, 40);
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (viewer)));
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

END_TEST;

/* --- key units and parameter sets --- */

GST_START_TEST (test_every_key_unit_has_its_parameter_sets)
{
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  guint i, n_keys = 0;

  start ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! rtspserversink key-unit-interval=200");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 50);
  record = rtsp_viewer_record (viewer);
  for (i = 0; i < 50; i++) {
    RtspUnit *unit = rtsp_record_unit (record, i);

    if (unit->key) {
      n_keys++;
      fail_unless (rtsp_unit_is_clean_start (unit), "key unit at %u", i);
      fail_unless_equals_int (rtsp_unit_count_nals (unit, 7), 1);
      fail_unless_equals_int (rtsp_unit_count_nals (unit, 8), 1);
    }
  }
  /* every fifth frame; one more or less for rounding */
  fail_unless (n_keys >= 8 && n_keys <= 14, "%u key units of 50", n_keys);
}

END_TEST;

/* Any decoder gets a picture of every unit, from the first on. */
GST_START_TEST (test_late_viewer_can_decode_every_unit)
{
  g_autoptr (RtspViewer) early = NULL;
  guint i, k;

  start (SMALL_CODES RARE_KEY_UNITS);
  early = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  for (k = 0; k < 3; k++) {
    g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test,
            NULL));
    PictureDecoder *decoder;
    GError *error = NULL;

    sink_test_receive (early, 7 * (k + 1));
    rtsp_viewer_record (viewer)->keep_packets = TRUE;
    assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
    sink_test_receive (viewer, 20);
    decoder = picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");
    for (i = 0; i < 20; i++) {
      g_autoptr (GstSample) sample = picture_decoder_decode (decoder,
          rtsp_record_unit (rtsp_viewer_record (viewer), i), SINK_TEST_TIMEOUT);

      fail_unless (sample != NULL, "unit %u gives no picture", i);
    }
    picture_decoder_free (decoder);
  }
}

END_TEST;

/* --- each frame once --- */

GST_START_TEST (test_each_frame_goes_out_exactly_once)
{
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  BufferCounter *encoded;
  guint i;

  start (SMALL_CODES "! rtspserversink");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  encoded = buffer_counter_new (test, "encoder", "sink");
  sink_test_receive (viewer, 100);
  record = rtsp_viewer_record (viewer);
  fail_unless (ABS ((gint) buffer_counter_count (encoded) - 100) <= 2);
  fail_unless (rtsp_record_times_rise (record));
  for (i = 1; i < 100; i++) {
    gint32 step = rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time;

    /* a dropped frame on a busy machine is a whole number of steps */
    fail_unless ((step + 90) % FRAME_TICKS <= 180, "step %u is %d ticks", i,
        step);
  }
  fail_unless (rtsp_record_unit (record, 99)->rtp_time - first_unit (viewer)
      ->rtp_time <= 102 * FRAME_TICKS);
  buffer_counter_free (encoded);
}

END_TEST;

/* A slide show, a screen that does not change, a camera that is as slow. */
static const gchar *const quiet[] = {
  "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,"
      "framerate=1/20 ! rtspserversink",
  "appsrc name=slides format=time caps=" APP_FEED_CAPS " ! rtspserversink",
  "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=48,"
      "framerate=1/20 ! jpegenc ! rtspserversink",
};

static gboolean
has_picture (RtspViewer * viewer, gpointer data)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  return record->units->len > 0
      && rtsp_record_unit (record, record->units->len - 1)->complete;
}

/* The picture that was there before they came, time-stamped now: its time rises
 * from one to the next. */
GST_START_TEST (test_joiners_of_a_quiet_source_get_the_last_picture)
{
  guint32 last = 0;

  test = sink_test_new (quiet[__i__]);
  if (strstr (quiet[__i__], "slides") != NULL) {
    sink_test_try_state (test, GST_STATE_PLAYING);
    app_feed_push (test, "slides", 0);
    sink_test_play (test);
    app_feed_push (test, "slides", 60 * GST_SECOND);
  } else {
    sink_test_play (test);
  }
  for (guint i = 0; i < 3; i++) {
    g_autoptr (RtspViewer) viewer = sink_test_start_viewer (test, NULL,
        RTSP_VIEWER_TCP);
    GError *error = NULL;
    RtspUnit *unit;

    assert_viewer (rtsp_viewer_receive_until (viewer, has_picture, NULL,
            SINK_TEST_TIMEOUT / 2, "a picture", &error), error);
    unit = rtsp_record_unit (rtsp_viewer_record (viewer), 0);
    fail_unless (rtsp_unit_is_clean_start (unit) || __i__ == 2);
    fail_unless (i == 0 || (gint32) (unit->rtp_time - last) > 0);
    last = unit->rtp_time;
  }
}

END_TEST;

static Suite *
joining_suite (void)
{
  Suite *suite = suite_create ("joining");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_first_viewer_of_a_fresh_start_loses_no_packet);
  tcase_add_test (tests, test_late_viewers_start_on_a_key_unit_at_once);
  tcase_add_test (tests, test_late_viewer_gets_no_unit_that_was_on_its_way);
  tcase_add_test (tests, test_viewers_that_come_together_share_key_units);
  tcase_add_loop_test (tests, test_play_long_after_setup_starts_now, 0, 2);
  tcase_add_test (tests, test_thirty_visits_do_not_take_longer_and_longer);
  tcase_add_test (tests, test_viewers_that_pause_and_leave_disturb_nobody);
  tcase_add_loop_test (tests, test_play_after_pause_shows_now, 0, 2);
  tcase_add_test (tests, test_play_while_playing_goes_on);
  tcase_add_test (tests, test_every_key_unit_has_its_parameter_sets);
  tcase_add_test (tests, test_late_viewer_can_decode_every_unit);
  tcase_add_test (tests, test_each_frame_goes_out_exactly_once);
  tcase_add_loop_test (tests,
      test_joiners_of_a_quiet_source_get_the_last_picture, 0,
      G_N_ELEMENTS (quiet));
  return suite;
}

CHECK_SUITE (joining);
