/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What is known about each codec: a const table. Any thread; no locks. */

#include "codec/videocodecs.h"

#include <gst/rtp/gstrtppayloads.h>
#include <gst/video/video.h>
#include <string.h>

#include "base/elements.h"
#include "codec/memories.h"

/* Parameter sets before each key unit come from the parser. The payloader would
 * repeat them before each slice of it, which to a decoder begins the next
 * picture. */
#define SETS_IN_BAND "config-interval=-1"

/* What an encoder takes without conversion comes first. */
#define MACHINE_VIDEO GST_VIDEO_CAPS_MAKE ("{ I420, NV12, YV12 }") "; " \
    GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL)

static GstStaticCaps machine_video = GST_STATIC_CAPS (MACHINE_VIDEO);
static GstStaticCaps any_video = GST_STATIC_CAPS ("video/x-raw(ANY)");

#define RTP "application/x-rtp"

/* RFC 2435, 3.1.5: the size in units of 8 pixels is one byte. */
#define MAX_JPEG_SIZE 2040

static const RtspSinkVideoCodec table[] = {
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_H264,
        .name = "H.264",
        .media_type = "video/x-h264",
        .encoding_name = "H264",
        .depayloader = "rtph264depay",
        /* No B frames, which RTP receivers show late; x264enc has them in all
         * other profiles. As rtph264pay. */
        .preferred = "video/x-h264, profile = (string) "
        "{ constrained-baseline, baseline }",
        /* rtph265depay (1.22) writes start codes anyway. */
        .parted = "video/x-h264, stream-format = (string) byte-stream, "
        "alignment = (string) au",
        /* Main is the most that browsers and phones are sure to decode. */
        .encoded = "video/x-h264, profile = (string) "
        "{ main, constrained-baseline, baseline }",
        .bits_per_kilopixel = 100,
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
        .encoding_name = "H265",
        .depayloader = "rtph265depay",
        .encoded = "video/x-h265, profile = (string) main",
        .bits_per_kilopixel = 70,
        .parser = "h265parse",
        .parser_settings = SETS_IN_BAND,
        .sent = "video/x-h265, stream-format = (string) hvc1, "
        "alignment = (string) au",
        /* Not aggregated: with 15 units in a packet it spoils memory (1.22). */
        .payloader = "rtph265pay",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_VP8,
        .name = "VP8",
        .media_type = "video/x-vp8",
        .encoding_name = "VP8",
        .depayloader = "rtpvp8depay",
        .encoded = "video/x-vp8",
        .bits_per_kilopixel = 100,
        .colorimetry = "bt601",
        .sent = "video/x-vp8",
        .payloader = "rtpvp8pay",
        /* Browsers behind a relay need it. */
        .payloader_settings = "picture-id-mode=15-bit",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_VP9,
        .name = "VP9",
        .media_type = "video/x-vp9",
        .encoding_name = "VP9",
        .depayloader = "rtpvp9depay",
        .encoded = "video/x-vp9, profile = (string) 0",
        .bits_per_kilopixel = 70,
        .sent = "video/x-vp9",
        .payloader = "rtpvp9pay",
        .payloader_settings = "picture-id-mode=15-bit",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_AV1,
        .name = "AV1",
        .media_type = "video/x-av1",
        .encoding_name = "AV1",
        .depayloader = "rtpav1depay",
        .encoded = "video/x-av1",
        .bits_per_kilopixel = 60,
        .parser = "av1parse",
        .sent = "video/x-av1, stream-format = (string) obu-stream, "
        "alignment = (string) tu",
        .payloader = "rtpav1pay",
      },
  {
        .codec = GST_RTSP_SERVER_SINK_CODEC_JPEG,
        .name = "JPEG",
        .media_type = "image/jpeg",
        .encoding_name = "JPEG",
        .depayloader = "rtpjpegdepay",
        .encoded = "image/jpeg",
        /* JFIF's: full range, BT.601. It has no name of its own. */
        .colorimetry = "1:4:0:0",
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
 * rtsp_sink_video_codecs_find:
 * @codec: not auto
 */
const RtspSinkVideoCodec *
rtsp_sink_video_codecs_find (GstRtspServerSinkCodec codec)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].codec == codec)
      return &table[i];
  }
  g_return_val_if_reached (NULL);
}

