/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* A plugin is missing. Its code says what an application has to look for. */
#define RTSP_SINK_MISSING_ERROR rtsp_sink_missing_error_quark ()

typedef enum
{
  RTSP_SINK_MISSING_ELEMENT,    /* of a factory */
  RTSP_SINK_MISSING_ENCODER,    /* to caps */
  RTSP_SINK_MISSING_DECODER,    /* of caps */
} RtspSinkMissing;

GQuark rtsp_sink_missing_error_quark (void);

void rtsp_sink_missing_set_error (GError ** error, RtspSinkMissing what,
    const gchar * detail, const gchar * format, ...) G_GNUC_PRINTF (4, 5);

GstMessage *rtsp_sink_missing_make_message (const GError * error,
    GstElement * element);
