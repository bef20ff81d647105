/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* File descriptors run out (ulimit -n): whoever comes then is told so and gets in
 * later, the application is told the cure, and those who watch see nothing of it.
 * Where a media is shared, hundreds of viewers fit. */

#include "element/endpoint.h"
#include "sinktest.h"
#include "viewerlog.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink "
#define PHRASE "Out Of File Descriptors"

/* Left to the process at first; some viewers with a media of their own fit. */
#define FEW_FDS 220
#define MANY_VIEWERS 60

/* In place of ten seconds, unless the run is long. */
#define WARNING_INTERVAL (1 * G_USEC_PER_SEC)

/* A thread that does nothing else tries far more often. */
#define OFTEN 20
#define WHILE (500 * G_TIME_SPAN_MILLISECOND)

#define CROWD 256
#define USUAL_LIMIT 1024
#define CROWD_SECONDS 3
#define CROWD_RATE 5
#define CROWD_VIDEO "video/x-raw,format=I420,width=64,height=48,framerate=5/1"

static SinkTest *test;
static ViewerLog *viewer_log;
static RtspViewer *viewers[MANY_VIEWERS];
static guint n_viewers;
static gint64 tried;            /* when the last one of them came */

static void
set_limit (guint n)
{
  struct rlimit limit;

  getrlimit (RLIMIT_NOFILE, &limit);
  limit.rlim_cur = MIN (n, limit.rlim_max);
  fail_unless (setrlimit (RLIMIT_NOFILE, &limit) == 0);
}

static void
teardown (void)
{
  set_limit (G_MAXUINT);
  while (n_viewers > 0)
    rtsp_viewer_free (viewers[--n_viewers]);
  g_clear_pointer (&viewer_log, viewer_log_free);
  g_clear_pointer (&test, sink_test_free);
}

static void
serve (const gchar * sharing)
{
  g_autofree gchar *line = g_strconcat (LIVE "shared=", sharing, NULL);

  test = sink_test_new (line);
  viewer_log = viewer_log_new (test);
  sink_test_play (test);
  /* what is made once is made now */
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP));
  viewer_log_wait (viewer_log, "removed", 0);
}

/* FALSE: it was refused, with an answer. */
static gboolean
try_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  RtspViewerTransport transport = n_viewers % 2 ? RTSP_VIEWER_TCP :
      RTSP_VIEWER_UDP;
  guint status;
  GError *error = NULL;

  viewers[n_viewers++] = viewer;
  tried = g_get_monotonic_time ();
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  status = rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, NULL, NULL, &error);
  assert_viewer (status != 0, error);
  if (status == GST_RTSP_STS_OK && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, transport, &error)
      && rtsp_viewer_play (viewer, &error))
    return TRUE;
  fail_unless (error == NULL || g_error_matches (error, RTSP_VIEWER_ERROR,
          RTSP_VIEWER_ERROR_STATUS), "no answer");
  g_clear_error (&error);
  return FALSE;
}

/* Until one is refused, which is the last one. */
static void
fill (void)
{
  set_limit (proc_count_fds () + FEW_FDS);
  while (try_viewer ())
    fail_unless (n_viewers < MANY_VIEWERS, "nobody is refused");
  fail_unless (n_viewers >= 3, "only %u get in", n_viewers - 1);
}

static void
expect_refused (RtspViewer * viewer)
{
  fail_unless_equals_int (rtsp_viewer_status (viewer),
      GST_RTSP_STS_SERVICE_UNAVAILABLE);
  fail_unless_equals_string (rtsp_viewer_reason (viewer), PHRASE);
}

static void
expect_goes_on (RtspViewer * viewer)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer,
          rtsp_record_count (rtsp_viewer_record (viewer)) + 10,
          SINK_TEST_TIMEOUT, &error), error);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

/* Asks for all of it, again and again. */
static gboolean
is_let_in (gpointer viewer)
{
  return rtsp_viewer_describe (viewer, NULL)
      && rtsp_viewer_setup_tcp (viewer, 0, NULL)
      && rtsp_viewer_play (viewer, NULL);
}