/**
 * rtsp_sink_video_codecs_is_rtp:
 *
 * Returns: whether @caps are of RTP packets
 */
gboolean
rtsp_sink_video_codecs_is_rtp (const GstCaps * caps)
{
  return gst_structure_has_name (gst_caps_get_structure (caps, 0), RTP);
}

/* Caps of a static payload type need no name (RFC 3551, 6). */
static const gchar *
get_encoding_name (const GstStructure * s)
{
  const gchar *name = gst_structure_get_string (s, "encoding-name");
  const GstRTPPayloadInfo *info = NULL;
  gint type;

  if (name == NULL && gst_structure_get_int (s, "payload", &type)
      && type >= 0 && type <= G_MAXUINT8)
    info = gst_rtp_payload_info_for_pt (type);
  return info != NULL ? info->encoding_name : name;
}

static gboolean
is_of (const RtspSinkVideoCodec * codec, const GstStructure * s)
{
  const gchar *name = get_encoding_name (s);

  if (!gst_structure_has_name (s, RTP))
    return gst_structure_has_name (s, codec->media_type);
  return name != NULL && codec->encoding_name != NULL
      && g_ascii_strcasecmp (name, codec->encoding_name) == 0;
}

/**
 * rtsp_sink_video_codecs_find_for_caps:
 *
 * Returns: (nullable): the codec of video with these caps, or in these packets
 */
const RtspSinkVideoCodec *
rtsp_sink_video_codecs_find_for_caps (const GstCaps * caps)
{
  if (!gst_caps_get_size (caps))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (is_of (&table[i], gst_caps_get_structure (caps, 0)))
      return &table[i];
  }
  return NULL;
}

static void
append_device_video (GstCaps * caps, const GstCaps * taken)
{
  for (guint i = 0; i < gst_caps_get_size (taken); i++) {
    if (rtsp_sink_memories_get_device (taken, i) != NULL)
      gst_caps_append (caps, gst_caps_copy_nth (taken, i));
  }
}

/**
 * rtsp_sink_video_codecs_get_input_caps:
 * @taken: (nullable): raw video that the encoder takes; NULL: not known yet
 *
 * Returns: (transfer full): all that can come in, best first: raw video, that in
 *   a device's memory as the encoder takes it, encoded video, video in RTP
 */
GstCaps *
rtsp_sink_video_codecs_get_input_caps (const GstCaps * taken)
{
  GstCaps *caps = gst_caps_new_empty ();

  if (taken == NULL || rtsp_sink_memories_has_machine (taken))
    gst_caps_append (caps, gst_static_caps_get (&machine_video));
  if (taken == NULL)
    gst_caps_append (caps, gst_static_caps_get (&any_video));
  else
    append_device_video (caps, taken);
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++) {
    if (table[i].preferred != NULL)
      gst_caps_append (caps, gst_caps_from_string (table[i].preferred));
    if (table[i].codec != GST_RTSP_SERVER_SINK_CODEC_RAW)
      gst_caps_append (caps, gst_caps_new_empty_simple (table[i].media_type));
  }
  gst_caps_append (caps, gst_caps_new_simple (RTP, "media", G_TYPE_STRING,
          "video", NULL));
  return caps;
}

/**
 * rtsp_sink_video_codecs_get_sent_caps:
 *
 * Returns: (transfer full): all that payloaders get
 */
GstCaps *
rtsp_sink_video_codecs_get_sent_caps (void)
{
  GstCaps *caps = gst_caps_new_empty ();

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    gst_caps_append (caps, gst_caps_from_string (table[i].sent));
  return caps;
}

/**
 * rtsp_sink_video_codecs_check:
 * @error: names what is missing, and its package
 *
 * Returns: whether there is what it takes to send video of this codec
 */
gboolean
rtsp_sink_video_codecs_check (const RtspSinkVideoCodec * codec, GError ** error)
{
  return (codec->parser == NULL
      || rtsp_sink_elements_check (codec->parser, error))
      && rtsp_sink_elements_check (codec->payloader, error);
}

/**
 * rtsp_sink_video_codecs_check_size:
 * @error: names the limit
 *
 * Returns: whether a picture of that size can be sent
 */
