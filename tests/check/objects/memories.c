/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Caps of frames in a device's memory, and what stands before an encoder that takes
 * them: nothing. The encoders are stand-ins for hardware. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "encoderstandin.h"
#include "video/converter.h"
#include "codec/memories.h"

#define DRM "video/x-raw(memory:DMABuf), format=DMA_DRM, drm-format="
#define NVMM "video/x-raw(memory:NVMM), format=NV12"
#define SIZE ", width=64, height=48, framerate=25/1"

static const EncoderStandIn va = { "vah264enc", "video/x-h264",
  "bitrate:u key-int-max:u rate-control:s b-frames:u", NULL
};

static const EncoderStandIn jetson = { "nvv4l2h264enc", "video/x-h264",
  "bitrate:u iframeinterval:u idrinterval:u", NULL
};

static const EncoderStandIn converter = { "nvvidconv",
  "video/x-raw(memory:NVMM)", "bl-output:b", NULL
};

static GList *features;         /* of GstPluginFeature */
static RtspSinkConverter *conversion;

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
  fail ("%s", error->message);
}

/* A type points to its feature for good: each is made once and kept. */
static void
add_stand_in (const EncoderStandIn * spec)
{
  static GHashTable *made = NULL;
  GstPluginFeature *feature;

  if (made == NULL)
    made = g_hash_table_new (NULL, NULL);
  feature = g_hash_table_lookup (made, spec);
  if (feature != NULL) {
    gst_registry_add_feature (gst_registry_get (), feature);
  } else {
    feature = encoder_stand_in_register (spec);
    g_hash_table_insert (made, (gpointer) spec, feature);
  }
  features = g_list_prepend (features, feature);
}

static void
remove_stand_in (gpointer feature)
{
  gst_registry_remove_feature (gst_registry_get (), feature);
}

static void
teardown (void)
{
  g_clear_pointer (&conversion, rtsp_sink_converter_free);
  g_list_free_full (g_steal_pointer (&features), remove_stand_in);
}

/* Takes @caps: what may come in. */
static gboolean
try_make (GstCaps * caps, GError ** error)
{
  RtspSinkRates *rates = rtsp_sink_rates_new ();
  RtspSinkConverterConfig config = {
    .codec = rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_H264),
    .raw = caps,
    .rates = rates,
    .funcs = {encoder_made, changed, failed},
  };

  g_clear_pointer (&conversion, rtsp_sink_converter_free);
  conversion = rtsp_sink_converter_new (&config, error);
  rtsp_sink_rates_unref (rates);
  gst_caps_unref (caps);
  return conversion != NULL;
}

static void
make (const gchar * description)
{
  g_autoptr (GError) error = NULL;

  fail_unless (try_make (gst_caps_from_string (description), &error), "%s",
      error ? error->message : "no error");
}

static gboolean
has_element (const gchar * factory)
{
  g_autoptr (GstIterator) it = gst_bin_iterate_recurse (GST_BIN
      (rtsp_sink_converter_get_bin (conversion)));
  GValue item = G_VALUE_INIT;
  gboolean found = FALSE;

  while (!found && gst_iterator_next (it, &item) == GST_ITERATOR_OK) {
    GstElementFactory *made = gst_element_get_factory (g_value_get_object
        (&item));

    found = made != NULL && g_str_equal (GST_OBJECT_NAME (made), factory);
    g_value_unset (&item);
  }
  return found;
}

static gboolean
is_taken (const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);
  g_autoptr (GError) error = NULL;

  return rtsp_sink_converter_configure (conversion, caps, &error);
}

GST_START_TEST (test_memories_encoder_in_hardware_gets_its_own_directly)
{
  static const gchar *const ours[] = { "videoconvert", "videoscale",
    "videobalance", "deinterlace"
  };

  add_stand_in (&va);
  make ("video/x-raw(memory:VAMemory), format=NV12" SIZE);
  fail_unless (rtsp_sink_converter_is_direct (conversion));
  for (gsize i = 0; i < G_N_ELEMENTS (ours); i++)
    fail_if (has_element (ours[i]), "%s", ours[i]);
  fail_unless (is_taken ("video/x-raw(memory:VAMemory), format=NV12" SIZE));
}

GST_END_TEST;

/* GStreamer 1.24 writes them so; 1.22 does not know the format. */
GST_START_TEST (test_memories_drm_formats_are_taken_as_the_encoder_says)
{
  add_stand_in (&va);
  make (DRM "NV12:0x0100000000000002" SIZE);
  fail_unless (is_taken (DRM "NV12:0x0100000000000002" SIZE));
  /* another modifier, or not 4:2:0 */
  fail_if (is_taken (DRM "NV12" SIZE));
  fail_if (is_taken (DRM "AR24" SIZE));
  fail_if (is_taken (DRM "NV12:0x0100000000000002, width=63, height=48"));
}

GST_END_TEST;

