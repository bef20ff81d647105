/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer that takes less than it is sent: it skips, or is sent away; who feeds
 * and who else watches, on the same media or another, does not feel it. */

#include "hostileviewer.h"
#include "mountset.h"
#include "viewerlog.h"

#define CLOCK_RATE 90000
#define RATE 25
#define FRAME_TICKS (CLOCK_RATE / RATE)

/* Noise does not compress: the encoder sends what it may. */
#define HEAVY "videotestsrc is-live=true pattern=snow ! video/x-raw," \
    "format=I420,width=320,height=240,framerate=25/1"
#define RARE_KEY_UNITS "key-unit-interval=600000 bitrate=8000000"

/* Some segments of the loopback. */
#define SMALL_BUFFER (64 * 1024)
#define LARGE_BUFFER (2 * 1024 * 1024)

#define HALF_RATE (8000000 / 8 / 1400 / 2)      /* packets a second */

#define N_SLOW 4

static const gchar *const mounts[] = {
  "name=own shared=false",
  "name=shared shared=true",
  "name=own-raw shared=false codec=raw",
  "name=shared-raw shared=true codec=raw",
  "name=calm",
  NULL
};

static const gchar *const one_mount[] = { "name=one", "name=calm", NULL };

static MountSet *set;
static ViewerLog *notes;
static RtspViewer *slow[N_SLOW];

static void
teardown (void)
{
  for (guint i = 0; i < N_SLOW; i++)
    g_clear_pointer (&slow[i], rtsp_viewer_free);
  g_clear_pointer (&notes, viewer_log_free);
  g_clear_pointer (&set, mount_set_free);
}

static void
start (const gchar * properties, const gchar * const *all)
{
  g_autofree gchar *more = g_strconcat (RARE_KEY_UNITS " ", properties, NULL);

  set = mount_set_new (HEAVY, more, all);
}

static RtspViewer *
start_slow_viewer (guint mount, RtspViewerTransport transport, gint buffer)
{
  RtspViewer *viewer = rtsp_viewer_new (mount_set_uri (set, mount));
  GError *error = NULL;

  rtsp_viewer_set_tunneled (viewer, transport == RTSP_VIEWER_HTTP);
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  rtsp_viewer_set_receive_buffer (viewer, buffer);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup_tcp (viewer, 0, &error), error);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  return viewer;
}

static void
start_slow_viewers (RtspViewerTransport transport)
{
  for (guint i = 0; i < mount_set_n_disturbed (set); i++)
    slow[i] = start_slow_viewer (i, transport, SMALL_BUFFER);
}

/* --- what the element tells of its viewers --- */

/* The newest viewer's. Transfer full. */
static GstStructure *
describe_newest (guint mount)
{
  GstStructure *audience = NULL, *newest = NULL;
  const GValue *viewers;
  guint max_id = 0;

  g_signal_emit_by_name (mount_set_element (set, mount), "get-viewers",
      &audience);
  viewers = gst_structure_get_value (audience, "viewers");
  for (guint i = 0; i < gst_value_array_get_size (viewers); i++) {
    GstStructure *viewer =
        g_value_get_boxed (gst_value_array_get_value (viewers, i));
    guint id = 0;

    gst_structure_get_uint (viewer, "id", &id);
    if (id < max_id)
      continue;
    max_id = id;
    g_clear_pointer (&newest, gst_structure_free);
    newest = gst_structure_copy (viewer);
  }
  gst_structure_free (audience);
  return newest;
}

static gboolean
newest_is_in_state (guint mount, const gchar * state)
{
  g_autoptr (GstStructure) viewer = describe_newest (mount);

  return viewer != NULL && g_str_equal (gst_structure_get_string (viewer,
          "state"), state);
}

static gdouble
newest_delay (guint mount)
{
  g_autoptr (GstStructure) viewer = describe_newest (mount);
  guint64 delay = 0;

  fail_unless (gst_structure_get_uint64 (viewer, "delay", &delay));
  return delay / (gdouble) GST_SECOND;
}

static guint
newest_skips (guint mount)
{
  g_autoptr (GstStructure) viewer = describe_newest (mount);
  guint skips = 0;

  fail_unless (gst_structure_get_uint (viewer, "skips", &skips));
  return skips;
}

