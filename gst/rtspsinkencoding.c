/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What stands between the raw frame and its access unit, as a bin:
 *
 *   h264: queue ! videoconvert ! capsfilter (4:2:0) ! videobalance (range)
 *         [! deinterlace] ! encoder ! capsfilter (profile) ! h264parse
 *   raw:  queue ! videoconvert ! capsfilter (a format of RFC 4175)
 *
 * and the payloader that fits it. Built on the application's thread at
 * NULL→READY; configured on the encoder's thread, behind the queue, when new
 * input caps come by. There a column or row that fills no group of pixels is
 * taken off, too. No locks. */

#include "rtspsinkencoding.h"

#include "rtspsinkencoders.h"
#include "rtspsinkformats.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_encoding_debug);
#define GST_CAT_DEFAULT rtsp_sink_encoding_debug

/* What bridges a late encoder: two frames of a camera that has few buffers,
 * else a little more, for programs that are held up and then catch up. */
#define SCARCE_FRAMES 2
#define QUEUE_FRAMES 8
#define QUEUE_TIME (200 * GST_MSECOND)

#define MIN_AUTO_BITRATE 400000

#define H264_INPUT "video/x-raw, format = (string) { I420, NV12, YV12 }"

#define RAW_INPUT "video/x-raw, format = (string) " \
    "{ RGB, BGR, RGBA, BGRA, UYVY, I420, AYUV, Y41B, UYVP }"

/* Main is the most that browsers and phones are sure to decode. */
#define H264_OUTPUT \
    "video/x-h264, profile = (string) { main, constrained-baseline, baseline }"
#define H264_OUTPUT_INTERLACED "video/x-h264, profile = (string) main"

struct _RtspSinkEncoding
{
  /* Constant after construction. */
  GstRtspServerSinkCodec codec;
  guint bitrate;
  gboolean own_choice;          /* of the encoder */
  RtspSinkEncodingFuncs funcs;
  gpointer user_data;
  GstElement *bin;
  GstElement *queue;
  GstElement *convert;
  GstElement *format;
  GstElement *range;            /* h264 only, as the next three */
  GstElement *deinterlace;      /* NULL: the encoder takes interlaced video */
  GstElement *encoder;
  GstElement *profile;
  GstElement *parser;

  /* Encoder's thread only. */
  GstVideoInfo input;
  gint right;                   /* columns that are taken off */
  gint bottom;                  /* likewise rows */
  GstCaps *refused;             /* NULL: the input is fine */
  gboolean configuring;
};

static void
init_category (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (rtsp_sink_encoding_debug,
        "rtspserversink-encoding", 0, "rtspserversink: conversion, encoding");
    g_once_init_leave (&done, 1);
  }
}

/* Which of Debian's packages has an element, for the error's cure. */
static const struct
{
  const gchar *factory;
  const gchar *package;
} packages[] = {
  {"queue", "libgstreamer1.0-0"},
  {"capsfilter", "libgstreamer1.0-0"},
  {"videoconvert", "gstreamer1.0-plugins-base"},
  {"videobalance", "gstreamer1.0-plugins-good"},
  {"deinterlace", "gstreamer1.0-plugins-good"},
  {"h264parse", "gstreamer1.0-plugins-bad"},
  {"rtph264pay", "gstreamer1.0-plugins-good"},
  {"rtpvrawpay", "gstreamer1.0-plugins-good"},
};

static const gchar *
package_of (const gchar * factory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (packages); i++) {
    if (g_str_equal (packages[i].factory, factory))
      return packages[i].package;
  }
  g_return_val_if_reached ("gstreamer1.0");
}

static GstElement *
make (const gchar * factory, const gchar * name, GError ** error)
{
  GstElement *element = gst_element_factory_make (factory, name);

  if (element == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "The element %s is missing: install the package %s", factory,
        package_of (factory));
  return element;
}

static GstElement *
add (RtspSinkEncoding * self, const gchar * factory, const gchar * name,
    GError ** error)
{
  GstElement *element = make (factory, name, error);

  if (element != NULL)
    gst_bin_add (GST_BIN (self->bin), element);
  return element;
}

static void
set_caps (GstElement * capsfilter, const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  g_object_set (capsfilter, "caps", caps, NULL);
}

