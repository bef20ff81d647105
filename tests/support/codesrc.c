/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Test element that feeds numbered grey pictures; see codesrc.h. */

#include "codesrc.h"

#include <gst/base/base.h>
#include <gst/video/video.h>

#define FIRST_LEVEL 16
#define LEVEL_STEP 16

#define LUMA_BLACK 16
#define LUMA_SPAN 219
#define CHROMA_ZERO 128

#define CODE_TYPE_SRC (code_src_get_type ())
G_DECLARE_FINAL_TYPE (CodeSrc, code_src, CODE, SRC, GstPushSrc)
     struct _CodeSrc
     {
       GstPushSrc parent;

       /* streaming thread only */
       GstVideoInfo info;
       guint next;

       /* guards what follows; nothing is called with it held */
       GMutex lock;
       GArray *times;           /* gint64 per frame */
     };

G_DEFINE_FINAL_TYPE (CodeSrc, code_src, GST_TYPE_PUSH_SRC);

     enum
     {
       PROP_0,
       PROP_IS_LIVE,
     };

     static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE ("{ BGR, RGB, GRAY8, I420 }")));

guint
code_src_level (guint n)
{
  return FIRST_LEVEL + LEVEL_STEP * (n % CODE_SRC_CODES);
}

guint
code_src_nearest (guint grey)
{
  gint step = ((gint) grey - FIRST_LEVEL + LEVEL_STEP / 2) / LEVEL_STEP;

  return CLAMP (step, 0, CODE_SRC_CODES - 1);
}

guint
code_src_count (GstElement * src)
{
  CodeSrc *self = CODE_SRC (src);
  guint n;

  g_mutex_lock (&self->lock);
  n = self->times->len;
  g_mutex_unlock (&self->lock);
  return n;
}

gint64
code_src_time (GstElement * src, guint n)
{
  CodeSrc *self = CODE_SRC (src);
  gint64 time = 0;

  g_mutex_lock (&self->lock);
  if (n < self->times->len)
    time = g_array_index (self->times, gint64, n);
  g_mutex_unlock (&self->lock);
  return time;
}

gint
code_src_find (GstElement * src, guint code, gint64 before)
{
  gint n;

  for (n = (gint) code_src_count (src) - 1; n >= 0; n--)
    if (n % CODE_SRC_CODES == (gint) code && code_src_time (src, n) <= before)
      return n;
  return -1;
}

/* Seen here and not in create(): a live source waits after create(). */
static GstPadProbeReturn
note_time (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  CodeSrc *self = user_data;
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  g_array_append_val (self->times, now);
  g_mutex_unlock (&self->lock);
  return GST_PAD_PROBE_OK;
}

static GstCaps *
code_src_fixate (GstBaseSrc * src, GstCaps * caps)
{
  GstStructure *structure;

  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  structure = gst_caps_get_structure (caps, 0);
  gst_structure_fixate_field_string (structure, "format", "BGR");
  gst_structure_fixate_field_nearest_int (structure, "width", 64);
  gst_structure_fixate_field_nearest_int (structure, "height", 48);
  gst_structure_fixate_field_nearest_fraction (structure, "framerate", 25, 1);
  return GST_BASE_SRC_CLASS (code_src_parent_class)->fixate (src, caps);
}

static gboolean
code_src_set_caps (GstBaseSrc * src, GstCaps * caps)
{
  CodeSrc *self = CODE_SRC (src);

  if (!gst_video_info_from_caps (&self->info, caps)
      || GST_VIDEO_INFO_FPS_N (&self->info) == 0)
    return FALSE;
  gst_base_src_set_blocksize (src, GST_VIDEO_INFO_SIZE (&self->info));
  return TRUE;
}

/* No buffer pool: ThreadSanitizer does not see how one hands buffers back. */
static gboolean
code_src_decide_allocation (GstBaseSrc * src, GstQuery * query)
{
  while (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_remove_nth_allocation_pool (query, 0);
  return GST_BASE_SRC_CLASS (code_src_parent_class)->decide_allocation (src,
      query);
}

static gboolean
code_src_start (GstBaseSrc * src)
{
  CodeSrc *self = CODE_SRC (src);

  self->next = 0;
  g_mutex_lock (&self->lock);
  g_array_set_size (self->times, 0);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

static void
code_src_get_times (GstBaseSrc * src, GstBuffer * buffer, GstClockTime * start,
    GstClockTime * end)
{
  *start = *end = GST_CLOCK_TIME_NONE;
  if (gst_base_src_is_live (src))
    *start = GST_BUFFER_PTS (buffer);
}

static void
draw (CodeSrc * self, GstVideoFrame * frame)
{
  guint level = code_src_level (self->next);
  guint i;

  if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_I420)
    level = LUMA_BLACK + (level * LUMA_SPAN + 127) / 255;
  for (i = 0; i < GST_VIDEO_FRAME_N_PLANES (frame); i++)
    memset (GST_VIDEO_FRAME_PLANE_DATA (frame, i), i == 0 ? level
        : CHROMA_ZERO, GST_VIDEO_FRAME_PLANE_STRIDE (frame, i)
        * GST_VIDEO_FRAME_COMP_HEIGHT (frame, i));
}

static GstFlowReturn
code_src_fill (GstPushSrc * src, GstBuffer * buffer)
{
  CodeSrc *self = CODE_SRC (src);
  guint64 rate_n = GST_VIDEO_INFO_FPS_N (&self->info);
  guint64 rate_d = GST_VIDEO_INFO_FPS_D (&self->info) * GST_SECOND;
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, &self->info, buffer, GST_MAP_WRITE))
    return GST_FLOW_ERROR;
  draw (self, &frame);
  gst_video_frame_unmap (&frame);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (self->next, rate_d, rate_n);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (self->next + 1, rate_d,
      rate_n) - GST_BUFFER_PTS (buffer);
  self->next++;
  return GST_FLOW_OK;
}

static void
code_src_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  if (id == PROP_IS_LIVE)
    gst_base_src_set_live (GST_BASE_SRC (object), g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
code_src_finalize (GObject * object)
{
  CodeSrc *self = CODE_SRC (object);

  g_array_unref (self->times);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (code_src_parent_class)->finalize (object);
}

static void
code_src_class_init (CodeSrcClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src_class = GST_BASE_SRC_CLASS (klass);

  object_class->set_property = code_src_set_property;
  object_class->finalize = code_src_finalize;
  g_object_class_install_property (object_class, PROP_IS_LIVE,
      g_param_spec_boolean ("is-live", "Live", "Pace frames by the clock",
          FALSE, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Code source",
      "Source/Video", "Flat grey pictures that tell their number",
      "The rtspserversink developers");
  src_class->fixate = code_src_fixate;
  src_class->set_caps = code_src_set_caps;
  src_class->decide_allocation = code_src_decide_allocation;
  src_class->start = code_src_start;
  src_class->get_times = code_src_get_times;
  GST_PUSH_SRC_CLASS (klass)->fill = code_src_fill;
}

static void
code_src_init (CodeSrc * self)
{
  g_mutex_init (&self->lock);
  self->times = g_array_new (FALSE, FALSE, sizeof (gint64));
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
  gst_pad_add_probe (GST_BASE_SRC_PAD (self), GST_PAD_PROBE_TYPE_BUFFER,
      note_time, self, NULL);
}

gboolean
code_src_register (void)
{
  return gst_element_register (NULL, "codesrc", GST_RANK_NONE, CODE_TYPE_SRC);
}
