/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What is known of a viewer's TCP connection: what it has not taken, and for how
 * long it has taken nothing; sockets that share a port. */

#include <fcntl.h>
#include <gst/check/gstcheck.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/socket.h"
#include "sinktest.h"
#include "standin.h"

#define SECOND G_TIME_SPAN_SECOND
/* More than the viewer's machine takes by itself, less than ours keeps. */
#define MUCH (128 * 1024)

static StandIn *viewer;
static GSocket *server_socket;
static RtspSinkProgress progress;

static void
setup (void)
{
  viewer = stand_in_new_tcp ();
  server_socket =
      gst_rtsp_connection_get_write_socket (stand_in_connection (viewer));
  progress = (RtspSinkProgress) {
  0, 0};
}

static void
teardown (void)
{
  g_clear_pointer (&viewer, stand_in_free);
}

static void
write_bytes (gsize n)
{
  g_autofree gchar *bytes = g_malloc0 (n);

  fail_unless_equals_int (g_socket_send (server_socket, bytes, n, NULL, NULL),
      n);
}

static gboolean
nothing_is_untaken (gpointer user_data)
{
  return rtsp_sink_socket_count_untaken (server_socket) == 0;
}

static gint64
stall_at (gint64 now)
{
  return rtsp_sink_socket_get_stall (server_socket, &progress, now);
}

/* The stall lasts since the last look that found something taken. Returns
 * whether this one did not. */
static gboolean
check_stall (gint64 now)
{
  RtspSinkProgress before = progress;
  gint64 stall = stall_at (now);

  if (progress.acked > before.acked) {
    fail_unless_equals_int (stall, 0);
    return FALSE;
  }
  fail_unless_equals_int (stall, now - before.time);
  return TRUE;
}

/* Looks until the viewer's machine takes no more by itself. Returns the time
 * then. */
static gint64
wait_full (gint64 now)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;

  stall_at (now);
  do {
    fail_unless (g_get_monotonic_time () < deadline);
    g_usleep (50 * 1000);
  } while (!check_stall (++now));
  return now;
}

GST_START_TEST (test_socket_untaken_is_what_was_written_and_not_taken)
{
  fail_unless_equals_int (rtsp_sink_socket_count_untaken (server_socket), 0);
  write_bytes (MUCH);
  fail_unless (rtsp_sink_socket_count_untaken (server_socket) > 0);
  fail_unless (rtsp_sink_socket_count_untaken (server_socket) <= MUCH);
}

GST_END_TEST;

GST_START_TEST (test_socket_untaken_falls_as_the_viewer_takes)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;

  write_bytes (MUCH);
  while (!nothing_is_untaken (NULL)) {
    fail_unless (g_get_monotonic_time () < deadline);
    stand_in_read (viewer, MUCH);
  }
}

GST_END_TEST;

/* Nobody is slow who has nothing to take. */
GST_START_TEST (test_socket_idle_does_not_stall)
{
  fail_unless_equals_int (stall_at (1 * SECOND), 0);
  fail_unless_equals_int (stall_at (100 * SECOND), 0);
  write_bytes (1);
  sink_test_wait_until (nothing_is_untaken, NULL, SINK_TEST_TIMEOUT,
      "an acknowledgement");
  fail_unless_equals_int (stall_at (200 * SECOND), 0);
}

GST_END_TEST;

GST_START_TEST (test_socket_stalls_since_the_viewer_last_took_something)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  gint64 now;

  write_bytes (MUCH);
  now = wait_full (1 * SECOND);
  while (progress.time + 5 * SECOND > now) {
    fail_unless (g_get_monotonic_time () < deadline);
    now += SECOND;
    check_stall (now);
  }
  /* more that is written is nothing that was taken */
  write_bytes (1000);
  check_stall (now + SECOND);
}

GST_END_TEST;

static gboolean
has_progress (gpointer now)
{
  return stall_at (*(gint64 *) now) == 0;
}

GST_START_TEST (test_socket_viewer_that_takes_something_stalls_no_more)
{
  gint64 now;

  write_bytes (MUCH);
  now = wait_full (1 * SECOND) + 5 * SECOND;
  check_stall (now);
  fail_unless (stand_in_read (viewer, MUCH) > 0);
  sink_test_wait_until (has_progress, &now, SINK_TEST_TIMEOUT, "progress");
}

GST_END_TEST;

/* Small packets do not wait for each other. */
GST_START_TEST (test_socket_set_up_sends_at_once)
{
  gint no_delay, buffer;

  rtsp_sink_socket_set_up (server_socket);
  fail_unless (g_socket_get_option (server_socket, IPPROTO_TCP, TCP_NODELAY,
          &no_delay, NULL));
  fail_unless (no_delay);
  fail_unless (g_socket_get_option (server_socket, SOL_SOCKET, SO_SNDBUF,
          &buffer, NULL));
  /* the kernel counts its own, too */
  fail_unless (buffer <= 2 * 512 * 1024);
}

