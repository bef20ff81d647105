/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The payloader that is called like a function: an access unit in, all its
 * packets out. */

#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>

#include "checksuite.h"
#include "codec/videocodecs.h"
#include "video/payloader.h"

#define WIDTH 64
#define HEIGHT 48
#define RAW_CAPS "video/x-raw, format=RGB, width=64, height=48, " \
    "framerate=25/1, colorimetry=sRGB"
/* RFC 4175: extended sequence number, then length, row and column of a line */
#define SEQUENCE_SIZE 2
#define LINE_SIZE 6
#define CLOCK_RATE 90000

static RtspSinkPayloader *payloading;

static void
set_up_raw (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (RAW_CAPS);

  payloading = rtsp_sink_payloader_new (gst_element_factory_make
      ("rtpvrawpay", NULL), FALSE, NULL);
  rtsp_sink_payloader_set_caps (payloading, caps);
}

static void
teardown (void)
{
  g_clear_pointer (&payloading, rtsp_sink_payloader_free);
}

static GstBuffer *
make_frame (GstClockTime pts)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT * 3, NULL);

  gst_buffer_memset (frame, 0, 0x55, WIDTH * HEIGHT * 3);
  GST_BUFFER_PTS (frame) = pts;
  return frame;
}

typedef struct
{
  guint32 time;
  guint n_marked;
  gboolean last_marked;
  gsize payload;
  guint16 first_seq;
  guint16 last_seq;
} Packets;

/* Looks at the packets of one unit: one time, numbers without a gap. */
static Packets
look_at (GstBufferList * list)
{
  Packets found = { 0, };

  fail_unless (list != NULL);
  for (guint i = 0; i < gst_buffer_list_length (list); i++) {
    GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
    guint16 seq;

    fail_unless (gst_rtp_buffer_map (gst_buffer_list_get (list, i),
            GST_MAP_READ, &rtp));
    seq = gst_rtp_buffer_get_seq (&rtp);
    if (i == 0) {
      found.time = gst_rtp_buffer_get_timestamp (&rtp);
      found.first_seq = seq;
    } else {
      fail_unless_equals_int (seq, (guint16) (found.last_seq + 1));
    }
    fail_unless_equals_int (gst_rtp_buffer_get_timestamp (&rtp), found.time);
    found.last_seq = seq;
    found.last_marked = gst_rtp_buffer_get_marker (&rtp);
    found.n_marked += found.last_marked;
    found.payload += gst_rtp_buffer_get_payload_len (&rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  return found;
}

static Packets
push (GstBuffer * unit)
{
  GstBufferList *list = rtsp_sink_payloader_push (payloading, unit);
  Packets found = look_at (list);

  gst_buffer_list_unref (list);
  return found;
}

GST_START_TEST (test_payloading_raw_frame_is_complete_when_push_returns)
{
  GstBufferList *list;
  Packets found;
  gsize overhead;

  set_up_raw ();
  list = rtsp_sink_payloader_push (payloading, make_frame (0));
  found = look_at (list);
  /* a line may be cut, so each packet may add a header */
  overhead = found.payload - WIDTH * HEIGHT * 3;
  fail_unless (overhead >= HEIGHT * LINE_SIZE);
  fail_unless (overhead <= gst_buffer_list_length (list) * (SEQUENCE_SIZE
          + LINE_SIZE) + HEIGHT * LINE_SIZE);
  fail_unless_equals_int (found.n_marked, 1);
  fail_unless (found.last_marked);
  gst_buffer_list_unref (list);
}

GST_END_TEST;

GST_START_TEST (test_payloading_rtp_times_follow_the_time_stamps)
{
  static const GstClockTime times[] = { 0, 40 * GST_MSECOND, 41 * GST_MSECOND,
    10 * GST_SECOND, 10 * GST_SECOND + 1 * GST_MSECOND, 3600 * GST_SECOND
  };
  guint32 zero;

  set_up_raw ();
  zero = push (make_frame (0)).time;
  for (gsize i = 1; i < G_N_ELEMENTS (times); i++) {
    gint wanted = gst_util_uint64_scale (times[i], CLOCK_RATE, GST_SECOND);
    gint got = push (make_frame (times[i])).time - zero;

    fail_unless (ABS (got - wanted) <= 1, "%d is not %d", got, wanted);
  }
}

GST_END_TEST;

GST_START_TEST (test_payloading_numbers_go_on_from_unit_to_unit)
{
  Packets a, b;

  set_up_raw ();
  a = push (make_frame (0));
  b = push (make_frame (GST_SECOND));
  fail_unless_equals_int (b.first_seq, (guint16) (a.last_seq + 1));
}

GST_END_TEST;

GST_START_TEST (test_payloading_caps_are_known_after_the_first_unit)
{
  g_autoptr (GstCaps) caps = NULL;
  const GstStructure *s;
  gint payload, clock_rate;

  set_up_raw ();
  push (make_frame (0));
  caps = rtsp_sink_payloader_get_caps (payloading);
  fail_unless (caps != NULL);
  s = gst_caps_get_structure (caps, 0);
  fail_unless_equals_string (gst_structure_get_string (s, "encoding-name"),
      "RAW");
  fail_unless_equals_string (gst_structure_get_string (s, "width"), "64");
  fail_unless (gst_structure_get_int (s, "payload", &payload));
  fail_unless (gst_structure_get_int (s, "clock-rate", &clock_rate));
  fail_unless (payload >= 96 && payload <= 127);
  fail_unless_equals_int (clock_rate, CLOCK_RATE);
}

GST_END_TEST;

GST_START_TEST (test_payloading_caps_change_with_the_input)
{
  g_autoptr (GstCaps) larger = gst_caps_from_string
      ("video/x-raw, format=RGB, width=128, height=48, framerate=25/1, "
      "colorimetry=sRGB");
  g_autoptr (GstCaps) before = NULL;
  g_autoptr (GstCaps) after = NULL;
  GstBuffer *frame = gst_buffer_new_allocate (NULL, 128 * HEIGHT * 3, NULL);

  set_up_raw ();
  push (make_frame (0));
  before = rtsp_sink_payloader_get_caps (payloading);
  rtsp_sink_payloader_set_caps (payloading, larger);
  gst_buffer_memset (frame, 0, 0, -1);
  GST_BUFFER_PTS (frame) = GST_SECOND;
  push (frame);
  after = rtsp_sink_payloader_get_caps (payloading);

  fail_if (gst_caps_is_equal (before, after));
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (after, 0), "width"), "128");
}

