/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Waiting for the time of a frame. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "time/pacing.h"

static GstElement *element;
static RtspSinkPacing *pacing;

static void
setup (void)
{
  g_autoptr (GstClock) clock = gst_system_clock_obtain ();

  element = gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  gst_element_set_clock (element, clock);
  gst_element_set_base_time (element, gst_clock_get_time (clock));
  pacing = rtsp_sink_pacing_new (element);
  rtsp_sink_pacing_set_playing (pacing, TRUE);
}

static void
teardown (void)
{
  rtsp_sink_pacing_free (pacing);
  gst_object_unref (element);
}

/* The thread that is to wait has a frame already, but does not wait yet. */
GST_START_TEST (test_pacing_interrupt_before_the_wait_ends_it_once)
{
  rtsp_sink_pacing_interrupt (pacing);
  fail_unless (rtsp_sink_pacing_wait (pacing, GST_SECOND)
      == RTSP_SINK_PACING_INTERRUPTED);
  fail_unless (rtsp_sink_pacing_wait (pacing, 0) == GST_FLOW_OK);
}

END_TEST;

static gpointer
interrupt (gpointer user_data)
{
  rtsp_sink_pacing_interrupt (pacing);
  return NULL;
}

GST_START_TEST (test_pacing_interrupt_ends_a_wait)
{
  GThread *thread = g_thread_new ("interrupt", interrupt, NULL);

  fail_unless (rtsp_sink_pacing_wait (pacing, GST_SECOND * 1000)
      == RTSP_SINK_PACING_INTERRUPTED);
  g_thread_join (thread);
}

END_TEST;

/* A pipeline that is paused takes what comes. */
GST_START_TEST (test_pacing_interrupt_while_paused_is_over_with_the_next_wait)
{
  rtsp_sink_pacing_set_playing (pacing, FALSE);
  rtsp_sink_pacing_interrupt (pacing);
  fail_unless (rtsp_sink_pacing_wait (pacing, GST_SECOND)
      == RTSP_SINK_PACING_INTERRUPTED);
  fail_unless (rtsp_sink_pacing_wait (pacing, GST_SECOND) == GST_FLOW_OK);
}

END_TEST;

static Suite *
pacing_suite (void)
{
  Suite *suite = suite_create ("pacing");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_pacing_interrupt_before_the_wait_ends_it_once);
  tcase_add_test (chain, test_pacing_interrupt_ends_a_wait);
  tcase_add_test (chain,
      test_pacing_interrupt_while_paused_is_over_with_the_next_wait);
  return suite;
}

CHECK_SUITE (pacing);
