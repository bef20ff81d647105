/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

GstElement *rtsp_sink_nvmm_feed (GstElement * encoder);

GstCaps *rtsp_sink_nvmm_get_taken (GstElement * encoder);

void rtsp_sink_nvmm_bypass (GstElement * encoder);
