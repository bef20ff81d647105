/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Which way video takes from input to output: as it is, or encoded here. */

#include "sinktest.h"

#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include "codec/videocodecs.h"
#include "video/route.h"
#include "base/missing.h"

#define RAW "video/x-raw, format=I420, width=64, height=48, framerate=25/1"

static RtspSinkSettings settings;
static RtspSinkRoute *encoding;
static RtspSinkRates *rates;
static RtspSinkStats *stats;
static GstHarness *harness;
static gchar *failure;          /* what the encoding told; atomic */
static gint encoded_here;       /* what it told of the input; atomic */
static gboolean keeps_end;      /* the next encoder hands no end on */

static GMutex lock;
static GCond cond;
static gboolean arrived;        /* guarded by lock: a thread is at the gate */
static gboolean open;           /* guarded by lock: it may go on */

static void
setup (void)
{
  rtsp_sink_settings_init (&settings);
  rates = rtsp_sink_rates_new ();
  rtsp_sink_rates_set (rates, settings.bitrate, settings.key_unit_interval);
  stats = rtsp_sink_stats_new ();
  encoded_here = -1;
  arrived = open = keeps_end = FALSE;
}

static void
teardown (void)
{
  g_clear_pointer (&harness, gst_harness_teardown);
  g_clear_pointer (&encoding, rtsp_sink_route_free);
  g_clear_pointer (&rates, rtsp_sink_rates_unref);
  g_clear_pointer (&stats, rtsp_sink_stats_free);
  rtsp_sink_settings_clear (&settings);
  g_clear_pointer (&failure, g_free);
}

static GstPadProbeReturn
keep_end (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS ?
      GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
encoder_made (GstElement * encoder, gpointer user_data)
{
  g_autoptr (GstPad) src = NULL;

  if (!keeps_end)
    return;
  src = gst_element_get_static_pad (encoder, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, keep_end, NULL,
      NULL);
}

static void
input_changed (gboolean encoded, gpointer user_data)
{
  g_atomic_int_set (&encoded_here, encoded);
}

static void
failed (const GError * error, gpointer user_data)
{
  fail_unless (failure == NULL, "told twice");
  g_atomic_pointer_set (&failure, g_strdup (error->message));
}

static const RtspSinkConverterFuncs funcs = {
  encoder_made,
  input_changed,
  failed,
};

static gboolean
try_make (const gchar * expected, GError ** error)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (expected);

  encoding =
      rtsp_sink_route_new (&settings, caps, rates, stats, &funcs, NULL, error);
  return encoding != NULL;
}

static void
start (const gchar * expected)
{
  g_autoptr (GError) error = NULL;

  fail_unless (try_make (expected, &error), "%s", error ? error->message : "");
  harness = gst_harness_new_with_element (rtsp_sink_route_get_bin
      (encoding), "sink", "src");
}

static gboolean
has_answered (gpointer user_data)
{
  return gst_harness_buffers_in_queue (harness) > 0
      || g_atomic_pointer_get (&failure) != NULL;
}

/* A whole access unit, or a raw frame, of those caps. */
static GstBuffer *
make_unit (const gchar * launch)
{
  GstHarness *maker = gst_harness_new_parse (launch);
  g_autoptr (GstCaps) raw = gst_caps_from_string (RAW);
  GstVideoInfo info;
  GstBuffer *frame, *unit;

  gst_video_info_from_caps (&info, raw);
  gst_harness_set_src_caps (maker, gst_caps_ref (raw));
  frame = gst_harness_create_buffer (maker, GST_VIDEO_INFO_SIZE (&info));
  gst_buffer_memset (frame, 0, 0x80, -1);
  GST_BUFFER_PTS (frame) = 0;
  gst_harness_push (maker, frame);
  gst_harness_push_event (maker, gst_event_new_eos ());
  unit = gst_harness_try_pull (maker);
  fail_unless (unit != NULL, "%s", launch);
  gst_harness_set_src_caps (harness, gst_pad_get_current_caps (maker->sinkpad));
  gst_harness_teardown (maker);
  GST_BUFFER_PTS (unit) = 0;
  GST_BUFFER_DTS (unit) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_FLAG_UNSET (unit, GST_BUFFER_FLAG_DISCONT);
  return unit;
}

