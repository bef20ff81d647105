/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#include "sendertest.h"

#include <gst/check/gstcheck.h>

#include "rtpunits.h"

RtspSinkSenderGate
unit_source_push_list (UnitSource * self, RtspSinkSender * sender,
    GstBufferList * packets, gboolean key)
{
  g_auto (RtspSinkAccessUnit) unit = { 0, };
  RtspSinkSenderGate gate;

  fail_unless (rtsp_sink_access_unit_init (&unit, packets));
  fail_unless_equals_int (unit.key, key);
  unit.came = self->came != 0 ? self->came : self->pts;
  gate = rtsp_sink_sender_push (sender, &unit);

  self->seqnum += unit.n_packets;
  self->pts += UNIT_DURATION;
  return gate;
}

RtspSinkSenderGate
unit_source_push (UnitSource * self, RtspSinkSender * sender, guint n,
    gsize payload, gboolean key)
{
  GstBufferList *packets =
      rtp_unit_new (self->seqnum, n, payload, self->pts, key);
  RtspSinkSenderGate gate = unit_source_push_list (self, sender, packets, key);

  gst_buffer_list_unref (packets);
  return gate;
}

RtspSinkSenderStats
sender_stats (RtspSinkSender * sender)
{
  RtspSinkSenderStats stats = { 0, };

  rtsp_sink_sender_add_stats (sender, &stats);
  return stats;
}

void
sender_expect_state (RtspSinkSender * sender, gboolean open, gboolean slow)
{
  RtspSinkSenderStats stats = sender_stats (sender);

  fail_unless_equals_int (stats.open, open);
  fail_unless_equals_int (stats.slow, slow);
}
