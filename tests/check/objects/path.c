/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A mount's one spelling, however the user or a viewer writes it. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "server/mountpath.h"

static void
expect_mount (const gchar * mount, const gchar * expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *path = rtsp_sink_mount_path_from_mount (mount, &error);

  fail_unless (path != NULL, "'%s': %s", mount, error ? error->message : "");
  fail_unless_equals_string (path, expected);
}

static void
expect_refused (const gchar * mount)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *path = rtsp_sink_mount_path_from_mount (mount, &error);

  fail_unless (path == NULL);
  fail_unless (g_error_matches (error, G_IO_ERROR,
          G_IO_ERROR_INVALID_ARGUMENT));
  fail_unless (strstr (error->message, "set mount") != NULL,
      "no cure in: %s", error->message);
  fail_unless (g_utf8_validate (error->message, -1, NULL));
}

GST_START_TEST (test_mount_slashes_are_one_spelling)
{
  static const gchar *const spellings[] = { "test", "/test", "/test/",
    "//test", "test//", "//test//"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (spellings); i++)
    expect_mount (spellings[i], "/test");
  expect_mount ("/a/b", "/a/b");
  expect_mount ("a//b/", "/a/b");
}

GST_END_TEST;

GST_START_TEST (test_mount_root_is_valid)
{
  expect_mount ("/", "/");
  expect_mount ("///", "/");
}

GST_END_TEST;

GST_START_TEST (test_mount_case_is_kept)
{
  expect_mount ("/Test", "/Test");
}

GST_END_TEST;

GST_START_TEST (test_mount_empty_is_refused)
{
  expect_refused (NULL);
  expect_refused ("");
}

GST_END_TEST;

GST_START_TEST (test_mount_control_character_is_refused)
{
  static const gchar *const mounts[] = { "/te\nst", "/test\r\n", "/\t",
    "/te\x7fst", "/\x01"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (mounts); i++)
    expect_refused (mounts[i]);
}

GST_END_TEST;

GST_START_TEST (test_mount_that_is_not_utf8_is_refused)
{
  expect_refused ("/te\xffst");
  expect_refused ("/\xc3");
}

GST_END_TEST;

GST_START_TEST (test_mount_unusual_characters_are_encoded)
{
  expect_mount ("/my camera", "/my%20camera");
  expect_mount ("/caf\xc3\xa9", "/caf%C3%A9");
  expect_mount ("/a?b#c", "/a%3Fb%23c");
  expect_mount ("/100%", "/100%25");
  expect_mount ("/stream.rtp", "/stream.rtp");
  expect_mount ("/a-b_c~d", "/a-b_c~d");
}

GST_END_TEST;

static gchar *
path_from_request (const gchar * abspath)
{
  GstRTSPUrl url = {.abspath = (gchar *) abspath };

  return rtsp_sink_mount_path_from_request (&url);
}

