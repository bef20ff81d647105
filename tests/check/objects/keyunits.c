/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* How often the fan-out asks the encoder for a key unit: whoever joins gets one
 * soon, and many who join or fall behind do not cost all others their picture. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

#include "rtpunits.h"
#include "stream/fanout.h"
#include "sinktest.h"

#define CAPS "application/x-rtp, media=video, encoding-name=H264, " \
    "payload=96, clock-rate=90000"
#define JOIN_INTERVAL (100 * G_TIME_SPAN_MILLISECOND)
#define RECOVERY_INTERVAL (1 * G_TIME_SPAN_SECOND)
#define KEY TRUE
#define DELTA FALSE

/* How finely the test's time goes on. */
#define STEP G_TIME_SPAN_MILLISECOND

static RtspSinkFanout *fanout;
static gint64 monotonic;        /* the time that the fan-out goes by */
static GArray *requests;        /* when they came */
static GstClockTime now;        /* of the next unit */
static GstClock *the_clock;     /* of media time: it shows that of the unit */

static void
note_request (gpointer user_data)
{
  /* no lock is held */
  rtsp_sink_fanout_is_ready (fanout);
  g_array_append_val (requests, monotonic);
}

static void
ignore (gpointer user_data)
{
}

static gint64
get_time (void)
{
  return monotonic;
}

static const RtspSinkFanoutFuncs funcs = {
  note_request,
  ignore,
};

static void
setup (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);

  now = GST_SECOND;
  monotonic = G_USEC_PER_SEC;
  requests = g_array_new (FALSE, FALSE, sizeof monotonic);
  fanout = rtsp_sink_fanout_new (NULL, &funcs, NULL);
  rtsp_sink_fanout_set_time_source (fanout, get_time);
  rtsp_sink_fanout_set_caps (fanout, caps);
  the_clock = gst_test_clock_new ();
  rtsp_sink_media_clock_convert (rtsp_sink_fanout_get_media_clock (fanout),
      the_clock, 0, 0);
}

static void
teardown (void)
{
  g_clear_pointer (&fanout, rtsp_sink_fanout_unref);
  g_clear_pointer (&requests, g_array_unref);
  g_clear_object (&the_clock);
}

static void
send (gboolean key)
{
  GstBufferList *unit = rtp_unit_new (0, 1, 16, now, key);

  now += 40 * GST_MSECOND;
  gst_test_clock_set_time (GST_TEST_CLOCK (the_clock), now);
  rtsp_sink_fanout_send (fanout, unit, key);
  gst_buffer_list_unref (unit);
}

static void
ask_to_begin (void)
{
  rtsp_sink_fanout_request_key_unit (fanout, RTSP_SINK_FANOUT_JOIN);
}

static void
ask_to_recover (void)
{
  rtsp_sink_fanout_request_key_unit (fanout, RTSP_SINK_FANOUT_RECOVERY);
}

static void
send_delta (void)
{
  send (DELTA);
}

/* Acts until that makes another request: not before the interval is over, and at
 * once when it is. */
static void
expect_next_request (void (*act) (void), gint64 interval)
{
  guint n = requests->len;
  gint64 due = g_array_index (requests, gint64, n - 1) + interval;

  for (; monotonic < due; monotonic += STEP) {
    act ();
    fail_unless_equals_int (requests->len, n);
  }
  act ();
  fail_unless_equals_int (requests->len, n + 1);
}

GST_START_TEST (test_keyunits_first_viewer_is_a_request_at_once)
{
  ask_to_begin ();
  fail_unless_equals_int (requests->len, 1);
}

GST_END_TEST;

GST_START_TEST (test_keyunits_viewers_at_once_share_a_request)
{
  for (guint i = 0; i < 50; i++)
    ask_to_begin ();
  fail_unless_equals_int (requests->len, 1);
}

GST_END_TEST;

GST_START_TEST (test_keyunits_joins_are_a_tenth_of_a_second_apart)
{
  ask_to_begin ();
  for (guint i = 0; i < 3; i++)
    expect_next_request (ask_to_begin, JOIN_INTERVAL);
}

GST_END_TEST;

/* One every 20 ms, each on a feed that waits until its key unit is there. */
GST_START_TEST (test_keyunits_fifty_joins_a_second_cost_ten_at_most)
{
  for (guint i = 0; i < 50; i++) {
    ask_to_begin ();
    monotonic += 20 * G_TIME_SPAN_MILLISECOND;
  }
  fail_unless_equals_int (requests->len, 10);
}

GST_END_TEST;

/* Also the viewer who asks by RTCP, as often as it likes. */
GST_START_TEST (test_keyunits_recoveries_are_a_second_apart)
{
  ask_to_recover ();
  fail_unless_equals_int (requests->len, 1);
  expect_next_request (ask_to_recover, RECOVERY_INTERVAL);
}

GST_END_TEST;

/* Who joins gets its picture although another one recovers. */
GST_START_TEST (test_keyunits_join_does_not_wait_as_long_as_a_recovery)
{
  ask_to_recover ();
  expect_next_request (ask_to_begin, JOIN_INTERVAL);
}

GST_END_TEST;

/* The key unit of who joins serves it as well. */
GST_START_TEST (test_keyunits_recovery_waits_a_second_after_a_join)
{
  ask_to_begin ();
  send (KEY);
  expect_next_request (ask_to_recover, RECOVERY_INTERVAL);
}

GST_END_TEST;

/* A request that got lost is repeated, soon if somebody joins; frames without key
 * unit do not make a request each. */
