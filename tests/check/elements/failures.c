/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What cannot be served is an error on the bus before the pipeline runs: one,
 * that says where, what and how to cure it. */

#include "sinktest.h"

#include <gst/pbutils/missing-plugins.h>
#include <unistd.h>

#define SOURCE "videotestsrc is-live=true ! " SMALL_VIDEO " ! "
#define NOT_OURS "203.0.113.1"  /* TEST-NET-3 of RFC 5737 */
#define NOBODY 65534

static SinkTest *test;
static GSocket *squatter;
static GList *removed;          /* of GstPluginFeature */

static void
put_back (gpointer feature, gpointer user_data)
{
  gst_registry_add_feature (gst_registry_get (), feature);
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  g_clear_object (&squatter);
  g_list_foreach (removed, put_back, NULL);
  g_list_free_full (g_steal_pointer (&removed), gst_object_unref);
}

/* A socket that listens on the loopback's port 0 as any other program's would. */
static guint
occupy_port (void)
{
  g_autoptr (GInetAddress) loopback =
      g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) bound = NULL;

  squatter = g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_STREAM,
      G_SOCKET_PROTOCOL_TCP, NULL);
  fail_unless (g_socket_bind (squatter, any, FALSE, NULL));
  fail_unless (g_socket_listen (squatter, NULL));
  bound = g_socket_get_local_address (squatter, NULL);
  return g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (bound));
}

/* The state change fails at once, with one error that has the words. That no
 * second one is there sink_test_free() sees to. */
static void
expect_refusal (GstState state, GQuark domain, gint code,
    const gchar * const *words)
{
  gint64 start = g_get_monotonic_time ();

  fail_unless_equals_int (sink_test_try_state (test, state),
      GST_STATE_CHANGE_FAILURE);
  fail_unless (g_get_monotonic_time () - start <
      G_USEC_PER_SEC * sink_test_time_factor ());
  sink_test_expect_error (test, domain, code, words, 0);
  fail_if (sink_test_has_element_message (test, "rtspserversink-listening"));
  fail_unless_equals_int (sink_test_port (test, NULL), 0);
}

static void
refuse_line (const gchar * properties, GQuark domain, gint code,
    const gchar * const *words)
{
  g_autofree gchar *line = g_strdup_printf (SOURCE "rtspserversink %s",
      properties);

  g_clear_pointer (&test, sink_test_free);
  test = sink_test_new (line);
  expect_refusal (GST_STATE_PLAYING, domain, code, words);
}

GST_START_TEST (test_port_in_use_is_one_error_with_place_and_cure)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PLAYING };

  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    guint port = occupy_port ();
    g_autofree gchar *number = g_strdup_printf ("port %u", port);
    g_autofree gchar *line = g_strdup_printf (SOURCE
        "rtspserversink mount=/cam port=%u", port);
    const gchar *const words[] = { "127.0.0.1", number, "/cam",
      "address already in use", "set port", NULL
    };

    test = sink_test_new (line);
    expect_refusal (states[i], GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_OPEN_READ_WRITE, words);

    /* the same element serves as soon as the port is free */
    g_clear_object (&squatter);
    sink_test_play (test);
    fail_unless_equals_int (sink_test_port (test, NULL), port);
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

GST_START_TEST (test_address_of_another_machine_is_one_error)
{
  static const gchar *const words[] = { NOT_OURS, "8553", "/cam", "address",
    "0.0.0.0", NULL
  };

  refuse_line ("address=" NOT_OURS " port=8553 mount=/cam", GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_OPEN_READ_WRITE, words);
}

END_TEST;

GST_START_TEST (test_address_that_is_none_is_one_error)
{
  static const gchar *const addresses[] = { "nonsense", "\"\"", "1.2.3.4.5",
    "127.0.0.1:8554", "rtsp://127.0.0.1", "::zz", "\"127.0.0.1 \""
  };

  for (gsize i = 0; i < G_N_ELEMENTS (addresses); i++) {
    g_autofree gchar *properties = g_strdup_printf ("port=8553 address=%s",
        addresses[i]);
    g_autofree gchar *plain = g_strdup (addresses[i]);
    const gchar *const words[] = { g_strdelimit (plain, "\"", ' '), "8553",
      "/test", "set port", NULL
    };

    g_strstrip (plain);
    refuse_line (properties, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_OPEN_READ_WRITE, words);
  }
}

END_TEST;

/* Not root: the port of others is not ours. */
GST_START_TEST (test_privileged_port_is_one_error)
{
  static const gchar *const words[] = { "127.0.0.1", "port 1 ", "/test",
    "permission", NULL
  };
  uid_t user = geteuid ();
  g_autoptr (GSocket) trial = g_socket_new (G_SOCKET_FAMILY_IPV4,
      G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, NULL);
  g_autoptr (GSocketAddress) first =
      g_inet_socket_address_new_from_string ("127.0.0.1", 1);

  if (user == 0 && seteuid (NOBODY) < 0)
    return;
  if (!g_socket_bind (trial, first, FALSE, NULL))
    refuse_line ("port=1", GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_OPEN_READ_WRITE, words);
  fail_unless_equals_int (seteuid (user), 0);
}

