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
} RtspSinkUnit;

gboolean rtsp_sink_unit_init (RtspSinkUnit * self, GstBufferList * packets);

void rtsp_sink_unit_clear (RtspSinkUnit * self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RtspSinkUnit, rtsp_sink_unit_clear)

RtspSinkDatagrams *rtsp_sink_unit_get_datagrams (RtspSinkUnit * self);

GstBufferList *rtsp_sink_unit_renumber (const RtspSinkUnit * self,
    guint16 first);
