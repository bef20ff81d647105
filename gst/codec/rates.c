/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Bit rate and key-unit interval of an encoder: set by any thread, told to the
 * encoder on its own, before a frame. Not every encoder can be set on another
 * thread, and openh264enc (1.22) not before it has caps. */

#include "codec/rates.h"

#include "codec/encoders.h"

struct _RtspSinkRates
{
  GMutex lock;
  /* Guarded by lock. While it is held nothing is called: the application hears
   * of each property of the encoder that is set, and may set ours. */
  guint bitrate;                /* bit/s, 0: from size and rate */
  guint auto_bitrate;           /* what 0 means */
  guint key_unit_interval;      /* ms */
  gint fps_n;                   /* of what is encoded, 0: not known */
  gint fps_d;
  gboolean changed;             /* the encoder has not been told */
};

RtspSinkRates *
rtsp_sink_rates_new (void)
{
  RtspSinkRates *self = g_new0 (RtspSinkRates, 1);

  g_mutex_init (&self->lock);
  return self;
}

void
rtsp_sink_rates_free (RtspSinkRates * self)
{
  g_mutex_clear (&self->lock);
  g_free (self);
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
  g_mutex_lock (&self->lock);
  self->bitrate = bitrate;
  self->key_unit_interval = key_unit_interval;
  self->changed = TRUE;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_rates_set_input:
 * @info: what is encoded
 *
 * Encoder's thread.
 */
void
rtsp_sink_rates_set_input (RtspSinkRates * self,
    const RtspSinkVideoCodec * codec, const GstVideoInfo * info)
{
  g_mutex_lock (&self->lock);
  self->auto_bitrate = rtsp_sink_encoders_auto_bitrate (codec, info);
  self->fps_n = GST_VIDEO_INFO_FPS_N (info);
  self->fps_d = GST_VIDEO_INFO_FPS_D (info);
  self->changed = TRUE;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_rates_apply:
 * @own_choice: of the encoder; else the user described it
 *
 * Tells the encoder what has changed. Its thread.
 */
void
rtsp_sink_rates_apply (RtspSinkRates * self, GstElement * encoder,
    gboolean own_choice)
{
  guint bitrate, interval;
  gint fps_n, fps_d;
  gboolean changed;

  g_mutex_lock (&self->lock);
  changed = self->changed;
  self->changed = FALSE;
  bitrate = self->bitrate;
  /* A description is the user's: only what is asked for changes it. */
  if (bitrate == 0 && own_choice)
    bitrate = self->auto_bitrate;
  interval = self->key_unit_interval;
  fps_n = self->fps_n;
  fps_d = self->fps_d;
  g_mutex_unlock (&self->lock);

  if (changed && bitrate != 0)
    rtsp_sink_encoders_set_bitrate (encoder, bitrate);
  if (changed && own_choice)
    rtsp_sink_encoders_set_key_unit_interval (encoder, interval, fps_n, fps_d);
}
