/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_PACKETS_H__
#define __RTSP_SINK_PACKETS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean rtsp_sink_packets_can_follow (const GstCaps * old,
    const GstCaps * caps);

gboolean rtsp_sink_packets_find_next_seqnum (GstBufferList * packets,
    guint16 * next);

G_END_DECLS

#endif
