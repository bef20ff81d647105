/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "media/sender.h"

typedef struct _RtspSinkSpectator RtspSinkSpectator;

RtspSinkSpectator *rtsp_sink_spectator_new (GPtrArray * senders);

RtspSinkSpectator *rtsp_sink_spectator_ref (RtspSinkSpectator * self);

void rtsp_sink_spectator_unref (RtspSinkSpectator * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkSpectator, rtsp_sink_spectator_unref)

RtspSinkSender *rtsp_sink_spectator_get_sender (RtspSinkSpectator * self,
    guint stream);

guint rtsp_sink_spectator_get_id (RtspSinkSpectator * self);

const gchar *rtsp_sink_spectator_get_peer (RtspSinkSpectator * self);

const gchar *rtsp_sink_spectator_get_transport_name (RtspSinkSpectator *
    self);

gboolean rtsp_sink_spectator_is_open (RtspSinkSpectator * self);

void rtsp_sink_spectator_start (RtspSinkSpectator * self);

void rtsp_sink_spectator_dismiss (RtspSinkSpectator * self,
    const gchar * reason);

GstStructure *rtsp_sink_spectator_describe (RtspSinkSpectator * self);
