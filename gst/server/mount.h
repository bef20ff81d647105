/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib-object.h>

typedef struct _RtspSinkMount RtspSinkMount;

/* How long a mount bears with a client. */
typedef struct
{
  guint session_timeout;        /* s, without a sign of life */
  gint64 stall_time;            /* µs, without taking anything over TCP */
} RtspSinkMountLimits;

/* How far a client has come. */
typedef enum
{
  RTSP_SINK_MOUNT_ASKS,         /* DESCRIBE: a media is to be made or found */
  RTSP_SINK_MOUNT_HAS_MEDIA,
  RTSP_SINK_MOUNT_HAS_NONE,     /* none could be made */
} RtspSinkMountStage;

/* What a mount asks its owner, while that lives. Any thread, no lock held. */
typedef struct
{
  /* Can media be made now? If it is late, also one that may lack something. */
  gboolean (*is_ready) (gboolean late, gpointer user_data);

  /* NULL: one more may watch; else why not, in a few words. */
  const gchar *(*refuse) (const gchar * peer, RtspSinkMountStage stage,
      gpointer user_data);

  /* Connections are closed, for there are no file descriptors for them. The
   * server's thread. */
  void (*lacks_descriptors) (gpointer user_data);
} RtspSinkMountFuncs;

RtspSinkMount *rtsp_sink_mount_new (const gchar * path,
    const RtspSinkMountFuncs * funcs, const RtspSinkMountLimits * limits,
    GObject * owner, gpointer user_data);

RtspSinkMount *rtsp_sink_mount_ref (RtspSinkMount * self);

void rtsp_sink_mount_unref (RtspSinkMount * self);

const gchar *rtsp_sink_mount_get_path (RtspSinkMount * self);

const RtspSinkMountLimits *rtsp_sink_mount_get_limits (RtspSinkMount * self);

gboolean rtsp_sink_mount_serves (RtspSinkMount * self, const gchar * path);

gboolean rtsp_sink_mount_enter (RtspSinkMount * self, GObject * client);

void rtsp_sink_mount_leave (RtspSinkMount * self, GObject * client);

gboolean rtsp_sink_mount_is_ready (RtspSinkMount * self, gint64 deadline);

const gchar *rtsp_sink_mount_refuse (RtspSinkMount * self, const gchar * peer,
    RtspSinkMountStage stage);

void rtsp_sink_mount_lacks_descriptors (RtspSinkMount * self);

void rtsp_sink_mount_add_media (RtspSinkMount * self);

void rtsp_sink_mount_remove_media (RtspSinkMount * self);

void rtsp_sink_mount_changed (RtspSinkMount * self);

GPtrArray *rtsp_sink_mount_stop (RtspSinkMount * self);

gboolean rtsp_sink_mount_wait_unused (RtspSinkMount * self, gint64 deadline);