GST_END_TEST;

/* What the payloader cannot take gives no packets; nothing leaks. */
GST_START_TEST (test_payloading_unit_of_another_codec_is_refused)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-h264, "
      "stream-format=byte-stream, alignment=au");
  GstBuffer *unit = gst_buffer_ref (make_frame (0));

  set_up_raw ();
  rtsp_sink_payloader_set_caps (payloading, caps);
  fail_unless (rtsp_sink_payloader_push (payloading, unit) == NULL);
  ASSERT_MINI_OBJECT_REFCOUNT (unit, "unit", 1);
  gst_buffer_unref (unit);
}

GST_END_TEST;

/* Access units as the parser gives them. */
static GstElement *
start_h264 (void)
{
  GError *error = NULL;
  GstElement *pipeline =
      gst_parse_launch ("videotestsrc num-buffers=3 pattern=snow ! "
      "video/x-raw,format=I420,width=320,height=240,framerate=25/1 ! "
      "x264enc tune=zerolatency bitrate=8000 ! h264parse config-interval=-1 ! "
      "video/x-h264,stream-format=avc,alignment=au ! "
      "appsink name=sink sync=false", &error);

  fail_unless (pipeline != NULL, "%s", error ? error->message : "");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

GST_START_TEST (test_payloading_h264_unit_is_complete_when_push_returns)
{
  g_autoptr (GstElement) pipeline = start_h264 ();
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline),
      "sink");
  GstElement *payloader = gst_element_factory_make ("rtph264pay", NULL);
  GstSample *sample;
  guint n = 0;

  gst_util_set_object_arg (G_OBJECT (payloader), "aggregate-mode",
      "zero-latency");
  payloading = rtsp_sink_payloader_new (payloader, FALSE, NULL);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstBuffer *unit = gst_buffer_ref (gst_sample_get_buffer (sample));
    gsize size = gst_buffer_get_size (unit);
    Packets found;

    if (n++ == 0)
      rtsp_sink_payloader_set_caps (payloading, gst_sample_get_caps (sample));
    found = push (unit);
    fail_unless (found.payload >= size * 9 / 10);
    fail_unless_equals_int (found.n_marked, 1);
    fail_unless (found.last_marked);
    gst_sample_unref (sample);
  }
  fail_unless_equals_int (n, 3);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

GST_END_TEST;

