/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_JPEG_H__
#define __RTSP_SINK_JPEG_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* What stands before the scan of a picture. */
typedef struct
{
  const gchar *obstacle;        /* to sending it, for a sentence; NULL: none */
  gsize size;                   /* in bytes */
  gsize n_fill;                 /* of which these are filled in */
} RtspSinkJpegHeader;

gboolean rtsp_sink_jpeg_read (GstBuffer * picture, RtspSinkJpegHeader * header);

GstBuffer *rtsp_sink_jpeg_drop_fill (GstBuffer * picture,
    const RtspSinkJpegHeader * header);

G_END_DECLS

#endif
