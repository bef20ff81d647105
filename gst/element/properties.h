/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

GParamSpec *rtsp_sink_properties_make (guint i);

void rtsp_sink_properties_install_status (GObjectClass * klass,
    guint first_id);