static gboolean
add_raw_part (RtspSinkEncoding * self, GError ** error)
{
  if (!(self->queue = add (self, "queue", "queue", error))
      || !(self->convert = add (self, "videoconvert", "convert", error))
      || !(self->format = add (self, "capsfilter", "format", error)))
    return FALSE;

  g_object_set (self->queue, "max-size-buffers", SCARCE_FRAMES,
      "max-size-bytes", 0, "max-size-time", (guint64) QUEUE_TIME,
      "silent", TRUE, NULL);
  return gst_element_link_many (self->queue, self->convert, self->format, NULL);
}

static gboolean
add_encoder (RtspSinkEncoding * self, const RtspSinkSettings * settings,
    GError ** error)
{
  GstElement *encoder;

  self->own_choice = settings->encoder == NULL;
  if (self->own_choice)
    encoder = rtsp_sink_encoders_choose (rtsp_sink_codecs_find
        (GST_RTSP_SERVER_SINK_CODEC_H264), error);
  else
    encoder = rtsp_sink_encoders_parse (settings->encoder, error);
  if (encoder == NULL)
    return FALSE;

  /* A description may give it the name of one of ours. */
  gst_object_set_name (GST_OBJECT (encoder), "encoder");
  gst_bin_add (GST_BIN (self->bin), encoder);
  self->encoder = encoder;
  gst_object_unref (encoder);
  return TRUE;
}

/* Woven fields that the stream does not tell of would show as a comb. One
 * field makes each frame, so that none waits for the next. */
static gboolean
add_deinterlace (RtspSinkEncoding * self, GError ** error)
{
  if (rtsp_sink_encoders_takes_interlaced (self->encoder))
    return TRUE;

  self->deinterlace = add (self, "deinterlace", "deinterlace", error);
  if (self->deinterlace == NULL)
    return FALSE;
  gst_util_set_object_arg (G_OBJECT (self->deinterlace), "method", "linear");
  gst_util_set_object_arg (G_OBJECT (self->deinterlace), "fields", "top");
  return TRUE;
}

static gboolean
add_h264_part (RtspSinkEncoding * self, const RtspSinkSettings * settings,
    GError ** error)
{
  if (!(self->range = add (self, "videobalance", "range", error))
      || !add_encoder (self, settings, error)
      || !add_deinterlace (self, error)
      || !(self->profile = add (self, "capsfilter", "profile", error))
      || !(self->parser = add (self, "h264parse", "parser", error)))
    return FALSE;

  /* Parameter sets before each key unit come from the parser. The payloader
   * would repeat them before each slice of it, which to a decoder begins the
   * next picture. */
  g_object_set (self->parser, "config-interval", -1, NULL);

  if (gst_element_link_many (self->format, self->range, self->deinterlace ?
          self->deinterlace : self->encoder, NULL)
      && (self->deinterlace == NULL
          || gst_element_link (self->deinterlace, self->encoder))
      && gst_element_link_many (self->encoder, self->profile, self->parser,
          NULL))
    return TRUE;

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "encoder=\"%s\" does not turn raw video into H.264",
      settings->encoder ? settings->encoder : GST_OBJECT_NAME (self->encoder));
  return FALSE;
}

static void
add_ghost_pad (RtspSinkEncoding * self, const gchar * name,
    GstElement * element)
{
  GstPad *target = gst_element_get_static_pad (element, name);

  gst_element_add_pad (self->bin, gst_ghost_pad_new (name, target));
  gst_object_unref (target);
}

/* The bin may live on in its parent. */
void
rtsp_sink_encoding_free (RtspSinkEncoding * self)
{
  if (self == NULL)
    return;
  if (self->bin != NULL && GST_OBJECT_PARENT (self->bin) == NULL)
    gst_element_set_state (self->bin, GST_STATE_NULL);
  gst_clear_object (&self->bin);
  gst_clear_caps (&self->refused);
  g_free (self);
}

/**
 * rtsp_sink_encoding_get_bin:
 *
 * Returns: (transfer none): the bin, with the pads sink and src
 */
GstElement *
rtsp_sink_encoding_get_bin (RtspSinkEncoding * self)
{
  return self->bin;
}

/**
 * rtsp_sink_encoding_make_payloader:
 * @error: says what is missing
 *
 * Returns: (transfer floating) (nullable): a payloader for the bin's output
 */
GstElement *
rtsp_sink_encoding_make_payloader (RtspSinkEncoding * self, GError ** error)
{
  GstElement *payloader;

  if (self->codec == GST_RTSP_SERVER_SINK_CODEC_RAW)
    return make ("rtpvrawpay", "payloader", error);

  payloader = make ("rtph264pay", "payloader", error);
  if (payloader != NULL)
    gst_util_set_object_arg (G_OBJECT (payloader), "aggregate-mode",
        "zero-latency");
  return payloader;
}

