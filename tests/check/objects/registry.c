/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Servers that elements share, and the mounts on them. */

#include "sinktest.h"

#include "server/registry.h"

#define LOOPBACK "127.0.0.1"

static gint ready;              /* atomic: whether mounts can make media */

static gboolean
is_ready (gboolean late, gpointer user_data)
{
  return g_atomic_int_get (&ready);
}

static const gchar *
refuse_nobody (const gchar * peer, RtspSinkMountStage stage, gpointer user_data)
{
  return NULL;
}

static void
lack_nothing (gpointer user_data)
{
}

static const RtspSinkMountFuncs funcs = {
  is_ready,
  refuse_nobody,
  lack_nothing,
};

static const RtspSinkMountLimits limits = {
  60, 10 * G_TIME_SPAN_SECOND
};

static GstRTSPMediaFactory *factory;

static void
setup (void)
{
  ready = FALSE;
  factory = gst_rtsp_media_factory_new ();
}

static void
teardown (void)
{
  ASSERT_OBJECT_REFCOUNT (factory, "factory", 1);
  g_clear_object (&factory);
}

static RtspSinkServer *
acquire (const gchar * address, guint port)
{
  g_autoptr (GError) error = NULL;
  RtspSinkServer *server = rtsp_sink_registry_acquire (address, port, &error);

  fail_unless (server != NULL, "%s", error ? error->message : "no error");
  return server;
}

static void
expect_refused (const gchar * address, guint port, const gchar * word)
{
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  fail_unless (rtsp_sink_registry_acquire (address, port, &error) == NULL);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, word) != NULL, "%s", error->message);
  fail_unless (g_get_monotonic_time () - start < 2 * G_USEC_PER_SEC
      * sink_test_time_factor ());
}

static RtspSinkMount *
add_mount_of (RtspSinkServer * server, const gchar * path,
    const RtspSinkMountFuncs * funcs, gpointer owner, gpointer user_data)
{
  g_autoptr (GError) error = NULL;
  RtspSinkMount *mount = rtsp_sink_mount_new (path, funcs, &limits,
      G_OBJECT (owner), user_data);

  fail_unless (rtsp_sink_server_add_mount (server, mount, factory, &error),
      "%s", error ? error->message : "no error");
  return mount;
}

static RtspSinkMount *
add_mount (RtspSinkServer * server, const gchar * path)
{
  return add_mount_of (server, path, &funcs, factory, NULL);
}

static void
remove_mount (RtspSinkServer * server, RtspSinkMount * mount)
{
  rtsp_sink_server_remove_mount (server, mount);
  rtsp_sink_mount_unref (mount);
}

static guint
describe (RtspSinkServer * server, const gchar * path)
{
  g_autofree gchar *url = g_strdup_printf ("rtsp://" LOOPBACK ":%u%s",
      rtsp_sink_server_get_port (server), path);
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  GError *error = NULL;
  guint status;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
  status = rtsp_viewer_request (viewer, GST_RTSP_DESCRIBE, NULL, NULL, &error);
  assert_viewer (status != 0, error);
  return status;
}

GST_START_TEST (test_registry_port_0_is_never_shared)
{
  RtspSinkServer *a = acquire (LOOPBACK, 0);
  RtspSinkServer *b = acquire (LOOPBACK, 0);

  fail_unless (a != b);
  fail_unless (rtsp_sink_server_get_port (a) != 0);
  fail_if (rtsp_sink_server_get_port (a) == rtsp_sink_server_get_port (b));
  rtsp_sink_registry_release (a);
  rtsp_sink_registry_release (b);
}

GST_END_TEST;

GST_START_TEST (test_registry_same_place_is_one_server)
{
  guint port = sink_test_free_port ();
  RtspSinkServer *a = acquire (LOOPBACK, port);
  RtspSinkServer *b = acquire (LOOPBACK, port);
  RtspSinkMount *mount;

  fail_unless (a == b);
  fail_unless_equals_int (rtsp_sink_server_get_port (a), port);
  rtsp_sink_registry_release (a);
  /* still there for the other */
  mount = add_mount (b, "/a");
  fail_unless_equals_int (describe (b, "/none"), GST_RTSP_STS_NOT_FOUND);
  remove_mount (b, mount);
  rtsp_sink_registry_release (b);
}

