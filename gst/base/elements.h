/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

GstElement *rtsp_sink_elements_make (const gchar * factory, const gchar * name,
    GError ** error);

GstElement *rtsp_sink_elements_add (GstBin * bin, const gchar * factory,
    const gchar * name, GError ** error);

void rtsp_sink_elements_set (GstElement * element, const gchar * settings);

void rtsp_sink_elements_set_caps (GstElement * capsfilter,
    const gchar * description);

gboolean rtsp_sink_elements_link (GstElement * first, GstElement * second,
    GError ** error);

gboolean rtsp_sink_elements_sync_state (GstElement * element);

gboolean rtsp_sink_elements_check (const gchar * factory, GError ** error);
