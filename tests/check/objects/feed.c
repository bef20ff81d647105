/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A media's feed: what its gate lets through, what RTP-Info is told, what may
 * wait for a media that is slow. Sequence numbers of a viewer's own are in
 * sender.c. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>

#include "checksuite.h"
#include "rtpunits.h"
#include "stream/feed.h"

#define CAPS "application/x-rtp, media=video, encoding-name=H264, " \
    "payload=97, clock-rate=90000, timestamp-offset=(uint)1000"
#define RTP_OFFSET 1000
#define FRAME (40 * GST_MSECOND)
#define FIRST_SEQ 65500         /* of the first packet that goes in */
#define PAYLOAD 64
#define KEY TRUE
#define DELTA FALSE

static RtspSinkMediaClock *media_clock;
static RtspSinkFeed *feed;
static GstHarness *harness;
static GstClock *the_clock;     /* of the media clock */
static GstClockTime now;        /* PTS of the next unit */
static guint16 source_seq;      /* of the next packet */
static gulong block;

static void
setup (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CAPS);

  the_clock = gst_test_clock_new ();
  media_clock = rtsp_sink_media_clock_new ();
  rtsp_sink_media_clock_convert (media_clock, the_clock, 0, 0);
  source_seq = FIRST_SEQ;
  feed = gst_object_ref_sink (rtsp_sink_feed_new ("pay0", media_clock, caps,
          source_seq));
  harness = gst_harness_new_with_element (GST_ELEMENT (feed), NULL, "src");
  gst_harness_play (harness);
  now = GST_SECOND;
  block = 0;
}

static void
teardown (void)
{
  g_clear_pointer (&harness, gst_harness_teardown);
  g_clear_object (&feed);
  g_clear_pointer (&media_clock, rtsp_sink_media_clock_unref);
  g_clear_object (&the_clock);
}

static RtspSinkFeedGate
push_unit (guint n_packets, gsize payload, gboolean key)
{
  GstBufferList *unit = rtp_unit_new (source_seq, n_packets, payload, now,
      key);
  RtspSinkFeedGate gate;

  source_seq += n_packets;
  now += FRAME;
  gate = rtsp_sink_feed_push (feed, unit, key, source_seq);
  gst_buffer_list_unref (unit);
  return gate;
}

static RtspSinkFeedGate
push (gboolean key)
{
  gst_test_clock_advance_time (GST_TEST_CLOCK (the_clock), FRAME);
  return push_unit (1, PAYLOAD, key);
}

/* The next packet that comes out. */
static guint16
pull_seq (void)
{
  GstBuffer *packet = gst_harness_pull (harness);
  guint16 seq;

  fail_unless (packet != NULL);
  seq = rtp_packet_seqnum (packet);
  gst_buffer_unref (packet);
  return seq;
}

static void
expect_seqs (guint16 from, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (pull_seq (), (guint16) (from + i));
}

static guint
next_seq (void)
{
  GstStructure *stats;
  guint seq;

  g_object_get (feed, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint (stats, "seqnum-offset", &seq));
  gst_structure_free (stats);
  return seq;
}

static GstPadProbeReturn
blocked (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_OK;
}

/* The media takes nothing any more. What comes out last may still be on its
 * way: one unit. */
static void
block_media (void)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (feed), "src");

  block = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BLOCK |
      GST_PAD_PROBE_TYPE_BUFFER_LIST, blocked, NULL, NULL);
  gst_object_unref (pad);
}

static void
unblock_media (void)
{
  GstPad *pad = gst_element_get_static_pad (GST_ELEMENT (feed), "src");

  gst_pad_remove_probe (pad, block);
  gst_object_unref (pad);
}

/* Waits until the feed's thread has what lies before it: an event is sent
 * behind it. */
static void
expect_event (GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_pull_event (harness)) != NULL) {
    gboolean found = GST_EVENT_TYPE (event) == type;

    gst_event_unref (event);
    if (found)
      return;
  }
  fail ("no %s came", gst_event_type_get_name (type));
}