GST_START_TEST (test_memories_drm_format_is_read_as_gstreamers)
{
  static const struct
  {
    const gchar *drm;
    GstVideoFormat format;
  } cases[] = {
    {"NV12:0x0100000000000002", GST_VIDEO_FORMAT_NV12},
    {"NV12", GST_VIDEO_FORMAT_NV12},
    {"YU12", GST_VIDEO_FORMAT_I420},
    {"AR24:0x0", GST_VIDEO_FORMAT_ENCODED},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = g_strdup_printf (DRM "(string)\"%s\"" SIZE,
        cases[i].drm);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    GstVideoInfo info;

    fail_unless (rtsp_sink_memories_parse (&info, caps), "%s", text);
    fail_unless_equals_int (GST_VIDEO_INFO_FORMAT (&info), cases[i].format);
    fail_unless_equals_int (GST_VIDEO_INFO_WIDTH (&info), 64);
    fail_unless_equals_int (GST_VIDEO_INFO_HEIGHT (&info), 48);
    fail_unless_equals_int (GST_VIDEO_INFO_FPS_N (&info), 25);
  }
}

GST_END_TEST;

/* What copies other frames into NVIDIA's memory is not before frames that are
 * there. */
/* As containers and cameras write it. */
GST_START_TEST (test_memories_pixels_of_unknown_shape_are_square)
{
  static const gchar *const ratios[] = { "0/1", "-1/1" };

  for (gsize i = 0; i < G_N_ELEMENTS (ratios); i++) {
    g_autofree gchar *text = g_strconcat ("video/x-raw, format=I420" SIZE
        ", pixel-aspect-ratio=", ratios[i], NULL);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    GstVideoInfo info;

    fail_unless (rtsp_sink_memories_parse (&info, caps));
    fail_unless_equals_int (GST_VIDEO_INFO_PAR_N (&info), 1);
    fail_unless_equals_int (GST_VIDEO_INFO_PAR_D (&info), 1);
  }
}

END_TEST;

GST_START_TEST (test_memories_jetson_needs_no_converter_for_its_own)
{
  add_stand_in (&jetson);
  add_stand_in (&converter);
  make ("video/x-raw, format=NV12" SIZE);
  fail_if (rtsp_sink_converter_is_direct (conversion));
  fail_unless (has_element ("nvvidconv"));

  make (NVMM SIZE);
  fail_unless (rtsp_sink_converter_is_direct (conversion));
  fail_if (has_element ("nvvidconv"));
  fail_unless (is_taken (NVMM SIZE));
  /* other frames may come: a chain with the converter would be made */
  fail_unless (rtsp_sink_memories_has_machine (rtsp_sink_converter_get_taken
          (conversion)));
}

GST_END_TEST;

/* The source can do both: the machine's needs no luck. */
GST_START_TEST (test_memories_both_begin_with_the_machines)
{
  add_stand_in (&va);
  make ("video/x-raw(memory:VAMemory), format=NV12; video/x-raw, format=NV12");
  fail_if (rtsp_sink_converter_is_direct (conversion));
  make ("video/x-raw(ANY)");
  fail_if (rtsp_sink_converter_is_direct (conversion));
}

GST_END_TEST;

static const struct
{
  const gchar *feature;
  const gchar *cure;
} cures[] = {
  {"VAMemory", "\"vapostproc ! video/x-raw\""},
  {"VASurface", "\"vaapipostproc ! video/x-raw\""},
  {"NVMM", "\"nvvidconv ! video/x-raw\""},
  {"CUDAMemory", "\"cudadownload ! video/x-raw\""},
  {"GLMemory", "\"gldownload ! video/x-raw\""},
  {"VulkanImage", "\"vulkandownload ! video/x-raw\""},
  {"DMABuf", "\"vapostproc ! video/x-raw\""},
  {"D3D11Memory", "downloads"},
};

GST_START_TEST (test_memories_none_that_is_taken_is_an_error_with_cure)
{
  g_autofree gchar *text = g_strdup_printf ("video/x-raw(memory:%s), "
      "format=NV12" SIZE, cures[__i__].feature);
  g_autoptr (GError) error = NULL;

  fail_if (try_make (gst_caps_from_string (text), &error));
  fail_unless (g_error_matches (error, GST_CORE_ERROR,
          GST_CORE_ERROR_NEGOTIATION));
  fail_unless (strstr (error->message, cures[__i__].feature) != NULL);
  fail_unless (strstr (error->message, cures[__i__].cure) != NULL, "%s",
      error->message);
}

GST_END_TEST;

static Suite *
memories_suite (void)
{
  Suite *suite = suite_create ("memories");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_test (tests,
      test_memories_encoder_in_hardware_gets_its_own_directly);
  tcase_add_test (tests,
      test_memories_drm_formats_are_taken_as_the_encoder_says);
  tcase_add_test (tests, test_memories_drm_format_is_read_as_gstreamers);
  tcase_add_test (tests, test_memories_pixels_of_unknown_shape_are_square);
  tcase_add_test (tests, test_memories_jetson_needs_no_converter_for_its_own);
  tcase_add_test (tests, test_memories_both_begin_with_the_machines);
  tcase_add_loop_test (tests,
      test_memories_none_that_is_taken_is_an_error_with_cure, 0,
      G_N_ELEMENTS (cures));
  return suite;
}

CHECK_SUITE (memories);
