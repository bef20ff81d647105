/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Whether a buffer holds the picture that its caps say, and to which format a
 * picture is converted. Odd sizes, for there GStreamer pads rows. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "deviceencoder.h"
#include "codec/formats.h"

/* What an encoder takes. */
#define FORMATS "video/x-raw, format = (string) { I420, NV12 }"

#define WIDTH 321
#define HEIGHT 241

static GstVideoInfo
make_info (GstVideoFormat format, guint width, guint height)
{
  GstVideoInfo info;

  fail_unless (gst_video_info_set_format (&info, format, width, height));
  return info;
}

/* A buffer of that size behind which nothing may be read. */
static GstBuffer *
make_buffer (gsize size)
{
  if (size == 0)
    return gst_buffer_new ();
  return gst_buffer_new_wrapped (g_malloc0 (size), size);
}

static gboolean
fits (const GstVideoInfo * info, gsize size)
{
  GstBuffer *buffer = make_buffer (size);
  gboolean ok = rtsp_sink_formats_fit_buffer (info, &buffer);

  fail_unless_equals_int (gst_buffer_get_size (buffer), size);
  gst_buffer_unref (buffer);
  return ok;
}

/* As GStreamer itself lays it out. */
static gboolean
fits_described (GstVideoInfo * info)
{
  GstBuffer *buffer = make_buffer (GST_VIDEO_INFO_SIZE (info));
  gboolean ok;

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      info->offset, info->stride);
  ok = rtsp_sink_formats_fit_buffer (info, &buffer);
  gst_buffer_unref (buffer);
  return ok;
}

typedef struct
{
  GstVideoFormat format;
  gsize size;
  gint stride[3];
  gsize offset[3];
} PackedCase;

/* WIDTH x HEIGHT as numpy and OpenCV lay it out; halves are rounded up. */
static const PackedCase packed_cases[] = {
  {GST_VIDEO_FORMAT_BGR, 321 * 3 * 241, {963}, {0}},
  {GST_VIDEO_FORMAT_RGB, 321 * 3 * 241, {963}, {0}},
  {GST_VIDEO_FORMAT_GRAY8, 321 * 241, {321}, {0}},
  {GST_VIDEO_FORMAT_GRAY16_LE, 642 * 241, {642}, {0}},
  {GST_VIDEO_FORMAT_RGB16, 642 * 241, {642}, {0}},
  {GST_VIDEO_FORMAT_I420, 321 * 241 + 2 * 161 * 121, {321, 161, 161},
      {0, 321 * 241, 321 * 241 + 161 * 121}},
  {GST_VIDEO_FORMAT_YV12, 321 * 241 + 2 * 161 * 121, {321, 161, 161},
      {0, 321 * 241, 321 * 241 + 161 * 121}},
  {GST_VIDEO_FORMAT_NV12, 321 * 241 + 322 * 121, {321, 322}, {0, 321 * 241}},
  {GST_VIDEO_FORMAT_NV16, 321 * 241 + 322 * 241, {321, 322}, {0, 321 * 241}},
  {GST_VIDEO_FORMAT_Y42B, 321 * 241 + 2 * 161 * 241, {321, 161, 161},
      {0, 321 * 241, 321 * 241 + 161 * 241}},
  {GST_VIDEO_FORMAT_Y444, 3 * 321 * 241, {321, 321, 321},
      {0, 321 * 241, 2 * 321 * 241}},
  {GST_VIDEO_FORMAT_I420_10LE, 642 * 241 + 2 * 322 * 121, {642, 322, 322},
      {0, 642 * 241, 642 * 241 + 322 * 121}},
  {GST_VIDEO_FORMAT_P010_10LE, 642 * 241 + 644 * 121, {642, 644},
      {0, 642 * 241}},
};