/* Pushes a unit, and returns of which media type what comes out is; NULL: it was
 * refused. */
static const gchar *
serve (const gchar * launch)
{
  g_autoptr (GstBuffer) output = NULL;
  g_autoptr (GstCaps) caps = NULL;

  gst_harness_push (harness, make_unit (launch));
  sink_test_wait_until (has_answered, NULL, SINK_TEST_TIMEOUT, launch);
  if (gst_harness_buffers_in_queue (harness) == 0)
    return NULL;
  output = gst_harness_try_pull (harness);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  return g_intern_string (gst_structure_get_name (gst_caps_get_structure (caps,
              0)));
}

#define FRAME "identity"
#define H264 "x264enc tune=zerolatency ! h264parse ! " \
    "capsfilter caps=video/x-h264,stream-format=avc,alignment=au"
#define VP8 "vp8enc lag-in-frames=0"
#define JPEG "jpegenc ! jpegparse"
#define JPEG_444 "videoconvert ! capsfilter caps=video/x-raw,format=Y444 " \
    "! jpegenc ! jpegparse"

static const struct
{
  GstRtspServerSinkCodec codec;
  const gchar *input;
  const gchar *output;
  gboolean encoded_here;
} ways[] = {
  {GST_RTSP_SERVER_SINK_CODEC_AUTO, FRAME, "video/x-h264", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_AUTO, H264, "video/x-h264", FALSE},
  {GST_RTSP_SERVER_SINK_CODEC_AUTO, VP8, "video/x-vp8", FALSE},
  {GST_RTSP_SERVER_SINK_CODEC_AUTO, JPEG, "image/jpeg", FALSE},
  /* RTP cannot carry it as it is */
  {GST_RTSP_SERVER_SINK_CODEC_AUTO, JPEG_444, "video/x-h264", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_H264, FRAME, "video/x-h264", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_H264, H264, "video/x-h264", FALSE},
  {GST_RTSP_SERVER_SINK_CODEC_H264, VP8, "video/x-h264", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_H264, JPEG, "video/x-h264", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_VP8, H264, "video/x-vp8", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_JPEG, JPEG, "image/jpeg", FALSE},
  {GST_RTSP_SERVER_SINK_CODEC_RAW, FRAME, "video/x-raw", TRUE},
  {GST_RTSP_SERVER_SINK_CODEC_RAW, H264, "video/x-raw", TRUE},
};

GST_START_TEST (test_encoding_takes_the_way_that_the_codec_asks_for)
{
  settings.codec = ways[__i__].codec;
  start ("ANY");
  fail_unless_equals_string (serve (ways[__i__].input), ways[__i__].output);
  fail_unless_equals_int (g_atomic_int_get (&encoded_here),
      ways[__i__].encoded_here);
}

END_TEST;

GST_START_TEST (test_encoding_input_may_change_its_kind)
{
  static const struct
  {
    const gchar *input;
    const gchar *output;
  } steps[] = {
    {FRAME, "video/x-h264"}, {JPEG, "image/jpeg"}, {FRAME, "video/x-h264"},
    {VP8, "video/x-vp8"}, {H264, "video/x-h264"}, {JPEG_444, "video/x-h264"},
    {JPEG, "image/jpeg"}, {VP8, "video/x-vp8"}, {FRAME, "video/x-h264"},
  };

  start ("ANY");
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++) {
    GST_INFO ("step %" G_GSIZE_FORMAT, i);
    fail_unless_equals_string (serve (steps[i].input), steps[i].output);
    while (gst_harness_buffers_in_queue (harness) > 0)
      gst_buffer_unref (gst_harness_pull (harness));
  }
}

