/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How many frames of video came, and what became of them. Any thread. */

#include "base/stats.h"

#include <string.h>

struct _RtspSinkCounts
{
  GMutex lock;
  /* Guarded by lock. Nothing is called while it is held. */
  guint64 counts[RTSP_SINK_N_COUNTS];
};

static const gchar *const names[RTSP_SINK_N_COUNTS] = {
  "frames", "unwatched", "late", "misfits", "damaged",
};

RtspSinkCounts *
rtsp_sink_counts_new (void)
{
  RtspSinkCounts *self = g_new0 (RtspSinkCounts, 1);

  g_mutex_init (&self->lock);
  return self;
}

void
rtsp_sink_counts_free (RtspSinkCounts * self)
{
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
rtsp_sink_counts_add (RtspSinkCounts * self, RtspSinkCount what)
{
  g_mutex_lock (&self->lock);
  self->counts[what]++;
  g_mutex_unlock (&self->lock);
}

void
rtsp_sink_counts_reset (RtspSinkCounts * self)
{
  g_mutex_lock (&self->lock);
  memset (self->counts, 0, sizeof self->counts);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_counts_describe:
 *
 * Returns: (transfer full): a structure with a field for each
 */
GstStructure *
rtsp_sink_counts_describe (RtspSinkCounts * self)
{
  GstStructure *stats =
      gst_structure_new_empty ("application/x-rtspserversink-stats");

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < RTSP_SINK_N_COUNTS; i++)
    gst_structure_set (stats, names[i], G_TYPE_UINT64, self->counts[i], NULL);
  g_mutex_unlock (&self->lock);

  return stats;
}