/* Writes the row and column into each byte of a plane, padding left out. */
static void
fill_packed (GstBuffer * buffer, const PackedCase * c, guint n_planes)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint i = 0; i < n_planes; i++) {
    gsize end = i + 1 < n_planes ? c->offset[i + 1] : c->size;

    for (gsize at = c->offset[i]; at < end; at++)
      map.data[at] = (at - c->offset[i]) / c->stride[i] * 7
          + (at - c->offset[i]) % c->stride[i] + 31 * i;
  }
  gst_buffer_unmap (buffer, &map);
}

static void
assert_padded (GstBuffer * buffer, const PackedCase * c,
    const GstVideoInfo * info)
{
  GstMapInfo map;

  fail_unless_equals_uint64 (gst_buffer_get_size (buffer),
      GST_VIDEO_INFO_SIZE (info));
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    gsize end = i + 1 < GST_VIDEO_INFO_N_PLANES (info) ? c->offset[i + 1]
        : c->size;
    gsize rows = (end - c->offset[i]) / c->stride[i];

    for (gsize y = 0; y < rows; y++) {
      const guint8 *row = map.data + GST_VIDEO_INFO_PLANE_OFFSET (info, i)
          + y * GST_VIDEO_INFO_PLANE_STRIDE (info, i);

      for (gint x = 0; x < c->stride[i]; x++)
        if (row[x] != (guint8) (y * 7 + x + 31 * i))
          fail ("plane %u, row %" G_GSIZE_FORMAT ", byte %d: %u", i, y, x,
              row[x]);
    }
  }
  gst_buffer_unmap (buffer, &map);
}

/* Strides that are no multiple of 4 crash some of videoconvert's fast paths. */
GST_START_TEST (test_buffer_packed_rows_are_padded)
{
  const PackedCase *c = &packed_cases[__i__];
  GstVideoInfo info = make_info (c->format, WIDTH, HEIGHT);
  GstBuffer *buffer = make_buffer (c->size);

  fill_packed (buffer, c, GST_VIDEO_INFO_N_PLANES (&info));
  GST_BUFFER_PTS (buffer) = 5 * GST_SECOND;
  fail_unless (c->size < GST_VIDEO_INFO_SIZE (&info));
  fail_unless (rtsp_sink_formats_fit_buffer (&info, &buffer), "%s",
      GST_VIDEO_INFO_NAME (&info));
  assert_padded (buffer, c, &info);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 5 * GST_SECOND);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* Nobody else's buffer is written to. */
GST_START_TEST (test_buffer_packed_and_shared_is_copied)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_BGR, WIDTH, HEIGHT);
  GstBuffer *shared = make_buffer (WIDTH * 3 * HEIGHT);
  GstBuffer *buffer = gst_buffer_ref (shared);

  fail_unless (rtsp_sink_formats_fit_buffer (&info, &buffer));
  fail_unless (buffer != shared);
  fail_unless (gst_buffer_get_video_meta (shared) == NULL);
  gst_buffer_unref (buffer);
  gst_buffer_unref (shared);
}

GST_END_TEST;

/* Every format that the pad takes: GStreamer's own layout passes untouched, a
 * byte less does not, and what passes never reaches beyond its buffer. */
