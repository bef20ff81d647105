/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/sender.h"

typedef struct _RtspSinkViewer RtspSinkViewer;

RtspSinkViewer *rtsp_sink_viewer_new (GPtrArray * senders);

RtspSinkViewer *rtsp_sink_viewer_ref (RtspSinkViewer * self);

void rtsp_sink_viewer_unref (RtspSinkViewer * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkViewer, rtsp_sink_viewer_unref)

RtspSinkSender *rtsp_sink_viewer_get_sender (RtspSinkViewer * self,
    guint stream);

guint rtsp_sink_viewer_get_id (RtspSinkViewer * self);

const gchar *rtsp_sink_viewer_get_peer (RtspSinkViewer * self);

const gchar *rtsp_sink_viewer_get_transport_name (RtspSinkViewer *
    self);

gboolean rtsp_sink_viewer_is_open (RtspSinkViewer * self);

void rtsp_sink_viewer_dismiss (RtspSinkViewer * self,
    const gchar * reason);

GstStructure *rtsp_sink_viewer_describe (RtspSinkViewer * self);
