/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Decoding of received access units; see picturedecoder.h. */

#include "picturedecoder.h"

#include <gst/app/app.h>
#include <gst/video/video.h>

#include "rtspsdp.h"

#define CENTRE 32
/* Grey would else keep the range of the video, 16 to 235. */
#define FULL_RANGE ",colorimetry=1:4:0:0"

struct _PictureDecoder
{
  GstElement *pipeline;
  GstAppSrc *src;
  GstAppSink *sink;
};

/* RTP encoding name -> what makes pictures of it. One thread, so that each unit
 * gives its picture at once. */
static const struct
{
  const gchar *encoding;
  const gchar *launch;
} decoders[] = {
  {"H264", "rtph264depay ! avdec_h264 max-threads=1"},
  {"RAW", "rtpvrawdepay"},
};

static const gchar *
find_decoder (const GstCaps * caps)
{
  const gchar *encoding =
      gst_structure_get_string (gst_caps_get_structure (caps,
          0), "encoding-name");
  guint i;

  for (i = 0; i < G_N_ELEMENTS (decoders); i++)
    if (g_strcmp0 (encoding, decoders[i].encoding) == 0)
      return decoders[i].launch;
  return NULL;
}

PictureDecoder *
picture_decoder_new (const GstSDPMessage * sdp, const gchar * format)
{
  g_autoptr (GstCaps) caps = rtsp_sdp_caps (sdp);
  const gchar *chain = caps != NULL ? find_decoder (caps) : NULL;
  g_autofree gchar *launch = NULL;
  PictureDecoder *decoder;

  if (chain == NULL)
    return NULL;
  launch = g_strdup_printf ("appsrc name=src format=time ! %s ! videoconvert "
      "! video/x-raw,format=%s%s ! appsink name=sink sync=false", chain, format,
      g_str_equal (format, "GRAY8") ? FULL_RANGE : "");
  decoder = g_new0 (PictureDecoder, 1);
  decoder->pipeline = gst_parse_launch (launch, NULL);
  decoder->src = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (decoder->pipeline),
          "src"));
  decoder->sink = GST_APP_SINK (gst_bin_get_by_name (GST_BIN
          (decoder->pipeline), "sink"));
  gst_app_src_set_caps (decoder->src, caps);
  gst_element_set_state (decoder->pipeline, GST_STATE_PLAYING);
  return decoder;
}

void
picture_decoder_free (PictureDecoder * decoder)
{
  if (decoder == NULL)
    return;
  gst_element_set_state (decoder->pipeline, GST_STATE_NULL);
  gst_object_unref (decoder->src);
  gst_object_unref (decoder->sink);
  gst_object_unref (decoder->pipeline);
  g_free (decoder);
}

GstSample *
picture_decoder_decode (PictureDecoder * decoder, const RtspUnit * unit,
    gint64 timeout)
{
  guint i;

  g_return_val_if_fail (unit->packets != NULL, NULL);
  for (i = 0; i < unit->packets->len; i++) {
    GstBuffer *packet = gst_buffer_copy (g_ptr_array_index (unit->packets, i));

    GST_BUFFER_PTS (packet) = unit->arrival * GST_USECOND;
    gst_app_src_push_buffer (decoder->src, packet);
  }
  return gst_app_sink_try_pull_sample (decoder->sink, timeout * GST_USECOND);
}

guint
picture_grey (GstSample * sample)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  guint x, y, width, height, sum = 0;
  const guint8 *row;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ))
    return 0;
  width = MIN (CENTRE, GST_VIDEO_FRAME_WIDTH (&frame));
  height = MIN (CENTRE, GST_VIDEO_FRAME_HEIGHT (&frame));
  for (y = 0; y < height; y++) {
    row = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0);
    row += (GST_VIDEO_FRAME_WIDTH (&frame) - width) / 2;
    row += ((GST_VIDEO_FRAME_HEIGHT (&frame) - height) / 2 + y)
        * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    for (x = 0; x < width; x++)
      sum += row[x];
  }
  gst_video_frame_unmap (&frame);
  return sum / (width * height);
}