/* Takes off what does not fill a group of pixels. */
static gboolean
set_crop (RtspSinkEncoding * self, const GstVideoInfo * info, gint columns,
    gint rows, GError ** error)
{
  gint width = GST_VIDEO_INFO_WIDTH (info);
  gint height = GST_VIDEO_INFO_HEIGHT (info);
  gint right = width % columns, bottom = height % rows;

  if (width < columns || height < rows || right > 1) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "A picture of %dx%d cannot be sent as it is: its width has to be a "
        "multiple of %d, its height of %d", width, height, columns, rows);
    return FALSE;
  }
  self->right = right;
  self->bottom = bottom;
  return TRUE;
}

/* videoconvert (1.22) leaves the samples of grey and full-range YUV as they
 * are when it changes their range alone; this is a look-up table that maps
 * them. Neutral values make it pass frames through. */
static void
set_range (RtspSinkEncoding * self, const GstVideoInfo * info)
{
  if (rtsp_sink_formats_is_full_range (info))
    g_object_set (self->range, "contrast", 219.0 / 255.0,
        "brightness", 16.0 * 219.0 / 255.0 / 255.0,
        "saturation", 224.0 / 255.0, NULL);
  else
    g_object_set (self->range, "contrast", 1.0, "brightness", 0.0,
        "saturation", 1.0, NULL);
}

static guint
auto_bitrate (const GstVideoInfo * info)
{
  guint64 pixels = (guint64) GST_VIDEO_INFO_WIDTH (info)
      * GST_VIDEO_INFO_HEIGHT (info);
  gint fps_n = GST_VIDEO_INFO_FPS_N (info), fps_d = GST_VIDEO_INFO_FPS_D (info);
  guint64 bitrate;

  if (fps_n <= 0 || fps_d <= 0) {
    fps_n = 30;
    fps_d = 1;
  }
  bitrate = gst_util_uint64_scale_int (pixels, fps_n, fps_d) / 10;
  return CLAMP (bitrate, MIN_AUTO_BITRATE, G_MAXINT);
}

/* 4:2:0 halves both sides, and the fields of interlaced video once more. */
static GstCaps *
configure_h264 (RtspSinkEncoding * self, const GstVideoInfo * info,
    GError ** error)
{
  gboolean interlaced = GST_VIDEO_INFO_IS_INTERLACED (info)
      && self->deinterlace == NULL;

  if (!set_crop (self, info, 2, interlaced ? 4 : 2, error))
    return NULL;

  set_range (self, info);
  set_caps (self->profile, interlaced ? H264_OUTPUT_INTERLACED : H264_OUTPUT);

  /* A description is the user's: only what is asked for changes it. */
  if (self->bitrate != 0)
    rtsp_sink_encoders_set_bitrate (self->encoder, self->bitrate);
  else if (self->own_choice)
    rtsp_sink_encoders_set_bitrate (self->encoder, auto_bitrate (info));

  return rtsp_sink_formats_for_encoder (info);
}

static GstCaps *
configure_raw (RtspSinkEncoding * self, const GstVideoInfo * info,
    GError ** error)
{
  GstVideoFormat format = rtsp_sink_formats_for_raw (info, error);

  if (format == GST_VIDEO_FORMAT_UNKNOWN
      || !set_crop (self, info, rtsp_sink_formats_raw_columns (format),
          rtsp_sink_formats_raw_rows (format), error))
    return NULL;

  return gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (format), NULL);
}

/**
 * rtsp_sink_encoding_configure:
 * @caps: what comes next
 * @error: says why it cannot be served, and the cure
 *
 * Encoder's thread.
 */
gboolean
rtsp_sink_encoding_configure (RtspSinkEncoding * self, const GstCaps * caps,
    GError ** error)
{
  g_autoptr (GstCaps) format = NULL;

  if (!gst_video_info_from_caps (&self->input, caps)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The caps are no complete raw video: format, width and height are "
        "needed");
    return FALSE;
  }

  if (self->codec == GST_RTSP_SERVER_SINK_CODEC_RAW)
    format = configure_raw (self, &self->input, error);
  else
    format = configure_h264 (self, &self->input, error);
  if (format == NULL)
    return FALSE;

  GST_DEBUG_OBJECT (self->bin, "converting to %" GST_PTR_FORMAT, format);
  g_object_set (self->format, "caps", format, NULL);
  return TRUE;
}

