/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Where pictures begin and end in a stream of JPEG: with and without end
 * markers, cut short, in pieces of any size. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "codec/jpegwalk.h"

/* Of one picture, as far as the walk looks at it. The segment has a picture
 * within, as a thumbnail. */
#define SOI 0xff, 0xd8
#define SEGMENT 0xff, 0xe1, 0x00, 0x09, 'E', SOI, 1, 2, 0xff, 0xd9
#define SCAN 0xff, 0xda, 0x00, 0x04, 1, 2, 3, 0xff, 0x00, 4, 0xff, 0xd0, 5
#define EOI 0xff, 0xd9

static const guint8 ended[] = { SOI, SEGMENT, SCAN, EOI };
static const guint8 endless[] = { SOI, SEGMENT, SCAN };
static const guint8 in_segment[] = { SOI, 0xff, 0xe1, 0x00, 0x80, 'E' };
static const guint8 header[] = { SOI, SEGMENT };
static const guint8 noise[] = { 1, 0xff, 0x00, 2 };

static RtspSinkJpegWalk walk;
static GString *found;

static void
setup (void)
{
  rtsp_sink_jpeg_walk_init (&walk);
  found = g_string_new (NULL);
}

static void
teardown (void)
{
  g_string_free (found, TRUE);
}

/* Writes down what becomes of a picture that has no end: '+' it is whole, '-' it
 * was cut short; and '0' for a piece that has nothing of a picture. */
static void
push (const guint8 * data, gsize size)
{
  g_autoptr (GstBuffer) piece = gst_buffer_new_memdup (data, size);
  gsize at = rtsp_sink_jpeg_walk_on (&walk, piece);

  if (at < size) {
    g_string_append_c (found, rtsp_sink_jpeg_walk_close (&walk) ? '+' : '-');
    push (data + at, size - at);
    return;
  }
  if (walk.useless)
    g_string_append_c (found, '0');
  if (walk.unended)
    g_string_append_c (found, rtsp_sink_jpeg_walk_close (&walk) ? '+' : '-');
}

static void
push_n (const guint8 * data, gsize size, guint n)
{
  for (guint i = 0; i < n; i++)
    push (data, size);
}

GST_START_TEST (test_pictures_with_an_end_need_none)
{
  push_n (ended, sizeof (ended), 3);
  fail_unless_equals_string (found->str, "");
  fail_if (walk.open);
}

GST_END_TEST;

/* That it has no end is known of the first one by the second, of the others at
 * once. */
GST_START_TEST (test_pictures_without_an_end_are_whole)
{
  push (endless, sizeof (endless));
  fail_unless_equals_string (found->str, "");
  push (endless, sizeof (endless));
  fail_unless_equals_string (found->str, "++");
  push (endless, sizeof (endless));
  fail_unless_equals_string (found->str, "+++");
}

GST_END_TEST;

GST_START_TEST (test_a_picture_without_end_among_those_with_one_is_cut_short)
{
  push (ended, sizeof (ended));
  push (endless, sizeof (endless));
  push_n (ended, sizeof (ended), 2);
  fail_unless_equals_string (found->str, "-");
  fail_if (walk.open);
}

GST_END_TEST;

GST_START_TEST (test_a_picture_cut_short_in_its_header_costs_no_other)
{
  push (in_segment, sizeof (in_segment));
  push (ended, sizeof (ended));
  push (header, sizeof (header));
  push (ended, sizeof (ended));
  fail_unless (g_str_has_suffix (found->str, "-"));
  fail_if (walk.open);
  push (in_segment, sizeof (in_segment));
  push (ended, sizeof (ended));
  fail_unless (g_str_has_suffix (found->str, "--"));
  fail_if (walk.open);
}

GST_END_TEST;

GST_START_TEST (test_what_is_no_picture_is_useless)
{
  push (noise, sizeof (noise));
  push (ended, sizeof (ended));
  push (noise, sizeof (noise));
  fail_unless_equals_string (found->str, "00");
}

GST_END_TEST;

/* Cut anywhere: the pictures are found, and the one within a segment is none. It
 * is taken for one where it begins a piece as the picture itself did: not with
 * these sizes. */
GST_START_TEST (test_pictures_in_pieces_of_any_size_are_found)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  guint size = __i__ + 8;

  for (guint i = 0; i < 50; i++)
    g_byte_array_append (stream, ended, sizeof (ended));
  for (guint at = 0; at < stream->len; at += size)
    push (stream->data + at, MIN (size, stream->len - at));
  fail_if (walk.open);
  fail_unless_equals_string (found->str, "");
}

GST_END_TEST;

GST_START_TEST (test_endless_pictures_in_one_piece_are_found)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();

  for (guint i = 0; i < 5; i++)
    g_byte_array_append (stream, endless, sizeof (endless));
  push (stream->data, stream->len);
  fail_unless_equals_string (found->str, "++++");
  fail_unless (walk.open && walk.has_scan);
}

GST_END_TEST;

static Suite *
jpegwalk_suite (void)
{
  Suite *suite = suite_create ("jpegwalk");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_pictures_with_an_end_need_none);
  tcase_add_test (tests, test_pictures_without_an_end_are_whole);
  tcase_add_test (tests,
      test_a_picture_without_end_among_those_with_one_is_cut_short);
  tcase_add_test (tests, test_a_picture_cut_short_in_its_header_costs_no_other);
  tcase_add_test (tests, test_what_is_no_picture_is_useless);
  tcase_add_loop_test (tests, test_pictures_in_pieces_of_any_size_are_found, 0,
      26);
  tcase_add_test (tests, test_endless_pictures_in_one_piece_are_found);
  return suite;
}

CHECK_SUITE (jpegwalk);
