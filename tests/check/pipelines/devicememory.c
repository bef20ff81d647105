/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Frames in a device's memory, that nothing but the encoder can touch: they go to
 * it as they are, or the error names what to put before the element. */

#include "sinktest.h"

#include <gst/video/video.h>

#include "deviceencoder.h"

#define ENCODER "vatesth264enc"
#define DEVICE_ONLY "nvmmtestenc"
#define VA "video/x-raw(memory:VAMemory)"
#define SIZE ",width=64,height=48"
#define RATE ",framerate=25/1"
#define FRAME_SIZE (64 * 48 * 3 / 2)

static SinkTest *test;
static GstPad *pad;             /* that feeds the element */
static GstBuffer *seen;         /* the newest at the encoder; atomic */

static void
setup (void)
{
  device_encoder_register (ENCODER, 0, VA ", format={ P010_10LE, NV12 }; "
      "video/x-raw(memory:DMABuf), format=NV12; "
      "video/x-raw(memory:GLMemory), format={ RGBA, I420 }; "
      "video/x-raw(memory:CUDAMemory), format=NV12; "
      "video/x-raw(memory:VASurface), format=NV12; "
      "video/x-raw(memory:Other), format=NV12; "
      "video/x-raw, format={ I420, NV12 }");
  device_encoder_register (DEVICE_ONLY, 0,
      "video/x-raw(memory:NVMM), format={ NV12, I420 }");
  seen = NULL;
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  if (pad != NULL)
    gst_pad_set_active (pad, FALSE);
  g_clear_object (&pad);
  g_clear_pointer (&seen, gst_buffer_unref);
}

/* --- feeding --- */

/* Encoder's thread. */
static GstPadProbeReturn
look (GstPad * sink, GstPadProbeInfo * info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info));
  GstBuffer *last = g_atomic_pointer_exchange (&seen, buffer);

  if (last != NULL)
    gst_buffer_unref (last);
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
  g_autoptr (GstPad) sink = gst_element_get_static_pad (encoder, "sink");

  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_BUFFER, look, NULL, NULL);
}

static void
start (const gchar * properties)
{
  g_autofree gchar *launch = g_strdup_printf ("rtspserversink %s", properties);
  g_autoptr (GstPad) sink = NULL;

  test = sink_test_new (launch);
  g_signal_connect (sink_test_element (test, NULL), "encoder-setup",
      G_CALLBACK (watch_encoder), NULL);
  pad = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_active (pad, TRUE);
  sink = gst_element_get_static_pad (sink_test_element (test, NULL), "sink");
  gst_pad_link (pad, sink);
  sink_test_try_state (test, GST_STATE_PLAYING);
}

static void
push_caps (const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start ("test"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static GstBuffer *
new_frame (void)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, FRAME_SIZE, NULL);

  gst_buffer_memset (frame, 0, 0x80, -1);
  return frame;
}

static GstBuffer *
wait_seen (void)
{
  sink_test_wait_until (has_come, NULL, SINK_TEST_TIMEOUT, "a frame");
  return g_atomic_pointer_get (&seen);
}

/* --- what is taken --- */

static const struct
{
  const gchar *encoder;
  const gchar *caps;
} taken[] = {
  {ENCODER, VA ",format=NV12"},
  {ENCODER, VA ",format=NV12,colorimetry=bt709"},
  {ENCODER, "video/x-raw(memory:DMABuf),format=NV12"},
  {ENCODER, "video/x-raw(memory:GLMemory),format=I420"},
  {ENCODER, "video/x-raw(memory:CUDAMemory),format=NV12"},
  {ENCODER, "video/x-raw(memory:VASurface),format=NV12"},
  {ENCODER, "video/x-raw(memory:Other),format=NV12"},
  {DEVICE_ONLY, "video/x-raw(memory:NVMM),format=NV12"},
  {"queue ! " ENCODER, VA ",format=NV12"},
};

/* Neither is it copied, nor has it another face. */
GST_START_TEST (test_device_frame_reaches_the_encoder_untouched)
{
  g_autofree gchar *properties = g_strdup_printf ("encoder=\"%s\"",
      taken[__i__].encoder);
  g_autofree gchar *caps = g_strconcat (taken[__i__].caps, SIZE RATE, NULL);
  GstBuffer *frame = device_frame_new (new_frame ());
  /* Held, so that no other memory gets its address. */
  GstMemory *memory = gst_memory_ref (gst_buffer_peek_memory (frame, 0));

  start (properties);
  push_caps (caps);
  fail_unless_equals_int (gst_pad_push (pad, frame), GST_FLOW_OK);
  fail_unless (wait_seen () == frame);
  fail_unless (gst_buffer_peek_memory (seen, 0) == memory);
  gst_memory_unref (memory);
}