END_TEST;

GST_START_TEST (test_encoding_jpeg_that_rtp_cannot_carry_is_an_error)
{
  settings.codec = GST_RTSP_SERVER_SINK_CODEC_JPEG;
  start ("ANY");
  fail_unless (serve (JPEG_444) == NULL);
  fail_unless (strstr (failure, "YCbCr-4:4:4") != NULL, "%s", failure);
  fail_unless (strstr (failure, "codec=auto") != NULL, "%s", failure);
}

END_TEST;

static gboolean
was_asked (gpointer user_data)
{
  GstEvent *event = gst_harness_try_pull_upstream_event (harness);
  gboolean asked = event != NULL && gst_video_event_is_force_key_unit (event);

  if (event != NULL)
    gst_event_unref (event);
  return asked;
}

static void
push_delta (GstBufferFlags flags)
{
  GstBuffer *unit = make_unit (VP8);

  GST_BUFFER_FLAG_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT | flags);
  gst_harness_push (harness, unit);
}

/* Without its reference it would make wrong pictures; the encoder before us is
 * asked for a key unit. */
GST_START_TEST (test_encoding_decoder_begins_with_a_key_unit)
{
  settings.codec = GST_RTSP_SERVER_SINK_CODEC_RAW;
  start ("ANY");
  push_delta (0);
  sink_test_wait_until (was_asked, NULL, SINK_TEST_TIMEOUT, "a request");
  fail_unless_equals_string (serve (VP8), "video/x-raw");
  fail_unless_equals_int (gst_harness_buffers_received (harness), 1);

  /* after a gap */
  push_delta (GST_BUFFER_FLAG_DISCONT);
  sink_test_wait_until (was_asked, NULL, SINK_TEST_TIMEOUT, "a request");
  push_delta (0);
  fail_unless_equals_string (serve (VP8), "video/x-raw");
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
}

END_TEST;

static GstPadProbeReturn
count_segments (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_SEGMENT)
    g_atomic_int_inc ((gint *) user_data);
  return GST_PAD_PROBE_OK;
}

/* A segment makes a decoder give out what it still has, which is of before the
 * gap; nobody sees that. */
GST_START_TEST (test_encoding_decoder_is_emptied_after_a_gap)
{
  g_autoptr (GstElement) decoder = NULL;
  g_autoptr (GstPad) pad = NULL;
  GstBuffer *unit;
  gint n_segments = 0, n_usual;

  settings.codec = GST_RTSP_SERVER_SINK_CODEC_RAW;
  start ("ANY");
  fail_unless_equals_string (serve (VP8), "video/x-raw");
  decoder = gst_bin_get_by_name (GST_BIN (rtsp_sink_route_get_bin
          (encoding)), "decoder");
  pad = gst_element_get_static_pad (decoder, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, count_segments,
      &n_segments, NULL);
  fail_unless_equals_string (serve (VP8), "video/x-raw");
  /* that which comes with the caps of each unit here */
  n_usual = g_atomic_int_get (&n_segments);

  unit = make_unit (VP8);
  GST_BUFFER_FLAG_SET (unit, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (harness, unit);
  sink_test_wait_until (has_answered, NULL, SINK_TEST_TIMEOUT, "a picture");
  fail_unless_equals_int (g_atomic_int_get (&n_segments), 2 * n_usual + 1);
}

END_TEST;

/* Units go through as they are, not even copied. */
GST_START_TEST (test_encoding_passes_the_very_buffer)
{
  GstBuffer *unit;
  g_autoptr (GstBuffer) output = NULL;

  start ("ANY");
  unit = make_unit (H264);
  gst_harness_push (harness, unit);
  sink_test_wait_until (has_answered, NULL, SINK_TEST_TIMEOUT, "a unit");
  output = gst_harness_pull (harness);
  fail_unless (output == unit);
}

END_TEST;

GST_START_TEST (test_encoding_encoder_is_known_by_name)
{
  g_autofree gchar *before = NULL;
  g_autofree gchar *passing = NULL;

  start (RAW);
  before = rtsp_sink_route_dup_encoder_name (encoding);
  fail_unless_equals_string (before, "x264enc");
  serve (VP8);
  passing = rtsp_sink_route_dup_encoder_name (encoding);
  fail_unless (passing == NULL, "%s", passing);
}

END_TEST;

/* Nothing is opened that will not be needed. */
GST_START_TEST (test_encoding_source_of_encoded_video_needs_no_encoder)
{
  g_autofree gchar *name = NULL;

  start ("video/x-h264");
  name = rtsp_sink_route_dup_encoder_name (encoding);
  fail_unless (name == NULL, "%s", name);
}

END_TEST;

GST_START_TEST (test_encoding_payloader_that_is_missing_is_an_error_at_start)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstElementFactory) found = gst_element_factory_find ("rtpav1pay");

  if (found != NULL)
    gst_registry_remove_feature (gst_registry_get (),
        GST_PLUGIN_FEATURE (found));
  settings.codec = GST_RTSP_SERVER_SINK_CODEC_AV1;
  fail_if (try_make (RAW, &error));
  fail_unless (g_error_matches (error, RTSP_SINK_MISSING_ERROR,
          RTSP_SINK_MISSING_ELEMENT));
  fail_unless (strstr (error->message, "rtpav1pay") != NULL, "%s",
      error->message);
}