static gboolean
all_are_skipping (gpointer data)
{
  for (guint i = 0; i < mount_set_n_disturbed (set); i++) {
    if (!newest_is_in_state (i, "skipping"))
      return FALSE;
  }
  return TRUE;
}

/* --- what they get --- */

/* In order and without gap; where frames were left out it goes on with a key
 * unit. Returns how often that was. */
static guint
check_slow_record (RtspRecord * record)
{
  guint n_jumps = 0;

  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless_equals_int (record->n_reordered, 0);
  fail_unless_equals_int (record->n_malformed, 0);
  fail_unless (rtsp_record_times_rise (record));
  for (guint i = 1; i < rtsp_record_count (record); i++) {
    RtspUnit *unit = rtsp_record_unit (record, i);

    if (unit->rtp_time - rtsp_record_unit (record, i - 1)->rtp_time
        <= 10 * FRAME_TICKS)
      continue;
    n_jumps++;
    fail_unless (!record->h264 || rtsp_unit_is_clean_start (unit),
        "unit %u after a jump", i);
  }
  return n_jumps;
}

static guint
count_key_units (RtspRecord * record)
{
  guint n = 0;

  for (guint i = 0; i < rtsp_record_count (record); i++)
    n += rtsp_record_unit (record, i)->key;
  return n;
}

/* When a unit that was captured with another's came to a viewer that reads at
 * once: by how much later, in seconds. */
static gdouble
lateness (RtspUnit * unit, RtspRecord * reference)
{
  RtspUnit *other = rtsp_record_unit (reference, 0);
  gint32 ticks = unit->rtp_time - other->rtp_time;

  return (unit->arrival - other->arrival) / 1e6 - ticks / (gdouble) CLOCK_RATE;
}

static gdouble
max_lateness (RtspRecord * record, RtspRecord * reference)
{
  gdouble max = 0;

  for (guint i = 0; i < rtsp_record_count (record); i++)
    max = MAX (max, lateness (rtsp_record_unit (record, i), reference));
  return max;
}

static gboolean
has_packets (RtspViewer * viewer, gpointer n)
{
  return rtsp_viewer_record (viewer)->n_packets >= GPOINTER_TO_UINT (n);
}

/* Takes one packet, if it comes soon. */
static gboolean
take_packet (RtspViewer * viewer)
{
  guint n = rtsp_viewer_record (viewer)->n_packets + 1;

  return rtsp_viewer_receive_until (viewer, has_packets, GUINT_TO_POINTER (n),
      20 * 1000, "a packet", NULL);
}

/* Reads so many packets a second, for some seconds. */
static void
read_slowly (RtspViewer * viewer, guint rate, gdouble seconds)
{
  gint64 begin = g_get_monotonic_time ();
  guint n = 0;

  while (n < rate * seconds) {
    gint64 due = begin + n++ * G_USEC_PER_SEC / rate;
    gint64 now = g_get_monotonic_time ();

    /* this is its pace, and waits for nothing */
    if (due > now)
      g_usleep (due - now);
    take_packet (viewer);
  }
}

/* --- one that takes nothing --- */

static void
check_bounds (guint rss_before)
{
  for (guint i = 0; i < mount_set_n_disturbed (set); i++) {
    fail_unless (newest_skips (i) >= 1);
    fail_unless (newest_delay (i) >= 1, "%s: a delay of %.3f s",
        mounts[i], newest_delay (i));
  }
#ifndef __SANITIZE_ADDRESS__
  /* 20 MB and 60 MB are what two of each may take */
  fail_unless (proc_rss_kb () < rss_before + 2 * (20 + 60) * 1024,
      "%u kB became %u kB", rss_before, proc_rss_kb ());
#endif
}

static const RtspViewerTransport slow_transports[] = {
  RTSP_VIEWER_TCP, RTSP_VIEWER_HTTP
};

