/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What is known about each audio codec: a const table. Any thread; no locks. */

#include "codec/audiocodecs.h"

#include "base/elements.h"

/* Of the dynamic payload types: that beside the one of video. */
#define PT "pt=97"

/* What RFC 3551, 4.2 recommends, whatever the size of the buffers that come. */
#define PTIME "min-ptime=20000000 max-ptime=20000000"

#define G711_RAW "audio/x-raw, format = (string) S16LE, " \
    "layout = (string) interleaved, rate = (int) 8000, channels = (int) 1"

static const RtspSinkAudioCodec table[] = {
  {
        .codec = GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS,
        .name = "Opus",
        .encoded = "audio/x-opus, channel-mapping-family = (int) 0",
        .raw = "audio/x-raw, format = (string) S16LE, "
        "layout = (string) interleaved, rate = (int) 48000, "
        "channels = (int) [ 1, 2 ]",
        .encoders = {
              {"opusenc", "audio-type=restricted-lowdelay frame-size=20 "
                    "dtx=false", 0},
            },
        /* RFC 6716, 3.2: 48 frames and what tells their sizes. */
        .max_size = 48 * 1275 + 64,
        .parser = "opusparse",
        .sent = "audio/x-opus",
        .payloader = "rtpopuspay",
        .payloader_settings = PT,
      },
  {
        .codec = GST_RTSP_SERVER_SINK_AUDIO_CODEC_AAC,
        .name = "AAC",
        .encoded = "audio/mpeg, mpegversion = (int) { 2, 4 }",
        .raw = "audio/x-raw, layout = (string) interleaved, "
        "rate = (int) { 48000, 44100, 32000 }, channels = (int) [ 1, 2 ]",
        .encoders = {
              {"fdkaacenc", NULL, 2048},
              {"avenc_aac", NULL, 1024},
              {"voaacenc", NULL, 1600},
              {"faac", NULL, 1024},
            },
        .parser = "aacparse",
        .sent = "audio/mpeg, mpegversion = (int) 4, "
        "stream-format = (string) raw",
        .payloader = "rtpmp4gpay",
        .payloader_settings = PT,
      },
  {
        .codec = GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU,
        .name = "PCMU",
        .encoded = "audio/x-mulaw, rate = (int) 8000, channels = (int) 1",
        .raw = G711_RAW,
        .encoders = {{"mulawenc", NULL, 0}},
        .sent = "audio/x-mulaw",
        .payloader = "rtppcmupay",
        .payloader_settings = PTIME,
      },
  {
        .codec = GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMA,
        .name = "PCMA",
        .encoded = "audio/x-alaw, rate = (int) 8000, channels = (int) 1",
        .raw = G711_RAW,
        .encoders = {{"alawenc", NULL, 0}},
        .sent = "audio/x-alaw",
        .payloader = "rtppcmapay",
        .payloader_settings = PTIME,
      },
  {
        .codec = GST_RTSP_SERVER_SINK_AUDIO_CODEC_L16,
        .name = "L16",
        .raw = "audio/x-raw, format = (string) S16BE, "
        "layout = (string) interleaved, rate = (int) [ 8000, 96000 ], "
        "channels = (int) [ 1, 2 ]",
        .sent = "audio/x-raw",
        .payloader = "rtpL16pay",
        .payloader_settings = PT,
      },
};

static gboolean
is_there (const gchar * factory)
{
  return rtsp_sink_elements_check (factory, NULL);
}

/**
 * rtsp_sink_audio_codecs_find:
 * @codec: not auto
 */
const RtspSinkAudioCodec *
rtsp_sink_audio_codecs_find (GstRtspServerSinkAudioCodec codec)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].codec == codec)
      return &table[i];
  }
  g_return_val_if_reached (NULL);
}

/**
 * rtsp_sink_audio_codecs_is_raw:
 */
gboolean
rtsp_sink_audio_codecs_is_raw (const GstCaps * caps)
{
  return gst_structure_has_name (gst_caps_get_structure (caps, 0),
      "audio/x-raw");
}

static gboolean
takes (const RtspSinkAudioCodec * codec, const GstCaps * caps)
{
  g_autoptr (GstCaps) encoded = codec->encoded != NULL ?
      gst_caps_from_string (codec->encoded) : NULL;

  return encoded != NULL && gst_caps_can_intersect (caps, encoded);
}

/**
 * rtsp_sink_audio_codecs_choose:
 * @codec: what the user wants
 * @caps: what comes in
 *
 * Returns: (nullable): what is sent; NULL if that would have to be decoded
 */
const RtspSinkAudioCodec *
rtsp_sink_audio_codecs_choose (GstRtspServerSinkAudioCodec codec,
    const GstCaps * caps)
{
  if (rtsp_sink_audio_codecs_is_raw (caps))
    return rtsp_sink_audio_codecs_find (codec ==
        GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO ?
        GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS : codec);

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if ((codec == GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO
            || codec == table[i].codec) && takes (&table[i], caps))
      return &table[i];
  }
  return NULL;
}

/**
 * rtsp_sink_audio_codecs_get_caps:
 * @codec: what the user wants
 *
 * Returns: (transfer full): what may come in
 */
GstCaps *
rtsp_sink_audio_codecs_get_caps (GstRtspServerSinkAudioCodec codec)
{
  GstCaps *caps = gst_caps_new_empty_simple ("audio/x-raw");

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].encoded != NULL
        && (codec == GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO
            || codec == table[i].codec))
      gst_caps_append (caps, gst_caps_from_string (table[i].encoded));
  }
  return caps;
}

/**
 * rtsp_sink_audio_codecs_find_encoder:
 * @error: says what to install
 *
 * Returns: (nullable): the encoder to use; NULL without @error: the codec needs
 *   none
 */
const RtspSinkAudioEncoder *
rtsp_sink_audio_codecs_find_encoder (const RtspSinkAudioCodec * codec,
    GError ** error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codec->encoders)
      && codec->encoders[i].factory != NULL; i++) {
    if (is_there (codec->encoders[i].factory))
      return &codec->encoders[i];
  }
  if (codec->encoders[0].factory != NULL)
    rtsp_sink_elements_check (codec->encoders[0].factory, error);
  return NULL;
}

/**
 * rtsp_sink_audio_codecs_check:
 * @error: names what is missing, and its package
 *
 * Returns: whether there is what it takes to send raw audio with this codec
 */
gboolean
rtsp_sink_audio_codecs_check (const RtspSinkAudioCodec * codec, GError ** error)
{
  g_autoptr (GError) missing = NULL;

  rtsp_sink_audio_codecs_find_encoder (codec, &missing);
  if (missing == NULL)
    return rtsp_sink_elements_check (codec->payloader, error);
  g_propagate_error (error, g_steal_pointer (&missing));
  return FALSE;
}

/**
 * rtsp_sink_audio_codecs_make:
 * @settings: (nullable): its properties, as "name=value" with spaces between
 * @error: says what is missing
 *
 * Returns: (transfer floating) (nullable): the element
 */
GstElement *
rtsp_sink_audio_codecs_make (const gchar * factory, const gchar * settings,
    GError ** error)
{
  GstElement *element = rtsp_sink_elements_make (factory, NULL, error);

  if (element != NULL)
    rtsp_sink_elements_set (element, settings);
  return element;
}
