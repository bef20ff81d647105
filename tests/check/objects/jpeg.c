/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* JPEG pictures that RTP carries, and those that it does not. Reported: webcams
 * make JPEG with three tables, which a depayloader refuses. */

#include "encodedclip.h"
#include "codec/jpegcheck.h"

#define DQT 0xdb
#define DHT 0xc4
#define SOF 0xc0
#define SOS 0xda
#define QUANTIZERS 64
#define CR 2                    /* the third component */

static GByteArray *picture;

static void
setup (void)
{
  g_autoptr (EncodedClip) clip = encoded_clip_new ("videotestsrc num-buffers=1 "
      "! " CLIP_VIDEO (64, 48) " ! jpegenc");
  GstBuffer *frame = encoded_clip_frame (clip, 0);
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  picture = g_byte_array_new ();
  g_byte_array_append (picture, map.data, map.size);
  gst_buffer_unmap (frame, &map);
  gst_buffer_unref (frame);
}

static void
teardown (void)
{
  g_clear_pointer (&picture, g_byte_array_unref);
}

/* Where the n-th segment of that kind begins: at its marker. */
static guint
find (guint8 marker, guint n)
{
  guint at = 2;

  while (at + 4 < picture->len) {
    if (picture->data[at + 1] == marker && n-- == 0)
      return at;
    at += 2 + (picture->data[at + 2] << 8 | picture->data[at + 3]);
  }
  fail ("no segment %02x", marker);
  return 0;
}

static void
insert (guint at, const guint8 * data, guint size)
{
  g_autoptr (GByteArray) rest = g_byte_array_new ();

  g_byte_array_append (rest, picture->data + at, picture->len - at);
  g_byte_array_set_size (picture, at);
  g_byte_array_append (picture, data, size);
  g_byte_array_append (picture, rest->data, rest->len);
}

static gboolean
read_header (RtspSinkJpegHeader * header)
{
  g_autoptr (GstBuffer) buffer = gst_buffer_new_memdup (picture->data,
      picture->len);

  return rtsp_sink_jpeg_check_read (buffer, header);
}

static void
check (const gchar * word)
{
  RtspSinkJpegHeader header;

  fail_unless (read_header (&header));
  if (word == NULL)
    fail_unless (header.obstacle == NULL, "%s", header.obstacle);
  else
    fail_unless (header.obstacle != NULL
        && strstr (header.obstacle, word) != NULL, "%s",
        GST_STR_NULL (header.obstacle));
}

/* As webcams write them: the third table is a copy of the second. */
static void
add_third_table (void)
{
  guint8 segment[5 + QUANTIZERS] = { 0xff, DQT, 0, 3 + QUANTIZERS, CR };
  guint colours = find (DQT, 1);

  fail_unless_equals_int (picture->data[colours + 4], 1);
  memcpy (segment + 5, picture->data + colours + 5, QUANTIZERS);
  insert (colours, segment, sizeof (segment));
  picture->data[find (SOF, 0) + 10 + 3 * CR + 2] = CR;
}

GST_START_TEST (test_jpeg_of_an_encoder_has_no_obstacle)
{
  check (NULL);
}

END_TEST;

GST_START_TEST (test_jpeg_with_three_tables_has_no_obstacle)
{
  add_third_table ();
  check (NULL);
}

END_TEST;

GST_START_TEST (test_jpeg_whose_colours_differ_has_one)
{
  add_third_table ();
  picture->data[find (DQT, 1) + 5 + 7]++;
  check ("quantisation");
}

END_TEST;

/* Motion JPEG need not tell the tables of the standard. */
GST_START_TEST (test_jpeg_without_huffman_tables_has_no_obstacle)
{
  guint n = 0;

  for (guint at = 2; picture->data[at + 1] != SOS;) {
    /* not GST_READ_UINT16_BE: the address may be odd */
    guint size = 2 + (picture->data[at + 2] << 8) + picture->data[at + 3];

    if (picture->data[at + 1] != DHT) {
      at += size;
      continue;
    }
    g_byte_array_remove_range (picture, at, size);
    n++;
  }
  fail_unless (n > 0);
  check (NULL);
}

END_TEST;

GST_START_TEST (test_jpeg_with_huffman_tables_of_its_own_has_one)
{
  guint last = picture->data[find (DHT, 0) + 3];

  for (guint i = 5 + 16; i < last + 2; i++) {
    picture->data[find (DHT, 0) + i] ^= 1;
    check ("Huffman");
    picture->data[find (DHT, 0) + i] ^= 1;
  }
  /* All components by one table. */
  picture->data[find (SOS, 0) + 5 + 2 * CR + 1] = 0x00;
  check ("Huffman");
}

