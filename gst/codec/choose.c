/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which encoder to use, as the user describes it or by choice, and which decoder for
 * encoded input that cannot be sent as it is. The application's thread, or the
 * encoder's if other input comes; no locks. */

#include "codec/choose.h"

#include "base/missing.h"
#include "codec/encoder.h"
#include "codec/encoderinput.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_choose_debug);
#define GST_CAT_DEFAULT rtsp_sink_choose_debug

#define EXAMPLE "x264enc speed-preset=superfast tune=zerolatency"

#define VIDEO_OR_IMAGE (GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | \
    GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE)

/* What to install for a codec that has no encoder, or which to take instead. */
static const struct
{
  GstRtspServerSinkCodec codec;
  const gchar *install;
  const gchar *alternative;
} cures[] = {
  {GST_RTSP_SERVER_SINK_CODEC_H264,
      "x264enc (Debian package gstreamer1.0-plugins-ugly) or openh264enc "
        "(gstreamer1.0-plugins-bad)", "raw"},
  {GST_RTSP_SERVER_SINK_CODEC_H265,
      "x265enc (Debian package gstreamer1.0-plugins-bad)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_VP8,
      "vp8enc (Debian package gstreamer1.0-plugins-good)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_VP9,
      "vp9enc (Debian package gstreamer1.0-plugins-good)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_AV1,
      "av1enc (Debian package gstreamer1.0-plugins-bad)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_JPEG,
      "jpegenc (Debian package gstreamer1.0-plugins-good) or avenc_mjpeg "
        "(gstreamer1.0-libav)", "h264"},
};

/* The elements for hardware are there whether or not the hardware is: only opening
 * one tells. Takes @factories. @what: for the log. @suits: (nullable). Returns the
 * first that opens, in READY. */
static GstElement *
open_first (const gchar * what, GList * factories,
    GstElement * (*make) (GstElementFactory *),
    gboolean (*suits) (GstElement *))
{
  GstElement *found = NULL;

  for (GList * l = factories; l != NULL && found == NULL; l = l->next) {
    g_autoptr (GstElement) element = make (l->data);

    if (element == NULL)
      continue;
    if (gst_element_set_state (element, GST_STATE_READY)
        != GST_STATE_CHANGE_FAILURE && (suits == NULL || suits (element))) {
      GST_INFO ("the %s is '%s'", what, GST_OBJECT_NAME (l->data));
      found = g_steal_pointer (&element);
      continue;
    }
    GST_INFO ("'%s' does not open, or takes no 4:2:0 frames",
        GST_OBJECT_NAME (l->data));
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_plugin_feature_list_free (factories);
  return found;
}

/* --- encoders --- */

static const RtspSinkEncoderRow *
row_of (gconstpointer factory)
{
  return rtsp_sink_encoder_table_find (GST_OBJECT_NAME (factory));
}

/* libav opens an encoder when it knows the size: READY tells nothing. */
static gboolean
is_candidate (gpointer factory)
{
  const RtspSinkEncoderRow *row = row_of (factory);

  if (row != NULL)
    return !(row->flags & RTSP_SINK_ENCODER_NAMED);
  return g_strcmp0 (gst_plugin_feature_get_plugin_name (factory), "libav") != 0;
}

static GstElement *
make_encoder (GstElementFactory * factory)
{
  const RtspSinkEncoderRow *row = row_of (factory);
  GstElement *encoder = is_candidate (factory) ?
      gst_element_factory_create (factory, "encoder") : NULL;

  if (encoder == NULL)
    return NULL;

  gst_object_ref_sink (encoder);
  if (row == NULL)
    return encoder;

  rtsp_sink_encoder_apply_settings (encoder, row);
  rtsp_sink_encoder_translate_requests (encoder, row);
  return row->flags & RTSP_SINK_ENCODER_NVMM ?
      rtsp_sink_encoder_input_feed (encoder) : encoder;
}

/* Other memory than the machine's is for who has it, and names the encoder. */
static gboolean
takes_frames (GstElement * encoder)
{
  g_autoptr (GstCaps) formats = rtsp_sink_encoder_input_get_formats (encoder);

  for (guint i = 0; i < gst_caps_get_size (formats); i++) {
    if (gst_caps_features_is_equal (gst_caps_get_features (formats, i),
            GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      return TRUE;
  }
  return FALSE;
}

/* Hardware, software, others. */
static gint
group_of (const RtspSinkEncoderRow * row)
{
  if (row == NULL)
    return 2;
  return row->flags & RTSP_SINK_ENCODER_HARDWARE ? 0 : 1;
}

/* Hardware and others by rank, software in the table's order. */
static gint
compare_factories (gconstpointer a, gconstpointer b)
{
  const RtspSinkEncoderRow *row_a = row_of (a), *row_b = row_of (b);
  gint order = group_of (row_a) - group_of (row_b);

  if (order == 0 && group_of (row_a) != 1)
    order = gst_plugin_feature_rank_compare_func (a, b);
  if (order == 0 && row_a != row_b)
    order = row_a < row_b ? -1 : 1;
  return order;
}

static GList *
list_encoders (const RtspSinkVideoCodec * codec)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (codec->media_type);
  GList *all, *encoders;

  all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_ENCODER | VIDEO_OR_IMAGE, GST_RANK_MARGINAL);
  encoders = gst_element_factory_list_filter (all, caps, GST_PAD_SRC, FALSE);
  gst_plugin_feature_list_free (all);

  return g_list_sort (encoders, compare_factories);
}

/* Not of raw video. */
static GstElement *
choose_encoder (const RtspSinkVideoCodec * codec, GError ** error)
{
  GstElement *encoder =
      open_first ("encoder", list_encoders (codec), make_encoder,
      takes_frames);
  gsize i = 0;

  if (encoder != NULL)
    return encoder;
  while (cures[i].codec != codec->codec)
    i++;
  rtsp_sink_missing_set_error (error, RTSP_SINK_MISSING_ENCODER,
      codec->media_type,
      "No %s encoder is installed: install %s, or use codec=%s", codec->name,
      cures[i].install, cures[i].alternative);
  return NULL;
}

static gboolean
check_description (GstElement * bin, const gchar * description, GError ** error)
{
  g_autoptr (GstElement) encoder = rtsp_sink_encoder_find (bin);
  const RtspSinkEncoderRow *row;

  if (encoder == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "There is no video encoder in encoder=\"%s\": name one, for example "
        "\"" EXAMPLE "\"", description);
    return FALSE;
  }
  if (rtsp_sink_encoder_get_codec (bin) == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "The output of encoder=\"%s\" cannot be sent: it must be H.264, H.265, "
        "VP8, VP9, AV1 or JPEG, for example \"" EXAMPLE "\"", description);
    return FALSE;
  }
  row = row_of (gst_element_get_factory (encoder));
  if (row != NULL)
    rtsp_sink_encoder_translate_requests (encoder, row);
  return TRUE;
}

