/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Pixel formats: whether a buffer holds the picture that its caps say, and to
 * which format a picture is converted before it is encoded or sent. Pure
 * functions on caps and buffers. */

#include "codec/formats.h"

#include <gio/gio.h>

/* A buffer may be longer than its picture: drivers align heights and round up
 * to pages. More rows than this are another picture. */
#define SPARE_ROWS 64

/* Strides and offsets of a picture whose rows follow each other without
 * padding, as OpenCV and numpy write them. Returns the size. */
static gsize
packed_layout (const GstVideoInfo * info, gsize offset[GST_VIDEO_MAX_PLANES],
    gint stride[GST_VIDEO_MAX_PLANES])
{
  const GstVideoFormatInfo *finfo = info->finfo;
  gsize size = 0;

  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES (info); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gint rows;

    gst_video_format_info_component (finfo, plane, components);
    stride[plane] = GST_VIDEO_INFO_COMP_WIDTH (info, components[0])
        * GST_VIDEO_INFO_COMP_PSTRIDE (info, components[0]);
    rows = GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
    offset[plane] = size;
    size += (gsize) stride[plane] * rows;
  }
  return size;
}

/* Formats whose pixels are whole bytes, each with all its components: the
 * others have no row that could be packed otherwise. */
static gboolean
can_be_packed (const GstVideoInfo * info)
{
  const GstVideoFormatInfo *finfo = info->finfo;

  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (finfo)
      || GST_VIDEO_FORMAT_INFO_IS_TILED (finfo))
    return FALSE;

  /* A row of pairs of pixels has the last pair whole: its stride is the
   * packed one already. */
  if (GST_VIDEO_INFO_N_PLANES (info) == 1
      && GST_VIDEO_FORMAT_INFO_W_SUB (finfo, GST_VIDEO_COMP_U) > 0)
    return FALSE;

  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i) <= 0)
      return FALSE;
  }
  return TRUE;
}

/* To GStreamer's own layout. Strides that are no multiple of 4 could be told by
 * a video meta, but the fast paths of videoconvert crash on some of them. FALSE:
 * the memory is the source's, and does not let itself be read. */
static gboolean
copy_padded (const GstVideoInfo * info, GstBuffer ** packed,
    gsize offset[GST_VIDEO_MAX_PLANES], gint stride[GST_VIDEO_MAX_PLANES])
{
  g_autoptr (GstBuffer) padded =
      gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  GstVideoFrame from, to;

  gst_buffer_copy_into (padded, *packed, GST_BUFFER_COPY_METADATA, 0, -1);
  *packed = gst_buffer_make_writable (*packed);
  gst_buffer_add_video_meta_full (*packed, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info), offset,
      stride);

  if (!gst_video_frame_map (&from, info, *packed, GST_MAP_READ))
    return FALSE;
  if (!gst_video_frame_map (&to, info, padded, GST_MAP_WRITE)) {
    gst_video_frame_unmap (&from);
    return FALSE;
  }
  gst_video_frame_copy (&to, &from);
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);

  gst_buffer_unref (*packed);
  *packed = g_steal_pointer (&padded);
  return TRUE;
}

/* A palette has 256 colours of 4 bytes. */
#define PALETTE_SIZE (256 * 4)

static gboolean
is_palette (const GstVideoInfo * info, guint plane)
{
  return GST_VIDEO_FORMAT_INFO_HAS_PALETTE (info->finfo) && plane == 1;
}

/* How much of a plane's last row belongs to the picture. */
static gsize
row_size (const GstVideoInfo * info, guint plane)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gsize size = 0;

  if (is_palette (info, plane))
    return PALETTE_SIZE;
  gst_video_format_info_component (info->finfo, plane, components);
  for (guint i = 0; i < GST_VIDEO_MAX_COMPONENTS && components[i] >= 0; i++) {
    gint c = components[i];
    gint bits = GST_VIDEO_INFO_COMP_DEPTH (info, c)
        + GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, c);
    gint step = GST_VIDEO_INFO_COMP_PSTRIDE (info, c);

    /* Pixels are no whole bytes. */
    if (step <= 0)
      return GST_VIDEO_INFO_PLANE_STRIDE (info, plane);
    size = MAX (size, (gsize) (GST_VIDEO_INFO_COMP_WIDTH (info, c) - 1) * step
        + GST_VIDEO_INFO_COMP_POFFSET (info, c) + (bits + 7) / 8);
  }
  return size;
}

