/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What encoders are set to, in whose units, and what they can be given.
 * Stand-ins have the properties of those that need their hardware. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "encoderstandin.h"
#include "codec/choose.h"
#include "codec/encoderinput.h"
#include "codec/encoder.h"

static GstPluginFeature *added;

static void
add_stand_in (const EncoderStandIn * spec)
{
  added = encoder_stand_in_register (spec);
}

static void
remove_stand_in (void)
{
  if (added != NULL)
    gst_registry_remove_feature (gst_registry_get (), added);
  added = NULL;
}

static const RtspSinkVideoCodec *
find_codec (const gchar * media_type)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (media_type);

  return rtsp_sink_video_codecs_find_for_caps (caps);
}

/* Hardware comes before what is installed here. Takes it out of the registry
 * again. */
static GstElement *
choose_stand_in (const EncoderStandIn * spec)
{
  const RtspSinkEncoderRow *row = rtsp_sink_encoder_table_find (spec->factory);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *name = NULL;
  GstElement *encoder;

  add_stand_in (spec);
  if (!(row->flags & RTSP_SINK_ENCODER_HARDWARE)) {
    encoder = gst_object_ref_sink (gst_element_factory_make (spec->factory,
            NULL));
    rtsp_sink_encoder_apply_settings (encoder, row);
    remove_stand_in ();
    return encoder;
  }
  encoder =
      rtsp_sink_choose_encoder (find_codec (spec->media_type), NULL, &error);
  fail_unless (encoder != NULL, "%s: %s", spec->factory,
      error ? error->message : "no error");
  name = rtsp_sink_encoder_dup_name (encoder);
  fail_unless_equals_string (name, spec->factory);
  remove_stand_in ();
  return encoder;
}

static void
free_encoder (GstElement * encoder)
{
  gst_element_set_state (encoder, GST_STATE_NULL);
  ASSERT_OBJECT_REFCOUNT (encoder, "encoder", 1);
  gst_object_unref (encoder);
}

/* --- hardware --- */

static const EncoderStandIn converter =
    { "nvvidconv", "video/x-raw(memory:NVMM)",
  "bl-output:b", NULL
};

#define VA "bitrate:u key-int-max:u rate-control:s"
#define VA_B VA " b-frames:u"
#define VA_SET \
    "bitrate=2000 key-int-max=1024 rate-control=cbr b-frames=0"
#define VAAPI "bitrate:u keyframe-period:u rate-control:s"
#define NVV4L2_SET "bitrate=2000000 iframeinterval=50 idrinterval=50"
#define NVV4L2 "bitrate:u iframeinterval:u idrinterval:u control-rate:s " \
    "preset-level:s maxperf-enable:b insert-sps-pps:b num-B-Frames:u"
#define QSV "bitrate:u gop-size:u rate-control:s low-latency:b"
#define MSDK "bitrate:u gop-size:u rate-control:s b-frames:u async-depth:u"
#define MSDK_SET \
    "bitrate=2000 gop-size=1024 rate-control=cbr b-frames=0 async-depth=1"

