/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which H.264 encoder to use and how to make it fit for live viewing: a
 * const table, and the choice. Application thread; no locks. */

#include "rtspsinkencoders.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_encoders_debug);
#define GST_CAT_DEFAULT rtsp_sink_encoders_debug

#define EXAMPLE "x264enc speed-preset=superfast tune=zerolatency"

/* What is known about an encoder. No B frames and no look-ahead: the frame
 * that goes in comes out. Key units are asked for by events, so the encoder's
 * own interval is made too long to matter. */
typedef struct
{
  const gchar *factory;
  /* Properties, as in a launch line. */
  const gchar *settings;
  const gchar *bitrate_property;
  guint bitrate_unit;           /* bit/s in one unit of the property */
  gboolean interlaced;          /* says in the stream that fields are woven */
} EncoderRow;

static const EncoderRow rows[] = {
  {"x264enc",
        "tune=zerolatency speed-preset=ultrafast key-int-max=1073741824 "
        "bframes=0 b-adapt=false",
      "bitrate", 1000, TRUE},
  {"openh264enc",
        "usage-type=camera complexity=low rate-control=bitrate "
        "gop-size=1073741824 enable-frame-skip=false",
      "bitrate", 1, FALSE},
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

static const EncoderRow *
find_row (const gchar * factory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    if (strcmp (rows[i].factory, factory) == 0)
      return &rows[i];
  }
  return NULL;
}

static const gchar *
factory_name (GstElement * element)
{
  return GST_OBJECT_NAME (gst_element_get_factory (element));
}

/* Other versions of an encoder may lack a property. */
static void
apply_settings (GstElement * encoder, const gchar * settings)
{
  g_auto (GStrv) words = g_strsplit (settings, " ", -1);

  for (gsize i = 0; words[i] != NULL; i++) {
    gchar *value = strchr (words[i], '=');

    g_assert (value != NULL);
    *value++ = '\0';
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), words[i]))
      gst_util_set_object_arg (G_OBJECT (encoder), words[i], value);
    else
      GST_INFO_OBJECT (encoder, "has no property '%s'", words[i]);
  }
}

/* The hardware encoders of a plugin are there whether or not the hardware is:
 * only opening one tells. Returns it in READY. */
static GstElement *
try_open (GstElementFactory * factory)
{
  const EncoderRow *row = find_row (GST_OBJECT_NAME (factory));
  GstElement *encoder = gst_element_factory_create (factory, "encoder");

  if (encoder == NULL)
    return NULL;

  gst_object_ref_sink (encoder);
  if (row != NULL)
    apply_settings (encoder, row->settings);

  if (gst_element_set_state (encoder, GST_STATE_READY)
      != GST_STATE_CHANGE_FAILURE)
    return encoder;

  GST_INFO ("'%s' does not open", GST_OBJECT_NAME (factory));
  gst_element_set_state (encoder, GST_STATE_NULL);
  gst_object_unref (encoder);
  return NULL;
}

static gint
row_index (GstPluginFeature * feature)
{
  const EncoderRow *row = find_row (GST_OBJECT_NAME (feature));

  return row != NULL ? row - rows : (gint) G_N_ELEMENTS (rows);
}

/* The table's order first, then by rank. */
static gint
compare_factories (gconstpointer a, gconstpointer b)
{
  gint order = row_index ((GstPluginFeature *) a)
      - row_index ((GstPluginFeature *) b);

  return order != 0 ? order : gst_plugin_feature_rank_compare_func (a, b);
}

static GList *
list_h264_encoders (void)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("video/x-h264");
  GList *all, *encoders;

  all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_ENCODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO,
      GST_RANK_MARGINAL);
  encoders = gst_element_factory_list_filter (all, caps, GST_PAD_SRC, FALSE);
  gst_plugin_feature_list_free (all);

  return g_list_sort (encoders, compare_factories);
}

