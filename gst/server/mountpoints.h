/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#define RTSP_SINK_TYPE_MOUNT_POINTS (rtsp_sink_mount_points_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkMountPoints, rtsp_sink_mount_points, RTSP_SINK, MOUNT_POINTS, GstRTSPMountPoints)

GstRTSPMountPoints *rtsp_sink_mount_points_new (void);

void rtsp_sink_mount_points_add (GstRTSPMountPoints * self,
    const gchar * path, GstRTSPMediaFactory * factory);

void rtsp_sink_mount_points_remove (GstRTSPMountPoints * self,
    const gchar * path);