static gsize
count_rows (const GstVideoInfo * info, guint plane)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];

  if (is_palette (info, plane))
    return 1;
  gst_video_format_info_component (info->finfo, plane, components);
  return components[0] >= 0 ? GST_VIDEO_INFO_COMP_HEIGHT (info, components[0])
      : 0;
}

/* A stride counts tiles. Returns 0 if these are fewer than the picture has. */
static gsize
tiles_size (const GstVideoInfo * info, guint plane, gint stride)
{
  gint expected = GST_VIDEO_INFO_PLANE_STRIDE (info, plane);

  if (GST_VIDEO_TILE_X_TILES (stride) < GST_VIDEO_TILE_X_TILES (expected)
      || GST_VIDEO_TILE_Y_TILES (stride) < GST_VIDEO_TILE_Y_TILES (expected))
    return 0;
  return (gsize) GST_VIDEO_TILE_X_TILES (stride)
      * GST_VIDEO_TILE_Y_TILES (stride)
      * GST_VIDEO_FORMAT_INFO_TILE_SIZE (info->finfo, plane);
}

/* Elements map the memory in which a plane begins, and no other. */
static gboolean
holds_plane (GstBuffer * buffer, const GstVideoMeta * meta,
    const GstVideoInfo * described, guint plane)
{
  gint64 rows = count_rows (described, plane), last;
  gsize skip, size, tiles;
  guint i, n;

  if (rows == 0)
    return TRUE;
  if (!gst_buffer_find_memory (buffer, meta->offset[plane], 1, &i, &n, &skip))
    return FALSE;
  size = gst_memory_get_sizes (gst_buffer_peek_memory (buffer, i), NULL, NULL);
  if (GST_VIDEO_FORMAT_INFO_IS_TILED (described->finfo)) {
    tiles = tiles_size (described, plane, meta->stride[plane]);
    return tiles > 0 && tiles <= size && skip <= size - tiles;
  }
  last = (gint64) skip + (rows - 1) * meta->stride[plane];
  return last >= 0 && MAX ((gsize) last, skip)
      + row_size (described, plane) <= size;
}

/* What a source says of its buffer is read by every element behind, and
 * checked by none. */
static gboolean
is_described_rightly (const GstVideoInfo * info, GstBuffer * buffer,
    const GstVideoMeta * meta)
{
  GstVideoInfo described;

  if (meta->format != GST_VIDEO_INFO_FORMAT (info)
      || meta->n_planes != GST_VIDEO_INFO_N_PLANES (info)
      || meta->width < (guint) GST_VIDEO_INFO_WIDTH (info)
      || meta->height < (guint) GST_VIDEO_INFO_HEIGHT (info)
      || !gst_video_info_set_format (&described, meta->format, meta->width,
          meta->height))
    return FALSE;
  for (guint plane = 0; plane < meta->n_planes; plane++) {
    if (!holds_plane (buffer, meta, &described, plane))
      return FALSE;
  }
  return TRUE;
}

/**
 * rtsp_sink_formats_fit_buffer:
 * @info: what the caps say
 * @buffer: (inout): the buffer; replaced if its rows had no padding
 *
 * Returns: FALSE if @buffer cannot hold such a picture
 */
gboolean
rtsp_sink_formats_fit_buffer (const GstVideoInfo * info, GstBuffer ** buffer)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0, };
  gsize size, expected = GST_VIDEO_INFO_SIZE (info);
  const GstVideoMeta *meta = gst_buffer_get_video_meta (*buffer);

  if (meta != NULL)
    return is_described_rightly (info, *buffer, meta);

  size = gst_buffer_get_size (*buffer);
  if (size >= expected)
    return size - expected
        <= SPARE_ROWS * (gsize) GST_VIDEO_INFO_PLANE_STRIDE (info, 0);

  return can_be_packed (info) && packed_layout (info, offset, stride) == size
      && copy_padded (info, buffer, offset, stride);
}