static void
expect_warning (void)
{
  g_autoptr (GstMessage) message = sink_test_wait_message (test,
      GST_MESSAGE_WARNING, SINK_TEST_TIMEOUT);
  g_autoptr (GError) error = NULL;

  gst_message_parse_warning (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_NO_SPACE_LEFT), "%s", error->message);
  fail_unless (strstr (error->message, "ulimit -n") != NULL, "%s",
      error->message);
  fail_unless (GST_MESSAGE_SRC (message) ==
      GST_OBJECT (sink_test_element (test, NULL)));
}

static const gchar *const sharings[] = { "false", "auto", "true" };

#define N_SHARINGS ((gint) G_N_ELEMENTS (sharings))

GST_START_TEST (test_viewer_without_descriptors_is_told_and_gets_in_later)
{
  RtspViewer *late;
  const ViewerNote *note;
  GError *error = NULL;

  serve (sharings[__i__]);
  fill ();
  late = viewers[n_viewers - 1];
  expect_refused (late);
  note = viewer_log_wait (viewer_log, "refused", 0);
  fail_unless_equals_string (note->peer, "127.0.0.1");
  fail_unless_equals_string (note->reason, "descriptors");
  fail_unless_equals_string (note->text, PHRASE);
  expect_warning ();

  assert_viewer (rtsp_viewer_options (late, &error), error);
  for (guint i = 0; i + 1 < n_viewers; i++)
    expect_goes_on (viewers[i]);
  rtsp_viewer_close (viewers[0]);
  rtsp_viewer_close (viewers[1]);
  sink_test_wait_until (is_let_in, late, SINK_TEST_TIMEOUT, "descriptors");
  expect_goes_on (late);
}

END_TEST;

/* Described in time, set up too late: it plays with what was set aside for it at
 * its DESCRIBE, or is told. */
GST_START_TEST (test_viewer_that_described_in_time_plays_or_is_told)
{
  RtspViewer *early;
  GError *error = NULL;

  serve (sharings[__i__]);
  early = viewers[n_viewers++] = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (early, &error)
      && rtsp_viewer_describe (early, &error), error);
  fill ();
  if (rtsp_viewer_setup_udp (early, &error)) {
    assert_viewer (rtsp_viewer_play (early, &error), error);
    expect_goes_on (early);
  } else {
    g_clear_error (&error);
    expect_refused (early);
  }
  for (guint i = 1; i + 1 < n_viewers; i++)
    expect_goes_on (viewers[i]);
}

END_TEST;

/* Whoever knows the stream's address needs no DESCRIBE; nor descriptors, where
 * there is a media to share. */
GST_START_TEST (test_viewer_without_descriptors_is_told_at_setup)
{
  static const gchar *const headers[] = { "Transport",
    "RTP/AVP/TCP;unicast;interleaved=0-1", NULL
  };
  g_autofree gchar *url = NULL;
  RtspViewer *late;
  GError *error = NULL;

  serve (sharings[__i__]);
  url = g_strconcat (sink_test_uri (test, NULL), "/stream=0", NULL);
  fill ();
  late = viewers[n_viewers - 1];
  if (rtsp_viewer_request (late, GST_RTSP_SETUP, url, headers, &error)
      == GST_RTSP_STS_OK)
    fail_if (g_str_equal (sharings[__i__], "false"));
  else
    expect_refused (late);
}

END_TEST;

/* --- none left at all --- */

/* No viewer that goes gives descriptors back. */
static void
serve_nobody (void)
{
  test = sink_test_new (LIVE);
  sink_test_play (test);
}

static GArray *taken;           /* descriptors of the application's */

