/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The state NULL is reached within a second whatever goes on, from any thread;
 * the port is free at once, the viewers are told, and it can start again. */

#include "sinktest.h"

#include <fcntl.h>
#include <gst/app/gstappsrc.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIVE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink"
#define SILENT "appsrc name=app is-live=true format=time caps=" SMALL_VIDEO \
    " ! rtspserversink"
#define HEAVY "videotestsrc is-live=true ! video/x-raw,format=RGB,width=640," \
    "height=480,framerate=25/1 ! identity name=feed ! rtspserversink codec=raw"

#define LIMIT (G_USEC_PER_SEC * sink_test_time_factor ())
#define END_LIMIT (2 * G_USEC_PER_SEC * sink_test_time_factor ())
#define CROWD 12

static SinkTest *test;
static RtspViewer *viewers[CROWD];
static guint n_viewers;

static void
teardown (void)
{
  while (n_viewers > 0)
    rtsp_viewer_free (viewers[--n_viewers]);
  g_clear_pointer (&test, sink_test_free);
}

static RtspViewer *
add_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  viewers[n_viewers++] = viewer;
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  return viewer;
}

static void
play_line (const gchar * line)
{
  test = sink_test_new (line);
  sink_test_play (test);
}

/* --- phases: what goes on when the pipeline is stopped --- */

static void
in_ready (void)
{
  test = sink_test_new (LIVE);
  sink_test_set_state (test, GST_STATE_READY);
  add_viewer ();
}

static void
in_paused (void)
{
  test = sink_test_new ("videotestsrc ! " SMALL_VIDEO " ! rtspserversink");
  sink_test_set_state (test, GST_STATE_PAUSED);
  add_viewer ();
}

static void
before_the_first_frame (void)
{
  test = sink_test_new (SILENT);
  sink_test_try_state (test, GST_STATE_PLAYING);
}

/* The library prerolls a media or waits for it: here it is neither. */
static void
while_describe_waits_for_the_first_frame (void)
{
  RtspViewer *viewer;
  GError *error = NULL;

  before_the_first_frame ();
  for (guint i = 0; i < 6; i++) {
    viewer = add_viewer ();
    assert_viewer (rtsp_viewer_send_request (viewer, GST_RTSP_DESCRIBE, NULL,
            NULL, &error), error);
  }
}

static void
nobody_watches (void)
{
  play_line (LIVE);
}

static void
connected (void)
{
  play_line (LIVE);
  add_viewer ();
}

static void
described (void)
{
  GError *error = NULL;

  play_line (LIVE);
  assert_viewer (rtsp_viewer_describe (add_viewer (), &error), error);
}

static void
described_and_left (void)
{
  described ();
  rtsp_viewer_free (viewers[--n_viewers]);
}

static RtspViewer *
set_up (RtspViewerTransport transport)
{
  RtspViewer *viewer = add_viewer ();
  GError *error = NULL;

  assert_viewer (rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup (viewer, transport, &error), error);
  return viewer;
}

static void
set_up_tcp (void)
{
  play_line (LIVE);
  set_up (RTSP_VIEWER_TCP);
}

static void
set_up_udp (void)
{
  play_line (LIVE);
  set_up (RTSP_VIEWER_UDP);
}

static RtspViewer *
watch (RtspViewerTransport transport)
{
  RtspViewer *viewer = set_up (transport);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_play (viewer, &error)
      && rtsp_viewer_receive_units (viewer, 1, SINK_TEST_TIMEOUT, &error),
      error);
  return viewer;
}

static void
watching_tcp (void)
{
  play_line (LIVE);
  watch (RTSP_VIEWER_TCP);
}

static void
watching_udp (void)
{
  play_line (LIVE);
  watch (RTSP_VIEWER_UDP);
}

static void
watched_and_left (void)
{
  watching_tcp ();
  rtsp_viewer_reset (viewers[0]);
  rtsp_viewer_free (viewers[--n_viewers]);
}

static void
viewer_paused (void)
{
  GError *error = NULL;

  play_line (LIVE);
  assert_viewer (rtsp_viewer_pause (watch (RTSP_VIEWER_TCP), &error), error);
}

