/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

GstElement *rtsp_sink_choose_encoder (const RtspSinkVideoCodec * codec,
    const gchar * description, GError ** error);

GstElement *rtsp_sink_choose_decoder (const GstCaps * caps, GError ** error);
