/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The software encoders that are installed here, with the table's settings: a
 * frame goes in, its access unit comes out; key units when they are asked for;
 * the bit rate. */

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#include "checksuite.h"
#include "codec/choose.h"
#include "codec/encoderinput.h"
#include "codec/encoder.h"

#define WIDTH 160
#define HEIGHT 120
#define FRAME_SIZE (WIDTH * HEIGHT * 3 / 2)
/* A duration that is whole in ns: before 1.24.12 av1enc doubles the bit rate of
 * time stamps that are rounded down. */
#define FPS 25
#define FRAME_TIME (GST_SECOND / FPS)

#define FRAMES 75
#define BITRATE 500000

/* --- one at work --- */

typedef struct
{
  const RtspSinkEncoderRow *row;
  GstElement *encoder;
  GstHarness *harness;
  guint32 noise;
  guint n_frames;
  GstClockTime shift;           /* x264enc leaves room for DTS before zero */
} Work;

/* Of software only; NULL: not installed here. */
static GstElement *
make_encoder (const RtspSinkEncoderRow * row)
{
  GstElement *encoder;

  if (row->flags & RTSP_SINK_ENCODER_HARDWARE)
    return NULL;
  encoder = gst_element_factory_make (row->factory, NULL);
  if (encoder == NULL)
    return NULL;
  gst_object_ref_sink (encoder);
  rtsp_sink_encoder_apply_settings (encoder, row);
  return encoder;
}

static gboolean
work_start (Work * work, const RtspSinkEncoderRow * row)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw, format = (string) "
      "I420, width = (int) %d, height = (int) %d, framerate = (fraction) %d/1",
      WIDTH, HEIGHT, FPS);
  GstElement *encoder = make_encoder (row);

  if (encoder == NULL)
    return FALSE;
  *work = (Work) {
  .row = row,.encoder = encoder,.noise = 1};
  rtsp_sink_encoder_set_bitrate (encoder, BITRATE);
  rtsp_sink_encoder_set_key_unit_interval (encoder, 1000, FPS, 1);
  work->harness = gst_harness_new_with_element (encoder, "sink", "src");
  gst_harness_set_src_caps_str (work->harness, caps);
  return TRUE;
}

static void
work_stop (Work * work)
{
  gst_harness_teardown (work->harness);
  gst_object_unref (work->encoder);
}

/* Noise that never repeats, on grey: nothing is predicted, and nothing is too
 * much for a quantizer. */
static GstBuffer *
make_frame (Work * work)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++) {
    work->noise = work->noise * 1664525 + 1013904223;
    map.data[i] = 120 + (work->noise >> 28);
  }
  gst_buffer_unmap (frame, &map);
  GST_BUFFER_PTS (frame) = work->n_frames * FRAME_TIME;
  GST_BUFFER_DURATION (frame) = FRAME_TIME;
  work->n_frames++;
  return frame;
}

/* Returns what comes out before the push returns. */
static GstBuffer *
encode (Work * work)
{
  GstBuffer *frame = make_frame (work);
  GstClockTime time = GST_BUFFER_PTS (frame);
  GstBuffer *unit;

  fail_unless_equals_int (gst_harness_push (work->harness, frame), GST_FLOW_OK);
  unit = gst_harness_try_pull (work->harness);
  fail_unless (unit != NULL, "%s holds frame %u back", work->row->factory,
      work->n_frames);
  fail_unless_equals_int (gst_harness_buffers_in_queue (work->harness), 0);
  if (work->n_frames == 1)
    work->shift = GST_BUFFER_PTS (unit) - time;
  /* No B frames. */
  fail_unless_equals_uint64 (GST_BUFFER_PTS (unit) - time, work->shift);
  return unit;
}

static void
request_key_unit (Work * work)
{
  gst_harness_push_upstream_event (work->harness,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, FALSE,
          0));
}

typedef void (*WorkFunc) (Work * work);