GST_START_TEST (test_buffer_of_each_format_holds_its_picture)
{

  g_autofree gchar *list = g_strdup (GST_VIDEO_FORMATS_ALL);
  g_auto (GStrv) formats = NULL;

  g_strdelimit (list, "{}, ", ' ');
  formats = g_strsplit (list, " ", -1);
  for (gsize i = 0; formats[i] != NULL; i++) {
    GstVideoFormat format = gst_video_format_from_string (formats[i]);
    GstVideoInfo info;

    if (format == GST_VIDEO_FORMAT_UNKNOWN)
      continue;
    info = make_info (format, WIDTH, HEIGHT);
    fail_unless (fits (&info, GST_VIDEO_INFO_SIZE (&info)), "%s", formats[i]);
    fail_unless (fits_described (&info), "%s", formats[i]);
    fail_if (fits (&info, 0), "%s", formats[i]);
    fail_if (fits (&info, 1), "%s", formats[i]);
    fail_if (fits (&info, GST_VIDEO_INFO_SIZE (&info) / 2), "%s", formats[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_buffer_exact_is_left_alone)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT);
  GstBuffer *buffer = make_buffer (GST_VIDEO_INFO_SIZE (&info));
  GstBuffer *before = buffer;

  fail_unless (rtsp_sink_formats_fit_buffer (&info, &buffer));
  fail_unless (buffer == before);
  fail_unless (gst_buffer_get_video_meta (buffer) == NULL);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

GST_START_TEST (test_buffer_described_by_its_source_is_left_alone)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_GRAY8, 16, 16);
  GstBuffer *buffer = make_buffer (64 * 16);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 64, };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, 16, 16, 1, offset, stride);
  fail_unless (rtsp_sink_formats_fit_buffer (&info, &buffer));
  fail_unless_equals_int (gst_buffer_get_video_meta (buffer)->stride[0], 64);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

#define HUGE_OFFSET ((gsize) 1 << 40)

/* Of 16x16 I420 in a buffer of exactly that: 16 * 16, and twice 8 * 8. */
static const struct
{
  guint width;
  guint height;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  gboolean fits;
} descriptions[] = {
  {16, 16, {0, 256, 320}, {16, 8, 8}, TRUE},
  /* The planes in another order, and rows from below. */
  {16, 16, {128, 0, 64}, {16, 8, 8}, TRUE},
  {16, 16, {240, 256, 320}, {-16, 8, 8}, TRUE},
  /* All rows are one. */
  {16, 16, {0, 256, 320}, {0, 0, 0}, TRUE},
  {16, 16, {1, 256, 320}, {16, 8, 8}, TRUE},
  {16, 16, {0, 256, 321}, {16, 8, 8}, FALSE},
  {16, 16, {0, 256, 384}, {16, 8, 8}, FALSE},
  {16, 16, {0, 256, HUGE_OFFSET}, {16, 8, 8}, FALSE},
  {16, 16, {0, 256, 320}, {32, 8, 8}, FALSE},
  {16, 16, {0, 256, 320}, {G_MAXINT, 8, 8}, FALSE},
  {16, 16, {224, 256, 320}, {-16, 8, 8}, FALSE},
  {16, 16, {0, 256, 320}, {16, 8, G_MININT}, FALSE},
  {8, 16, {0, 256, 320}, {16, 8, 8}, FALSE},
  {16, 8, {0, 256, 320}, {16, 8, 8}, FALSE},
  {1600, 16, {0, 256, 320}, {16, 8, 8}, FALSE},
  {16, 1600, {0, 256, 320}, {16, 8, 8}, FALSE},
};

GST_START_TEST (test_buffer_described_wrongly_does_not_fit)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_I420, 16, 16);
  GstBuffer *buffer = make_buffer (GST_VIDEO_INFO_SIZE (&info));

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, descriptions[__i__].width,
      descriptions[__i__].height, 3, (gsize *) descriptions[__i__].offset,
      (gint *) descriptions[__i__].stride);
  fail_unless_equals_int (rtsp_sink_formats_fit_buffer (&info, &buffer),
      descriptions[__i__].fits);
  gst_buffer_unref (buffer);
}

GST_END_TEST;

GST_START_TEST (test_buffer_described_as_another_format_does_not_fit)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_I420, 16, 16);
  GstBuffer *buffer = make_buffer (GST_VIDEO_INFO_SIZE (&info));

  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, 16, 16);
  fail_if (rtsp_sink_formats_fit_buffer (&info, &buffer));
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* 16 bytes, as a picture of 2x8 without padding has; its rows would be padded. */
GST_START_TEST (test_buffer_that_cannot_be_read_does_not_fit)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_GRAY8, 2, 8);
  GstBuffer *buffer = device_frame_new (make_buffer (16));

  fail_unless_equals_int (gst_buffer_get_size (buffer), 16);
  fail_if (rtsp_sink_formats_fit_buffer (&info, &buffer));
  gst_buffer_unref (buffer);
}

