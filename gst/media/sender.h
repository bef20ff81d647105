/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

#include "media/accessunit.h"

typedef struct _RtspSinkSender RtspSinkSender;

typedef enum
{
  RTSP_SINK_SENDER_CLOSED,      /* paused */
  RTSP_SINK_SENDER_JOINING,     /* begins with the next key unit */
  RTSP_SINK_SENDER_HOLDING,     /* is about to begin with what was kept */
  RTSP_SINK_SENDER_FLOW,
  RTSP_SINK_SENDER_SKIPPING,    /* was slow: goes on with a key unit */
  RTSP_SINK_SENDER_BEHIND,      /* is slow: not even a key unit would do */
} RtspSinkSenderGate;

typedef struct
{
  guint id;                     /* of the viewer, for the log */
  const gchar *peer;
  GstRTSPStreamTransport *transport;
  GSocket *socket;              /* for datagrams; does not block */
  GstClockTime max_delay;
} RtspSinkSenderConfig;

/* What was sent, and how it goes. */
typedef struct
{
  guint64 n_units;
  guint64 n_packets;
  guint64 n_bytes;
  guint64 n_lost;               /* datagrams that the socket did not take */
  guint n_skips;                /* how often the viewer was slow */
  GstClockTime delay;           /* since when the oldest packet waits */
  gboolean open;
  gboolean slow;                /* goes on with a key unit */
} RtspSinkSenderStats;

RtspSinkSender *rtsp_sink_sender_new (const RtspSinkSenderConfig * config);

RtspSinkSender *rtsp_sink_sender_ref (RtspSinkSender * self);

void rtsp_sink_sender_unref (RtspSinkSender * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspSinkSender, rtsp_sink_sender_unref)

GstRTSPLowerTrans rtsp_sink_sender_get_lower_transport (RtspSinkSender * self);

gboolean rtsp_sink_sender_is_open (RtspSinkSender * self);

void rtsp_sink_sender_resume (RtspSinkSender * self);

guint16 rtsp_sink_sender_get_next_seqnum (RtspSinkSender * self);

void rtsp_sink_sender_start (RtspSinkSender * self);

gboolean rtsp_sink_sender_touch (RtspSinkSender * self,
    GInetSocketAddress * address);

gboolean rtsp_sink_sender_may_report (RtspSinkSender * self,
    GInetSocketAddress * address, guint32 ssrc, gint64 now);

gboolean rtsp_sink_sender_open (RtspSinkSender * self, guint16 seqnum);

gboolean rtsp_sink_sender_set_costs (RtspSinkSender * self, gboolean costs);

void rtsp_sink_sender_close (RtspSinkSender * self);

void rtsp_sink_sender_stop (RtspSinkSender * self);

RtspSinkSenderGate rtsp_sink_sender_push (RtspSinkSender * self,
    RtspSinkAccessUnit * unit);

gboolean rtsp_sink_sender_hold (RtspSinkSender * self);

void rtsp_sink_sender_begin (RtspSinkSender * self, GPtrArray * group,
    GstClockTime now);

void rtsp_sink_sender_finish (RtspSinkSender * self);

void rtsp_sink_sender_add_stats (RtspSinkSender * self,
    RtspSinkSenderStats * sum);