static void
for_each_encoder (WorkFunc func)
{
  const RtspSinkEncoderRow *row;

  for (guint i = 0; (row = rtsp_sink_encoder_table_get (i)) != NULL; i++) {
    Work work;

    if (!work_start (&work, row))
      continue;
    GST_INFO ("%s", row->factory);
    func (&work);
    work_stop (&work);
  }
}

/* --- delay, key units --- */

static gboolean
is_key_unit_due (Work * work, guint i)
{
  if (work->row->interval == NULL)
    return TRUE;
  if (work->row->longest == NULL)
    return i % FPS == 0;        /* by itself, once a second */
  return i == 0 || i == 20 || i == 55;
}

/* Longer than a test can be. */
static void
check_longest (Work * work)
{
  GValue text = G_VALUE_INIT;

  if (work->row->longest == NULL)
    return;
  g_value_init (&text, G_TYPE_STRING);
  g_object_get_property (G_OBJECT (work->encoder), work->row->interval, &text);
  fail_unless_equals_string (g_value_get_string (&text), work->row->longest);
  g_value_unset (&text);
}

static void
check_key_units (Work * work)
{
  check_longest (work);
  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *unit;
    gboolean key;

    if (i == 20 || i == 55)
      request_key_unit (work);
    unit = encode (work);
    key = !GST_BUFFER_FLAG_IS_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT);
    /* Newer versions do both. */
    if (work->row->longest != NULL || (i != 20 && i != 55))
      fail_unless_equals_int (key, is_key_unit_due (work, i));
    gst_buffer_unref (unit);
  }
}

GST_START_TEST (test_encoders_each_frame_comes_out_and_key_units_when_asked_for)
{
  for_each_encoder (check_key_units);
}

GST_END_TEST;

/* --- bit rate at work --- */

static guint
measure_bitrate (Work * work)
{
  guint64 size = 0;

  for (guint i = 0; i < FRAMES; i++) {
    GstBuffer *unit = encode (work);

    size += gst_buffer_get_size (unit);
    gst_buffer_unref (unit);
  }
  return size * 8 * FPS / FRAMES;
}

static void
expect_near (Work * work, guint bitrate, guint set)
{
  fail_unless (bitrate >= set / 2 && bitrate <= set * 2,
      "%s makes %u bit/s of %u", work->row->factory, bitrate, set);
}

static void
check_bitrate (Work * work)
{
  if (work->row->bitrate == NULL)
    return;
  expect_near (work, measure_bitrate (work), BITRATE);
  /* A quarter: what went on as before would be too much. */
  rtsp_sink_encoder_set_bitrate (work->encoder, BITRATE / 4);
  measure_bitrate (work);
  expect_near (work, measure_bitrate (work), BITRATE / 4);
}

GST_START_TEST (test_encoders_bitrate_is_kept_and_follows)
{
  for_each_encoder (check_bitrate);
}

GST_END_TEST;

/* --- JPEG --- */

/* RFC 2435 carries no Huffman tables: they are those of ISO 10918-1, annex K,
 * 416 bytes in all. */
static guint
count_huffman_bytes (const guint8 * data, gsize size)
{
  guint n = 0;

  for (gsize i = 2; i + 4 <= size && data[i] == 0xff && data[i + 1] != 0xda;) {
    guint length = data[i + 2] << 8 | data[i + 3];

    if (data[i + 1] == 0xc4)
      n += length - 2;
    i += 2 + length;
  }
  return n;
}

static void
check_jpeg (Work * work)
{
  GstBuffer *unit;
  GstMapInfo map;

  if (work->row->codec != GST_RTSP_SERVER_SINK_CODEC_JPEG)
    return;
  unit = encode (work);
  fail_unless (gst_buffer_map (unit, &map, GST_MAP_READ));
  fail_unless_equals_int (count_huffman_bytes (map.data, map.size), 416);
  gst_buffer_unmap (unit, &map);
  gst_buffer_unref (unit);
}