END_TEST;

GST_START_TEST (test_mount_that_is_none_is_one_error)
{
  static const gchar *const mounts[] = { NULL, "", "/a\nb", "/\xff" };
  static const gchar *const words[] = { "127.0.0.1", "port 0", "mount",
    "set mount", "/test", NULL
  };

  for (gsize i = 0; i < G_N_ELEMENTS (mounts); i++) {
    test = sink_test_new (SOURCE "rtspserversink");
    g_object_set (sink_test_element (test, NULL), "mount", mounts[i], NULL);
    expect_refusal (GST_STATE_PAUSED, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, words);
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

/* The two spellings are one mount. The first element is not disturbed. */
GST_START_TEST (test_mount_that_is_taken_is_one_error)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *number = g_strdup_printf ("%u", port);
  g_autofree gchar *first_line = g_strdup_printf (SOURCE
      "rtspserversink port=%u mount=/cam", port);
  g_autofree gchar *second_line = g_strdup_printf (SOURCE
      "rtspserversink port=%u mount=cam/", port);
  const gchar *const words[] = { "127.0.0.1", number, "/cam", "mount", NULL };
  SinkTest *first = sink_test_new (first_line);
  RtspViewer *viewer;
  GError *error = NULL;

  sink_test_play (first);
  viewer = sink_test_start_viewer (first, NULL, RTSP_VIEWER_TCP);
  test = sink_test_new (second_line);
  expect_refusal (GST_STATE_PLAYING, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_SETTINGS, words);

  assert_viewer (rtsp_viewer_receive_units (viewer, 10, SINK_TEST_TIMEOUT,
          &error), error);
  rtsp_viewer_free (viewer);
  sink_test_free (first);

  /* free now */
  sink_test_play (test);
}

END_TEST;

static void
remove_feature (gpointer feature, gpointer user_data)
{
  removed = g_list_prepend (removed, gst_object_ref (feature));
  gst_registry_remove_feature (gst_registry_get (), feature);
}

static void
remove_encoders (const gchar * media_type)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (media_type);
  GList *all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_ENCODER, GST_RANK_NONE);
  GList *encoders = gst_element_factory_list_filter (all, caps, GST_PAD_SRC,
      FALSE);

  g_list_foreach (encoders, remove_feature, NULL);
  gst_plugin_feature_list_free (encoders);
  gst_plugin_feature_list_free (all);
}

/* What an application is told to install. */
static void
expect_missing (const gchar * installed_as)
{
  g_autoptr (GstMessage) message =
      sink_test_wait_element_message (test, "missing-plugin", 0);
  g_autofree gchar *detail = NULL;

  fail_unless (gst_is_missing_plugin_message (message));
  detail = gst_missing_plugin_message_get_installer_detail (message);
  fail_unless (g_str_has_suffix (detail, installed_as), "%s", detail);
}

static const struct
{
  const gchar *codec;
  const gchar *media_type;
  const gchar *words[4];
} lacking[] = {
  {"auto", "video/x-h264", {"H.264", "x264enc", "gstreamer1.0-plugins-ugly"}},
  {"vp9", "video/x-vp9", {"VP9", "vp9enc", "gstreamer1.0-plugins-good"}},
};

GST_START_TEST (test_no_encoder_is_a_missing_plugin_with_its_package)
{
  g_autofree gchar *properties = g_strdup_printf ("codec=%s",
      lacking[__i__].codec);
  g_autofree gchar *installed_as = g_strdup_printf ("|encoder-%s",
      lacking[__i__].media_type);

  remove_encoders (lacking[__i__].media_type);
  refuse_line (properties, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      lacking[__i__].words);
  expect_missing (installed_as);
}

END_TEST;

GST_START_TEST (test_no_encoder_raw_is_served_nevertheless)
{
  remove_encoders ("video/x-h264");
  test = sink_test_new (SOURCE "rtspserversink codec=raw");
  sink_test_play (test);
}

END_TEST;

static void
remove_element (const gchar * name)
{
  GstPluginFeature *feature = gst_registry_lookup_feature (gst_registry_get (),
      name);

  fail_unless (feature != NULL);
  remove_feature (feature, NULL);
  gst_object_unref (feature);
}

GST_START_TEST (test_missing_part_is_one_error_with_its_name)
{
  static const gchar *const parts[] = { "rtph264pay", "h264parse",
    "videoconvert"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++) {
    const gchar *const words[] = { parts[i], "install", NULL };
    g_autofree gchar *installed_as = g_strdup_printf ("|element-%s", parts[i]);

    remove_element (parts[i]);
    refuse_line ("", GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN, words);
    expect_missing (installed_as);
    g_clear_pointer (&test, sink_test_free);
    teardown ();
  }
}

END_TEST;

/* The source and the queue post errors, too, when they learn of it: as long as
 * they do, GStreamer lets the stop of a bin fail. */
