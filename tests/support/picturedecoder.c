/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Decoding of received access units; see picturedecoder.h. */

#include "picturedecoder.h"

#include <gst/app/app.h>
#include <gst/video/video.h>

#include "rtspsdp.h"

#define CENTRE 32

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
  {"H265", "rtph265depay ! avdec_h265 max-threads=1"},
  {"VP8", "rtpvp8depay ! vp8dec threads=1"},
  {"VP9", "rtpvp9depay ! vp9dec threads=1"},
  {"JPEG", "rtpjpegdepay ! jpegdec"},
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
      "! video/x-raw,format=%s ! appsink name=sink sync=false", chain, format);
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

/* Sum over a square of the first component. */
static guint
sum_square (GstVideoFrame * frame, guint left, guint top, guint width,
    guint height)
{
  const guint8 *data = GST_VIDEO_FRAME_COMP_DATA (frame, 0);
  guint x, y, sum = 0;

  for (y = top; y < top + height; y++)
    for (x = left; x < left + width; x++)
      sum += data[y * GST_VIDEO_FRAME_COMP_STRIDE (frame, 0)
          + x * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0)];
  return sum;
}

guint
picture_grey (GstSample * sample)
{
  GstVideoInfo info;
  GstVideoFrame frame;
  guint width, height, sum;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
      || !gst_video_frame_map (&frame, &info, gst_sample_get_buffer (sample),
          GST_MAP_READ))
    return 0;
  width = MIN (CENTRE, GST_VIDEO_FRAME_WIDTH (&frame));
  height = MIN (CENTRE, GST_VIDEO_FRAME_HEIGHT (&frame));
  sum = sum_square (&frame, (GST_VIDEO_FRAME_WIDTH (&frame) - width) / 2,
      (GST_VIDEO_FRAME_HEIGHT (&frame) - height) / 2, width, height);
  gst_video_frame_unmap (&frame);
  return sum / (width * height);
}
