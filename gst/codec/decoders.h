/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

GstElement *rtsp_sink_decoders_choose (const GstCaps * caps, GError ** error);