END_TEST;

/* A feed that is alive: its frames are in a device's memory, or not, by the
 * atomic flag. */
static GstPadProbeReturn
move_frames (GstPad * src, GstPadProbeInfo * info, gpointer user_data)
{
  gboolean device = g_atomic_int_get ((gint *) user_data);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (src);
  g_autoptr (GstCaps) wanted = gst_caps_from_string (device ? VA
      ",format=NV12" SIZE RATE : "video/x-raw,format=NV12" SIZE RATE);

  if (!gst_caps_is_equal (caps, wanted))
    gst_pad_push_event (src, gst_event_new_caps (wanted));
  if (device)
    GST_PAD_PROBE_INFO_DATA (info) = device_frame_new
        (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

static void
start_feed (const gchar * properties, gint * device)
{
  g_autofree gchar *launch = g_strdup_printf ("videotestsrc is-live=true ! "
      "video/x-raw,format=NV12" SIZE RATE " ! queue name=feed ! "
      "rtspserversink %s", properties);
  g_autoptr (GstPad) src = NULL;

  test = sink_test_new (launch);
  src = gst_element_get_static_pad (sink_test_element (test, "feed"), "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, move_frames, device, NULL);
  sink_test_play (test);
}

GST_START_TEST (test_device_memory_is_served_and_may_come_and_go)
{
  RtspViewerTransport transport = __i__ ? RTSP_VIEWER_UDP : RTSP_VIEWER_TCP;
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  gint device = 0;

  start_feed ("encoder=" ENCODER, &device);
  viewer = sink_test_start_viewer (test, NULL, transport);
  record = rtsp_viewer_record (viewer);
  for (guint i = 1; i <= 4; i++) {
    sink_test_receive (viewer, i * 10);
    g_atomic_int_set (&device, i % 2);
  }
  sink_test_receive (viewer, 50);
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  fail_if (rtsp_viewer_is_closed (viewer));
}

END_TEST;

/* It is the first choice if it is hardware, for both memories. */
GST_START_TEST (test_device_memory_is_taken_by_the_encoder_that_is_chosen)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *name = NULL;
  gint device = 1;

  device_encoder_register ("vachosenh264enc", GST_RANK_PRIMARY * 4, VA
      ", format=NV12; video/x-raw, format={ I420, NV12 }");
  start_feed ("", &device);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 10);
  g_object_get (sink_test_element (test, NULL), "active-encoder", &name, NULL);
  fail_unless_equals_string (name, "vachosenh264enc");
  g_clear_pointer (&test, sink_test_free);
  gst_registry_remove_feature (gst_registry_get (), GST_PLUGIN_FEATURE
      (gst_element_factory_find ("vachosenh264enc")));
}

END_TEST;

/* Frames are left out, but not changed. */
GST_START_TEST (test_device_memory_may_be_served_at_a_lower_rate)
{
  g_autoptr (RtspViewer) viewer = NULL;
  RtspRecord *record;
  gint device = 1;

  start_feed ("encoder=" ENCODER " output-caps=video/x-raw,framerate=5/1",
      &device);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 5);
  record = rtsp_viewer_record (viewer);
  for (guint i = 2; i < rtsp_record_count (record); i++)
    fail_unless (rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time > 90000 / 10);
}

END_TEST;

/* --- questions --- */

static gboolean
offers (const gchar * description)
{
  g_autoptr (GstCaps) filter = gst_caps_from_string (description);
  g_autoptr (GstCaps) answer = gst_pad_peer_query_caps (pad, filter);

  return !gst_caps_is_empty (answer);
}

GST_START_TEST (test_caps_are_what_the_encoder_takes)
{
  start ("encoder=" ENCODER);
  fail_unless (offers (VA ",format=NV12"));
  fail_unless (offers ("video/x-raw(memory:GLMemory),format=I420"));
  fail_unless (offers ("video/x-raw,format=BGR"));
  fail_unless (offers ("video/x-h265"));
  /* not 4:2:0 with 8 bit */
  fail_if (offers (VA ",format=P010_10LE"));
  fail_if (offers ("video/x-raw(memory:GLMemory),format=RGBA"));
  fail_if (offers ("video/x-raw(memory:NVMM),format=NV12"));
}

END_TEST;

