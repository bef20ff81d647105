/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What is known about each encoder: a const table, from GStreamer's sources
 * (1.22 to 1.28) and those of NVIDIA's and Rockchip's elements. A setting that
 * a version lacks is left out. Any thread; no locks. */

#include "codec/encodertable.h"

#define H264 GST_RTSP_SERVER_SINK_CODEC_H264
#define H265 GST_RTSP_SERVER_SINK_CODEC_H265
#define VP8 GST_RTSP_SERVER_SINK_CODEC_VP8
#define VP9 GST_RTSP_SERVER_SINK_CODEC_VP9
#define AV1 GST_RTSP_SERVER_SINK_CODEC_AV1
#define JPEG GST_RTSP_SERVER_SINK_CODEC_JPEG

#define HARDWARE RTSP_SINK_ENCODER_HARDWARE
#define HARDWARE_V4L2 (RTSP_SINK_ENCODER_HARDWARE | RTSP_SINK_ENCODER_V4L2)
#define HARDWARE_JETSON (RTSP_SINK_ENCODER_HARDWARE | \
    RTSP_SINK_ENCODER_ACTION | RTSP_SINK_ENCODER_NVMM)

#define BPS 1
#define KBPS 1000

#define NO_BITRATE NULL, 0
#define ALL_KEY_UNITS NULL, NULL

/* Too long to matter. */
#define NEVER "1073741824"
/* rav1e refuses more than a third of the largest gint. */
#define NEVER_RAV1E "715827882"
/* For hardware half a minute or so: some drivers ignore requests, and their
 * viewers still come in. 1024 is the most that VA takes; QSV counts in 16 bit. */
#define RARE "1024"

/* libaom's assertion fails with a max-quantizer of 0, the element's default. */
#define AV1ENC_SETTINGS "usage-profile=realtime cpu-used=9 end-usage=cbr " \
    "lag-in-frames=0 max-quantizer=63 buf-sz=1000 buf-initial-sz=500 " \
    "buf-optimal-sz=600"

#define VPX_SETTINGS "deadline=1 cpu-used=8 end-usage=cbr lag-in-frames=0 " \
    "keyframe-mode=disabled buffer-size=1000 buffer-initial-size=500 " \
    "buffer-optimal-size=600"

#define VA_SETTINGS "rate-control=cbr b-frames=0"
/* Of golden frames' group none is in the future. */
#define VA_GROUP_SETTINGS "rate-control=cbr hierarchical-level=1"

#define VAAPI_SETTINGS "rate-control=cbr max-bframes=0"

/* Names before 1.24 and after. */
#define NV_SETTINGS "preset=low-latency-hq tune=ultra-low-latency " \
    "rc-mode=cbr rate-control=cbr zerolatency=true zero-reorder-delay=true " \
    "bframes=0 b-frames=0 rc-lookahead=0 repeat-sequence-header=true"

#define NVV4L2_SETTINGS "control-rate=constant_bitrate " \
    "preset-level=UltraFastPreset maxperf-enable=true insert-sps-pps=true " \
    "num-B-Frames=0"
#define NVV4L2_INTERVAL "iframeinterval idrinterval"

/* The kernel's names of V4L2_CID_MPEG_VIDEO_..., as v4l2-ctl shows them. Before
 * 1.22.x GStreamer asks no driver for a key unit. */
#define V4L2_SETTINGS "extra-controls=controls,video_bitrate_mode=1," \
    "video_b_frames=0,repeat_sequence_header=1"
#define V4L2_VPX_SETTINGS "extra-controls=controls,video_bitrate_mode=1"

#define QSV_SETTINGS "low-latency=true rate-control=cbr b-frames=0"
#define MSDK_SETTINGS "async-depth=1 rate-control=cbr b-frames=0"

#define MPP_SETTINGS "rc-mode=cbr header-mode=each-idr"

#define OMX_SETTINGS "control-rate=constant b-frames=0"

/* Software in the order in which it is tried, hardware where names overlap in
 * the order in which they are looked up. */
