/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

/* Constant once it is built. */
typedef struct
{
  const RtspSinkVideoCodec *codec;   /* what comes out */
  GstCaps *taken;               /* raw video that the encoder takes; any for raw
                                 * output */
  gboolean direct;              /* nothing is before the encoder */
  gboolean own_choice;          /* of the encoder */
  gboolean square;              /* viewers take pixels to be so */
  GstElement *bin;              /* with the pads sink and src */
  GstElement *decoder;          /* NULL: raw video comes in */
  GstElement *convert;          /* NULL: direct, as the next four */
  GstElement *scale;            /* NULL, too: the size is the input's */
  GstElement *format;
  GstElement *range;            /* NULL for raw output, as the next four */
  GstElement *deinterlace;      /* NULL, too: it takes interlaced video */
  GstElement *encoder;
  GstElement *profile;
  GstElement *parser;           /* NULL, too: needs none */
  GstElement *last;             /* the one of these that all comes out of */
} RtspSinkVideoChain;

gboolean rtsp_sink_video_chain_build (RtspSinkVideoChain * self,
    const gchar * encoder, const GstCaps * encoded, const GstCaps * raw,
    gboolean scaled, GError ** error);

gboolean rtsp_sink_video_chain_check_taken (const RtspSinkVideoChain * self,
    const GstCaps * caps, GError ** error);

void rtsp_sink_video_chain_clear (RtspSinkVideoChain * self);

gboolean rtsp_sink_video_chain_is_raw (const RtspSinkVideoChain * self);
