/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/sender.h"

typedef struct _RtspSinkViewer RtspSinkViewer;

typedef struct
{
  guint id;
  const gchar *peer;
  GPtrArray *senders;           /* of RtspSinkSender, by stream, and taken; NULL:
                                 * the viewer did not set that one up */
  /* Closes the connection soon, giving @reason, a static string. Any thread. */
  void (*dismiss) (GObject * client, const gchar * reason);
  GObject *client;
} RtspSinkViewerConfig;

RtspSinkViewer *rtsp_sink_viewer_new (const RtspSinkViewerConfig * config);

RtspSinkViewer *rtsp_sink_viewer_ref (RtspSinkViewer * self);

void rtsp_sink_viewer_unref (RtspSinkViewer * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkViewer, rtsp_sink_viewer_unref)

RtspSinkSender *rtsp_sink_viewer_get_sender (RtspSinkViewer * self,
    guint stream);

guint rtsp_sink_viewer_get_id (RtspSinkViewer * self);

const gchar *rtsp_sink_viewer_get_peer (RtspSinkViewer * self);

const gchar *rtsp_sink_viewer_get_transport_name (RtspSinkViewer * self);

gboolean rtsp_sink_viewer_is_open (RtspSinkViewer * self);

void rtsp_sink_viewer_dismiss (RtspSinkViewer * self, const gchar * reason);

GstStructure *rtsp_sink_viewer_describe (RtspSinkViewer * self);
