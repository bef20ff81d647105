/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What rtspviewer.c and rtspviewermethods.c share. Not for tests. */

#ifndef __RTSPVIEWER_PRIVATE_H__
#define __RTSPVIEWER_PRIVATE_H__

#include "rtspviewer.h"
#include "udppair.h"

G_BEGIN_DECLS

/* What a viewer has of the audio, beside the video. */
typedef struct
{
  GstRTSPTransport *transport;  /* as answered to SETUP; NULL: not set up */
  UdpPair *udp;
  RtspRecord *record;
  RtspRtpInfo rtp_info;
} RtspViewerAudio;

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
  RtspViewerStreams streams;    /* to be set up */
  RtspViewerAudio audio;
  gint64 play_time;

  RtspRecord *record;
};

/* --- rtspvieweraudio.c --- */

void rtsp_viewer_audio_init (RtspViewerAudio * audio);
void rtsp_viewer_audio_clear (RtspViewerAudio * audio);

/* What the SDP says of the audio. */
void rtsp_viewer_audio_learn (RtspViewer * viewer);

/* Next to the video's channels or ports. */
gboolean rtsp_viewer_audio_setup (RtspViewer * viewer,
    RtspViewerTransport transport, GError ** error);

/* Reads its entry of RTP-Info. */
void rtsp_viewer_audio_play (RtspViewer * viewer);

/* FALSE: the channel is not the audio's. */
gboolean rtsp_viewer_audio_take (RtspViewer * viewer, guint8 channel,
    GstBuffer * packet, gint64 now);

/* --- rtspviewer.c, rtspviewermethods.c --- */

/* Asks and wants 200. */
gboolean rtsp_viewer_ask (RtspViewer * viewer, GstRTSPMethod method,
    const gchar * url, const gchar * const *headers, GError ** error);

/* A control attribute as a URL. NULL and "*" mean the base itself. */
gchar *rtsp_viewer_resolve (const RtspViewer * viewer, const gchar * control);

/* Of the connection. Transfer full. */
GInetAddress *rtsp_viewer_local_address (RtspViewer * viewer);

/* The connection's socket; the connection must be open. Transfer none. */
GSocket *rtsp_viewer_socket (RtspViewer * viewer);

/* Sends a receiver report if the interval has passed. */
void rtsp_viewer_report_if_due (RtspViewer * viewer);

G_END_DECLS

#endif
