/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Which raw video an encoder can be given. Any thread; no locks. */

#include "codec/encoderformats.h"

#include "codec/memories.h"

/* 4:2:0 with 8 bit, in any memory. */
#define FORMATS "video/x-raw(ANY), format = (string) { I420, YV12, NV12, NV21 }"

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
 * rtsp_sink_encoder_formats_get:
 *
 * Returns: (transfer full): the raw video that it can be given, 4:2:0 with
 *   8 bit only, in the order of its sink pad; with the memories that it takes
 */
GstCaps *
rtsp_sink_encoder_formats_get (GstElement * encoder)
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