GST_END_TEST;

GST_START_TEST (test_registry_name_and_number_are_one_place)
{
  guint port = sink_test_free_port ();
  RtspSinkServer *a = acquire (LOOPBACK, port);
  g_autoptr (GError) error = NULL;
  RtspSinkServer *b = rtsp_sink_registry_acquire ("localhost", port, &error);

  /* where localhost is ::1 in the first place, it is another place */
  fail_unless (b != NULL, "%s", error ? error->message : "");
  rtsp_sink_registry_release (a);
  rtsp_sink_registry_release (b);
}

GST_END_TEST;

GST_START_TEST (test_registry_spellings_of_ipv6_are_one_place)
{
  guint port = sink_test_free_port ();
  g_autoptr (GError) error = NULL;
  RtspSinkServer *a = rtsp_sink_registry_acquire ("::1", port, &error);
  RtspSinkServer *b;

  if (a == NULL)
    return;                     /* no IPv6 here */
  b = acquire ("0:0:0:0:0:0:0:1", port);
  fail_unless (a == b);
  rtsp_sink_registry_release (a);
  rtsp_sink_registry_release (b);
}

GST_END_TEST;

GST_START_TEST (test_registry_release_frees_the_port_at_once)
{
  guint port = sink_test_free_port ();

  for (guint i = 0; i < 10; i++)
    rtsp_sink_registry_release (acquire (LOOPBACK, port));
}

GST_END_TEST;

GST_START_TEST (test_registry_place_that_cannot_be_had_is_an_error)
{
  g_autoptr (GSocketService) other = g_socket_service_new ();
  g_autoptr (GInetAddress) loopback =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) taken = NULL;

  fail_unless (g_socket_listener_add_address (G_SOCKET_LISTENER (other),
          wanted, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL, &taken,
          NULL));
  expect_refused (LOOPBACK, g_inet_socket_address_get_port
      (G_INET_SOCKET_ADDRESS (taken)), "in use");
  /* TEST-NET-3 of RFC 5737 */
  expect_refused ("203.0.113.1", 0, "assign");
  expect_refused ("", 0, "address");
  expect_refused ("no such host", 0, "no such host");
}

GST_END_TEST;

/* What failed is not remembered. */
GST_START_TEST (test_registry_place_can_be_had_after_an_error)
{
  guint port;
  RtspSinkServer *server = acquire (LOOPBACK, 0);

  port = rtsp_sink_server_get_port (server);
  expect_refused (LOOPBACK, port, "in use");
  rtsp_sink_registry_release (server);
  rtsp_sink_registry_release (acquire (LOOPBACK, port));
}

GST_END_TEST;

static gpointer
acquire_and_release (gpointer port)
{
  for (guint i = 0; i < 50; i++) {
    RtspSinkServer *server = rtsp_sink_registry_acquire (LOOPBACK,
        GPOINTER_TO_UINT (port), NULL);

    if (server == NULL)
      return GUINT_TO_POINTER (FALSE);
    g_thread_yield ();
    rtsp_sink_registry_release (server);
  }
  return GUINT_TO_POINTER (TRUE);
}

/* One starts what another stops just now. */
GST_START_TEST (test_registry_threads_share_a_port)
{
  guint port = sink_test_free_port ();
  GThread *threads[4];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("user", acquire_and_release,
        GUINT_TO_POINTER (port));
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (GPOINTER_TO_UINT (g_thread_join (threads[i])));
}

GST_END_TEST;

GST_START_TEST (test_server_mount_that_is_taken_is_refused)
{
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  RtspSinkMount *mount = add_mount (server, "/a");
  RtspSinkMount *other = add_mount (server, "/b");
  RtspSinkMount *again = rtsp_sink_mount_new ("/a", &funcs, &limits,
      G_OBJECT (factory), NULL);
  g_autofree gchar *port = g_strdup_printf ("%u",
      rtsp_sink_server_get_port (server));
  GError *error = NULL;

  fail_if (rtsp_sink_server_add_mount (server, again, factory, &error));
  rtsp_sink_mount_unref (again);
  fail_unless (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_EXISTS));
  fail_unless (strstr (error->message, "/a") != NULL);
  fail_unless (strstr (error->message, port) != NULL);
  g_clear_error (&error);

  remove_mount (server, mount);
  mount = add_mount (server, "/a");
  remove_mount (server, mount);
  remove_mount (server, other);
  rtsp_sink_registry_release (server);
}