GST_START_TEST (test_stalled_viewer_disturbs_nobody)
{
  guint before;

  start ("", mounts);
  mount_set_watch (set);
  before = proc_rss_kb ();
  start_slow_viewers (slow_transports[__i__]);
  sink_test_wait_until (all_are_skipping, NULL, SINK_TEST_TIMEOUT,
      "stalled viewers to skip");
  mount_set_wait_frames (set, 50);
  check_bounds (before);
  mount_set_unwatch (set);
  mount_set_check (set, "a stalled viewer");
  /* Three joins; it asks for none while it takes nothing. */
  for (guint i = 0; i < 2; i++)
    fail_unless (count_key_units (mount_set_record (set, i, MOUNT_SET_UDP))
        <= 4);
}

END_TEST;

/* The kernel of a viewer says that it takes something once half of its buffer is
 * free: with the buffers here each second or so. */
static const struct
{
  guint rate;                   /* bytes a second */
  const gchar *properties;
} readers[] = {
  {10 * 1024, ""},
  {100 * 1024, "viewer-stall-timeout=2000"},
};

/* It is not sent away, for it takes something. */
GST_START_TEST (test_viewer_that_takes_little_disturbs_nobody)
{
  start (readers[__i__].properties, mounts);
  mount_set_watch (set);
  start_slow_viewers (RTSP_VIEWER_TCP);
  for (guint n = 0; n < 20; n++) {
    for (guint i = 0; i < N_SLOW; i++)
      hostile_swallow (slow[i], readers[__i__].rate / 5);
    mount_set_wait_frames (set, 5);
  }
  for (guint i = 0; i < N_SLOW; i++)
    fail_unless_equals_int (sink_test_num_viewers (mount_set_test (set),
            mount_set_name (set, i)), 3);
  mount_set_unwatch (set);
  mount_set_check (set, "a viewer that takes little");
}

END_TEST;

/* Reported: packets are taken from the backlog while the socket is still full. */
GST_START_TEST (test_viewer_that_reads_again_gets_all_in_order)
{
  start ("", mounts);
  mount_set_watch (set);
  start_slow_viewers (RTSP_VIEWER_TCP);
  mount_set_wait_frames (set, 3 * RATE);
  for (guint i = 0; i < N_SLOW; i++) {
    RtspRecord *record = rtsp_viewer_record (slow[i]);
    GError *error = NULL;

    assert_viewer (rtsp_viewer_receive_for (slow[i], G_USEC_PER_SEC, &error),
        error);
    assert_viewer (rtsp_viewer_receive_units (slow[i],
            rtsp_record_count (record) + 5, SINK_TEST_TIMEOUT, &error), error);
    fail_unless (check_slow_record (record) >= 1, "%s: no jump", mounts[i]);
    /* It is up to date again. */
    fail_unless (newest_is_in_state (i, "playing"));
    fail_unless (newest_delay (i) < 0.5 * sink_test_time_factor ());
  }
  mount_set_unwatch (set);
  mount_set_check (set, "a viewer that stalls and reads again");
}

END_TEST;

GST_START_TEST (test_viewer_that_stays_stalled_is_removed_as_slow)
{
  gint64 begin;

  start ("viewer-stall-timeout=1000", mounts);
  notes = viewer_log_new (mount_set_test (set));
  mount_set_watch (set);
  start_slow_viewers (RTSP_VIEWER_TCP);
  begin = g_get_monotonic_time ();
  for (guint i = 0; i < N_SLOW; i++)
    fail_unless_equals_string (viewer_log_wait (notes, "removed", i)->reason,
        "slow");
  fail_unless (g_get_monotonic_time () - begin
      < 4 * G_USEC_PER_SEC * sink_test_time_factor ());
  mount_set_wait_frames (set, 10);
  mount_set_unwatch (set);
  mount_set_check (set, "viewers that were sent away");
  fail_unless_equals_int (viewer_log_count (notes, "removed"), N_SLOW);
}

END_TEST;

/* --- how old a picture can get --- */

/* What its machine has taken counts as taken: the server's own socket would hold
 * five seconds of this. */
