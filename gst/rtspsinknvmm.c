/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* An encoder that takes NVIDIA's memory only, on a Jetson or elsewhere, in a bin
 * behind what copies other frames there. Application's thread, or the encoder's
 * if other input comes; no locks. */

#include "rtspsinknvmm.h"

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
  GstElement *converter = gst_element_factory_make ("nvvidconv", NULL);
  GstElement *bin = NULL;

  if (converter == NULL)
    converter = gst_element_factory_make ("nvvideoconvert", NULL);
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
