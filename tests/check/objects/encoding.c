/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What stands between a raw frame and its access unit: how each kind of input
 * configures it. */

#include "sinktest.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "rtspsinkencoding.h"

static RtspSinkSettings settings;
static RtspSinkEncoding *encoding;
static gchar *failure;          /* what the encoding told; atomic */

static void
setup (void)
{
  rtsp_sink_settings_init (&settings);
}

static void
teardown (void)
{
  g_clear_pointer (&encoding, rtsp_sink_encoding_free);
  rtsp_sink_settings_clear (&settings);
  g_clear_pointer (&failure, g_free);
}

static void
input_changed (gpointer user_data)
{
}

static void
failed (const GError * error, gpointer user_data)
{
  fail_unless (failure == NULL, "told twice");
  g_atomic_pointer_set (&failure, g_strdup (error->message));
}

static const RtspSinkEncodingFuncs funcs = {
  input_changed,
  failed,
};

static void
make (void)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&encoding, rtsp_sink_encoding_free);
  encoding = rtsp_sink_encoding_new (&settings, &funcs, NULL, &error);
  fail_unless (encoding != NULL, "%s", error ? error->message : "no error");
}

/* The bin's only element of that kind. */
static GstElement *
find (const gchar * factory)
{
  g_autoptr (GstIterator) it =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN
      (rtsp_sink_encoding_get_bin (encoding)), factory);
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
  return rtsp_sink_encoding_configure (encoding, caps, error);
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

static GstHarness *harness;
static GstBuffer *output;

static gboolean
has_answered (gpointer user_data)
{
  if (output == NULL)
    output = gst_harness_try_pull (harness);
  return output != NULL || g_atomic_pointer_get (&failure) != NULL;
}

/* Pushes one frame of those caps through a new encoding. Returns the caps of
 * what comes out, or NULL if it was refused. Transfer full. */
static GstCaps *
encode (const gchar * format, gint width, gint height, const gchar * more)
{
  g_autofree gchar *text = g_strdup_printf ("video/x-raw, format=%s, "
      "width=%d, height=%d, framerate=25/1%s", format, width, height, more);
  GstCaps *caps = gst_caps_from_string (text), *got = NULL;
  GstVideoInfo info;
  GstBuffer *frame;

  make ();
  g_clear_pointer (&failure, g_free);
  fail_unless (gst_video_info_from_caps (&info, caps));
  harness = gst_harness_new_with_element (rtsp_sink_encoding_get_bin
      (encoding), "sink", "src");
  gst_harness_set_src_caps (harness, caps);
  frame = gst_harness_create_buffer (harness, GST_VIDEO_INFO_SIZE (&info));
  gst_buffer_memset (frame, 0, 0x80, -1);
  GST_BUFFER_PTS (frame) = 0;
  gst_harness_push (harness, frame);
  sink_test_wait_until (has_answered, NULL, SINK_TEST_TIMEOUT, text);
  if (output != NULL)
    got = gst_pad_get_current_caps (harness->sinkpad);
  gst_clear_buffer (&output);
  g_clear_pointer (&harness, gst_harness_teardown);
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

GST_START_TEST (test_encoding_h264_odd_sizes_lose_a_row_and_a_column)
{
  expect_size ("I420", 320, 240, "", 320, 240);
  expect_size ("I420", 321, 241, "", 320, 240);
  expect_size ("BGR", 321, 241, "", 320, 240);
  expect_size ("NV12", 320, 241, "", 320, 240);
  expect_size ("GRAY8", 63, 48, "", 62, 48);
  expect_size ("YUY2", 65, 49, "", 64, 48);
}

END_TEST;

GST_START_TEST (test_encoding_h264_interlaced_is_cropped_to_whole_field_pairs)
{
  expect_size ("YUY2", 720, 486, ", interlace-mode=interleaved", 720, 484);
  expect_size ("YUY2", 720, 576, ", interlace-mode=interleaved", 720, 576);
}

END_TEST;

GST_START_TEST (test_encoding_h264_too_small_is_refused_with_its_size)
{
  expect_refused ("I420", 1, 1, "", "1x1");
  expect_refused ("I420", 1, 480, "", "1x480");
  expect_refused ("I420", 640, 1, "", "640x1");
  expect_refused ("I420", 640, 3, ", interlace-mode=interleaved", "640x3");
}

END_TEST;

/* What viewers can surely decode. */
GST_START_TEST (test_encoding_h264_is_main_at_most)
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

GST_START_TEST (test_encoding_caps_that_lack_something_are_refused)
{
  g_autoptr (GError) error = NULL;

  make ();
  fail_if (configure ("video/x-raw, format=I420", &error));
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, "width") != NULL, "%s", error->message);
}

