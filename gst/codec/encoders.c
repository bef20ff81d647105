/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which encoder to use, and how to make it fit for live viewing. Chosen and
 * parsed on the application's thread; set on the application's and the
 * encoder's. No locks. */

#include "codec/encoders.h"

#include <string.h>

#include "codec/encoderformats.h"
#include "codec/encodersettings.h"
#include "codec/encodertable.h"
#include "base/missing.h"
#include "codec/nvmm.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_encoders_debug);
#define GST_CAT_DEFAULT rtsp_sink_encoders_debug

#define EXAMPLE "x264enc speed-preset=superfast tune=zerolatency"

#define MIN_AUTO_BITRATE 400000

#define DEFAULT_FPS 30

#define IS_ENCODER (GST_ELEMENT_FACTORY_TYPE_ENCODER | \
    GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE)

/* How much it takes to code a pixel of live video, and what to install. */
typedef struct
{
  GstRtspServerSinkCodec codec;
  guint bits_per_kilopixel;     /* 0: it has a quality instead */
  const gchar *install;
  const gchar *alternative;
} CodecRow;

static const CodecRow codecs[] = {
  {GST_RTSP_SERVER_SINK_CODEC_H264, 100,
      "x264enc (Debian package gstreamer1.0-plugins-ugly) or openh264enc "
        "(gstreamer1.0-plugins-bad)", "raw"},
  {GST_RTSP_SERVER_SINK_CODEC_H265, 70,
      "x265enc (Debian package gstreamer1.0-plugins-bad)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_VP8, 100,
      "vp8enc (Debian package gstreamer1.0-plugins-good)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_VP9, 70,
      "vp9enc (Debian package gstreamer1.0-plugins-good)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_AV1, 60,
      "av1enc (Debian package gstreamer1.0-plugins-bad)", "h264"},
  {GST_RTSP_SERVER_SINK_CODEC_JPEG, 0,
      "jpegenc (Debian package gstreamer1.0-plugins-good) or avenc_mjpeg "
        "(gstreamer1.0-libav)", "h264"},
};

static void
init_category (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (rtsp_sink_encoders_debug,
        "rtspserversink-encoders", 0, "rtspserversink: choice of the encoder");
    g_once_init_leave (&done, 1);
  }
}

static const CodecRow *
find_codec (const RtspSinkVideoCodec * codec)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++) {
    if (codecs[i].codec == codec->codec)
      return &codecs[i];
  }
  g_return_val_if_reached (NULL);
}

static gboolean
is_encoder (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && gst_element_factory_list_is_type (factory,
      IS_ENCODER);
}

/**
 * rtsp_sink_encoders_find:
 * @element: an encoder, or a bin with one
 *
 * Returns: (transfer full) (nullable): the very encoder
 */
GstElement *
rtsp_sink_encoders_find (GstElement * element)
{
  g_autoptr (GstIterator) elements = NULL;
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;

  if (is_encoder (element))
    return gst_object_ref (element);
  if (!GST_IS_BIN (element))
    return NULL;

  elements = gst_bin_iterate_recurse (GST_BIN (element));
  while (found == NULL && gst_iterator_next (elements, &item)
      == GST_ITERATOR_OK) {
    if (is_encoder (g_value_get_object (&item)))
      found = g_value_dup_object (&item);
    g_value_unset (&item);
  }
  return found;
}

static const gchar *
factory_name (GstElement * encoder)
{
  return GST_OBJECT_NAME (gst_element_get_factory (encoder));
}

static const RtspSinkEncoderRow *
find_row (GstElement * encoder)
{
  return rtsp_sink_encoder_table_find (factory_name (encoder));
}

/* --- choice --- */

static GstElement *
make_encoder (GstElementFactory * factory)
{
  const RtspSinkEncoderRow *row =
      rtsp_sink_encoder_table_find (GST_OBJECT_NAME (factory));
  GstElement *encoder = gst_element_factory_create (factory, "encoder");

  if (encoder == NULL)
    return NULL;

  gst_object_ref_sink (encoder);
  if (row == NULL)
    return encoder;

  rtsp_sink_encoder_settings_apply (encoder, row);
  rtsp_sink_encoder_settings_translate (encoder, row);
  return row->flags & RTSP_SINK_ENCODER_NVMM ? rtsp_sink_nvmm_feed (encoder) :
      encoder;
}

