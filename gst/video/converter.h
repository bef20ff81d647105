/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/rates.h"
#include "codec/videocodecs.h"

typedef struct _RtspSinkConverter RtspSinkConverter;

/* What is told of the video that comes. The encoder's thread. */
typedef struct
{
  /* An encoder is there, without caps. Also while a converter is made. */
  void (*encoder_made) (GstElement * encoder, gpointer user_data);

  /* Video of other caps comes next. Is it encoded here? */
  void (*input_changed) (gboolean encoded_here, gpointer user_data);

  /* Something came that cannot be served; what follows is refused. */
  void (*failed) (const GError * error, gpointer user_data);
} RtspSinkConverterFuncs;

typedef struct
{
  const RtspSinkVideoCodec *codec;   /* what comes out; NULL: what encoder makes */
  const GstCaps *encoded;       /* what comes in; NULL: raw video */
  const GstCaps *raw;           /* what may come in; NULL: the machine's memory */
  const gchar *encoder;         /* launch description; NULL: choose */
  const GstCaps *output;        /* size and rate to make, NULL: the input's */
  RtspSinkRates *rates;         /* of the encoder */
  RtspSinkConverterFuncs funcs;
  gpointer user_data;
} RtspSinkConverterConfig;

RtspSinkConverter *rtsp_sink_converter_new (const RtspSinkConverterConfig *
    config, GError ** error);

void rtsp_sink_converter_free (RtspSinkConverter * self);

GstElement *rtsp_sink_converter_get_bin (RtspSinkConverter * self);

GstElement *rtsp_sink_converter_get_encoder (RtspSinkConverter * self);

GstCaps *rtsp_sink_converter_get_taken (RtspSinkConverter * self);

gboolean rtsp_sink_converter_is_direct (RtspSinkConverter * self);

gboolean rtsp_sink_converter_configure (RtspSinkConverter * self,
    const GstCaps * caps, GError ** error);

gboolean rtsp_sink_converter_is_configuring (RtspSinkConverter * self);

gboolean rtsp_sink_converter_can_decode (RtspSinkConverter * self,
    GstBuffer * unit, GstPad * feed);

GstPadProbeReturn rtsp_sink_converter_filter (RtspSinkConverter * self,
    GstPadProbeInfo * info);

const RtspSinkVideoCodec *rtsp_sink_converter_get_codec (RtspSinkConverter *
    self);
