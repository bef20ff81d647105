/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What is known about each codec: a const table. Any thread; no locks. */

#include "rtspsinkcodecs.h"

#include <string.h>

#include "rtspsinkelements.h"

/* Parameter sets before each key unit come from the parser. The payloader would
 * repeat them before each slice of it, which to a decoder begins the next
 * picture. */
#define SETS_IN_BAND "config-interval=-1"

static const RtspSinkCodec table[] = {
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_H264,
        .name = "H.264",
        .media_type = "video/x-h264",
        /* Main is the most that browsers and phones are sure to decode. */
        .encoded = "video/x-h264, profile = (string) "
        "{ main, constrained-baseline, baseline }",
        .parser = "h264parse",
        .parser_settings = SETS_IN_BAND,
        .sent = "video/x-h264, stream-format = (string) avc, "
        "alignment = (string) au",
        .payloader = "rtph264pay",
        .payloader_settings = "aggregate-mode=zero-latency",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_H265,
        .name = "H.265",
        .media_type = "video/x-h265",
        .encoded = "video/x-h265, profile = (string) main",
        .parser = "h265parse",
        .parser_settings = SETS_IN_BAND,
        .sent = "video/x-h265, stream-format = (string) hvc1, "
        "alignment = (string) au",
        .payloader = "rtph265pay",
        .payloader_settings = "aggregate-mode=zero-latency",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_VP8,
        .name = "VP8",
        .media_type = "video/x-vp8",
        .encoded = "video/x-vp8",
        .sent = "video/x-vp8",
        .payloader = "rtpvp8pay",
        /* Browsers behind a relay need it. */
        .payloader_settings = "picture-id-mode=15-bit",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_VP9,
        .name = "VP9",
        .media_type = "video/x-vp9",
        .encoded = "video/x-vp9, profile = (string) 0",
        .sent = "video/x-vp9",
        .payloader = "rtpvp9pay",
        .payloader_settings = "picture-id-mode=15-bit",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_AV1,
        .name = "AV1",
        .media_type = "video/x-av1",
        .encoded = "video/x-av1",
        .parser = "av1parse",
        .sent = "video/x-av1, stream-format = (string) obu-stream, "
        "alignment = (string) tu",
        .payloader = "rtpav1pay",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_JPEG,
        .name = "JPEG",
        .media_type = "image/jpeg",
        .encoded = "image/jpeg",
        .parser = "jpegparse",
        .sent = "image/jpeg",
        .payloader = "rtpjpegpay",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_RAW,
        .name = "raw video",
        .media_type = "video/x-raw",
        .sent = "video/x-raw, format = (string) "
        "{ RGB, BGR, RGBA, BGRA, UYVY, I420, AYUV, Y41B, UYVP }",
        .payloader = "rtpvrawpay",
      },
};

/**
 * rtsp_sink_codecs_find:
 * @codec: not auto
 */
const RtspSinkCodec *
rtsp_sink_codecs_find (GstRtspServerSinkCodec codec)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].codec == codec)
      return &table[i];
  }
  g_return_val_if_reached (NULL);
}

/**
 * rtsp_sink_codecs_find_for_caps:
 *
 * Returns: (nullable): the codec of video with these caps
 */
const RtspSinkCodec *
rtsp_sink_codecs_find_for_caps (const GstCaps * caps)
{
  const gchar *media_type;

  if (!gst_caps_get_size (caps))
    return NULL;
  media_type = gst_structure_get_name (gst_caps_get_structure (caps, 0));
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (strcmp (table[i].media_type, media_type) == 0)
      return &table[i];
  }
  return NULL;
}

/**
 * rtsp_sink_codecs_check:
 * @error: names what is missing, and its package
 *
 * Returns: whether there is what it takes to send video of this codec
 */
gboolean
rtsp_sink_codecs_check (const RtspSinkCodec * codec, GError ** error)
{
  return (codec->parser == NULL
      || rtsp_sink_elements_check (codec->parser, error))
      && rtsp_sink_elements_check (codec->payloader, error);
}

static GstElement *
make (const gchar * factory, const gchar * name, const gchar * settings,
    GError ** error)
{
  GstElement *element = rtsp_sink_elements_make (factory, name, error);

  if (element != NULL)
    rtsp_sink_elements_set (element, settings);
  return element;
}

/**
 * rtsp_sink_codecs_make_parser:
 * @codec: one that has a parser
 *
 * Returns: (transfer floating) (nullable): a new parser
 */
GstElement *
rtsp_sink_codecs_make_parser (const RtspSinkCodec * codec, GError ** error)
{
  return make (codec->parser, "parser", codec->parser_settings, error);
}

/**
 * rtsp_sink_codecs_make_payloader:
 *
 * Returns: (transfer floating) (nullable): a new payloader
 */
GstElement *
rtsp_sink_codecs_make_payloader (const RtspSinkCodec * codec, GError ** error)
{
  return make (codec->payloader, "payloader", codec->payloader_settings, error);
}
