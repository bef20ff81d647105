/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Which H.264 encoder is taken, and its bit rate. Stand-ins are registered for
 * encoders that are not installed here; those that are, are taken out. */

#include <gst/check/gstcheck.h>

#include "rtspsinkencoders.h"

/* --- stand-ins --- */

typedef struct
{
  GstElement parent;
} StandIn;

typedef struct
{
  GstElementClass parent;
  gboolean opens;
} StandInClass;

static GType stand_in_get_type (void);
G_DEFINE_TYPE (StandIn, stand_in, GST_TYPE_ELEMENT);

static GstStaticPadTemplate raw_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));
static GstStaticPadTemplate h264_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-h264"));

static GstStateChangeReturn
stand_in_change_state (GstElement * element, GstStateChange transition)
{
  StandInClass *klass = (StandInClass *) G_OBJECT_GET_CLASS (element);

  if (!klass->opens)
    return GST_STATE_CHANGE_FAILURE;
  return GST_ELEMENT_CLASS (stand_in_parent_class)->change_state (element,
      transition);
}

static void
stand_in_class_init (StandInClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  klass->opens = TRUE;
  element_class->change_state = stand_in_change_state;
  gst_element_class_add_static_pad_template (element_class, &raw_template);
  gst_element_class_add_static_pad_template (element_class, &h264_template);
  gst_element_class_set_static_metadata (element_class, "Stand-in",
      "Codec/Encoder/Video", "Poses as an encoder", "test");
}

static void
stand_in_init (StandIn * self)
{
}

static void
closed_class_init (gpointer klass, gpointer data)
{
  ((StandInClass *) klass)->opens = FALSE;
}

/* --- the registry --- */

static GList *removed;          /* of GstPluginFeature */
static GList *added;

static void
remove_feature (gpointer feature, gpointer user_data)
{
  removed = g_list_prepend (removed, gst_object_ref (feature));
  gst_registry_remove_feature (gst_registry_get (), feature);
}

static void
put_back (gpointer feature, gpointer user_data)
{
  gst_registry_add_feature (gst_registry_get (), feature);
}

static void
take_out (gpointer feature, gpointer user_data)
{
  gst_registry_remove_feature (gst_registry_get (), feature);
}

static void
remove_all (void)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("video/x-h264");
  GList *all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_ENCODER, GST_RANK_NONE);
  GList *encoders = gst_element_factory_list_filter (all, caps, GST_PAD_SRC,
      FALSE);

  g_list_foreach (encoders, remove_feature, NULL);
  gst_plugin_feature_list_free (encoders);
  gst_plugin_feature_list_free (all);
}

static void
remove_one (const gchar * name)
{
  GstPluginFeature *feature = gst_registry_lookup_feature (gst_registry_get (),
      name);

  if (feature == NULL)
    return;
  remove_feature (feature, NULL);
  gst_object_unref (feature);
}

/* A type points to its factory for good: each is made once and kept. */
static GstPluginFeature *
make_stand_in (const gchar * name, gboolean opens)
{
  g_autofree gchar *type_name = g_strdup_printf ("StandIn-%s", name);
  GTypeQuery query;
  GTypeInfo info = { 0, };

  g_type_query (stand_in_get_type (), &query);
  info.class_size = query.class_size;
  info.instance_size = query.instance_size;
  info.class_init = opens ? NULL : closed_class_init;
  fail_unless (gst_element_register (NULL, name, GST_RANK_NONE,
          g_type_register_static (stand_in_get_type (), type_name, &info, 0)));
  return gst_registry_lookup_feature (gst_registry_get (), name);
}

static void
add_stand_in (const gchar * name, guint rank, gboolean opens)
{
  static GHashTable *features = NULL;
  GstPluginFeature *feature;

  if (features == NULL)
    features = g_hash_table_new (g_str_hash, g_str_equal);
  feature = g_hash_table_lookup (features, name);
  if (feature == NULL) {
    feature = make_stand_in (name, opens);
    GST_OBJECT_FLAG_SET (feature, GST_OBJECT_FLAG_MAY_BE_LEAKED);
    g_hash_table_insert (features, (gpointer) name, feature);
  } else {
    gst_registry_add_feature (gst_registry_get (), feature);
  }
  gst_plugin_feature_set_rank (feature, rank);
  added = g_list_prepend (added, gst_object_ref (feature));
}

