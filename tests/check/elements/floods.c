/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* More than a server should be given: huge bodies, many connections, no
 * descriptors left. It lives, stays small, and serves who behaves. */

#include "sinktest.h"

#include "rtspviewer-private.h"

#include <gio/gnetworking.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIVE "videotestsrc name=source is-live=true ! " SMALL_VIDEO " ! rtspserversink"

#define N_CONNECTIONS 300
#define FLOOD (300 * 1024 * 1024)
#define FLOOD_LIMIT_KB (5 * 1024)

/* Those that answer requests are shared from some number on; a viewer's own and
 * what the library keeps come on top. Who says nothing has none. */
#define MAX_THREADS 80
#define MAX_IDLE_THREADS 20

/* More than are let wait until they say something. */
#define N_SILENT 700
#define MAX_SILENT 600

/* Descriptors that the shortage leaves to the server, and connections that want
 * more. */
#define FEW_FDS 150
#define MANY_CONNECTIONS 400

static SinkTest *test;
static pid_t crowd;

static void
setup (void)
{
  test = sink_test_new (LIVE);
  sink_test_play (test);
}

static void
end_crowd (void)
{
  if (crowd <= 0)
    return;
  kill (crowd, SIGKILL);
  waitpid (crowd, NULL, 0);
  crowd = 0;
}

static void
teardown (void)
{
  end_crowd ();
  g_clear_pointer (&test, sink_test_free);
}

static void
expect_viewer_plays (void)
{
  RtspViewer *viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, 3, SINK_TEST_TIMEOUT,
          &error), error);
  rtsp_viewer_free (viewer);
}

/* H15: the announced body is sent until the server has enough of it. */
static gsize
send_body (RtspViewer * viewer, gsize size)
{
  GSocket *socket = rtsp_viewer_socket (viewer);
  g_autofree gchar *block = g_malloc0 (64 * 1024);
  gsize sent = 0;

  g_socket_set_blocking (socket, TRUE);
  g_socket_set_timeout (socket, 5);
  while (sent < size) {
    gssize n = g_socket_send (socket, block, 64 * 1024, NULL, NULL);

    if (n <= 0)
      break;
    sent += n;
  }
  return sent;
}

GST_START_TEST (test_body_of_300_mb_is_not_kept)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_OPTIONS,
    GST_RTSP_SET_PARAMETER, GST_RTSP_ANNOUNCE
  };
  static const gchar *const headers[] = { "Content-Length", "1900000000",
    NULL
  };
  guint rss;

  expect_viewer_plays ();
  rss = proc_rss_kb ();
  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++) {
    RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
    GError *error = NULL;

    assert_viewer (rtsp_viewer_connect (viewer, &error)
        && rtsp_viewer_send_request (viewer, methods[i], NULL, headers,
            &error), error);
    send_body (viewer, FLOOD);
    fail_unless (proc_rss_kb () < rss + FLOOD_LIMIT_KB, "%u kB more",
        proc_rss_kb () - rss);
    rtsp_viewer_free (viewer);
  }
  expect_viewer_plays ();
}

END_TEST;

/* Connects, and says @text or nothing. Raw system calls only: it runs in a process
 * that was forked of one with threads. */
static gboolean
open_connection (guint port, const gchar * text)
{
  struct sockaddr_in address = {.sin_family = AF_INET,
    .sin_port = GUINT16_TO_BE (port),
    .sin_addr.s_addr = GUINT32_TO_BE (INADDR_LOOPBACK)
  };
  int fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  return connect (fd, (struct sockaddr *) &address, sizeof address) == 0
      && (text == NULL || send (fd, text, strlen (text), MSG_NOSIGNAL) > 0);
}

/* A process with that many connections, so that their ends do not count among
 * ours. They last until end_crowd(). */
static void
start_crowd (guint port, guint n, const gchar * text)
{
  int ready[2];
  char done;

  fail_unless (pipe (ready) == 0);
  crowd = fork ();
  if (crowd == 0) {
    for (guint i = 0; i < n; i++)
      open_connection (port, text);
    if (write (ready[1], "", 1) != 1)
      _exit (1);
    pause ();
    _exit (0);
  }
  fail_unless (crowd > 0);
  fail_unless (read (ready[0], &done, 1) == 1);
  close (ready[0]);
  close (ready[1]);
}

