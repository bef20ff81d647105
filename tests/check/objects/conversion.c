/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What makes an access unit of a raw frame: how each kind of input configures
 * it. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "checksuite.h"
#include "video/converter.h"

static RtspSinkConverterConfig config;
static RtspSinkConverter *conversion;
static guint asked_bitrate;
static gchar *failure;          /* what the conversion told */

static void
encoder_made (GstElement * encoder, gpointer user_data)
{
}

static void
changed (gboolean encoded_here, gpointer user_data)
{
}

static void
failed (const GError * error, gpointer user_data)
{
  fail_unless (failure == NULL, "told twice");
  failure = g_strdup (error->message);
}

static void
setup (void)
{
  config = (RtspSinkConverterConfig) {
  .funcs = { encoder_made, changed, failed }};
  config.rates = rtsp_sink_rates_new ();
  config.codec = rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_H264);
  asked_bitrate = 0;
}

static void
teardown (void)
{
  g_clear_pointer (&conversion, rtsp_sink_converter_free);
  g_clear_pointer (&config.rates, rtsp_sink_rates_unref);
  g_clear_pointer (&failure, g_free);
}

static void
make (void)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&conversion, rtsp_sink_converter_free);
  conversion = rtsp_sink_converter_new (&config, &error);
  fail_unless (conversion != NULL, "%s", error ? error->message : "no error");
  rtsp_sink_rates_set (config.rates, asked_bitrate, 2000);
}

/* The bin's only element of that kind. */
static GstElement *
find (const gchar * factory)
{
  g_autoptr (GstIterator) it =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN
      (rtsp_sink_converter_get_bin (conversion)), factory);
  GValue item = G_VALUE_INIT;
  GstElement *element;

  fail_unless_equals_int (gst_iterator_next (it, &item), GST_ITERATOR_OK);
  element = g_value_get_object (&item);
  g_value_unset (&item);
  return element;
}

static gboolean
configure (const gchar * description, GError ** error)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  fail_unless (caps != NULL);
  return rtsp_sink_converter_configure (conversion, caps, error);
}

static void
expect_configured (const gchar * format, gint width, gint height,
    const gchar * more)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw, format=%s, "
      "width=%d, height=%d%s", format, width, height, more);
  g_autoptr (GError) error = NULL;

  fail_unless (configure (caps, &error), "%s: %s", caps,
      error ? error->message : "no error");
}

static GstPadProbeReturn
filter (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return rtsp_sink_converter_filter (conversion, info);
}

static GstHarness *
start_harness (const gchar * caps)
{
  GstHarness *harness =
      gst_harness_new_with_element (rtsp_sink_converter_get_bin (conversion),
      "sink", "src");

  gst_pad_add_probe (harness->srcpad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, filter, NULL, NULL);
  gst_harness_set_sink_caps_str (harness, config.codec ? config.codec->sent :
      "ANY");
  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

static void
push_frame (GstHarness * harness)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->srcpad);
  GstVideoInfo info;
  GstBuffer *frame;

  fail_unless (gst_video_info_from_caps (&info, caps));
  frame = gst_harness_create_buffer (harness, GST_VIDEO_INFO_SIZE (&info));
  gst_buffer_memset (frame, 0, 0x80, -1);
  GST_BUFFER_PTS (frame) = 0;
  gst_harness_push (harness, frame);
}

/* Pushes one frame of those caps through a new conversion. Returns the caps of
 * what comes out, or NULL if it was refused. Transfer full. */
static GstCaps *
encode (const gchar * format, gint width, gint height, const gchar * more)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw, format=%s, "
      "width=%d, height=%d%s%s", format, width, height,
      strstr (more, "framerate") ? "" : ", framerate=25/1", more);
  g_autoptr (GstBuffer) output = NULL;
  GstHarness *harness;
  GstCaps *got = NULL;

  make ();
  g_clear_pointer (&failure, g_free);
  harness = start_harness (caps);
  push_frame (harness);
  output = gst_harness_try_pull (harness);
  fail_unless ((output != NULL) == (failure == NULL), "%s", caps);
  if (output != NULL)
    got = gst_pad_get_current_caps (harness->sinkpad);
  gst_harness_teardown (harness);
  return got;
}