GST_START_TEST (test_feed_begins_with_its_events_and_no_packet)
{
  static const GstEventType order[] = { GST_EVENT_STREAM_START,
    GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_GAP
  };

  for (gsize i = 0; i < G_N_ELEMENTS (order); i++) {
    GstEvent *event = gst_harness_pull_event (harness);

    fail_unless (event != NULL);
    fail_unless_equals_int (GST_EVENT_TYPE (event), order[i]);
    gst_event_unref (event);
  }
  fail_unless_equals_int (gst_harness_buffers_received (harness), 0);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (feed),
      RTSP_SINK_FEED_CLOSED);
}

END_TEST;

GST_START_TEST (test_feed_closed_drops_everything)
{
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_CLOSED);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_FEED_CLOSED);
  fail_unless_equals_int (next_seq (), FIRST_SEQ + 2);

  rtsp_sink_feed_open (feed);
  push (KEY);
  expect_seqs (FIRST_SEQ + 2, 1);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 1);
}

END_TEST;

GST_START_TEST (test_feed_open_begins_with_a_key_unit)
{
  rtsp_sink_feed_open (feed);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (feed),
      RTSP_SINK_FEED_WAIT_KEY);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_FEED_WAIT_KEY);
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_FLOW);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_FEED_FLOW);
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_FLOW);
  expect_seqs (FIRST_SEQ + 1, 3);
}

END_TEST;

GST_START_TEST (test_feed_open_twice_goes_on)
{
  rtsp_sink_feed_open (feed);
  push (KEY);
  rtsp_sink_feed_open (feed);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_FEED_FLOW);
}

END_TEST;

/* RTP-Info names the next packet: its number, a time not after its. The library
 * would change that if there were a running time. */
GST_START_TEST (test_feed_stats_tell_the_next_packet)
{
  GstStructure *stats;
  guint clock_rate, seq, timestamp, pt;
  guint64 running_time;

  g_object_get (feed, "stats", &stats, "pt", &pt, NULL);
  fail_unless (gst_structure_get (stats, "clock-rate", G_TYPE_UINT,
          &clock_rate, "seqnum-offset", G_TYPE_UINT, &seq, "timestamp",
          G_TYPE_UINT, &timestamp, "running-time", G_TYPE_UINT64,
          &running_time, NULL));
  gst_structure_free (stats);

  fail_unless_equals_int (pt, 97);
  fail_unless_equals_int (clock_rate, 90000);
  fail_if (GST_CLOCK_TIME_IS_VALID (running_time));
  fail_unless (timestamp >= RTP_OFFSET);
  fail_unless (timestamp - RTP_OFFSET <= gst_util_uint64_scale
      (rtsp_sink_media_clock_now (media_clock), 90000, GST_SECOND));
  fail_unless_equals_int (seq, FIRST_SEQ);

  rtsp_sink_feed_open (feed);
  push_unit (5, PAYLOAD, KEY);
  expect_seqs (seq, 5);
  fail_unless_equals_int (next_seq (), FIRST_SEQ + 5);
}

END_TEST;

/* A viewer may begin with a key unit that a slow media has still to send. */
GST_START_TEST (test_feed_next_time_is_not_after_what_waits)
{
  rtsp_sink_feed_open (feed);
  block_media ();
  for (guint i = 0; i < 5; i++) {
    rtsp_sink_media_clock_convert (media_clock, the_clock, 0, now);
    push (i == 0);
  }
  fail_unless_equals_uint64 (rtsp_sink_feed_get_next_time (feed), GST_SECOND);
  unblock_media ();
  expect_seqs (FIRST_SEQ, 5);
  fail_unless (rtsp_sink_feed_get_next_time (feed) > GST_SECOND);
}

END_TEST;