GST_START_TEST (test_keyunits_feed_that_waits_asks_again)
{
  RtspSinkFeed *feed = rtsp_sink_fanout_join (fanout, "pay0");

  rtsp_sink_fanout_open (fanout, feed);
  if (__i__ == 0)
    ask_to_begin ();
  send (DELTA);
  fail_unless_equals_int (requests->len, 1);
  expect_next_request (send_delta, __i__ == 0 ? JOIN_INTERVAL :
      RECOVERY_INTERVAL);

  send (KEY);
  g_array_set_size (requests, 0);
  for (guint i = 0; i < 10; i++)
    send (DELTA);
  fail_unless_equals_int (requests->len, 0);
  rtsp_sink_fanout_leave (fanout, feed);
  gst_object_unref (feed);
}

GST_END_TEST;

#define PEER "192.0.2.1"

/* Returns whether it was a request, at once; the key unit comes. */
static gboolean
begin (const gchar * peer)
{
  guint n = requests->len;

  monotonic += JOIN_INTERVAL;
  rtsp_sink_fanout_request_first (fanout, peer);
  if (requests->len == n)
    return FALSE;
  send (KEY);
  return TRUE;
}

/* However many are of one address. */
GST_START_TEST (test_keyunits_viewers_that_stay_begin_at_once)
{
  for (guint i = 0; i < 8; i++)
    fail_unless (begin (PEER));
}

GST_END_TEST;

/* One after the other; who comes from elsewhere still does. */
GST_START_TEST (test_keyunits_viewers_that_go_again_and_again_wait)
{
  guint n = 0;

  while (begin (PEER)) {
    rtsp_sink_fanout_viewer_gone (fanout, PEER);
    fail_unless (n++ < 10);
  }
  fail_unless (n >= 4, "%u", n);
  fail_unless (begin ("192.0.2.2"));
  expect_next_request (ask_to_recover, RECOVERY_INTERVAL);
}

GST_END_TEST;

/* What is made for another one anyway costs nothing. */
GST_START_TEST (test_keyunits_viewer_that_shares_one_is_not_counted)
{
  fail_unless (rtsp_sink_fanout_request_first (fanout, PEER));
  for (guint i = 0; i < 100; i++)
    fail_if (rtsp_sink_fanout_request_first (fanout, PEER));
  send (KEY);
  fail_unless (rtsp_sink_fanout_request_first (fanout, PEER));
}

GST_END_TEST;

static GstPadProbeReturn
blocked (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_OK;
}

/* Nobody takes from the feed's queue: its media is too slow. */
GST_START_TEST (test_keyunits_feed_that_skips_asks_once_a_second)
{
  RtspSinkFeed *feed = rtsp_sink_fanout_join (fanout, "pay0");
  GstHarness *harness =
      gst_harness_new_with_element (GST_ELEMENT (feed), NULL, "src");

  gst_pad_add_probe (GST_PAD_PEER (harness->sinkpad), GST_PAD_PROBE_TYPE_BLOCK
      | GST_PAD_PROBE_TYPE_BUFFER_LIST, blocked, NULL, NULL);
  gst_harness_play (harness);
  rtsp_sink_fanout_open (fanout, feed);
  send (KEY);
  for (guint i = 0; rtsp_sink_feed_get_gate (feed) == RTSP_SINK_FEED_FLOW; i++) {
    fail_unless (i < 100);
    send (DELTA);
  }
  fail_unless_equals_int (requests->len, 1);
  expect_next_request (send_delta, RECOVERY_INTERVAL);

  rtsp_sink_fanout_leave (fanout, feed);
  gst_harness_teardown (harness);
  gst_object_unref (feed);
}

END_TEST;

GST_START_TEST (test_keyunits_nobody_watches_is_no_request)
{
  RtspSinkFeed *feed = rtsp_sink_fanout_join (fanout, "pay0");

  for (guint i = 0; i < 100; i++)
    send (DELTA);
  fail_unless_equals_int (requests->len, 0);
  rtsp_sink_fanout_leave (fanout, feed);
  gst_object_unref (feed);
}

GST_END_TEST;

/* The encoder of before is gone, and the request that it was given. */
GST_START_TEST (test_keyunits_restart_forgets_the_last_request)
{
  ask_to_begin ();
  rtsp_sink_fanout_restart (fanout);
  ask_to_recover ();
  fail_unless_equals_int (requests->len, 2);
}

GST_END_TEST;

static Suite *
keyunits_suite (void)
{
  Suite *suite = suite_create ("keyunits");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_keyunits_first_viewer_is_a_request_at_once);
  tcase_add_test (chain, test_keyunits_viewers_at_once_share_a_request);
  tcase_add_test (chain, test_keyunits_joins_are_a_tenth_of_a_second_apart);
  tcase_add_test (chain, test_keyunits_fifty_joins_a_second_cost_ten_at_most);
  tcase_add_test (chain, test_keyunits_recoveries_are_a_second_apart);
  tcase_add_test (chain,
      test_keyunits_join_does_not_wait_as_long_as_a_recovery);
  tcase_add_test (chain, test_keyunits_recovery_waits_a_second_after_a_join);
  tcase_add_loop_test (chain, test_keyunits_feed_that_waits_asks_again, 0, 2);
  tcase_add_test (chain, test_keyunits_viewers_that_stay_begin_at_once);
  tcase_add_test (chain, test_keyunits_viewers_that_go_again_and_again_wait);
  tcase_add_test (chain, test_keyunits_viewer_that_shares_one_is_not_counted);
  tcase_add_test (chain, test_keyunits_feed_that_skips_asks_once_a_second);
  tcase_add_test (chain, test_keyunits_nobody_watches_is_no_request);
  tcase_add_test (chain, test_keyunits_restart_forgets_the_last_request);

  return suite;
}

CHECK_SUITE (keyunits);
