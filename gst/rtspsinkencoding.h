/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#ifndef __RTSP_SINK_ENCODING_H__
#define __RTSP_SINK_ENCODING_H__

#include "rtspsinksettings.h"

G_BEGIN_DECLS

typedef struct _RtspSinkEncoding RtspSinkEncoding;

/* What the encoding tells its owner. The encoder's thread. */
typedef struct
{
  /* Frames of other caps come next. */
  void (*input_changed) (gpointer user_data);

  /* Something came that cannot be encoded; the frames that follow are
   * refused. */
  void (*failed) (const GError * error, gpointer user_data);
} RtspSinkEncodingFuncs;

RtspSinkEncoding *rtsp_sink_encoding_new (const RtspSinkSettings * settings,
    const RtspSinkEncodingFuncs * funcs, gpointer user_data, GError ** error);

void rtsp_sink_encoding_free (RtspSinkEncoding * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkEncoding, rtsp_sink_encoding_free)

GstElement *rtsp_sink_encoding_get_bin (RtspSinkEncoding * self);

GstElement *rtsp_sink_encoding_make_payloader (RtspSinkEncoding * self,
    GError ** error);

gboolean rtsp_sink_encoding_configure (RtspSinkEncoding * self,
    const GstCaps * caps, GError ** error);

void rtsp_sink_encoding_set_queue (RtspSinkEncoding * self, gboolean live,
    gboolean scarce);

G_END_DECLS

#endif
