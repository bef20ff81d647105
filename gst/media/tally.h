/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/interleaved.h"
#include "media/accessunit.h"

/* Its fields are its own. */
typedef struct
{
  guint64 n_units;              /* sent */
  guint64 n_packets;
  guint64 n_bytes;
  guint64 n_lost;               /* datagrams that the socket did not take */
  guint n_skips;                /* how often the viewer was slow */
} RtspSinkTally;

void rtsp_sink_tally_sent (RtspSinkTally * self, const RtspSinkAccessUnit * unit);

void rtsp_sink_tally_lost (RtspSinkTally * self, const RtspSinkAccessUnit * unit,
    guint n_sent);

void rtsp_sink_tally_take_back (RtspSinkTally * self,
    const RtspSinkSkipped * skipped, gboolean slow);

void rtsp_sink_tally_describe (RtspSinkTally * self, GstStructure * viewer);
