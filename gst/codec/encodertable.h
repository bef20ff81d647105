/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/enums.h"

typedef enum
{
  RTSP_SINK_ENCODER_HARDWARE = 1 << 0,
  /* Its numbers are fields of the property extra-controls, and V4L2's. */
  RTSP_SINK_ENCODER_V4L2 = 1 << 1,
  /* Its action force-IDR asks for a key unit, an event does not. */
  RTSP_SINK_ENCODER_ACTION = 1 << 2,
  /* Says in the stream that fields are woven. */
  RTSP_SINK_ENCODER_INTERLACED = 1 << 3,
  /* It gets to READY whether or not it can encode: only for who names it. */
  RTSP_SINK_ENCODER_NAMED = 1 << 4,
  /* Takes NVIDIA's memory only. */
  RTSP_SINK_ENCODER_NVMM = 1 << 5,
  /* Does not begin, or holds back a frame, without knowing how many frames come
   * in a second. */
  RTSP_SINK_ENCODER_RATED = 1 << 6,
  /* Says in the stream which shape a pixel has. */
  RTSP_SINK_ENCODER_SHAPED = 1 << 7,
} RtspSinkEncoderFlags;

/* What is known about an encoder. */
typedef struct
{
  const gchar *factory;         /* a glob: other devices have names of their own */
  GstRtspServerSinkCodec codec;
  /* As in a launch line. No B frames and no look-ahead: the frame that goes in
   * comes out. A constant bit rate. */
  const gchar *settings;
  /* Its properties, with a space between. NULL: it has a quality instead. */
  const gchar *bitrate;
  guint bitrate_unit;           /* bit/s in one unit of the property */
  /* Properties: frames from one key unit to the next. NULL: all are. */
  const gchar *interval;
  /* The longest that is good for it, where an event brings a key unit. NULL: it
   * does not in some version, so that the encoder makes them by itself. */
  const gchar *longest;
  RtspSinkEncoderFlags flags;
} RtspSinkEncoderRow;

const RtspSinkEncoderRow *rtsp_sink_encoder_table_find (const gchar * factory);

const RtspSinkEncoderRow *rtsp_sink_encoder_table_get (guint i);
