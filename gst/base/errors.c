/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Error messages on the bus: one per failure, what it is about first, then
 * the reason, then the cure. Any thread that holds no lock of ours. */

#include "base/errors.h"

#include "base/missing.h"

/**
 * rtsp_sink_errors_post:
 * @error: a sentence with its cure
 *
 * Applications that install plugins get told what to look for.
 */
void
rtsp_sink_errors_post (GstElement * element, const GError * error)
{
  gboolean missing = error->domain == RTSP_SINK_MISSING_ERROR;

  if (missing)
    gst_element_post_message (element,
        rtsp_sink_missing_make_message (error, element));
  gst_element_message_full (element, GST_MESSAGE_ERROR,
      missing ? GST_CORE_ERROR : error->domain,
      missing ? GST_CORE_ERROR_MISSING_PLUGIN : error->code,
      g_strdup_printf ("%s.", error->message), NULL, __FILE__, GST_FUNCTION,
      __LINE__);
}

/**
 * rtsp_sink_errors_post_listen:
 * @cause: why the address and port cannot be listened on
 */
void
rtsp_sink_errors_post_listen (GstElement * element,
    const RtspSinkSettings * settings, const GError * cause)
{
  GST_ELEMENT_ERROR (element, RESOURCE, OPEN_READ_WRITE,
      ("Cannot serve on address \"%s\" port %u mount \"%s\": %s. Set port "
          "to a free one (0 takes any) and address to one of this machine's "
          "(\"0.0.0.0\" or \"::\" for all).",
          settings->address ? settings->address : "", settings->port,
          settings->mount ? settings->mount : "", cause->message), (NULL));
}

/**
 * rtsp_sink_errors_post_mount:
 * @cause: why the mount cannot be served, and the cure
 */
void
rtsp_sink_errors_post_mount (GstElement * element,
    const RtspSinkSettings * settings, const GError * cause)
{
  GST_ELEMENT_ERROR (element, RESOURCE, SETTINGS,
      ("Cannot serve on address \"%s\" port %u mount \"%s\": %s.",
          settings->address ? settings->address : "", settings->port,
          settings->mount ? settings->mount : "", cause->message), (NULL));
}

/* --- what comes in --- */

void
rtsp_sink_errors_post_no_caps (GstElement * element)
{
  GST_ELEMENT_ERROR (element, CORE, NEGOTIATION,
      ("A frame came before its caps: set caps (for example video/x-raw with "
          "format, width and height, or video/x-h264) on the source."), (NULL));
}

void
rtsp_sink_errors_post_no_audio_caps (GstElement * element)
{
  GST_ELEMENT_ERROR (element, CORE, NEGOTIATION,
      ("Audio came before its caps: set caps (for example audio/x-raw with "
          "format, rate and channels, or audio/x-opus) on the source."),
      (NULL));
}

void
rtsp_sink_errors_post_incomplete_caps (GstElement * element,
    const GstCaps * caps)
{
  GST_ELEMENT_ERROR (element, STREAM, FORMAT,
      ("The caps of the raw video are incomplete: set format, width and height "
          "on the source."), ("caps: %" GST_PTR_FORMAT, caps));
}

/* RFC 4566, 6: what a=rtpmap says. */
void
rtsp_sink_errors_post_unknown_rtp (GstElement * element, const GstCaps * caps)
{
  GST_ELEMENT_ERROR (element, STREAM, CODEC_NOT_FOUND,
      ("The RTP caps do not say that they carry H264, H265, VP8, VP9, AV1 or "
          "JPEG: set encoding-name, media=video and clock-rate=90000 in the "
          "caps of the source, or put a depayloader before."),
      ("caps: %" GST_PTR_FORMAT, caps));
}

/**
 * rtsp_sink_errors_post_no_such_video:
 * @codec: what the caps promise
 */
void
rtsp_sink_errors_post_no_such_video (GstElement * element, const gchar * codec)
{
  GST_ELEMENT_ERROR (element, STREAM, FORMAT,
      ("The input cannot be parsed as %s: the caps of the source must say what "
          "it is, with stream-format and codec_data.", codec), (NULL));
}

/**
 * rtsp_sink_errors_warn_of_misfit:
 * @size: of a frame that is dropped, for it does not fit @info
 */
void
rtsp_sink_errors_warn_of_misfit (GstElement * element,
    const GstVideoInfo * info, gsize size)
{
  GST_ELEMENT_WARNING (element, STREAM, WRONG_TYPE,
      ("Dropping frames of the wrong size: a buffer has %" G_GSIZE_FORMAT
          " bytes, but %dx%d %s takes %" G_GSIZE_FORMAT ". Push frames of "
          "the size that the caps say.", size, GST_VIDEO_INFO_WIDTH (info),
          GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_NAME (info),
          GST_VIDEO_INFO_SIZE (info)), (NULL));
}

/**
 * rtsp_sink_errors_warn_of_description:
 * @info: what the caps say of a frame that is dropped, for its GstVideoMeta says
 *   other than that, or than its size
 */
void
rtsp_sink_errors_warn_of_description (GstElement * element,
    const GstVideoInfo * info, gsize size)
{
  GST_ELEMENT_WARNING (element, STREAM, WRONG_TYPE,
      ("Dropping frames whose GstVideoMeta is wrong: that of a buffer of %"
          G_GSIZE_FORMAT " bytes contradicts its caps (%dx%d %s), or names "
          "rows that lie outside of the buffer. Correct the meta in the source, "
          "or leave it out.", size,
          GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info),
          GST_VIDEO_INFO_NAME (info)), (NULL));
}

/**
 * rtsp_sink_errors_warn_of_damage:
 * @codec: of encoded video of which a piece is dropped
 * @problem: (nullable): what an element said of it
 */
void
rtsp_sink_errors_warn_of_damage (GstElement * element, const gchar * codec,
    const gchar * problem)
{
  GST_ELEMENT_WARNING (element, STREAM, DECODE,
      ("Dropping damaged %s. Look at the source and the way from it: lost packets, "
          "a file that is cut short, caps of something else.", codec), ("%s",
          problem != NULL ? problem : "it is cut short, or no such video"));
}

/**
 * rtsp_sink_errors_warn_of_no_picture:
 * @codec: of encoded video
 * @seconds: of it that came without a picture; 0: all of it
 */
void
rtsp_sink_errors_warn_of_no_picture (GstElement * element, const gchar * codec,
    guint seconds)
{
  g_autofree gchar *time = seconds > 0 ? g_strdup_printf ("%u s of", seconds)
      : g_strdup ("all of the");

  GST_ELEMENT_WARNING (element, STREAM, DECODE,
      ("No picture in %s %s: there was no key unit, or its parameter sets "
          "were missing. Let the sender repeat them (config-interval=-1 "
          "of GStreamer's parsers and payloaders), or put them into the caps.",
          time, codec), (NULL));
}

/**
 * rtsp_sink_errors_warn_of_no_key_unit:
 * @codec: of encoded video
 * @seconds: of it that came without a key unit, though viewers wait for one
 */
void
rtsp_sink_errors_warn_of_no_key_unit (GstElement * element,
    const gchar * codec, guint seconds)
{
  GST_ELEMENT_WARNING (element, STREAM, DECODE,
      ("No key unit in %u s of %s, though viewers wait for one. Let the sender "
          "make one from time to time, or mark recovery points where it "
          "refreshes pictures bit by bit; or decode the video before.",
          seconds, codec), (NULL));
}
