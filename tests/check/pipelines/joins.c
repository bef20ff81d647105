/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Viewers that join while others watch, on media of their own or on one that all
 * share: each begins at once with a key unit, and who watches already loses
 * nothing. */

#include "mountset.h"
#include "viewerjob.h"

#define CLOCK_RATE 90000
#define RATE 25
#define FRAME_TICKS (CLOCK_RATE / RATE)

/* Of the first picture, beyond what the steady viewer's are. */
#define MAX_AGE 0.2

#define N_TOGETHER 8
#define N_MANY 50
#define MAX_KEY_UNITS_PER_SECOND 10

static const struct
{
  const gchar *properties;
  const gchar *mounts[3];
} servers[] = {
  {"key-unit-interval=10000", {"name=joined shared=false", "name=calm", NULL}},
  {"key-unit-interval=10000", {"name=joined shared=true", "name=calm", NULL}},
  {"key-unit-interval=3600000", {"name=joined shared=false", "name=calm",
          NULL}},
  {"key-unit-interval=3600000", {"name=joined shared=true", "name=calm",
          NULL}},
};

#define FIRST_SHARED 2          /* with the rarest key units */

static MountSet *set;

static void
teardown (void)
{
  g_clear_pointer (&set, mount_set_free);
}

static void
start (guint server)
{
  set = mount_set_new ("videotestsrc is-live=true ! " SMALL_VIDEO,
      servers[server].properties, servers[server].mounts);
}

/* --- one that joins --- */

static RtspViewer *
prepare (RtspViewerTransport transport)
{
  RtspViewer *viewer = rtsp_viewer_new (mount_set_uri (set, 0));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup (viewer, transport, &error), error);
  return viewer;
}

static void
play (RtspViewer * viewer, RtspRtpInfo * info)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  fail_unless (rtsp_viewer_rtp_info (viewer, info));
}

/* RFC 2326, 10.5: the range is optional. To be cleared. */
static void
play_without_range (RtspViewer * viewer, RtspRtpInfo * info)
{
  GError *error = NULL;
  guint status = rtsp_viewer_request (viewer, GST_RTSP_PLAY, NULL, NULL,
      &error);

  assert_viewer (status != 0, error);
  fail_unless_equals_int (status, GST_RTSP_STS_OK);
  fail_unless (rtsp_rtp_info_parse (rtsp_viewer_header (viewer,
              GST_RTSP_HDR_RTP_INFO), info));
}

/* Everything from the first packet on. */
static void
check_start (RtspViewer * viewer, const RtspRtpInfo * info)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  RtspUnit *unit;
  gint32 ticks;

  sink_test_receive (viewer, 5);
  unit = rtsp_record_unit (record, 0);
  fail_unless (rtsp_unit_is_clean_start (unit));
  fail_unless_equals_int (unit->first_seq, info->seq);
  ticks = unit->rtp_time - info->rtptime;
  fail_unless (ticks >= 0
      && ticks < CLOCK_RATE / 2 * sink_test_time_factor (), "%d ticks", ticks);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
}

/* How much later than an undisturbed viewer it got its first picture. */
static void
check_age (RtspUnit * unit, RtspRecord * reference)
{
  RtspUnit *other = rtsp_record_unit (reference, 0);
  gint32 ticks = unit->rtp_time - other->rtp_time;
  gdouble late = (unit->arrival - other->arrival) / 1e6
      - ticks / (gdouble) CLOCK_RATE;

  fail_unless (late < MAX_AGE * sink_test_time_factor (),
      "the first picture is %.3f s old", late);
}

/* --- those who watch already --- */

/* A new key unit is no reason for another time. */
static void
check_steps (RtspRecord * record)
{
  for (guint i = 1; i < rtsp_record_count (record); i++) {
    gint32 step = rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time;

    fail_unless ((step + 90) % FRAME_TICKS <= 180, "step %u is of %d ticks",
        i, step);
  }
}

static void
check_steady (const gchar * beside)
{
  mount_set_check (set, beside);
  for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++)
    check_steps (mount_set_record (set, 0, k));
}

static guint
count_key_units (RtspRecord * record)
{
  guint n = 0;

  for (guint i = 0; i < rtsp_record_count (record); i++)
    n += rtsp_record_unit (record, i)->key;
  return n;
}

/* --- the tests --- */

