/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The streams of an element: what can be offered, and what is waited for. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "stream/streams.h"

#define N 2

static RtspSinkStreams *streams;
static RtspSinkFanout *fanouts[N];
static GstPad *pads[N];
static GstPad *peers[N];

static void
ignore (gpointer user_data)
{
}

static const RtspSinkFanoutFuncs funcs = { NULL, ignore };

static void
setup (void)
{
  streams = rtsp_sink_streams_new ();
  for (guint i = 0; i < N; i++) {
    fanouts[i] = rtsp_sink_fanout_new (i > 0 ? fanouts[0] : NULL, &funcs, NULL);
    pads[i] = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SINK));
    peers[i] = gst_object_ref_sink (gst_pad_new (NULL, GST_PAD_SRC));
    gst_pad_link (peers[i], pads[i]);
    rtsp_sink_streams_add (streams, fanouts[i], pads[i]);
  }
}

static void
teardown (void)
{
  g_clear_pointer (&streams, rtsp_sink_streams_free);
  for (guint i = 0; i < N; i++) {
    gst_pad_unlink (peers[i], pads[i]);
    g_clear_pointer (&fanouts[i], rtsp_sink_fanout_unref);
    ASSERT_OBJECT_REFCOUNT (pads[i], "pad", 1);
    g_clear_object (&pads[i]);
    g_clear_object (&peers[i]);
  }
}

static void
tell_caps (guint i)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("application/x-rtp, "
      "payload=(int)96, clock-rate=(int)90000");

  rtsp_sink_fanout_set_caps (fanouts[i], caps);
}

static void
expect_offered (RtspSinkFanout * first, RtspSinkFanout * second)
{
  g_autoptr (GPtrArray) offered = rtsp_sink_streams_ref_offered (streams);
  guint n = (first != NULL) + (second != NULL);

  fail_unless_equals_int (offered->len, n);
  if (n > 0)
    fail_unless (g_ptr_array_index (offered, 0) == first);
  if (n > 1)
    fail_unless (g_ptr_array_index (offered, 1) == second);
}

GST_START_TEST (test_streams_are_ready_when_all_that_are_linked_are)
{
  fail_if (rtsp_sink_streams_is_ready (streams, FALSE));
  expect_offered (NULL, NULL);
  tell_caps (0);
  fail_if (rtsp_sink_streams_is_ready (streams, FALSE));
  expect_offered (fanouts[0], NULL);
  tell_caps (1);
  fail_unless (rtsp_sink_streams_is_ready (streams, FALSE));
  expect_offered (fanouts[0], fanouts[1]);
}

GST_END_TEST;

GST_START_TEST (test_streams_that_are_late_are_not_waited_for)
{
  fail_if (rtsp_sink_streams_is_ready (streams, TRUE));
  tell_caps (1);
  fail_unless (rtsp_sink_streams_is_ready (streams, TRUE));
  expect_offered (fanouts[1], NULL);
}

GST_END_TEST;

GST_START_TEST (test_streams_that_are_not_linked_are_not_waited_for)
{
  tell_caps (1);
  gst_pad_unlink (peers[0], pads[0]);
  fail_unless (rtsp_sink_streams_is_ready (streams, FALSE));
}

GST_END_TEST;

GST_START_TEST (test_streams_that_ended_are_neither_offered_nor_waited_for)
{
  tell_caps (0);
  tell_caps (1);
  rtsp_sink_fanout_end (fanouts[1]);
  fail_unless (rtsp_sink_streams_is_ready (streams, FALSE));
  expect_offered (fanouts[0], NULL);
  rtsp_sink_fanout_end (fanouts[0]);
  fail_if (rtsp_sink_streams_is_ready (streams, TRUE));
  expect_offered (NULL, NULL);
}

GST_END_TEST;

GST_START_TEST (test_streams_that_are_removed_are_gone)
{
  tell_caps (0);
  tell_caps (1);
  rtsp_sink_streams_remove (streams, fanouts[1]);
  rtsp_sink_streams_remove (streams, fanouts[1]);
  fail_unless (rtsp_sink_streams_is_ready (streams, FALSE));
  expect_offered (fanouts[0], NULL);
}

GST_END_TEST;

/* What is of one time on one is of that on the other; each has its own newest. */
GST_START_TEST (test_streams_are_on_one_time_axis)
{
  RtspSinkMediaClock *a = rtsp_sink_fanout_get_media_clock (fanouts[0]);
  RtspSinkMediaClock *b = rtsp_sink_fanout_get_media_clock (fanouts[1]);
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();
  GstClockTime base = gst_clock_get_time (clock);

  assert_equals_uint64 (rtsp_sink_media_clock_convert (a, clock, base,
          5 * GST_SECOND), 5 * GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_convert (b, clock, base,
          3 * GST_SECOND), 3 * GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_newest (a), 5 * GST_SECOND);
  assert_equals_uint64 (rtsp_sink_media_clock_newest (b), 3 * GST_SECOND);
  fail_unless (rtsp_sink_streams_get_media_clock (streams) == a);
}

GST_END_TEST;

static Suite *
streams_suite (void)
{
  Suite *suite = suite_create ("streams");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_streams_are_ready_when_all_that_are_linked_are);
  tcase_add_test (chain, test_streams_that_are_late_are_not_waited_for);
  tcase_add_test (chain, test_streams_that_are_not_linked_are_not_waited_for);
  tcase_add_test (chain,
      test_streams_that_ended_are_neither_offered_nor_waited_for);
  tcase_add_test (chain, test_streams_that_are_removed_are_gone);
  tcase_add_test (chain, test_streams_are_on_one_time_axis);

  return suite;
}

CHECK_SUITE (streams);