/* Returns a bin with the pads sink and src. */
static GstElement *
parse (const gchar * description, GError ** error)
{
  GstElement *bin;

  bin = gst_parse_bin_from_description_full (description, TRUE, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS | GST_PARSE_FLAG_NO_SINGLE_ELEMENT_BINS,
      error);
  if (bin == NULL) {
    g_prefix_error (error, "encoder=\"%s\" cannot be used. Give it a launch "
        "description like \"" EXAMPLE "\". GStreamer says: ", description);
    return NULL;
  }

  gst_object_ref_sink (bin);
  if (check_description (bin, description, error))
    return bin;

  gst_object_unref (bin);
  return NULL;
}

/**
 * rtsp_sink_choose_encoder:
 * @codec: (nullable): what it shall make; NULL: what @description does
 * @description: (nullable): as in a launch line; NULL: choose
 * @error: says what is missing or wrong, and the cure
 *
 * Returns: (transfer full) (nullable): an encoder that opens, in READY, or a bin
 *   with the described one and the pads sink and src
 */
GstElement *
rtsp_sink_choose_encoder (const RtspSinkVideoCodec * codec,
    const gchar * description, GError ** error)
{
  GstElement *encoder;
  const RtspSinkVideoCodec *made;

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_choose_debug, "rtspserversink-choose", 0,
      "rtspserversink: choice of encoder and decoder");
  if (description == NULL)
    return choose_encoder (codec, error);

  encoder = parse (description, error);
  made = encoder != NULL ? rtsp_sink_encoder_get_codec (encoder) : NULL;
  if (encoder == NULL || codec == NULL || made == codec)
    return encoder;

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "encoder=\"%s\" makes %s, but codec= wants %s: set codec=auto, or name "
      "another encoder", description, made->name, codec->name);
  gst_object_unref (encoder);
  return NULL;
}

/* --- decoders --- */

static GstElement *
make_decoder (GstElementFactory * factory)
{
  GstElement *decoder = gst_element_factory_create (factory, "decoder");

  return decoder != NULL ? gst_object_ref_sink (decoder) : NULL;
}

/* Those that leave their frames in a device's memory are of no use: frames are
 * changed here before they are encoded. */
static GList *
list_decoders (const GstCaps * caps)
{
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw");
  GList *all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_DECODER | VIDEO_OR_IMAGE, GST_RANK_MARGINAL);
  GList *fitting = gst_element_factory_list_filter (all, caps, GST_PAD_SINK,
      TRUE);
  GList *decoders = gst_element_factory_list_filter (fitting, raw, GST_PAD_SRC,
      FALSE);

  gst_plugin_feature_list_free (all);
  gst_plugin_feature_list_free (fitting);
  return g_list_sort (decoders, gst_plugin_feature_rank_compare_func);
}

/**
 * rtsp_sink_choose_decoder:
 * @caps: what is to be decoded
 * @error: names the package to install
 *
 * Returns: (transfer full) (nullable): a decoder that opens, in READY
 */
GstElement *
rtsp_sink_choose_decoder (const GstCaps * caps, GError ** error)
{
  GstElement *decoder;
  g_autofree gchar *detail = NULL;

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_choose_debug, "rtspserversink-choose", 0,
      "rtspserversink: choice of encoder and decoder");
  decoder = open_first ("decoder", list_decoders (caps), make_decoder, NULL);
  if (decoder != NULL)
    return decoder;
  detail = gst_caps_to_string (caps);
  rtsp_sink_missing_set_error (error, RTSP_SINK_MISSING_DECODER, detail,
      "No decoder for %s is installed: install gstreamer1.0-libav, or set "
      "codec=auto to send the video as it is",
      gst_structure_get_name (gst_caps_get_structure (caps, 0)));
  return NULL;
}
