/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct _RtspSinkEnclosure RtspSinkEnclosure;

/* Where that goes which comes out. The thread that pushes. */
typedef struct
{
  /* Transfer full. */
  GstFlowReturn (*buffer) (GstBuffer * buffer, gpointer user_data);

  /* Transfer full. */
  gboolean (*event) (GstEvent * event, gpointer user_data);
} RtspSinkEnclosureFuncs;

RtspSinkEnclosure *rtsp_sink_enclosure_new (const RtspSinkEnclosureFuncs *
    funcs, gpointer user_data);

void rtsp_sink_enclosure_free (RtspSinkEnclosure * self);

void rtsp_sink_enclosure_append (RtspSinkEnclosure * self,
    GstElement * element);

gboolean rtsp_sink_enclosure_start (RtspSinkEnclosure * self,
    GstCaps * output, GError ** error);

gchar *rtsp_sink_enclosure_take_problem (RtspSinkEnclosure * self);

gboolean rtsp_sink_enclosure_set_caps (RtspSinkEnclosure * self,
    GstCaps * caps);

gboolean rtsp_sink_enclosure_push_event (RtspSinkEnclosure * self,
    GstEvent * event);

GstFlowReturn rtsp_sink_enclosure_push (RtspSinkEnclosure * self,
    GstBuffer * buffer);

GstBufferList *rtsp_sink_enclosure_call (RtspSinkEnclosure * self,
    GstBuffer * buffer);

GstBufferList *rtsp_sink_enclosure_end (RtspSinkEnclosure * self);

void rtsp_sink_enclosure_restart (RtspSinkEnclosure * self);

void rtsp_sink_enclosure_go_on (RtspSinkEnclosure * self,
    RtspSinkEnclosure * old);

GstCaps *rtsp_sink_enclosure_get_caps (RtspSinkEnclosure * self);
