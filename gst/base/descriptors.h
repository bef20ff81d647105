/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib.h>

gboolean rtsp_sink_descriptors_check (GError ** error);

gboolean rtsp_sink_descriptors_are_scarce (void);

gboolean rtsp_sink_descriptors_are_short (void);

gboolean rtsp_sink_descriptors_were_short (void);

gboolean rtsp_sink_descriptors_are_tight (void);

gboolean rtsp_sink_descriptors_reserve (guint n);

void rtsp_sink_descriptors_release (guint n);
