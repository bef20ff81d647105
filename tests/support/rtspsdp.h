/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What tests want to know of an SDP and of an RTP-Info header. GStreamer's SDP
 * parser does the reading; nothing here has state.
 */

#ifndef __RTSPSDP_H__
#define __RTSPSDP_H__

#include <gst/gst.h>
#include <gst/sdp/sdp.h>

G_BEGIN_DECLS

typedef struct
{
  gchar *url;
  gboolean has_seq;
  guint16 seq;
  gboolean has_rtptime;
  guint32 rtptime;
} RtspRtpInfo;

/* The first video media, or NULL. Transfer none. */
const GstSDPMedia *rtsp_sdp_video (const GstSDPMessage * sdp);

/* The first media of that kind ("video", "audio"), or NULL. Transfer none. */
const GstSDPMedia *rtsp_sdp_media (const GstSDPMessage * sdp,
    const gchar * kind);

/* application/x-rtp caps of a media's first payload type; fmtp parameters are
 * fields of them. NULL if there is none. Transfer full. */
GstCaps *rtsp_sdp_media_caps (const GstSDPMedia * media);

/* application/x-rtp caps of the first video media's first payload type; fmtp
 * parameters are fields of them. NULL if there is none. Transfer full. */
GstCaps *rtsp_sdp_caps (const GstSDPMessage * sdp);

/* A field of those caps as text ("sprop-parameter-sets", "profile-level-id",
 * "encoding-name", "clock-rate", "a-framerate", ...), or NULL. Transfer full. */
gchar *rtsp_sdp_field (const GstSDPMessage * sdp, const gchar * name);

/* Whether sprop-parameter-sets holds at least one SPS and one PPS. */
gboolean rtsp_sdp_has_parameter_sets (const GstSDPMessage * sdp);

/* One stream's entry of an RTP-Info header, as GStreamer takes it apart; FALSE if the header is NULL or
 * cannot be understood. rtsp_rtp_info_clear() frees the content. */
gboolean rtsp_rtp_info_parse (const gchar * header, RtspRtpInfo * info);
void rtsp_rtp_info_clear (RtspRtpInfo * info);

G_END_DECLS

#endif
