/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/viewer.h"

typedef struct _RtspSinkViewers RtspSinkViewers;

/* What the owner is told, while it lives. Viewers' threads, no lock held. */
typedef struct
{
  /* A viewer plays for the first time. */
  void (*added) (RtspSinkViewer * viewer, gpointer user_data);

  /* It is gone. */
  void (*removed) (RtspSinkViewer * viewer, const gchar * reason,
      gpointer user_data);
} RtspSinkViewersFuncs;

RtspSinkViewers *rtsp_sink_viewers_new (const RtspSinkViewersFuncs * funcs,
    GObject * owner, gpointer user_data);

RtspSinkViewers *rtsp_sink_viewers_ref (RtspSinkViewers * self);

void rtsp_sink_viewers_unref (RtspSinkViewers * self);

void rtsp_sink_viewers_set_max (RtspSinkViewers * self, guint max);

guint rtsp_sink_viewers_next_id (RtspSinkViewers * self);

gboolean rtsp_sink_viewers_add (RtspSinkViewers * self,
    RtspSinkViewer * viewer);

void rtsp_sink_viewers_tell_added (RtspSinkViewers * self,
    RtspSinkViewer * viewer);

void rtsp_sink_viewers_remove (RtspSinkViewers * self,
    RtspSinkViewer * viewer, const gchar * reason);

gboolean rtsp_sink_viewers_is_full (RtspSinkViewers * self);

guint rtsp_sink_viewers_count_playing (RtspSinkViewers * self);

gboolean rtsp_sink_viewers_dismiss (RtspSinkViewers * self, guint id,
    const gchar * reason);

GstStructure *rtsp_sink_viewers_describe (RtspSinkViewers * self);