GST_END_TEST;

/* Drivers round up to pages and macro blocks; another picture is no padding. */
GST_START_TEST (test_buffer_too_long_fits_only_with_some_spare_rows)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_YUY2, 640, 480);
  gsize row = 640 * 2, size = GST_VIDEO_INFO_SIZE (&info);

  fail_unless (fits (&info, size + 1));
  fail_unless (fits (&info, size + 8 * row));
  fail_unless (fits (&info, GST_ROUND_UP_N (size, 4096)));
  fail_if (fits (&info, size + 480 * row));
  fail_if (fits (&info, 2 * size));
  fail_if (fits (&info, 1280 * 720 * 2));
}

GST_END_TEST;

GST_START_TEST (test_buffer_of_another_picture_does_not_fit)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_BGR, 640, 480);

  fail_if (fits (&info, 640 * 480));
  fail_if (fits (&info, 640 * 480 * 4));
  fail_if (fits (&info, 320 * 240 * 3));
  fail_if (fits (&info, 640 * 480 * 3 - 1));
}

GST_END_TEST;

/* A pair of pixels shares its chroma: of a row that ends in half a pair more
 * would be read than is there. */
GST_START_TEST (test_buffer_of_half_a_pixel_pair_does_not_fit)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_YUY2,
    GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YVYU, GST_VIDEO_FORMAT_VYUY
  };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info = make_info (formats[i], WIDTH, HEIGHT);

    fail_if (fits (&info, WIDTH * 2 * HEIGHT), "%s",
        GST_VIDEO_INFO_NAME (&info));
  }
}

GST_END_TEST;

static void
expect_encoder_input (GstVideoFormat format, guint height,
    const gchar * colorimetry, const gchar * matrix_of)
{
  GstVideoInfo info = make_info (format, 640, height);
  g_autoptr (GstCaps) formats = gst_caps_from_string (FORMATS);
  g_autoptr (GstCaps) caps = NULL;
  GstVideoColorimetry got, wanted;
  const GstStructure *s;

  if (colorimetry != NULL)
    fail_unless (gst_video_colorimetry_from_string (&info.colorimetry,
            colorimetry));
  caps = rtsp_sink_formats_for_encoder (formats, &info, NULL);
  s = gst_caps_get_structure (caps, 0);
  fail_unless (gst_video_colorimetry_from_string (&got,
          gst_structure_get_string (s, "colorimetry")));
  fail_unless (gst_video_colorimetry_from_string (&wanted, matrix_of));
  fail_unless_equals_int (got.range, GST_VIDEO_COLOR_RANGE_16_235);
  fail_unless_equals_int (got.matrix, wanted.matrix);
}

GST_START_TEST (test_encoder_gets_studio_range_and_the_matrix_of_the_input)
{
  expect_encoder_input (GST_VIDEO_FORMAT_RGB, 480, NULL, "bt601");
  expect_encoder_input (GST_VIDEO_FORMAT_RGB, 576, NULL, "bt601");
  expect_encoder_input (GST_VIDEO_FORMAT_BGR, 720, NULL, "bt709");
  expect_encoder_input (GST_VIDEO_FORMAT_GRAY8, 480, NULL, "bt601");
  expect_encoder_input (GST_VIDEO_FORMAT_I420, 480, "bt601", "bt601");
  expect_encoder_input (GST_VIDEO_FORMAT_I420, 480, "bt709", "bt709");
  expect_encoder_input (GST_VIDEO_FORMAT_I420, 720, "bt601", "bt601");
  /* JPEG's: BT.601 in full range */
  expect_encoder_input (GST_VIDEO_FORMAT_I420, 480, "1:4:0:0", "bt601");
  /* unknown */
  expect_encoder_input (GST_VIDEO_FORMAT_YUY2, 480, "0:0:0:0", "bt601");
  expect_encoder_input (GST_VIDEO_FORMAT_YUY2, 1080, "0:0:0:0", "bt709");
}

