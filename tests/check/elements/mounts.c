/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Where a stream is found: mounts and URLs in all their spellings. */

#include "sinktest.h"

#define SOURCE "videotestsrc is-live=true ! " SMALL_VIDEO " ! "

/* A viewer that tries to come this often while a pipeline starts. */
#define KNOCK_INTERVAL (20 * 1000)

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
serve (const gchar * mount)
{
  test = sink_test_new (SOURCE "rtspserversink");
  g_object_set (sink_test_element (test, NULL), "mount", mount, NULL);
  sink_test_play (test);
}

static gchar *
url_of (const gchar * path)
{
  return g_strdup_printf ("rtsp://127.0.0.1:%u%s", sink_test_port (test, NULL),
      path);
}

/* DESCRIBE, SETUP, PLAY, and a picture. */
static void
play_url (const gchar * url)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  GError *error = NULL;
  gboolean ok = rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error)
      && rtsp_viewer_receive_units (viewer, 1, SINK_TEST_TIMEOUT, &error);

  fail_unless (ok, "%s: %s", url, ok ? "" : error->message);
}

static guint
describe_status (const gchar * url)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  if (!rtsp_viewer_describe (viewer, &error))
    g_clear_error (&error);
  return rtsp_viewer_status (viewer);
}

static const struct
{
  const gchar *mount;
  const gchar *path;            /* in the uri */
  const gchar *found[4];
  const gchar *missing[4];
} mounts[] = {
  {"test", "/test", {"/test", "/test/"}, {"/", "/tes", "/testing", "/TEST"}},
  {"/test", "/test", {"/test", "/test/", "//test"}, {"", "/other/test"}},
  {"/test/", "/test", {"/test", "/test/"}, {"/"}},
  {"/", "/", {"", "/"}, {NULL}},
  {"/a/b/c", "/a/b/c", {"/a/b/c", "/a/b/c/"}, {"/a/b", "/a", "/a/b/cc"}},
  {"/\303\244 b", "/%C3%A4%20b", {"/%C3%A4%20b", "/%c3%a4%20b/"}, {"/a%20b"}},
  {"/50%", "/50%25", {"/50%25"}, {"/50"}},
  {"/stream.rtp", "/stream.rtp", {"/stream.rtp"}, {"/stream"}},
  {"/cam:1@(x)=,;+~_-.!$&'*", "/cam:1@(x)=,;+~_-.!$&'*",
      {"/cam:1@(x)=,;+~_-.!$&'*"}, {NULL}},
  {"/q?a#b", "/q%3Fa%23b", {"/q%3Fa%23b"}, {"/q"}},
};

GST_START_TEST (test_mount_in_any_spelling_is_found)
{
  g_autofree gchar *uri = NULL;

  serve (mounts[__i__].mount);
  uri = url_of (mounts[__i__].path);
  fail_unless_equals_string (sink_test_uri (test, NULL), uri);

  for (gsize i = 0; i < 4 && mounts[__i__].found[i] != NULL; i++) {
    g_autofree gchar *url = url_of (mounts[__i__].found[i]);

    play_url (url);
  }
  for (gsize i = 0; i < 4 && mounts[__i__].missing[i] != NULL; i++) {
    g_autofree gchar *url = url_of (mounts[__i__].missing[i]);

    fail_unless_equals_int (describe_status (url), GST_RTSP_STS_NOT_FOUND);
  }
}

END_TEST;

GST_START_TEST (test_url_with_query_or_slash_is_the_same_stream)
{
  static const gchar *const paths[] = { "/test", "/test/", "/test?x=1",
    "/test/?x=1&y=2", "/test?", "/test?user=admin&password=a/b"
  };

  serve ("/test");
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autofree gchar *url = url_of (paths[i]);

    play_url (url);
  }
}

END_TEST;

GST_START_TEST (test_setup_without_describe_is_served)
{
  static const gchar *const headers[] = { "Transport",
    "RTP/AVP/TCP;unicast;interleaved=0-1", NULL
  };
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *url = NULL;
  GError *error = NULL;

  serve ("/test");
  /* the first frame has come */
  play_url (sink_test_uri (test, NULL));
  sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);

  url = url_of ("/test/stream=0");
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_SETUP, url,
          headers, &error), GST_RTSP_STS_OK);
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_PLAY, NULL,
          NULL, &error), GST_RTSP_STS_OK);
  sink_test_wait_num_viewers (test, NULL, 1, SINK_TEST_TIMEOUT);

  /* and it leaves with the mount */
  fail_unless (sink_test_stop (test) <
      G_USEC_PER_SEC * sink_test_time_factor ());
  assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
      error);
}

END_TEST;

/* A thread that knocks until a viewer is let in. */
typedef struct
{
  gchar *url;
  gint64 deadline;
  guint n_accepted;
  guint n_not_found;
  guint last_status;
} Knocker;

static gpointer
knock (gpointer data)
{
  Knocker *knocker = data;

  while (knocker->last_status != GST_RTSP_STS_OK
      && g_get_monotonic_time () < knocker->deadline) {
    g_autoptr (RtspViewer) viewer = rtsp_viewer_new (knocker->url);

    if (rtsp_viewer_connect (viewer, NULL)) {
      rtsp_viewer_describe (viewer, NULL);
      knocker->last_status = rtsp_viewer_status (viewer);
      if (knocker->last_status != 0)
        knocker->n_accepted++;
      if (knocker->last_status == GST_RTSP_STS_NOT_FOUND)
        knocker->n_not_found++;
    }
    g_usleep (KNOCK_INTERVAL);
  }
  return NULL;
}

/* Who comes early waits, or is told to come again: never that there is no such
 * stream. */
GST_START_TEST (test_viewer_that_comes_while_it_starts_never_gets_404)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *line = g_strdup_printf (SOURCE "rtspserversink port=%u",
      port);
  Knocker knocker = {.url = g_strdup_printf ("rtsp://127.0.0.1:%u/test", port),
    .deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT
  };
  GThread *thread = g_thread_new ("knocker", knock, &knocker);

  test = sink_test_new (line);
  sink_test_play (test);
  g_thread_join (thread);
  g_free (knocker.url);

  fail_unless_equals_int (knocker.last_status, GST_RTSP_STS_OK);
  fail_unless_equals_int (knocker.n_not_found, 0);
}

END_TEST;

static Suite *
mounts_suite (void)
{
  Suite *suite = suite_create ("mounts");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_mount_in_any_spelling_is_found, 0,
      G_N_ELEMENTS (mounts));
  tcase_add_test (tests, test_url_with_query_or_slash_is_the_same_stream);
  tcase_add_test (tests, test_setup_without_describe_is_served);
  tcase_add_test (tests, test_viewer_that_comes_while_it_starts_never_gets_404);
  return suite;
}

CHECK_SUITE (mounts);