END_TEST;

/* --- a decoder that leaves its frames in a device's memory --- */

typedef struct
{
  GstElement parent;
} DeviceDecoder;

typedef struct
{
  GstElementClass parent;
} DeviceDecoderClass;

static GType device_decoder_get_type (void);
G_DEFINE_TYPE (DeviceDecoder, device_decoder, GST_TYPE_ELEMENT);

static void
device_decoder_class_init (DeviceDecoderClass * klass)
{
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/jpeg"));
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC,
      GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(memory:NVMM)"));
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element_class, &sink);
  gst_element_class_add_static_pad_template (element_class, &src);
  gst_element_class_set_static_metadata (element_class, "Device decoder",
      "Codec/Decoder/Video", "Stand-in", "The rtspserversink developers");
}

static void
device_decoder_init (DeviceDecoder * self)
{
  GstElementClass *klass = GST_ELEMENT_GET_CLASS (self);

  gst_element_add_pad (GST_ELEMENT (self), gst_pad_new_from_template
      (gst_element_class_get_pad_template (klass, "sink"), "sink"));
  gst_element_add_pad (GST_ELEMENT (self), gst_pad_new_from_template
      (gst_element_class_get_pad_template (klass, "src"), "src"));
}

/* As on a Jetson. Another one decodes. */
GST_START_TEST (test_encoding_decoder_into_a_device_is_passed_over)
{
  gst_element_register (NULL, "devicedecoder", GST_RANK_PRIMARY + 1000,
      device_decoder_get_type ());
  settings.codec = GST_RTSP_SERVER_SINK_CODEC_H264;
  start ("ANY");
  fail_unless_equals_string (serve (JPEG), "video/x-h264");
}

END_TEST;

/* --- a decoder with a thread of its own --- */

typedef struct
{
  GstBin parent;
} ThreadedDecoder;

typedef struct
{
  GstBinClass parent;
} ThreadedDecoderClass;

static GType threaded_decoder_get_type (void);
G_DEFINE_TYPE (ThreadedDecoder, threaded_decoder, GST_TYPE_BIN);

static void
threaded_decoder_class_init (ThreadedDecoderClass * klass)
{
  static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE ("sink",
      GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/jpeg"));
  static GstStaticPadTemplate src = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC,
      GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element_class, &sink);
  gst_element_class_add_static_pad_template (element_class, &src);
  gst_element_class_set_static_metadata (element_class, "Threaded decoder",
      "Codec/Decoder/Image", "Stand-in", "The rtspserversink developers");
}