static const EncoderStandIn specs[] = {
  {"vah264enc", "video/x-h264", VA_B, VA_SET},
  {"varenderD129h264enc", "video/x-h264", VA_B, VA_SET},
  {"vah264lpenc", "video/x-h264", VA_B, VA_SET},
  {"vah265enc", "video/x-h265", VA_B, VA_SET},
  {"vah265lpenc", "video/x-h265", VA_B, VA_SET},
  {"vavp8enc", "video/x-vp8", VA,
      "bitrate=2000 key-int-max=50 rate-control=cbr"},
  {"vavp9enc", "video/x-vp9", VA " hierarchical-level:u",
      "bitrate=2000 key-int-max=50 rate-control=cbr hierarchical-level=1"},
  {"vaav1enc", "video/x-av1", VA " hierarchical-level:u",
      "bitrate=2000 key-int-max=1024 rate-control=cbr hierarchical-level=1"},
  {"vajpegenc", "image/jpeg", "quality:u", "quality=85"},
  {"vaapih264enc", "video/x-h264", VAAPI " max-bframes:u",
      "bitrate=2000 keyframe-period=1024 rate-control=cbr max-bframes=0"},
  {"vaapih265enc", "video/x-h265", VAAPI " max-bframes:u",
      "bitrate=2000 keyframe-period=1024 rate-control=cbr max-bframes=0"},
  {"vaapivp8enc", "video/x-vp8", VAAPI,
      "bitrate=2000 keyframe-period=50 rate-control=cbr"},
  {"vaapivp9enc", "video/x-vp9", VAAPI,
      "bitrate=2000 keyframe-period=50 rate-control=cbr"},
  {"vaapijpegenc", "image/jpeg", "quality:u", "quality=85"},
  /* 1.22's, and those of the device's own choice and of CUDA. */
  {"nvh264enc", "video/x-h264", "bitrate:u gop-size:i rc-mode:s preset:s "
        "zerolatency:b bframes:u rc-lookahead:u",
      "bitrate=2000 gop-size=-1 rc-mode=cbr preset=low-latency-hq "
        "zerolatency=TRUE bframes=0 rc-lookahead=0"},
  {"nvh265device1enc", "video/x-h265", "bitrate:u gop-size:i rc-mode:s",
      "bitrate=2000 gop-size=-1 rc-mode=cbr"},
  {"nvcudah264enc", "video/x-h264", "bitrate:u gop-size:i rate-control:s "
        "zero-reorder-delay:b b-frames:u repeat-sequence-header:b",
      "bitrate=2000 gop-size=-1 rate-control=cbr zero-reorder-delay=TRUE "
        "b-frames=0 repeat-sequence-header=TRUE"},
  {"nvcudah265enc", "video/x-h265", "bitrate:u gop-size:i",
      "bitrate=2000 gop-size=-1"},
  {"nvautogpuh264enc", "video/x-h264", "bitrate:u gop-size:i tune:s",
      "bitrate=2000 gop-size=-1 tune=ultra-low-latency"},
  {"nvautogpuh265enc", "video/x-h265", "bitrate:u gop-size:i tune:s",
      "bitrate=2000 gop-size=-1 tune=ultra-low-latency"},
  {"nvv4l2h264enc", "video/x-h264", NVV4L2,
      "bitrate=2000000 iframeinterval=50 idrinterval=50 "
        "control-rate=constant_bitrate preset-level=UltraFastPreset "
        "maxperf-enable=TRUE insert-sps-pps=TRUE num-B-Frames=0"},
  {"nvv4l2h265enc", "video/x-h265", NVV4L2, NVV4L2_SET},
  {"nvv4l2vp8enc", "video/x-vp8", NVV4L2, NVV4L2_SET},
  {"nvv4l2vp9enc", "video/x-vp9", NVV4L2, NVV4L2_SET},
  {"nvjpegenc", "image/jpeg", "quality:i", "quality=85"},
  {"v4l2h264enc", "video/x-h264", "extra-controls:c",
      "video_bitrate=2000000 h264_i_frame_period=50 video_gop_size=50 "
        "video_bitrate_mode=1 video_b_frames=0 repeat_sequence_header=1"},
  {"v4l2video11h265enc", "video/x-h265", "extra-controls:c",
      "video_bitrate=2000000 video_gop_size=50 video_bitrate_mode=1 "
        "video_b_frames=0 repeat_sequence_header=1"},
  {"v4l2vp8enc", "video/x-vp8", "extra-controls:c",
      "video_bitrate=2000000 video_gop_size=50 video_bitrate_mode=1"},
  {"v4l2vp9enc", "video/x-vp9", "extra-controls:c",
      "video_bitrate=2000000 video_gop_size=50 video_bitrate_mode=1"},
  {"v4l2jpegenc", "image/jpeg", "extra-controls:c", "compression_quality=85"},
  {"qsvh264enc", "video/x-h264", QSV " b-frames:u",
      "bitrate=2000 gop-size=1024 rate-control=cbr low-latency=TRUE b-frames=0"},
  {"qsvh265enc", "video/x-h265", QSV " b-frames:u idr-interval:u",
      "bitrate=2000 gop-size=1024 rate-control=cbr low-latency=TRUE "
        "b-frames=0 idr-interval=1"},
  {"qsvvp9enc", "video/x-vp9", QSV,
      "bitrate=2000 gop-size=1024 rate-control=cbr low-latency=TRUE"},
  {"qsvav1enc", "video/x-av1", QSV,
      "bitrate=2000 gop-size=1024 rate-control=cbr low-latency=TRUE"},
  {"qsvjpegenc", "image/jpeg", "quality:u low-latency:b",
      "quality=85 low-latency=TRUE"},
  {"msdkh264enc", "video/x-h264", MSDK, MSDK_SET},
  {"msdkh265enc", "video/x-h265", MSDK, MSDK_SET},
  {"msdkmjpegenc", "image/jpeg", "quality:u async-depth:u",
      "quality=85 async-depth=1"},
  {"mpph264enc", "video/x-h264", "bps:u gop:i rc-mode:s header-mode:s",
      "bps=2000000 gop=50 rc-mode=cbr header-mode=each-idr"},
  {"mpph265enc", "video/x-h265", "bps:u gop:i rc-mode:s header-mode:s",
      "bps=2000000 gop=50 rc-mode=cbr header-mode=each-idr"},
  {"mppvp8enc", "video/x-vp8", "bps:u gop:i rc-mode:s",
      "bps=2000000 gop=50 rc-mode=cbr"},
  {"mppjpegenc", "image/jpeg", "quant:u", "quant=7"},
  {"omxh264enc", "video/x-h264", "target-bitrate:u control-rate:s "
        "interval-intraframes:u b-frames:u", "target-bitrate=2000000 "
        "control-rate=constant interval-intraframes=1024 b-frames=0"},
  {"omxh265enc", "video/x-h265", "target-bitrate:u interval-intraframes:u",
      "target-bitrate=2000000 interval-intraframes=1024"},
  /* Software that Debian 12 lacks. */
  {"rav1enc", "video/x-av1", "bitrate:i max-key-frame-interval:U "
        "low-latency:b rdo-lookahead-frames:i",
      "bitrate=2000000 max-key-frame-interval=715827882 low-latency=TRUE "
        "rdo-lookahead-frames=1"},
  {"svtav1enc", "video/x-av1", "target-bitrate:u max-bitrate:u "
        "intra-period-length:i intra-refresh-type:s parameters-string:s",
      "target-bitrate=2000 max-bitrate=2000 intra-period-length=50 "
        "intra-refresh-type=IDR parameters-string=pred-struct=1"},
};

