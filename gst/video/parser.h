/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

typedef struct _RtspSinkParsing RtspSinkParsing;

/* Where access units go. The thread that pushes. */
typedef struct
{
  /* Caps, segment and end of what comes out. Transfer full. */
  gboolean (*event) (GstEvent * event, gpointer user_data);

  /* One access unit. Transfer full. */
  GstFlowReturn (*unit) (GstBuffer * unit, gpointer user_data);

  /* A piece is dropped: the parser failed at it, or it is cut short. */
  void (*damaged) (gpointer user_data);
} RtspSinkParsingFuncs;

gboolean rtsp_sink_parsing_is_needed (const RtspSinkCodec * codec,
    const GstCaps * caps);

RtspSinkParsing *rtsp_sink_parsing_new (const RtspSinkCodec * codec,
    const GstCaps * caps, GstElement * element,
    const RtspSinkParsingFuncs * funcs,
    gpointer user_data, GError ** error);

void rtsp_sink_parsing_free (RtspSinkParsing * self);

gboolean rtsp_sink_parsing_is_for (RtspSinkParsing * self,
    const RtspSinkCodec * codec, const GstCaps * caps);

gboolean rtsp_sink_parsing_event (RtspSinkParsing * self, GstEvent * event);

void rtsp_sink_parsing_drain (RtspSinkParsing * self);

void rtsp_sink_parsing_flush (RtspSinkParsing * self);

GstFlowReturn rtsp_sink_parsing_push (RtspSinkParsing * self,
    GstBuffer * buffer);
