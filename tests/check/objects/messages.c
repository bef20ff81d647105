/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Element messages that are posted by another thread, in their order. */

#include "sinktest.h"

#include "element/messages.h"

#define N_MESSAGES 200
#define N_THREADS 4

static RtspSinkMessages messages;
static GstElement *element;
static GstBus *bus;

static void
setup (void)
{
  rtsp_sink_messages_init (&messages);
  element = gst_object_ref_sink (gst_element_factory_make ("fakesink", NULL));
  bus = gst_bus_new ();
  gst_element_set_bus (element, bus);
}

static gboolean
is_alone (gpointer user_data)
{
  return GST_OBJECT_REFCOUNT_VALUE (element) == 1;
}

static void
teardown (void)
{
  /* who posts holds a reference, for the queue is the element's */
  sink_test_wait_until (is_alone, NULL, SINK_TEST_TIMEOUT,
      "the thread that posts");
  gst_element_set_bus (element, NULL);
  g_clear_object (&element);
  g_clear_object (&bus);
  rtsp_sink_messages_clear (&messages);
}

static void
post (guint from, guint number)
{
  rtsp_sink_messages_post (&messages, element, gst_structure_new ("test",
          "from", G_TYPE_UINT, from, "number", G_TYPE_UINT, number, NULL));
}

static gpointer
post_many (gpointer from)
{
  for (guint i = 0; i < N_MESSAGES; i++)
    post (GPOINTER_TO_UINT (from), i);
  return NULL;
}

/* Takes a message; returns its number. */
static guint
take (guint * from)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      SINK_TEST_TIMEOUT * GST_USECOND, GST_MESSAGE_ELEMENT);
  guint number;

  fail_unless (message != NULL);
  fail_unless (GST_MESSAGE_SRC (message) == GST_OBJECT (element));
  fail_unless (gst_structure_get (gst_message_get_structure (message), "from",
          G_TYPE_UINT, from, "number", G_TYPE_UINT, &number, NULL));
  return number;
}

GST_START_TEST (test_messages_come_in_their_order)
{
  guint from;

  post_many (NULL);
  for (guint i = 0; i < N_MESSAGES; i++)
    fail_unless_equals_int (take (&from), i);
}

GST_END_TEST;

GST_START_TEST (test_messages_of_each_thread_come_in_their_order)
{
  GThread *threads[N_THREADS];
  guint next[N_THREADS] = { 0, };

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("poster", post_many, GUINT_TO_POINTER (i));
  for (guint i = 0; i < N_THREADS * N_MESSAGES; i++) {
    guint from, number = take (&from);

    fail_unless_equals_int (number, next[from]);
    next[from]++;
  }
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

GST_END_TEST;

static GMutex gate;

static GstBusSyncReply
wait_at_gate (GstBus * a_bus, GstMessage * message, gpointer poster)
{
  fail_if (g_thread_self () == poster);
  g_mutex_lock (&gate);
  g_mutex_unlock (&gate);
  return GST_BUS_PASS;
}

/* An application that stops the pipeline in a sync handler waits for our
 * threads: they must not wait for it. */
GST_START_TEST (test_messages_do_not_wait_for_the_application)
{
  guint from;

  gst_bus_set_sync_handler (bus, wait_at_gate, g_thread_self (), NULL);
  g_mutex_lock (&gate);
  post_many (NULL);
  g_mutex_unlock (&gate);
  for (guint i = 0; i < N_MESSAGES; i++)
    fail_unless_equals_int (take (&from), i);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
}

GST_END_TEST;

static GstBusSyncReply
answer (GstBus * a_bus, GstMessage * message, gpointer user_data)
{
  guint number;

  if (gst_structure_get_uint (gst_message_get_structure (message), "number",
          &number) && number == 0)
    post (0, 1);
  return GST_BUS_PASS;
}

GST_START_TEST (test_messages_posted_by_a_handler_come_behind)
{
  guint from;

  gst_bus_set_sync_handler (bus, answer, NULL, NULL);
  post (0, 0);
  fail_unless_equals_int (take (&from), 0);
  fail_unless_equals_int (take (&from), 1);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
}

GST_END_TEST;

/* The sentence is the application's to show. */
GST_START_TEST (test_messages_warning_comes_in_its_order)
{
  g_autoptr (GstMessage) warning = NULL;
  g_autoptr (GError) error = NULL;
  guint from;

  post (0, 0);
  rtsp_sink_messages_post_warning (&messages, element, "Too few. Get more.");
  post (0, 1);
  fail_unless_equals_int (take (&from), 0);
  warning = gst_bus_timed_pop (bus, SINK_TEST_TIMEOUT * GST_USECOND);
  fail_unless_equals_int (GST_MESSAGE_TYPE (warning), GST_MESSAGE_WARNING);
  fail_unless (GST_MESSAGE_SRC (warning) == GST_OBJECT (element));
  gst_message_parse_warning (warning, &error, NULL);
  fail_unless_equals_string (error->message, "Too few. Get more.");
  fail_unless (error->domain == GST_RESOURCE_ERROR);
  fail_unless_equals_int (take (&from), 1);
}

GST_END_TEST;

#define MAX_UNREAD 1000
#define N_TOO_MANY 50

/* How many the message tells that there would have been before it. */
static guint
take_missed (void)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop (bus,
      SINK_TEST_TIMEOUT * GST_USECOND);
  guint n = 0;

  fail_unless (message != NULL);
  gst_structure_get_uint (gst_message_get_structure (message), "missed", &n);
  return n;
}

/* An application that does not read its bus gets no more after some; one that reads
 * again is told of what it missed. */
GST_START_TEST (test_messages_that_nobody_reads_are_bounded)
{
  GstMessage *oldest;

  for (guint i = 0; i < MAX_UNREAD + N_TOO_MANY; i++)
    post (0, i);
  oldest = gst_bus_timed_pop (bus, SINK_TEST_TIMEOUT * GST_USECOND);
  /* as long as it is held it counts */
  post (0, 0);
  gst_message_unref (oldest);
  post (0, 0);

  for (guint i = 1; i < MAX_UNREAD; i++)
    fail_unless_equals_int (take_missed (), 0);
  fail_unless_equals_int (take_missed (), N_TOO_MANY + 1);
  fail_if (gst_bus_have_pending (bus));
  post (0, 0);
  fail_unless_equals_int (take_missed (), 0);
}

GST_END_TEST;

GST_START_TEST (test_messages_without_a_bus_are_dropped)
{
  gst_element_set_bus (element, NULL);
  post_many (NULL);
}

GST_END_TEST;

static Suite *
messages_suite (void)
{
  Suite *suite = suite_create ("messages");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_messages_come_in_their_order);
  tcase_add_test (chain, test_messages_of_each_thread_come_in_their_order);
  tcase_add_test (chain, test_messages_do_not_wait_for_the_application);
  tcase_add_test (chain, test_messages_posted_by_a_handler_come_behind);
  tcase_add_test (chain, test_messages_warning_comes_in_its_order);
  tcase_add_test (chain, test_messages_that_nobody_reads_are_bounded);
  tcase_add_test (chain, test_messages_without_a_bus_are_dropped);

  return suite;
}

CHECK_SUITE (messages);