/* Of the names that one row is for another may be, too: the first one counts. */
GST_START_TEST (test_encoders_table_has_no_row_in_the_shade_of_another)
{
  const RtspSinkEncoderRow *row;

  for (guint i = 0; (row = rtsp_sink_encoder_table_get (i)) != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (row->factory, "*", -1);
    g_autofree gchar *name = g_strjoinv ("", parts);

    fail_unless (rtsp_sink_encoder_table_find (name) == row, "%s", name);
    fail_unless_equals_int (row->interval == NULL,
        row->codec == GST_RTSP_SERVER_SINK_CODEC_JPEG);
    fail_unless_equals_int (row->bitrate == NULL, row->bitrate_unit == 0);
  }
  fail_unless (rtsp_sink_encoder_table_find ("x264encoder") == NULL);
}

GST_END_TEST;

static gchar *
read_value (GstElement * encoder, const gchar * name)
{
  GstStructure *controls = NULL;
  GValue text = G_VALUE_INIT;
  gchar *value;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), name)) {
    g_value_init (&text, G_TYPE_STRING);
    g_object_get_property (G_OBJECT (encoder), name, &text);
    value = g_value_dup_string (&text);
    g_value_unset (&text);
    return value;
  }
  g_object_get (encoder, "extra-controls", &controls, NULL);
  fail_unless (gst_structure_has_field_typed (controls, name, G_TYPE_INT),
      "no control '%s', as an int", name);
  value = gst_value_serialize (gst_structure_get_value (controls, name));
  gst_structure_free (controls);
  return value;
}

