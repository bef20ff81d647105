/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Packets that are too short for what they say to be. */

#include <gst/check/gstcheck.h>
#include <gst/rtp/gstrtpbuffer.h>

#include "checksuite.h"
#include "codec/rtpcheck.h"

static const struct
{
  GstRtspServerSinkCodec codec;
  guint8 header;
  guint least;                  /* bytes of payload */
} packets[] = {
  {GST_RTSP_SERVER_SINK_CODEC_H264, 0x65, 1},   /* an IDR slice */
  {GST_RTSP_SERVER_SINK_CODEC_H264, 0x78, 4},   /* STAP-A */
  {GST_RTSP_SERVER_SINK_CODEC_H264, 0x79, 6},   /* STAP-B */
  {GST_RTSP_SERVER_SINK_CODEC_H264, 0x7c, 3},   /* FU-A */
  {GST_RTSP_SERVER_SINK_CODEC_H264, 0x7d, 3},   /* FU-B */
  {GST_RTSP_SERVER_SINK_CODEC_H265, 0x26, 3},   /* an IDR slice */
  {GST_RTSP_SERVER_SINK_CODEC_H265, 0x60, 5},   /* AP */
  {GST_RTSP_SERVER_SINK_CODEC_H265, 0x62, 4},   /* FU */
  {GST_RTSP_SERVER_SINK_CODEC_VP8, 0x90, 0},
};

static gboolean
is_whole (GstRtspServerSinkCodec codec, guint8 header, guint length)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (length, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean whole;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  if (length > 0)
    *(guint8 *) gst_rtp_buffer_get_payload (&rtp) = header;
  gst_rtp_buffer_unmap (&rtp);
  whole =
      rtsp_sink_rtp_check_has_min_payload (rtsp_sink_video_codecs_find (codec),
      packet);
  gst_buffer_unref (packet);
  return whole;
}

GST_START_TEST (test_packet_is_whole_from_its_least_length_on)
{
  for (guint length = 0; length < 10; length++)
    fail_unless_equals_int (is_whole (packets[__i__].codec,
            packets[__i__].header, length), length >= packets[__i__].least);
}

GST_END_TEST;

/* The depayloader says what it has to say of it. */
GST_START_TEST (test_what_is_no_rtp_is_not_judged)
{
  GstBuffer *packet = gst_buffer_new_allocate (NULL, 5, NULL);

  gst_buffer_memset (packet, 0, 0, 5);
  fail_unless (rtsp_sink_rtp_check_has_min_payload (rtsp_sink_video_codecs_find
          (GST_RTSP_SERVER_SINK_CODEC_H264), packet));
  gst_buffer_unref (packet);
}

GST_END_TEST;

static const struct
{
  const gchar *payload;
  guint size;
  gboolean has;
} parted[] = {
  {"\x67\x42\x00\x00\x01\x68", 6, TRUE},
  {"\x67\x00\x00\x00\x01\x68", 6, TRUE},
  {"\x65\x00\x00\x03\x01\x68", 6, FALSE},
  {"\x78\x00\x01\x09\x00\x01\x65", 7, FALSE},   /* STAP-A */
  {"\x79\x00\x00\x01\x09\x65", 6, FALSE},       /* STAP-B */
  {"\x65\x00\x01", 3, FALSE},
  {"", 0, FALSE},
};

GST_START_TEST (test_start_codes_are_found)
{
  g_autoptr (GstBuffer) packet = gst_rtp_buffer_new_allocate
      (parted[__i__].size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  if (parted[__i__].size > 0)
    memcpy (gst_rtp_buffer_get_payload (&rtp), parted[__i__].payload,
        parted[__i__].size);
  gst_rtp_buffer_unmap (&rtp);
  fail_unless_equals_int (rtsp_sink_rtp_check_has_start_code (packet),
      parted[__i__].has);
}

GST_END_TEST;

static Suite *
packing_suite (void)
{
  Suite *suite = suite_create ("packing");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_loop_test (tests, test_packet_is_whole_from_its_least_length_on, 0,
      G_N_ELEMENTS (packets));
  tcase_add_test (tests, test_what_is_no_rtp_is_not_judged);
  tcase_add_loop_test (tests, test_start_codes_are_found, 0,
      G_N_ELEMENTS (parted));
  return suite;
}

CHECK_SUITE (packing);
