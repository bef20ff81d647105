/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "media/viewers.h"

typedef struct _RtspSinkMedia RtspSinkMedia;

/* Who made a media, and is told when it is gone. */
typedef struct
{
  GObject *owner;
  /* Any thread. The owner may be gone, too. */
  void (*gone) (gpointer user_data);
  gpointer user_data;
  RtspSinkViewers *viewers;     /* of the element: its own are among them */
  GstClockTime max_delay;       /* how far a viewer may fall behind */
  gboolean feedback;            /* viewers may ask for key units by RTCP */
} RtspSinkMediaConfig;

GstElement *rtsp_sink_media_make_element (GPtrArray * fanouts);

RtspSinkMedia *rtsp_sink_media_tie (GstRTSPMedia * media,
    const RtspSinkMediaConfig * config);

RtspSinkMedia *rtsp_sink_media_find (GstRTSPMedia * media);

gboolean rtsp_sink_media_is_over (RtspSinkMedia * self, GPtrArray * offered);

void rtsp_sink_media_keep (RtspSinkMedia * self);

void rtsp_sink_media_release (RtspSinkMedia * self);

void rtsp_sink_media_prepare_play (RtspSinkMedia * self,
    RtspSinkViewer * viewer);

RtspSinkViewer *rtsp_sink_media_admit (RtspSinkMedia * self,
    GstRTSPContext * ctx,
    void (*dismiss) (GObject * client, const gchar * reason));

gboolean rtsp_sink_media_play (RtspSinkMedia * self,
    RtspSinkViewer * viewer);

void rtsp_sink_media_start (RtspSinkMedia * self,
    RtspSinkViewer * viewer);

void rtsp_sink_media_pause (RtspSinkMedia * self,
    RtspSinkViewer * viewer);

void rtsp_sink_media_leave (RtspSinkMedia * self,
    RtspSinkViewer * viewer, const gchar * reason);