GST_END_TEST;

GST_START_TEST (test_server_mount_is_found_from_add_to_remove)
{
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  RtspSinkMount *other = add_mount (server, "/other");
  RtspSinkMount *mount;

  fail_unless_equals_int (describe (server, "/a"), GST_RTSP_STS_NOT_FOUND);
  mount = add_mount (server, "/a");
  /* found, but without frames */
  fail_unless_equals_int (describe (server, "/a"),
      GST_RTSP_STS_SERVICE_UNAVAILABLE);
  fail_unless_equals_int (describe (server, "/ab"), GST_RTSP_STS_NOT_FOUND);
  remove_mount (server, mount);
  fail_unless_equals_int (describe (server, "/a"), GST_RTSP_STS_NOT_FOUND);
  remove_mount (server, other);
  rtsp_sink_registry_release (server);
}

GST_END_TEST;

/* A reference of a mount is harmless when it and its server are gone. */
GST_START_TEST (test_server_mount_outlives_its_server)
{
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  RtspSinkMount *mount = add_mount (server, "/a");
  RtspSinkMount *kept = rtsp_sink_mount_ref (mount);

  remove_mount (server, mount);
  rtsp_sink_registry_release (server);
  rtsp_sink_mount_changed (kept);
  rtsp_sink_mount_unref (kept);
}

GST_END_TEST;

GST_START_TEST (test_server_media_that_does_not_go_is_given_up)
{
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  RtspSinkMount *mount = add_mount (server, "/a");
  RtspSinkMount *kept = rtsp_sink_mount_ref (mount);
  gint64 start = g_get_monotonic_time ();

  rtsp_sink_mount_add_media (kept);
  remove_mount (server, mount);
  fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC
      * sink_test_time_factor ());
  rtsp_sink_mount_remove_media (kept);
  rtsp_sink_mount_unref (kept);
  rtsp_sink_registry_release (server);
}

GST_END_TEST;

static gpointer
remove_media (gpointer mount)
{
  g_usleep (20 * 1000);
  rtsp_sink_mount_remove_media (mount);
  return NULL;
}

GST_START_TEST (test_server_remove_waits_for_the_last_media_only)
{
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  RtspSinkMount *mount = add_mount (server, "/a");
  gint64 start = g_get_monotonic_time ();
  GThread *thread;

  rtsp_sink_mount_add_media (mount);
  thread = g_thread_new ("media", remove_media, rtsp_sink_mount_ref (mount));
  rtsp_sink_server_remove_mount (server, mount);
  fail_unless (g_get_monotonic_time () - start >= 20 * 1000);
  fail_unless (g_get_monotonic_time () - start < 500 * 1000
      * sink_test_time_factor ());
  g_thread_join (thread);
  rtsp_sink_mount_unref (mount);
  rtsp_sink_mount_unref (mount);
  rtsp_sink_registry_release (server);
}

GST_END_TEST;

/* An owner that is asked and does not answer in time. */
static struct
{
  GMutex lock;
  GCond cond;
  gboolean asked;
  gboolean may_answer;
  gint gone;                    /* atomic */
} slow;

static gboolean
is_ready_late (gboolean late, gpointer user_data)
{
  g_mutex_lock (&slow.lock);
  slow.asked = TRUE;
  g_cond_broadcast (&slow.cond);
  while (!slow.may_answer)
    g_cond_wait (&slow.cond, &slow.lock);
  g_mutex_unlock (&slow.lock);
  return FALSE;
}

static const RtspSinkMountFuncs slow_funcs = {
  is_ready_late,
  refuse_nobody,
  lack_nothing,
};

static void
owner_gone (gpointer user_data, GObject * owner)
{
  g_atomic_int_set (&slow.gone, TRUE);
}

static gboolean
is_gone (gpointer user_data)
{
  return g_atomic_int_get (&slow.gone);
}

static void
wait_asked (void)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;

  g_mutex_lock (&slow.lock);
  while (!slow.asked && g_cond_wait_until (&slow.cond, &slow.lock, deadline));
  fail_unless (slow.asked);
  g_mutex_unlock (&slow.lock);
}