GST_END_TEST;

static GSocket *
make_datagram_socket (GSocketFamily family)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (family);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, 0);
  GSocket *socket = g_socket_new (family, G_SOCKET_TYPE_DATAGRAM,
      G_SOCKET_PROTOCOL_UDP, NULL);

  fail_unless (g_socket_bind (socket, address, FALSE, NULL));
  return socket;
}

/* Another object, at the same place, which does not block. */
static void
check_beside (GSocket * socket, GSocket * other)
{
  g_autoptr (GSocketAddress) a = g_socket_get_local_address (socket, NULL);
  g_autoptr (GSocketAddress) b = NULL;

  fail_unless (other != NULL);
  b = g_socket_get_local_address (other, NULL);
  fail_unless_equals_int (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS
          (a)), g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (b)));
  fail_unless (g_inet_address_equal (g_inet_socket_address_get_address
          (G_INET_SOCKET_ADDRESS (a)), g_inet_socket_address_get_address
          (G_INET_SOCKET_ADDRESS (b))));
  fail_unless (g_socket_get_fd (other) != g_socket_get_fd (socket));
  fail_unless (fcntl (g_socket_get_fd (other), F_GETFD) & FD_CLOEXEC);
  fail_if (g_socket_get_blocking (other));
  fail_unless (g_socket_get_blocking (socket));
  g_socket_close (other, NULL);
  fail_unless (g_socket_condition_check (socket, G_IO_OUT) == G_IO_OUT);
}

static void
check_datagram_sockets (GSocketFamily family)
{
  g_autoptr (GSocket) socket = make_datagram_socket (family);
  g_autoptr (GSocket) duplicate = rtsp_sink_socket_duplicate (socket);
  g_autoptr (GSocket) first = rtsp_sink_socket_new_beside (socket);
  g_autoptr (GSocket) second = rtsp_sink_socket_new_beside (duplicate);

  check_beside (socket, first);
  check_beside (socket, second);
  check_beside (socket, duplicate);
}

GST_START_TEST (test_socket_for_datagrams_has_others_beside_it)
{
  check_datagram_sockets (G_SOCKET_FAMILY_IPV4);
  if (stand_in_has_ipv6 ())
    check_datagram_sockets (G_SOCKET_FAMILY_IPV6);
}

GST_END_TEST;

static GSocket *
new_tcp (void)
{
  return g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);
}

/* Sends until the kernel takes no more of what nobody reads. */
static void
flood (GSocket * socket)
{
  gchar bytes[4096] = "";

  g_socket_set_blocking (socket, FALSE);
  while (g_socket_send (socket, bytes, sizeof bytes, NULL, NULL) > 0);
}

/* A flood that came before the connection was accepted left 64 KiB, which the
 * library read byte by byte. */
GST_START_TEST (test_socket_that_listens_has_connections_that_hold_little)
{
  g_autoptr (GInetAddress) host =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (host, 0);
  g_autoptr (GSocketAddress) address = NULL;
  g_autoptr (GSocket) peer = new_tcp ();
  g_autoptr (GSocket) listening = new_tcp ();
  g_autoptr (GSocket) connection = NULL;
  guint64 received;

  rtsp_sink_socket_set_up (listening);
  fail_unless (g_socket_bind (listening, any, TRUE, NULL));
  fail_unless (g_socket_listen (listening, NULL));
  address = g_socket_get_local_address (listening, NULL);
  fail_unless (g_socket_connect (peer, address, NULL, NULL));
  flood (peer);
  connection = g_socket_accept (listening, NULL, NULL);

  received = rtsp_sink_socket_count_received (connection);
  fail_unless (received > 0 && received <= 8192, "%" G_GUINT64_FORMAT,
      received);
}

END_TEST;

static Suite *
socket_suite (void)
{
  Suite *suite = suite_create ("socket");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_socket_untaken_is_what_was_written_and_not_taken);
  tcase_add_test (chain, test_socket_untaken_falls_as_the_viewer_takes);
  tcase_add_test (chain, test_socket_idle_does_not_stall);
  tcase_add_test (chain,
      test_socket_stalls_since_the_viewer_last_took_something);
  tcase_add_test (chain,
      test_socket_viewer_that_takes_something_stalls_no_more);
  tcase_add_test (chain, test_socket_set_up_sends_at_once);
  tcase_add_test (chain,
      test_socket_that_listens_has_connections_that_hold_little);
  tcase_add_test (chain, test_socket_for_datagrams_has_others_beside_it);

  return suite;
}

CHECK_SUITE (socket);