END_TEST;

/* One bit for ten pixels, at least 400 kbit/s. */
GST_START_TEST (test_encoding_bitrate_follows_size_and_rate)
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

GST_START_TEST (test_encoding_bitrate_that_was_set_is_kept)
{
  settings.bitrate = 3000000;
  make ();
  expect_configured ("I420", 64, 48, ", framerate=25/1");
  fail_unless_equals_int (bitrate (), 3000);
  expect_configured ("I420", 1920, 1080, ", framerate=60/1");
  fail_unless_equals_int (bitrate (), 3000);
}

END_TEST;

/* A description is the user's. */
GST_START_TEST (test_encoding_bitrate_of_a_description_is_left_alone)
{
  g_free (settings.encoder);
  settings.encoder = g_strdup ("x264enc tune=zerolatency bitrate=777");
  make ();
  expect_configured ("I420", 1280, 720, ", framerate=30/1");
  fail_unless_equals_int (bitrate (), 777);

  settings.bitrate = 2000000;
  make ();
  expect_configured ("I420", 1280, 720, ", framerate=30/1");
  fail_unless_equals_int (bitrate (), 2000);
}

END_TEST;

/* Whatever the encoder is called, it is no other part of ours. */
GST_START_TEST (test_encoding_name_of_a_described_encoder_is_free)
{
  static const gchar *const names[] = { "queue", "convert", "format", "crop",
    "range", "encoder", "profile", "parser", "encoding", "mine"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_free (settings.encoder);
    settings.encoder = g_strdup_printf ("x264enc name=%s tune=zerolatency",
        names[i]);
    make ();
    expect_configured ("I420", 64, 48, "");
  }
}

END_TEST;

GST_START_TEST (test_encoding_description_without_encoder_is_an_error)
{
  g_autoptr (GError) error = NULL;

  settings.encoder = g_strdup ("nosuchencoder");
  fail_unless (rtsp_sink_encoding_new (&settings, &funcs, NULL,
          &error) == NULL);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, "nosuchencoder") != NULL, "%s",
      error->message);
}

END_TEST;

GST_START_TEST (test_encoding_raw_is_cropped_to_whole_pixel_groups)
{
  settings.codec = GST_RTSP_SERVER_SINK_CODEC_RAW;
  expect_size ("RGB", 321, 241, "", 321, 241);
  expect_size ("GRAY8", 33, 1, "", 33, 1);
  expect_size ("YUY2", 321, 241, "", 320, 241);
  expect_size ("I420", 321, 241, "", 320, 240);
  expect_refused ("I420", 1, 1, "", "1x1");
  expect_refused ("ARGB64", 64, 48, "", "ARGB64");
}

END_TEST;

GST_START_TEST (test_encoding_payloader_fits_the_codec)
{
  GstElement *payloader;

  make ();
  payloader = gst_object_ref_sink (rtsp_sink_encoding_make_payloader
      (encoding, NULL));
  fail_unless_equals_string (GST_OBJECT_NAME (gst_element_get_factory
          (payloader)), "rtph264pay");
  gst_object_unref (payloader);

  settings.codec = GST_RTSP_SERVER_SINK_CODEC_RAW;
  make ();
  payloader = gst_object_ref_sink (rtsp_sink_encoding_make_payloader
      (encoding, NULL));
  fail_unless_equals_string (GST_OBJECT_NAME (gst_element_get_factory
          (payloader)), "rtpvrawpay");
  gst_object_unref (payloader);
}

END_TEST;

static Suite *
encoding_suite (void)
{
  Suite *suite = suite_create ("encoding");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_encoding_h264_odd_sizes_lose_a_row_and_a_column);
  tcase_add_test (chain,
      test_encoding_h264_interlaced_is_cropped_to_whole_field_pairs);
  tcase_add_test (chain, test_encoding_h264_too_small_is_refused_with_its_size);
  tcase_add_test (chain, test_encoding_h264_is_main_at_most);
  tcase_add_test (chain, test_encoding_caps_that_lack_something_are_refused);
  tcase_add_test (chain, test_encoding_bitrate_follows_size_and_rate);
  tcase_add_test (chain, test_encoding_bitrate_that_was_set_is_kept);
  tcase_add_test (chain, test_encoding_bitrate_of_a_description_is_left_alone);
  tcase_add_test (chain, test_encoding_name_of_a_described_encoder_is_free);
  tcase_add_test (chain, test_encoding_description_without_encoder_is_an_error);
  tcase_add_test (chain, test_encoding_raw_is_cropped_to_whole_pixel_groups);
  tcase_add_test (chain, test_encoding_payloader_fits_the_codec);

  return suite;
}

GST_CHECK_MAIN (encoding);