/* Other memory than the machine's is for who has it, and names the encoder. */
static gboolean
takes_frames (GstElement * encoder)
{
  g_autoptr (GstCaps) formats = rtsp_sink_encoder_formats_get (encoder);

  for (guint i = 0; i < gst_caps_get_size (formats); i++) {
    if (gst_caps_features_is_equal (gst_caps_get_features (formats, i),
            GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      return TRUE;
  }
  return FALSE;
}

/* The hardware encoders of a plugin are there whether or not the hardware is:
 * only opening one tells. Returns it in READY. */
static GstElement *
try_open (GstElementFactory * factory)
{
  GstElement *encoder = make_encoder (factory);

  if (encoder == NULL)
    return NULL;
  if (gst_element_set_state (encoder, GST_STATE_READY)
      != GST_STATE_CHANGE_FAILURE && takes_frames (encoder))
    return encoder;

  GST_INFO ("'%s' does not open, or takes no 4:2:0 frames",
      GST_OBJECT_NAME (factory));
  gst_element_set_state (encoder, GST_STATE_NULL);
  gst_object_unref (encoder);
  return NULL;
}

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

  all = gst_element_factory_list_get_elements (IS_ENCODER, GST_RANK_MARGINAL);
  encoders = gst_element_factory_list_filter (all, caps, GST_PAD_SRC, FALSE);
  gst_plugin_feature_list_free (all);

  return g_list_sort (encoders, compare_factories);
}

/**
 * rtsp_sink_encoders_choose:
 * @codec: what it shall make; not raw video
 * @error: names the package to install
 *
 * Returns: (transfer full) (nullable): an encoder that opens, in READY
 */
GstElement *
rtsp_sink_encoders_choose (const RtspSinkVideoCodec * codec, GError ** error)
{
  const CodecRow *row = find_codec (codec);
  GstElement *encoder = NULL;
  GList *factories;

  init_category ();
  factories = list_encoders (codec);
  for (GList * l = factories; l != NULL && encoder == NULL; l = l->next) {
    if (is_candidate (l->data))
      encoder = try_open (l->data);
  }
  gst_plugin_feature_list_free (factories);

  if (encoder != NULL) {
    g_autofree gchar *name = rtsp_sink_encoders_dup_name (encoder);

    GST_INFO ("the %s encoder is '%s'", codec->name, name);
    return encoder;
  }

  rtsp_sink_missing_set_error (error, RTSP_SINK_MISSING_ENCODER,
      codec->media_type,
      "No %s encoder is installed: install %s, or use codec=%s", codec->name,
      row->install, row->alternative);
  return NULL;
}

/* --- description --- */

static gboolean
check_description (GstElement * bin, const gchar * description, GError ** error)
{
  g_autoptr (GstElement) encoder = rtsp_sink_encoders_find (bin);
  const RtspSinkEncoderRow *row;

  if (encoder == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "There is no video encoder in encoder=\"%s\": name one, for example "
        "\"" EXAMPLE "\"", description);
    return FALSE;
  }
  if (rtsp_sink_encoders_get_codec (bin) == NULL) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "The output of encoder=\"%s\" cannot be sent: it must be H.264, H.265, "
        "VP8, VP9, AV1 or JPEG, for example \"" EXAMPLE "\"", description);
    return FALSE;
  }
  row = find_row (encoder);
  if (row != NULL)
    rtsp_sink_encoder_settings_translate (encoder, row);
  return TRUE;
}

/**
 * rtsp_sink_encoders_parse:
 * @description: one or more elements, as in a launch line
 * @error: GStreamer's own words about the description, or what it lacks
 *
 * Returns: (transfer full) (nullable): a bin with the pads sink and src
 */
GstElement *
rtsp_sink_encoders_parse (const gchar * description, GError ** error)
{
  GstElement *bin;

  init_category ();
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
 * rtsp_sink_encoders_make:
 * @codec: (nullable): what it shall make; NULL: what @description does
 * @description: (nullable): as in a launch line; NULL: choose
 * @error: says what is missing or wrong, and the cure
 *
 * Returns: (transfer full) (nullable): an encoder, or a bin with one
 */
GstElement *
rtsp_sink_encoders_make (const RtspSinkVideoCodec * codec,
    const gchar * description, GError ** error)
{
  GstElement *encoder;
  const RtspSinkVideoCodec *made;

  if (description == NULL)
    return rtsp_sink_encoders_choose (codec, error);

  encoder = rtsp_sink_encoders_parse (description, error);
  made = encoder != NULL ? rtsp_sink_encoders_get_codec (encoder) : NULL;
  if (encoder == NULL || codec == NULL || made == codec)
    return encoder;

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "encoder=\"%s\" makes %s, but codec= wants %s: set codec=auto, or name "
      "another encoder", description, made->name, codec->name);
  gst_object_unref (encoder);
  return NULL;
}

/* --- what is known about one --- */

/**
 * rtsp_sink_encoders_dup_name:
 * @encoder: from rtsp_sink_encoders_choose() or rtsp_sink_encoders_parse(), as
 *   in all functions below
 *
 * Returns: (transfer full): its factory's name, as "x264enc"
 */
gchar *
rtsp_sink_encoders_dup_name (GstElement * encoder)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoders_find (encoder);

  return g_strdup (factory_name (inner));
}

/**
 * rtsp_sink_encoders_get_codec:
 *
 * Returns: (nullable): what it makes; NULL if that cannot be sent
 */
const RtspSinkVideoCodec *
rtsp_sink_encoders_get_codec (GstElement * encoder)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");
  g_autoptr (GstCaps) caps = pad ? gst_pad_query_caps (pad, NULL) : NULL;
  const RtspSinkVideoCodec *codec = caps ?
      rtsp_sink_video_codecs_find_for_caps (caps) : NULL;

  if (codec != NULL && codec->codec == GST_RTSP_SERVER_SINK_CODEC_RAW)
    return NULL;
  return codec;
}

