/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/audiocodecs.h"

typedef struct _RtspSinkAudioChain RtspSinkAudioChain;

/* What stays the same when a stream gets another chain. */
typedef struct
{
  guint32 ssrc;
  guint32 rtp_offset;           /* RTP time of media time 0 */
} RtspSinkAudioChainIds;

RtspSinkAudioChain *rtsp_sink_audio_chain_new (const RtspSinkAudioCodec *
    codec, gboolean raw, const RtspSinkAudioChainIds * ids, GError ** error);

void rtsp_sink_audio_chain_free (RtspSinkAudioChain * self);

gboolean rtsp_sink_audio_chain_fits (RtspSinkAudioChain * self,
    const RtspSinkAudioCodec * codec, gboolean raw);

gboolean rtsp_sink_audio_chain_takes (RtspSinkAudioChain * self,
    GstBuffer * buffer);

gboolean rtsp_sink_audio_chain_set_caps (RtspSinkAudioChain * self,
    GstCaps * caps);

void rtsp_sink_audio_chain_restart (RtspSinkAudioChain * self);

GstBufferList *rtsp_sink_audio_chain_push (RtspSinkAudioChain * self,
    GstBuffer * buffer);

GstBufferList *rtsp_sink_audio_chain_end (RtspSinkAudioChain * self);

GstCaps *rtsp_sink_audio_chain_get_caps (RtspSinkAudioChain * self);

gchar *rtsp_sink_audio_chain_take_problem (RtspSinkAudioChain * self);
