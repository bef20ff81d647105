/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which decoder to use for encoded input that cannot be sent as it is. Encoder's
 * thread; no locks. */

#include "codec/decoders.h"

#include "base/missing.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_decoders_debug);
#define GST_CAT_DEFAULT rtsp_sink_decoders_debug

/* Hardware's are there whether or not the hardware is. In READY. */
static GstElement *
try_open (GstElementFactory * factory)
{
  GstElement *decoder = gst_element_factory_create (factory, "decoder");

  if (decoder == NULL)
    return NULL;
  gst_object_ref_sink (decoder);
  if (gst_element_set_state (decoder, GST_STATE_READY)
      != GST_STATE_CHANGE_FAILURE)
    return decoder;

  GST_INFO ("'%s' does not open", GST_OBJECT_NAME (factory));
  gst_element_set_state (decoder, GST_STATE_NULL);
  gst_object_unref (decoder);
  return NULL;
}

/* Those that leave their frames in a device's memory are of no use: frames are
 * changed here before they are encoded. */
static GList *
list_decoders (const GstCaps * caps)
{
  g_autoptr (GstCaps) raw = gst_caps_new_empty_simple ("video/x-raw");
  GList *all = gst_element_factory_list_get_elements
      (GST_ELEMENT_FACTORY_TYPE_DECODER | GST_ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
      | GST_ELEMENT_FACTORY_TYPE_MEDIA_IMAGE, GST_RANK_MARGINAL);
  GList *fitting = gst_element_factory_list_filter (all, caps, GST_PAD_SINK,
      TRUE);
  GList *decoders = gst_element_factory_list_filter (fitting, raw, GST_PAD_SRC,
      FALSE);

  gst_plugin_feature_list_free (all);
  gst_plugin_feature_list_free (fitting);
  return g_list_sort (decoders, gst_plugin_feature_rank_compare_func);
}

/**
 * rtsp_sink_decoders_choose:
 * @caps: what is to be decoded
 * @error: names the package to install
 *
 * Returns: (transfer full) (nullable): a decoder that opens, in READY
 */
GstElement *
rtsp_sink_decoders_choose (const GstCaps * caps, GError ** error)
{
  GList *factories = list_decoders (caps);
  g_autofree gchar *detail = NULL;
  GstElement *decoder = NULL;

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_decoders_debug,
      "rtspserversink-decoders", 0, "rtspserversink: choice of the decoder");
  for (GList * l = factories; l != NULL && decoder == NULL; l = l->next)
    decoder = try_open (l->data);
  gst_plugin_feature_list_free (factories);

  if (decoder != NULL) {
    GST_INFO ("decoder is '%s'",
        GST_OBJECT_NAME (gst_element_get_factory (decoder)));
    return decoder;
  }
  detail = gst_caps_to_string (caps);
  rtsp_sink_missing_set_error (error, RTSP_SINK_MISSING_DECODER, detail,
      "No decoder for %s is installed: install gstreamer1.0-libav, or set "
      "codec=auto to send the video as it is",
      gst_structure_get_name (gst_caps_get_structure (caps, 0)));
  return NULL;
}
