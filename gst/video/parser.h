/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

typedef struct _RtspSinkParser RtspSinkParser;

/* Where access units go. The thread that pushes. */
typedef struct
{
  /* Caps, segment and end of what comes out. Transfer full. */
  gboolean (*event) (GstEvent * event, gpointer user_data);

  /* One access unit. Transfer full. */
  GstFlowReturn (*unit) (GstBuffer * unit, gpointer user_data);

  /* A piece is dropped: the parser failed at it, or it is cut short. */
  void (*damaged) (gpointer user_data);
} RtspSinkParserFuncs;

gboolean rtsp_sink_parser_is_needed (const RtspSinkVideoCodec * codec,
    const GstCaps * caps);

RtspSinkParser *rtsp_sink_parser_new (const RtspSinkVideoCodec * codec,
    const GstCaps * caps, GstElement * element,
    const RtspSinkParserFuncs * funcs,
    gpointer user_data, GError ** error);

void rtsp_sink_parser_free (RtspSinkParser * self);

gboolean rtsp_sink_parser_is_for (RtspSinkParser * self,
    const RtspSinkVideoCodec * codec, const GstCaps * caps);

gboolean rtsp_sink_parser_event (RtspSinkParser * self, GstEvent * event);

void rtsp_sink_parser_drain (RtspSinkParser * self);

void rtsp_sink_parser_flush (RtspSinkParser * self);

GstFlowReturn rtsp_sink_parser_push (RtspSinkParser * self,
    GstBuffer * buffer);