GST_END_TEST;

/* RGB has BT.709's primaries (sRGB), also where the matrix is BT.601's. */
GST_START_TEST (test_encoder_gets_the_primaries_of_the_input)
{
  GstVideoInfo info = make_info (GST_VIDEO_FORMAT_RGB, 640, 480);
  g_autoptr (GstCaps) formats = gst_caps_from_string (FORMATS);
  g_autoptr (GstCaps) caps = NULL;
  GstVideoColorimetry got;

  caps = rtsp_sink_formats_for_encoder (formats, &info, NULL);
  fail_unless (gst_video_colorimetry_from_string (&got,
          gst_structure_get_string (gst_caps_get_structure (caps, 0),
              "colorimetry")));
  fail_unless_equals_int (got.matrix, GST_VIDEO_COLOR_MATRIX_BT601);
  fail_unless_equals_int (got.primaries, GST_VIDEO_COLOR_PRIMARIES_BT709);
  fail_unless_equals_int (got.transfer, GST_VIDEO_TRANSFER_BT709);
}

GST_END_TEST;

GST_START_TEST (test_encoder_gets_what_is_taken_for_granted)
{
  static const GstVideoFormat inputs[] = {
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_I420
  };
  g_autoptr (GstCaps) formats = gst_caps_from_string (FORMATS);

  for (gsize i = 0; i < G_N_ELEMENTS (inputs); i++) {
    GstVideoInfo info = make_info (inputs[i], 640, 720);
    g_autoptr (GstCaps) caps =
        rtsp_sink_formats_for_encoder (formats, &info, "1:4:0:0");

    fail_unless_equals_string (gst_structure_get_string
        (gst_caps_get_structure (caps, 0), "colorimetry"), "1:4:0:0");
  }
}

GST_END_TEST;

static void
check_holds_all (const GstVideoFormatInfo * from,
    const GstVideoFormatInfo * sent)
{
  const gchar *name = GST_VIDEO_FORMAT_INFO_NAME (from);

  fail_unless (!GST_VIDEO_FORMAT_INFO_HAS_ALPHA (from)
      || GST_VIDEO_FORMAT_INFO_HAS_ALPHA (sent), "%s loses its alpha", name);
  fail_unless (GST_VIDEO_FORMAT_INFO_IS_RGB (from) ==
      GST_VIDEO_FORMAT_INFO_IS_RGB (sent)
      || GST_VIDEO_FORMAT_INFO_IS_GRAY (from), "%s changes its colours", name);

  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (from); i++) {
    fail_unless (GST_VIDEO_FORMAT_INFO_DEPTH (from, i) <=
        GST_VIDEO_FORMAT_INFO_DEPTH (sent, i), "%s loses bits", name);
    fail_unless (GST_VIDEO_FORMAT_INFO_W_SUB (from, i) >=
        GST_VIDEO_FORMAT_INFO_W_SUB (sent, i), "%s loses columns", name);
    fail_unless (GST_VIDEO_FORMAT_INFO_H_SUB (from, i) >=
        GST_VIDEO_FORMAT_INFO_H_SUB (sent, i), "%s loses rows", name);
  }
}

