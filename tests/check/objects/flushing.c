/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Flushes that come at the same time. */

#include <gst/check/gstcheck.h>

#include "base/flushing.h"
#include "checksuite.h"

static RtspSinkFlushing flushing;
static gint ended;              /* atomic: the flush of our own */

static void
setup (void)
{
  ended = FALSE;
  rtsp_sink_flushing_init (&flushing);
}

static void
teardown (void)
{
  rtsp_sink_flushing_clear (&flushing);
}

GST_START_TEST (test_flushing_own_is_left_out_beside_one_from_upstream)
{
  rtsp_sink_flushing_start (&flushing);
  fail_if (rtsp_sink_flushing_begin_own (&flushing));
  rtsp_sink_flushing_stop (&flushing);
  fail_unless (rtsp_sink_flushing_begin_own (&flushing));
  rtsp_sink_flushing_end_own (&flushing);
}

GST_END_TEST;

static gpointer
flush_from_upstream (gpointer unused)
{
  rtsp_sink_flushing_start (&flushing);
  return GINT_TO_POINTER (g_atomic_int_get (&ended));
}

static gboolean
upstream_has_begun (void)
{
  gboolean begun;

  g_mutex_lock (&flushing.lock);
  begun = flushing.upstream;
  g_mutex_unlock (&flushing.lock);
  return begun;
}

GST_START_TEST (test_flushing_from_upstream_waits_for_the_end_of_our_own)
{
  GThread *thread;

  fail_unless (rtsp_sink_flushing_begin_own (&flushing));
  thread = g_thread_new ("upstream", flush_from_upstream, NULL);
  while (!upstream_has_begun ())
    g_thread_yield ();
  g_atomic_int_set (&ended, TRUE);
  rtsp_sink_flushing_end_own (&flushing);
  fail_unless (GPOINTER_TO_INT (g_thread_join (thread)));
  /* its stop is still to come */
  fail_if (rtsp_sink_flushing_begin_own (&flushing));
}

GST_END_TEST;

static Suite *
flushing_suite (void)
{
  Suite *suite = suite_create ("flushing");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests,
      test_flushing_own_is_left_out_beside_one_from_upstream);
  tcase_add_loop_test (tests,
      test_flushing_from_upstream_waits_for_the_end_of_our_own, 0, 10);
  return suite;
}

CHECK_SUITE (flushing);
