/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What rtspviewer.c and rtspviewermethods.c share. Not for tests. */

#ifndef __RTSPVIEWER_PRIVATE_H__
#define __RTSPVIEWER_PRIVATE_H__

#include "rtspviewer.h"
#include "udppair.h"

G_BEGIN_DECLS

struct _RtspViewer
{
  gchar *url;
  gint64 timeout;
  gint64 report_interval;
  gint64 next_report;
  guint32 ssrc;                 /* of its reports */
  gboolean tunneled;
  guint16 client_port;

  GstRTSPConnection *connection;        /* NULL when closed */
  UdpPair *udp;                 /* NULL unless SETUP asked for UDP */

  GstRTSPMessage *response;     /* the last one */
  guint n_requests;
  guint n_responses;
  guint n_server_requests;

  gchar *base_url;              /* Content-Base of DESCRIBE, or url */
  GstSDPMessage *sdp;
  GstRTSPTransport *transport;  /* as answered to SETUP */
  RtspRtpInfo rtp_info;
  gint64 play_time;

  RtspRecord *record;
};

/* The connection's socket; the connection must be open. Transfer none. */
GSocket *rtsp_viewer_socket (RtspViewer * viewer);

/* Sends a receiver report if the interval has passed. */
void rtsp_viewer_report_if_due (RtspViewer * viewer);

G_END_DECLS

#endif
