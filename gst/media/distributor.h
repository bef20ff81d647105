/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/sender.h"
#include "stream/fanout.h"

typedef struct _RtspSinkDistributor RtspSinkDistributor;

RtspSinkDistributor *rtsp_sink_distributor_new (guint stream, gboolean feedback,
    RtspSinkFanout * fanout);

void rtsp_sink_distributor_free (RtspSinkDistributor * self);

void rtsp_sink_distributor_take_over (RtspSinkDistributor * self,
    GstElement * rtpbin);

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
