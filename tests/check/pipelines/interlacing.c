/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Interlaced video: viewers are told which field is first, or get frames without
 * a comb. Reported: interlaced input is encoded with artefacts. */

#include "servedtest.h"

#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#define SOURCE "videotestsrc is-live=true pattern=ball ! " \
    "video/x-raw,format=I420,framerate=50/1"
#define N_UNITS 6

/* What a decoder says of a picture. */
typedef enum
{
  PROGRESSIVE,
  TOP_FIRST,
  BOTTOM_FIRST,
} Order;

static const gchar *const order_names[] = { "progressive", "top field first",
  "bottom field first"
};

/* As a source marks its frames. */
static GstPadProbeReturn
mark_frame (GstPad * pad, GstPadProbeInfo * info, gpointer flags)
{
  GstBuffer *frame = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER
      (info));

  GST_BUFFER_FLAG_SET (frame, GPOINTER_TO_UINT (flags));
  GST_PAD_PROBE_INFO_DATA (info) = frame;
  return GST_PAD_PROBE_OK;
}

static void
mark_frames (guint flags)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink_test_element (test,
          "feed"), "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, mark_frame,
      GUINT_TO_POINTER (flags), NULL);
}

static RtspViewer *
watch (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  assert_viewer (rtsp_viewer_receive_units (viewer, N_UNITS,
          SINK_TEST_TIMEOUT, &error), error);
  return viewer;
}

/* The first picture that comes out: a decoder may keep a few back. Transfer
 * full. */
static GstSample *
first_picture (RtspViewer * viewer)
{
  PictureDecoder *decoder = picture_decoder_new (rtsp_viewer_sdp (viewer),
      "I420");
  GstSample *sample = NULL;

  for (guint i = 0; i < N_UNITS && sample == NULL; i++) {
    gint64 timeout = i == N_UNITS - 1 ? SINK_TEST_TIMEOUT : 100 * 1000;

    sample = picture_decoder_decode (decoder, rtsp_record_unit
        (rtsp_viewer_record (viewer), i), timeout);
  }
  picture_decoder_free (decoder);
  fail_unless (sample != NULL, "no picture");
  return sample;
}

static Order
order_of (GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (sample)));
  if (!GST_VIDEO_INFO_IS_INTERLACED (&info)
      || (GST_VIDEO_INFO_INTERLACE_MODE (&info) ==
          GST_VIDEO_INTERLACE_MODE_MIXED
          && !GST_BUFFER_FLAG_IS_SET (buffer,
              GST_VIDEO_BUFFER_FLAG_INTERLACED)))
    return PROGRESSIVE;
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_TFF) ?
      TOP_FIRST : BOTTOM_FIRST;
}

static const struct
{
  const gchar *caps;
  guint flags;                  /* of each frame, besides */
  const gchar *options;
  Order order;
} kinds[] = {
  {"interlace-mode=interleaved,field-order=top-field-first", 0, "", TOP_FIRST},
  {"interlace-mode=interleaved,field-order=bottom-field-first", 0, "",
      BOTTOM_FIRST},
  /* v4l2src */
  {"interlace-mode=interleaved", GST_VIDEO_BUFFER_FLAG_INTERLACED
        | GST_VIDEO_BUFFER_FLAG_TFF, "", TOP_FIRST},
  {"interlace-mode=interleaved", GST_VIDEO_BUFFER_FLAG_TFF, "", TOP_FIRST},
  {"interlace-mode=interleaved", GST_VIDEO_BUFFER_FLAG_INTERLACED, "",
      BOTTOM_FIRST},
  {"interlace-mode=interleaved", 0, "", BOTTOM_FIRST},
  /* decoders */
  {"interlace-mode=mixed", GST_VIDEO_BUFFER_FLAG_INTERLACED
        | GST_VIDEO_BUFFER_FLAG_TFF, "", TOP_FIRST},
  {"interlace-mode=mixed", 0, "", PROGRESSIVE},
  {"interlace-mode=interleaved,field-order=top-field-first", 0,
      "encoder=openh264enc", PROGRESSIVE},
  {"interlace-mode=interleaved", GST_VIDEO_BUFFER_FLAG_TFF, "codec=vp8",
      PROGRESSIVE},
};

/* A height of which no two fields can be halved loses rows, not the order. */
static const gint heights[] = { 96, 98, 97 };

static void
start (guint kind, gint height)
{
  g_autofree gchar *line = g_strdup_printf (SOURCE ",width=64,height=%d ! "
      "capssetter caps=video/x-raw,%s ! identity name=feed ! rtspserversink %s",
      height, kinds[kind].caps, kinds[kind].options);

  test = sink_test_new (line);
  if (kinds[kind].flags != 0)
    mark_frames (kinds[kind].flags);
  sink_test_play (test);
}

GST_START_TEST (test_interlaced_video_is_told_to_be_so)
{
  for (gsize i = 0; i < G_N_ELEMENTS (heights); i++) {
    g_autoptr (RtspViewer) viewer = NULL;
    GstSample *picture;

    start (__i__, heights[i]);
    viewer = watch ();
    picture = first_picture (viewer);
    fail_unless (order_of (picture) == kinds[__i__].order,
        "%s, %x %s, height %d: %s", kinds[__i__].caps, kinds[__i__].flags,
        kinds[__i__].options, heights[i], order_names[order_of (picture)]);
    gst_sample_unref (picture);
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

/* Nothing waits for a frame that does not come. */
GST_START_TEST (test_interlaced_video_may_end_before_a_frame)
{
  test = sink_test_new ("appsrc name=feed format=time "
      "caps=video/x-raw,format=I420,width=64,height=96,framerate=25/1,"
      "interlace-mode=interleaved ! rtspserversink");
  gst_app_src_end_of_stream (GST_APP_SRC (sink_test_element (test, "feed")));
  sink_test_try_state (test, GST_STATE_PLAYING);
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

END_TEST;

static Suite *
interlacing_suite (void)
{
  Suite *suite = suite_create ("interlacing");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_loop_test (tests, test_interlaced_video_is_told_to_be_so, 0,
      G_N_ELEMENTS (kinds));
  tcase_add_test (tests, test_interlaced_video_may_end_before_a_frame);
  return suite;
}

CHECK_SUITE (interlacing);
