/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What in a JPEG picture RTP cannot carry, and a payloader would drop or viewers
 * show as rubbish (RFC 2435, 3.1): Huffman tables are not sent, for all use those
 * of the standard; both colours have one table of quantisation; there is one scan
 * of three components, sampled in one of two ways. The size stands in the caps.
 * Pure functions on buffers.
 *
 * GStreamer's own reader of markers is in a library of plugins-bad that says it
 * is not stable, and whose development files bring OpenCV along. */

#include "codec/jpegcheck.h"

/* Its inline functions read numbers where they lie, aligned or not. */
#define GST_BYTE_READER_DISABLE_INLINES
#include <gst/base/gstbytereader.h>
#include <string.h>

enum
{
  MARKER_SOF0 = 0xc0,
  MARKER_DHT = 0xc4,
  MARKER_JPG = 0xc8,
  MARKER_DAC = 0xcc,
  MARKER_SOF15 = 0xcf,
  MARKER_SOI = 0xd8,
  MARKER_SOS = 0xda,
  MARKER_DQT = 0xdb,
  MARKER_FILL = 0xff,
};

#define N_COMPONENTS 3          /* Y, Cb, Cr */
#define N_TABLES 4
#define N_LENGTHS 16            /* of Huffman codes, in bits */
#define QUANTIZERS 64

typedef struct
{
  const guint8 *quantizers[N_TABLES];   /* NULL: none */
  gsize quantizer_size[N_TABLES];
  guint table[N_COMPONENTS];    /* of quantisation */
  gboolean has_size;
  gboolean has_scan;
  gsize n_fill;
  const gchar *obstacle;        /* NULL: none so far */
} Header;

/* ITU-T T.81, K.3: how many codes there are of each length, and what they stand
 * for. The four of them as they stand in a segment, by class and number. */
/* *INDENT-OFF* */
static const guint8 dc_luminance[] = {
  0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
};

static const guint8 dc_chrominance[] = {
  0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
};

static const guint8 ac_luminance[] = {
  0x00, 0x02, 0x01, 0x03, 0x03, 0x02, 0x04, 0x03, 0x05, 0x05, 0x04, 0x04,
  0x00, 0x00, 0x01, 0x7d, 0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12,
  0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14, 0x32,
  0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0,
  0x24, 0x33, 0x62, 0x72, 0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a,
  0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39,
  0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55,
  0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69,
  0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83, 0x84, 0x85,
  0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98,
  0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2,
  0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3, 0xc4, 0xc5,
  0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8,
  0xd9, 0xda, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea,
  0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
};

static const guint8 ac_chrominance[] = {
  0x00, 0x02, 0x01, 0x02, 0x04, 0x04, 0x03, 0x04, 0x07, 0x05, 0x04, 0x04,
  0x00, 0x01, 0x02, 0x77, 0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21,
  0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22, 0x32, 0x81,
  0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0,
  0x15, 0x62, 0x72, 0xd1, 0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17,
  0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36, 0x37, 0x38,
  0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54,
  0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68,
  0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x82, 0x83,
  0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96,
  0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9,
  0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
  0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6,
  0xd7, 0xd8, 0xd9, 0xda, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9,
  0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
};

static const struct
{
  guint8 id;                    /* class and number */
  const guint8 *data;
  gsize size;
} standard[] = {
  {0x00, dc_luminance, sizeof (dc_luminance)},
  {0x01, dc_chrominance, sizeof (dc_chrominance)},
  {0x10, ac_luminance, sizeof (ac_luminance)},
  {0x11, ac_chrominance, sizeof (ac_chrominance)},
};
/* *INDENT-ON* */

static gboolean
is_standard (guint8 id, const guint8 * data, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (standard); i++) {
    if (standard[i].id == id)
      return standard[i].size == size
          && memcmp (standard[i].data, data, size) == 0;
  }
  return FALSE;
}

