/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "base/stats.h"
#include "base/settings.h"

#define RTSP_SINK_TYPE_INPUT (rtsp_sink_input_get_type ())
G_DECLARE_FINAL_TYPE (RtspSinkInput, rtsp_sink_input, RTSP_SINK, INPUT,
    GstElement)

/* What the input asks its owner. All but the last are called on the upstream
 * thread. */
typedef struct
{
  /* The source is known: may a frame of it be left out (it is live, and no
   * other frame needs it), is it paced, does it reuse few buffers? */
  void (*source_known) (gboolean droppable, gboolean paced, gboolean scarce,
      gpointer user_data);

  /* Is there a use for the next frame of a playing pipeline? */
  gboolean (*wants_frame) (gpointer user_data);

  /* Of a live source that others depend on: FALSE if it would have to wait. */
  gboolean (*has_room) (gpointer user_data);

  /* What can come in now. Transfer full. Any thread. */
  GstCaps *(*get_caps) (gpointer user_data);
} RtspSinkInputFuncs;

RtspSinkInput *rtsp_sink_input_new (const RtspSinkInputFuncs * funcs,
    gpointer user_data, RtspSinkStats * stats);

void rtsp_sink_input_want_frame (RtspSinkInput * self);

void rtsp_sink_input_set_timing (RtspSinkInput * self,
    GstRtspServerSinkSync sync, GstRtspServerSinkTimestampMode mode);