static void
stop_at_last (void)
{
  guint n = 0;

  while (sink_test_try_state (test, GST_STATE_READY)
      == GST_STATE_CHANGE_FAILURE)
    fail_unless (n++ < 3);
  sink_test_forget_messages (test);
}

static void
expect_input_error (void)
{
  static const gchar *const words[] = { "JPEG", "2435", NULL };

  sink_test_try_state (test, GST_STATE_PLAYING);
  sink_test_expect_error (test, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      words, SINK_TEST_TIMEOUT);
  stop_at_last ();
}

/* What cannot be sent is told each time that the pipeline is started. */
GST_START_TEST (test_input_that_is_refused_is_an_error_each_time)
{
  test = sink_test_new ("videotestsrc ! video/x-raw,format=Y444 ! jpegenc "
      "! rtspserversink codec=jpeg");
  expect_input_error ();
  expect_input_error ();
  g_clear_pointer (&test, sink_test_free);

  test = sink_test_new ("videotestsrc ! video/x-raw,width=2048,height=16 "
      "! rtspserversink codec=jpeg");
  expect_input_error ();
  expect_input_error ();
}

END_TEST;

/* The one error comes before the port is opened. Domain and code are those of
 * what went wrong; the text shows what was set. */
GST_START_TEST (test_encoder_description_that_is_wrong_is_one_error)
{
  static const gchar *const descriptions[] = { "nosuchencoder",
    "x264enc no-such-property=1", "x264enc speed-preset=warp", "x264enc !",
    "! x264enc", "fakesink", "videoconvert", "x264enc ! fakesink",
    "videotestsrc ! x264enc", "", "(", "theoraenc", "opusenc"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    g_autoptr (GstMessage) message = NULL;
    g_autoptr (GError) error = NULL;

    test = sink_test_new (SOURCE "rtspserversink");
    g_object_set (sink_test_element (test, NULL), "encoder", descriptions[i],
        NULL);
    fail_unless_equals_int (sink_test_try_state (test, GST_STATE_PLAYING),
        GST_STATE_CHANGE_FAILURE);
    message = gst_bus_pop_filtered (GST_ELEMENT_BUS (sink_test_pipeline
            (test)), GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "no error for encoder=\"%s\"",
        descriptions[i]);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (strstr (error->message, "encoder") != NULL
        && strstr (error->message, descriptions[i]) != NULL, "\"%s\": %s",
        descriptions[i], error->message);
    fail_unless_equals_int (sink_test_port (test, NULL), 0);
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

static void
post_error (GstElement * sink)
{
  g_autoptr (GstElement) input = gst_bin_get_by_name (GST_BIN (sink), "input");

  GST_ELEMENT_ERROR (input, STREAM, FAILED, ("broken"), (NULL));
}

/* As a streaming thread does that has not noticed the stop yet. */
static GstBusSyncReply
fail_on_the_way_down (GstBus * bus, GstMessage * message, gpointer sink)
{
  GstState old, new;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_STATE_CHANGED
      || g_strcmp0 (GST_MESSAGE_SRC_NAME (message), "output") != 0)
    return GST_BUS_PASS;
  gst_message_parse_state_changed (message, &old, &new, NULL);
  if (old == GST_STATE_READY && new == GST_STATE_READY)
    post_error (sink);
  return GST_BUS_PASS;
}

/* A pipeline whose stop fails leaves elements running when it is freed. Not by
 * sink_test_new(), whose own bin GStreamer lets fail. */
GST_START_TEST (test_stop_before_the_first_frame_succeeds_in_spite_of_errors)
{
  g_autoptr (GstElement) pipeline = gst_parse_launch ("appsrc is-live=true ! "
      SMALL_VIDEO " ! rtspserversink name=sink address=127.0.0.1 port=0", NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_PLAYING),
      GST_STATE_CHANGE_ASYNC);
  post_error (sink);
  gst_bus_set_sync_handler (bus, fail_on_the_way_down, sink, NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
}

END_TEST;

static Suite *
failures_suite (void)
{
  Suite *suite = suite_create ("failures");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests, test_input_that_is_refused_is_an_error_each_time);
  tcase_add_test (tests,
      test_stop_before_the_first_frame_succeeds_in_spite_of_errors);
  tcase_add_test (tests, test_port_in_use_is_one_error_with_place_and_cure);
  tcase_add_test (tests, test_address_of_another_machine_is_one_error);
  tcase_add_test (tests, test_address_that_is_none_is_one_error);
  tcase_add_test (tests, test_privileged_port_is_one_error);
  tcase_add_test (tests, test_mount_that_is_none_is_one_error);
  tcase_add_test (tests, test_mount_that_is_taken_is_one_error);
  tcase_add_loop_test (tests,
      test_no_encoder_is_a_missing_plugin_with_its_package, 0,
      G_N_ELEMENTS (lacking));
  tcase_add_test (tests, test_no_encoder_raw_is_served_nevertheless);
  tcase_add_test (tests, test_missing_part_is_one_error_with_its_name);
  tcase_add_test (tests, test_encoder_description_that_is_wrong_is_one_error);
  return suite;
}

CHECK_SUITE (failures);
