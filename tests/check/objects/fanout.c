/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The fan-out: who may join when, who gets what, the end. What key units
 * viewers cost is in keyunits.c. */

#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>

#include "stream/fanout.h"
#include "sinktest.h"

#define CAPS "application/x-rtp, media=video, encoding-name=H264, " \
    "payload=96, clock-rate=90000"
#define RAW_CAPS "application/x-rtp, media=video, encoding-name=RAW, " \
    "payload=98, clock-rate=90000"
#define FIRST_SEQNUM 65000
#define KEY TRUE
#define DELTA FALSE

static RtspSinkFanout *fanout;
static gint n_ready;            /* atomic */
static guint16 next_seqnum;

static void
ignore_request (gpointer user_data)
{
  /* no lock is held */
  rtsp_sink_fanout_is_ready (fanout);
}

static void
count_ready (gpointer user_data)
{
  /* no lock is held */
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
  g_atomic_int_inc (&n_ready);
}

static const RtspSinkFanoutFuncs funcs = {
  ignore_request,
  count_ready,
};

static void
setup (void)
{
  n_ready = 0;
  next_seqnum = FIRST_SEQNUM;
  fanout = rtsp_sink_fanout_new (NULL, &funcs, NULL);
}

static void
teardown (void)
{
  g_clear_pointer (&fanout, rtsp_sink_fanout_unref);
}

static void
set_caps (const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  rtsp_sink_fanout_set_caps (fanout, caps);
}

static GstBuffer *
make_packet (void)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (16, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  fail_unless (gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp));
  gst_rtp_buffer_set_seq (&rtp, next_seqnum++);
  gst_rtp_buffer_unmap (&rtp);
  GST_BUFFER_PTS (packet) = 0;
  return packet;
}

/* A unit of two packets. */
static void
send (gboolean key)
{
  GstBufferList *unit = gst_buffer_list_new ();

  gst_buffer_list_add (unit, make_packet ());
  gst_buffer_list_add (unit, make_packet ());
  rtsp_sink_fanout_send (fanout, unit, key);
  gst_buffer_list_unref (unit);
}

static guint16
announced_seqnum (RtspSinkFeed * feed)
{
  GstStructure *stats;

  g_object_get (feed, "stats", &stats, NULL);
  gst_structure_free (stats);
  return rtsp_sink_feed_get_announced_seqnum (feed);
}

static RtspSinkFeed *
join (void)
{
  RtspSinkFeed *feed = rtsp_sink_fanout_join (fanout, "pay0");

  fail_unless (feed != NULL);
  return feed;
}

static void
leave (RtspSinkFeed * feed)
{
  rtsp_sink_fanout_leave (fanout, feed);
  ASSERT_OBJECT_REFCOUNT (feed, "feed", 1);
  gst_object_unref (feed);
}

/* In a pipeline, whose thread takes what is sent. */
static void
run (RtspSinkFeed * feed, GstElement ** pipeline)
{
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);

  *pipeline = gst_pipeline_new (NULL);
  gst_bin_add_many (GST_BIN (*pipeline), GST_ELEMENT (feed), sink, NULL);
  fail_unless (gst_element_link (GST_ELEMENT (feed), sink));
  gst_element_set_state (*pipeline, GST_STATE_PLAYING);
}

