/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

/* What the actions do. Any thread. */
typedef struct
{
  GstStructure *(*get_viewers) (GstElement * element);
  gboolean (*remove_viewer) (GstElement * element, guint id);
  gboolean (*force_key_unit) (GstElement * element);
} RtspSinkActions;

void rtsp_sink_signals_install (GType type, const RtspSinkActions * actions);