static void
teardown (void)
{
  g_list_foreach (added, take_out, NULL);
  g_list_free_full (g_steal_pointer (&added), gst_object_unref);
  g_list_foreach (removed, put_back, NULL);
  g_list_free_full (g_steal_pointer (&removed), gst_object_unref);
}

static void
expect_chosen (const gchar * name)
{
  g_autoptr (GError) error = NULL;
  GstElement *encoder = rtsp_sink_encoders_choose (&error);
  GstState state;

  fail_unless (encoder != NULL, "%s", error ? error->message : "no error");
  fail_unless_equals_string (GST_OBJECT_NAME (gst_element_get_factory
          (encoder)), name);
  gst_element_get_state (encoder, &state, NULL, 0);
  fail_unless_equals_int (state, GST_STATE_READY);
  gst_element_set_state (encoder, GST_STATE_NULL);
  ASSERT_OBJECT_REFCOUNT (encoder, "encoder", 1);
  gst_object_unref (encoder);
}

static gboolean
is_installed (const gchar * name)
{
  GstPluginFeature *feature = gst_registry_lookup_feature (gst_registry_get (),
      name);

  if (feature == NULL)
    return FALSE;
  gst_object_unref (feature);
  return TRUE;
}

/* --- choice --- */

GST_START_TEST (test_encoders_known_ones_come_before_any_rank)
{
  add_stand_in ("standinenc", GST_RANK_PRIMARY + 100, TRUE);
  if (is_installed ("x264enc")) {
    expect_chosen ("x264enc");
    remove_one ("x264enc");
  }
  if (is_installed ("openh264enc")) {
    expect_chosen ("openh264enc");
    remove_one ("openh264enc");
  }
  expect_chosen ("standinenc");
}

GST_END_TEST;

GST_START_TEST (test_encoders_others_are_taken_by_rank)
{
  remove_all ();
  add_stand_in ("lowenc", GST_RANK_NONE, TRUE);
  add_stand_in ("highenc", GST_RANK_PRIMARY, TRUE);
  add_stand_in ("middleenc", GST_RANK_SECONDARY, TRUE);
  expect_chosen ("highenc");
}

GST_END_TEST;

/* An encoder of hardware that is not there. */
GST_START_TEST (test_encoders_one_that_does_not_open_is_passed_over)
{
  remove_all ();
  add_stand_in ("closedenc", GST_RANK_PRIMARY + 1, FALSE);
  add_stand_in ("highenc", GST_RANK_PRIMARY, TRUE);
  expect_chosen ("highenc");
}

GST_END_TEST;

GST_START_TEST (test_encoders_none_names_the_packages)
{
  g_autoptr (GError) error = NULL;

  remove_all ();
  add_stand_in ("closedenc", GST_RANK_PRIMARY + 1, FALSE);
  fail_unless (rtsp_sink_encoders_choose (&error) == NULL);
  fail_unless (g_error_matches (error, GST_CORE_ERROR,
          GST_CORE_ERROR_MISSING_PLUGIN));
  fail_unless (strstr (error->message, "gstreamer1.0-plugins-ugly") != NULL);
  fail_unless (strstr (error->message, "gstreamer1.0-plugins-bad") != NULL);
  fail_unless (strstr (error->message, "codec=raw") != NULL);
}

GST_END_TEST;

GST_START_TEST (test_encoders_x264_holds_no_frame_back)
{
  GstElement *encoder = rtsp_sink_encoders_choose (NULL);
  guint tune, b_frames;

  fail_unless (encoder != NULL);
  if (g_str_equal (GST_OBJECT_NAME (gst_element_get_factory (encoder)),
          "x264enc")) {
    g_object_get (encoder, "tune", &tune, "bframes", &b_frames, NULL);
    fail_unless (tune & 4, "not tuned for zero latency");
    fail_unless_equals_int (b_frames, 0);
  }
  gst_element_set_state (encoder, GST_STATE_NULL);
  gst_object_unref (encoder);
}