static const struct
{
  const gchar *text;
  guint max_threads;
} crowds[] = {
  {NULL, MAX_IDLE_THREADS},
  {"O", MAX_THREADS},
  {"P", MAX_IDLE_THREADS},
};

GST_START_TEST (test_300_connections_share_a_few_threads)
{
  guint fds, threads, more;

  expect_viewer_plays ();
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  fds = proc_count_fds ();
  threads = proc_count_threads ();

  start_crowd (sink_test_port (test, NULL), N_CONNECTIONS, crowds[__i__].text);
  /* served in their order: all are accepted by then */
  expect_viewer_plays ();
  more = proc_count_threads () - threads;
  fail_unless (more <= crowds[__i__].max_threads, "%u threads more:\n%s", more,
      proc_thread_names ());

  end_crowd ();
  sink_test_wait_threads (threads, SINK_TEST_TIMEOUT);
  sink_test_wait_fds (fds, SINK_TEST_TIMEOUT);
}

END_TEST;

/* Those that have waited longest make room. */
GST_START_TEST (test_silent_connections_are_bounded)
{
  guint fds = proc_count_fds ();

  start_crowd (sink_test_port (test, NULL), N_SILENT, NULL);
  expect_viewer_plays ();
  fail_unless (proc_count_fds () < fds + MAX_SILENT);
}

END_TEST;

GST_START_TEST (test_stop_with_300_connections_takes_less_than_a_second)
{
  guint port = sink_test_port (test, NULL);

  start_crowd (port, N_CONNECTIONS, "O");
  expect_viewer_plays ();
  fail_unless (sink_test_stop (test) < G_USEC_PER_SEC *
      sink_test_time_factor ());
  fail_unless_equals_int (proc_count_close_wait (port), 0);
}

END_TEST;

static void
leave_fds (guint n)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  limit.rlim_cur = proc_count_fds () + n;
  fail_unless (setrlimit (RLIMIT_NOFILE, &limit) == 0);
}

static void
restore_fds (void)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit (RLIMIT_NOFILE, &limit);
}

/* GLib ends a process that cannot have the descriptors of a main context. */
GST_START_TEST (test_connections_that_take_all_descriptors_do_not_end_it)
{
  BufferCounter *counter = buffer_counter_new (test, "source", "src");

  expect_viewer_plays ();
  leave_fds (FEW_FDS);
  start_crowd (sink_test_port (test, NULL), MANY_CONNECTIONS, NULL);
  buffer_counter_wait (counter, buffer_counter_count (counter) + 25,
      SINK_TEST_TIMEOUT);
  buffer_counter_free (counter);

  end_crowd ();
  restore_fds ();
  expect_viewer_plays ();
}

END_TEST;

/* Real viewers, in processes of their own. */
static GPid
spawn_viewer (void)
{
  const gchar *argv[] = { g_getenv ("RTSPVIEW"), "--udp", "--seconds", "3",
    sink_test_uri (test, NULL), NULL
  };
  GPid pid;

  fail_unless (g_spawn_async (NULL, (gchar **) argv, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
          G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &pid, NULL));
  return pid;
}

GST_START_TEST (test_viewers_that_take_all_descriptors_do_not_end_it)
{
  GPid pids[20];

  if (g_getenv ("RTSPVIEW") == NULL)
    return;
  expect_viewer_plays ();
  leave_fds (FEW_FDS);
  for (gsize i = 0; i < G_N_ELEMENTS (pids); i++)
    pids[i] = spawn_viewer ();
  for (gsize i = 0; i < G_N_ELEMENTS (pids); i++) {
    waitpid (pids[i], NULL, 0);
    g_spawn_close_pid (pids[i]);
  }
  restore_fds ();
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
  expect_viewer_plays ();
}

END_TEST;

static Suite *
floods_suite (void)
{
  Suite *suite = suite_create ("floods");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_body_of_300_mb_is_not_kept);
  tcase_add_loop_test (tests, test_300_connections_share_a_few_threads, 0,
      G_N_ELEMENTS (crowds));
  tcase_add_test (tests, test_silent_connections_are_bounded);
  tcase_add_test (tests,
      test_stop_with_300_connections_takes_less_than_a_second);
  tcase_add_test (tests,
      test_connections_that_take_all_descriptors_do_not_end_it);
  tcase_add_test (tests, test_viewers_that_take_all_descriptors_do_not_end_it);
  return suite;
}

CHECK_SUITE (floods);
