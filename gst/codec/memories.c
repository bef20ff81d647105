/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Frames that are not in the machine's memory but in a device's (DMABuf, GL, VA,
 * NVIDIA's): which there are, what their caps say, and what brings them to the
 * machine's. Pure functions on caps and queries. */

#include "codec/memories.h"

#include <string.h>

#define PREFIX "memory:"

/* As in a launch line. The caps behind them keep an element that can do both
 * from leaving the frames where they are. */
#define TO_MACHINE " ! video/x-raw"

static const struct
{
  const gchar *feature;
  const gchar *download;
  const gchar *upload;
} memories[] = {
  {"memory:VAMemory", "vapostproc" TO_MACHINE, "vapostproc"},
  {"memory:VASurface", "vaapipostproc" TO_MACHINE, "vaapipostproc"},
  {"memory:NVMM", "nvvidconv" TO_MACHINE, "nvvidconv"},
  {"memory:CUDAMemory", "cudadownload" TO_MACHINE, "cudaupload"},
  {"memory:GLMemory", "gldownload" TO_MACHINE, "glupload"},
  {"memory:VulkanImage", "vulkandownload" TO_MACHINE, "vulkanupload"},
  {"memory:DMABuf", "vapostproc" TO_MACHINE, "vapostproc"},
};

/* A format of a DRM driver has a modifier behind its code: "NV12:0x...". */
static const struct
{
  const gchar *code;
  GstVideoFormat format;
} drm_formats[] = {
  {"NV12", GST_VIDEO_FORMAT_NV12},
  {"NV21", GST_VIDEO_FORMAT_NV21},
  {"YU12", GST_VIDEO_FORMAT_I420},
  {"YV12", GST_VIDEO_FORMAT_YV12},
};

/**
 * rtsp_sink_memories_get_device:
 *
 * Returns: (nullable): the feature that names the device's memory in the @i-th
 *   structure; NULL: it is the machine's, or may be
 */
const gchar *
rtsp_sink_memories_get_device (const GstCaps * caps, guint i)
{
  const GstCapsFeatures *features = gst_caps_get_features (caps, i);
  const gchar *feature;

  /* What else would be there is to be understood, too. */
  if (gst_caps_features_is_any (features)
      || gst_caps_features_get_size (features) != 1)
    return NULL;
  feature = gst_caps_features_get_nth (features, 0);
  return g_str_has_prefix (feature, PREFIX)
      && strcmp (feature, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY) != 0 ?
      feature : NULL;
}

static gboolean
is_raw (const GstCaps * caps, guint i)
{
  return gst_structure_has_name (gst_caps_get_structure (caps, i),
      "video/x-raw");
}

/**
 * rtsp_sink_memories_has_device:
 *
 * Returns: whether raw video of @caps may be in a device's memory
 */
gboolean
rtsp_sink_memories_has_device (const GstCaps * caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (is_raw (caps, i) && (rtsp_sink_memories_get_device (caps, i) != NULL
            || gst_caps_features_is_any (gst_caps_get_features (caps, i))))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_memories_has_machine:
 *
 * Returns: whether raw video of @caps may be in the machine's memory
 */
gboolean
rtsp_sink_memories_has_machine (const GstCaps * caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    /* ANY equals all. */
    if (is_raw (caps, i) && gst_caps_features_is_equal (gst_caps_get_features
            (caps, i), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      return TRUE;
  }
  return FALSE;
}

static GstVideoFormat
find_drm_format (const gchar * drm_format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (drm_formats); i++) {
    if (g_str_has_prefix (drm_format, drm_formats[i].code))
      return drm_formats[i].format;
  }
  return GST_VIDEO_FORMAT_ENCODED;
}

/**
 * rtsp_sink_memories_is_drm_420:
 *
 * Returns: whether it is 4:2:0 with 8 bit
 */
gboolean
rtsp_sink_memories_is_drm_420 (const gchar * drm_format)
{
  return find_drm_format (drm_format) != GST_VIDEO_FORMAT_ENCODED;
}

/* Who does not know the shape of a pixel may write 0. */
static gboolean
parse_known (GstVideoInfo * info, const GstCaps * caps)
{
  if (!gst_video_info_from_caps (info, caps))
    return FALSE;
  if (info->par_n <= 0 || info->par_d <= 0)
    info->par_n = info->par_d = 1;
  return TRUE;
}

/**
 * rtsp_sink_memories_parse:
 * @info: (out): what @caps say; of a device's memory the layout means nothing
 * @caps: raw video
 *
 * GStreamer knows the formats of DRM since 1.24, and only with their modifiers.
 *
 * Returns: FALSE if something is missing
 */
gboolean
rtsp_sink_memories_parse (GstVideoInfo * info, const GstCaps * caps)
{
  g_autoptr (GstCaps) known = NULL;
  const gchar *format;

  if (rtsp_sink_memories_get_device (caps, 0) == NULL)
    return parse_known (info, caps);

  known = gst_caps_copy (caps);
  format = gst_structure_get_string (gst_caps_get_structure (caps, 0),
      "drm-format");
  if (format != NULL)
    gst_caps_set_simple (known, "format", G_TYPE_STRING,
        gst_video_format_to_string (find_drm_format (format)), NULL);
  return parse_known (info, known);
}

/* Incomplete caps are accepted, and so is a device's memory that is not taken: the
 * errors that follow name the cure, which GStreamer's would not. */
static gboolean
accepts (const GstCaps * allowed, const GstCaps * caps)
{
  return gst_caps_can_intersect (caps, allowed)
      || (gst_caps_is_fixed (caps) && is_raw (caps, 0)
      && rtsp_sink_memories_get_device (caps, 0) != NULL);
}

/**
 * rtsp_sink_memories_answer:
 * @query: of a pad that takes raw video
 * @allowed: what it takes
 *
 * Returns: FALSE if @query is not about caps
 */
gboolean
rtsp_sink_memories_answer (GstQuery * query, const GstCaps * allowed)
{
  g_autoptr (GstCaps) result = NULL;
  GstCaps *caps;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      gst_query_parse_caps (query, &caps);
      result = caps != NULL ? gst_caps_intersect_full (caps,
          (GstCaps *) allowed, GST_CAPS_INTERSECT_FIRST)
          : gst_caps_copy (allowed);
      gst_query_set_caps_result (query, result);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      gst_query_set_accept_caps_result (query, accepts (allowed, caps));
      return TRUE;
    default:
      return FALSE;
  }
}

/* The first one that is named. */
static const gchar *
find_device (const GstCaps * caps)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const gchar *feature = rtsp_sink_memories_get_device (caps, i);

    if (feature != NULL)
      return feature;
  }
  return NULL;
}