/* An access unit of so many slices of few bytes, as a still picture has them. */
static GstBuffer *
make_slices (GstRtspServerSinkCodec codec, guint n)
{
  static const guint8 h264[] = { 0, 0, 0, 1, 0x41, 0x9a, 0x55, 0x55, 0x55 };
  static const guint8 h265[] = { 0, 0, 0, 1, 0x02, 0x01, 0x55, 0x55, 0x55 };
  GByteArray *array = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  GstBuffer *unit;

  for (guint i = 0; i < n; i++)
    g_byte_array_append (array,
        codec == GST_RTSP_SERVER_SINK_CODEC_H264 ? h264 : h265, sizeof h264);
  bytes = g_byte_array_free_to_bytes (array);
  unit = gst_buffer_new_wrapped_bytes (bytes);
  GST_BUFFER_PTS (unit) = n * GST_SECOND;
  return unit;
}

static const struct
{
  GstRtspServerSinkCodec codec;
  const gchar *caps;
} sliced[] = {
  {GST_RTSP_SERVER_SINK_CODEC_H264,
      "video/x-h264, stream-format=byte-stream, alignment=au"},
  {GST_RTSP_SERVER_SINK_CODEC_H265,
      "video/x-h265, stream-format=byte-stream, alignment=au"},
};

/* rtph265pay (1.22) releases a header twice when it puts 15 into one packet. */
GST_START_TEST (test_payloading_any_number_of_slices_is_sent)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (sliced[__i__].caps);

  payloading = rtsp_sink_payloader_new (rtsp_sink_video_codecs_make_payloader
      (rtsp_sink_video_codecs_find (sliced[__i__].codec), NULL), FALSE, NULL);
  rtsp_sink_payloader_set_caps (payloading, caps);
  for (guint n = 1; n <= 40; n++) {
    Packets found = push (make_slices (sliced[__i__].codec, n));

    /* without the start codes */
    fail_unless (found.payload >= n * 5);
    fail_unless_equals_int (found.n_marked, 1);
    fail_unless (found.last_marked);
  }
}

GST_END_TEST;

static void
note_freed (gpointer n_freed, GstMiniObject * unit)
{
  (*(guint *) n_freed)++;
}

static GstBuffer *
make_vp8 (guint8 first)
{
  static const guint8 key_frame[] = { 0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 64, 0,
    48, 0, 0, 7, 8, 133, 133, 136, 133, 132, 136, 2, 2, 0, 12, 13, 96, 0, 254,
    255, 171, 80, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
  };
  GstBuffer *unit = gst_buffer_new_memdup (key_frame, sizeof (key_frame));

  gst_buffer_memset (unit, 0, first, 1);
  GST_BUFFER_PTS (unit) = 0;
  return unit;
}

/* rtpvp8pay keeps each for ever. */
GST_START_TEST (test_payloading_vp8_that_is_refused_is_freed)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string ("video/x-vp8");
  guint n_freed = 0;

  payloading = rtsp_sink_payloader_new (rtsp_sink_video_codecs_make_payloader
      (rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_VP8), NULL),
      FALSE, NULL);
  rtsp_sink_payloader_set_caps (payloading, caps);
  /* the second has a version that there is not */
  for (guint i = 0; i < 2; i++) {
    GstBuffer *unit = make_vp8 (i == 0 ? 0x10 : 0xfe);
    GstBufferList *packets;

    gst_mini_object_weak_ref (GST_MINI_OBJECT (unit), note_freed, &n_freed);
    packets = rtsp_sink_payloader_push (payloading, unit);
    fail_unless ((packets != NULL) == (i == 0));
    g_clear_pointer (&packets, gst_buffer_list_unref);
    fail_unless_equals_int (n_freed, i + 1);
  }
}

GST_END_TEST;

static Suite *
payloading_suite (void)
{
  Suite *suite = suite_create ("payloading");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, NULL, teardown);
  tcase_add_test (chain,
      test_payloading_raw_frame_is_complete_when_push_returns);
  tcase_add_test (chain, test_payloading_rtp_times_follow_the_time_stamps);
  tcase_add_test (chain, test_payloading_numbers_go_on_from_unit_to_unit);
  tcase_add_test (chain, test_payloading_caps_are_known_after_the_first_unit);
  tcase_add_test (chain, test_payloading_caps_change_with_the_input);
  tcase_add_test (chain, test_payloading_unit_of_another_codec_is_refused);
  tcase_add_test (chain,
      test_payloading_h264_unit_is_complete_when_push_returns);
  tcase_add_loop_test (chain, test_payloading_any_number_of_slices_is_sent, 0,
      G_N_ELEMENTS (sliced));
  tcase_add_test (chain, test_payloading_vp8_that_is_refused_is_freed);

  return suite;
}

CHECK_SUITE (payloading);
