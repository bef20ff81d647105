/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

const gchar *rtsp_sink_memories_get_device (const GstCaps * caps, guint i);

gboolean rtsp_sink_memories_has_device (const GstCaps * caps);

gboolean rtsp_sink_memories_has_machine (const GstCaps * caps);

gboolean rtsp_sink_memories_parse (GstVideoInfo * info, const GstCaps * caps);

gboolean rtsp_sink_memories_is_drm_420 (const gchar * drm_format);

gboolean rtsp_sink_memories_answer (GstQuery * query, const GstCaps * allowed);

gboolean rtsp_sink_memories_is_taken (const GstCaps * taken,
    const GstCaps * caps);

void rtsp_sink_memories_set_error (const GstCaps * caps, GError ** error,
    const gchar * reason, ...) G_GNUC_PRINTF (3, 4);

void rtsp_sink_memories_set_upload_error (const gchar * encoder,
    const GstCaps * taken, GError ** error);
