/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The audio of a viewer, beside its video or alone: see rtspviewer.h. */

#include "rtspviewer-private.h"

/* Behind those of the video. */
#define CHANNEL 2

void
rtsp_viewer_audio_init (RtspViewerAudio * audio)
{
  audio->record = rtsp_record_new ();
  audio->record->h264 = FALSE;
}

void
rtsp_viewer_audio_clear (RtspViewerAudio * audio)
{
  g_clear_pointer (&audio->transport, gst_rtsp_transport_free);
  udp_pair_free (audio->udp);
  rtsp_rtp_info_clear (&audio->rtp_info);
  rtsp_record_free (audio->record);
}

void
rtsp_viewer_set_streams (RtspViewer * viewer, RtspViewerStreams streams)
{
  viewer->streams = streams;
}

static const GstSDPMedia *
find_media (RtspViewer * viewer)
{
  return viewer->sdp != NULL ? rtsp_sdp_media (viewer->sdp, "audio") : NULL;
}

void
rtsp_viewer_audio_learn (RtspViewer * viewer)
{
  const GstSDPMedia *media = find_media (viewer);
  g_autoptr (GstCaps) caps = media != NULL ? rtsp_sdp_media_caps (media) : NULL;
  gint rate;

  if (caps != NULL
      && gst_structure_get_int (gst_caps_get_structure (caps, 0),
          "clock-rate", &rate))
    viewer->audio.record->clock_rate = rate;
}

static gchar *
make_transport (RtspViewer * viewer, const GstSDPMedia * media,
    RtspViewerTransport transport, GError ** error)
{
  const gchar *protocol = gst_sdp_media_get_proto (media);
  g_autoptr (GInetAddress) address = NULL;

  if (transport != RTSP_VIEWER_UDP)
    return g_strdup_printf ("%s/TCP;unicast;interleaved=%d-%d", protocol,
        CHANNEL, CHANNEL + 1);
  address = rtsp_viewer_local_address (viewer);
  viewer->audio.udp = udp_pair_new (address, 0, error);
  if (viewer->audio.udp == NULL)
    return NULL;
  return g_strdup_printf ("%s;unicast;client_port=%u-%u", protocol,
      viewer->audio.udp->port, viewer->audio.udp->port + 1);
}

gboolean
rtsp_viewer_audio_setup (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error)
{
  const GstSDPMedia *media = find_media (viewer);
  g_autofree gchar *url = NULL;
  g_autofree gchar *wanted = NULL;
  const gchar *answer;

  if (media == NULL) {
    g_set_error_literal (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_PROTOCOL,
        "the SDP has no audio");
    return FALSE;
  }
  url = rtsp_viewer_resolve (viewer,
      gst_sdp_media_get_attribute_val (media, "control"));
  wanted = make_transport (viewer, media, transport, error);
  if (wanted == NULL || !rtsp_viewer_ask (viewer, GST_RTSP_SETUP, url,
          (const gchar *[]) { "Transport", wanted, NULL }, error))
    return FALSE;
  answer = rtsp_viewer_header (viewer, GST_RTSP_HDR_TRANSPORT);
  gst_rtsp_transport_new (&viewer->audio.transport);
  if (answer != NULL && gst_rtsp_transport_parse (answer,
          viewer->audio.transport) == GST_RTSP_OK)
    return TRUE;
  g_set_error_literal (error, RTSP_VIEWER_ERROR, RTSP_VIEWER_ERROR_PROTOCOL,
      "SETUP of the audio was answered without a transport");
  return FALSE;
}

void
rtsp_viewer_audio_play (RtspViewer * viewer)
{
  gchar *entry = NULL;

  rtsp_rtp_info_clear (&viewer->audio.rtp_info);
  if (viewer->audio.transport == NULL)
    return;
  /* GStreamer makes a header of each entry. */
  gst_rtsp_message_get_header (viewer->response, GST_RTSP_HDR_RTP_INFO, &entry,
      viewer->transport != NULL);
  rtsp_rtp_info_parse (entry, &viewer->audio.rtp_info);
}

gboolean
rtsp_viewer_audio_take (RtspViewer * viewer, guint8 channel,
    GstBuffer * packet, gint64 now)
{
  const GstRTSPTransport *transport = viewer->audio.transport;

  if (transport == NULL)
    return FALSE;
  if (channel == transport->interleaved.min)
    rtsp_record_add_rtp (viewer->audio.record, packet, now);
  else if (channel == transport->interleaved.max)
    rtsp_record_add_rtcp (viewer->audio.record, packet, now);
  else
    return FALSE;
  return TRUE;
}

RtspRecord *
rtsp_viewer_audio_record (RtspViewer * viewer)
{
  return viewer->audio.record;
}

gboolean
rtsp_viewer_audio_rtp_info (const RtspViewer * viewer, RtspRtpInfo * info)
{
  *info = viewer->audio.rtp_info;
  return info->url != NULL;
}

static gboolean
has_both (RtspViewer * viewer, gpointer data)
{
  guint *n = data;

  return (viewer->transport == NULL
      || rtsp_record_count (viewer->record) >= n[0])
      && (viewer->audio.transport == NULL
      || rtsp_record_count (viewer->audio.record) >= n[1]);
}

gboolean
rtsp_viewer_receive_streams (RtspViewer * viewer, guint n_video,
    guint n_audio, gint64 timeout, GError ** error)
{
  guint n[] = { n_video, n_audio };

  return rtsp_viewer_receive_until (viewer, has_both, n, timeout,
      "units of all streams", error);
}

static gboolean
has_report (RtspViewer * viewer, gpointer data)
{
  return viewer->audio.record->reports->len > 0;
}

gboolean
rtsp_viewer_wait_audio_report (RtspViewer * viewer, gint64 timeout,
    GError ** error)
{
  return rtsp_viewer_receive_until (viewer, has_report, NULL, timeout,
      "a sender report of the audio", error);
}