gboolean
rtsp_sink_video_codecs_check_size (const RtspSinkVideoCodec * codec, gint width,
    gint height, GError ** error)
{
  if (codec->codec != GST_RTSP_SERVER_SINK_CODEC_JPEG
      || (width <= MAX_JPEG_SIZE && height <= MAX_JPEG_SIZE))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "codec=jpeg cannot send a picture of %dx%d, but only up to %dx%d (RFC "
      "2435): scale it down with output-caps, or use codec=h264", width, height,
      MAX_JPEG_SIZE, MAX_JPEG_SIZE);
  return FALSE;
}

/* RFC 2435, 4.1: baseline, 4:2:0 or 4:2:2. What the parser did not find out is
 * taken to be so. */
static gboolean
can_send_jpeg (const GstCaps * caps, GError ** error)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *sampling = gst_structure_get_string (s, "sampling");
  const gchar *obstacle =
      gst_structure_get_string (s, RTSP_SINK_VIDEO_CODECS_OBSTACLE);
  gint width = 0, height = 0, sof = 0;

  gst_structure_get (s, "width", G_TYPE_INT, &width, "height", G_TYPE_INT,
      &height, NULL);
  gst_structure_get_int (s, "sof-marker", &sof);
  if (width <= MAX_JPEG_SIZE
      && height <= MAX_JPEG_SIZE && sof == 0 && obstacle == NULL
      && (sampling == NULL || strcmp (sampling, "YCbCr-4:2:0") == 0
          || strcmp (sampling, "YCbCr-4:2:2") == 0))
    return TRUE;

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "JPEG of %dx%d, %s%s%s%s, cannot be sent over RTP, but only baseline 4:2:0 "
      "or 4:2:2 up to %dx%d with the usual tables (RFC 2435): set codec=auto to "
      "encode it again, or make other JPEG", width, height,
      sampling != NULL ? sampling : "unknown", sof != 0 ? ", not baseline" : "",
      obstacle != NULL ? ", " : "", obstacle != NULL ? obstacle : "",
      MAX_JPEG_SIZE, MAX_JPEG_SIZE);
  return FALSE;
}

/**
 * rtsp_sink_video_codecs_can_send:
 * @caps: of encoded video
 * @error: says why not, and the cure
 *
 * Returns: whether it can be sent as it is
 */
gboolean
rtsp_sink_video_codecs_can_send (const RtspSinkVideoCodec * codec,
    const GstCaps * caps, GError ** error)
{
  return rtsp_sink_video_codecs_check (codec, error)
      && (codec->codec != GST_RTSP_SERVER_SINK_CODEC_JPEG
      || can_send_jpeg (caps, error));
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
 * rtsp_sink_video_codecs_make_depayloader:
 * @codec: one that comes in RTP
 *
 * Returns: (transfer floating) (nullable): a new depayloader
 */
GstElement *
rtsp_sink_video_codecs_make_depayloader (const RtspSinkVideoCodec * codec,
    GError ** error)
{
  return make (codec->depayloader, "depayloader", NULL, error);
}

/**
 * rtsp_sink_video_codecs_make_filter:
 * @caps: that may pass
 *
 * Returns: (transfer floating) (nullable): a new capsfilter
 */
GstElement *
rtsp_sink_video_codecs_make_filter (const gchar * caps, GError ** error)
{
  GstElement *filter = make ("capsfilter", NULL, NULL, error);

  if (filter != NULL)
    rtsp_sink_elements_set_caps (filter, caps);
  return filter;
}

/**
 * rtsp_sink_video_codecs_make_parser:
 * @codec: one that has a parser
 *
 * Returns: (transfer floating) (nullable): a new parser
 */
GstElement *
rtsp_sink_video_codecs_make_parser (const RtspSinkVideoCodec * codec,
    GError ** error)
{
  return make (codec->parser, "parser", codec->parser_settings, error);
}

/**
 * rtsp_sink_video_codecs_make_payloader:
 *
 * Returns: (transfer floating) (nullable): a new payloader
 */
GstElement *
rtsp_sink_video_codecs_make_payloader (const RtspSinkVideoCodec * codec,
    GError ** error)
{
  return make (codec->payloader, "payloader", codec->payloader_settings, error);
}