/* The sender begins with what RTP-Info said, whatever has come since. */
GST_START_TEST (test_feed_remembers_what_it_announced)
{
  push_unit (7, PAYLOAD, KEY);
  fail_unless_equals_int (next_seq (), FIRST_SEQ + 7);
  push_unit (3, PAYLOAD, DELTA);
  fail_unless_equals_int (rtsp_sink_feed_get_announced_seqnum (feed),
      FIRST_SEQ + 7);
  fail_unless_equals_int (next_seq (), FIRST_SEQ + 10);
  fail_unless_equals_int (rtsp_sink_feed_get_announced_seqnum (feed),
      FIRST_SEQ + 10);
}

END_TEST;

/* All viewers of the media share the packets: nothing is copied here. */
/* However often the library asks. */
GST_START_TEST (test_feed_announces_a_viewers_own_number)
{
  push_unit (7, PAYLOAD, KEY);
  rtsp_sink_feed_announce_time (feed, 0);
  rtsp_sink_feed_announce_seqnum (feed, 99);
  fail_unless_equals_int (next_seq (), 99);
  push_unit (3, PAYLOAD, DELTA);
  fail_unless_equals_int (next_seq (), 99);
  fail_unless_equals_int (rtsp_sink_feed_get_announced_seqnum (feed), 99);
  /* the next request is another viewer's */
  rtsp_sink_feed_announce_time (feed, 0);
  fail_unless_equals_int (next_seq (), FIRST_SEQ + 10);
}

END_TEST;

GST_START_TEST (test_feed_hands_on_the_very_packets)
{
  GstBufferList *unit = rtp_unit_new (source_seq, 2, 1000, now, KEY);

  rtsp_sink_feed_open (feed);
  rtsp_sink_feed_push (feed, unit, KEY, source_seq);
  for (guint i = 0; i < 2; i++) {
    GstBuffer *packet = gst_harness_pull (harness);

    fail_unless (packet == gst_buffer_list_get (unit, i));
    fail_unless_equals_int (rtp_packet_seqnum (packet),
        (guint16) (FIRST_SEQ + i));
    gst_buffer_unref (packet);
  }
  gst_buffer_list_unref (unit);
}

END_TEST;

/* Numbers of the payloader run on over what was skipped. */
GST_START_TEST (test_feed_slow_media_skips_to_a_key_unit)
{
  guint n;

  rtsp_sink_feed_open (feed);
  block_media ();
  push (KEY);
  for (n = 1; push (DELTA) == RTSP_SINK_FEED_FLOW; n++)
    fail_unless (n < 1000);
  /* not even a key unit goes to the end of a full queue */
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_SKIPPING);

  unblock_media ();
  expect_seqs (FIRST_SEQ, n);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_FEED_SKIPPING);
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_FLOW);
  fail_unless_equals_int (push (DELTA), RTSP_SINK_FEED_FLOW);
  expect_seqs (FIRST_SEQ + n + 3, 2);
}

END_TEST;

GST_START_TEST (test_feed_queue_is_bounded_in_time)
{
  guint n;

  rtsp_sink_feed_open (feed);
  block_media ();
  push (KEY);
  for (n = 1; push (DELTA) == RTSP_SINK_FEED_FLOW; n++)
    fail_unless (n * FRAME <= 2 * GST_SECOND);
  fail_unless (n * FRAME >= GST_SECOND / 2);
}

END_TEST;

/* A source that was held up sends what is of seconds at once. */
GST_START_TEST (test_feed_burst_is_not_late)
{
  const guint n = 10 * GST_SECOND / FRAME;

  rtsp_sink_feed_open (feed);
  block_media ();
  push_unit (1, PAYLOAD, KEY);
  for (guint i = 1; i < n; i++)
    fail_unless_equals_int (push_unit (1, PAYLOAD, DELTA), RTSP_SINK_FEED_FLOW);
  unblock_media ();
  expect_seqs (FIRST_SEQ, n);
}

END_TEST;