GST_START_TEST (test_encoders_jpeg_has_the_tables_that_rtp_implies)
{
  for_each_encoder (check_jpeg);
}

GST_END_TEST;

/* --- what is said of them --- */

static void
expect_formats (GstElement * encoder, const gchar * names)
{
  g_autoptr (GstCaps) formats = rtsp_sink_encoder_input_get_formats (encoder);
  g_autofree gchar *text = g_strdup_printf ("video/x-raw, format = (string) %s",
      names);
  g_autoptr (GstCaps) expected = gst_caps_from_string (text);
  g_autoptr (GstCaps) all = gst_caps_from_string ("video/x-raw, "
      "format = (string) { I420, YV12, NV12, NV21 }");
  GstStructure *structure;

  fail_unless (gst_caps_is_subset (formats, all));
  structure = gst_caps_get_structure (formats, 0);
  fail_unless_equals_int (gst_value_compare (gst_structure_get_value
          (structure, "format"), gst_structure_get_value
          (gst_caps_get_structure (expected, 0), "format")), GST_VALUE_EQUAL);
}

GST_START_TEST (test_encoders_formats_of_software_are_its_own)
{
  static const struct
  {
    const gchar *name;
    const gchar *formats;
  } cases[] = {
    {"openh264enc", "I420"},
    {"x265enc", "I420"},
    {"vp8enc", "I420"},
    {"vp9enc", "{ I420, YV12 }"},
    {"av1enc", "{ I420, YV12 }"},
    {"jpegenc", "{ I420, YV12, NV21, NV12 }"},
    {"avenc_mjpeg", "I420"},
    {"identity ! vp8enc", "I420"},
    /* What needs no conversion comes first. */
    {"videoconvert ! vp8enc", "I420"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    GstElement *encoder =
        rtsp_sink_choose_encoder (NULL, cases[i].name, &error);

    if (encoder == NULL)
      continue;                 /* not installed */
    expect_formats (encoder, cases[i].formats);
    gst_object_unref (encoder);
  }
}

GST_END_TEST;

GST_START_TEST (test_encoders_interlaced_video_is_for_some_only)
{
  static const struct
  {
    const gchar *name;
    gboolean takes;
  } cases[] = {
    {"x264enc", TRUE}, {"openh264enc", FALSE}, {"x265enc", FALSE},
    {"vp8enc", FALSE}, {"jpegenc", FALSE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    GstElement *encoder =
        rtsp_sink_choose_encoder (NULL, cases[i].name, &error);

    if (encoder == NULL)
      continue;                 /* not installed */
    fail_unless_equals_int (rtsp_sink_encoder_takes_interlaced (encoder),
        cases[i].takes);
    gst_object_unref (encoder);
  }
}

GST_END_TEST;

/* --- bit rate --- */

static guint
auto_bitrate (GstRtspServerSinkCodec codec, gint width, gint height, gint fps)
{
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_I420, width, height);
  info.fps_n = fps;
  info.fps_d = 1;
  return rtsp_sink_encoder_auto_bitrate (rtsp_sink_video_codecs_find (codec),
      &info);
}

GST_START_TEST (test_encoders_auto_bitrate_is_by_size_rate_and_codec)
{
  static const struct
  {
    GstRtspServerSinkCodec codec;
    guint bitrate;              /* of 1280x720 at 25 frames per second */
  } cases[] = {
    {GST_RTSP_SERVER_SINK_CODEC_H264, 2304000},
    {GST_RTSP_SERVER_SINK_CODEC_H265, 1612800},
    {GST_RTSP_SERVER_SINK_CODEC_VP8, 2304000},
    {GST_RTSP_SERVER_SINK_CODEC_VP9, 1612800},
    {GST_RTSP_SERVER_SINK_CODEC_AV1, 1382400},
    {GST_RTSP_SERVER_SINK_CODEC_JPEG, 0},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    fail_unless_equals_int (auto_bitrate (cases[i].codec, 1280, 720, 25),
        cases[i].bitrate);
}

GST_END_TEST;

GST_START_TEST (test_encoders_auto_bitrate_has_limits)
{
  GstRtspServerSinkCodec codec = GST_RTSP_SERVER_SINK_CODEC_H264;

  fail_unless_equals_int (auto_bitrate (codec, 16, 16, 5), 400000);
  /* As if it were 30. */
  fail_unless_equals_int (auto_bitrate (codec, 1280, 720, 0), 2764800);
  fail_unless_equals_int (auto_bitrate (codec, 32766, 32766, 240), G_MAXINT);
}

GST_END_TEST;

static void
expect_bitrate (const gchar * description, guint bitrate, gint64 value)
{
  GstElement *encoder = gst_element_factory_make (description, NULL);
  gboolean vpx = g_str_has_prefix (description, "vp");
  GValue number = G_VALUE_INIT;

  if (encoder == NULL)
    return;                     /* not installed */
  gst_object_ref_sink (encoder);
  rtsp_sink_encoder_set_bitrate (encoder, bitrate);
  g_value_init (&number, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (encoder), vpx
      || g_str_equal (description, "av1enc") ? "target-bitrate" : "bitrate",
      &number);
  fail_unless_equals_int64 (g_value_get_int64 (&number), value);
  g_value_unset (&number);
  gst_object_unref (encoder);
}

GST_START_TEST (test_encoders_bitrate_is_in_the_units_of_the_encoder)
{
  /* kbit/s */
  expect_bitrate ("x264enc", 1234567, 1234);
  expect_bitrate ("x264enc", 400000, 400);
  expect_bitrate ("x264enc", 10, 1);
  expect_bitrate ("x265enc", 1234567, 1234);
  expect_bitrate ("x265enc", 200000000, 102400);
  expect_bitrate ("av1enc", 1234567, 1234);
  /* bit/s; vpx keeps thousands. */
  expect_bitrate ("openh264enc", 1234567, 1234567);
  expect_bitrate ("vp8enc", 1234567, 1234000);
  expect_bitrate ("vp9enc", 1234567, 1234000);
  expect_bitrate ("vp9enc", G_MAXUINT, 2147483000);
}

GST_END_TEST;

GST_START_TEST (test_encoders_quality_stays_when_a_bitrate_is_set)
{
  GstElement *encoder = rtsp_sink_choose_encoder (rtsp_sink_video_codecs_find
      (GST_RTSP_SERVER_SINK_CODEC_JPEG), NULL, NULL);
  gint quality;

  if (encoder == NULL)
    return;                     /* not installed */
  rtsp_sink_encoder_set_bitrate (encoder, 1000000);
  g_object_get (encoder, "quality", &quality, NULL);
  fail_unless_equals_int (quality, 85);
  gst_element_set_state (encoder, GST_STATE_NULL);
  gst_object_unref (encoder);
}

GST_END_TEST;

static Suite *
softwareencoders_suite (void)
{
  Suite *suite = suite_create ("softwareencoders");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_set_timeout (chain, 120);
  tcase_add_test (chain,
      test_encoders_each_frame_comes_out_and_key_units_when_asked_for);
  tcase_add_test (chain, test_encoders_bitrate_is_kept_and_follows);
  tcase_add_test (chain, test_encoders_jpeg_has_the_tables_that_rtp_implies);
  tcase_add_test (chain, test_encoders_formats_of_software_are_its_own);
  tcase_add_test (chain, test_encoders_interlaced_video_is_for_some_only);
  tcase_add_test (chain, test_encoders_auto_bitrate_is_by_size_rate_and_codec);
  tcase_add_test (chain, test_encoders_auto_bitrate_has_limits);
  tcase_add_test (chain, test_encoders_bitrate_is_in_the_units_of_the_encoder);
  tcase_add_test (chain, test_encoders_quality_stays_when_a_bitrate_is_set);

  return suite;
}

CHECK_SUITE (softwareencoders);
