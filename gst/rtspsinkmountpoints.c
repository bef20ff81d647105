/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The library's mount points, with paths compared in one spelling. Viewers'
 * threads. */

#include "rtspsinkmountpoints.h"

#include "rtspsinkpath.h"

struct _RtspSinkMountPoints
{
  GstRTSPMountPoints parent;
};

G_DEFINE_FINAL_TYPE (RtspSinkMountPoints, rtsp_sink_mount_points,
    GST_TYPE_RTSP_MOUNT_POINTS);

static gchar *
rtsp_sink_mount_points_make_path (GstRTSPMountPoints * mounts,
    const GstRTSPUrl * url)
{
  return rtsp_sink_path_from_request (url->abspath);
}

static void
rtsp_sink_mount_points_class_init (RtspSinkMountPointsClass * klass)
{
  GST_RTSP_MOUNT_POINTS_CLASS (klass)->make_path =
      rtsp_sink_mount_points_make_path;
}

static void
rtsp_sink_mount_points_init (RtspSinkMountPoints * self)
{
}

/**
 * rtsp_sink_mount_points_new:
 *
 * Returns: (transfer full): mount points without mounts
 */
GstRTSPMountPoints *
rtsp_sink_mount_points_new (void)
{
  return g_object_new (RTSP_TYPE_SINK_MOUNT_POINTS, NULL);
}