/**
 * rtsp_sink_encoders_choose:
 * @error: names the package to install
 *
 * Returns: (transfer full) (nullable): an encoder that opens, in READY
 */
GstElement *
rtsp_sink_encoders_choose (GError ** error)
{
  GstElement *encoder = NULL;
  GList *factories;

  init_category ();
  factories = list_h264_encoders ();
  for (GList * l = factories; l != NULL && encoder == NULL; l = l->next)
    encoder = try_open (l->data);
  gst_plugin_feature_list_free (factories);

  if (encoder != NULL) {
    GST_INFO ("encoder is '%s'", factory_name (encoder));
    return encoder;
  }

  g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      "No H.264 encoder is installed: install x264enc (Debian package "
      "gstreamer1.0-plugins-ugly) or openh264enc (gstreamer1.0-plugins-bad), "
      "or use codec=raw");
  return NULL;
}

static gboolean
is_video_encoder (GstElement * element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && gst_element_factory_list_is_type (factory,
      GST_ELEMENT_FACTORY_TYPE_ENCODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO);
}

/* The encoder that @element is, or that is in the bin @element. */
static GstElement *
find_video_encoder (GstElement * element)
{
  g_autoptr (GstIterator) elements = NULL;
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;

  if (!GST_IS_BIN (element))
    return is_video_encoder (element) ? gst_object_ref (element) : NULL;

  elements = gst_bin_iterate_recurse (GST_BIN (element));
  while (found == NULL && gst_iterator_next (elements, &item)
      == GST_ITERATOR_OK) {
    if (is_video_encoder (g_value_get_object (&item)))
      found = g_value_dup_object (&item);
    g_value_unset (&item);
  }
  return found;
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
  g_autoptr (GstElement) encoder = NULL;
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
  encoder = find_video_encoder (bin);
  if (encoder != NULL)
    return bin;

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
      "There is no H.264 encoder in encoder=\"%s\": name one, for example "
      "\"" EXAMPLE "\"", description);
  gst_object_unref (bin);
  return NULL;
}

/**
 * rtsp_sink_encoders_takes_interlaced:
 * @encoder: from rtsp_sink_encoders_choose() or rtsp_sink_encoders_parse()
 *
 * Returns: whether it encodes interlaced video as such
 */
gboolean
rtsp_sink_encoders_takes_interlaced (GstElement * encoder)
{
  g_autoptr (GstElement) inner = find_video_encoder (encoder);
  const EncoderRow *row = find_row (factory_name (inner));

  return row != NULL && row->interlaced;
}

static guint
clamp_to_property (GstElement * encoder, const gchar * property, guint value)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (encoder), property);

  if (G_IS_PARAM_SPEC_UINT (pspec))
    return CLAMP (value, MAX (G_PARAM_SPEC_UINT (pspec)->minimum, 1),
        G_PARAM_SPEC_UINT (pspec)->maximum);
  return MAX (value, 1);
}

/**
 * rtsp_sink_encoders_set_bitrate:
 * @encoder: from rtsp_sink_encoders_choose() or rtsp_sink_encoders_parse()
 * @bitrate: in bit/s; the nearest that the encoder takes
 *
 * An encoder that is not in the table keeps its own.
 */
void
rtsp_sink_encoders_set_bitrate (GstElement * encoder, guint bitrate)
{
  g_autoptr (GstElement) inner = find_video_encoder (encoder);
  const EncoderRow *row = find_row (factory_name (inner));

  init_category ();
  if (row == NULL) {
    GST_WARNING_OBJECT (inner, "'%s' keeps its own bit rate: how to set it "
        "is not known, give it with the encoder property",
        factory_name (inner));
    return;
  }
  GST_INFO_OBJECT (inner, "bit rate %u bit/s", bitrate);
  g_object_set (inner, row->bitrate_property, clamp_to_property (inner,
          row->bitrate_property, bitrate / row->bitrate_unit), NULL);
}
