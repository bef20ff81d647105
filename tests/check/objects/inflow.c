/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* How much comes on connections: looked at while there are any, and only then. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "server/inflow.h"

/* More than a viewer may say at once. */
#define TOO_MUCH (40 * 1024)

static GMainContext *context;
static RtspSinkInflow *inflow;
static guint n_flooded;

static void
count_flooded (GSocket * socket, gpointer user_data)
{
  n_flooded++;
}

static void
setup (void)
{
  context = g_main_context_new ();
  g_main_context_push_thread_default (context);
  inflow = rtsp_sink_inflow_new (count_flooded, NULL);
  n_flooded = 0;
}

static void
teardown (void)
{
  rtsp_sink_inflow_free (inflow);
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
}

static GSocket *
new_socket (void)
{
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);

  fail_unless (socket != NULL);
  return socket;
}

static GSocket *
add_socket (void)
{
  GSocket *socket = new_socket ();

  rtsp_sink_inflow_add (inflow, socket);
  return socket;
}

/* Whether the thread of the context would wake up by itself. */
static gboolean
wakes_up (void)
{
  GPollFD fds[8];
  gint priority, timeout;

  fail_unless (g_main_context_acquire (context));
  g_main_context_prepare (context, &priority);
  g_main_context_query (context, G_MAXINT, &timeout, fds, G_N_ELEMENTS (fds));
  g_main_context_release (context);
  return timeout >= 0;
}

GST_START_TEST (test_inflow_sleeps_without_connections)
{
  g_autoptr (GSocket) first = NULL;
  g_autoptr (GSocket) second = NULL;

  fail_if (wakes_up ());
  first = add_socket ();
  second = add_socket ();
  fail_unless (wakes_up ());

  g_clear_object (&first);
  g_main_context_iteration (context, TRUE);
  fail_unless (wakes_up ());

  g_clear_object (&second);
  g_main_context_iteration (context, TRUE);
  fail_if (wakes_up ());

  first = add_socket ();
  fail_unless (wakes_up ());
  fail_unless_equals_int (n_flooded, 0);
}

GST_END_TEST;

/* Returns the server's side. */
static GSocket *
connect_to (GSocket * viewer)
{
  g_autoptr (GInetAddress) loopback =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;
  g_autoptr (GSocket) listener = new_socket ();

  fail_unless (g_socket_bind (listener, any, FALSE, NULL));
  fail_unless (g_socket_listen (listener, NULL));
  bound = g_socket_get_local_address (listener, NULL);
  fail_unless (g_socket_connect (viewer, bound, NULL, NULL));
  return g_socket_accept (listener, NULL, NULL);
}

GST_START_TEST (test_inflow_ends_a_connection_once)
{
  g_autofree gchar *bytes = g_malloc0 (TOO_MUCH);
  g_autoptr (GSocket) viewer = new_socket ();
  g_autoptr (GSocket) socket = connect_to (viewer);

  rtsp_sink_inflow_add (inflow, socket);
  fail_unless_equals_int (g_socket_send (viewer, bytes, TOO_MUCH, NULL, NULL),
      TOO_MUCH);
  while (n_flooded == 0)
    g_main_context_iteration (context, TRUE);
  fail_if (wakes_up ());
  fail_unless_equals_int (n_flooded, 1);
}

GST_END_TEST;

static Suite *
inflow_suite (void)
{
  Suite *suite = suite_create ("inflow");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_inflow_sleeps_without_connections);
  tcase_add_test (chain, test_inflow_ends_a_connection_once);
  return suite;
}

CHECK_SUITE (inflow);
