/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One of the audience: a viewer of a media, with a sender for each stream that
 * it set up. However many these are, it is one viewer: counted, listed and told
 * of once, and slow if one of them is. Any thread; no locks of its own. */

#include "media/viewer.h"

struct _RtspSinkViewer
{
  gatomicrefcount refs;

  /* Constant after construction. */
  GPtrArray *senders;           /* of RtspSinkSender, by stream; NULL: the
                                 * viewer did not set it up */
  RtspSinkSender *first;        /* of these: they have in common who it is */
};

static RtspSinkSender *
find_first (GPtrArray * senders)
{
  for (guint i = 0; i < senders->len; i++) {
    if (g_ptr_array_index (senders, i) != NULL)
      return g_ptr_array_index (senders, i);
  }
  g_return_val_if_reached (NULL);
}

/**
 * rtsp_sink_viewer_new:
 * @senders: (transfer full): of one viewer, by stream; NULL for one that it did
 *   not set up, but not all are
 *
 * Returns: (transfer full): the viewer
 */
RtspSinkViewer *
rtsp_sink_viewer_new (GPtrArray * senders)
{
  RtspSinkViewer *self = g_new0 (RtspSinkViewer, 1);

  g_atomic_ref_count_init (&self->refs);
  self->senders = senders;
  self->first = find_first (senders);
  return self;
}

RtspSinkViewer *
rtsp_sink_viewer_ref (RtspSinkViewer * self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
rtsp_sink_viewer_unref (RtspSinkViewer * self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint i = 0; i < self->senders->len; i++)
    g_clear_pointer (&g_ptr_array_index (self->senders, i),
        rtsp_sink_sender_unref);
  g_ptr_array_unref (self->senders);
  g_free (self);
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
  return rtsp_sink_sender_get_id (self->first);
}

const gchar *
rtsp_sink_viewer_get_peer (RtspSinkViewer * self)
{
  return rtsp_sink_sender_get_peer (self->first);
}

/**
 * rtsp_sink_viewer_get_transport_name:
 *
 * Returns: the nick of the lower transport, of the first stream if they differ
 */
const gchar *
rtsp_sink_viewer_get_transport_name (RtspSinkViewer * self)
{
  return rtsp_sink_sender_get_transport_name (self->first);
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
  rtsp_sink_sender_dismiss (self->first, reason);
}

/* What is told of each stream, and how it is told of all of them. */
static const struct
{
  const gchar *field;
  gboolean sum;                 /* else the largest */
} counters[] = {
  {"units", TRUE},
  {"packets", TRUE},
  {"bytes", TRUE},
  {"lost", TRUE},
  {"delay", FALSE},
};

/* Slow is who is slow in one of its streams. */
static void
merge_state (GstStructure * viewer, const GstStructure * other)
{
  const gchar *state = gst_structure_get_string (other, "state");

  if (g_strcmp0 (state, "skipping") == 0)
    gst_structure_set (viewer, "state", G_TYPE_STRING, state, NULL);
}

static void
merge (GstStructure * viewer, const GstStructure * other)
{
  guint skips, more_skips;

  for (gsize i = 0; i < G_N_ELEMENTS (counters); i++) {
    const gchar *field = counters[i].field;
    guint64 value, more;

    gst_structure_get_uint64 (viewer, field, &value);
    gst_structure_get_uint64 (other, field, &more);
    gst_structure_set (viewer, field, G_TYPE_UINT64,
        counters[i].sum ? value + more : MAX (value, more), NULL);
  }
  gst_structure_get_uint (viewer, "skips", &skips);
  gst_structure_get_uint (other, "skips", &more_skips);
  gst_structure_set (viewer, "skips", G_TYPE_UINT, skips + more_skips, NULL);
  merge_state (viewer, other);
}

/**
 * rtsp_sink_viewer_describe:
 *
 * Returns: (transfer full): what is to be known of the viewer
 */
GstStructure *
rtsp_sink_viewer_describe (RtspSinkViewer * self)
{
  GstStructure *viewer = rtsp_sink_sender_describe (self->first);

  for (guint i = 0; i < self->senders->len; i++) {
    RtspSinkSender *sender = g_ptr_array_index (self->senders, i);

    if (sender != NULL && sender != self->first) {
      g_autoptr (GstStructure) other = rtsp_sink_sender_describe (sender);

      merge (viewer, other);
    }
  }
  return viewer;
}