static const RtspSinkEncoderRow rows[] = {
  {"x264enc", H264, "tune=zerolatency speed-preset=ultrafast bframes=0 "
        "b-adapt=false", "bitrate", KBPS, "key-int-max", NEVER,
      RTSP_SINK_ENCODER_INTERLACED | RTSP_SINK_ENCODER_RATED |
        RTSP_SINK_ENCODER_SHAPED},
  {"openh264enc", H264, "usage-type=camera complexity=low "
        "rate-control=bitrate enable-frame-skip=false", "bitrate", BPS,
      "gop-size", NEVER, 0},
  /* Opens its codec when the size is known; Debian's libav lacks OpenMAX. */
  {"avenc_h264_omx", H264, "max-bframes=0", "bitrate", BPS, "gop-size", NULL,
      HARDWARE | RTSP_SINK_ENCODER_NAMED},
  {"x265enc", H265, "tune=zerolatency speed-preset=ultrafast", "bitrate",
      KBPS, "key-int-max", NEVER, RTSP_SINK_ENCODER_RATED |
        RTSP_SINK_ENCODER_SHAPED},
  {"vp8enc", VP8, VPX_SETTINGS, "target-bitrate", BPS, "keyframe-max-dist",
      NEVER, 0},
  {"vp9enc", VP9, VPX_SETTINGS " row-mt=true", "target-bitrate", BPS,
      "keyframe-max-dist", NEVER, 0},
  /* Deaf before 1.24.12. */
  {"av1enc", AV1, AV1ENC_SETTINGS, "target-bitrate", KBPS,
      "keyframe-max-dist", NULL, 0},
  /* Constant only if both bit rates are the same, and deaf if there is one. */
  {"svtav1enc", AV1, "preset=10 intra-refresh-type=IDR "
        "parameters-string=pred-struct=1", "target-bitrate max-bitrate", KBPS,
      "intra-period-length", NULL, 0},
  {"rav1enc", AV1, "low-latency=true speed-preset=10 rdo-lookahead-frames=1 "
        "min-key-frame-interval=0", "bitrate", BPS, "max-key-frame-interval",
      NEVER_RAV1E, 0},
  {"jpegenc", JPEG, "quality=85", NO_BITRATE, ALL_KEY_UNITS, 0},
  /* RTP carries no Huffman tables. Its bit rate is not kept. */
  {"avenc_mjpeg", JPEG, "huffman=default force-duplicated-matrix=true qmin=3 "
        "qmax=3", NO_BITRATE, ALL_KEY_UNITS, 0},

  {"vaapih264enc", H264, VAAPI_SETTINGS, "bitrate", KBPS, "keyframe-period",
      RARE, HARDWARE},
  {"vaapih265enc", H265, VAAPI_SETTINGS, "bitrate", KBPS, "keyframe-period",
      RARE, HARDWARE},
  {"vaapivp8enc", VP8, "rate-control=cbr", "bitrate", KBPS,
      "keyframe-period", NULL, HARDWARE},
  {"vaapivp9enc", VP9, "rate-control=cbr", "bitrate", KBPS,
      "keyframe-period", NULL, HARDWARE},
  {"vaapijpegenc", JPEG, "quality=85", NO_BITRATE, ALL_KEY_UNITS, HARDWARE},

  {"va*h264enc", H264, VA_SETTINGS, "bitrate", KBPS, "key-int-max", RARE,
      HARDWARE},
  {"va*h264lpenc", H264, VA_SETTINGS, "bitrate", KBPS, "key-int-max", RARE,
      HARDWARE},
  {"va*h265enc", H265, VA_SETTINGS, "bitrate", KBPS, "key-int-max", RARE,
      HARDWARE},
  {"va*h265lpenc", H265, VA_SETTINGS, "bitrate", KBPS, "key-int-max", RARE,
      HARDWARE},
  /* Deaf before 1.26, as is VP9. */
  {"va*vp8enc", VP8, "rate-control=cbr", "bitrate", KBPS, "key-int-max", NULL,
      HARDWARE},
  {"va*vp8lpenc", VP8, "rate-control=cbr", "bitrate", KBPS, "key-int-max",
      NULL, HARDWARE},
  {"va*vp9enc", VP9, VA_GROUP_SETTINGS, "bitrate", KBPS, "key-int-max", NULL,
      HARDWARE},
  {"va*vp9lpenc", VP9, VA_GROUP_SETTINGS, "bitrate", KBPS, "key-int-max",
      NULL, HARDWARE},
  {"va*av1enc", AV1, VA_GROUP_SETTINGS, "bitrate", KBPS, "key-int-max", RARE,
      HARDWARE},
  {"va*av1lpenc", AV1, VA_GROUP_SETTINGS, "bitrate", KBPS, "key-int-max",
      RARE, HARDWARE},
  {"va*jpegenc", JPEG, "quality=85", NO_BITRATE, ALL_KEY_UNITS, HARDWARE},

  {"nvv4l2h264enc", H264, NVV4L2_SETTINGS, "bitrate", BPS, NVV4L2_INTERVAL,
      NULL, HARDWARE_JETSON},
  {"nvv4l2h265enc", H265, NVV4L2_SETTINGS, "bitrate", BPS, NVV4L2_INTERVAL,
      NULL, HARDWARE_JETSON},
  {"nvv4l2vp8enc", VP8, NVV4L2_SETTINGS, "bitrate", BPS, NVV4L2_INTERVAL,
      NULL, HARDWARE_JETSON},
  {"nvv4l2vp9enc", VP9, NVV4L2_SETTINGS, "bitrate", BPS, NVV4L2_INTERVAL,
      NULL, HARDWARE_JETSON},
  {"nvv4l2av1enc", AV1, NVV4L2_SETTINGS, "bitrate", BPS, NVV4L2_INTERVAL,
      NULL, HARDWARE_JETSON},
  /* Jetson's, or GStreamer's since 1.24. */
  {"nvjpeg*enc", JPEG, "quality=85", NO_BITRATE, ALL_KEY_UNITS, HARDWARE},
  {"nv*h264*enc", H264, NV_SETTINGS, "bitrate", KBPS, "gop-size", "-1",
      HARDWARE},
  {"nv*h265*enc", H265, NV_SETTINGS, "bitrate", KBPS, "gop-size", "-1",
      HARDWARE},
  {"nv*av1*enc", AV1, NV_SETTINGS, "bitrate", KBPS, "gop-size", "-1",
      HARDWARE},

  {"v4l2*h264enc", H264, V4L2_SETTINGS, "video_bitrate", BPS,
      "h264_i_frame_period video_gop_size", NULL, HARDWARE_V4L2},
  {"v4l2*h265enc", H265, V4L2_SETTINGS, "video_bitrate", BPS,
      "video_gop_size", NULL, HARDWARE_V4L2},
  {"v4l2*vp8enc", VP8, V4L2_VPX_SETTINGS, "video_bitrate", BPS,
      "video_gop_size", NULL, HARDWARE_V4L2},
  {"v4l2*vp9enc", VP9, V4L2_VPX_SETTINGS, "video_bitrate", BPS,
      "video_gop_size", NULL, HARDWARE_V4L2},
  {"v4l2*jpegenc", JPEG, "extra-controls=controls,compression_quality=85",
      NO_BITRATE, ALL_KEY_UNITS, HARDWARE_V4L2},

  {"qsvh264*enc", H264, QSV_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  /* Else only the first I frame is a key unit. */
  {"qsvh265*enc", H265, QSV_SETTINGS " idr-interval=1", "bitrate", KBPS,
      "gop-size", RARE, HARDWARE},
  {"qsvvp9*enc", VP9, QSV_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  {"qsvav1*enc", AV1, QSV_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  {"qsvjpeg*enc", JPEG, "low-latency=true quality=85", NO_BITRATE,
      ALL_KEY_UNITS, HARDWARE},

  {"msdkh264enc", H264, MSDK_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  {"msdkh265enc", H265, MSDK_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  {"msdkvp9enc", VP9, MSDK_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  {"msdkav1enc", AV1, MSDK_SETTINGS, "bitrate", KBPS, "gop-size", RARE,
      HARDWARE},
  {"msdkmjpegenc", JPEG, "async-depth=1 quality=85", NO_BITRATE,
      ALL_KEY_UNITS, HARDWARE},

  /* Deaf before the middle of 2021. */
  {"mpph264enc", H264, MPP_SETTINGS, "bps", BPS, "gop", NULL, HARDWARE},
  {"mpph265enc", H265, MPP_SETTINGS, "bps", BPS, "gop", NULL, HARDWARE},
  {"mppvp8enc", VP8, "rc-mode=cbr", "bps", BPS, "gop", NULL, HARDWARE},
  {"mppjpegenc", JPEG, NULL, NO_BITRATE, ALL_KEY_UNITS, HARDWARE},

  {"omxh264enc", H264, OMX_SETTINGS, "target-bitrate", BPS,
      "interval-intraframes", RARE, HARDWARE},
  {"omxh265enc", H265, OMX_SETTINGS, "target-bitrate", BPS,
      "interval-intraframes", RARE, HARDWARE},
};

/**
 * rtsp_sink_encoder_table_get:
 *
 * Returns: (nullable): a row
 */
const RtspSinkEncoderRow *
rtsp_sink_encoder_table_get (guint i)
{
  return i < G_N_ELEMENTS (rows) ? &rows[i] : NULL;
}

/**
 * rtsp_sink_encoder_table_find:
 * @factory: an encoder's factory's name
 *
 * Returns: (nullable): what is known about it; a row that comes before another
 *   is at a lower address
 */
const RtspSinkEncoderRow *
rtsp_sink_encoder_table_find (const gchar * factory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (g_pattern_match_simple (rows[i].factory, factory))
      return &rows[i];
  }
  return NULL;
}
