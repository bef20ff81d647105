/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The types of the properties that name one of several ways. A leaf. */

#include "base/enums.h"

GType
gst_rtsp_server_sink_codec_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_CODEC_AUTO, "Encoded video as it is, raw as H.264",
        "auto"},
    {GST_RTSP_SERVER_SINK_CODEC_H264, "H.264 (RFC 6184)", "h264"},
    {GST_RTSP_SERVER_SINK_CODEC_H265, "H.265 (RFC 7798)", "h265"},
    {GST_RTSP_SERVER_SINK_CODEC_VP8, "VP8 (RFC 7741)", "vp8"},
    {GST_RTSP_SERVER_SINK_CODEC_VP9, "VP9 (RFC 9628)", "vp9"},
    {GST_RTSP_SERVER_SINK_CODEC_AV1, "AV1 (AOM's RTP payload format)", "av1"},
    {GST_RTSP_SERVER_SINK_CODEC_JPEG, "JPEG (RFC 2435)", "jpeg"},
    {GST_RTSP_SERVER_SINK_CODEC_RAW, "Uncompressed video (RFC 4175)", "raw"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstRtspServerSinkCodec", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_rtsp_server_sink_audio_codec_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO,
        "Encoded audio as it comes, raw audio as Opus", "auto"},
    {GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS, "Opus (RFC 7587)", "opus"},
    {GST_RTSP_SERVER_SINK_AUDIO_CODEC_AAC, "AAC (RFC 3640)", "aac"},
    {GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU, "G.711 mu-law, 8 kHz (RFC 3551)",
        "pcmu"},
    {GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMA, "G.711 A-law, 8 kHz (RFC 3551)",
        "pcma"},
    {GST_RTSP_SERVER_SINK_AUDIO_CODEC_L16, "16-bit samples (RFC 3551)", "l16"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_enum_register_static ("GstRtspServerSinkAudioCodec", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_rtsp_server_sink_sync_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_SYNC_AUTO,
        "Live input as it comes, other input at its own speed", "auto"},
    {GST_RTSP_SERVER_SINK_SYNC_TRUE, "At the speed of the time stamps",
        "true"},
    {GST_RTSP_SERVER_SINK_SYNC_FALSE, "As it comes", "false"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstRtspServerSinkSync", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_rtsp_server_sink_timestamp_mode_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO,
        "The buffer's time stamp while it agrees with the clock", "auto"},
    {GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS, "The buffer's time stamp",
        "pts"},
    {GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL,
        "The time at which the buffer arrives", "arrival"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_enum_register_static ("GstRtspServerSinkTimestampMode", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_rtsp_server_sink_shared_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_SHARED_AUTO,
          "The first four viewers have a media each, all others share one",
        "auto"},
    {GST_RTSP_SERVER_SINK_SHARED_TRUE, "All viewers share one media", "true"},
    {GST_RTSP_SERVER_SINK_SHARED_FALSE, "Each viewer has its own", "false"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstRtspServerSinkShared", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}