GST_START_TEST (test_feed_queue_is_bounded_in_bytes)
{
  const gsize unit = 1024 * 1024;
  guint n;

  rtsp_sink_feed_open (feed);
  block_media ();
  push_unit (16, unit / 16, KEY);
  for (n = 1; push_unit (16, unit / 16, KEY) == RTSP_SINK_FEED_FLOW; n++)
    fail_unless (n <= 16, "%u MB wait", n);
  fail_unless (n >= 4);
}

END_TEST;

/* However large a unit is (raw video), it goes through when nothing waits. */
GST_START_TEST (test_feed_unit_larger_than_the_queue_goes_through)
{
  rtsp_sink_feed_open (feed);
  for (guint i = 0; i < 3; i++) {
    guint seq = next_seq ();

    fail_unless_equals_int (push_unit (1200, 8000, KEY), RTSP_SINK_FEED_FLOW);
    expect_seqs (seq, 1200);
  }
}

END_TEST;

/* Nothing old comes when a viewer plays again. */
GST_START_TEST (test_feed_close_drops_what_waits)
{
  guint seq;

  rtsp_sink_feed_open (feed);
  block_media ();
  push (KEY);
  for (guint i = 0; i < 10; i++)
    push (DELTA);
  rtsp_sink_feed_close (feed);
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_CLOSED);
  unblock_media ();

  seq = next_seq ();
  rtsp_sink_feed_open (feed);
  push (KEY);
  /* at most the one that was on its way comes before */
  if (pull_seq () != seq)
    fail_unless_equals_int (pull_seq (), seq);
}

END_TEST;

GST_START_TEST (test_feed_caps_change_in_order)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("application/x-rtp, "
      "media=video, encoding-name=RAW, payload=98, clock-rate=45000");
  guint pt;

  rtsp_sink_feed_open (feed);
  push (KEY);
  rtsp_sink_feed_set_caps (feed, caps);
  push (KEY);

  gst_buffer_unref (gst_harness_pull (harness));
  gst_buffer_unref (gst_harness_pull (harness));
  expect_event (GST_EVENT_CAPS);
  expect_event (GST_EVENT_CAPS);
  g_object_get (feed, "pt", &pt, NULL);
  fail_unless_equals_int (pt, 98);
}

END_TEST;

GST_START_TEST (test_feed_end_comes_behind_the_last_unit)
{
  rtsp_sink_feed_open (feed);
  block_media ();
  push (KEY);
  push (DELTA);
  push (DELTA);
  rtsp_sink_feed_end (feed);
  unblock_media ();

  expect_seqs (FIRST_SEQ, 3);
  expect_event (GST_EVENT_EOS);
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_ENDED);
}

END_TEST;

/* A media that has seen nothing gets the end, too, and only once. */
GST_START_TEST (test_feed_end_of_a_closed_feed_is_for_good)
{
  rtsp_sink_feed_end (feed);
  rtsp_sink_feed_end (feed);
  expect_event (GST_EVENT_EOS);

  rtsp_sink_feed_open (feed);
  fail_unless_equals_int (push (KEY), RTSP_SINK_FEED_ENDED);
  rtsp_sink_feed_close (feed);
  fail_unless_equals_int (rtsp_sink_feed_get_gate (feed), RTSP_SINK_FEED_ENDED);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 0);
  fail_unless (gst_harness_try_pull_event (harness) == NULL);
}

END_TEST;

/* Its media plays at once; no seek moves or flushes it. */
GST_START_TEST (test_feed_is_a_live_source)
{
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  g_autoptr (GstQuery) seeking = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean live, seekable = FALSE;
  guint seq = next_seq ();

  fail_unless (gst_pad_peer_query (harness->sinkpad, latency));
  gst_query_parse_latency (latency, &live, NULL, NULL);
  fail_unless (live);
  if (gst_pad_peer_query (harness->sinkpad, seeking))
    gst_query_parse_seeking (seeking, NULL, &seekable, NULL, NULL);
  fail_if (seekable);

  rtsp_sink_feed_open (feed);
  push (KEY);
  gst_element_seek_simple (GST_ELEMENT (feed), GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, 0);
  push (DELTA);
  expect_seqs (seq, 2);
  fail_unless_equals_int (gst_element_set_state (GST_ELEMENT (feed),
          GST_STATE_PAUSED), GST_STATE_CHANGE_NO_PREROLL);
}

