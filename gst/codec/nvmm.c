/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* An encoder that takes NVIDIA's memory only, on a Jetson or elsewhere, in a bin
 * behind what copies other frames there. Application's thread, or the encoder's
 * if other input comes; no locks. */

#include "codec/nvmm.h"

#include "codec/encoderformats.h"
#include "codec/memories.h"

/* A user's element is not called so. */
#define CONVERTER "rtspsink-converter"

static void
add_ghost_pad (GstElement * bin, const gchar * name, GstElement * element)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (element, name);

  gst_element_add_pad (bin, gst_ghost_pad_new (name, target));
}

/**
 * rtsp_sink_nvmm_feed:
 * @encoder: (transfer full): one that takes NVIDIA's memory only
 *
 * Returns: (transfer full) (nullable): a bin with it that takes any; NULL: what
 *   copies is not there
 */
GstElement *
rtsp_sink_nvmm_feed (GstElement * encoder)
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
 * rtsp_sink_nvmm_get_taken:
 * @encoder: any, or such a bin
 *
 * Returns: (transfer full): raw video that it takes, 4:2:0 with 8 bit only: of the
 *   machine's memory, and of a device's what the very encoder does
 */
GstCaps *
rtsp_sink_nvmm_get_taken (GstElement * encoder)
{
  g_autoptr (GstElement) converter = find_converter (encoder);
  g_autoptr (GstElement) fed = NULL;
  g_autoptr (GstCaps) converted = NULL;
  GstCaps *taken;

  if (converter == NULL)
    return rtsp_sink_encoder_formats_get (encoder);

  fed = find_fed (encoder);
  taken = rtsp_sink_encoder_formats_get (fed);
  converted = rtsp_sink_encoder_formats_get (encoder);
  for (guint i = 0; i < gst_caps_get_size (converted); i++) {
    if (rtsp_sink_memories_get_device (converted, i) == NULL)
      gst_caps_append (taken, gst_caps_copy_nth (converted, i));
  }
  return taken;
}

/**
 * rtsp_sink_nvmm_bypass:
 * @encoder: any, or such a bin
 *
 * For frames that are in NVIDIA's memory already: what copies is left out.
 */
void
rtsp_sink_nvmm_bypass (GstElement * encoder)
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