GST_START_TEST (test_caps_of_an_encoder_for_one_memory_are_that)
{
  start ("encoder=" DEVICE_ONLY);
  fail_unless (offers ("video/x-raw(memory:NVMM),format=NV12"));
  fail_unless (offers ("video/x-h264"));
  fail_if (offers ("video/x-raw,format=NV12"));
  fail_if (offers (VA ",format=NV12"));
}

END_TEST;

GST_START_TEST (test_caps_without_such_an_encoder_are_the_machines_memory)
{
  static const gchar *const properties[] = { "", "codec=raw",
    "encoder=x264enc"
  };

  start (properties[__i__]);
  fail_unless (offers ("video/x-raw,format=NV12"));
  fail_if (offers (VA));
  fail_if (offers ("video/x-raw(memory:DMABuf)"));
}

END_TEST;

/* Nobody knows yet. */
GST_START_TEST (test_caps_before_there_is_an_encoder_are_all)
{
  start ("encoder=" ENCODER);
  sink_test_try_state (test, GST_STATE_NULL);
  fail_unless (offers (VA ",format=NV12"));
  fail_unless (offers ("video/x-raw(memory:NVMM),format=RGBA"));
}

END_TEST;

static gboolean
is_accepted (const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  return gst_pad_peer_query_accept_caps (pad, caps);
}

/* textoverlay leaves its text for who draws it if that is accepted. */
GST_START_TEST (test_caps_with_a_promise_that_nobody_keeps_are_not_accepted)
{
  start ("encoder=" ENCODER);
  fail_unless (is_accepted ("video/x-raw,format=NV12" SIZE RATE));
  fail_unless (is_accepted (VA ",format=NV12" SIZE RATE));
  fail_if (is_accepted ("video/x-raw(memory:SystemMemory, "
          "meta:GstVideoOverlayComposition),format=NV12" SIZE RATE));
  fail_if (is_accepted ("video/x-raw(memory:VAMemory, "
          "meta:GstVideoOverlayComposition),format=NV12" SIZE RATE));
  fail_if (is_accepted ("video/x-raw(format:Interlaced),format=NV12,"
          "interlace-mode=alternate" SIZE RATE));
}

END_TEST;

/* The encoder's pool is what the source is to fill. */
GST_START_TEST (test_allocation_is_asked_from_the_encoder)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (VA ",format=NV12" SIZE RATE);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  guint min;

  start ("encoder=" ENCODER);
  push_caps (VA ",format=NV12" SIZE RATE);
  fail_unless (gst_pad_peer_query (pad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min, NULL);
  fail_unless_equals_int (min, DEVICE_ENCODER_MIN_BUFFERS);
}

END_TEST;

/* --- errors --- */

