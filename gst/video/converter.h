/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"

typedef struct _RtspSinkConversion RtspSinkConversion;

/* What the conversion tells its owner. The encoder's thread. */
typedef struct
{
  /* Frames of other caps come next. */
  void (*changed) (gpointer user_data);

  /* Something came that cannot be converted; the frames that follow are
   * refused. */
  void (*failed) (const GError * error, gpointer user_data);
} RtspSinkConversionFuncs;

typedef struct
{
  const RtspSinkCodec *codec;   /* what comes out; NULL: what encoder makes */
  const GstCaps *encoded;       /* what comes in; NULL: raw video */
  const GstCaps *raw;           /* what may come in; NULL: the machine's memory */
  const gchar *encoder;         /* launch description; NULL: choose */
  const GstCaps *output;        /* size and rate to make, NULL: the input's */
  RtspSinkConversionFuncs funcs;
  gpointer user_data;
} RtspSinkConversionConfig;

RtspSinkConversion *rtsp_sink_conversion_new (const RtspSinkConversionConfig *
    config, GError ** error);

void rtsp_sink_conversion_free (RtspSinkConversion * self);

GstElement *rtsp_sink_conversion_get_bin (RtspSinkConversion * self);

GstElement *rtsp_sink_conversion_get_encoder (RtspSinkConversion * self);

GstCaps *rtsp_sink_conversion_get_taken (RtspSinkConversion * self);

gboolean rtsp_sink_conversion_is_direct (RtspSinkConversion * self);

gboolean rtsp_sink_conversion_configure (RtspSinkConversion * self,
    const GstCaps * caps, GError ** error);

gboolean rtsp_sink_conversion_is_configuring (RtspSinkConversion * self);

gboolean rtsp_sink_conversion_can_decode (RtspSinkConversion * self,
    GstBuffer * unit, GstPad * feed);

GstPadProbeReturn rtsp_sink_conversion_filter (RtspSinkConversion * self,
    GstPadProbeInfo * info);

const RtspSinkCodec *rtsp_sink_conversion_get_codec (RtspSinkConversion *
    self);

void rtsp_sink_conversion_set_rates (RtspSinkConversion * self, guint bitrate,
    guint key_unit_interval);
