/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Bit rate and key-unit interval that the user wants, for all that go by them. Set
 * by any thread; each user looks for itself, at a time that suits it: not every
 * encoder can be set on another thread. No locks. */

#include "codec/rates.h"

struct _RtspSinkRates
{
  /* All atomic. */
  gint bitrate;                 /* bit/s, 0: from size and rate */
  gint key_unit_interval;       /* ms */
  gint version;                 /* rises behind each change; never 0 */
};

/**
 * rtsp_sink_rates_new:
 *
 * Returns: (transfer full): to be set
 */
RtspSinkRates *
rtsp_sink_rates_new (void)
{
  RtspSinkRates *self = g_atomic_rc_box_new0 (RtspSinkRates);

  self->version = 1;
  return self;
}

RtspSinkRates *
rtsp_sink_rates_ref (RtspSinkRates * self)
{
  return g_atomic_rc_box_acquire (self);
}

void
rtsp_sink_rates_unref (RtspSinkRates * self)
{
  g_atomic_rc_box_release (self);
}

/**
 * rtsp_sink_rates_set:
 * @bitrate: in bit/s, 0: from size and rate
 * @key_unit_interval: in ms
 *
 * Any thread.
 */
void
rtsp_sink_rates_set (RtspSinkRates * self, guint bitrate,
    guint key_unit_interval)
{
  g_atomic_int_set (&self->bitrate, bitrate);
  g_atomic_int_set (&self->key_unit_interval, key_unit_interval);
  g_atomic_int_inc (&self->version);
}

/**
 * rtsp_sink_rates_get_key_unit_interval:
 *
 * Any thread.
 *
 * Returns: in ms
 */
guint
rtsp_sink_rates_get_key_unit_interval (RtspSinkRates * self)
{
  return g_atomic_int_get (&self->key_unit_interval);
}

/**
 * rtsp_sink_rates_take_change:
 * @version: (inout): what the caller knows; 0: nothing
 * @bitrate: (out): as it was set
 * @key_unit_interval: (out): likewise
 *
 * Any thread.
 *
 * Returns: FALSE if nothing has changed since @version
 */
gboolean
rtsp_sink_rates_take_change (RtspSinkRates * self, gint * version,
    guint * bitrate, guint * key_unit_interval)
{
  gint newest = g_atomic_int_get (&self->version);

  if (*version == newest)
    return FALSE;
  *version = newest;
  *bitrate = g_atomic_int_get (&self->bitrate);
  *key_unit_interval = g_atomic_int_get (&self->key_unit_interval);
  return TRUE;
}