static void
expect_size (const gchar * format, gint width, gint height,
    const gchar * more, gint width_out, gint height_out)
{
  g_autoptr (GstCaps) caps = encode (format, width, height, more);
  gint w, h;

  fail_unless (caps != NULL, "%s %dx%d: %s", format, width, height, failure);
  fail_unless (gst_structure_get (gst_caps_get_structure (caps, 0), "width",
          G_TYPE_INT, &w, "height", G_TYPE_INT, &h, NULL));
  fail_unless_equals_int (w, width_out);
  fail_unless_equals_int (h, height_out);
}

static void
expect_refused (const gchar * format, gint width, gint height,
    const gchar * more, const gchar * word)
{
  g_autoptr (GstCaps) caps = encode (format, width, height, more);

  fail_unless (caps == NULL, "%s %dx%d is taken", format, width, height);
  fail_unless (strstr (failure, word) != NULL, "no '%s' in: %s", word, failure);
}

static guint
bitrate (void)
{
  guint value;

  g_object_get (find ("x264enc"), "bitrate", &value, NULL);
  return value;
}

GST_START_TEST (test_conversion_h264_odd_sizes_lose_a_row_and_a_column)
{
  expect_size ("I420", 320, 240, "", 320, 240);
  expect_size ("I420", 321, 241, "", 320, 240);
  expect_size ("BGR", 321, 241, "", 320, 240);
  expect_size ("NV12", 320, 241, "", 320, 240);
  expect_size ("GRAY8", 63, 48, "", 62, 48);
  expect_size ("YUY2", 65, 49, "", 64, 48);
}

END_TEST;

GST_START_TEST (test_conversion_h264_interlaced_is_cropped_to_whole_field_pairs)
{
  expect_size ("YUY2", 720, 486, ", interlace-mode=interleaved", 720, 484);
  expect_size ("YUY2", 720, 576, ", interlace-mode=interleaved", 720, 576);
}

END_TEST;

GST_START_TEST (test_conversion_h264_too_small_is_refused_with_its_size)
{
  expect_refused ("I420", 1, 1, "", "1x1");
  expect_refused ("I420", 1, 480, "", "1x480");
  expect_refused ("I420", 640, 1, "", "640x1");
  expect_refused ("I420", 640, 3, ", interlace-mode=interleaved", "640x3");
}

END_TEST;

/* What viewers can surely decode. */
GST_START_TEST (test_conversion_h264_is_main_at_most)
{
  static const gchar *const formats[] = { "I420", "YUY2", "BGR", "GRAY8",
    "Y444", "Y42B", "I420_10LE", "ARGB64"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstCaps) caps = encode (formats[i], 64, 48, "");
    const gchar *profile;

    fail_unless (caps != NULL, "%s: %s", formats[i], failure);
    profile = gst_structure_get_string (gst_caps_get_structure (caps, 0),
        "profile");
    fail_unless (g_strcmp0 (profile, "constrained-baseline") == 0
        || g_strcmp0 (profile, "baseline") == 0
        || g_strcmp0 (profile, "main") == 0, "%s: %s", formats[i], profile);
  }
}

END_TEST;

GST_START_TEST (test_conversion_caps_that_lack_something_are_refused)
{
  g_autoptr (GError) error = NULL;

  make ();
  fail_if (configure ("video/x-raw, format=I420", &error));
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, "width") != NULL, "%s", error->message);
}

END_TEST;

/* One bit for ten pixels, at least 400 kbit/s. */
GST_START_TEST (test_conversion_bitrate_follows_size_and_rate)
{
  make ();
  expect_configured ("I420", 1280, 720, ", framerate=30/1");
  fail_unless_equals_int (bitrate (), 1280 * 720 * 30 / 10 / 1000);
  expect_configured ("I420", 1920, 1080, ", framerate=60/1");
  fail_unless_equals_int (bitrate (), 1920 * 1080 / 10 * 60 / 1000);
  expect_configured ("I420", 1280, 720, ", framerate=15/1");
  fail_unless_equals_int (bitrate (), 1280 * 720 * 15 / 10 / 1000);
  expect_configured ("I420", 64, 48, ", framerate=25/1");
  fail_unless_equals_int (bitrate (), 400);
  /* no rate known: as with 30 */
  expect_configured ("I420", 1280, 720, ", framerate=0/1");
  fail_unless_equals_int (bitrate (), 1280 * 720 * 30 / 10 / 1000);
  expect_configured ("I420", 16384, 16384, ", framerate=240/1");
  fail_unless (bitrate () > 0);
}

END_TEST;

