/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Which encoder is taken, and descriptions of one. Stand-ins are registered for
 * encoders that are not installed here; those that are, are taken out. */

#include <gst/check/gstcheck.h>

#include "codec/choose.h"
#include "codec/encoder.h"
#include "base/missing.h"
#include "checksuite.h"

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
  gst_element_add_pad (GST_ELEMENT (self),
      gst_pad_new_from_static_template (&raw_template, "sink"));
  gst_element_add_pad (GST_ELEMENT (self),
      gst_pad_new_from_static_template (&h264_template, "src"));
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
  if (g_list_find (added, feature) == NULL)
    gst_registry_add_feature (gst_registry_get (), feature);
}

static void
take_out (gpointer feature, gpointer user_data)
{
  gst_registry_remove_feature (gst_registry_get (), feature);
}

static void
remove_all (GstRtspServerSinkCodec codec)
{
  g_autoptr (GstCaps) caps =
      gst_caps_new_empty_simple (rtsp_sink_video_codecs_find
      (codec)->media_type);
  GList *all =
      gst_element_factory_list_get_elements (GST_ELEMENT_FACTORY_TYPE_ENCODER,
      GST_RANK_NONE);
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
  g_list_foreach (removed, put_back, NULL);
  g_list_free_full (g_steal_pointer (&added), gst_object_unref);
  g_list_free_full (g_steal_pointer (&removed), gst_object_unref);
}

static GstElement *
choose (GstRtspServerSinkCodec codec)
{
  g_autoptr (GError) error = NULL;
  GstElement *encoder = rtsp_sink_choose_encoder (rtsp_sink_video_codecs_find
      (codec), NULL, &error);

  fail_unless (encoder != NULL, "%s", error ? error->message : "no error");
  return encoder;
}

static GstElement *
parse (const gchar * description)
{
  g_autoptr (GError) error = NULL;
  GstElement *encoder = rtsp_sink_choose_encoder (NULL, description, &error);

  fail_unless (encoder != NULL, "%s", error ? error->message : "no error");
  return encoder;
}

static void
free_encoder (GstElement * encoder)
{
  gst_element_set_state (encoder, GST_STATE_NULL);
  ASSERT_OBJECT_REFCOUNT (encoder, "encoder", 1);
  gst_object_unref (encoder);
}

static void
expect_name (GstElement * encoder, const gchar * name)
{
  g_autofree gchar *actual = rtsp_sink_encoder_dup_name (encoder);

  fail_unless_equals_string (actual, name);
}

static void
expect_codec (GstElement * encoder, GstRtspServerSinkCodec codec)
{
  fail_unless (rtsp_sink_encoder_get_codec (encoder) ==
      rtsp_sink_video_codecs_find (codec));
}

static void
expect_chosen (const gchar * name)
{
  GstElement *encoder = choose (GST_RTSP_SERVER_SINK_CODEC_H264);
  GstState state;

  expect_name (encoder, name);
  expect_codec (encoder, GST_RTSP_SERVER_SINK_CODEC_H264);
  gst_element_get_state (encoder, &state, NULL, 0);
  fail_unless_equals_int (state, GST_STATE_READY);
  free_encoder (encoder);
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
  remove_all (GST_RTSP_SERVER_SINK_CODEC_H264);
  add_stand_in ("lowenc", GST_RANK_NONE, TRUE);
  add_stand_in ("highenc", GST_RANK_PRIMARY, TRUE);
  add_stand_in ("middleenc", GST_RANK_SECONDARY, TRUE);
  expect_chosen ("highenc");
}

GST_END_TEST;

/* An encoder of hardware that is not there. */
GST_START_TEST (test_encoders_one_that_does_not_open_is_passed_over)
{
  remove_all (GST_RTSP_SERVER_SINK_CODEC_H264);
  add_stand_in ("closedenc", GST_RANK_PRIMARY + 1, FALSE);
  add_stand_in ("highenc", GST_RANK_PRIMARY, TRUE);
  expect_chosen ("highenc");
}