/**
 * rtsp_sink_encoders_takes_interlaced:
 *
 * Returns: whether it encodes interlaced video as such
 */
gboolean
rtsp_sink_encoders_takes_interlaced (GstElement * encoder)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoders_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);

  return row != NULL && (row->flags & RTSP_SINK_ENCODER_INTERLACED);
}

/**
 * rtsp_sink_encoders_tells_shape:
 *
 * Returns: whether viewers learn from the stream that pixels are not square
 */
gboolean
rtsp_sink_encoders_tells_shape (GstElement * encoder)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoders_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);

  return row != NULL && (row->flags & RTSP_SINK_ENCODER_SHAPED);
}

/* --- bit rate and key units --- */

/**
 * rtsp_sink_encoders_complete:
 * @info: (inout): what is to be encoded
 *
 * An encoder that needs to know the rate is told one if it is not known.
 */
void
rtsp_sink_encoders_complete (GstElement * encoder, GstVideoInfo * info)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoders_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);

  if (GST_VIDEO_INFO_FPS_N (info) != 0 || row == NULL
      || !(row->flags & RTSP_SINK_ENCODER_RATED))
    return;
  GST_INFO_OBJECT (inner, "no rate is known, taking it for %d", DEFAULT_FPS);
  info->fps_n = DEFAULT_FPS;
  info->fps_d = 1;
}

/**
 * rtsp_sink_encoders_auto_bitrate:
 * @codec: not raw video
 * @info: what is encoded
 *
 * Returns: in bit/s, what is good for live video of this size and rate; 0 for
 *   JPEG, which has a quality instead
 */
guint
rtsp_sink_encoders_auto_bitrate (const RtspSinkVideoCodec * codec,
    const GstVideoInfo * info)
{
  guint bits = find_codec (codec)->bits_per_kilopixel;
  guint64 pixels = (guint64) GST_VIDEO_INFO_WIDTH (info)
      * GST_VIDEO_INFO_HEIGHT (info);
  gint fps_n = GST_VIDEO_INFO_FPS_N (info), fps_d = GST_VIDEO_INFO_FPS_D (info);
  guint64 bitrate;

  if (bits == 0)
    return 0;
  if (fps_n <= 0 || fps_d <= 0) {
    fps_n = DEFAULT_FPS;
    fps_d = 1;
  }
  bitrate = gst_util_uint64_scale_int (pixels, fps_n, fps_d) * bits / 1000;
  return CLAMP (bitrate, MIN_AUTO_BITRATE, G_MAXINT);
}

/* Once for each encoder. */
static void
warn_unknown (GstElement * encoder)
{
  static const gchar *const said = "rtspserversink-unknown-said";

  if (g_object_get_data (G_OBJECT (encoder), said) != NULL)
    return;
  g_object_set_data (G_OBJECT (encoder), said, GINT_TO_POINTER (TRUE));
  GST_WARNING_OBJECT (encoder, "'%s' keeps its own bit rate: how to set it is "
      "not known, give it with the encoder property", factory_name (encoder));
}

/**
 * rtsp_sink_encoders_set_bitrate:
 * @bitrate: in bit/s; the nearest that the encoder takes
 *
 * An encoder that is not in the table keeps its own, one for JPEG its quality.
 */
void
rtsp_sink_encoders_set_bitrate (GstElement * encoder, guint bitrate)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoders_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);

  init_category ();
  if (row == NULL) {
    warn_unknown (inner);
    return;
  }
  if (row->bitrate == NULL) {
    GST_INFO_OBJECT (inner, "has a quality, no bit rate");
    return;
  }
  GST_INFO_OBJECT (inner, "bit rate %u bit/s", bitrate);
  rtsp_sink_encoder_settings_set (inner, row, row->bitrate,
      MAX (bitrate / row->bitrate_unit, 1));
}

/**
 * rtsp_sink_encoders_set_key_unit_interval:
 * @ms: from one key unit to the next
 * @fps_n: frames in @fps_d seconds; 0: not known
 *
 * Only for an encoder that may be deaf to force-key-unit events: it makes key
 * units by itself. All others are asked for each.
 */
void
rtsp_sink_encoders_set_key_unit_interval (GstElement * encoder, guint ms,
    gint fps_n, gint fps_d)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoders_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);
  guint64 frames;

  init_category ();
  if (row == NULL || row->interval == NULL || row->longest != NULL)
    return;

  if (fps_n <= 0 || fps_d <= 0) {
    fps_n = DEFAULT_FPS;
    fps_d = 1;
  }
  frames = gst_util_uint64_scale_int_round (ms, fps_n, fps_d) / 1000;
  GST_INFO_OBJECT (inner, "a key unit every %" G_GUINT64_FORMAT " frames",
      MAX (frames, 1));
  rtsp_sink_encoder_settings_set (inner, row, row->interval, MAX (frames, 1));
}