GST_START_TEST (test_conversion_bitrate_that_was_set_is_kept)
{
  asked_bitrate = 3000000;
  make ();
  expect_configured ("I420", 64, 48, ", framerate=25/1");
  fail_unless_equals_int (bitrate (), 3000);
  expect_configured ("I420", 1920, 1080, ", framerate=60/1");
  fail_unless_equals_int (bitrate (), 3000);
}

END_TEST;

/* A description is the user's. */
GST_START_TEST (test_conversion_bitrate_of_a_description_is_left_alone)
{
  config.encoder = "x264enc tune=zerolatency bitrate=777";
  make ();
  expect_configured ("I420", 1280, 720, ", framerate=30/1");
  fail_unless_equals_int (bitrate (), 777);

  asked_bitrate = 2000000;
  make ();
  expect_configured ("I420", 1280, 720, ", framerate=30/1");
  fail_unless_equals_int (bitrate (), 2000);
}

END_TEST;

/* Whatever the encoder is called, it is no other part of ours. */
GST_START_TEST (test_conversion_name_of_a_described_encoder_is_free)
{
  static const gchar *const names[] = { "queue", "convert", "format", "crop",
    "range", "encoder", "profile", "parser", "encoding", "mine"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree gchar *description =
        g_strdup_printf ("x264enc name=%s tune=zerolatency", names[i]);

    config.encoder = description;
    make ();
    expect_configured ("I420", 64, 48, "");
  }
}

END_TEST;

GST_START_TEST (test_conversion_description_without_encoder_is_an_error)
{
  g_autoptr (GError) error = NULL;

  config.encoder = "nosuchencoder";
  fail_unless (rtsp_sink_converter_new (&config, &error) == NULL);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, "nosuchencoder") != NULL, "%s",
      error->message);
}

END_TEST;

GST_START_TEST (test_conversion_raw_is_cropped_to_whole_pixel_groups)
{
  config.codec = rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_RAW);
  expect_size ("RGB", 321, 241, "", 321, 241);
  expect_size ("GRAY8", 33, 1, "", 33, 1);
  expect_size ("YUY2", 321, 241, "", 320, 241);
  expect_size ("I420", 321, 241, "", 320, 240);
  expect_refused ("I420", 1, 1, "", "1x1");
  expect_refused ("ARGB64", 64, 48, "", "ARGB64");
}

END_TEST;

static void
expect_encoder_error (GstRtspServerSinkCodec codec, const gchar * description,
    const gchar * word)
{
  g_autoptr (GError) error = NULL;

  config.codec = rtsp_sink_video_codecs_find (codec);
  config.encoder = description;
  fail_unless (rtsp_sink_converter_new (&config, &error) == NULL);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, word) != NULL, "no '%s' in: %s", word,
      error->message);
}

GST_START_TEST (test_conversion_description_of_another_codec_is_an_error)
{
  expect_encoder_error (GST_RTSP_SERVER_SINK_CODEC_H264, "vp8enc", "VP8");
  expect_encoder_error (GST_RTSP_SERVER_SINK_CODEC_VP8,
      "x264enc tune=zerolatency", "H.264");
}

END_TEST;

/* The codec is what the encoder makes. */
GST_START_TEST (test_conversion_description_alone_says_the_codec)
{
  g_autoptr (GstCaps) caps = NULL;

  config.codec = NULL;
  config.encoder = "vp8enc deadline=1 lag-in-frames=0";
  caps = encode ("I420", 64, 48, "");
  fail_unless (caps != NULL, "%s", failure);
  fail_unless (gst_structure_has_name (gst_caps_get_structure (caps, 0),
          "video/x-vp8"));
}

END_TEST;

static const struct
{
  GstRtspServerSinkCodec codec;
  const gchar *caps;            /* of what comes out */
} coded[] = {
  {GST_RTSP_SERVER_SINK_CODEC_H264, "video/x-h264, stream-format=avc"},
  {GST_RTSP_SERVER_SINK_CODEC_H265, "video/x-h265, stream-format=hvc1, "
        "profile=main"},
  {GST_RTSP_SERVER_SINK_CODEC_VP8, "video/x-vp8"},
  {GST_RTSP_SERVER_SINK_CODEC_VP9, "video/x-vp9, profile=(string)0"},
  {GST_RTSP_SERVER_SINK_CODEC_JPEG, "image/jpeg, sampling=YCbCr-4:2:0, "
        "sof-marker=0"},
};

