/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* What stands before the scan of a picture. */
typedef struct
{
  const gchar *obstacle;        /* to sending it, for a sentence; NULL: none */
  gsize size;                   /* in bytes */
  gsize n_fill;                 /* of which these are filled in */
} RtspSinkJpegHeader;

gboolean rtsp_sink_jpeg_check_read (GstBuffer * picture, RtspSinkJpegHeader * header);

GstBuffer *rtsp_sink_jpeg_check_drop_fill (GstBuffer * picture,
    const RtspSinkJpegHeader * header);