END_TEST;

GST_START_TEST (test_jpeg_in_several_scans_has_one)
{
  picture->data[find (SOS, 0) + 4] = 1;
  check ("scans");
}

END_TEST;

/* Of the first component, and of the second: the payloader (1.22) takes two ways
 * to write it and drops all others. */
static const struct
{
  guint8 samplings[2];
  gboolean sent;
} sampled[] = {
  {{0x22, 0x11}, TRUE},
  {{0x21, 0x11}, TRUE},
  {{0x11, 0x11}, FALSE},
  {{0x22, 0x12}, FALSE},        /* 4:2:2 too */
  {{0x41, 0x11}, FALSE},
};

GST_START_TEST (test_jpeg_sampled_in_another_way_has_an_obstacle)
{
  guint frame = find (SOF, 0) + 10;

  for (guint i = 0; i <= CR; i++)
    picture->data[frame + 3 * i + 1] = sampled[__i__].samplings[i > 0];
  check (sampled[__i__].sent ? NULL : "sampled");
}

END_TEST;

GST_START_TEST (test_jpeg_of_one_component_has_an_obstacle)
{
  picture->data[find (SOF, 0) + 9] = 1;
  check ("colours");
}

END_TEST;

GST_START_TEST (test_jpeg_cut_off_in_its_header_is_damaged)
{
  RtspSinkJpegHeader header;
  guint scan = find (SOS, 0) + 2 + picture->data[find (SOS, 0) + 3];

  while (picture->len > 1) {
    g_byte_array_set_size (picture, picture->len - 1);
    fail_unless_equals_int (read_header (&header), picture->len >= scan);
    fail_unless (picture->len < scan || header.obstacle == NULL);
  }
}

END_TEST;

GST_START_TEST (test_jpeg_of_no_size_is_damaged)
{
  RtspSinkJpegHeader header;

  picture->data[find (SOF, 0) + 5] = picture->data[find (SOF, 0) + 6] = 0;
  fail_if (read_header (&header));
}

END_TEST;

/* The picture is then what it was without. */
GST_START_TEST (test_fill_bytes_are_dropped)
{
  static const guint8 markers[] = { DQT, SOF, DHT, SOS };
  static const guint8 fill[] = { 0xff, 0xff, 0xff };
  g_autoptr (GByteArray) plain = g_byte_array_new ();
  GstBuffer *buffer;
  RtspSinkJpegHeader header;

  g_byte_array_append (plain, picture->data, picture->len);
  for (guint i = G_N_ELEMENTS (markers); i > 0; i--)
    insert (find (markers[i - 1], 0), fill, i - 1);
  buffer = gst_buffer_new_memdup (picture->data, picture->len);
  GST_BUFFER_PTS (buffer) = 42;
  fail_unless (rtsp_sink_jpeg_check_read (buffer, &header));
  fail_unless_equals_int (header.n_fill, 1 + 2 + 3);
  buffer = rtsp_sink_jpeg_check_drop_fill (buffer, &header);
  fail_unless_equals_int (gst_buffer_get_size (buffer), plain->len);
  fail_unless (gst_buffer_memcmp (buffer, 0, plain->data, plain->len) == 0);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), 42);
  gst_buffer_unref (buffer);
}

END_TEST;

static Suite *
jpeg_suite (void)
{
  Suite *suite = suite_create ("jpeg");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_jpeg_of_an_encoder_has_no_obstacle);
  tcase_add_test (tests, test_jpeg_with_three_tables_has_no_obstacle);
  tcase_add_test (tests, test_jpeg_whose_colours_differ_has_one);
  tcase_add_test (tests, test_jpeg_without_huffman_tables_has_no_obstacle);
  tcase_add_test (tests, test_jpeg_with_huffman_tables_of_its_own_has_one);
  tcase_add_test (tests, test_jpeg_in_several_scans_has_one);
  tcase_add_loop_test (tests, test_jpeg_sampled_in_another_way_has_an_obstacle,
      0, G_N_ELEMENTS (sampled));
  tcase_add_test (tests, test_jpeg_of_one_component_has_an_obstacle);
  tcase_add_test (tests, test_jpeg_cut_off_in_its_header_is_damaged);
  tcase_add_test (tests, test_jpeg_of_no_size_is_damaged);
  tcase_add_test (tests, test_fill_bytes_are_dropped);
  return suite;
}

CHECK_SUITE (jpeg);