static void
add_end (GstElement * bin, const gchar * name, GstElement * element)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (element, name);

  gst_element_add_pad (bin, gst_ghost_pad_new (name, target));
}

static void
threaded_decoder_init (ThreadedDecoder * self)
{
  GstElement *queue = gst_element_factory_make ("queue", NULL);
  GstElement *decoder = gst_element_factory_make ("jpegdec", NULL);

  gst_bin_add_many (GST_BIN (self), queue, decoder, NULL);
  gst_element_link (queue, decoder);
  add_end (GST_ELEMENT (self), "sink", queue);
  add_end (GST_ELEMENT (self), "src", decoder);
}

static gboolean
has_received (gpointer n)
{
  return gst_harness_buffers_received (harness) == GPOINTER_TO_UINT (n);
}

/* Its thread has frames still when raw video comes, and the other way round. */
GST_START_TEST (test_encoding_input_changes_while_a_decoder_works)
{
  guint n = 0;

  gst_element_register (NULL, "threadeddecoder", GST_RANK_PRIMARY + 1000,
      threaded_decoder_get_type ());
  settings.codec = GST_RTSP_SERVER_SINK_CODEC_H264;
  start ("ANY");
  for (guint round = 0; round < 5; round++) {
    for (guint i = 0; i < 8; i++) {
      GstBuffer *unit = make_unit (i < 4 ? JPEG : FRAME);

      GST_BUFFER_PTS (unit) = n++ * 40 * GST_MSECOND;
      gst_harness_push (harness, unit);
    }
  }
  sink_test_wait_until (has_received, GUINT_TO_POINTER (n), SINK_TEST_TIMEOUT,
      "all units");
  fail_unless (g_atomic_pointer_get (&failure) == NULL, "%s", failure);
}

END_TEST;

/* --- the encoder holds frames when other input comes --- */

#define HELD 4

static void
wait_at_gate (void)
{
  g_mutex_lock (&lock);
  arrived = TRUE;
  while (!open)
    g_cond_wait (&cond, &lock);
  g_mutex_unlock (&lock);
}

static gboolean
has_arrived (gpointer user_data)
{
  gboolean has;

  g_mutex_lock (&lock);
  has = arrived;
  g_mutex_unlock (&lock);
  return has;
}

static void
open_gate (void)
{
  g_mutex_lock (&lock);
  open = TRUE;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
}

static GstPadProbeReturn
gate_buffer (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  wait_at_gate ();
  return GST_PAD_PROBE_OK;
}

/* x264enc looks ahead: none comes out before the JPEG does. */
static void
push_frames_and_jpeg (void)
{
  for (guint i = 0; i < HELD; i++) {
    GstBuffer *frame = make_unit (FRAME);

    GST_BUFFER_PTS (frame) = i * 40 * GST_MSECOND;
    gst_harness_push (harness, frame);
  }
  gst_harness_push (harness, make_unit (JPEG));
}

static gboolean
has_all (gpointer user_data)
{
  return gst_harness_buffers_received (harness) > HELD;
}

/* Any thread; what it notes is guarded by lock. */
static GstPadProbeReturn
note (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GString *noted = user_data;
  GstCaps *caps;

  g_mutex_lock (&lock);
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    g_string_append_c (noted, '.');
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_CAPS) {
    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    g_string_append (noted, gst_structure_get_name (gst_caps_get_structure
            (caps, 0)));
  }
  g_mutex_unlock (&lock);
  return GST_PAD_PROBE_OK;
}

static const gchar *const late_encoders[] = {
  "x264enc",
  /* A thread of its own. */
  "x264enc ! queue",
};

