/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The pool of threads that tells who runs where and when all have ended. */

#include "sinktest.h"

#include "server/threadpool.h"

static RtspSinkThreadPool *threads;
static GstRTSPClient *client;
static GstRTSPClient *placed_client;
static GMainContext *placed_context;
static gboolean together;

static void
note_placed (GstRTSPClient * a_client, GMainContext * context)
{
  placed_client = a_client;
  placed_context = context;
}

static gboolean
runs_with_others (GstRTSPClient * a_client)
{
  return together;
}

static const RtspSinkThreadPoolFuncs funcs = { runs_with_others, note_placed };

static void
setup (void)
{
  together = FALSE;
  placed_client = NULL;
  placed_context = NULL;
  threads = rtsp_sink_thread_pool_new (&funcs);
  client = gst_rtsp_client_new ();
}

static void
teardown (void)
{
  g_clear_object (&client);
  g_clear_object (&threads);
}

static gint64
in (gint64 time)
{
  return g_get_monotonic_time () + time;
}

static GstRTSPThread *
get_thread (GstRTSPThreadType type)
{
  GstRTSPContext ctx = {.client = client };
  GstRTSPThread *thread =
      gst_rtsp_thread_pool_get_thread (GST_RTSP_THREAD_POOL (threads), type,
      &ctx);

  fail_unless (thread != NULL);
  return thread;
}

GST_START_TEST (test_threads_none_is_ended_at_once)
{
  fail_unless (rtsp_sink_thread_pool_wait (threads, 0));
}

GST_END_TEST;

GST_START_TEST (test_threads_client_is_told_its_context)
{
  GstRTSPThread *thread = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);

  fail_unless (placed_client == client);
  fail_unless (placed_context == thread->context);
  gst_rtsp_thread_stop (thread);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));
}

GST_END_TEST;

GST_START_TEST (test_threads_media_places_no_client)
{
  GstRTSPThread *thread = get_thread (GST_RTSP_THREAD_TYPE_MEDIA);

  fail_unless (placed_client == NULL);
  gst_rtsp_thread_stop (thread);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));
}

GST_END_TEST;

GST_START_TEST (test_threads_wait_ends_with_the_last_one)
{
  GstRTSPThread *a = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);
  GstRTSPThread *b = get_thread (GST_RTSP_THREAD_TYPE_MEDIA);

  fail_if (rtsp_sink_thread_pool_wait (threads, 0));
  gst_rtsp_thread_stop (a);
  fail_if (rtsp_sink_thread_pool_wait (threads, in (20 * 1000)));
  gst_rtsp_thread_stop (b);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));
}

GST_END_TEST;

/* However many connect. */
GST_START_TEST (test_threads_of_clients_are_bounded)
{
  enum
  { N = 200 };
  GstRTSPThread *taken[N];
  g_autoptr (GHashTable) distinct = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < N; i++) {
    taken[i] = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);
    g_hash_table_add (distinct, taken[i]->context);
  }
  fail_unless (g_hash_table_size (distinct) < N / 2);
  for (guint i = 0; i < N; i++)
    gst_rtsp_thread_stop (taken[i]);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));
}

GST_END_TEST;

/* The two connections of an HTTP tunnel. */
GST_START_TEST (test_threads_of_clients_that_run_with_others_are_one)
{
  GstRTSPThread *alone = get_thread (GST_RTSP_THREAD_TYPE_CLIENT), *a, *b;

  together = TRUE;
  a = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);
  b = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);
  fail_unless (placed_context == b->context);
  fail_unless (a->context == b->context);
  fail_unless (alone->context != b->context);
  gst_rtsp_thread_stop (a);
  gst_rtsp_thread_stop (b);
  gst_rtsp_thread_stop (alone);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));

  a = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);
  fail_if (rtsp_sink_thread_pool_wait (threads, 0));
  gst_rtsp_thread_stop (a);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));
}

GST_END_TEST;

/* Other servers of the process go on meanwhile. */
GST_START_TEST (test_threads_of_another_pool_are_not_waited_for)
{
  g_autoptr (RtspSinkThreadPool) other = rtsp_sink_thread_pool_new (&funcs);
  GstRTSPThread *thread = get_thread (GST_RTSP_THREAD_TYPE_CLIENT);

  fail_unless (rtsp_sink_thread_pool_wait (other, 0));
  gst_rtsp_thread_stop (thread);
  fail_unless (rtsp_sink_thread_pool_wait (threads, in (SINK_TEST_TIMEOUT)));
}

GST_END_TEST;

static Suite *
threads_suite (void)
{
  Suite *suite = suite_create ("threads");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_threads_none_is_ended_at_once);
  tcase_add_test (chain, test_threads_client_is_told_its_context);
  tcase_add_test (chain, test_threads_media_places_no_client);
  tcase_add_test (chain, test_threads_wait_ends_with_the_last_one);
  tcase_add_test (chain, test_threads_of_clients_are_bounded);
  tcase_add_test (chain, test_threads_of_clients_that_run_with_others_are_one);
  tcase_add_test (chain, test_threads_of_another_pool_are_not_waited_for);

  return suite;
}

CHECK_SUITE (threads);
