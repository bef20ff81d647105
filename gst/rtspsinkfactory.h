/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_FACTORY_H__
#define __RTSP_SINK_FACTORY_H__

#include <gst/rtsp-server/rtsp-server.h>

#include "rtspsinkfanout.h"

G_BEGIN_DECLS

#define RTSP_TYPE_SINK_FACTORY (rtsp_sink_factory_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkFactory, rtsp_sink_factory, RTSP, SINK_FACTORY,
    GstRTSPMediaFactory)

/* What the factory tells its owner. Viewers' threads. */
typedef struct
{
  /* A viewer plays for the first time, from @peer. */
  void (*viewer_added) (GObject * owner, guint id, const gchar * peer);

  /* It is gone. */
  void (*viewer_removed) (GObject * owner, guint id, const gchar * peer);

  /* A media is being made. Returns what media_gone gets, NULL: none may be
   * made any more. */
  gpointer (*media_made) (GObject * owner);

  /* The media is gone; the owner may be, too. Any thread. */
  void (*media_gone) (gpointer made);
} RtspSinkFactoryFuncs;

void rtsp_sink_factory_pause (RtspSinkFactory * self, GstRTSPMedia * media);

RtspSinkFactory *rtsp_sink_factory_new (RtspSinkFanout * fanout,
    const RtspSinkFactoryFuncs * funcs, GObject * owner);

gboolean rtsp_sink_factory_check (GError ** error);

void rtsp_sink_factory_play (RtspSinkFactory * self, GstRTSPMedia * media);

G_END_DECLS

#endif
