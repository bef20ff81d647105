/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "base/enums.h"
#include "media/media.h"
#include "stream/streams.h"

#define RTSP_SINK_TYPE_FACTORY (rtsp_sink_factory_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkFactory, rtsp_sink_factory, RTSP_SINK, FACTORY,
    GstRTSPMediaFactory)

/* With shared=auto, how many viewers get a media of their own. */
#define RTSP_SINK_FACTORY_OWN_MEDIA 4

/* What the factory tells its owner, while it lives. Viewers' threads. */
typedef struct
{
  /* A media is being made. Returns what media_gone gets, NULL: none may be
   * made any more. */
  gpointer (*media_made) (gpointer user_data);

  /* The media is gone; the owner may be, too. Any thread. */
  void (*media_gone) (gpointer made);
} RtspSinkFactoryFuncs;

typedef struct
{
  RtspSinkFactoryFuncs funcs;
  gpointer user_data;
  GObject *owner;
  RtspSinkStreams *streams;     /* live as long as the owner */
  RtspSinkViewers *viewers;
  GstRtspServerSinkShared shared;
  gboolean multicast;      /* viewers may be of one group */
  gboolean feedback;       /* viewers may ask for key units by RTCP */
  GstClockTime max_delay;
} RtspSinkFactoryConfig;

RtspSinkFactory *rtsp_sink_factory_new (const RtspSinkFactoryConfig *
    config);

void rtsp_sink_factory_stop (RtspSinkFactory * self);

gboolean rtsp_sink_factory_check (GError ** error);
