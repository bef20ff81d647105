/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/**
 * GstRtspServerSinkCodec:
 * @GST_RTSP_SERVER_SINK_CODEC_AUTO: encoded video as it comes in, raw video as
 *   H.264
 * @GST_RTSP_SERVER_SINK_CODEC_H264: H.264 (RFC 6184)
 * @GST_RTSP_SERVER_SINK_CODEC_H265: H.265 (RFC 7798)
 * @GST_RTSP_SERVER_SINK_CODEC_VP8: VP8 (RFC 7741)
 * @GST_RTSP_SERVER_SINK_CODEC_VP9: VP9 (RFC 9628)
 * @GST_RTSP_SERVER_SINK_CODEC_AV1: AV1 (AOM, RTP payload format for AV1)
 * @GST_RTSP_SERVER_SINK_CODEC_JPEG: JPEG (RFC 2435)
 * @GST_RTSP_SERVER_SINK_CODEC_RAW: uncompressed video (RFC 4175)
 *
 * What viewers get.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_RTSP_SERVER_SINK_CODEC_AUTO,
  GST_RTSP_SERVER_SINK_CODEC_H264,
  GST_RTSP_SERVER_SINK_CODEC_H265,
  GST_RTSP_SERVER_SINK_CODEC_VP8,
  GST_RTSP_SERVER_SINK_CODEC_VP9,
  GST_RTSP_SERVER_SINK_CODEC_AV1,
  GST_RTSP_SERVER_SINK_CODEC_JPEG,
  GST_RTSP_SERVER_SINK_CODEC_RAW,
} GstRtspServerSinkCodec;

/**
 * GstRtspServerSinkAudioCodec:
 * @GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO: encoded audio as it comes in, raw
 *   audio as Opus
 * @GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS: Opus (RFC 7587)
 * @GST_RTSP_SERVER_SINK_AUDIO_CODEC_AAC: AAC (RFC 3640)
 * @GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU: G.711 µ-law, 8 kHz, one channel
 *   (RFC 3551)
 * @GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMA: G.711 A-law, likewise
 * @GST_RTSP_SERVER_SINK_AUDIO_CODEC_L16: uncompressed, 16 bit (RFC 3551)
 *
 * What viewers hear.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_OPUS,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_AAC,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMU,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_PCMA,
  GST_RTSP_SERVER_SINK_AUDIO_CODEC_L16,
} GstRtspServerSinkAudioCodec;

#define GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC \
    (gst_rtsp_server_sink_audio_codec_get_type ())
GType gst_rtsp_server_sink_audio_codec_get_type (void);

/**
 * GstRtspServerSinkSync:
 * @GST_RTSP_SERVER_SINK_SYNC_AUTO: live input is served as it comes, other
 *   input at the speed of its time stamps
 * @GST_RTSP_SERVER_SINK_SYNC_TRUE: at the speed of the time stamps
 * @GST_RTSP_SERVER_SINK_SYNC_FALSE: as it comes
 *
 * Whether frames wait for their time.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_RTSP_SERVER_SINK_SYNC_AUTO,
  GST_RTSP_SERVER_SINK_SYNC_TRUE,
  GST_RTSP_SERVER_SINK_SYNC_FALSE,
} GstRtspServerSinkSync;

/**
 * GstRtspServerSinkTimestampMode:
 * @GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO: the buffer's time stamp, as long
 *   as it agrees with the clock
 * @GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS: the buffer's time stamp, whatever
 *   it says
 * @GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL: the time at which the buffer
 *   arrives
 *
 * Which time a frame is said to be of.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO,
  GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS,
  GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL,
} GstRtspServerSinkTimestampMode;

#define GST_TYPE_RTSP_SERVER_SINK_CODEC \
    (gst_rtsp_server_sink_codec_get_type ())
GType gst_rtsp_server_sink_codec_get_type (void);

#define GST_TYPE_RTSP_SERVER_SINK_SYNC \
    (gst_rtsp_server_sink_sync_get_type ())
GType gst_rtsp_server_sink_sync_get_type (void);

#define GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE \
    (gst_rtsp_server_sink_timestamp_mode_get_type ())
GType gst_rtsp_server_sink_timestamp_mode_get_type (void);

/**
 * GstRtspServerSinkShared:
 * @GST_RTSP_SERVER_SINK_SHARED_AUTO: the first viewers get a media of their
 *   own, all others share one
 * @GST_RTSP_SERVER_SINK_SHARED_TRUE: all viewers share one media
 * @GST_RTSP_SERVER_SINK_SHARED_FALSE: each viewer has a media of its own
 *
 * Who shares the RTP session, the sockets and the threads that a media takes.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_RTSP_SERVER_SINK_SHARED_AUTO,
  GST_RTSP_SERVER_SINK_SHARED_TRUE,
  GST_RTSP_SERVER_SINK_SHARED_FALSE,
} GstRtspServerSinkShared;

#define GST_TYPE_RTSP_SERVER_SINK_SHARED \
    (gst_rtsp_server_sink_shared_get_type ())
GType gst_rtsp_server_sink_shared_get_type (void);