/**
 * rtsp_sink_formats_crop_caps:
 *
 * Returns: (transfer full): @caps less @right columns and @bottom rows
 */
GstCaps *
rtsp_sink_formats_crop_caps (const GstCaps * caps, gint right, gint bottom)
{
  GstCaps *cropped = gst_caps_copy (caps);
  GstStructure *s = gst_caps_get_structure (cropped, 0);
  gint width, height;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  gst_structure_set (s, "width", G_TYPE_INT, width - right,
      "height", G_TYPE_INT, height - bottom, NULL);
  return cropped;
}

/**
 * rtsp_sink_formats_crop_buffer:
 * @info: of @buffer
 * @buffer: (transfer full): a frame
 *
 * Copies no pixel: only the description of the frame changes.
 *
 * Returns: (transfer full): @buffer less @right columns and @bottom rows
 */
GstBuffer *
rtsp_sink_formats_crop_buffer (const GstVideoInfo * info, GstBuffer * buffer,
    gint right, gint bottom)
{
  /* The meta of a pool's buffer would stay cropped when it is used again. */
  GstBuffer *cropped = gst_buffer_copy (buffer);
  GstVideoMeta *meta = gst_buffer_get_video_meta (cropped);

  gst_buffer_unref (buffer);
  if (meta == NULL)
    meta = gst_buffer_add_video_meta_full (cropped, GST_VIDEO_FRAME_FLAG_NONE,
        GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
        (gsize *) info->offset, (gint *) info->stride);
  meta->width -= right;
  meta->height -= bottom;
  return cropped;
}

/**
 * rtsp_sink_formats_lacks_field_order:
 * @info: what the caps say
 *
 * Returns: whether only the frames tell which field of theirs is first
 */
gboolean
rtsp_sink_formats_lacks_field_order (const GstVideoInfo * info)
{
  return (GST_VIDEO_INFO_INTERLACE_MODE (info)
      == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
      || GST_VIDEO_INFO_INTERLACE_MODE (info)
      == GST_VIDEO_INTERLACE_MODE_MIXED)
      && GST_VIDEO_INFO_FIELD_ORDER (info) == GST_VIDEO_FIELD_ORDER_UNKNOWN;
}

/**
 * rtsp_sink_formats_tell_field_order:
 * @caps: of interlaced video, without a field order
 * @frame: (nullable): the first one
 *
 * Returns: (transfer full): @caps with the order, if @frame tells it
 */
GstCaps *
rtsp_sink_formats_tell_field_order (GstCaps * caps, GstBuffer * frame)
{
  GstCaps *told;

  if (frame == NULL || !GST_BUFFER_FLAG_IS_SET (frame,
          GST_VIDEO_BUFFER_FLAG_TFF))
    return gst_caps_ref (caps);
  told = gst_caps_copy (caps);
  gst_caps_set_simple (told, "field-order", G_TYPE_STRING, "top-field-first",
      NULL);
  return told;
}

/* Grey and YUV whose samples use the full range (0 to 255). RGB does too, but
 * is converted right by its matrix. */
static gboolean
is_full_range (const GstVideoInfo * info)
{
  return !GST_VIDEO_INFO_IS_RGB (info)
      && info->colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
}

/* Whether videoconvert, asked for JPEG's colorimetry, changes nothing but what
 * it says of the range. */
static gboolean
has_jpeg_matrix (const GstVideoInfo * info)
{
  return GST_VIDEO_INFO_IS_YUV (info)
      && info->colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_BT601;
}

/**
 * rtsp_sink_formats_has_range:
 * @full_range: as below
 *
 * Returns: whether it can be encoded as it is
 */
gboolean
rtsp_sink_formats_has_range (const GstVideoInfo * info, gboolean full_range)
{
  return is_full_range (info) ? full_range && has_jpeg_matrix (info)
      : !full_range;
}

