/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A thread with a main loop of its own. */

#include <gst/check/gstcheck.h>

#include "base/loop.h"
#include "checksuite.h"

typedef struct
{
  GThread *thread;              /* that ran it last */
  gint n_calls;                 /* atomic */
} Calls;

static void
note_call (gpointer user_data)
{
  Calls *calls = user_data;

  calls->thread = g_thread_self ();
  g_atomic_int_inc (&calls->n_calls);
}

static gboolean
note_dispatch (gpointer user_data)
{
  note_call (user_data);
  return G_SOURCE_REMOVE;
}

static void
note_destroyed (gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
}

GST_START_TEST (test_loop_freed_before_its_start_is_free)
{
  rtsp_sink_loop_free (rtsp_sink_loop_new ());
}

GST_END_TEST;

GST_START_TEST (test_loop_call_runs_on_its_thread_and_is_done_on_return)
{
  RtspSinkLoop *loop = rtsp_sink_loop_new ();
  Calls calls = { NULL, };
  GThread *first;

  rtsp_sink_loop_start (loop);
  rtsp_sink_loop_call (loop, note_call, &calls);
  fail_unless_equals_int (calls.n_calls, 1);
  fail_unless (calls.thread != NULL && calls.thread != g_thread_self ());

  first = calls.thread;
  rtsp_sink_loop_call (loop, note_call, &calls);
  fail_unless_equals_int (calls.n_calls, 2);
  fail_unless (calls.thread == first);
  rtsp_sink_loop_free (loop);
}

GST_END_TEST;

/* Attached before the start runs after it; what is due runs before the end. */
GST_START_TEST (test_loop_source_that_is_due_runs_before_the_end)
{
  RtspSinkLoop *loop = rtsp_sink_loop_new ();
  GSource *source = g_idle_source_new ();
  Calls calls = { NULL, };

  g_source_set_callback (source, note_dispatch, &calls, NULL);
  rtsp_sink_loop_attach (loop, source, "test-due");
  fail_unless_equals_string (g_source_get_name (source), "test-due");
  rtsp_sink_loop_start (loop);
  rtsp_sink_loop_free (loop);

  fail_unless_equals_int (calls.n_calls, 1);
  fail_unless (g_source_is_destroyed (source));
  g_source_unref (source);
}

GST_END_TEST;

/* A timer that is far from due is dropped with its data. */
GST_START_TEST (test_loop_end_drops_what_is_not_due)
{
  RtspSinkLoop *loop = rtsp_sink_loop_new ();
  GSource *source = g_timeout_source_new_seconds (3600);
  gint n_destroyed = 0;

  g_source_set_callback (source, note_dispatch, &n_destroyed, note_destroyed);
  rtsp_sink_loop_attach (loop, source, "test-late");
  g_source_unref (source);
  rtsp_sink_loop_start (loop);
  rtsp_sink_loop_free (loop);
  fail_unless_equals_int (n_destroyed, 1);
}

GST_END_TEST;

static RtspSinkLoop *shared_loop;

static gpointer
call_often (gpointer user_data)
{
  for (guint i = 0; i < 200; i++)
    rtsp_sink_loop_call (shared_loop, note_call, user_data);
  return NULL;
}

GST_START_TEST (test_loop_calls_of_many_threads_all_run)
{
  GThread *threads[4];
  Calls calls = { NULL, };

  shared_loop = rtsp_sink_loop_new ();
  rtsp_sink_loop_start (shared_loop);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", call_often, &calls);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  rtsp_sink_loop_free (shared_loop);
  fail_unless_equals_int (calls.n_calls, 800);
}

GST_END_TEST;

static Suite *
loop_suite (void)
{
  Suite *suite = suite_create ("loop");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, test_loop_freed_before_its_start_is_free);
  tcase_add_test (chain,
      test_loop_call_runs_on_its_thread_and_is_done_on_return);
  tcase_add_test (chain, test_loop_source_that_is_due_runs_before_the_end);
  tcase_add_test (chain, test_loop_end_drops_what_is_not_due);
  tcase_add_test (chain, test_loop_calls_of_many_threads_all_run);

  return suite;
}

CHECK_SUITE (loop);