/**
 * rtsp_sink_memories_is_taken:
 * @taken: raw video that an encoder takes
 *
 * Returns: whether the memory that @caps name first is among it, in any format
 */
gboolean
rtsp_sink_memories_is_taken (const GstCaps * taken, const GstCaps * caps)
{
  const gchar *feature = find_device (caps);

  for (guint i = 0; i < gst_caps_get_size (taken); i++) {
    if (g_strcmp0 (rtsp_sink_memories_get_device (taken, i), feature) == 0)
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_memories_set_error:
 * @caps: of frames in a device's memory
 * @error: says that they cannot be served, and the cure
 * @reason: why
 */
void
rtsp_sink_memories_set_error (const GstCaps * caps, GError ** error,
    const gchar * reason, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;
  const gchar *feature = find_device (caps);
  const gchar *download = "an element that downloads them" TO_MACHINE;

  for (gsize i = 0; i < G_N_ELEMENTS (memories); i++) {
    if (g_strcmp0 (memories[i].feature, feature) == 0)
      download = memories[i].download;
  }
  va_start (args, reason);
  text = g_strdup_vprintf (reason, args);
  va_end (args);
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "Frames in %s cannot be changed here, and %s: put \"%s\" before the "
      "element", feature, text, download);
}

/**
 * rtsp_sink_memories_set_upload_error:
 * @encoder: by name
 * @taken: what it takes: nothing of the machine's memory
 * @error: also says the cure
 */
void
rtsp_sink_memories_set_upload_error (const gchar * encoder,
    const GstCaps * taken, GError ** error)
{
  const gchar *feature = find_device (taken);
  const gchar *upload = "an element that uploads them";

  for (gsize i = 0; i < G_N_ELEMENTS (memories); i++) {
    if (g_strcmp0 (memories[i].feature, feature) == 0)
      upload = memories[i].upload;
  }
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "%s takes frames in %s only: put \"%s\" before the element", encoder,
      feature, upload);
}
