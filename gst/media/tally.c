/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How much was sent to one viewer, and how much was not.
 *
 * No locks: the sender's guards it. */

#include "media/tally.h"

void
rtsp_sink_tally_sent (RtspSinkTally * self, const RtspSinkAccessUnit * unit)
{
  self->n_units++;
  self->n_packets += unit->n_packets;
  self->n_bytes += unit->n_bytes;
}

/**
 * rtsp_sink_tally_lost:
 * @n_sent: packets of @unit; the rest is lost
 */
void
rtsp_sink_tally_lost (RtspSinkTally * self, const RtspSinkAccessUnit * unit,
    guint n_sent)
{
  self->n_packets += n_sent;
  self->n_lost += unit->n_packets - n_sent;
  self->n_skips++;
}

/**
 * rtsp_sink_tally_take_back:
 * @skipped: what was taken to be sent, and is not
 * @slow: for the viewer is
 */
void
rtsp_sink_tally_take_back (RtspSinkTally * self,
    const RtspSinkSkipped * skipped, gboolean slow)
{
  self->n_units -= skipped->n_units;
  self->n_packets -= skipped->n_packets;
  self->n_bytes -= skipped->n_bytes;
  self->n_skips += slow;
}

void
rtsp_sink_tally_describe (RtspSinkTally * self, GstStructure * viewer)
{
  gst_structure_set (viewer,
      "units", G_TYPE_UINT64, self->n_units,
      "packets", G_TYPE_UINT64, self->n_packets,
      "bytes", G_TYPE_UINT64, self->n_bytes,
      "lost", G_TYPE_UINT64, self->n_lost,
      "skips", G_TYPE_UINT, self->n_skips, NULL);
}
