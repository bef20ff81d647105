/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The newest group of pictures of a stream, in packets: a key unit and all that
 * came since. A decoder that gets all of it, and then what comes, shows the
 * newest picture without waiting for the next key unit.
 *
 * No locks: the fan-out's guards it. */

#include "stream/gopcache.h"

/* An encoder that makes no key unit any more must not fill the memory, nor with
 * units of few bytes, as those of a picture that stands still: a packet takes up
 * to 2 KiB besides. */
#define MAX_BYTES (16 * 1024 * 1024)
#define MAX_PACKETS (16 * 1024)

struct _RtspSinkGopCache
{
  GPtrArray *units;             /* of GstBufferList; empty: there is none */
  gsize n_bytes;
  guint n_packets;
  GstClockTime time;            /* the lowest PTS, NONE: there is none */
};

RtspSinkGopCache *
rtsp_sink_gop_cache_new (void)
{
  RtspSinkGopCache *self = g_new0 (RtspSinkGopCache, 1);

  self->units = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_list_unref);
  self->time = GST_CLOCK_TIME_NONE;
  return self;
}

void
rtsp_sink_gop_cache_free (RtspSinkGopCache * self)
{
  g_ptr_array_unref (self->units);
  g_free (self);
}

/**
 * rtsp_sink_gop_cache_add:
 * @packets: (transfer none): the next access unit
 * @key_unit: a new group begins with it
 */
void
rtsp_sink_gop_cache_add (RtspSinkGopCache * self, GstBufferList * packets,
    gboolean key_unit)
{
  if (key_unit)
    rtsp_sink_gop_cache_clear (self);
  else if (self->units->len == 0)
    return;

  g_ptr_array_add (self->units, gst_buffer_list_ref (packets));
  self->n_bytes += gst_buffer_list_calculate_size (packets);
  self->n_packets += gst_buffer_list_length (packets);
  self->time = MIN (self->time,
      GST_BUFFER_PTS (gst_buffer_list_get (packets, 0)));
  if (self->n_bytes > MAX_BYTES || self->n_packets > MAX_PACKETS)
    rtsp_sink_gop_cache_clear (self);
}

/* There is none until the next key unit. */
void
rtsp_sink_gop_cache_clear (RtspSinkGopCache * self)
{
  g_ptr_array_set_size (self->units, 0);
  self->n_bytes = 0;
  self->n_packets = 0;
  self->time = GST_CLOCK_TIME_NONE;
}

static gpointer
ref_unit (gconstpointer unit, gpointer user_data)
{
  return gst_buffer_list_ref ((gpointer) unit);
}

/**
 * rtsp_sink_gop_cache_dup_units:
 *
 * Returns: (transfer full) (nullable) (element-type GstBufferList): the units
 *   of the group, NULL if there is none
 */
GPtrArray *
rtsp_sink_gop_cache_dup_units (RtspSinkGopCache * self)
{
  return self->units->len > 0 ?
      g_ptr_array_copy (self->units, ref_unit, NULL) : NULL;
}

/**
 * rtsp_sink_gop_cache_get_time:
 *
 * Frames behind the key unit may be shown before it (open groups).
 *
 * Returns: the media time of what is shown first, GST_CLOCK_TIME_NONE if there is
 *   none
 */
GstClockTime
rtsp_sink_gop_cache_get_time (RtspSinkGopCache * self)
{
  return self->time;
}
