/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

GstCaps *rtsp_sink_encoder_formats_get (GstElement * encoder);
