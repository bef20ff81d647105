/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GMutex lock;
  /* Guarded by lock. Nothing is called while it is held. */
  GQueue waiting;               /* of GstMessage */
  gboolean posting;
  guint n_unread;               /* made, and not freed by who gets them */
  guint n_missed;               /* not made meanwhile */
} RtspSinkMessages;

void rtsp_sink_messages_init (RtspSinkMessages * self);

void rtsp_sink_messages_clear (RtspSinkMessages * self);

void rtsp_sink_messages_post (RtspSinkMessages * self, GstElement * element,
    GstStructure * structure);

void rtsp_sink_messages_post_warning (RtspSinkMessages * self,
    GstElement * element, const gchar * text);
