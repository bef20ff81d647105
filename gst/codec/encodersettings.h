/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_ENCODER_SETTINGS_H__
#define __RTSP_SINK_ENCODER_SETTINGS_H__

#include "codec/encodertable.h"

G_BEGIN_DECLS

void rtsp_sink_encoder_settings_apply (GstElement * encoder,
    const RtspSinkEncoderRow * row);

void rtsp_sink_encoder_settings_translate (GstElement * encoder,
    const RtspSinkEncoderRow * row);

void rtsp_sink_encoder_settings_set (GstElement * encoder,
    const RtspSinkEncoderRow * row, const gchar * names, guint64 value);

G_END_DECLS

#endif
