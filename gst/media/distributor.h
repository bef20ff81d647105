/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/sender.h"

typedef struct _RtspSinkDistributor RtspSinkDistributor;

/* What the delivery tells its owner. Media's thread, no lock held. */
typedef struct
{
  /* A viewer waits for a key unit: to begin, or to go on. */
  void (*key_unit_wanted) (gpointer user_data);
} RtspSinkDistributorFuncs;

RtspSinkDistributor *rtsp_sink_distributor_new (guint stream, gboolean feedback,
    const RtspSinkDistributorFuncs * funcs, gpointer user_data);

void rtsp_sink_distributor_free (RtspSinkDistributor * self);

void rtsp_sink_distributor_take_over (RtspSinkDistributor * self,
    GstElement * rtpbin);

void rtsp_sink_distributor_silence (GstElement * element, const gchar * name);

void rtsp_sink_distributor_add (RtspSinkDistributor * self, RtspSinkSender * sender);

void rtsp_sink_distributor_remove (RtspSinkDistributor * self,
    RtspSinkSender * sender);

gboolean rtsp_sink_distributor_can_go_on (RtspSinkDistributor * self);

void rtsp_sink_distributor_finish (RtspSinkDistributor * self);

gboolean rtsp_sink_distributor_is_open (RtspSinkDistributor * self);

GPtrArray *rtsp_sink_distributor_ref_senders (RtspSinkDistributor * self);

gboolean rtsp_sink_distributor_has_sent (RtspSinkDistributor * self);

GSocket *rtsp_sink_distributor_get_socket (RtspSinkDistributor * self,
    GstRTSPStreamTransport * transport);