static void
take_all (void)
{
  gint fd;

  set_limit (proc_count_fds () + FEW_FDS);
  taken = g_array_new (FALSE, FALSE, sizeof fd);
  while ((fd = open ("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
    g_array_append_val (taken, fd);
}

static void
give_back (guint n)
{
  for (; n > 0; n--) {
    close (g_array_index (taken, gint, taken->len - 1));
    g_array_set_size (taken, taken->len - 1);
  }
}

static void
give_all_back (void)
{
  give_back (taken->len);
  g_array_unref (taken);
}

/* Only connected: nothing is sent. */
static GSocket *
connect_to_server (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GInetAddress) host =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = NULL;
  GSocket *socket;
  guint port;

  g_object_get (sink_test_element (test, NULL), "bound-port", &port, NULL);
  address = g_inet_socket_address_new (host, port);
  socket = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, &error);
  fail_unless (socket != NULL && g_socket_connect (socket, address, NULL,
          &error), "%s", error != NULL ? error->message : "");
  g_socket_set_timeout (socket, SINK_TEST_TIMEOUT / G_USEC_PER_SEC);
  return socket;
}

/* A client needs a thread of its own, for which GLib ends the process if there are
 * none. */
GST_START_TEST (test_connection_is_closed_when_none_are_left)
{
  g_autoptr (GSocket) socket = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (RtspViewer) next = NULL;
  gchar byte = 'O';

  serve_nobody ();
  socket = connect_to_server ();
  /* The server accepts in turn: when the next one is answered, this one is in. */
  next = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (next, &error), error);
  fail_unless_equals_int (rtsp_viewer_request (next, GST_RTSP_OPTIONS, NULL,
          NULL, &error), GST_RTSP_STS_OK);
  take_all ();
  fail_unless (g_socket_send (socket, &byte, 1, NULL, &error) == 1);
  fail_unless (g_socket_receive (socket, &byte, 1, NULL, &error) <= 0);
  fail_if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT));
  expect_warning ();
  give_all_back ();
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
}

END_TEST;

GST_START_TEST (test_start_without_any_is_an_error)
{
  static const gchar *const words[] = { "file descriptors", "ulimit -n", NULL };

  test = sink_test_new (LIVE);
  take_all ();
  fail_unless (gst_element_set_state (sink_test_pipeline (test),
          GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  give_all_back ();
  sink_test_expect_error (test, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_NO_SPACE_LEFT, words, 0);
  sink_test_play (test);
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
}

END_TEST;

static GMutex tries_lock;
static GCond tries_cond;
static guint n_tries;           /* guarded by tries_lock, with tries_cond */

static void
count_try (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  if (!g_str_equal (gst_debug_category_get_name (category),
          "rtspserversink-listener")
      || !g_str_has_prefix (gst_debug_message_get (message), "accepting"))
    return;
  g_mutex_lock (&tries_lock);
  n_tries++;
  g_cond_broadcast (&tries_cond);
  g_mutex_unlock (&tries_lock);
}

/* How often the server tried, at the latest after @time. */
static guint
wait_tries (guint n, gint64 time)
{
  gint64 deadline = g_get_monotonic_time () + time;
  guint found;

  g_mutex_lock (&tries_lock);
  while (n_tries < n && g_cond_wait_until (&tries_cond, &tries_lock, deadline));
  found = n_tries;
  g_mutex_unlock (&tries_lock);

  return found;
}

/* It waits in the kernel until there is a descriptor for it. */
GST_START_TEST (test_connection_that_cannot_be_accepted_costs_nothing)
{
  g_autoptr (GSocket) socket = NULL;
  guint n;

  serve_nobody ();
  gst_debug_set_threshold_for_name ("rtspserversink-listener", GST_LEVEL_INFO);
  gst_debug_add_log_function (count_try, NULL, NULL);
  take_all ();
  give_back (1);
  socket = connect_to_server ();
  fail_unless (wait_tries (1, SINK_TEST_TIMEOUT) > 0, "it did not try");
  n = wait_tries (OFTEN, WHILE);
  gst_debug_remove_log_function (count_try);
  expect_warning ();
  give_all_back ();
  fail_unless (n < OFTEN, "it tried again and again");
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
}

END_TEST;

/* --- the warning --- */

static gboolean
has_warning (void)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (sink_test_pipeline (test));
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_WARNING);

  return message != NULL;
}

/* Whoever is refused asks again and again, for as long as it takes until the
 * application is told again. */
GST_START_TEST (test_application_is_warned_every_ten_seconds_at_most)
{
  RtspViewer *late;
  gint64 deadline, interval;

  if (!sink_test_is_long ())
    rtsp_sink_endpoint_warning_interval = WARNING_INTERVAL;
  interval = rtsp_sink_endpoint_warning_interval;
  serve ("auto");
  fill ();
  late = viewers[n_viewers - 1];
  expect_warning ();
  /* refused at DESCRIBE, wherever it was before */
  set_limit (proc_count_fds () + 10);
  deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  do {
    GError *error = NULL;

    fail_unless (g_get_monotonic_time () < deadline, "not warned again");
    fail_unless_equals_int (rtsp_viewer_request (late, GST_RTSP_DESCRIBE,
            NULL, NULL, &error), GST_RTSP_STS_SERVICE_UNAVAILABLE);
    assert_viewer (rtsp_viewer_receive_for (late, interval / 40, &error),
        error);
  } while (!has_warning ());
  fail_unless (g_get_monotonic_time () - tried >= interval,
      "warned again after %.3f s", (g_get_monotonic_time () - tried) / 1e6);
}