GST_END_TEST;

/* As hardware does whose driver is not there. */
GST_START_TEST (test_encoders_hardware_comes_first_by_rank)
{
  add_stand_in ("vah264enc", GST_RANK_PRIMARY, TRUE);
  add_stand_in ("v4l2h264enc", GST_RANK_PRIMARY + 2, TRUE);
  add_stand_in ("nvh264enc", GST_RANK_PRIMARY + 3, FALSE);
  add_stand_in ("highenc", GST_RANK_PRIMARY + 4, TRUE);
  expect_chosen ("v4l2h264enc");
  remove_one ("v4l2h264enc");
  expect_chosen ("vah264enc");
}

GST_END_TEST;

/* A plugin gives that rank to what is not to be taken by itself. */
GST_START_TEST (test_encoders_hardware_without_rank_is_not_taken)
{
  remove_all (GST_RTSP_SERVER_SINK_CODEC_H264);
  add_stand_in ("vah264enc", GST_RANK_NONE, TRUE);
  add_stand_in ("highenc", GST_RANK_MARGINAL, TRUE);
  expect_chosen ("highenc");
}

GST_END_TEST;

GST_START_TEST (test_encoders_hardware_that_does_not_open_is_no_worse_than_none)
{
  const gchar *software = is_installed ("x264enc") ? "x264enc" : "openh264enc";

  add_stand_in ("nvh264enc", GST_RANK_PRIMARY * 2, FALSE);
  add_stand_in ("vah264lpenc", GST_RANK_PRIMARY, FALSE);
  if (is_installed (software))
    expect_chosen (software);
}

GST_END_TEST;

/* libav's wrapper of OpenMAX gets to READY without OpenMAX. */
GST_START_TEST (test_encoders_that_ready_tells_nothing_of_are_not_taken)
{
  remove_all (GST_RTSP_SERVER_SINK_CODEC_H264);
  add_stand_in ("avenc_h264_omx", GST_RANK_PRIMARY, TRUE);
  fail_unless (rtsp_sink_choose_encoder (rtsp_sink_video_codecs_find
          (GST_RTSP_SERVER_SINK_CODEC_H264), NULL, NULL) == NULL);
}

GST_END_TEST;

