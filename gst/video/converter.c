/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What makes raw video, or encoded video that cannot be sent as it is, what
 * viewers get: a chain of elements (video/videochain.h), set for what comes.
 *
 * Built on the application's thread, or on the encoder's if other input comes;
 * configured on the encoder's thread when new caps of raw video come by. There
 * a column or row that fills no group of pixels is taken off, too, and frames
 * that are more than the rate to be served. */

#include "video/converter.h"

#include "base/elements.h"
#include "codec/encoder.h"
#include "codec/encoderinput.h"
#include "codec/formats.h"
#include "codec/memories.h"
#include "video/outputcaps.h"
#include "video/videochain.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_converter_debug);
#define GST_CAT_DEFAULT rtsp_sink_converter_debug

/* After so many units a key unit that is lacking is asked for again. */
#define REQUEST_INTERVAL 25

#define H264_INTERLACED "video/x-h264, profile = (string) main"

struct _RtspSinkConverter
{
  /* Constant after construction. */
  RtspSinkVideoChain chain;
  GstCaps *output;              /* size and rate to make, or NULL */
  RtspSinkRates *rates;
  RtspSinkConverterFuncs funcs;
  gpointer user_data;

  /* Only the thread that raw video comes on: the encoder's, or one of the
   * decoder's. */
  GstVideoInfo input;
  gint right;                   /* columns that are taken off */
  gint bottom;                  /* likewise rows */
  GstVideoInfo served;          /* the input, but for its size and rate */
  RtspSinkOutputCapsRate rate;
  GstCaps *refused;             /* NULL: the input is fine */
  gint told;                    /* the encoder, which version of the rates */

  /* Encoder's thread only. */
  gboolean lacking;             /* the decoder needs a key unit */
  guint n_lacking;              /* units since then */

  gint restarting;              /* atomic: the decoder gives out what is of before */
  gint rate_is_told;            /* atomic: viewers are told the frame rate */
  GThread *configuring;         /* atomic: the one that does, or NULL */
};

/* The chain's bin may live on in its parent. */
void
rtsp_sink_converter_free (RtspSinkConverter * self)
{
  if (self == NULL)
    return;
  rtsp_sink_video_chain_clear (&self->chain);
  gst_clear_caps (&self->refused);
  gst_clear_caps (&self->output);
  rtsp_sink_rates_unref (self->rates);
  g_free (self);
}

/**
 * rtsp_sink_converter_get_bin:
 *
 * Returns: (transfer none): the bin, with the pads sink and src
 */
GstElement *
rtsp_sink_converter_get_bin (RtspSinkConverter * self)
{
  return self->chain.bin;
}

/**
 * rtsp_sink_converter_get_codec:
 *
 * Returns: what comes out
 */
const RtspSinkVideoCodec *
rtsp_sink_converter_get_codec (RtspSinkConverter * self)
{
  return self->chain.codec;
}

/**
 * rtsp_sink_converter_get_encoder:
 *
 * Returns: (transfer none) (nullable): the encoder, or the bin that the user
 *   described; NULL for raw output
 */
GstElement *
rtsp_sink_converter_get_encoder (RtspSinkConverter * self)
{
  return self->chain.encoder;
}

/**
 * rtsp_sink_converter_get_taken:
 *
 * Returns: (transfer none): raw video that the encoder takes; for raw output
 *   all that is in the machine's memory
 */
GstCaps *
rtsp_sink_converter_get_taken (RtspSinkConverter * self)
{
  return self->chain.taken;
}

/**
 * rtsp_sink_converter_is_direct:
 *
 * Returns: whether it is for frames in a device's memory
 */
gboolean
rtsp_sink_converter_is_direct (RtspSinkConverter * self)
{
  return self->chain.direct;
}