static void
requests_under_way (void)
{
  static const GstRTSPMethod methods[] = { GST_RTSP_PAUSE, GST_RTSP_PLAY,
    GST_RTSP_DESCRIBE, GST_RTSP_TEARDOWN
  };
  RtspViewer *viewer;

  play_line (LIVE);
  for (gsize i = 0; i < G_N_ELEMENTS (methods); i++) {
    viewer = watch (i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
    rtsp_viewer_send_request (viewer, methods[i], NULL, NULL, NULL);
  }
}

/* The socket is full, and so is the feed's queue. */
static void
viewer_stalled (void)
{
  BufferCounter *counter;
  RtspViewer *viewer;
  GError *error = NULL;

  play_line (HEAVY);
  viewer = set_up (RTSP_VIEWER_TCP);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  counter = buffer_counter_new (test, "feed", "src");
  buffer_counter_wait (counter, 25, SINK_TEST_TIMEOUT);
  buffer_counter_free (counter);
}

static void
end_under_way (void)
{
  viewer_stalled ();
  watch (RTSP_VIEWER_UDP);
  fail_unless (gst_element_send_event (sink_test_pipeline (test),
          gst_event_new_eos ()));
}

static void
ended (void)
{
  play_line ("videotestsrc num-buffers=2 ! " SMALL_VIDEO " ! rtspserversink");
  add_viewer ();
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

static void
pipeline_paused (void)
{
  watching_tcp ();
  sink_test_set_state (test, GST_STATE_PAUSED);
}

static void
crowd (void)
{
  play_line (LIVE);
  for (guint i = 0; i < CROWD; i++)
    watch (i % 2 ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP);
}

typedef void (*Phase) (void);

static const struct
{
  const gchar *name;
  Phase phase;
} phases[] = {
#define PHASE(function) {#function, function}
  PHASE (in_ready), PHASE (in_paused), PHASE (before_the_first_frame),
  PHASE (while_describe_waits_for_the_first_frame), PHASE (nobody_watches),
  PHASE (connected), PHASE (described), PHASE (described_and_left),
  PHASE (set_up_tcp), PHASE (set_up_udp), PHASE (watching_tcp),
  PHASE (watching_udp), PHASE (watched_and_left), PHASE (viewer_paused),
  PHASE (requests_under_way), PHASE (viewer_stalled), PHASE (end_under_way),
  PHASE (ended), PHASE (pipeline_paused), PHASE (crowd),
#undef PHASE
};

/* --- what must hold afterwards --- */

/* As any server binds its port. */
static gboolean
port_is_free (guint port)
{
  g_autoptr (GSocket) socket = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string ("127.0.0.1", port);

  return g_socket_bind (socket, address, TRUE, NULL)
      && g_socket_listen (socket, NULL);
}

static void
expect_viewers_closed (void)
{
  for (guint i = 0; i < n_viewers; i++) {
    GError *error = NULL;

    assert_viewer (rtsp_viewer_is_closed (viewers[i])
        || rtsp_viewer_wait_closed (viewers[i], END_LIMIT, &error), error);
  }
}

GST_START_TEST (test_null_in_any_phase_takes_less_than_a_second)
{
  guint port;
  gint64 duration;

  phases[__i__].phase ();
  port = sink_test_port (test, NULL);
  duration = sink_test_stop (test);
  GST_INFO ("%s: NULL took %.3f s", phases[__i__].name, duration / 1e6);

  fail_unless (duration < LIMIT, "%s: %.3f s", phases[__i__].name,
      duration / 1e6);
  fail_unless (port_is_free (port), "%s", phases[__i__].name);
  fail_unless_equals_int (proc_count_close_wait (port), 0);
  fail_unless_equals_int (sink_test_num_viewers (test, NULL), 0);
  expect_viewers_closed ();
}

END_TEST;

/* Stopping in a phase leaves the element able to start: on the same port, with
 * the same mount. */
GST_START_TEST (test_restart_after_any_phase_serves_again)
{
  guint port;

  phases[__i__].phase ();
  port = sink_test_port (test, NULL);
  sink_test_stop (test);
  while (n_viewers > 0)
    rtsp_viewer_free (viewers[--n_viewers]);

  g_object_set (sink_test_element (test, NULL), "port", port, NULL);
  if (sink_test_try_state (test, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail ("%s: port %u cannot be served again", phases[__i__].name, port);
  fail_unless_equals_int (sink_test_port (test, NULL), port);
  /* the silent ones and the ended one give no picture */
  if (phases[__i__].phase != before_the_first_frame
      && phases[__i__].phase != while_describe_waits_for_the_first_frame
      && phases[__i__].phase != ended)
    watch (RTSP_VIEWER_TCP);
}

END_TEST;

/* --- who stops it --- */

static gpointer
stop_pipeline (gpointer unused)
{
  sink_test_try_state (test, GST_STATE_NULL);
  return NULL;
}

GST_START_TEST (test_null_from_another_thread_stops)
{
  watching_tcp ();
  g_thread_join (g_thread_new ("stopper", stop_pipeline, NULL));
  expect_viewers_closed ();
}

END_TEST;

GST_START_TEST (test_null_from_two_threads_at_once_stops)
{
  GThread *others[2];
  gint64 start;

  watching_tcp ();
  watch (RTSP_VIEWER_UDP);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    others[i] = g_thread_new ("stopper", stop_pipeline, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_thread_join (others[i]);
  fail_unless (g_get_monotonic_time () - start < LIMIT);
}

END_TEST;

typedef struct
{
  const gchar *message;
  gint stopped;                 /* atomic */
  gint64 duration;
} StopOn;

/* Whatever thread posts the message. */
static GstBusSyncReply
stop_on_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  StopOn *stop_on = user_data;
  gint64 start = g_get_monotonic_time ();

  if (!gst_message_has_name (message, stop_on->message)
      || g_atomic_int_get (&stop_on->stopped))
    return GST_BUS_PASS;

  gst_element_set_state (sink_test_pipeline (test), GST_STATE_NULL);
  stop_on->duration = g_get_monotonic_time () - start;
  g_atomic_int_set (&stop_on->stopped, TRUE);
  return GST_BUS_PASS;
}

static gboolean
has_stopped (gpointer stop_on)
{
  return g_atomic_int_get (&((StopOn *) stop_on)->stopped);
}

static void
stop_from_handler (const gchar * message, gboolean viewer_leaves)
{
  StopOn stop_on = {.message = message };
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (RtspViewer) viewer = NULL;

  play_line (LIVE);
  bus = gst_element_get_bus (sink_test_pipeline (test));
  gst_bus_set_sync_handler (bus, stop_on_message, &stop_on, NULL);

  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  /* it may be closed on the way */
  rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, NULL);
  if (viewer_leaves)
    rtsp_viewer_close (viewer);

  sink_test_wait_until (has_stopped, &stop_on, SINK_TEST_TIMEOUT,
      "the handler to stop the pipeline");
  fail_unless (stop_on.duration < LIMIT, "%.3f s", stop_on.duration / 1e6);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
}

GST_START_TEST (test_null_from_a_handler_of_viewer_added_stops)
{
  stop_from_handler ("rtspserversink-viewer-added", FALSE);
}

END_TEST;

GST_START_TEST (test_null_from_a_handler_of_viewer_removed_stops)
{
  stop_from_handler ("rtspserversink-viewer-removed", TRUE);
}

END_TEST;

/* Up and down from two threads, and viewers in between: it ends, and what is
 * asked last holds. */
static gpointer
toggle (gpointer state)
{
  for (guint i = 0; i < 15; i++)
    gst_element_set_state (sink_test_pipeline (test),
        i % 2 ? GST_STATE_NULL : GPOINTER_TO_INT (state));
  return NULL;
}

GST_START_TEST (test_states_set_by_two_threads_at_once_end_well)
{
  guint port = sink_test_free_port ();
  GThread *other;

  test = sink_test_new (LIVE);
  g_object_set (sink_test_element (test, NULL), "port", port, NULL);
  other = g_thread_new ("toggler", toggle, GINT_TO_POINTER (GST_STATE_PLAYING));
  toggle (GINT_TO_POINTER (GST_STATE_READY));
  g_thread_join (other);

  sink_test_stop (test);
  fail_unless (port_is_free (port));
  sink_test_play (test);
  watch (RTSP_VIEWER_TCP);
}

END_TEST;

/* As a sink that is no bin: the pipeline does not wait for its first frame any
 * more. */
GST_START_TEST (test_element_alone_in_ready_holds_no_pipeline_up)
{
  GstElement *sink;

  test = sink_test_new ("appsrc format=time ! rtspserversink");
  sink = sink_test_element (test, NULL);
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_PAUSED),
      GST_STATE_CHANGE_ASYNC);
  gst_element_set_locked_state (sink, TRUE);
  fail_unless_equals_int (gst_element_set_state (sink, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (gst_element_get_state (sink_test_pipeline (test),
          NULL, NULL, SINK_TEST_TIMEOUT * GST_USECOND),
      GST_STATE_CHANGE_SUCCESS);
  gst_element_set_locked_state (sink, FALSE);
}

END_TEST;

GST_START_TEST (test_descriptors_and_threads_are_back_after_stop)
{
  guint fds, threads;

  watching_tcp ();
  teardown ();
  fds = proc_count_fds ();
  threads = proc_count_threads ();

  for (guint i = 0; i < 3; i++) {
    crowd ();
    teardown ();
  }
  sink_test_wait_fds (fds, SINK_TEST_TIMEOUT);
  sink_test_wait_threads (threads, SINK_TEST_TIMEOUT);
}

END_TEST;

static void
note_property (GObject * element, GParamSpec * pspec, gpointer told)
{
  g_autofree gchar *uri = NULL;
  guint port;

  g_object_get (element, "bound-port", &port, "uri", &uri, NULL);
  g_string_append_printf (told, "%s %s;", pspec->name, port != 0
      && uri != NULL ? "open" : port == 0 && uri == NULL ? "closed" : "half");
}

GST_START_TEST (test_port_and_uri_are_notified_when_they_go)
{
  g_autoptr (GString) told = g_string_new (NULL);
  static const gchar *const words[] = { "192.0.2.1", NULL };
  GstElement *element;

  test = sink_test_new (LIVE);
  element = sink_test_element (test, NULL);
  g_signal_connect (element, "notify::bound-port", G_CALLBACK (note_property),
      told);
  g_signal_connect (element, "notify::uri", G_CALLBACK (note_property), told);
  sink_test_play (test);
  fail_unless_equals_string (told->str, "bound-port open;uri open;");
  g_string_truncate (told, 0);
  sink_test_stop (test);
  fail_unless_equals_string (told->str, "bound-port closed;uri closed;");

  /* one that could not be opened was never open */
  g_string_truncate (told, 0);
  g_object_set (element, "address", "192.0.2.1", NULL);
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  sink_test_expect_error (test, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ_WRITE, words, SINK_TEST_TIMEOUT);
  fail_unless_equals_string (told->str, "");
  g_signal_handlers_disconnect_by_func (element, note_property, told);
}

END_TEST;

/* --- a child process --- */

static void
serve_each_transport (void)
{
  sink_test_play (test);
  while (n_viewers <= RTSP_VIEWER_HTTP) {
    viewers[n_viewers] = sink_test_start_viewer (test, NULL, n_viewers);
    n_viewers++;
  }
}

/* Forked without exec, as by Python's multiprocessing: it has all descriptors. */
GST_START_TEST (test_stop_beside_a_child_process_frees_the_port)
{
  guint port = sink_test_free_port ();
  pid_t child;

  test = sink_test_new (LIVE);
  g_object_set (sink_test_element (test, NULL), "port", port, NULL);
  serve_each_transport ();
  child = fork ();
  if (child == 0) {
    pause ();
    _exit (0);
  }

  sink_test_stop (test);
  for (guint i = 0; i < n_viewers; i++) {
    rtsp_viewer_wait_closed (viewers[i], SINK_TEST_TIMEOUT, NULL);
    fail_unless (rtsp_viewer_is_closed (viewers[i]), "viewer %u", i);
  }
  sink_test_play (test);
  fail_unless_equals_int (sink_test_port (test, NULL), port);
  kill (child, SIGKILL);
  waitpid (child, NULL, 0);
}

END_TEST;

#define MAX_FD 256

/* Not so the pairs of sockets that GStreamer's buses have: nobody else is at
 * their other end. */
static gboolean
is_inherited (gint fd)
{
  struct sockaddr address = {.sa_family = AF_UNSPEC };
  socklen_t len = sizeof address;

  getsockname (fd, &address, &len);
  return fcntl (fd, F_GETFD) == 0 && address.sa_family != AF_UNIX;
}

/* Programs that the application starts inherit none of ours. */
GST_START_TEST (test_descriptors_are_closed_at_exec)
{
  gboolean before[MAX_FD];

  for (gint fd = 0; fd < MAX_FD; fd++)
    before[fd] = is_inherited (fd);
  test = sink_test_new (LIVE);
  serve_each_transport ();
  for (gint fd = 0; fd < MAX_FD; fd++)
    fail_unless (before[fd] || !is_inherited (fd), "%d in:\n%s", fd,
        proc_fd_names ());
}

END_TEST;

static Suite *
stop_suite (void)
{
  Suite *suite = suite_create ("stop");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_null_in_any_phase_takes_less_than_a_second,
      0, G_N_ELEMENTS (phases));
  tcase_add_loop_test (tests, test_restart_after_any_phase_serves_again, 0,
      G_N_ELEMENTS (phases));
  tcase_add_test (tests, test_null_from_another_thread_stops);
  tcase_add_test (tests, test_null_from_two_threads_at_once_stops);
  tcase_add_test (tests, test_null_from_a_handler_of_viewer_added_stops);
  tcase_add_test (tests, test_null_from_a_handler_of_viewer_removed_stops);
  tcase_add_test (tests, test_states_set_by_two_threads_at_once_end_well);
  tcase_add_test (tests, test_element_alone_in_ready_holds_no_pipeline_up);
  tcase_add_test (tests, test_descriptors_and_threads_are_back_after_stop);
  tcase_add_test (tests, test_port_and_uri_are_notified_when_they_go);
  tcase_add_test (tests, test_stop_beside_a_child_process_frees_the_port);
  tcase_add_test (tests, test_descriptors_are_closed_at_exec);
  return suite;
}

CHECK_SUITE (stop);
