/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What a viewer that began in the past has still to get: a group of pictures that
 * was kept, and what came since. The stream itself may be behind the group: what
 * comes by and is in it already is not taken twice.
 *
 * No locks: the sender's guards it. */

#include "media/catchup.h"

#include "media/accessunit.h"

/* A viewer catches up by so much with each unit that comes: what comes at once
 * must find room in its buffers. */
#define CATCH_UP_UNITS 4
#define CATCH_UP_BYTES (64 * 1024)

void
rtsp_sink_catchup_init (RtspSinkCatchup * self)
{
  memset (self, 0, sizeof *self);
  g_queue_init (&self->units);
}

void
rtsp_sink_catchup_clear (RtspSinkCatchup * self)
{
  g_queue_clear_full (&self->units, (GDestroyNotify) gst_buffer_list_unref);
  self->covers = FALSE;
}

/**
 * rtsp_sink_catchup_push:
 * @packets: (transfer none): an access unit that came
 */
void
rtsp_sink_catchup_push (RtspSinkCatchup * self, GstBufferList * packets)
{
  g_queue_push_tail (&self->units, gst_buffer_list_ref (packets));
}

static guint16
first_seqnum (GstBufferList * packets)
{
  g_auto (RtspSinkAccessUnit) unit = { 0, };

  rtsp_sink_access_unit_init (&unit, packets);
  return unit.seqnum;
}

/**
 * rtsp_sink_catchup_begin:
 * @group: (transfer none) (element-type GstBufferList): what comes before all
 *   that was pushed, of which it has some already
 */
void
rtsp_sink_catchup_begin (RtspSinkCatchup * self, GPtrArray * group)
{
  GstBufferList *packets;
  GQueue pushed = self->units;

  g_queue_init (&self->units);
  for (guint i = 0; i < group->len; i++)
    rtsp_sink_catchup_push (self, g_ptr_array_index (group, i));
  self->covers = TRUE;
  self->last_seqnum = first_seqnum (g_ptr_array_index (group, group->len - 1));

  while ((packets = g_queue_pop_head (&pushed)) != NULL) {
    if (!rtsp_sink_catchup_covers (self, first_seqnum (packets)))
      rtsp_sink_catchup_push (self, packets);
    gst_buffer_list_unref (packets);
  }
}

/**
 * rtsp_sink_catchup_covers:
 * @seqnum: of the first packet of a unit that came by
 *
 * Returns: whether the backlog has it, or had it
 */
gboolean
rtsp_sink_catchup_covers (RtspSinkCatchup * self, guint16 seqnum)
{
  if (self->covers && (gint16) (seqnum - self->last_seqnum) > 0)
    self->covers = FALSE;
  return self->covers;
}

gboolean
rtsp_sink_catchup_is_empty (RtspSinkCatchup * self)
{
  return self->units.length == 0;
}

/**
 * rtsp_sink_catchup_allow:
 *
 * Some more units may be taken now.
 */
void
rtsp_sink_catchup_allow (RtspSinkCatchup * self)
{
  self->n_taken = 0;
  self->n_bytes = 0;
}

/**
 * rtsp_sink_catchup_finish:
 *
 * From now on all may be taken at once: no unit comes any more.
 */
void
rtsp_sink_catchup_finish (RtspSinkCatchup * self)
{
  self->finishing = TRUE;
}

/**
 * rtsp_sink_catchup_pop:
 *
 * Returns: (transfer full) (nullable): the next unit, NULL if none may be taken
 *   now
 */
GstBufferList *
rtsp_sink_catchup_pop (RtspSinkCatchup * self)
{
  GstBufferList *packets;

  if (!self->finishing && self->n_taken >= CATCH_UP_UNITS
      && self->n_bytes >= CATCH_UP_BYTES)
    return NULL;
  packets = g_queue_pop_head (&self->units);
  if (packets == NULL)
    return NULL;
  self->n_taken++;
  self->n_bytes += gst_buffer_list_calculate_size (packets);
  return packets;
}
