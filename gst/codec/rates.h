/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <glib.h>

typedef struct _RtspSinkRates RtspSinkRates;

RtspSinkRates *rtsp_sink_rates_new (void);

RtspSinkRates *rtsp_sink_rates_ref (RtspSinkRates * self);

void rtsp_sink_rates_unref (RtspSinkRates * self);

void rtsp_sink_rates_set (RtspSinkRates * self, guint bitrate,
    guint key_unit_interval);

guint rtsp_sink_rates_get_key_unit_interval (RtspSinkRates * self);

gboolean rtsp_sink_rates_take_change (RtspSinkRates * self, gint * version,
    guint * bitrate, guint * key_unit_interval);