END_TEST;

/* --- hundreds --- */

typedef struct
{
  GPid pid;
  FILE *output;
} Crowd;

static Crowd
start_crowd (void)
{
  g_autofree gchar *n = g_strdup_printf ("%d", CROWD);
  g_autofree gchar *seconds = g_strdup_printf ("%d", CROWD_SECONDS);
  const gchar *argv[] = { g_getenv ("RTSPCROWD"), n, seconds,
    sink_test_uri (test, NULL), NULL
  };
  g_autoptr (GError) error = NULL;
  Crowd crowd;
  gint fd;

  fail_unless (argv[0] != NULL, "RTSPCROWD is not set");
  fail_unless (g_spawn_async_with_pipes (NULL, (gchar **) argv, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &crowd.pid, NULL, &fd, NULL,
          &error), "%s", error != NULL ? error->message : "");
  crowd.output = fdopen (fd, "r");
  return crowd;
}

static void
end_crowd (Crowd * crowd)
{
  fclose (crowd->output);
  waitpid (crowd->pid, NULL, 0);
  g_spawn_close_pid (crowd->pid);
}

/* Each gets what all get, half of them over UDP, and none is refused. */
GST_START_TEST (test_hundreds_fit_into_the_usual_limit)
{
  guint n_here = 0, n = 0, gaps = 1, lost = 1, fewest = 0, fds;
  g_autofree gchar *line = g_strconcat ("videotestsrc is-live=true ! "
      CROWD_VIDEO " ! rtspserversink shared=", sharings[__i__], NULL);
  Crowd crowd;

  test = sink_test_new (line);
  viewer_log = viewer_log_new (test);
  sink_test_play (test);
  set_limit (USUAL_LIMIT);
  crowd = start_crowd ();
  fail_unless (fscanf (crowd.output, "here %u ", &n_here) == 1);
  fds = proc_count_fds ();
  fail_unless (fscanf (crowd.output, "end %u gaps %u lost %u fewest %u", &n,
          &gaps, &lost, &fewest) == 4);
  end_crowd (&crowd);

  fail_unless_equals_int (n, CROWD);
  fail_unless_equals_int (gaps, 0);
  fail_unless_equals_int (lost, 0);
  fail_unless (fewest >= CROWD_RATE * CROWD_SECONDS * 3 / 4, "%u", fewest);
  fail_unless (fds <= USUAL_LIMIT, "%u", fds);
  viewer_log_expect_all_removed (viewer_log);
  fail_unless_equals_int (viewer_log_count (viewer_log, "added"), CROWD);
  fail_unless_equals_int (viewer_log_count (viewer_log, "refused"), 0);
}

END_TEST;

static Suite *
descriptors_suite (void)
{
  Suite *suite = suite_create ("descriptors");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests,
      test_viewer_without_descriptors_is_told_and_gets_in_later, 0, N_SHARINGS);
  tcase_add_loop_test (tests,
      test_viewer_that_described_in_time_plays_or_is_told, 0, N_SHARINGS);
  tcase_add_loop_test (tests, test_viewer_without_descriptors_is_told_at_setup,
      0, N_SHARINGS);
  tcase_add_test (tests, test_connection_is_closed_when_none_are_left);
  tcase_add_test (tests, test_start_without_any_is_an_error);
  tcase_add_test (tests, test_connection_that_cannot_be_accepted_costs_nothing);
  tcase_add_test (tests, test_application_is_warned_every_ten_seconds_at_most);
  /* not where each has a media of its own */
  tcase_add_loop_test (tests, test_hundreds_fit_into_the_usual_limit, 1,
      N_SHARINGS);
  return suite;
}

CHECK_SUITE (descriptors);