/**
 * rtsp_sink_formats_map_range:
 * @info: the input
 * @full_range: what comes out shall have the full range, else the studio range
 *
 * videoconvert (1.22) leaves the samples of grey and YUV as they are when it
 * changes their range alone; videobalance is a look-up table that maps them.
 *
 * Returns: what to set it to; neutral values make it pass frames through
 */
RtspSinkRangeMap
rtsp_sink_formats_map_range (const GstVideoInfo * info, gboolean full_range)
{
  static const RtspSinkRangeMap neutral = { 1.0, 0.0, 1.0 };
  static const RtspSinkRangeMap to_studio = {
    219.0 / 255.0, 16.0 * 219.0 / 255.0 / 255.0, 224.0 / 255.0
  };
  static const RtspSinkRangeMap to_full = {
    255.0 / 219.0, -16.0 / 255.0, 255.0 / 224.0
  };

  if (is_full_range (info))
    return full_range ? neutral : to_studio;
  return full_range && has_jpeg_matrix (info) ? to_full : neutral;
}

/* Decoders assume the studio range (16 to 235) whatever the stream says:
 * full-range input, and RGB, are brought to it. Primaries stay what they are:
 * players convert by them. The transfer of RGB is called that of all video, as
 * everybody does: players that convert would make it lighter else. */
static gchar *
encoder_colorimetry (const GstVideoInfo * info)
{
  GstVideoColorimetry colorimetry = info->colorimetry, standard;

  gst_video_colorimetry_from_string (&standard,
      GST_VIDEO_INFO_HEIGHT (info) > 576 ? GST_VIDEO_COLORIMETRY_BT709 :
      GST_VIDEO_COLORIMETRY_BT601);

  colorimetry.range = GST_VIDEO_COLOR_RANGE_16_235;
  if (!GST_VIDEO_INFO_IS_YUV (info)
      || colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_RGB
      || colorimetry.matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN)
    colorimetry.matrix = standard.matrix;
  if (GST_VIDEO_INFO_IS_RGB (info))
    colorimetry.transfer = GST_VIDEO_TRANSFER_BT709;
  else if (colorimetry.transfer == GST_VIDEO_TRANSFER_UNKNOWN)
    colorimetry.transfer = standard.transfer;
  if (colorimetry.primaries == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN)
    colorimetry.primaries = standard.primaries;
  return gst_video_colorimetry_to_string (&colorimetry);
}

/**
 * rtsp_sink_formats_for_encoder:
 * @formats: what the encoder takes of 4:2:0, 8 bit
 * @info: the input
 * @colorimetry: (nullable): what is taken for granted of what it makes
 *
 * Left to negotiation, x264enc would take 4:4:4 from RGB and 4:2:2 from a
 * webcam's YUY2, which most decoders in hardware and browsers refuse.
 *
 * Returns: (transfer full): what the encoder shall get
 */
GstCaps *
rtsp_sink_formats_for_encoder (const GstCaps * formats,
    const GstVideoInfo * info, const gchar * colorimetry)
{
  g_autofree gchar *own = encoder_colorimetry (info);
  GstCaps *caps = gst_caps_copy (formats);

  gst_caps_set_simple (caps, "colorimetry", G_TYPE_STRING,
      colorimetry != NULL ? colorimetry : own, NULL);
  return caps;
}

/* RFC 4175 with what rtpvrawpay writes. Each format goes to one that holds
 * the same samples, so that a viewer gets the very values that were fed. */
