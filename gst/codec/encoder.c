/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* An encoder, ours or the user's: what is known about it, and how it is made fit for
 * live viewing: low delay, bit rate, key units, whether by properties, V4L2's
 * controls or an action. The application's thread and the encoder's; no locks. */

#include "codec/encoder.h"

#include "base/elements.h"
#include "codec/encodertable.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_encoder_debug);
#define GST_CAT_DEFAULT rtsp_sink_encoder_debug

#define MIN_AUTO_BITRATE 400000

#define DEFAULT_FPS 30

#define IS_ENCODER (GST_ELEMENT_FACTORY_TYPE_ENCODER | \
    GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE)

/* Before anything is logged: by all that looks for the very encoder, or sets it. */
static void
init_category (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (rtsp_sink_encoder_debug, "rtspserversink-encoder",
        0, "rtspserversink: the encoder");
    g_once_init_leave (&done, 1);
  }
}

static gboolean
is_encoder (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && gst_element_factory_list_is_type (factory,
      IS_ENCODER);
}

/**
 * rtsp_sink_encoder_find:
 * @element: an encoder, or a bin with one
 *
 * Returns: (transfer full) (nullable): the very encoder
 */
GstElement *
rtsp_sink_encoder_find (GstElement * element)
{
  g_autoptr (GstIterator) elements = NULL;
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;

  init_category ();
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

/* NULL: nothing is known about it. @encoder: the very one, or a bin with it. */
static const RtspSinkEncoderRow *
find_row (GstElement * encoder)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoder_find (encoder);

  return rtsp_sink_encoder_table_find (factory_name (inner));
}

static gboolean
has_flag (GstElement * encoder, RtspSinkEncoderFlags flag)
{
  const RtspSinkEncoderRow *row = find_row (encoder);

  return row != NULL && (row->flags & flag);
}

/**
 * rtsp_sink_encoder_dup_name:
 * @encoder: from rtsp_sink_choose_encoder(), as in all functions below that do
 *   not say another
 *
 * Returns: (transfer full): its factory's name, as "x264enc"
 */
gchar *
rtsp_sink_encoder_dup_name (GstElement * encoder)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoder_find (encoder);

  return g_strdup (factory_name (inner));
}

/**
 * rtsp_sink_encoder_get_codec:
 *
 * Returns: (nullable): what it makes; NULL if that cannot be sent
 */
const RtspSinkVideoCodec *
rtsp_sink_encoder_get_codec (GstElement * encoder)
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
 * rtsp_sink_encoder_takes_interlaced:
 *
 * Returns: whether it encodes interlaced video as such
 */
gboolean
rtsp_sink_encoder_takes_interlaced (GstElement * encoder)
{
  return has_flag (encoder, RTSP_SINK_ENCODER_INTERLACED);
}

/**
 * rtsp_sink_encoder_tells_shape:
 *
 * Returns: whether viewers learn from the stream that pixels are not square
 */
gboolean
rtsp_sink_encoder_tells_shape (GstElement * encoder)
{
  return has_flag (encoder, RTSP_SINK_ENCODER_SHAPED);
}

/**
 * rtsp_sink_encoder_complete:
 * @info: (inout): what is to be encoded
 *
 * An encoder that needs to know the rate is told one if it is not known.
 */
void
rtsp_sink_encoder_complete (GstElement * encoder, GstVideoInfo * info)
{
  if (GST_VIDEO_INFO_FPS_N (info) != 0
      || !has_flag (encoder, RTSP_SINK_ENCODER_RATED))
    return;
  GST_INFO_OBJECT (encoder, "no rate is known, taking it for %d", DEFAULT_FPS);
  info->fps_n = DEFAULT_FPS;
  info->fps_d = 1;
}

/* --- how it is set --- */

static guint64
clamp_to_property (GParamSpec * pspec, guint64 value)
{
  if (G_IS_PARAM_SPEC_INT (pspec))
    return MIN (value, (guint64) G_PARAM_SPEC_INT (pspec)->maximum);
  if (G_IS_PARAM_SPEC_UINT (pspec))
    return CLAMP (value, G_PARAM_SPEC_UINT (pspec)->minimum,
        G_PARAM_SPEC_UINT (pspec)->maximum);
  return value;
}

static void
set_number (GstElement * encoder, const gchar * property, guint64 value)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (encoder), property);
  GValue number = G_VALUE_INIT;

  if (pspec == NULL) {
    GST_INFO_OBJECT (encoder, "has no property '%s'", property);
    return;
  }
  g_value_init (&number, G_TYPE_UINT64);
  g_value_set_uint64 (&number, clamp_to_property (pspec, value));
  g_object_set_property (G_OBJECT (encoder), property, &number);
  g_value_unset (&number);
}