GST_START_TEST (test_each_joins_with_a_key_unit_and_the_number_it_was_told)
{
  RtspViewer *viewers[8];

  start (__i__);
  mount_set_watch (set);
  for (guint i = 0; i < G_N_ELEMENTS (viewers); i++) {
    RtspRtpInfo info = { NULL, };

    viewers[i] = prepare (i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    if (i / 2 % 2) {
      play_without_range (viewers[i], &info);
      check_start (viewers[i], &info);
      rtsp_rtp_info_clear (&info);
    } else {
      play (viewers[i], &info);
      check_start (viewers[i], &info);
    }
  }
  mount_set_unwatch (set);
  check_steady ("joins");
  for (guint i = 0; i < G_N_ELEMENTS (viewers); i++) {
    check_age (rtsp_record_unit (rtsp_viewer_record (viewers[i]), 0),
        mount_set_record (set, 0, MOUNT_SET_UDP));
    rtsp_viewer_free (viewers[i]);
  }
}

END_TEST;

/* All ask before any has got a frame. */
GST_START_TEST (test_those_that_join_together_share_a_key_unit)
{
  RtspViewer *viewers[N_TOGETHER];
  g_autoptr (GHashTable) begins = g_hash_table_new (NULL, NULL);
  GError *error = NULL;
  gint64 begin, time;
  guint i;

  start (FIRST_SHARED + __i__);
  for (i = 0; i < N_TOGETHER; i++)
    viewers[i] = prepare (i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  mount_set_watch (set);
  begin = g_get_monotonic_time ();
  for (i = 0; i < N_TOGETHER; i++)
    assert_viewer (rtsp_viewer_send_request (viewers[i], GST_RTSP_PLAY, NULL,
            NULL, &error), error);
  for (i = 0; i < N_TOGETHER; i++)
    fail_unless_equals_int (rtsp_viewer_wait_response (viewers[i], &error),
        GST_RTSP_STS_OK);
  time = g_get_monotonic_time () - begin;
  for (i = 0; i < N_TOGETHER; i++) {
    RtspUnit *unit;

    sink_test_receive (viewers[i], 2);
    unit = rtsp_record_unit (rtsp_viewer_record (viewers[i]), 0);
    fail_unless (rtsp_unit_is_clean_start (unit));
    g_hash_table_add (begins, GUINT_TO_POINTER (unit->rtp_time));
  }
  mount_set_unwatch (set);
  check_steady ("joins");
  /* one, and one for who came just behind it; a slow machine spreads them */
  fail_unless (g_hash_table_size (begins) <= 2 + time / (100 * 1000),
      "%u key units for joins within %.3f s", g_hash_table_size (begins),
      time / 1e6);
  for (i = 0; i < N_TOGETHER; i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

/* In every frame interval two more ask, for a second. */
static void
ask_in_turn (RtspViewer ** viewers)
{
  GError *error = NULL;
  guint i;

  for (i = 0; i < N_MANY; i++) {
    if (i % 2 == 0)
      mount_set_wait_frames (set, 1);
    assert_viewer (rtsp_viewer_send_request (viewers[i], GST_RTSP_PLAY, NULL,
            NULL, &error), error);
  }
  for (i = 0; i < N_MANY; i++)
    fail_unless_equals_int (rtsp_viewer_wait_response (viewers[i], &error),
        GST_RTSP_STS_OK);
}

GST_START_TEST (test_fifty_joins_in_a_second_cost_ten_key_units)
{
  RtspViewer *viewers[N_MANY];
  guint i, n_keys;
  gint64 begin;
  gdouble seconds;

  start (FIRST_SHARED + __i__);
  for (i = 0; i < N_MANY; i++)
    viewers[i] = prepare (i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
  mount_set_watch (set);
  begin = g_get_monotonic_time ();
  ask_in_turn (viewers);
  seconds = (g_get_monotonic_time () - begin) / 1e6;
  for (i = 0; i < N_MANY; i++) {
    sink_test_receive (viewers[i], 2);
    fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit
            (rtsp_viewer_record (viewers[i]), 0)), "viewer %u", i);
  }
  mount_set_unwatch (set);
  check_steady ("fifty joins");
  /* and those of the two that watch */
  n_keys = count_key_units (mount_set_record (set, 0, MOUNT_SET_TCP));
  fail_unless (n_keys <= 2 + MAX_KEY_UNITS_PER_SECOND * seconds + 2,
      "%u key units in %.1f s", n_keys, seconds);
  for (i = 0; i < N_MANY; i++)
    rtsp_viewer_free (viewers[i]);
}

END_TEST;

/* A crowd, each from its connection on. */
GST_START_TEST (test_fifty_that_come_at_once_all_begin_with_a_key_unit)
{
  ViewerJob *jobs[N_MANY];
  guint i;

  start (FIRST_SHARED + __i__);
  mount_set_watch (set);
  for (i = 0; i < N_MANY; i++)
    jobs[i] = viewer_job_start (mount_set_uri (set, 0), i % 2 ?
        viewer_job_play_udp : viewer_job_play_tcp, GUINT_TO_POINTER (5));
  for (i = 0; i < N_MANY; i++) {
    GError *error = NULL;
    g_autoptr (RtspViewer) viewer = viewer_job_join (jobs[i], &error);
    RtspRtpInfo info;

    assert_viewer (viewer != NULL, error);
    fail_unless (rtsp_viewer_rtp_info (viewer, &info));
    check_start (viewer, &info);
  }
  mount_set_unwatch (set);
  check_steady ("fifty joins");
}

END_TEST;

/* H16, where the media goes on for others meanwhile. */
GST_START_TEST (test_play_after_pause_is_a_join)
{
  RtspViewerTransport transport = __i__ % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GArray) begins = g_array_new (FALSE, FALSE, sizeof (RtspUnit));
  GError *error = NULL;
  RtspRecord *record;
  RtspRtpInfo info;

  start (FIRST_SHARED + __i__ / 2);
  mount_set_watch (set);
  viewer = prepare (transport);
  record = rtsp_viewer_record (viewer);
  for (guint i = 0; i < 4; i++) {
    play (viewer, &info);
    /* Nothing of before follows the answer. */
    rtsp_record_clear (record);
    check_start (viewer, &info);
    g_array_append_val (begins, *rtsp_record_unit (record, 0));
    assert_viewer (rtsp_viewer_pause (viewer, &error), error);
    if (transport == RTSP_VIEWER_UDP)
      /* What was sent before the answer may come after it. */
      assert_viewer (rtsp_viewer_receive_for (viewer, 50 * 1000, &error),
          error);
    rtsp_record_clear (record);
    assert_viewer (rtsp_viewer_receive_for (viewer, 300 * 1000, &error), error);
    fail_unless_equals_int (record->n_packets, 0);
  }
  mount_set_unwatch (set);
  check_steady ("PAUSE and PLAY");
  for (guint i = 0; i < begins->len; i++)
    check_age (&g_array_index (begins, RtspUnit, i), mount_set_record (set, 0,
            MOUNT_SET_UDP));
}

END_TEST;

/* Nobody watches for a while: what waited is not what the next one sees. */
GST_START_TEST (test_first_picture_after_an_idle_time_is_fresh)
{
  start (FIRST_SHARED + __i__);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (RtspViewer) first = prepare (i % 2 ? RTSP_VIEWER_UDP :
        RTSP_VIEWER_TCP);
    g_autoptr (RtspViewer) reference = NULL;
    RtspUnit *unit;
    GError *error = NULL;
    RtspRtpInfo info;

    g_usleep (1500 * 1000);     /* the idle time, and no wait */
    play (first, &info);
    check_start (first, &info);
    reference = prepare (RTSP_VIEWER_TCP);
    play (reference, &info);
    sink_test_receive (reference, 10);
    unit = rtsp_record_unit (rtsp_viewer_record (first), 0);
    fail_unless (unit->arrival - rtsp_viewer_play_time (first)
        < MAX_AGE * G_USEC_PER_SEC * sink_test_time_factor ());
    check_age (unit, rtsp_viewer_record (reference));
    assert_viewer (rtsp_viewer_teardown (first, &error), error);
    assert_viewer (rtsp_viewer_teardown (reference, &error), error);
  }
}

END_TEST;

static Suite *
joins_suite (void)
{
  Suite *suite = suite_create ("joins");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests,
      test_each_joins_with_a_key_unit_and_the_number_it_was_told, 0,
      G_N_ELEMENTS (servers));
  tcase_add_loop_test (tests, test_those_that_join_together_share_a_key_unit, 0,
      2);
  tcase_add_loop_test (tests, test_fifty_joins_in_a_second_cost_ten_key_units,
      0, 2);
  tcase_add_loop_test (tests,
      test_fifty_that_come_at_once_all_begin_with_a_key_unit, 0, 2);
  tcase_add_loop_test (tests, test_play_after_pause_is_a_join, 0, 4);
  tcase_add_loop_test (tests, test_first_picture_after_an_idle_time_is_fresh, 0,
      2);
  return suite;
}

CHECK_SUITE (joins);