/* What is written escaped and what is written plain is the same path. */
GST_START_TEST (test_mount_encoded_and_plain_are_one_spelling)
{
  static const struct
  {
    const gchar *mount;
    const gchar *request;
  } pairs[] = {
    {"/my camera", "/my%20camera"},
    {"/my%20camera", "/my camera"},
    {"/caf\xc3\xa9", "/caf%c3%a9"},
    {"/test", "/%74est"},
    {"/a%2Fb", "/a%2fb"},
    {"/100%", "/100%25"},
    {"/a,b;c=d", "/a%2Cb%3Bc%3Dd"},
    {"/test", "test/"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autofree gchar *mount =
        rtsp_sink_mount_path_from_mount (pairs[i].mount, NULL);
    g_autofree gchar *request = path_from_request (pairs[i].request);

    fail_unless_equals_string (mount, request);
  }
}

GST_END_TEST;

/* An escaped slash is no separator. */
GST_START_TEST (test_mount_escaped_slash_is_another_path)
{
  g_autofree gchar *escaped = path_from_request ("/a%2Fb");
  g_autofree gchar *plain = path_from_request ("/a/b");

  fail_if (g_str_equal (escaped, plain));
}

GST_END_TEST;

/* The library adds it for each stream and looks for it. */
GST_START_TEST (test_request_control_of_a_stream_is_kept)
{
  g_autofree gchar *path = path_from_request ("/test/stream=0");

  fail_unless_equals_string (path, "/test/stream=0");
}

GST_END_TEST;

/* Viewers put the control where they think fit. */
GST_START_TEST (test_request_control_in_the_query_is_found)
{
  static const struct
  {
    const gchar *url;
    const gchar *path;
  } pairs[] = {
    {"rtsp://h/test?x=1/stream=0", "/test/stream=0"},
    {"rtsp://h/test/?x=1&y=2/stream=12", "/test/stream=12"},
    {"rtsp://h/test?x=1/stream=0?x=1", "/test/stream=0"},
    {"rtsp://h/test?x=1/stream=0/", "/test/stream=0"},
    {"rtsp://h/test/stream=0?x=1", "/test/stream=0"},
    {"rtsp://h?x=1/stream=0", "/stream=0"},
    {"rtsp://h/test?x=1/", "/test"},
    {"rtsp://h/test?token=a/b", "/test"},
    {"rtsp://h/test?stream=0", "/test"},
    {"rtsp://h/test?", "/test"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autofree gchar *path = NULL;
    GstRTSPUrl *url;

    fail_unless (gst_rtsp_url_parse (pairs[i].url, &url) == GST_RTSP_OK);
    path = rtsp_sink_mount_path_from_request (url);
    fail_unless_equals_string (path, pairs[i].path);
    gst_rtsp_url_free (url);
  }
}

GST_END_TEST;

GST_START_TEST (test_request_garbage_is_some_path)
{
  static const gchar *const requests[] = { "", "%", "%%", "%0", "%zz", "/%00",
    "\xff\xfe", "/..", "/\r\n", "////%2f////"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (requests); i++) {
    g_autofree gchar *path = path_from_request (requests[i]);

    fail_unless (path[0] == '/');
    fail_unless (g_str_is_ascii (path));
  }
}

GST_END_TEST;

GST_START_TEST (test_uri_names_where_viewers_find_it)
{
  static const struct
  {
    const gchar *address;
    const gchar *uri;
  } uris[] = {
    {"192.0.2.7", "rtsp://192.0.2.7:8554/test"},
    {"0.0.0.0", "rtsp://127.0.0.1:8554/test"},
    {"::", "rtsp://[::1]:8554/test"},
    {"::1", "rtsp://[::1]:8554/test"},
    {"2001:db8::7", "rtsp://[2001:db8::7]:8554/test"},
    {"localhost", "rtsp://localhost:8554/test"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (uris); i++) {
    g_autofree gchar *uri =
        rtsp_sink_mount_path_to_uri ("/test", uris[i].address,
        8554);

    fail_unless_equals_string (uri, uris[i].uri);
  }
}

GST_END_TEST;

static Suite *
path_suite (void)
{
  Suite *suite = suite_create ("path");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_test (chain, test_mount_slashes_are_one_spelling);
  tcase_add_test (chain, test_mount_root_is_valid);
  tcase_add_test (chain, test_mount_case_is_kept);
  tcase_add_test (chain, test_mount_empty_is_refused);
  tcase_add_test (chain, test_mount_control_character_is_refused);
  tcase_add_test (chain, test_mount_that_is_not_utf8_is_refused);
  tcase_add_test (chain, test_mount_unusual_characters_are_encoded);
  tcase_add_test (chain, test_mount_encoded_and_plain_are_one_spelling);
  tcase_add_test (chain, test_mount_escaped_slash_is_another_path);
  tcase_add_test (chain, test_request_control_of_a_stream_is_kept);
  tcase_add_test (chain, test_request_control_in_the_query_is_found);
  tcase_add_test (chain, test_request_garbage_is_some_path);
  tcase_add_test (chain, test_uri_names_where_viewers_find_it);

  return suite;
}

CHECK_SUITE (path);