/* Takes off what does not fill a group of pixels. */
static gboolean
set_crop (RtspSinkConverter * self, const GstVideoInfo * info, gint columns,
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

/* JPEG has the full range (JFIF), all else the studio range. */
static gboolean
has_full_range (RtspSinkConverter * self)
{
  return self->chain.codec->codec == GST_RTSP_SERVER_SINK_CODEC_JPEG;
}

static void
set_range (RtspSinkConverter * self, const GstVideoInfo * info)
{
  RtspSinkRangeMap map = rtsp_sink_formats_map_range (info,
      has_full_range (self));

  g_object_set (self->chain.range, "contrast", map.contrast, "brightness",
      map.brightness, "saturation", map.saturation, NULL);
}

/* Are frames that nothing here can touch as the encoder and viewers need them? */
static gboolean
check_direct (RtspSinkConverter * self, const GstCaps * caps, GError ** error)
{
  gint width = GST_VIDEO_INFO_WIDTH (&self->input);
  gint height = GST_VIDEO_INFO_HEIGHT (&self->input);
  gboolean interlaced = GST_VIDEO_INFO_IS_INTERLACED (&self->input);
  const gchar *fault = NULL;

  if (!rtsp_sink_video_chain_check_taken (&self->chain, caps, error))
    return FALSE;
  if (width % 2 != 0 || height % (interlaced ? 4 : 2) != 0)
    fault = "their size does not fit 4:2:0";
  else if (interlaced
      && !rtsp_sink_encoder_takes_interlaced (self->chain.encoder))
    fault = "the encoder would not tell that they are interlaced";
  else if (width != GST_VIDEO_INFO_WIDTH (&self->served)
      || height != GST_VIDEO_INFO_HEIGHT (&self->served))
    fault = "output-caps asks for another size";
  else if (!rtsp_sink_formats_has_range (&self->input, has_full_range (self)))
    fault = "they have another range of values than that codec";
  if (fault == NULL)
    return TRUE;
  rtsp_sink_memories_set_error (caps, error, "%s", fault);
  return FALSE;
}

/* Not every encoder can be set on another thread, and openh264enc (1.22) not before
 * it has caps: it is told before a frame. */
static void
tell_encoder (RtspSinkConverter * self)
{
  const RtspSinkVideoChain *chain = &self->chain;
  guint bitrate, interval;

  if (!rtsp_sink_rates_take_change (self->rates, &self->told, &bitrate,
          &interval))
    return;
  /* A description is the user's: only what is asked for changes it. */
  if (bitrate == 0 && chain->own_choice)
    bitrate = rtsp_sink_encoder_auto_bitrate (chain->codec, &self->served);
  if (bitrate != 0)
    rtsp_sink_encoder_set_bitrate (chain->encoder, bitrate);
  if (chain->own_choice)
    rtsp_sink_encoder_set_key_unit_interval (chain->encoder, interval,
        GST_VIDEO_INFO_FPS_N (&self->served),
        GST_VIDEO_INFO_FPS_D (&self->served));
}

/* 4:2:0 halves both sides, and the fields of interlaced video once more. */
static GstCaps *
configure_encoded (RtspSinkConverter * self, const GstVideoInfo * info,
    GError ** error)
{
  gboolean interlaced = GST_VIDEO_INFO_IS_INTERLACED (info)
      && self->chain.deinterlace == NULL;
  g_autoptr (GstCaps) formats = NULL;

  if (!rtsp_sink_video_codecs_check_size (self->chain.codec,
          GST_VIDEO_INFO_WIDTH (&self->served),
          GST_VIDEO_INFO_HEIGHT (&self->served), error)
      || !set_crop (self, info, 2, interlaced ? 4 : 2, error))
    return NULL;

  if (!self->chain.direct)
    set_range (self, info);
  if (self->chain.codec->codec == GST_RTSP_SERVER_SINK_CODEC_H264)
    rtsp_sink_elements_set_caps (self->chain.profile, interlaced ?
        H264_INTERLACED : self->chain.codec->encoded);

  self->told = 0;
  tell_encoder (self);

  formats = rtsp_sink_encoder_input_get_formats (self->chain.encoder);
  return rtsp_sink_formats_for_encoder (formats, info,
      self->chain.codec->colorimetry);
}

static GstCaps *
configure_raw (RtspSinkConverter * self, const GstVideoInfo * info,
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

static gboolean
has_other_size (RtspSinkConverter * self)
{
  return self->input.width != self->served.width
      || self->input.height != self->served.height
      || self->input.par_n != self->served.par_n
      || self->input.par_d != self->served.par_d;
}

/**
 * rtsp_sink_converter_configure:
 * @caps: of raw video that comes next
 * @error: says why it cannot be served, and the cure
 *
 * Encoder's thread.
 */
gboolean
rtsp_sink_converter_configure (RtspSinkConverter * self,
    const GstCaps * caps, GError ** error)
{
  g_autoptr (GstCaps) format = NULL;

  if (!rtsp_sink_memories_parse (&self->input, caps)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "The caps of the raw video are incomplete: set format, width and height "
        "on the source");
    return FALSE;
  }

  self->served = self->input;
  rtsp_sink_output_caps_apply (self->output, &self->served);
  if (self->chain.square && !self->chain.direct)
    rtsp_sink_output_caps_make_square (&self->served);
  rtsp_sink_output_caps_rate_init (&self->rate, &self->input, &self->served);
  g_atomic_int_set (&self->rate_is_told, self->input.fps_n != 0
      || self->rate.interval != 0);
  if (self->chain.encoder != NULL)
    rtsp_sink_encoder_complete (self->chain.encoder, &self->served);

  if (self->chain.direct && !check_direct (self, caps, error))
    return FALSE;
  if (rtsp_sink_video_chain_is_raw (&self->chain))
    format = configure_raw (self, &self->input, error);
  else
    format = configure_encoded (self, &self->input, error);
  if (format == NULL)
    return FALSE;
  if (self->chain.direct)
    return TRUE;
  if (has_other_size (self))
    gst_caps_set_simple (format,
        "width", G_TYPE_INT, GST_VIDEO_INFO_WIDTH (&self->served),
        "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT (&self->served),
        "pixel-aspect-ratio", GST_TYPE_FRACTION,
        GST_VIDEO_INFO_PAR_N (&self->served),
        GST_VIDEO_INFO_PAR_D (&self->served), NULL);

  GST_DEBUG_OBJECT (self->chain.bin, "converting to %" GST_PTR_FORMAT, format);
  g_object_set (self->chain.format, "caps", format, NULL);
  return TRUE;
}

static gboolean
has_other_rate (RtspSinkConverter * self)
{
  return self->input.fps_n != self->served.fps_n
      || self->input.fps_d != self->served.fps_d;
}

static GstCaps *
fed_caps (RtspSinkConverter * self, const GstCaps * caps)
{
  GstCaps *fed = rtsp_sink_formats_crop_caps (caps, self->right, self->bottom);

  if (has_other_rate (self))
    gst_caps_set_simple (fed, "framerate", GST_TYPE_FRACTION,
        GST_VIDEO_INFO_FPS_N (&self->served),
        GST_VIDEO_INFO_FPS_D (&self->served), NULL);
  return fed;
}

/* GStreamer sends caps that were dropped again before each buffer: they are an
 * error once. */
static GstPadProbeReturn
handle_caps (RtspSinkConverter * self, GstPadProbeInfo * info)
{
  g_autoptr (GError) error = NULL;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  gboolean configured;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  if (self->refused != NULL && gst_caps_is_equal (self->refused, caps))
    return GST_PAD_PROBE_DROP;

  gst_clear_caps (&self->refused);
  g_atomic_pointer_set (&self->configuring, g_thread_self ());
  configured = rtsp_sink_converter_configure (self, caps, &error);
  g_atomic_pointer_set (&self->configuring, NULL);
  if (!configured) {
    self->refused = gst_caps_ref (caps);
    self->funcs.failed (error, self->user_data);
    return GST_PAD_PROBE_DROP;
  }
  self->funcs.input_changed (TRUE, self->user_data);

  if (self->right != 0 || self->bottom != 0 || has_other_rate (self)) {
    g_autoptr (GstCaps) fed = fed_caps (self, caps);

    GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_caps (fed);
    gst_event_unref (event);
  }
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
handle_buffer (RtspSinkConverter * self, GstPadProbeInfo * info)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (self->refused != NULL) {
    gst_buffer_unref (buffer);
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_NEGOTIATED;
    return GST_PAD_PROBE_HANDLED;
  }

  if (!rtsp_sink_output_caps_rate_takes (&self->rate, GST_BUFFER_PTS (buffer)))
    return GST_PAD_PROBE_DROP;
  if (self->chain.encoder != NULL)
    tell_encoder (self);

  if (self->right != 0 || self->bottom != 0)
    GST_PAD_PROBE_INFO_DATA (info) = rtsp_sink_formats_crop_buffer
        (&self->input, buffer, self->right, self->bottom);
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_converter_is_configuring:
 *
 * What is configured asks the source to negotiate again, which it need not. Any
 * thread.
 *
 * Returns: whether an event upstream, on this thread, is of our own making
 */
gboolean
rtsp_sink_converter_is_configuring (RtspSinkConverter * self)
{
  return g_atomic_pointer_get (&self->configuring) == g_thread_self ();
}

/**
 * rtsp_sink_converter_filter:
 * @info: of a probe on the pad that raw video comes from: a buffer or an event
 *   downstream
 *
 * Encoder's thread.
 */
GstPadProbeReturn
rtsp_sink_converter_filter (RtspSinkConverter * self, GstPadProbeInfo * info)
{
  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return handle_buffer (self, info);

  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_STREAM_START:
      /* What was refused before is an error once more. */
      gst_clear_caps (&self->refused);
      return GST_PAD_PROBE_OK;
    case GST_EVENT_CAPS:
      return handle_caps (self, info);
    default:
      return GST_PAD_PROBE_OK;
  }
}

/* A rate that only the encoder was told is no news for viewers. Encoder's thread,
 * or one that an encoder has of its own. */
static GstPadProbeReturn
watch_output (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkConverter *self = user_data;
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  g_autoptr (GstCaps) told = NULL;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS
      || g_atomic_int_get (&self->rate_is_told))
    return GST_PAD_PROBE_OK;
  gst_event_parse_caps (event, &caps);
  told = gst_caps_copy (caps);
  gst_caps_set_simple (told, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_caps (told);
  gst_event_unref (event);
  return GST_PAD_PROBE_OK;
}

/* Encoder's thread, or one of the decoder's own. */
static GstPadProbeReturn
watch_decoder (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkConverter *self = user_data;

  if (g_atomic_int_get (&self->restarting)
      && GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return GST_PAD_PROBE_DROP;
  return rtsp_sink_converter_filter (self, info);
}

/* After a gap: what the decoder still has is of before it. A segment makes it
 * give that out; it is dropped. */
static void
restart_decoder (RtspSinkConverter * self, GstPad * feed)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (feed,
      GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  if (event == NULL)
    return;
  gst_event_parse_segment (event, &segment);
  g_atomic_int_set (&self->restarting, TRUE);
  gst_pad_push_event (feed, gst_event_new_segment (segment));
  g_atomic_int_set (&self->restarting, FALSE);
}

/* Of the user's encoder: ours does not hand such a request on. */
static void
request_input_key_unit (RtspSinkConverter * self, GstPad * feed)
{
  GST_DEBUG_OBJECT (self->chain.bin, "asking for a key unit to decode");
  gst_pad_send_event (feed, gst_video_event_new_upstream_force_key_unit
      (GST_CLOCK_TIME_NONE, FALSE, 0));
}

/**
 * rtsp_sink_converter_can_decode:
 * @unit: of encoded video, that comes next
 * @feed: the pad that it comes from
 *
 * A decoder that lacks frames makes wrong pictures, or gives up. Encoder's
 * thread.
 *
 * Returns: FALSE: it is to be dropped
 */
gboolean
rtsp_sink_converter_can_decode (RtspSinkConverter * self, GstBuffer * unit,
    GstPad * feed)
{
  gboolean gap = self->lacking || GST_BUFFER_IS_DISCONT (unit);

  if (!GST_BUFFER_FLAG_IS_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT)) {
    self->lacking = FALSE;
    if (gap)
      restart_decoder (self, feed);
  } else if (!self->lacking && GST_BUFFER_IS_DISCONT (unit)) {
    self->lacking = TRUE;
    self->n_lacking = 0;
  }
  if (self->lacking && self->n_lacking++ % REQUEST_INTERVAL == 0)
    request_input_key_unit (self, feed);
  return !self->lacking;
}

/* An encoder without caps has nothing to flush, and some fail at it (x265enc, up to
 * 1.28). What is behind it may still be past the end. The thread that flushes, with
 * the stream lock of the pad: no caps come meanwhile. */
static GstPadProbeReturn
spare_flush (GstPad * pad, GstPadProbeInfo * info, gpointer src)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  if (GST_EVENT_TYPE (event) != GST_EVENT_FLUSH_STOP
      || gst_pad_has_current_caps (pad))
    return GST_PAD_PROBE_OK;
  gst_pad_push_event (src, event);
  return GST_PAD_PROBE_HANDLED;
}

