/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/datagrams.h"

/* One access unit on its way to viewers. */
typedef struct
{
  GstBufferList *packets;
  GstClockTime came;            /* monotonic time: it waits since then */
  GstClockTime pts;
  guint n_packets;
  gsize n_bytes;
  guint16 seqnum;               /* of the first packet */
  guint32 ssrc;
  gboolean key;

  RtspSinkDatagrams *datagrams; /* NULL: nobody needed them yet */
} RtspSinkAccessUnit;

gboolean rtsp_sink_access_unit_init (RtspSinkAccessUnit * self, GstBufferList * packets);

void rtsp_sink_access_unit_clear (RtspSinkAccessUnit * self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RtspSinkAccessUnit, rtsp_sink_access_unit_clear)

RtspSinkDatagrams *rtsp_sink_access_unit_get_datagrams (RtspSinkAccessUnit * self);

GstBufferList *rtsp_sink_access_unit_renumber (const RtspSinkAccessUnit * self,
    guint16 first);
