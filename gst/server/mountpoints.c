/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The library's mount points, with paths compared in one spelling.
 *
 * The library answers a DESCRIBE by the media that it made for the one before on
 * the same connection, if the path is the same and nothing was set up: what that
 * tells may not be true any more. So each factory is mounted in two spellings,
 * of which the DESCRIBEs of a connection take turns.
 *
 * Viewers' threads, unless marked otherwise. */

#include "server/mountpoints.h"

#include "server/mountpath.h"

struct _RtspSinkMountPoints
{
  GstRTSPMountPoints parent;
};

G_DEFINE_FINAL_TYPE (RtspSinkMountPoints, rtsp_sink_mount_points,
    GST_TYPE_RTSP_MOUNT_POINTS);

static gchar *
other_spelling (const gchar * path)
{
  return g_strconcat (path, "/", NULL);
}

/* Hangs on a client. */
#define TURN "rtspserversink-describe-turn"

/* Alternates the spelling per client. */
static gboolean
take_turn (GObject * client)
{
  gboolean other = g_object_get_data (client, TURN) != NULL;

  g_object_set_data (client, TURN, GINT_TO_POINTER (!other));
  return other;
}

/* The library asks for DESCRIBE alone; for other methods it asks the client. */
static gchar *
rtsp_sink_mount_points_make_path (GstRTSPMountPoints * mounts,
    const GstRTSPUrl * url)
{
  g_autofree gchar *path = rtsp_sink_mount_path_from_request (url);
  GstRTSPContext *ctx = gst_rtsp_context_get_current ();

  if (ctx != NULL && take_turn (G_OBJECT (ctx->client)))
    return other_spelling (path);
  return g_steal_pointer (&path);
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
  return g_object_new (RTSP_SINK_TYPE_MOUNT_POINTS, NULL);
}

/**
 * rtsp_sink_mount_points_add:
 * @path: from rtsp_sink_mount_path_from_mount()
 *
 * Application's thread.
 */
void
rtsp_sink_mount_points_add (GstRTSPMountPoints * self, const gchar * path,
    GstRTSPMediaFactory * factory)
{
  g_autofree gchar *other = other_spelling (path);

  gst_rtsp_mount_points_add_factory (self, path, g_object_ref (factory));
  gst_rtsp_mount_points_add_factory (self, other, g_object_ref (factory));
}

/* Application's thread. */
void
rtsp_sink_mount_points_remove (GstRTSPMountPoints * self, const gchar * path)
{
  g_autofree gchar *other = other_spelling (path);

  gst_rtsp_mount_points_remove_factory (self, path);
  gst_rtsp_mount_points_remove_factory (self, other);
}
