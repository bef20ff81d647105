/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

void rtsp_sink_library_elements_apply (GstElement * element, const gchar * name);