GST_END_TEST;

/* --- description --- */

GST_START_TEST (test_encoders_description_is_used_as_it_is)
{
  static const gchar *const descriptions[] = {
    "x264enc speed-preset=superfast tune=zerolatency",
    "identity ! x264enc tune=zerolatency ! identity",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    g_autoptr (GError) error = NULL;
    GstElement *encoder = rtsp_sink_encoders_parse (descriptions[i], &error);
    GstPad *sink, *src;

    fail_unless (encoder != NULL, "%s", error ? error->message : "");
    sink = gst_element_get_static_pad (encoder, "sink");
    src = gst_element_get_static_pad (encoder, "src");
    fail_unless (sink != NULL && src != NULL);
    gst_object_unref (sink);
    gst_object_unref (src);
    ASSERT_OBJECT_REFCOUNT (encoder, "encoder", 1);
    gst_object_unref (encoder);
  }
}

GST_END_TEST;

GST_START_TEST (test_encoders_description_that_is_wrong_is_an_error)
{
  static const gchar *const descriptions[] = { "", " ", "nosuchencoder", "!",
    "x264enc !", "x264enc nosuchproperty=1", "x264enc speed-preset=nosuch",
    "identity", "videotestsrc", "fakesink", "x264enc ! nosuch",
    "x264enc )", "( x264enc"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    g_autoptr (GError) error = NULL;
    GstElement *encoder = rtsp_sink_encoders_parse (descriptions[i], &error);

    fail_unless (encoder == NULL, "'%s' is taken", descriptions[i]);
    fail_unless (error != NULL, "'%s' without error", descriptions[i]);
  }
}

GST_END_TEST;

/* --- bit rate --- */

static void
expect_bitrate (const gchar * factory, guint bitrate, guint property)
{
  GstElement *encoder = gst_element_factory_make (factory, NULL);
  guint value;

  if (encoder == NULL)
    return;                     /* not installed */
  gst_object_ref_sink (encoder);
  rtsp_sink_encoders_set_bitrate (encoder, bitrate);
  g_object_get (encoder, "bitrate", &value, NULL);
  fail_unless_equals_int (value, property);
  gst_object_unref (encoder);
}

GST_START_TEST (test_encoders_bitrate_is_in_the_units_of_the_encoder)
{
  /* kbit/s */
  expect_bitrate ("x264enc", 1234567, 1234);
  expect_bitrate ("x264enc", 400000, 400);
  expect_bitrate ("x264enc", 10, 1);
  /* bit/s */
  expect_bitrate ("openh264enc", 1234567, 1234567);
}

GST_END_TEST;

/* How to set it is not known. */
GST_START_TEST (test_encoders_bitrate_of_others_is_theirs)
{
  GstElement *encoder;

  add_stand_in ("standinenc", GST_RANK_NONE, TRUE);
  encoder = gst_object_ref_sink (gst_element_factory_make ("standinenc", NULL));
  rtsp_sink_encoders_set_bitrate (encoder, 1000000);
  gst_object_unref (encoder);
}

GST_END_TEST;

static Suite *
encoders_suite (void)
{
  Suite *suite = suite_create ("encoders");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, NULL, teardown);
  tcase_add_test (chain, test_encoders_known_ones_come_before_any_rank);
  tcase_add_test (chain, test_encoders_others_are_taken_by_rank);
  tcase_add_test (chain, test_encoders_one_that_does_not_open_is_passed_over);
  tcase_add_test (chain, test_encoders_none_names_the_packages);
  tcase_add_test (chain, test_encoders_x264_holds_no_frame_back);
  tcase_add_test (chain, test_encoders_description_is_used_as_it_is);
  tcase_add_test (chain, test_encoders_description_that_is_wrong_is_an_error);
  tcase_add_test (chain, test_encoders_bitrate_is_in_the_units_of_the_encoder);
  tcase_add_test (chain, test_encoders_bitrate_of_others_is_theirs);

  return suite;
}

GST_CHECK_MAIN (encoders);
