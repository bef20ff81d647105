/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* A viewer of a media, with a sender for each stream that it set up. However many
 * these are, it is one viewer: counted, listed and told of once, and slow if one of
 * them is. Any thread; no locks of its own. */

#include "media/viewer.h"

struct _RtspSinkViewer
{
  /* Constant after construction. */
  guint id;
  gchar *peer;
  gint64 since;                 /* monotonic time */
  GPtrArray *senders;           /* of RtspSinkSender, or NULL, by stream */
  void (*dismiss) (GObject * client, const gchar * reason);
  GWeakRef client;
};

/**
 * rtsp_sink_viewer_new:
 *
 * Returns: (transfer full): the viewer
 */
RtspSinkViewer *
rtsp_sink_viewer_new (const RtspSinkViewerConfig * config)
{
  RtspSinkViewer *self = g_atomic_rc_box_new0 (RtspSinkViewer);

  self->id = config->id;
  self->peer = g_strdup (config->peer);
  self->since = g_get_monotonic_time ();
  self->senders = config->senders;
  self->dismiss = config->dismiss;
  g_weak_ref_init (&self->client, config->client);
  return self;
}

RtspSinkViewer *
rtsp_sink_viewer_ref (RtspSinkViewer * self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_viewer (gpointer viewer)
{
  RtspSinkViewer *self = viewer;

  for (guint i = 0; i < self->senders->len; i++)
    g_clear_pointer (&g_ptr_array_index (self->senders, i),
        rtsp_sink_sender_unref);
  g_ptr_array_unref (self->senders);
  g_weak_ref_clear (&self->client);
  g_free (self->peer);
}

void
rtsp_sink_viewer_unref (RtspSinkViewer * self)
{
  g_atomic_rc_box_release_full (self, clear_viewer);
}

/**
 * rtsp_sink_viewer_get_sender:
 *
 * Returns: (transfer none) (nullable): the sender of the stream with this
 *   number, NULL if the viewer did not set it up
 */
RtspSinkSender *
rtsp_sink_viewer_get_sender (RtspSinkViewer * self, guint stream)
{
  return stream < self->senders->len ?
      g_ptr_array_index (self->senders, stream) : NULL;
}

guint
rtsp_sink_viewer_get_id (RtspSinkViewer * self)
{
  return self->id;
}

const gchar *
rtsp_sink_viewer_get_peer (RtspSinkViewer * self)
{
  return self->peer;
}

static GstRTSPLowerTrans
get_lower_transport (RtspSinkViewer * self)
{
  for (guint i = 0; i < self->senders->len; i++) {
    RtspSinkSender *sender = g_ptr_array_index (self->senders, i);

    if (sender != NULL)
      return rtsp_sink_sender_get_lower_transport (sender);
  }
  g_return_val_if_reached (GST_RTSP_LOWER_TRANS_UNKNOWN);
}

/**
 * rtsp_sink_viewer_get_transport_name:
 *
 * Returns: the nick of the lower transport, of the first stream if they differ
 */
const gchar *
rtsp_sink_viewer_get_transport_name (RtspSinkViewer * self)
{
  switch (get_lower_transport (self)) {
    case GST_RTSP_LOWER_TRANS_TCP:
      return "tcp";
    case GST_RTSP_LOWER_TRANS_UDP_MCAST:
      return "udp-mcast";
    default:
      return "udp";
  }
}

/**
 * rtsp_sink_viewer_is_open:
 *
 * Returns: whether the viewer plays
 */
gboolean
rtsp_sink_viewer_is_open (RtspSinkViewer * self)
{
  for (guint i = 0; i < self->senders->len; i++) {
    RtspSinkSender *sender = g_ptr_array_index (self->senders, i);

    if (sender != NULL && rtsp_sink_sender_is_open (sender))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_viewer_dismiss:
 * @reason: a static string
 *
 * Closes the viewer's connection soon.
 */
void
rtsp_sink_viewer_dismiss (RtspSinkViewer * self, const gchar * reason)
{
  g_autoptr (GObject) client = g_weak_ref_get (&self->client);

  if (client != NULL)
    self->dismiss (client, reason);
}

static const gchar *
get_state_name (const RtspSinkSenderStats * stats)
{
  if (stats->slow)
    return "skipping";
  return stats->open ? "playing" : "paused";
}

/**
 * rtsp_sink_viewer_describe:
 *
 * Returns: (transfer full): what is to be known of the viewer
 */
GstStructure *
rtsp_sink_viewer_describe (RtspSinkViewer * self)
{
  RtspSinkSenderStats stats = { 0, };

  for (guint i = 0; i < self->senders->len; i++) {
    RtspSinkSender *sender = g_ptr_array_index (self->senders, i);

    if (sender != NULL)
      rtsp_sink_sender_add_stats (sender, &stats);
  }
  return gst_structure_new ("viewer",
      "id", G_TYPE_UINT, self->id,
      "peer", G_TYPE_STRING, self->peer,
      "transport", G_TYPE_STRING, rtsp_sink_viewer_get_transport_name (self),
      "state", G_TYPE_STRING, get_state_name (&stats),
      "age", G_TYPE_UINT64,
      (guint64) (g_get_monotonic_time () - self->since) * GST_USECOND,
      "delay", G_TYPE_UINT64, stats.delay,
      "units", G_TYPE_UINT64, stats.n_units,
      "packets", G_TYPE_UINT64, stats.n_packets,
      "bytes", G_TYPE_UINT64, stats.n_bytes,
      "lost", G_TYPE_UINT64, stats.n_lost,
      "skips", G_TYPE_UINT, stats.n_skips, NULL);
}