static void
expect_values (GstElement * encoder, const EncoderStandIn * spec)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoder_find (encoder);
  g_auto (GStrv) words = g_strsplit (spec->expected, " ", -1);

  for (gsize i = 0; words[i] != NULL; i++) {
    g_autofree gchar *value = NULL;
    gchar *expected = strchr (words[i], '=');

    *expected++ = '\0';
    value = read_value (inner, words[i]);
    fail_unless (g_strcmp0 (value, expected) == 0, "%s: %s is %s, not %s",
        spec->factory, words[i], value, expected);
  }
}

GST_START_TEST (test_encoders_hardware_is_set_in_its_own_units)
{
  GstPluginFeature *feature = encoder_stand_in_register (&converter);

  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++) {
    GstElement *encoder = choose_stand_in (&specs[i]);

    fail_unless (rtsp_sink_encoder_get_codec (encoder) ==
        find_codec (specs[i].media_type));
    fail_if (rtsp_sink_encoder_takes_interlaced (encoder));
    /* The last one counts. */
    rtsp_sink_encoder_set_bitrate (encoder, 1000000);
    rtsp_sink_encoder_set_key_unit_interval (encoder, 1000, 30, 1);
    rtsp_sink_encoder_set_bitrate (encoder, 2000000);
    rtsp_sink_encoder_set_key_unit_interval (encoder, 2000, 25, 1);
    expect_values (encoder, &specs[i]);
    free_encoder (encoder);
  }
  gst_registry_remove_feature (gst_registry_get (), feature);
}

GST_END_TEST;

static const EncoderStandIn deaf = { "vaapivp8enc", "video/x-vp8",
  "keyframe-period:u", NULL
};

GST_START_TEST (test_encoders_interval_is_in_frames_of_any_rate)
{
  static const struct
  {
    guint ms;
    gint fps_n, fps_d;
    guint frames;
  } cases[] = {
    {2000, 30, 1, 60}, {2000, 30000, 1001, 59}, {500, 240, 1, 120},
    {1000, 1, 5, 1}, {20000, 1, 5, 4}, {2000, 0, 1, 60}, {0, 25, 1, 1},
    {G_MAXUINT, 240, 1, 1030792150},
  };
  GstElement *encoder = choose_stand_in (&deaf);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    guint frames;

    rtsp_sink_encoder_set_key_unit_interval (encoder, cases[i].ms,
        cases[i].fps_n, cases[i].fps_d);
    g_object_get (encoder, "keyframe-period", &frames, NULL);
    fail_unless_equals_int (frames, cases[i].frames);
  }
  free_encoder (encoder);
}

GST_END_TEST;

static const EncoderStandIn driver =
    { "v4l2h264enc", "video/x-h264", "extra-controls:c",
  NULL
};

/* Its camera's, for example. */
GST_START_TEST (test_encoders_controls_of_a_description_stay)
{
  g_autoptr (GError) error = NULL;
  GstElement *encoder;
  GstStructure *controls;
  gint profile, bitrate;

  add_stand_in (&driver);
  encoder = rtsp_sink_choose_encoder (NULL, "v4l2h264enc "
      "extra-controls=\"c,h264_profile=4,video_bitrate=1\"", &error);
  fail_unless (encoder != NULL, "%s", error ? error->message : "");
  rtsp_sink_encoder_set_bitrate (encoder, 3000000);
  g_object_get (encoder, "extra-controls", &controls, NULL);
  fail_unless (gst_structure_get (controls, "h264_profile", G_TYPE_INT,
          &profile, "video_bitrate", G_TYPE_INT, &bitrate, NULL));
  fail_unless_equals_int (profile, 4);
  fail_unless_equals_int (bitrate, 3000000);
  gst_structure_free (controls);
  gst_object_unref (encoder);
}

GST_END_TEST;

/* --- key units by an action --- */

static const EncoderStandIn jetson =
    { "nvv4l2h264enc", "video/x-h264", "bitrate:u",
  NULL
};

