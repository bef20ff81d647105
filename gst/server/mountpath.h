/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_PATH_H__
#define __RTSP_SINK_PATH_H__

#include <gio/gio.h>
#include <gst/rtsp/gstrtspurl.h>

G_BEGIN_DECLS

gchar *rtsp_sink_path_from_mount (const gchar * mount, GError ** error);

gchar *rtsp_sink_path_from_request (const GstRTSPUrl * url);

gchar *rtsp_sink_path_to_uri (const gchar * path, const gchar * address,
    guint port);

G_END_DECLS

#endif
