/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gio/gio.h>
#include <gst/rtsp/gstrtspurl.h>

gchar *rtsp_sink_mount_path_from_mount (const gchar * mount, GError ** error);

gchar *rtsp_sink_mount_path_from_request (const GstRTSPUrl * url);

gchar *rtsp_sink_mount_path_to_uri (const gchar * path, const gchar * address,
    guint port);