static void
read_huffman_tables (Header * header, GstByteReader * segment)
{
  guint8 id;

  while (gst_byte_reader_get_uint8 (segment, &id)) {
    const guint8 *data;
    gsize size = N_LENGTHS;

    if (!gst_byte_reader_peek_data (segment, N_LENGTHS, &data))
      return;
    for (guint i = 0; i < N_LENGTHS; i++)
      size += data[i];
    if (!gst_byte_reader_get_data (segment, size, &data))
      return;
    if (!is_standard (id, data, size))
      header->obstacle = "with Huffman tables of its own";
  }
}

static void
read_quantizers (Header * header, GstByteReader * segment)
{
  guint8 id;

  while (gst_byte_reader_get_uint8 (segment, &id)) {
    gsize size = id >> 4 ? 2 * QUANTIZERS : QUANTIZERS;
    const guint8 *data;

    if (!gst_byte_reader_get_data (segment, size, &data))
      return;
    header->quantizers[id % N_TABLES] = data;
    header->quantizer_size[id % N_TABLES] = size;
  }
}

/* Behind the precision. */
static gboolean
read_size (Header * header, GstByteReader * segment)
{
  guint16 height = 0, width = 0;

  if (!gst_byte_reader_skip (segment, 1)
      || !gst_byte_reader_get_uint16_be (segment, &height)
      || !gst_byte_reader_get_uint16_be (segment, &width))
    return FALSE;
  header->has_size = width > 0 && height > 0;
  return header->has_size;
}

/* Number, sampling and table of each component, behind precision and size. The
 * other ways to write 4:2:2 and 4:2:0 rtpjpegpay (1.22) drops. */
static void
read_frame (Header * header, GstByteReader * segment)
{
  guint8 n = 0, sampling = 0, table = 0;

  if (!read_size (header, segment)
      || !gst_byte_reader_get_uint8 (segment, &n))
    return;
  if (n != N_COMPONENTS) {
    header->obstacle = "without two colours beside the brightness";
    return;
  }
  for (guint i = 0; i < N_COMPONENTS; i++) {
    if (!gst_byte_reader_skip (segment, 1)
        || !gst_byte_reader_get_uint8 (segment, &sampling)
        || !gst_byte_reader_get_uint8 (segment, &table))
      return;
    if (i == 0 ? sampling != 0x21 && sampling != 0x22 : sampling != 0x11)
      header->obstacle = "sampled in a way that RTP does not have";
    header->table[i] = table % N_TABLES;
  }
}

static gboolean
colours_differ (Header * header)
{
  guint a = header->table[1], b = header->table[2];

  if (a == b || header->quantizers[a] == NULL || header->quantizers[b] == NULL)
    return FALSE;
  return header->quantizer_size[a] != header->quantizer_size[b]
      || memcmp (header->quantizers[a], header->quantizers[b],
      header->quantizer_size[a]) != 0;
}

/* Y is coded by the tables 0, the colours by the tables 1. */
static void
read_scan (Header * header, GstByteReader * segment)
{
  static const guint8 tables[N_COMPONENTS] = { 0x00, 0x11, 0x11 };
  guint8 n, table;

  if (!gst_byte_reader_get_uint8 (segment, &n))
    return;
  header->has_scan = TRUE;
  if (header->obstacle != NULL)
    return;
  if (n != N_COMPONENTS) {
    header->obstacle = "in several scans";
    return;
  }
  for (guint i = 0; i < N_COMPONENTS; i++) {
    if (!gst_byte_reader_skip (segment, 1)
        || !gst_byte_reader_get_uint8 (segment, &table))
      return;
    if (table != tables[i])
      header->obstacle = "with Huffman tables of its own";
  }
  if (colours_differ (header))
    header->obstacle = "with a quantisation of each colour";
}