/* With their caps, though none of them came before. */
GST_START_TEST (test_encoding_change_brings_out_what_the_encoder_holds)
{
  g_autoptr (GString) noted = g_string_new (NULL);
  g_autofree gchar *came = NULL;

  settings.encoder = g_strdup (late_encoders[__i__]);
  start ("ANY");
  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
      GST_PAD_PROBE_TYPE_BUFFER, note, noted, NULL);
  push_frames_and_jpeg ();
  sink_test_wait_until (has_all, NULL, SINK_TEST_TIMEOUT, "all units");
  g_mutex_lock (&lock);
  came = g_strdup (noted->str);
  g_mutex_unlock (&lock);
  fail_unless_equals_string (came, "video/x-h264....image/jpeg.");
}

END_TEST;

static gboolean
has_warned (gpointer bus)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus,
      GST_MESSAGE_WARNING);

  return message != NULL;
}

GST_START_TEST (test_encoding_change_goes_on_where_an_encoder_keeps_the_end)
{
  g_autoptr (GstBus) bus = gst_bus_new ();

  keeps_end = TRUE;
  start ("ANY");
  gst_element_set_bus (harness->element, bus);
  fail_unless_equals_string (serve (FRAME), "video/x-h264");
  fail_unless_equals_string (serve (JPEG), "image/jpeg");
  sink_test_wait_until (has_warned, bus, SINK_TEST_TIMEOUT, "a warning");
  gst_element_set_bus (harness->element, NULL);
}

END_TEST;

static gpointer
set_state (gpointer state)
{
  gst_element_set_state (harness->element, GPOINTER_TO_INT (state));
  return NULL;
}

static gboolean
has_state (gpointer state)
{
  return GST_STATE (harness->element) == (GstState) GPOINTER_TO_INT (state);
}

/* What comes out waits, as in a sink that is paused. */
GST_START_TEST (test_encoding_state_changes_while_a_change_of_input_waits)
{
  GThread *thread;
  gulong gate;

  settings.encoder = g_strdup (late_encoders[__i__]);
  start ("ANY");
  gate = gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
      gate_buffer, NULL, NULL);
  push_frames_and_jpeg ();
  sink_test_wait_until (has_arrived, NULL, SINK_TEST_TIMEOUT, "a unit");
  thread = g_thread_new ("pause", set_state,
      GINT_TO_POINTER (GST_STATE_PAUSED));
  sink_test_wait_until (has_state, GINT_TO_POINTER (GST_STATE_PAUSED),
      SINK_TEST_TIMEOUT, "PAUSED");
  g_thread_join (thread);
  open_gate ();
  sink_test_wait_until (has_all, NULL, SINK_TEST_TIMEOUT, "all units");
  gst_pad_remove_probe (harness->sinkpad, gate);
}

END_TEST;

