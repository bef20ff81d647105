/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/sender.h"

typedef struct _RtspSinkDelivery RtspSinkDelivery;

/* What the delivery tells its owner. Media's thread, no lock held. */
typedef struct
{
  /* A viewer waits for a key unit: to begin, or to go on. */
  void (*key_unit_wanted) (gpointer user_data);
} RtspSinkDeliveryFuncs;

RtspSinkDelivery *rtsp_sink_delivery_new (guint stream, gboolean feedback,
    const RtspSinkDeliveryFuncs * funcs, gpointer user_data);

void rtsp_sink_delivery_free (RtspSinkDelivery * self);

void rtsp_sink_delivery_take_over (RtspSinkDelivery * self,
    GstElement * rtpbin);

void rtsp_sink_delivery_silence (GstElement * element, const gchar * name);

void rtsp_sink_delivery_add (RtspSinkDelivery * self, RtspSinkSender * sender);

void rtsp_sink_delivery_remove (RtspSinkDelivery * self,
    RtspSinkSender * sender);

gboolean rtsp_sink_delivery_can_go_on (RtspSinkDelivery * self);

void rtsp_sink_delivery_finish (RtspSinkDelivery * self);

gboolean rtsp_sink_delivery_is_open (RtspSinkDelivery * self);

GPtrArray *rtsp_sink_delivery_ref_senders (RtspSinkDelivery * self);

gboolean rtsp_sink_delivery_has_sent (RtspSinkDelivery * self);

GSocket *rtsp_sink_delivery_get_socket (RtspSinkDelivery * self,
    GstRTSPStreamTransport * transport);
