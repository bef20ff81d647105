/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which raw video an encoder can be given. One that takes NVIDIA's memory only, on a
 * Jetson or elsewhere, gets a bin in which an element copies other frames there.
 * Application's thread, or the encoder's if other input comes; no locks. */

#include "codec/encoderinput.h"

#include "codec/memories.h"

/* 4:2:0 with 8 bit, in any memory. */
#define FORMATS "video/x-raw(ANY), format = (string) { I420, YV12, NV12, NV21 }"

/* A user's element is not called so. */
#define CONVERTER "rtspsink-converter"

static gboolean
is_drm_420 (const GValue * format)
{
  return rtsp_sink_memories_is_drm_420 (g_value_get_string (format));
}

static void
append_drm_formats (GstCaps * formats, GstCaps * offered)
{
  GstStructure *structure = gst_caps_get_structure (offered, 0);
  const GValue *list = gst_structure_get_value (structure, "drm-format");
  GValue kept = G_VALUE_INIT;

  g_value_init (&kept, GST_TYPE_LIST);
  if (list != NULL && G_VALUE_HOLDS_STRING (list) && is_drm_420 (list))
    gst_value_list_append_value (&kept, list);
  for (guint i = 0; list != NULL && GST_VALUE_HOLDS_LIST (list)
      && i < gst_value_list_get_size (list); i++) {
    const GValue *format = gst_value_list_get_value (list, i);

    if (is_drm_420 (format))
      gst_value_list_append_value (&kept, format);
  }
  if (gst_value_list_get_size (&kept) > 0) {
    GstCaps *drm = gst_caps_copy (offered);

    gst_caps_set_value (drm, "drm-format", &kept);
    gst_caps_append (formats, drm);
  }
  g_value_unset (&kept);
}

/**
 * rtsp_sink_encoder_input_get_formats:
 *
 * Returns: (transfer full): the raw video that it can be given, 4:2:0 with
 *   8 bit only, in the order of its sink pad; with the memories that it takes
 */
GstCaps *
rtsp_sink_encoder_input_get_formats (GstElement * encoder)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");
  /* A user's description may have no such pad. */
  g_autoptr (GstCaps) offered = pad ? gst_pad_query_caps (pad, NULL)
      : gst_caps_new_empty ();
  g_autoptr (GstCaps) wanted = gst_caps_from_string (FORMATS);
  GstCaps *formats = gst_caps_new_empty ();

  if (gst_caps_is_any (offered))
    gst_caps_append (formats, gst_caps_ref (wanted));

  for (guint i = 0; i < gst_caps_get_size (offered); i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (offered, i);
    const gchar *format = gst_structure_get_string (gst_caps_get_structure
        (one, 0), "format");

    if (g_strcmp0 (format, "DMA_DRM") == 0)
      append_drm_formats (formats, one);
    else
      gst_caps_append (formats, gst_caps_intersect_full (one, wanted,
              GST_CAPS_INTERSECT_FIRST));
  }
  return formats;
}

static void
add_ghost_pad (GstElement * bin, const gchar * name, GstElement * element)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (element, name);

  gst_element_add_pad (bin, gst_ghost_pad_new (name, target));
}

/**
 * rtsp_sink_encoder_input_feed:
 * @encoder: (transfer full): one that takes NVIDIA's memory only
 *
 * Returns: (transfer full) (nullable): a bin with it that takes any; NULL: what
 *   copies is not there
 */
GstElement *
rtsp_sink_encoder_input_feed (GstElement * encoder)
{
  GstElement *converter = gst_element_factory_make ("nvvidconv", CONVERTER);
  GstElement *bin = NULL;

  if (converter == NULL)
    converter = gst_element_factory_make ("nvvideoconvert", CONVERTER);
  if (converter != NULL) {
    bin = gst_object_ref_sink (gst_bin_new ("encoder"));
    gst_bin_add_many (GST_BIN (bin), converter, encoder, NULL);
    if (gst_element_link (converter, encoder)) {
      add_ghost_pad (bin, "sink", converter);
      add_ghost_pad (bin, "src", encoder);
    } else {
      gst_clear_object (&bin);
    }
  }
  gst_object_unref (encoder);
  return bin;
}

static GstElement *
find_converter (GstElement * encoder)
{
  return GST_IS_BIN (encoder) ?
      gst_bin_get_by_name (GST_BIN (encoder), CONVERTER) : NULL;
}

static GstElement *
find_fed (GstElement * bin)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (bin, "src");
  g_autoptr (GstPad) target = gst_ghost_pad_get_target (GST_GHOST_PAD (src));

  return gst_pad_get_parent_element (target);
}

/**
 * rtsp_sink_encoder_input_get_taken:
 * @encoder: any, or such a bin
 *
 * Returns: (transfer full): raw video that it takes, 4:2:0 with 8 bit only: of the
 *   machine's memory, and of a device's what the very encoder does
 */
GstCaps *
rtsp_sink_encoder_input_get_taken (GstElement * encoder)
{
  g_autoptr (GstElement) converter = find_converter (encoder);
  g_autoptr (GstElement) fed = NULL;
  g_autoptr (GstCaps) converted = NULL;
  GstCaps *taken;

  if (converter == NULL)
    return rtsp_sink_encoder_input_get_formats (encoder);

  fed = find_fed (encoder);
  taken = rtsp_sink_encoder_input_get_formats (fed);
  converted = rtsp_sink_encoder_input_get_formats (encoder);
  for (guint i = 0; i < gst_caps_get_size (converted); i++) {
    if (rtsp_sink_memories_get_device (converted, i) == NULL)
      gst_caps_append (taken, gst_caps_copy_nth (converted, i));
  }
  return taken;
}

/**
 * rtsp_sink_encoder_input_bypass:
 * @encoder: any, or such a bin
 *
 * For frames that are in NVIDIA's memory already: what copies is left out.
 */
void
rtsp_sink_encoder_input_bypass (GstElement * encoder)
{
  g_autoptr (GstElement) converter = find_converter (encoder);
  g_autoptr (GstElement) fed = NULL;
  g_autoptr (GstPad) sink = NULL, target = NULL;

  if (converter == NULL)
    return;
  fed = find_fed (encoder);
  gst_element_set_state (converter, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (encoder), converter);
  sink = gst_element_get_static_pad (encoder, "sink");
  target = gst_element_get_static_pad (fed, "sink");
  gst_ghost_pad_set_target (GST_GHOST_PAD (sink), target);
}
