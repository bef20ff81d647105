/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Raw frames are not copied on their way to an encoder that takes their format. */

#include "sinktest.h"

#include <gst/video/video.h>

static SinkTest *test;
static GstMemory *seen;         /* of the newest frame at the encoder; atomic */

static void
setup (void)
{
  seen = NULL;
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

/* Encoder's thread. */
static GstPadProbeReturn
look (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_atomic_pointer_set (&seen, gst_buffer_peek_memory
      (GST_PAD_PROBE_INFO_BUFFER (info), 0));
  return GST_PAD_PROBE_OK;
}

static gboolean
has_come (gpointer user_data)
{
  return g_atomic_pointer_get (&seen) != NULL;
}

static void
watch_encoder (GstElement * element, GstElement * encoder, gpointer user_data)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, look, NULL, NULL);
}

/* A pad that feeds the element. */
static GstPad *
link_pad (const gchar * description)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (sink_test_element (test,
          NULL), "sink");
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);
  GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_set_active (src, TRUE);
  gst_pad_link (src, sink);
  gst_pad_push_event (src, gst_event_new_stream_start ("test"));
  gst_pad_push_event (src, gst_event_new_caps (caps));
  gst_pad_push_event (src, gst_event_new_segment (&segment));
  return src;
}

static const struct
{
  const gchar *encoder;
  const gchar *format;
  gint width;
  gint height;
} cases[] = {
  {"x264enc", "I420", 64, 48},
  {"x264enc", "NV12", 64, 48},
  {"x264enc", "YV12", 64, 48},
  /* a row and a column are taken off */
  {"x264enc", "I420", 65, 49},
  {"vp8enc", "I420", 64, 48},
  {"x265enc tune=zerolatency", "I420", 64, 64},
};

GST_START_TEST (test_frame_reaches_the_encoder_in_the_memory_it_came_in)
{
  g_autofree gchar *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,"
      "height=%d,framerate=25/1,colorimetry=bt601", cases[__i__].format,
      cases[__i__].width, cases[__i__].height);
  g_autofree gchar *launch = g_strdup_printf ("rtspserversink encoder=\"%s\"",
      cases[__i__].encoder);
  GstMemory *memory;
  GstBuffer *frame;
  GstVideoInfo info;
  GstPad *pad;

  test = sink_test_new (launch);
  g_signal_connect (sink_test_element (test, NULL), "encoder-setup",
      G_CALLBACK (watch_encoder), NULL);
  sink_test_try_state (test, GST_STATE_PLAYING);
  pad = link_pad (caps);
  gst_video_info_set_format (&info, gst_video_format_from_string (cases
          [__i__].format), cases[__i__].width, cases[__i__].height);
  frame = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
  gst_buffer_memset (frame, 0, 0x80, -1);
  /* held, so that no other memory gets its address */
  memory = gst_memory_ref (gst_buffer_peek_memory (frame, 0));
  fail_unless_equals_int (gst_pad_push (pad, frame), GST_FLOW_OK);
  sink_test_wait_until (has_come, NULL, SINK_TEST_TIMEOUT, "a frame");
  fail_unless (g_atomic_pointer_get (&seen) == memory);

  gst_memory_unref (memory);
  g_clear_pointer (&test, sink_test_free);
  gst_pad_set_active (pad, FALSE);
  gst_object_unref (pad);
}

END_TEST;

static Suite *
memory_suite (void)
{
  Suite *suite = suite_create ("memory");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests,
      test_frame_reaches_the_encoder_in_the_memory_it_came_in, 0,
      G_N_ELEMENTS (cases));
  return suite;
}

CHECK_SUITE (memory);
