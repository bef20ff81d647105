/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* output-caps: which size and rate the user wants to be served, and what that
 * makes of an input. Pure functions. */

#include "video/outputcaps.h"

#include <gio/gio.h>

/* As large as GStreamer's encoders go. */
#define MAX_SIZE 16384

static gboolean
check_field (GQuark id, const GValue * value, gpointer user_data)
{
  const gchar *name = g_quark_to_string (id);

  if (g_str_equal (name, "width") || g_str_equal (name, "height"))
    return G_VALUE_HOLDS_INT (value) && g_value_get_int (value) >= 2
        && g_value_get_int (value) <= MAX_SIZE;
  return g_str_equal (name, "framerate") && GST_VALUE_HOLDS_FRACTION (value)
      && gst_value_get_fraction_numerator (value) > 0;
}

/**
 * rtsp_sink_output_caps_check:
 * @wanted: (nullable): output-caps
 * @error: says what can be asked for
 *
 * Returns: whether that can be done
 */
gboolean
rtsp_sink_output_caps_check (const GstCaps * wanted, GError ** error)
{
  g_autofree gchar *text = NULL;
  const GstStructure *s;

  if (wanted == NULL)
    return TRUE;
  if (gst_caps_get_size (wanted) == 1) {
    s = gst_caps_get_structure (wanted, 0);
    if (gst_structure_has_name (s, "video/x-raw")
        && gst_structure_n_fields (s) > 0
        && gst_structure_foreach (s, check_field, NULL))
      return TRUE;
  }
  text = gst_caps_to_string (wanted);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
      "output-caps=\"%s\" is not supported: it takes one or more of width and "
      "height (2 to %d) and framerate, for example "
      "\"video/x-raw,width=640,framerate=15/1\"", text, MAX_SIZE);
  return FALSE;
}

/* The other side of a picture, of which one is given: of square pixels, and
 * even. */
static gint
other_side (gint side, guint64 num, guint64 den)
{
  guint64 other = gst_util_uint64_scale_round (side, num, den);

  return CLAMP (other & ~G_GUINT64_CONSTANT (1), 2, MAX_SIZE);
}

static void
apply_size (const GstStructure * wanted, GstVideoInfo * info)
{
  guint64 wide = (guint64) GST_VIDEO_INFO_WIDTH (info)
      * GST_VIDEO_INFO_PAR_N (info);
  guint64 high = (guint64) GST_VIDEO_INFO_HEIGHT (info)
      * GST_VIDEO_INFO_PAR_D (info);
  gint width = 0, height = 0;

  gst_structure_get_int (wanted, "width", &width);
  gst_structure_get_int (wanted, "height", &height);
  if (width == 0 && height == 0)
    return;
  /* 4:2:0 halves both. */
  width &= ~1;
  height &= ~1;
  info->width = width != 0 ? width : other_side (height, wide, high);
  info->height = height != 0 ? height : other_side (width, high, wide);
  info->par_n = info->par_d = 1;
}

static void
apply_rate (const GstStructure * wanted, GstVideoInfo * info)
{
  gint n, d;

  if (!gst_structure_get_fraction (wanted, "framerate", &n, &d)
      || (info->fps_n > 0
          && gst_util_fraction_compare (info->fps_n, info->fps_d, n, d) <= 0))
    return;
  info->fps_n = n;
  info->fps_d = d;
}

/**
 * rtsp_sink_output_caps_apply:
 * @wanted: (nullable): output-caps that were checked
 * @info: (inout): of the input; becomes that of what is served: its size, shape
 *   of a pixel, and rate
 *
 * The rate is never raised.
 */
void
rtsp_sink_output_caps_apply (const GstCaps * wanted, GstVideoInfo * info)
{
  const GstStructure *s;

  if (wanted == NULL)
    return;
  s = gst_caps_get_structure (wanted, 0);
  apply_size (s, info);
  apply_rate (s, info);
}

/**
 * rtsp_sink_output_caps_make_square:
 * @info: (inout): of a picture; its pixels become square, and its shape stays
 *
 * Grows the shorter side, but of woven fields no rows are made.
 */
void
rtsp_sink_output_caps_make_square (GstVideoInfo * info)
{
  if (info->par_n < info->par_d && !GST_VIDEO_INFO_IS_INTERLACED (info))
    info->height = other_side (info->height, info->par_d, info->par_n);
  else if (info->par_n != info->par_d)
    /* A group of pixels in 4:1:1 has four columns. */
    info->width = CLAMP (2 * other_side (info->width, info->par_n,
            2 * (guint64) info->par_d), 4, MAX_SIZE);
  info->par_n = info->par_d = 1;
}

/**
 * rtsp_sink_output_caps_rate_init:
 * @input: what comes in
 * @served: what rtsp_sink_output_caps_apply() made of it
 */
void
rtsp_sink_output_caps_rate_init (RtspSinkOutputCapsRate * self,
    const GstVideoInfo * input, const GstVideoInfo * served)
{
  gboolean same = input->fps_n == served->fps_n
      && input->fps_d == served->fps_d;

  self->interval = same ? 0 : gst_util_uint64_scale_int (GST_SECOND,
      served->fps_d, served->fps_n);
  self->next = GST_CLOCK_TIME_NONE;
}

/**
 * rtsp_sink_output_caps_rate_takes:
 * @pts: of the next frame; they rise
 *
 * Returns: whether it is served
 */
gboolean
rtsp_sink_output_caps_rate_takes (RtspSinkOutputCapsRate * self,
    GstClockTime pts)
{
  /* Time stamps are not quite even. */
  GstClockTime slack = self->interval / 8;

  if (self->interval == 0 || !GST_CLOCK_TIME_IS_VALID (pts))
    return TRUE;
  if (GST_CLOCK_TIME_IS_VALID (self->next) && pts + slack < self->next
      && pts + self->interval + slack >= self->next)
    return FALSE;

  /* After a pause, or a jump, from this frame on. */
  if (!GST_CLOCK_TIME_IS_VALID (self->next)
      || pts > self->next + self->interval || pts + slack < self->next)
    self->next = pts;
  self->next += self->interval;
  return TRUE;
}
