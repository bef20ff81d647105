/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib-object.h>

typedef struct _RtspSinkLoop RtspSinkLoop;

RtspSinkLoop *rtsp_sink_loop_new (void);

void rtsp_sink_loop_free (RtspSinkLoop * self);

void rtsp_sink_loop_start (RtspSinkLoop * self);

void rtsp_sink_loop_attach (RtspSinkLoop * self, GSource * source,
    const gchar * name);

void rtsp_sink_loop_call (RtspSinkLoop * self, void (*func) (gpointer),
    gpointer user_data);

void rtsp_sink_loop_run_weakly (GMainContext * context, GSourceFunc job,
    GObject * object, const gchar * name);

void rtsp_sink_loop_hold (GMainContext * context, GObject * object,
    const gchar * name);