static void
stop (GstElement * pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

GST_START_TEST (test_fanout_without_caps_is_not_ready)
{
  fail_if (rtsp_sink_fanout_is_ready (fanout));
  fail_unless_equals_int (n_ready, 0);
}

GST_END_TEST;

GST_START_TEST (test_fanout_is_ready_with_caps_and_says_so_once)
{
  RtspSinkFeed *feed;

  set_caps (CAPS);
  set_caps (CAPS);
  set_caps (RAW_CAPS);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
  fail_unless_equals_int (n_ready, 1);

  feed = join ();
  fail_unless_equals_int (rtsp_sink_feed_get_gate (feed),
      RTSP_SINK_FEED_CLOSED);
  fail_unless_equals_string (GST_OBJECT_NAME (feed), "pay0");
  leave (feed);
}

GST_END_TEST;

GST_START_TEST (test_fanout_knows_whether_anybody_plays)
{
  RtspSinkFeed *a, *b;

  set_caps (CAPS);
  a = join ();
  b = join ();
  fail_if (rtsp_sink_fanout_has_viewers (fanout));

  rtsp_sink_fanout_open (fanout, a);
  rtsp_sink_fanout_open (fanout, b);
  rtsp_sink_fanout_open (fanout, b);
  fail_unless (rtsp_sink_fanout_has_viewers (fanout));

  rtsp_sink_fanout_close (fanout, a);
  fail_unless (rtsp_sink_fanout_has_viewers (fanout));
  leave (b);
  fail_if (rtsp_sink_fanout_has_viewers (fanout));
  leave (a);
}

GST_END_TEST;

GST_START_TEST (test_fanout_leaving_twice_is_leaving_once)
{
  RtspSinkFeed *feed, *other;

  set_caps (CAPS);
  feed = join ();
  other = join ();
  rtsp_sink_fanout_open (fanout, feed);
  rtsp_sink_fanout_open (fanout, other);
  rtsp_sink_fanout_leave (fanout, feed);
  leave (feed);
  fail_unless (rtsp_sink_fanout_has_viewers (fanout));
  leave (other);
}

GST_END_TEST;

/* What a viewer is told to be its first packet's. */
GST_START_TEST (test_fanout_new_feed_begins_behind_what_was_sent)
{
  RtspSinkFeed *early, *late;

  set_caps (CAPS);
  send (KEY);
  early = join ();
  fail_unless_equals_int (announced_seqnum (early), FIRST_SEQNUM + 2);
  send (DELTA);
  late = join ();
  fail_unless_equals_int (announced_seqnum (late), FIRST_SEQNUM + 4);
  fail_unless_equals_int (announced_seqnum (early), FIRST_SEQNUM + 4);
  leave (early);
  leave (late);
}

GST_END_TEST;

GST_START_TEST (test_fanout_key_unit_opens_all_who_wait)
{
  RtspSinkFeed *a, *b, *closed;

  set_caps (CAPS);
  a = join ();
  b = join ();
  closed = join ();
  rtsp_sink_fanout_open (fanout, a);
  rtsp_sink_fanout_open (fanout, b);
  send (DELTA);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (a), RTSP_SINK_FEED_WAIT_KEY);
  send (KEY);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (a), RTSP_SINK_FEED_FLOW);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (b), RTSP_SINK_FEED_FLOW);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (closed),
      RTSP_SINK_FEED_CLOSED);
  leave (a);
  leave (b);
  leave (closed);
}

GST_END_TEST;

/* What comes in band needs no new description. */
GST_START_TEST (test_fanout_parameter_sets_change_and_viewers_go_on)
{
  RtspSinkFeed *old, *new;

  set_caps (CAPS ", sprop-parameter-sets=(string)\"Z0I=,aM4=\"");
  old = join ();
  rtsp_sink_fanout_open (fanout, old);
  send (KEY);
  set_caps (CAPS ", sprop-parameter-sets=(string)\"Z0LA,aM4=\"");
  new = join ();
  fail_unless_equals_int (rtsp_sink_feed_get_gate (old), RTSP_SINK_FEED_FLOW);
  fail_unless_equals_int (n_ready, 1);
  leave (old);
  leave (new);
}

GST_END_TEST;

/* A viewer was told once what it gets: it is ended, and may come again. */
GST_START_TEST (test_fanout_codec_changes_and_viewers_are_ended)
{
  RtspSinkFeed *old, *new;
  guint pt;

  set_caps (CAPS);
  old = join ();
  rtsp_sink_fanout_open (fanout, old);
  send (KEY);
  set_caps (RAW_CAPS);
  new = join ();
  fail_unless_equals_int (rtsp_sink_feed_get_gate (old), RTSP_SINK_FEED_ENDED);
  fail_if (rtsp_sink_fanout_has_viewers (fanout));
  g_object_get (new, "pt", &pt, NULL);
  fail_unless_equals_int (pt, 98);

  rtsp_sink_fanout_open (fanout, new);
  send (KEY);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (new), RTSP_SINK_FEED_FLOW);
  leave (old);
  leave (new);
}

