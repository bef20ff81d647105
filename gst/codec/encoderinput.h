/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

GstCaps *rtsp_sink_encoder_input_get_formats (GstElement * encoder);

GstElement *rtsp_sink_encoder_input_feed (GstElement * encoder);

GstCaps *rtsp_sink_encoder_input_get_taken (GstElement * encoder);

void rtsp_sink_encoder_input_bypass (GstElement * encoder);