/* Of a bin the encoder itself. */
static void
introduce_encoder (RtspSinkConverter * self)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoder_find (self->chain.encoder);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (inner, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (inner, "src");

  if (sink != NULL && src != NULL)
    gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, spare_flush, src,
        NULL);
  self->funcs.encoder_made (inner, self->user_data);
}

static void
watch (GstElement * element, GstPadProbeType type, GstPadProbeCallback callback,
    RtspSinkConverter * self)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (src, type, callback, self, NULL);
}

/**
 * rtsp_sink_converter_new:
 * @error: says what is missing or wrong, and the cure
 *
 * Returns: (transfer full) (nullable): the bin's owner
 */
RtspSinkConverter *
rtsp_sink_converter_new (const RtspSinkConverterConfig * config,
    GError ** error)
{
  RtspSinkConverter *self = g_new0 (RtspSinkConverter, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_converter_debug,
      "rtspserversink-converter", 0, "rtspserversink: conversion, encoding");
  self->rates = rtsp_sink_rates_ref (config->rates);
  self->output = config->output != NULL ? gst_caps_copy (config->output) : NULL;
  self->funcs = config->funcs;
  self->user_data = config->user_data;
  self->chain.codec = config->codec;
  if (!rtsp_sink_video_chain_build (&self->chain, config->encoder,
          config->encoded, config->raw, self->output != NULL, error)) {
    rtsp_sink_converter_free (self);
    return NULL;
  }

  self->lacking = self->chain.decoder != NULL;
  if (self->chain.decoder != NULL)
    watch (self->chain.decoder, GST_PAD_PROBE_TYPE_BUFFER |
        GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_decoder, self);
  watch (self->chain.last,
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_output, self);
  if (self->chain.encoder != NULL)
    introduce_encoder (self);
  return self;
}
