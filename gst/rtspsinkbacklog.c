/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What a viewer that began in the past has still to get: a group of pictures that
 * was kept, and what came since. The stream itself may be behind the group: what
 * comes by and is in it already is not taken twice.
 *
 * No locks: the sender's guards it. */

#include "rtspsinkbacklog.h"

#include "rtspsinkunit.h"

void
rtsp_sink_backlog_init (RtspSinkBacklog * self)
{
  g_queue_init (&self->units);
  self->covers = FALSE;
}

void
rtsp_sink_backlog_clear (RtspSinkBacklog * self)
{
  g_queue_clear_full (&self->units, (GDestroyNotify) gst_buffer_list_unref);
  self->covers = FALSE;
}

/**
 * rtsp_sink_backlog_push:
 * @packets: (transfer none): an access unit that came
 */
void
rtsp_sink_backlog_push (RtspSinkBacklog * self, GstBufferList * packets)
{
  g_queue_push_tail (&self->units, gst_buffer_list_ref (packets));
}

static guint16
first_seqnum (GstBufferList * packets)
{
  g_auto (RtspSinkUnit) unit = { 0, };

  rtsp_sink_unit_init (&unit, packets);
  return unit.seqnum;
}

/**
 * rtsp_sink_backlog_begin:
 * @group: (transfer none) (element-type GstBufferList): what comes before all
 *   that was pushed, of which it has some already
 */
void
rtsp_sink_backlog_begin (RtspSinkBacklog * self, GPtrArray * group)
{
  GstBufferList *packets;
  GQueue pushed = self->units;

  g_queue_init (&self->units);
  for (guint i = 0; i < group->len; i++)
    rtsp_sink_backlog_push (self, g_ptr_array_index (group, i));
  self->covers = TRUE;
  self->last_seqnum = first_seqnum (g_ptr_array_index (group, group->len - 1));

  while ((packets = g_queue_pop_head (&pushed)) != NULL) {
    if (!rtsp_sink_backlog_covers (self, first_seqnum (packets)))
      rtsp_sink_backlog_push (self, packets);
    gst_buffer_list_unref (packets);
  }
}

/**
 * rtsp_sink_backlog_covers:
 * @seqnum: of the first packet of a unit that came by
 *
 * Returns: whether the backlog has it, or had it
 */
gboolean
rtsp_sink_backlog_covers (RtspSinkBacklog * self, guint16 seqnum)
{
  if (self->covers && (gint16) (seqnum - self->last_seqnum) > 0)
    self->covers = FALSE;
  return self->covers;
}

gboolean
rtsp_sink_backlog_is_empty (RtspSinkBacklog * self)
{
  return self->units.length == 0;
}

/**
 * rtsp_sink_backlog_pop:
 *
 * Returns: (transfer full) (nullable): the next unit
 */
GstBufferList *
rtsp_sink_backlog_pop (RtspSinkBacklog * self)
{
  return g_queue_pop_head (&self->units);
}