END_TEST;

/* A media that is gone: nothing piles up for it. */
GST_START_TEST (test_feed_stopped_keeps_nothing)
{
  GstBufferList *unit = rtp_unit_new (source_seq, 1, PAYLOAD, now, KEY);

  rtsp_sink_feed_open (feed);
  gst_element_set_state (GST_ELEMENT (feed), GST_STATE_READY);
  rtsp_sink_feed_push (feed, unit, KEY, source_seq);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT (unit), 1);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT (gst_buffer_list_get (unit,
              0)), 1);
  gst_buffer_list_unref (unit);
}

END_TEST;

static gpointer
open_and_close (gpointer user_data)
{
  gint *done = user_data;

  while (!g_atomic_int_get (done)) {
    rtsp_sink_feed_open (feed);
    g_thread_yield ();
    rtsp_sink_feed_close (feed);
  }
  return NULL;
}

/* Numbers only go up while another thread opens and closes. */
GST_START_TEST (test_feed_open_and_close_beside_the_sender_keep_the_order)
{
  gint done = 0;
  GThread *thread = g_thread_new ("opener", open_and_close, &done);
  guint16 last = next_seq () - 1;
  GstBuffer *packet;

  for (guint i = 0; i < 20000; i++)
    push (KEY);
  g_atomic_int_set (&done, 1);
  g_thread_join (thread);
  rtsp_sink_feed_end (feed);
  expect_event (GST_EVENT_EOS);

  while ((packet = gst_harness_try_pull (harness)) != NULL) {
    guint16 seq = rtp_packet_seqnum (packet);

    fail_unless ((gint16) (seq - last) > 0);
    last = seq;
    gst_buffer_unref (packet);
  }
}

END_TEST;

static Suite *
feed_suite (void)
{
  Suite *suite = suite_create ("feed");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_feed_begins_with_its_events_and_no_packet);
  tcase_add_test (chain, test_feed_closed_drops_everything);
  tcase_add_test (chain, test_feed_open_begins_with_a_key_unit);
  tcase_add_test (chain, test_feed_open_twice_goes_on);
  tcase_add_test (chain, test_feed_stats_tell_the_next_packet);
  tcase_add_test (chain, test_feed_next_time_is_not_after_what_waits);
  tcase_add_test (chain, test_feed_remembers_what_it_announced);
  tcase_add_test (chain, test_feed_announces_a_viewers_own_number);
  tcase_add_test (chain, test_feed_hands_on_the_very_packets);
  tcase_add_test (chain, test_feed_slow_media_skips_to_a_key_unit);
  tcase_add_test (chain, test_feed_queue_is_bounded_in_time);
  tcase_add_test (chain, test_feed_burst_is_not_late);
  tcase_add_test (chain, test_feed_queue_is_bounded_in_bytes);
  tcase_add_test (chain, test_feed_unit_larger_than_the_queue_goes_through);
  tcase_add_test (chain, test_feed_close_drops_what_waits);
  tcase_add_test (chain, test_feed_caps_change_in_order);
  tcase_add_test (chain, test_feed_end_comes_behind_the_last_unit);
  tcase_add_test (chain, test_feed_end_of_a_closed_feed_is_for_good);
  tcase_add_test (chain, test_feed_is_a_live_source);
  tcase_add_test (chain, test_feed_stopped_keeps_nothing);
  tcase_add_test (chain,
      test_feed_open_and_close_beside_the_sender_keep_the_order);

  return suite;
}

CHECK_SUITE (feed);
