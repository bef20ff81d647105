/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/gst.h>

gboolean rtsp_sink_packets_can_follow (const GstCaps * old,
    const GstCaps * caps);

gboolean rtsp_sink_packets_find_next_seqnum (GstBufferList * packets,
    guint16 * next);
