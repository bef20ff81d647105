/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/enums.h"

#define RTSP_SINK_AUDIO_CODECS_MAX_ENCODERS 4

typedef struct
{
  const gchar *factory;
  const gchar *settings;
  guint delay;                  /* samples of silence that it begins with, and
                                 * does not take off its time stamps */
} RtspSinkAudioEncoder;

/* How audio of a codec gets to RTP. */
typedef struct
{
  GstRtspServerSinkAudioCodec codec;
  const gchar *name;            /* as people write it */
  const gchar *encoded;         /* caps that are sent as they come, or NULL */
  const gchar *raw;             /* caps that raw audio is converted to */
  RtspSinkAudioEncoder encoders[RTSP_SINK_AUDIO_CODECS_MAX_ENCODERS];
                                /* the first that is there; none: raw is sent */
  gsize max_size;               /* of a buffer that comes encoded; 0: any */
  const gchar *parser;          /* of what comes encoded, or NULL */
  const gchar *sent;            /* caps that the payloader gets */
  const gchar *payloader;
  const gchar *payloader_settings;
} RtspSinkAudioCodec;

const RtspSinkAudioCodec *rtsp_sink_audio_codecs_find
    (GstRtspServerSinkAudioCodec codec);

const RtspSinkAudioCodec *rtsp_sink_audio_codecs_choose
    (GstRtspServerSinkAudioCodec codec, const GstCaps * caps);

GstCaps *rtsp_sink_audio_codecs_get_caps (GstRtspServerSinkAudioCodec codec);

const RtspSinkAudioEncoder *rtsp_sink_audio_codecs_find_encoder
    (const RtspSinkAudioCodec * codec, GError ** error);

gboolean rtsp_sink_audio_codecs_check (const RtspSinkAudioCodec * codec,
    GError ** error);

GstElement *rtsp_sink_audio_codecs_make (const gchar * factory,
    const gchar * settings, GError ** error);

gboolean rtsp_sink_audio_codecs_is_raw (const GstCaps * caps);
