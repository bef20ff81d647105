/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef enum
{
  RTSP_SINK_JPEG_WALK_BODY,     /* segments or scan: a marker comes */
  RTSP_SINK_JPEG_WALK_MARKER,   /* behind 0xff */
  RTSP_SINK_JPEG_WALK_LENGTH,   /* of a segment: two bytes */
  RTSP_SINK_JPEG_WALK_LENGTH_LOW,
  RTSP_SINK_JPEG_WALK_SEGMENT,
} RtspSinkJpegWalkState;

/* Where it is in a stream of pictures. */
typedef struct
{
  RtspSinkJpegWalkState state;
  guint8 marker;                /* of the segment */
  guint left;                   /* of the segment, in bytes */
  gboolean open;                /* a picture began, and has not ended */
  gboolean has_scan;            /* the open one */
  gboolean ended;               /* the picture before had an end marker */
  gboolean aligned;             /* the newest piece began with a picture */
  gboolean useless;             /* the newest piece has nothing of a picture */
  gboolean unended;             /* the newest piece is a picture without end */
} RtspSinkJpegWalk;

void rtsp_sink_jpeg_walk_init (RtspSinkJpegWalk * self);

gsize rtsp_sink_jpeg_walk_on (RtspSinkJpegWalk * self, GstBuffer * piece);

gboolean rtsp_sink_jpeg_walk_close (RtspSinkJpegWalk * self);