GST_END_TEST;

GST_START_TEST (test_fanout_end_is_for_all_and_for_who_joins_after)
{
  RtspSinkFeed *playing, *prepared, *late;

  set_caps (CAPS);
  playing = join ();
  prepared = join ();
  rtsp_sink_fanout_open (fanout, playing);
  send (KEY);
  rtsp_sink_fanout_end (fanout);

  fail_unless_equals_int (rtsp_sink_feed_get_gate (playing),
      RTSP_SINK_FEED_ENDED);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (prepared),
      RTSP_SINK_FEED_ENDED);
  fail_if (rtsp_sink_fanout_has_viewers (fanout));
  fail_if (rtsp_sink_fanout_is_ready (fanout));
  /* who joins just now, and who plays what has ended */
  late = join ();
  rtsp_sink_fanout_open (fanout, late);
  rtsp_sink_fanout_open (fanout, prepared);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (late), RTSP_SINK_FEED_ENDED);
  fail_if (rtsp_sink_fanout_has_viewers (fanout));
  leave (playing);
  leave (prepared);
  leave (late);
}

GST_END_TEST;

GST_START_TEST (test_fanout_restart_waits_for_new_caps)
{
  set_caps (CAPS);
  rtsp_sink_fanout_end (fanout);
  rtsp_sink_fanout_restart (fanout);
  /* the caps of before may be wrong now */
  fail_if (rtsp_sink_fanout_is_ready (fanout));

  set_caps (CAPS);
  fail_unless (rtsp_sink_fanout_is_ready (fanout));
  fail_unless_equals_int (n_ready, 2);
  leave (join ());
}

GST_END_TEST;

static gpointer
end_and_wait (gpointer user_data)
{
  gint64 start = g_get_monotonic_time ();

  rtsp_sink_fanout_end (fanout);
  rtsp_sink_fanout_wait_drained (fanout);
  return GSIZE_TO_POINTER (g_get_monotonic_time () - start);
}

static gboolean
has_ended (gpointer feed)
{
  return rtsp_sink_feed_get_gate (feed) == RTSP_SINK_FEED_ENDED;
}

/* A thread that ends the fan-out, with one viewer who has got something. */
static GThread *
start_ending (RtspSinkFeed ** feed)
{
  GThread *thread;

  set_caps (CAPS);
  *feed = join ();
  rtsp_sink_fanout_open (fanout, *feed);
  send (KEY);
  thread = g_thread_new ("ender", end_and_wait, NULL);
  sink_test_wait_until (has_ended, *feed, SINK_TEST_TIMEOUT, "the end");
  return thread;
}

/* Well below the half second after which it gives up. */
static gboolean
was_quick (GThread * thread)
{
  gsize waited = GPOINTER_TO_SIZE (g_thread_join (thread));

  return waited < 400 * 1000 * sink_test_time_factor ();
}

GST_START_TEST (test_fanout_end_waits_until_it_is_drained)
{
  RtspSinkFeed *feed;
  GThread *thread = start_ending (&feed);

  rtsp_sink_fanout_drained (fanout, feed);
  fail_unless (was_quick (thread));
  leave (feed);
}

GST_END_TEST;

GST_START_TEST (test_fanout_end_does_not_wait_for_who_leaves)
{
  RtspSinkFeed *feed;
  GThread *thread = start_ending (&feed);

  leave (feed);
  fail_unless (was_quick (thread));
}

GST_END_TEST;

GST_START_TEST (test_fanout_end_does_not_wait_for_who_got_nothing)
{
  RtspSinkFeed *waiting, *prepared;

  set_caps (CAPS);
  waiting = join ();
  prepared = join ();
  rtsp_sink_fanout_open (fanout, waiting);
  fail_unless (was_quick (g_thread_new ("ender", end_and_wait, NULL)));
  leave (waiting);
  leave (prepared);
}

GST_END_TEST;