/* GStreamer sends caps that were dropped again before each buffer: they are an
 * error once. */
static GstPadProbeReturn
handle_caps (RtspSinkEncoding * self, GstPadProbeInfo * info)
{
  g_autoptr (GError) error = NULL;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  gboolean configured;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->refused != NULL && gst_caps_is_equal (self->refused, caps))
    return GST_PAD_PROBE_DROP;

  gst_clear_caps (&self->refused);
  self->configuring = TRUE;
  configured = rtsp_sink_encoding_configure (self, caps, &error);
  self->configuring = FALSE;
  if (!configured) {
    self->refused = gst_caps_ref (caps);
    self->funcs.failed (error, self->user_data);
    return GST_PAD_PROBE_DROP;
  }
  self->funcs.input_changed (self->user_data);

  if (self->right != 0 || self->bottom != 0) {
    g_autoptr (GstCaps) cropped = rtsp_sink_formats_crop_caps (caps,
        self->right, self->bottom);

    GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_caps (cropped);
    gst_event_unref (event);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
handle_buffer (RtspSinkEncoding * self, GstPadProbeInfo * info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (self->refused != NULL) {
    gst_buffer_unref (buffer);
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_NEGOTIATED;
    return GST_PAD_PROBE_HANDLED;
  }

  if (self->right != 0 || self->bottom != 0)
    GST_PAD_PROBE_INFO_DATA (info) = rtsp_sink_formats_crop_buffer
        (&self->input, buffer, self->right, self->bottom);
  return GST_PAD_PROBE_OK;
}

/* Behind the queue, so that frames of the old caps that still wait in it are
 * not treated as if they were of the new ones. */
static GstPadProbeReturn
watch_input (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkEncoding *self = user_data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return handle_buffer (self, info);

  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_CAPS:
      return handle_caps (self, info);
    case GST_EVENT_RECONFIGURE:
      /* Of our own making: the source need not negotiate once more. */
      return self->configuring ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
    default:
      return GST_PAD_PROBE_OK;
  }
}

/**
 * rtsp_sink_encoding_set_queue:
 * @live: a frame that finds the queue full takes the place of the oldest one,
 *   so that a live source never waits; else it waits
 * @scarce: the source has few buffers
 *
 * Upstream thread.
 */
void
rtsp_sink_encoding_set_queue (RtspSinkEncoding * self, gboolean live,
    gboolean scarce)
{
  g_object_set (self->queue, "max-size-buffers",
      live && !scarce ? QUEUE_FRAMES : SCARCE_FRAMES, NULL);
  gst_util_set_object_arg (G_OBJECT (self->queue), "leaky",
      live ? "downstream" : "no");
}

static void
watch_queue (RtspSinkEncoding * self)
{
  GstPad *pad = gst_element_get_static_pad (self->queue, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_BOTH, watch_input, self, NULL);
  gst_object_unref (pad);
}

/**
 * rtsp_sink_encoding_new:
 * @error: says what is missing or wrong, and the cure
 *
 * Returns: (transfer full) (nullable): the bin's owner
 */
RtspSinkEncoding *
rtsp_sink_encoding_new (const RtspSinkSettings * settings,
    const RtspSinkEncodingFuncs * funcs, gpointer user_data, GError ** error)
{
  g_autoptr (RtspSinkEncoding) self = g_new0 (RtspSinkEncoding, 1);

  init_category ();
  self->codec = settings->codec;
  self->bitrate = settings->bitrate;
  self->funcs = *funcs;
  self->user_data = user_data;
  self->bin = gst_object_ref_sink (gst_bin_new ("encoding"));

  if (!add_raw_part (self, error))
    return NULL;
  /* Known before the input is, so that a source that has a choice makes what
   * needs no conversion. */
  set_caps (self->format, self->codec == GST_RTSP_SERVER_SINK_CODEC_H264 ?
      H264_INPUT : RAW_INPUT);
  if (self->codec == GST_RTSP_SERVER_SINK_CODEC_RAW)
    /* The very values that were fed, also of formats with 10 bits. */
    gst_util_set_object_arg (G_OBJECT (self->convert), "dither", "none");
  else if (!add_h264_part (self, settings, error))
    return NULL;

  watch_queue (self);
  add_ghost_pad (self, "sink", self->queue);
  add_ghost_pad (self, "src", self->parser ? self->parser : self->format);

  return g_steal_pointer (&self);
}