/* The thread that takes the chain down, with the chain's state lock. */
static GstBusSyncReply
gate_chain (GstBus * bus, GstMessage * message, gpointer user_data)
{
  GstState to;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_STATE_CHANGED
      && g_str_equal (GST_MESSAGE_SRC_NAME (message), "conversion")) {
    gst_message_parse_state_changed (message, NULL, &to, NULL);
    if (to == GST_STATE_NULL)
      wait_at_gate ();
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static gboolean
is_pausing (gpointer user_data)
{
  return GST_STATE_PENDING (harness->element) == GST_STATE_PAUSED;
}

/* A change of the bin's state that waits for the chain's state lock would bring
 * it back, to be freed in PAUSED. */
GST_START_TEST (test_encoding_chain_that_is_left_stays_in_null)
{
  GstBus *bus = gst_bus_new ();
  GThread *thread;

  start ("ANY");
  fail_unless_equals_string (serve (FRAME), "video/x-h264");
  gst_bus_set_sync_handler (bus, gate_chain, NULL, NULL);
  gst_element_set_bus (harness->element, bus);
  gst_harness_push (harness, make_unit (JPEG));
  sink_test_wait_until (has_arrived, NULL, SINK_TEST_TIMEOUT, "NULL");
  thread = g_thread_new ("pause", set_state,
      GINT_TO_POINTER (GST_STATE_PAUSED));
  sink_test_wait_until (is_pausing, NULL, SINK_TEST_TIMEOUT, "PAUSED");
  open_gate ();
  g_thread_join (thread);
  fail_unless_equals_string (serve (JPEG), "image/jpeg");
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
}

END_TEST;

/* x265enc fails at a flush without caps, also inside a bin. What is behind it is
 * flushed nevertheless: it may be past the end. */
static const struct
{
  const gchar *encoder;
  gboolean ended;
} unused_encoders[] = {
  {"x265enc tune=zerolatency", FALSE},
  {"x265enc tune=zerolatency", TRUE},
  {"queue ! x265enc tune=zerolatency ! queue", FALSE},
  {"queue ! x265enc tune=zerolatency ! queue", TRUE},
  {"x264enc tune=zerolatency", TRUE},
  {"vp8enc lag-in-frames=0", TRUE},
};

static gboolean
has_ended (gpointer user_data)
{
  return GST_PAD_IS_EOS (harness->sinkpad);
}

GST_START_TEST (test_encoding_flush_before_the_first_frame_is_no_error)
{
  GstBus *bus = gst_bus_new ();
  g_autoptr (GstMessage) error = NULL;

  settings.encoder = g_strdup (unused_encoders[__i__].encoder);
  start (RAW);
  gst_element_set_bus (harness->element, bus);
  if (unused_encoders[__i__].ended) {
    gst_harness_push_event (harness, gst_event_new_eos ());
    sink_test_wait_until (has_ended, NULL, SINK_TEST_TIMEOUT, "the end");
  }
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));

  fail_if (GST_PAD_IS_EOS (harness->sinkpad));
  fail_unless (serve (FRAME) != NULL, "%s", failure);
  error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (error == NULL);
  gst_element_set_bus (harness->element, NULL);
  gst_object_unref (bus);
}

END_TEST;

static Suite *
encoding_suite (void)
{
  Suite *suite = suite_create ("encoding");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_loop_test (chain,
      test_encoding_takes_the_way_that_the_codec_asks_for, 0,
      G_N_ELEMENTS (ways));
  tcase_add_test (chain, test_encoding_input_may_change_its_kind);
  tcase_add_test (chain, test_encoding_jpeg_that_rtp_cannot_carry_is_an_error);
  tcase_add_test (chain, test_encoding_decoder_begins_with_a_key_unit);
  tcase_add_test (chain, test_encoding_decoder_is_emptied_after_a_gap);
  tcase_add_test (chain, test_encoding_passes_the_very_buffer);
  tcase_add_test (chain, test_encoding_encoder_is_known_by_name);
  tcase_add_test (chain,
      test_encoding_source_of_encoded_video_needs_no_encoder);
  tcase_add_test (chain,
      test_encoding_payloader_that_is_missing_is_an_error_at_start);
  tcase_add_test (chain, test_encoding_decoder_into_a_device_is_passed_over);
  tcase_add_test (chain, test_encoding_input_changes_while_a_decoder_works);
  tcase_add_loop_test (chain,
      test_encoding_change_brings_out_what_the_encoder_holds, 0,
      G_N_ELEMENTS (late_encoders));
  tcase_add_test (chain,
      test_encoding_change_goes_on_where_an_encoder_keeps_the_end);
  tcase_add_loop_test (chain,
      test_encoding_state_changes_while_a_change_of_input_waits, 0,
      G_N_ELEMENTS (late_encoders));
  tcase_add_loop_test (chain,
      test_encoding_flush_before_the_first_frame_is_no_error, 0,
      G_N_ELEMENTS (unused_encoders));
  /* Who comes first is up to the scheduler. */
  tcase_add_loop_test (chain, test_encoding_chain_that_is_left_stays_in_null,
      0, 5);

  return suite;
}

CHECK_SUITE (encoding);
