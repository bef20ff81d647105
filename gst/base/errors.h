/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/video/video.h>

#include "base/settings.h"

void rtsp_sink_errors_post (GstElement * element, const GError * error);

void rtsp_sink_errors_post_listen (GstElement * element,
    const RtspSinkSettings * settings, const GError * cause);

void rtsp_sink_errors_post_mount (GstElement * element,
    const RtspSinkSettings * settings, const GError * cause);

void rtsp_sink_errors_post_no_caps (GstElement * element);

void rtsp_sink_errors_post_no_audio_caps (GstElement * element);

void rtsp_sink_errors_post_incomplete_caps (GstElement * element,
    const GstCaps * caps);

void rtsp_sink_errors_post_unknown_rtp (GstElement * element,
    const GstCaps * caps);

void rtsp_sink_errors_post_no_such_video (GstElement * element,
    const gchar * codec);

void rtsp_sink_errors_warn_of_misfit (GstElement * element,
    const GstVideoInfo * info, gsize size);

void rtsp_sink_errors_warn_of_description (GstElement * element,
    const GstVideoInfo * info, gsize size);

void rtsp_sink_errors_warn_of_damage (GstElement * element,
    const gchar * codec, const gchar * problem);

void rtsp_sink_errors_warn_of_no_picture (GstElement * element,
    const gchar * codec, guint seconds);

void rtsp_sink_errors_warn_of_no_key_unit (GstElement * element,
    const gchar * codec, guint seconds);
