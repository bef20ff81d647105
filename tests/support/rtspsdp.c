/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Questions to an SDP and to RTP-Info; see rtspsdp.h. */

#include "rtspsdp.h"

#define NAL_TYPE(byte) ((byte) & 0x1f)
#define NAL_SPS 7
#define NAL_PPS 8

const GstSDPMedia *
rtsp_sdp_media (const GstSDPMessage * sdp, const gchar * kind)
{
  guint i;

  for (i = 0; i < gst_sdp_message_medias_len (sdp); i++) {
    const GstSDPMedia *media = gst_sdp_message_get_media (sdp, i);

    if (g_strcmp0 (gst_sdp_media_get_media (media), kind) == 0)
      return media;
  }
  return NULL;
}

const GstSDPMedia *
rtsp_sdp_video (const GstSDPMessage * sdp)
{
  return rtsp_sdp_media (sdp, "video");
}

GstCaps *
rtsp_sdp_media_caps (const GstSDPMedia * media)
{
  const gchar *format;
  GstCaps *caps;

  if (media == NULL || gst_sdp_media_formats_len (media) == 0)
    return NULL;
  format = gst_sdp_media_get_format (media, 0);
  caps = gst_sdp_media_get_caps_from_media (media, atoi (format));
  if (caps == NULL)
    return NULL;
  gst_sdp_media_attributes_to_caps (media, caps);
  gst_structure_set_name (gst_caps_get_structure (caps, 0),
      "application/x-rtp");
  return caps;
}

GstCaps *
rtsp_sdp_caps (const GstSDPMessage * sdp)
{
  return rtsp_sdp_media_caps (rtsp_sdp_video (sdp));
}

/* GStreamer keeps profile-level-id from the caps if the sender allows another
 * level (level-asymmetry-allowed). */
static gchar *
fmtp_parameter (const GstSDPMessage * sdp, const gchar * name)
{
  const gchar *fmtp =
      gst_sdp_media_get_attribute_val (rtsp_sdp_video (sdp), "fmtp");
  const gchar *parameters = fmtp != NULL ? strchr (fmtp, ' ') : NULL;
  g_auto (GStrv) parts = NULL;
  guint i;

  if (parameters == NULL)
    return NULL;
  parts = g_strsplit (parameters, ";", -1);
  for (i = 0; parts[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (g_strstrip (parts[i]), "=", 2);

    if (g_strcmp0 (pair[0], name) == 0)
      return g_strdup (pair[1]);
  }
  return NULL;
}

gchar *
rtsp_sdp_field (const GstSDPMessage * sdp, const gchar * name)
{
  g_autoptr (GstCaps) caps = rtsp_sdp_caps (sdp);
  const GValue *value;

  if (caps == NULL)
    return NULL;
  value = gst_structure_get_value (gst_caps_get_structure (caps, 0), name);
  if (value == NULL)
    return fmtp_parameter (sdp, name);
  if (G_VALUE_HOLDS_STRING (value))
    return g_value_dup_string (value);
  return gst_value_serialize (value);
}

gboolean
rtsp_sdp_has_parameter_sets (const GstSDPMessage * sdp)
{
  g_autofree gchar *sets = rtsp_sdp_field (sdp, "sprop-parameter-sets");
  gboolean sps = FALSE, pps = FALSE;
  g_auto (GStrv) parts = NULL;
  guint i;

  if (sets == NULL)
    return FALSE;
  parts = g_strsplit (sets, ",", -1);
  for (i = 0; parts[i] != NULL; i++) {
    gsize size;
    g_autofree guchar *nal = g_base64_decode (parts[i], &size);

    sps |= size > 3 && NAL_TYPE (nal[0]) == NAL_SPS;
    pps |= size > 1 && NAL_TYPE (nal[0]) == NAL_PPS;
  }
  return sps && pps;
}

static gboolean
parse_number (const gchar * text, guint64 max, guint64 * value)
{
  return g_ascii_string_to_unsigned (text, 10, 0, max, value, NULL);
}

gboolean
rtsp_rtp_info_parse (const gchar * header, RtspRtpInfo * info)
{
  g_auto (GStrv) streams = NULL, fields = NULL;
  guint64 value;
  guint i;

  *info = (RtspRtpInfo) {
  0,};
  if (header == NULL)
    return FALSE;
  streams = g_strsplit (header, ",", -1);
  if (streams[0] == NULL)
    return FALSE;
  fields = g_strsplit (streams[0], ";", -1);
  for (i = 0; fields[i] != NULL; i++) {
    const gchar *field = g_strstrip (fields[i]);

    if (g_str_has_prefix (field, "url=")) {
      g_free (info->url);
      info->url = g_strdup (field + 4);
    } else if (g_str_has_prefix (field, "seq=")
        && parse_number (field + 4, G_MAXUINT16, &value)) {
      info->has_seq = TRUE;
      info->seq = value;
    } else if (g_str_has_prefix (field, "rtptime=")
        && parse_number (field + 8, G_MAXUINT32, &value)) {
      info->has_rtptime = TRUE;
      info->rtptime = value;
    }
  }
  return info->url != NULL;
}

void
rtsp_rtp_info_clear (RtspRtpInfo * info)
{
  g_clear_pointer (&info->url, g_free);
}