GST_START_TEST (test_encoders_each_codec_has_its_own)
{
  static const struct
  {
    GstRtspServerSinkCodec codec;
    const gchar *name;
  } cases[] = {
    {GST_RTSP_SERVER_SINK_CODEC_H264, "x264enc"},
    {GST_RTSP_SERVER_SINK_CODEC_H265, "x265enc"},
    {GST_RTSP_SERVER_SINK_CODEC_VP8, "vp8enc"},
    {GST_RTSP_SERVER_SINK_CODEC_VP9, "vp9enc"},
    {GST_RTSP_SERVER_SINK_CODEC_AV1, "av1enc"},
    {GST_RTSP_SERVER_SINK_CODEC_JPEG, "jpegenc"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *encoder;

    if (!is_installed (cases[i].name))
      continue;
    encoder = choose (cases[i].codec);
    expect_name (encoder, cases[i].name);
    expect_codec (encoder, cases[i].codec);
    free_encoder (encoder);
  }
}

GST_END_TEST;

GST_START_TEST (test_encoders_none_names_the_packages)
{
  static const struct
  {
    GstRtspServerSinkCodec codec;
    const gchar *words[6];
  } cases[] = {
    {GST_RTSP_SERVER_SINK_CODEC_H264, {"H.264", "x264enc", "openh264enc",
                "gstreamer1.0-plugins-ugly", "gstreamer1.0-plugins-bad",
            "codec=raw"}},
    {GST_RTSP_SERVER_SINK_CODEC_H265, {"H.265", "x265enc",
            "gstreamer1.0-plugins-bad", "codec=h264"}},
    {GST_RTSP_SERVER_SINK_CODEC_VP8, {"VP8", "vp8enc",
            "gstreamer1.0-plugins-good", "codec=h264"}},
    {GST_RTSP_SERVER_SINK_CODEC_VP9, {"VP9", "vp9enc",
            "gstreamer1.0-plugins-good", "codec=h264"}},
    {GST_RTSP_SERVER_SINK_CODEC_AV1, {"AV1", "av1enc",
            "gstreamer1.0-plugins-bad", "codec=h264"}},
    {GST_RTSP_SERVER_SINK_CODEC_JPEG, {"JPEG", "jpegenc", "avenc_mjpeg",
                "gstreamer1.0-plugins-good", "gstreamer1.0-libav",
            "codec=h264"}},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    remove_all (cases[i].codec);
    add_stand_in ("closedenc", GST_RANK_PRIMARY + 1, FALSE);
    fail_unless (rtsp_sink_choose_encoder (rtsp_sink_video_codecs_find
            (cases[i].codec), NULL, &error) == NULL);
    fail_unless (g_error_matches (error, RTSP_SINK_MISSING_ERROR,
            RTSP_SINK_MISSING_ENCODER));
    for (gsize j = 0; j < 6 && cases[i].words[j] != NULL; j++)
      fail_unless (strstr (error->message, cases[i].words[j]) != NULL,
          "no '%s' in '%s'", cases[i].words[j], error->message);
  }
}

GST_END_TEST;

GST_START_TEST (test_encoders_x264_holds_no_frame_back)
{
  GstElement *encoder = choose (GST_RTSP_SERVER_SINK_CODEC_H264);
  guint tune, b_frames, interval;

  if (g_str_equal (GST_OBJECT_NAME (gst_element_get_factory (encoder)),
          "x264enc")) {
    g_object_get (encoder, "tune", &tune, "bframes", &b_frames,
        "key-int-max", &interval, NULL);
    fail_unless (tune & 4, "not tuned for zero latency");
    fail_unless_equals_int (b_frames, 0);
    fail_unless_equals_int (interval, 1073741824);
  }
  free_encoder (encoder);
}

GST_END_TEST;

/* --- description --- */

GST_START_TEST (test_encoders_description_is_used_as_it_is)
{
  static const struct
  {
    const gchar *description;
    GstRtspServerSinkCodec codec;
    const gchar *name;
  } cases[] = {
    {"x264enc speed-preset=superfast tune=zerolatency",
        GST_RTSP_SERVER_SINK_CODEC_H264, "x264enc"},
    {"identity ! x264enc tune=zerolatency ! identity",
        GST_RTSP_SERVER_SINK_CODEC_H264, "x264enc"},
    {"x264enc ! h264parse ! queue", GST_RTSP_SERVER_SINK_CODEC_H264,
        "x264enc"},
    {"videoconvert ! vp8enc ! queue", GST_RTSP_SERVER_SINK_CODEC_VP8,
        "vp8enc"},
    {"x265enc", GST_RTSP_SERVER_SINK_CODEC_H265, "x265enc"},
    {"jpegenc quality=50", GST_RTSP_SERVER_SINK_CODEC_JPEG, "jpegenc"},
    {"avenc_mjpeg", GST_RTSP_SERVER_SINK_CODEC_JPEG, "avenc_mjpeg"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *encoder;
    GstPad *sink, *src;

    if (!is_installed (cases[i].name))
      continue;
    encoder = parse (cases[i].description);
    sink = gst_element_get_static_pad (encoder, "sink");
    src = gst_element_get_static_pad (encoder, "src");
    fail_unless (sink != NULL && src != NULL);
    gst_object_unref (sink);
    gst_object_unref (src);
    expect_name (encoder, cases[i].name);
    expect_codec (encoder, cases[i].codec);
    free_encoder (encoder);
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
    GstElement *encoder =
        rtsp_sink_choose_encoder (NULL, descriptions[i], &error);

    fail_unless (encoder == NULL, "'%s' is taken", descriptions[i]);
    fail_unless (error != NULL, "'%s' without error", descriptions[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_encoders_description_of_what_cannot_be_sent_is_an_error)
{
  static const gchar *const descriptions[] = { "avenc_mpeg4",
    "x264enc ! avdec_h264", "pngenc"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (descriptions); i++) {
    g_autoptr (GError) error = NULL;
    GstElement *encoder =
        rtsp_sink_choose_encoder (NULL, descriptions[i], &error);

    fail_unless (encoder == NULL, "'%s' is taken", descriptions[i]);
    if (g_error_matches (error, GST_PARSE_ERROR,
            GST_PARSE_ERROR_NO_SUCH_ELEMENT))
      continue;                 /* not installed */
    fail_unless (g_error_matches (error, GST_STREAM_ERROR,
            GST_STREAM_ERROR_WRONG_TYPE), "%s", error->message);
    fail_unless (strstr (error->message, "H.264") != NULL);
    fail_unless (strstr (error->message, descriptions[i]) != NULL);
  }
}

GST_END_TEST;

GST_START_TEST (test_encoders_description_is_answered_in_gstreamers_words)
{
  g_autoptr (GError) error = NULL;

  fail_unless (rtsp_sink_choose_encoder (NULL, "nosuchencoder",
          &error) == NULL);
  fail_unless (g_error_matches (error, GST_PARSE_ERROR,
          GST_PARSE_ERROR_NO_SUCH_ELEMENT));
  fail_unless (strstr (error->message, "no element \"nosuchencoder\"") != NULL,
      "%s", error->message);
}

GST_END_TEST;

/* --- bit rate --- */

static gint n_warnings;         /* atomic */

static void
count_warnings (GstDebugCategory * category, GstDebugLevel level,
    const gchar * file, const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer user_data)
{
  if (level == GST_LEVEL_WARNING && g_str_equal (gst_debug_category_get_name
          (category), "rtspserversink-encoder"))
    g_atomic_int_inc (&n_warnings);
}

/* How to set it is not known. */
GST_START_TEST (test_encoders_bitrate_of_others_is_theirs_with_one_warning)
{
  GstElement *encoder;

  add_stand_in ("standinenc", GST_RANK_NONE, TRUE);
  encoder = gst_object_ref_sink (gst_element_factory_make ("standinenc", NULL));
  n_warnings = 0;
  gst_debug_add_log_function (count_warnings, NULL, NULL);
  /* Its category exists now. */
  rtsp_sink_encoder_set_key_unit_interval (encoder, 1000, 25, 1);
  gst_debug_set_threshold_from_string ("rtspserversink-encoder:2", FALSE);
  rtsp_sink_encoder_set_bitrate (encoder, 1000000);
  fail_unless_equals_int (g_atomic_int_get (&n_warnings), 1);
  rtsp_sink_encoder_set_bitrate (encoder, 2000000);
  fail_unless_equals_int (g_atomic_int_get (&n_warnings), 1);
  gst_debug_remove_log_function (count_warnings);
  free_encoder (encoder);
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
  tcase_add_test (chain, test_encoders_hardware_comes_first_by_rank);
  tcase_add_test (chain, test_encoders_hardware_without_rank_is_not_taken);
  tcase_add_test (chain,
      test_encoders_hardware_that_does_not_open_is_no_worse_than_none);
  tcase_add_test (chain,
      test_encoders_that_ready_tells_nothing_of_are_not_taken);
  tcase_add_test (chain, test_encoders_each_codec_has_its_own);
  tcase_add_test (chain, test_encoders_none_names_the_packages);
  tcase_add_test (chain, test_encoders_x264_holds_no_frame_back);
  tcase_add_test (chain, test_encoders_description_is_used_as_it_is);
  tcase_add_test (chain, test_encoders_description_that_is_wrong_is_an_error);
  tcase_add_test (chain,
      test_encoders_description_of_what_cannot_be_sent_is_an_error);
  tcase_add_test (chain,
      test_encoders_description_is_answered_in_gstreamers_words);
  tcase_add_test (chain,
      test_encoders_bitrate_of_others_is_theirs_with_one_warning);

  return suite;
}

CHECK_SUITE (encoders);
