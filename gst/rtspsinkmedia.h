/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_MEDIA_H__
#define __RTSP_SINK_MEDIA_H__

#include "rtspsinkdelivery.h"
#include "rtspsinkfanout.h"

G_BEGIN_DECLS

typedef struct _RtspSinkMedia RtspSinkMedia;

/* Who made a media, and is told when it is gone. */
typedef struct
{
  RtspSinkFanout *fanout;       /* lives as long as the owner */
  GObject *owner;
  /* Any thread. The owner may be gone, too. */
  void (*gone) (gpointer user_data);
  gpointer user_data;
} RtspSinkMediaConfig;

RtspSinkMedia *rtsp_sink_media_tie (GstRTSPMedia * media,
    const RtspSinkMediaConfig * config);

RtspSinkMedia *rtsp_sink_media_find (GstRTSPMedia * media);

gboolean rtsp_sink_media_is_over (RtspSinkMedia * self);

void rtsp_sink_media_set_kept (RtspSinkMedia * self, gboolean kept);

GSocket *rtsp_sink_media_get_socket (RtspSinkMedia * self,
    GstRTSPStreamTransport * transport);

void rtsp_sink_media_resume (RtspSinkMedia * self, RtspSinkSender * sender);

gboolean rtsp_sink_media_play (RtspSinkMedia * self, RtspSinkSender * sender);

void rtsp_sink_media_pause (RtspSinkMedia * self, RtspSinkSender * sender);

void rtsp_sink_media_leave (RtspSinkMedia * self, RtspSinkSender * sender);

G_END_DECLS

#endif