GST_START_TEST (test_conversion_makes_each_codec_from_each_kind_of_format)
{
  static const gchar *const formats[] = { "I420", "YUY2", "BGR", "GRAY8",
    "Y444", "I420_10LE"
  };
  g_autoptr (GstCaps) expected = gst_caps_from_string (coded[__i__].caps);

  config.codec = rtsp_sink_video_codecs_find (coded[__i__].codec);
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GstCaps) caps = encode (formats[i], 65, 49, "");

    fail_unless (caps != NULL, "%s: %s", formats[i], failure);
    fail_unless (gst_caps_is_subset (caps, expected), "%s: %s", formats[i],
        gst_caps_to_string (caps));
  }
}

END_TEST;

/* The frame comes out at once, and nobody is told a rate. */
GST_START_TEST (test_conversion_rate_may_be_unknown)
{
  g_autoptr (GstCaps) caps = NULL;
  gint n = 0, d = 1;

  config.codec = rtsp_sink_video_codecs_find (coded[__i__].codec);
  caps = encode ("I420", 64, 64, ", framerate=0/1");
  fail_unless (caps != NULL, "%s", failure);
  gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate",
      &n, &d);
  fail_unless_equals_int (n, 0);
}

END_TEST;

GST_START_TEST
    (test_conversion_jpeg_too_large_for_rtp_is_refused_with_the_limit) {
  config.codec = rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_JPEG);
  expect_size ("I420", 2040, 16, "", 2040, 16);
  expect_refused ("I420", 2042, 16, "", "2040x2040");
  expect_refused ("I420", 16, 2042, "", "2040x2040");
}

END_TEST;

/* The encoder is told before its next frame. */
GST_START_TEST (test_conversion_bitrate_can_change_at_any_time)
{
  GstHarness *harness;
  guint before;

  make ();
  rtsp_sink_rates_set (config.rates, 500000, 2000);
  harness = start_harness ("video/x-raw, format=I420, width=64, height=48, "
      "framerate=25/1");
  push_frame (harness);
  fail_unless_equals_int (bitrate (), 500);
  rtsp_sink_rates_set (config.rates, 700000, 2000);
  before = bitrate ();
  push_frame (harness);
  fail_unless_equals_int (before, 500);
  fail_unless_equals_int (bitrate (), 700);
  rtsp_sink_rates_set (config.rates, 0, 2000);
  push_frame (harness);
  fail_unless_equals_int (bitrate (), 400);
  gst_harness_teardown (harness);
}

END_TEST;

static Suite *
conversion_suite (void)
{
  Suite *suite = suite_create ("conversion");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain,
      test_conversion_h264_odd_sizes_lose_a_row_and_a_column);
  tcase_add_test (chain,
      test_conversion_h264_interlaced_is_cropped_to_whole_field_pairs);
  tcase_add_test (chain,
      test_conversion_h264_too_small_is_refused_with_its_size);
  tcase_add_test (chain, test_conversion_h264_is_main_at_most);
  tcase_add_test (chain, test_conversion_caps_that_lack_something_are_refused);
  tcase_add_test (chain, test_conversion_bitrate_follows_size_and_rate);
  tcase_add_test (chain, test_conversion_bitrate_that_was_set_is_kept);
  tcase_add_test (chain,
      test_conversion_bitrate_of_a_description_is_left_alone);
  tcase_add_test (chain, test_conversion_name_of_a_described_encoder_is_free);
  tcase_add_test (chain,
      test_conversion_description_without_encoder_is_an_error);
  tcase_add_test (chain, test_conversion_raw_is_cropped_to_whole_pixel_groups);
  tcase_add_test (chain,
      test_conversion_description_of_another_codec_is_an_error);
  tcase_add_test (chain, test_conversion_description_alone_says_the_codec);
  tcase_add_loop_test (chain,
      test_conversion_makes_each_codec_from_each_kind_of_format, 0,
      G_N_ELEMENTS (coded));
  tcase_add_loop_test (chain, test_conversion_rate_may_be_unknown, 0,
      G_N_ELEMENTS (coded));
  tcase_add_test (chain,
      test_conversion_jpeg_too_large_for_rtp_is_refused_with_the_limit);
  tcase_add_test (chain, test_conversion_bitrate_can_change_at_any_time);

  return suite;
}

CHECK_SUITE (conversion);