GST_START_TEST (test_delay_is_of_what_the_viewer_has_not_taken)
{
  set = mount_set_new (HEAVY, "key-unit-interval=600000 bitrate=800000 "
      "viewer-max-delay=500 shared=true", one_mount);
  mount_set_watch (set);
  slow[0] = start_slow_viewer (0, RTSP_VIEWER_TCP, 16 * 1024);
  mount_set_wait_frames (set, 2 * RATE);
  fail_unless (newest_is_in_state (0, "skipping"));
  fail_unless (newest_delay (0) > 0.5);
  fail_unless (newest_delay (0) < 3 * sink_test_time_factor (), "%.3f s",
      newest_delay (0));

  slow[1] = start_slow_viewer (0, RTSP_VIEWER_TCP, LARGE_BUFFER);
  mount_set_wait_frames (set, 2 * RATE);
  fail_unless (newest_is_in_state (0, "playing"));
  fail_unless (newest_delay (0) < 0.4 * sink_test_time_factor (), "%.3f s",
      newest_delay (0));
  mount_set_unwatch (set);
  mount_set_check (set, "one that does not read and one that need not");
}

END_TEST;

/* At half the rate of what it is sent: it sees some of it, and none too late. */
GST_START_TEST (test_viewer_of_half_the_rate_gets_nothing_older_than_the_delay)
{
  RtspRecord *record;
  gdouble late;

  start (__i__ ? "viewer-max-delay=500 shared=true" :
      "viewer-max-delay=500 shared=false", one_mount);
  mount_set_watch (set);
  slow[0] = start_slow_viewer (0, RTSP_VIEWER_TCP, SMALL_BUFFER);
  record = rtsp_viewer_record (slow[0]);
  read_slowly (slow[0], HALF_RATE, 5);
  fail_unless (check_slow_record (record) >= 1);
  fail_unless (newest_skips (0) >= 2);
  mount_set_unwatch (set);
  mount_set_check (set, "a viewer of half the rate");
  /* and what its own buffer and the server's socket hold, and a key unit */
  late = max_lateness (record, mount_set_record (set, 0, MOUNT_SET_UDP));
  fail_unless (late < (0.5 + 0.6) * sink_test_time_factor (), "%.3f s late",
      late);
}

END_TEST;

/* It falls behind several times a second. */
GST_START_TEST (test_viewer_that_is_always_slow_costs_one_key_unit_a_second)
{
  gint64 begin;
  gdouble seconds;
  guint n_keys;

  start (__i__ ? "viewer-max-delay=80 shared=true" :
      "viewer-max-delay=80 shared=false", one_mount);
  mount_set_watch (set);
  slow[0] = start_slow_viewer (0, RTSP_VIEWER_TCP, SMALL_BUFFER);
  begin = g_get_monotonic_time ();
  read_slowly (slow[0], HALF_RATE, 4);
  seconds = (g_get_monotonic_time () - begin) / 1e6;
  fail_unless (newest_skips (0) >= 3, "%u skips", newest_skips (0));
  mount_set_unwatch (set);
  mount_set_check (set, "a viewer that is always slow");
  check_slow_record (rtsp_viewer_record (slow[0]));
  /* and those of three joins */
  n_keys = count_key_units (mount_set_record (set, 0, MOUNT_SET_UDP));
  fail_unless (n_keys <= 3 + seconds + 1, "%u key units in %.1f s", n_keys,
      seconds);
}

END_TEST;

static Suite *
slow_suite (void)
{
  Suite *suite = suite_create ("slow");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_stalled_viewer_disturbs_nobody, 0,
      G_N_ELEMENTS (slow_transports));
  tcase_add_loop_test (tests, test_viewer_that_takes_little_disturbs_nobody, 0,
      G_N_ELEMENTS (readers));
  tcase_add_test (tests, test_viewer_that_reads_again_gets_all_in_order);
  tcase_add_test (tests, test_viewer_that_stays_stalled_is_removed_as_slow);
  tcase_add_test (tests, test_delay_is_of_what_the_viewer_has_not_taken);
  tcase_add_loop_test (tests,
      test_viewer_of_half_the_rate_gets_nothing_older_than_the_delay, 0, 2);
  tcase_add_loop_test (tests,
      test_viewer_that_is_always_slow_costs_one_key_unit_a_second, 0, 2);
  return suite;
}

CHECK_SUITE (slow);
