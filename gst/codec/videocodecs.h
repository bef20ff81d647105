/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/enums.h"

/* A field of the caps of encoded video: what keeps it from being sent as it is,
 * where the codec's own fields do not tell. */
#define RTSP_SINK_VIDEO_CODECS_OBSTACLE "rtp-obstacle"

/* How video of a codec goes from an encoder, ours or the user's, to RTP. */
typedef struct
{
  GstRtspServerSinkCodec codec;
  const gchar *name;            /* as people write it */
  const gchar *media_type;
  const gchar *encoding_name;   /* of RTP that comes in; NULL: none does */
  const gchar *depayloader;
  const gchar *preferred;       /* caps of encoded input; NULL: all alike */
  const gchar *parted;          /* caps with start codes; NULL: it has none */
  const gchar *encoded;         /* caps that our encoder shall make */
  guint bits_per_kilopixel;     /* of live video; 0: it has a quality instead */
  const gchar *colorimetry;     /* what players take it to have; NULL: it says */
  const gchar *parser;          /* NULL: a buffer is an access unit anyway */
  const gchar *parser_settings;
  const gchar *sent;            /* caps that the payloader gets */
  const gchar *payloader;
  const gchar *payloader_settings;
} RtspSinkVideoCodec;

const RtspSinkVideoCodec *rtsp_sink_video_codecs_find (GstRtspServerSinkCodec codec);

GstCaps *rtsp_sink_video_codecs_get_input_caps (const GstCaps * taken);

GstCaps *rtsp_sink_video_codecs_get_sent_caps (void);

const RtspSinkVideoCodec *rtsp_sink_video_codecs_find_for_caps (const GstCaps * caps);

gboolean rtsp_sink_video_codecs_is_rtp (const GstCaps * caps);

gboolean rtsp_sink_video_codecs_check (const RtspSinkVideoCodec * codec, GError ** error);

gboolean rtsp_sink_video_codecs_check_size (const RtspSinkVideoCodec * codec, gint width,
    gint height, GError ** error);

gboolean rtsp_sink_video_codecs_can_send (const RtspSinkVideoCodec * codec,
    const GstCaps * caps, GError ** error);

GstElement *rtsp_sink_video_codecs_make_depayloader (const RtspSinkVideoCodec * codec,
    GError ** error);

GstElement *rtsp_sink_video_codecs_make_filter (const gchar * caps, GError ** error);

GstElement *rtsp_sink_video_codecs_make_parser (const RtspSinkVideoCodec * codec,
    GError ** error);

GstElement *rtsp_sink_video_codecs_make_payloader (const RtspSinkVideoCodec * codec,
    GError ** error);