static void
read_segment (Header * header, guint8 marker, GstByteReader * segment)
{
  switch (marker) {
    case MARKER_DHT:
      read_huffman_tables (header, segment);
      break;
    case MARKER_DQT:
      read_quantizers (header, segment);
      break;
    case MARKER_SOF0:
      read_frame (header, segment);
      break;
    case MARKER_SOS:
      read_scan (header, segment);
      break;
    case MARKER_JPG:
    case MARKER_DAC:
      break;
    default:
      /* Another coding than baseline: the caps tell it. */
      if (marker > MARKER_SOF0 && marker <= MARKER_SOF15)
        read_size (header, segment);
      break;
  }
}

/* FALSE at the end of the header, and where it is damaged. */
static gboolean
read_next_segment (Header * header, GstByteReader * reader)
{
  GstByteReader segment;
  guint8 marker = 0;
  guint16 size;

  if (!gst_byte_reader_get_uint8 (reader, &marker) || marker != 0xff)
    return FALSE;
  while (marker == MARKER_FILL) {
    if (!gst_byte_reader_get_uint8 (reader, &marker))
      return FALSE;
    header->n_fill += marker == MARKER_FILL;
  }
  if (marker == MARKER_SOI)
    return TRUE;
  if (!gst_byte_reader_get_uint16_be (reader, &size) || size < 2
      || !gst_byte_reader_get_sub_reader (reader, &segment, size - 2))
    return FALSE;
  read_segment (header, marker, &segment);
  return marker != MARKER_SOS;
}

/**
 * rtsp_sink_jpeg_check_read:
 * @picture: a JPEG picture
 * @header: (out): what was found
 *
 * Returns: FALSE if @picture is cut short before its scan, or no decoder could
 *   tell its size
 */
gboolean
rtsp_sink_jpeg_check_read (GstBuffer * picture, RtspSinkJpegHeader * header)
{
  GstByteReader reader;
  Header found = { 0, };
  GstMapInfo map;

  if (!gst_buffer_map (picture, &map, GST_MAP_READ))
    return FALSE;
  gst_byte_reader_init (&reader, map.data, map.size);
  while (read_next_segment (&found, &reader));
  header->obstacle = found.obstacle;
  header->size = gst_byte_reader_get_pos (&reader);
  header->n_fill = found.n_fill;
  gst_buffer_unmap (picture, &map);
  return found.has_size && found.has_scan;
}

/* Returns: where the next segment begins, at the last of its bytes 0xff. */
static gsize
skip_fill (const guint8 * data, gsize at)
{
  while (data[at + 1] == MARKER_FILL)
    at++;
  return at;
}

/**
 * rtsp_sink_jpeg_check_drop_fill:
 * @picture: (transfer full): one that was read
 * @header: of it
 *
 * Bytes 0xff may fill in before a marker (T.81, B.1.1.2); rtpjpegpay (1.22) then
 * misses the segment.
 *
 * Returns: (transfer full): the picture without them
 */
GstBuffer *
rtsp_sink_jpeg_check_drop_fill (GstBuffer * picture,
    const RtspSinkJpegHeader * header)
{
  GstBuffer *tight = gst_buffer_new_allocate (NULL, header->size
      - header->n_fill, NULL);
  gsize at = 0, to = 0;
  GstMapInfo map;

  gst_buffer_map (picture, &map, GST_MAP_READ);
  while (at < header->size) {
    gsize begin = skip_fill (map.data, at), size = 2;

    if (map.data[begin + 1] != MARKER_SOI)
      size += (map.data[begin + 2] << 8) + map.data[begin + 3];
    gst_buffer_fill (tight, to, map.data + begin, size);
    to += size;
    at = begin + size;
  }
  gst_buffer_unmap (picture, &map);
  tight = gst_buffer_append (tight, gst_buffer_copy_region (picture,
          GST_BUFFER_COPY_MEMORY, header->size, -1));
  gst_buffer_copy_into (tight, picture, GST_BUFFER_COPY_METADATA, 0, -1);
  gst_buffer_unref (picture);
  return tight;
}