GST_START_TEST (test_raw_loses_nothing_or_is_refused)
{
  guint n_sent = 0;

  for (gint f = GST_VIDEO_FORMAT_I420;
      gst_video_format_to_string (f) != NULL; f++) {
    GstVideoInfo info;
    GstVideoFormat sent;
    g_autoptr (GError) error = NULL;

    if (!gst_video_info_set_format (&info, f, 64, 48))
      continue;
    sent = rtsp_sink_formats_for_raw (&info, &error);
    fail_unless ((sent == GST_VIDEO_FORMAT_UNKNOWN) == (error != NULL));
    if (error != NULL) {
      fail_unless (strstr (error->message, GST_VIDEO_INFO_NAME (&info)) != NULL,
          "%s", error->message);
      fail_unless (strstr (error->message, "videoconvert") != NULL);
      continue;
    }
    check_holds_all (info.finfo, gst_video_format_get_info (sent));
    n_sent++;
  }
  fail_unless (n_sent >= 20, "only %u formats", n_sent);
}

GST_END_TEST;

/* RFC 4175's own are not touched. */
GST_START_TEST (test_raw_format_that_can_be_sent_is_sent_as_it_is)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_RGB,
    GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_BGRA,
    GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_I420
  };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info = make_info (formats[i], 64, 48);

    fail_unless_equals_int (rtsp_sink_formats_for_raw (&info, NULL),
        formats[i]);
  }
}

GST_END_TEST;

GST_START_TEST (test_raw_pixel_groups_are_those_of_rfc_4175)
{
  fail_unless_equals_int (rtsp_sink_formats_raw_columns
      (GST_VIDEO_FORMAT_RGB), 1);
  fail_unless_equals_int (rtsp_sink_formats_raw_rows (GST_VIDEO_FORMAT_RGB), 1);
  fail_unless_equals_int (rtsp_sink_formats_raw_columns
      (GST_VIDEO_FORMAT_UYVY), 2);
  fail_unless_equals_int (rtsp_sink_formats_raw_rows (GST_VIDEO_FORMAT_UYVY),
      1);
  fail_unless_equals_int (rtsp_sink_formats_raw_columns
      (GST_VIDEO_FORMAT_I420), 2);
  fail_unless_equals_int (rtsp_sink_formats_raw_rows (GST_VIDEO_FORMAT_I420),
      2);
  fail_unless_equals_int (rtsp_sink_formats_raw_columns
      (GST_VIDEO_FORMAT_Y41B), 4);
}

GST_END_TEST;

static Suite *
formats_suite (void)
{
  Suite *suite = suite_create ("formats");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_loop_test (chain, test_buffer_packed_rows_are_padded, 0,
      G_N_ELEMENTS (packed_cases));
  tcase_add_test (chain, test_buffer_packed_and_shared_is_copied);
  tcase_add_test (chain, test_buffer_of_each_format_holds_its_picture);
  tcase_add_test (chain, test_buffer_exact_is_left_alone);
  tcase_add_test (chain, test_buffer_described_by_its_source_is_left_alone);
  tcase_add_loop_test (chain, test_buffer_described_wrongly_does_not_fit, 0,
      G_N_ELEMENTS (descriptions));
  tcase_add_test (chain, test_buffer_described_as_another_format_does_not_fit);
  tcase_add_test (chain, test_buffer_that_cannot_be_read_does_not_fit);
  tcase_add_test (chain, test_buffer_too_long_fits_only_with_some_spare_rows);
  tcase_add_test (chain, test_buffer_of_another_picture_does_not_fit);
  tcase_add_test (chain, test_buffer_of_half_a_pixel_pair_does_not_fit);
  tcase_add_test (chain,
      test_encoder_gets_studio_range_and_the_matrix_of_the_input);
  tcase_add_test (chain, test_encoder_gets_the_primaries_of_the_input);
  tcase_add_test (chain, test_encoder_gets_what_is_taken_for_granted);
  tcase_add_test (chain, test_raw_loses_nothing_or_is_refused);
  tcase_add_test (chain, test_raw_format_that_can_be_sent_is_sent_as_it_is);
  tcase_add_test (chain, test_raw_pixel_groups_are_those_of_rfc_4175);

  return suite;
}

CHECK_SUITE (formats);