static const struct
{
  const gchar *properties;
  const gchar *caps;            /* that come */
  const gchar *words[4];
} refused[] = {
  {"encoder=" ENCODER, VA ",format=NV12,width=65,height=48" RATE,
      {"size", "4:2:0", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER, VA ",format=NV12,width=64,height=49" RATE,
      {"size", "4:2:0", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER, VA ",format=P010_10LE" SIZE RATE,
      {"format", "8 bit", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER, "video/x-raw(memory:GLMemory),format=RGBA" SIZE RATE,
      {"format", "4:2:0", "gldownload ! video/x-raw"}},
  {"encoder=" ENCODER, VA ",format=NV12,interlace-mode=interleaved" SIZE RATE,
      {"interlaced", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER, VA ",format=NV12,colorimetry=1:4:0:0" SIZE RATE,
      {"range", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER " output-caps=video/x-raw,width=32", VA ",format=NV12"
        SIZE RATE, {"output-caps", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER, "video/x-raw(memory:NVMM),format=NV12" SIZE RATE,
      {"memory:NVMM", ENCODER " takes none", "nvvidconv ! video/x-raw"}},
  {"encoder=" ENCODER, "video/x-raw(memory:Another),format=NV12" SIZE RATE,
      {"memory:Another", "downloads"}},
  {"encoder=x264enc", "video/x-raw(memory:DMABuf),format=NV12" SIZE RATE,
      {"memory:DMABuf", "x264enc takes none", "vapostproc ! video/x-raw"}},
  {"codec=raw", "video/x-raw(memory:CUDAMemory),format=NV12" SIZE RATE,
      {"codec=raw takes none", "cudadownload ! video/x-raw"}},
  {"encoder=" DEVICE_ONLY, "video/x-raw(memory:NVMM),format=NV12,width=63,"
        "height=48" RATE, {"size", "nvvidconv ! video/x-raw"}},
};

static void
expect_words (const gchar * const *words, gint64 timeout)
{
  g_autoptr (GstMessage) message = sink_test_wait_message (test,
      GST_MESSAGE_ERROR, timeout);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL, "no error");
  gst_message_parse_error (message, &error, NULL);
  for (guint i = 0; i < 4 && words[i] != NULL; i++)
    fail_unless (strstr (error->message, words[i]) != NULL, "no '%s' in: %s",
        words[i], error->message);
}

/* Once, when the caps come; that no second one is there sink_test_free() sees
 * to. */
GST_START_TEST (test_device_memory_that_does_not_fit_is_one_error_with_cure)
{
  GstFlowReturn ret = GST_FLOW_OK;

  start (refused[__i__].properties);
  push_caps (refused[__i__].caps);
  expect_words (refused[__i__].words, SINK_TEST_TIMEOUT);
  for (guint i = 0; i < 3 && ret == GST_FLOW_OK; i++)
    ret = gst_pad_push (pad, device_frame_new (new_frame ()));
}

END_TEST;

/* The chain of before is still there. */
GST_START_TEST (test_device_memory_that_fits_again_is_served)
{
  static const gchar *const words[] = { "memory:NVMM", NULL };
  GstBuffer *frame = device_frame_new (new_frame ());

  start ("encoder=" ENCODER);
  push_caps (VA ",format=NV12" SIZE RATE);
  push_caps ("video/x-raw(memory:NVMM),format=NV12" SIZE RATE);
  expect_words (words, SINK_TEST_TIMEOUT);
  push_caps (VA ",format=NV12" SIZE RATE);
  fail_unless_equals_int (gst_pad_push (pad, frame), GST_FLOW_OK);
  fail_unless (wait_seen () == frame);
}

END_TEST;

static const struct
{
  const gchar *properties;
  const gchar *source;          /* its caps */
  const gchar *words[4];
} hopeless[] = {
  {"", "video/x-raw(memory:GLMemory)", {"memory:GLMemory", "takes none",
          "gldownload ! video/x-raw"}},
  {"codec=raw", VA, {"codec=raw takes none", "vapostproc ! video/x-raw"}},
  {"encoder=" ENCODER, VA ",format=P010_10LE", {"4:2:0, 8 bit",
          "vapostproc ! video/x-raw"}},
  {"encoder=" DEVICE_ONLY, "video/x-raw,format=I420", {DEVICE_ONLY,
          "memory:NVMM only", "nvvidconv"}},
};

/* Before the pipeline runs. */
GST_START_TEST (test_source_that_cannot_fit_is_an_error_at_start)
{
  g_autofree gchar *launch = g_strdup_printf ("appsrc ! %s ! "
      "rtspserversink %s", hopeless[__i__].source,
      hopeless[__i__].properties);

  test = sink_test_new (launch);
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  expect_words (hopeless[__i__].words, 0);
}

END_TEST;

static Suite *
devicememory_suite (void)
{
  Suite *suite = suite_create ("devicememory");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_device_frame_reaches_the_encoder_untouched,
      0, G_N_ELEMENTS (taken));
  tcase_add_loop_test (tests, test_device_memory_is_served_and_may_come_and_go,
      0, 2);
  tcase_add_test (tests,
      test_device_memory_is_taken_by_the_encoder_that_is_chosen);
  tcase_add_test (tests, test_device_memory_may_be_served_at_a_lower_rate);
  tcase_add_test (tests, test_caps_are_what_the_encoder_takes);
  tcase_add_test (tests, test_caps_of_an_encoder_for_one_memory_are_that);
  tcase_add_loop_test (tests,
      test_caps_without_such_an_encoder_are_the_machines_memory, 0, 3);
  tcase_add_test (tests, test_caps_before_there_is_an_encoder_are_all);
  tcase_add_test (tests,
      test_caps_with_a_promise_that_nobody_keeps_are_not_accepted);
  tcase_add_test (tests, test_allocation_is_asked_from_the_encoder);
  tcase_add_loop_test (tests,
      test_device_memory_that_does_not_fit_is_one_error_with_cure, 0,
      G_N_ELEMENTS (refused));
  tcase_add_test (tests, test_device_memory_that_fits_again_is_served);
  tcase_add_loop_test (tests, test_source_that_cannot_fit_is_an_error_at_start,
      0, G_N_ELEMENTS (hopeless));
  return suite;
}

CHECK_SUITE (devicememory);