/* It takes no other memory than NVIDIA's. */
GST_START_TEST (test_encoders_jetson_is_fed_or_not_taken)
{
  const RtspSinkVideoCodec *codec = find_codec ("video/x-h264");
  GstPluginFeature *feature;
  GstElement *encoder;

  add_stand_in (&jetson);
  encoder = rtsp_sink_choose_encoder (codec, NULL, NULL);
  if (encoder != NULL) {
    g_autofree gchar *name = rtsp_sink_encoder_dup_name (encoder);

    fail_if (g_str_equal (name, "nvv4l2h264enc"));
    free_encoder (encoder);
  }
  remove_stand_in ();

  feature = encoder_stand_in_register (&converter);
  encoder = choose_stand_in (&jetson);
  fail_unless (GST_IS_BIN (encoder));
  fail_unless (rtsp_sink_encoder_get_codec (encoder) == codec);
  gst_registry_remove_feature (gst_registry_get (), feature);
  free_encoder (encoder);
}

GST_END_TEST;

static void
send_request (GstPad * pad)
{
  gst_pad_push_event (pad, gst_video_event_new_upstream_force_key_unit
      (GST_CLOCK_TIME_NONE, FALSE, 0));
}

/* NVIDIA's does not know the event. */
GST_START_TEST (test_encoders_request_becomes_an_action)
{
  static GstStaticPadTemplate any = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  GstElement *encoder;
  GstPad *sink, *src;

  add_stand_in (&jetson);
  encoder = rtsp_sink_choose_encoder (NULL, "nvv4l2h264enc", NULL);
  sink = gst_check_setup_sink_pad (encoder, &any);
  src = gst_element_get_static_pad (encoder, "src");

  gst_element_set_state (encoder, GST_STATE_PAUSED);
  gst_pad_set_active (sink, TRUE);
  /* The first frame is a key unit anyway. */
  send_request (sink);
  fail_unless_equals_int (encoder_stand_in_count_requests (encoder), 0);

  gst_check_setup_events (src, encoder, NULL, GST_FORMAT_TIME);
  fail_unless_equals_int (gst_pad_push (src, gst_buffer_new ()), GST_FLOW_OK);
  send_request (sink);
  fail_unless_equals_int (encoder_stand_in_count_requests (encoder), 1);
  gst_pad_push_event (sink, gst_event_new_reconfigure ());
  fail_unless_equals_int (encoder_stand_in_count_requests (encoder), 1);

  gst_check_drop_buffers ();
  gst_object_unref (src);
  gst_element_set_state (encoder, GST_STATE_NULL);
  gst_check_teardown_sink_pad (encoder);
  gst_object_unref (encoder);
}

GST_END_TEST;

/* --- formats --- */

GST_START_TEST (test_encoders_formats_are_420_with_8_bit_in_any_memory)
{
  g_autoptr (GstCaps) expected = gst_caps_from_string
      ("video/x-raw(memory:VAMemory), format = (string) NV12; "
      "video/x-raw(memory:DMABuf), format = (string) DMA_DRM, "
      "drm-format = (string) { NV12:0x0100000000000002 }; "
      "video/x-raw, format = (string) { NV12, I420 }, "
      "width = (int) [ 16, 4096 ]");
  g_autoptr (GstCaps) formats = NULL;
  GstElement *encoder;

  encoder = choose_stand_in (&specs[0]);
  formats = rtsp_sink_encoder_input_get_formats (encoder);
  fail_unless (gst_caps_is_strictly_equal (formats, expected),
      "%" GST_PTR_FORMAT, formats);
  free_encoder (encoder);
}

GST_END_TEST;

static Suite *
encodervalues_suite (void)
{
  Suite *suite = suite_create ("encodervalues");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, NULL, remove_stand_in);
  tcase_add_test (chain,
      test_encoders_table_has_no_row_in_the_shade_of_another);
  tcase_add_test (chain, test_encoders_hardware_is_set_in_its_own_units);
  tcase_add_test (chain, test_encoders_interval_is_in_frames_of_any_rate);
  tcase_add_test (chain, test_encoders_controls_of_a_description_stay);
  tcase_add_test (chain, test_encoders_jetson_is_fed_or_not_taken);
  tcase_add_test (chain, test_encoders_request_becomes_an_action);
  tcase_add_test (chain,
      test_encoders_formats_are_420_with_8_bit_in_any_memory);

  return suite;
}

CHECK_SUITE (encodervalues);
