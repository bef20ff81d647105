/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "codec/videocodecs.h"
#include "base/settings.h"

typedef struct _RtspSinkEncoding RtspSinkEncoding;

/* What the encoding tells its owner. The encoder's thread. */
typedef struct
{
  /* An encoder is there, without caps. Also within rtsp_sink_encoding_new(). */
  void (*encoder_made) (GstElement * encoder, gpointer user_data);

  /* Video of other caps comes next. Is it encoded here? */
  void (*input_changed) (gboolean encoded_here, gpointer user_data);

  /* A frame was left out, for the encoder is too slow. Upstream thread. */
  void (*frame_late) (gpointer user_data);

  /* Something came that cannot be served; what follows is refused. */
  void (*failed) (const GError * error, gpointer user_data);
} RtspSinkEncodingFuncs;

RtspSinkEncoding *rtsp_sink_encoding_new (const RtspSinkSettings * settings,
    const GstCaps * expected, const RtspSinkEncodingFuncs * funcs,
    gpointer user_data, GError ** error);

void rtsp_sink_encoding_free (RtspSinkEncoding * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkEncoding, rtsp_sink_encoding_free)

GstElement *rtsp_sink_encoding_get_bin (RtspSinkEncoding * self);

GstCaps *rtsp_sink_encoding_get_caps (RtspSinkEncoding * self);

gchar *rtsp_sink_encoding_dup_encoder_name (RtspSinkEncoding * self);

const RtspSinkCodec *rtsp_sink_encoding_get_codec (RtspSinkEncoding * self);

void rtsp_sink_encoding_set_rates (RtspSinkEncoding * self, guint bitrate,
    guint key_unit_interval);

void rtsp_sink_encoding_set_source (RtspSinkEncoding * self, gboolean live,
    gboolean droppable, gboolean scarce);

gboolean rtsp_sink_encoding_has_room (RtspSinkEncoding * self);
