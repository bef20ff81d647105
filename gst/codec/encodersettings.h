/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/encodertable.h"

void rtsp_sink_encoder_settings_apply (GstElement * encoder,
    const RtspSinkEncoderRow * row);

void rtsp_sink_encoder_settings_translate (GstElement * encoder,
    const RtspSinkEncoderRow * row);

void rtsp_sink_encoder_settings_set (GstElement * encoder,
    const RtspSinkEncoderRow * row, const gchar * names, guint64 value);