static void
let_answer (void)
{
  g_mutex_lock (&slow.lock);
  slow.may_answer = TRUE;
  g_cond_broadcast (&slow.cond);
  g_mutex_unlock (&slow.lock);
}

/* A stop does not wait for ever: mount and owner outlive it for who is asked. */
GST_START_TEST (test_server_owner_lives_while_it_is_asked)
{
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  g_autofree gchar *url = g_strdup_printf ("rtsp://" LOOPBACK ":%u/a",
      rtsp_sink_server_get_port (server));
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  GObject *owner = g_object_new (GST_TYPE_RTSP_MEDIA_FACTORY, NULL);
  GError *error = NULL;
  RtspSinkMount *mount;

  g_object_weak_ref (owner, owner_gone, NULL);
  mount = add_mount_of (server, "/a", &slow_funcs, owner, NULL);
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_send_request (viewer, GST_RTSP_DESCRIBE, NULL, NULL,
          &error), error);
  wait_asked ();
  remove_mount (server, mount);
  g_object_unref (owner);
  fail_if (is_gone (NULL));

  let_answer ();
  rtsp_viewer_wait_response (viewer, NULL);
  sink_test_wait_until (is_gone, NULL, SINK_TEST_TIMEOUT, "the owner to go");
  rtsp_sink_registry_release (server);
}

GST_END_TEST;

/* A mount that tells who it is, when a viewer asks it. */
static const gchar *asked;      /* atomic */

static const gchar *
refuse_and_tell (const gchar * peer, RtspSinkMountStage stage,
    gpointer user_data)
{
  g_atomic_pointer_set (&asked, user_data);
  return "Refused";
}

static const RtspSinkMountFuncs telling_funcs = {
  is_ready,
  refuse_and_tell,
  lack_nothing,
};

/* As the library chooses the factory. */
GST_START_TEST (test_server_mount_is_the_longest_that_the_path_begins_with)
{
  static const gchar *const paths[] = { "/", "/a", "/a/b" };
  static const struct
  {
    const gchar *path;
    const gchar *mount;
  } pairs[] = {
    {"/a", "/a"}, {"/a/", "/a"}, {"/a/b", "/a/b"}, {"/a/b/stream=0", "/a/b"},
    {"/a/bc", "/a"}, {"/ab", "/"}, {"/", "/"}, {"", "/"}, {"/b/a", "/"}
  };
  RtspSinkServer *server = acquire (LOOPBACK, 0);
  RtspSinkMount *mounts[G_N_ELEMENTS (paths)];

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    mounts[i] = add_mount_of (server, paths[i], &telling_funcs, factory,
        (gpointer) paths[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++) {
    fail_unless_equals_int (describe (server, pairs[i].path),
        GST_RTSP_STS_SERVICE_UNAVAILABLE);
    fail_unless_equals_string (g_atomic_pointer_get (&asked), pairs[i].mount);
  }

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    remove_mount (server, mounts[i]);
  rtsp_sink_registry_release (server);
}

GST_END_TEST;

static Suite *
registry_suite (void)
{
  Suite *suite = suite_create ("registry");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_registry_port_0_is_never_shared);
  tcase_add_test (chain, test_registry_same_place_is_one_server);
  tcase_add_test (chain, test_registry_name_and_number_are_one_place);
  tcase_add_test (chain, test_registry_spellings_of_ipv6_are_one_place);
  tcase_add_test (chain, test_registry_release_frees_the_port_at_once);
  tcase_add_test (chain, test_registry_place_that_cannot_be_had_is_an_error);
  tcase_add_test (chain, test_registry_place_can_be_had_after_an_error);
  tcase_add_test (chain, test_registry_threads_share_a_port);
  tcase_add_test (chain, test_server_mount_that_is_taken_is_refused);
  tcase_add_test (chain, test_server_mount_is_found_from_add_to_remove);
  tcase_add_test (chain, test_server_mount_outlives_its_server);
  tcase_add_test (chain, test_server_media_that_does_not_go_is_given_up);
  tcase_add_test (chain, test_server_remove_waits_for_the_last_media_only);
  tcase_add_test (chain,
      test_server_mount_is_the_longest_that_the_path_begins_with);
  tcase_add_test (chain, test_server_owner_lives_while_it_is_asked);

  return suite;
}

CHECK_SUITE (registry);