/* A viewer that is stuck. */
GST_START_TEST (test_fanout_end_gives_up_after_half_a_second)
{
  RtspSinkFeed *feed;
  GThread *thread = start_ending (&feed);
  gsize waited = GPOINTER_TO_SIZE (g_thread_join (thread));

  fail_unless (waited >= 450 * 1000);
  leave (feed);
}

GST_END_TEST;

/* GstBaseSink calls unlock_stop right behind unlock. */
GST_START_TEST (test_fanout_end_stops_to_wait_when_flushing)
{
  RtspSinkFeed *feed;
  GThread *thread = start_ending (&feed);

  rtsp_sink_fanout_set_flushing (fanout, TRUE);
  rtsp_sink_fanout_set_flushing (fanout, FALSE);
  fail_unless (was_quick (thread));
  leave (feed);
}

GST_END_TEST;

static gint done;               /* atomic */

static gpointer
come_and_go (gpointer user_data)
{
  guint n = 0;

  for (; !g_atomic_int_get (&done) || n == 0; n++) {
    RtspSinkFeed *feed = rtsp_sink_fanout_join (fanout, "pay0");
    GstElement *pipeline;

    run (feed, &pipeline);
    for (guint i = 0; i < n % 3; i++) {
      rtsp_sink_fanout_open (fanout, feed);
      g_thread_yield ();
      rtsp_sink_fanout_close (fanout, feed);
    }
    rtsp_sink_fanout_open (fanout, feed);
    if (n % 2)
      stop (pipeline);
    rtsp_sink_fanout_leave (fanout, feed);
    if (n % 2 == 0)
      stop (pipeline);
    gst_object_unref (feed);
  }
  return NULL;
}

GST_START_TEST (test_fanout_viewers_come_and_go_beside_the_sender)
{
  GThread *threads[4];

  done = 0;
  set_caps (CAPS);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("viewer", come_and_go, NULL);
  for (guint i = 0; i < 2000; i++) {
    send (i % 10 == 0);
    if (i % 100 == 0)
      set_caps (i % 200 ? CAPS : RAW_CAPS);
    if (i % 500 == 499) {
      rtsp_sink_fanout_end (fanout);
      rtsp_sink_fanout_set_flushing (fanout, TRUE);
      rtsp_sink_fanout_wait_drained (fanout);
      rtsp_sink_fanout_set_flushing (fanout, FALSE);
      rtsp_sink_fanout_restart (fanout);
      set_caps (CAPS);
    }
  }
  g_atomic_int_set (&done, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);

  fail_if (rtsp_sink_fanout_has_viewers (fanout));
}

GST_END_TEST;

static Suite *
fanout_suite (void)
{
  Suite *suite = suite_create ("fanout");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_fanout_without_caps_is_not_ready);
  tcase_add_test (chain, test_fanout_is_ready_with_caps_and_says_so_once);
  tcase_add_test (chain, test_fanout_knows_whether_anybody_plays);
  tcase_add_test (chain, test_fanout_leaving_twice_is_leaving_once);
  tcase_add_test (chain, test_fanout_new_feed_begins_behind_what_was_sent);
  tcase_add_test (chain, test_fanout_key_unit_opens_all_who_wait);
  tcase_add_test (chain, test_fanout_parameter_sets_change_and_viewers_go_on);
  tcase_add_test (chain, test_fanout_codec_changes_and_viewers_are_ended);
  tcase_add_test (chain, test_fanout_end_is_for_all_and_for_who_joins_after);
  tcase_add_test (chain, test_fanout_restart_waits_for_new_caps);
  tcase_add_test (chain, test_fanout_end_waits_until_it_is_drained);
  tcase_add_test (chain, test_fanout_end_does_not_wait_for_who_leaves);
  tcase_add_test (chain, test_fanout_end_does_not_wait_for_who_got_nothing);
  tcase_add_test (chain, test_fanout_end_gives_up_after_half_a_second);
  tcase_add_test (chain, test_fanout_end_stops_to_wait_when_flushing);
  tcase_add_test (chain, test_fanout_viewers_come_and_go_beside_the_sender);

  return suite;
}

CHECK_SUITE (fanout);
