/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How many frames of video came, and what became of them. Any thread. */

#include "base/stats.h"

#include <string.h>

struct _RtspSinkStats
{
  GMutex lock;
  /* Guarded by lock. Nothing is called while it is held. */
  guint64 counts[RTSP_SINK_N_STATS];
};

static const gchar *const names[RTSP_SINK_N_STATS] = {
  "frames", "unwatched", "late", "misfits", "damaged",
};

RtspSinkStats *
rtsp_sink_stats_new (void)
{
  RtspSinkStats *self = g_new0 (RtspSinkStats, 1);

  g_mutex_init (&self->lock);
  return self;
}

void
rtsp_sink_stats_free (RtspSinkStats * self)
{
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
rtsp_sink_stats_add (RtspSinkStats * self, RtspSinkStat what)
{
  g_mutex_lock (&self->lock);
  self->counts[what]++;
  g_mutex_unlock (&self->lock);
}

void
rtsp_sink_stats_reset (RtspSinkStats * self)
{
  g_mutex_lock (&self->lock);
  memset (self->counts, 0, sizeof self->counts);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_stats_describe:
 *
 * Returns: (transfer full): a structure with a field for each
 */
GstStructure *
rtsp_sink_stats_describe (RtspSinkStats * self)
{
  GstStructure *stats =
      gst_structure_new_empty ("application/x-rtspserversink-stats");

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < RTSP_SINK_N_STATS; i++)
    gst_structure_set (stats, names[i], G_TYPE_UINT64, self->counts[i], NULL);
  g_mutex_unlock (&self->lock);

  return stats;
}