/* Setting the property sets all of its controls in the driver. */
static void
set_control (GstElement * encoder, const gchar * control, guint64 value)
{
  GstStructure *controls = NULL;

  g_object_get (encoder, "extra-controls", &controls, NULL);
  if (controls == NULL)
    controls = gst_structure_new_empty ("controls");
  gst_structure_set (controls, control, G_TYPE_INT,
      (gint) MIN (value, G_MAXINT), NULL);
  g_object_set (encoder, "extra-controls", controls, NULL);
  gst_structure_free (controls);
}

/* @encoder: one of @row's. @names: its properties or controls, with a space between.
 * @value: in their unit; the nearest that they take. */
static void
set_numbers (GstElement * encoder, const RtspSinkEncoderRow * row,
    const gchar * names, guint64 value)
{
  g_auto (GStrv) words = g_strsplit (names, " ", -1);

  for (gsize i = 0; words[i] != NULL; i++) {
    if (row->flags & RTSP_SINK_ENCODER_V4L2)
      set_control (encoder, words[i], value);
    else
      set_number (encoder, words[i], value);
  }
}

/**
 * rtsp_sink_encoder_apply_settings:
 * @encoder: one of @row's
 *
 * Makes it fit for live viewing.
 */
void
rtsp_sink_encoder_apply_settings (GstElement * encoder,
    const RtspSinkEncoderRow * row)
{
  g_autofree gchar *longest = NULL;

  init_category ();
  rtsp_sink_elements_set (encoder, row->settings);
  if (row->longest == NULL)
    return;
  longest = g_strdup_printf ("%s=%s", row->interval, row->longest);
  rtsp_sink_elements_set (encoder, longest);
}

/* Not before the first frame, which is a key unit anyway: till then the driver
 * may not be set up. */
static GstPadProbeReturn
watch_requests (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gint *started = user_data;
  GstElement *encoder;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    g_atomic_int_set (started, TRUE);
    return GST_PAD_PROBE_OK;
  }
  if (!gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))
      || !g_atomic_int_get (started))
    return GST_PAD_PROBE_OK;

  encoder = gst_pad_get_parent_element (pad);
  if (encoder != NULL)
    g_signal_emit_by_name (encoder, "force-IDR");
  gst_clear_object (&encoder);
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_encoder_translate_requests:
 * @encoder: one of @row's
 *
 * If it has an action for that, it makes a key unit when an event asks for one.
 */
void
rtsp_sink_encoder_translate_requests (GstElement * encoder,
    const RtspSinkEncoderRow * row)
{
  GstPad *pad;

  if (!(row->flags & RTSP_SINK_ENCODER_ACTION)
      || g_signal_lookup ("force-IDR", G_OBJECT_TYPE (encoder)) == 0)
    return;

  pad = gst_element_get_static_pad (encoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, watch_requests, g_new0 (gint, 1),
      g_free);
  gst_object_unref (pad);
}

/* --- bit rate and key units --- */

/**
 * rtsp_sink_encoder_auto_bitrate:
 * @codec: not raw video
 * @info: what is encoded
 *
 * Returns: in bit/s, what is good for live video of this size and rate; 0 for
 *   JPEG, which has a quality instead
 */
guint
rtsp_sink_encoder_auto_bitrate (const RtspSinkVideoCodec * codec,
    const GstVideoInfo * info)
{
  guint bits = codec->bits_per_kilopixel;
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
 * rtsp_sink_encoder_set_bitrate:
 * @bitrate: in bit/s; the nearest that the encoder takes
 *
 * An encoder that is not in the table keeps its own, one for JPEG its quality.
 */
void
rtsp_sink_encoder_set_bitrate (GstElement * encoder, guint bitrate)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoder_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);

  if (row == NULL) {
    warn_unknown (inner);
    return;
  }
  if (row->bitrate == NULL) {
    GST_INFO_OBJECT (inner, "has a quality, no bit rate");
    return;
  }
  GST_INFO_OBJECT (inner, "bit rate %u bit/s", bitrate);
  set_numbers (inner, row, row->bitrate, MAX (bitrate / row->bitrate_unit, 1));
}

/**
 * rtsp_sink_encoder_set_key_unit_interval:
 * @ms: from one key unit to the next
 * @fps_n: frames in @fps_d seconds; 0: not known
 *
 * Only for an encoder that may be deaf to force-key-unit events: it makes key
 * units by itself. All others are asked for each.
 */
void
rtsp_sink_encoder_set_key_unit_interval (GstElement * encoder, guint ms,
    gint fps_n, gint fps_d)
{
  g_autoptr (GstElement) inner = rtsp_sink_encoder_find (encoder);
  const RtspSinkEncoderRow *row = find_row (inner);
  guint64 frames;

  if (row == NULL || row->interval == NULL || row->longest != NULL)
    return;

  if (fps_n <= 0 || fps_d <= 0) {
    fps_n = DEFAULT_FPS;
    fps_d = 1;
  }
  frames = gst_util_uint64_scale_int_round (ms, fps_n, fps_d) / 1000;
  GST_INFO_OBJECT (inner, "a key unit every %" G_GUINT64_FORMAT " frames",
      MAX (frames, 1));
  set_numbers (inner, row, row->interval, MAX (frames, 1));
}
