/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

typedef struct _RtspSinkDatagrams RtspSinkDatagrams;

RtspSinkDatagrams *rtsp_sink_datagrams_new (GstBufferList * packets);

void rtsp_sink_datagrams_free (RtspSinkDatagrams * self);

guint rtsp_sink_datagrams_send (RtspSinkDatagrams * self, GSocket * socket,
    GSocketAddress * address, guint16 seqnum,
    guint first);