static const struct
{
  GstVideoFormat format;
  GstVideoFormat sent;
} raw_formats[] = {
  {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_BGR, GST_VIDEO_FORMAT_BGR},
  {GST_VIDEO_FORMAT_RGBA, GST_VIDEO_FORMAT_RGBA},
  {GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_BGRA},
  {GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_I420},
  {GST_VIDEO_FORMAT_Y41B, GST_VIDEO_FORMAT_Y41B},
  {GST_VIDEO_FORMAT_UYVP, GST_VIDEO_FORMAT_UYVP},
  /* The fourth byte says nothing. */
  {GST_VIDEO_FORMAT_RGBx, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_xRGB, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_BGR},
  {GST_VIDEO_FORMAT_xBGR, GST_VIDEO_FORMAT_BGR},
  /* Other orders of the same samples. */
  {GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_RGBP, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_BGRP, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_ARGB, GST_VIDEO_FORMAT_RGBA},
  {GST_VIDEO_FORMAT_ABGR, GST_VIDEO_FORMAT_RGBA},
  {GST_VIDEO_FORMAT_GBRA, GST_VIDEO_FORMAT_RGBA},
  {GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_YVYU, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_VYUY, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_NV16, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_NV61, GST_VIDEO_FORMAT_UYVY},
  {GST_VIDEO_FORMAT_IYU1, GST_VIDEO_FORMAT_Y41B},
  {GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_UYVP},
  {GST_VIDEO_FORMAT_Y210, GST_VIDEO_FORMAT_UYVP},
  {GST_VIDEO_FORMAT_I422_10LE, GST_VIDEO_FORMAT_UYVP},
  {GST_VIDEO_FORMAT_I422_10BE, GST_VIDEO_FORMAT_UYVP},
  {GST_VIDEO_FORMAT_NV16_10LE32, GST_VIDEO_FORMAT_UYVP},
  {GST_VIDEO_FORMAT_YV12, GST_VIDEO_FORMAT_I420},
  {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420},
  {GST_VIDEO_FORMAT_NV21, GST_VIDEO_FORMAT_I420},
  /* Wider ones that hold the same values. AYUV itself is not among the
   * formats: its alpha would be lost. */
  {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_RGB},
  {GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_AYUV},
  {GST_VIDEO_FORMAT_NV24, GST_VIDEO_FORMAT_AYUV},
  {GST_VIDEO_FORMAT_v308, GST_VIDEO_FORMAT_AYUV},
  {GST_VIDEO_FORMAT_IYU2, GST_VIDEO_FORMAT_AYUV},
};

static GstVideoFormat
find_raw_format (GstVideoFormat format)
{
  for (gsize i = 0; i < G_N_ELEMENTS (raw_formats); i++) {
    if (raw_formats[i].format == format)
      return raw_formats[i].sent;
  }
  return GST_VIDEO_FORMAT_UNKNOWN;
}

/**
 * rtsp_sink_formats_for_raw:
 * @info: the input
 * @error: says why there is no such format
 *
 * Returns: what the raw payloader shall get, or UNKNOWN
 */
GstVideoFormat
rtsp_sink_formats_for_raw (const GstVideoInfo * info, GError ** error)
{
  GstVideoFormat sent = find_raw_format (GST_VIDEO_INFO_FORMAT (info));

  if (sent == GST_VIDEO_FORMAT_UNKNOWN)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        "codec=raw cannot send %s without loss (RFC 4175 has no such "
        "format): convert it before, for example with \"videoconvert ! "
        "video/x-raw,format=RGB\", or use codec=h264",
        GST_VIDEO_INFO_NAME (info));
  return sent;
}

/**
 * rtsp_sink_formats_raw_columns:
 *
 * Returns: of how many columns a pixel group of RFC 4175, 4.3, consists
 */
gint
rtsp_sink_formats_raw_columns (GstVideoFormat format)
{
  return 1 << GST_VIDEO_FORMAT_INFO_W_SUB (gst_video_format_get_info (format),
      GST_VIDEO_COMP_U);
}

/**
 * rtsp_sink_formats_raw_rows:
 *
 * Returns: of how many rows a pixel group of RFC 4175, 4.3, consists
 */
gint
rtsp_sink_formats_raw_rows (GstVideoFormat format)
{
  return 1 << GST_VIDEO_FORMAT_INFO_H_SUB (gst_video_format_get_info (format),
      GST_VIDEO_COMP_U);
}

/**
 * rtsp_sink_formats_is_scarce:
 *
 * A camera has a handful of buffers: it starves if they wait here.
 *
 * Returns: whether @buffer is one of few
 */
gboolean
rtsp_sink_formats_is_scarce (GstBuffer * buffer)
{
  g_autoptr (GstStructure) config = NULL;
  guint max_buffers = 0;

  if (buffer->pool == NULL)
    return FALSE;

  config = gst_buffer_pool_get_config (buffer->pool);
  gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &max_buffers);
  return max_buffers != 0;
}
