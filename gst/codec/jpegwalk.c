/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Where pictures begin and end in a stream of JPEG that comes in any pieces. A
 * parser looks for the end marker alone: what has none, or is cut short, runs
 * into the next picture and spoils it. Pure. */

#include "codec/jpegwalk.h"

#include <string.h>

enum
{
  MARKER_STUFFED = 0x00,
  MARKER_TEM = 0x01,
  MARKER_RST0 = 0xd0,
  MARKER_RST7 = 0xd7,
  MARKER_SOI = 0xd8,
  MARKER_EOI = 0xd9,
  MARKER_SOS = 0xda,
  MARKER_FILL = 0xff,
};

/**
 * rtsp_sink_jpeg_walk_init:
 *
 * A stream begins.
 */
void
rtsp_sink_jpeg_walk_init (RtspSinkJpegWalk * self)
{
  memset (self, 0, sizeof (*self));
}

static void
open_picture (RtspSinkJpegWalk * self)
{
  self->open = TRUE;
  self->has_scan = FALSE;
  self->useless = FALSE;
  self->state = RTSP_SINK_JPEG_WALK_BODY;
}

static void
end_segment (RtspSinkJpegWalk * self)
{
  self->state = RTSP_SINK_JPEG_WALK_BODY;
  if (self->marker == MARKER_SOS)
    self->has_scan = TRUE;
}

/* Not of SOI in an open picture. */
static void
take_marker (RtspSinkJpegWalk * self, guint8 marker)
{
  if (marker == MARKER_FILL)
    return;
  self->state = RTSP_SINK_JPEG_WALK_BODY;
  if (marker == MARKER_SOI) {
    open_picture (self);
  } else if (self->open && marker == MARKER_EOI) {
    self->open = FALSE;
    self->ended = TRUE;
  } else if (self->open && marker != MARKER_STUFFED && marker != MARKER_TEM
      && (marker < MARKER_RST0 || marker > MARKER_RST7)) {
    self->marker = marker;
    self->state = RTSP_SINK_JPEG_WALK_LENGTH;
  }
}

static gsize
skip_segment (RtspSinkJpegWalk * self, gsize at, gsize size)
{
  gsize n = MIN (self->left, size - at);

  self->left -= n;
  if (self->left == 0)
    end_segment (self);
  return at + n;
}

static gsize
find_marker (const guint8 * data, gsize size, gsize at)
{
  const guint8 *found = memchr (data + at, MARKER_FILL, size - at);

  return found != NULL ? (gsize) (found - data) : size;
}

/* In the body at 0xff. Returns: where it goes on. */
static gsize
step (RtspSinkJpegWalk * self, const guint8 * data, gsize size, gsize at)
{
  switch (self->state) {
    case RTSP_SINK_JPEG_WALK_BODY:
      self->state = RTSP_SINK_JPEG_WALK_MARKER;
      return at + 1;
    case RTSP_SINK_JPEG_WALK_MARKER:
      take_marker (self, data[at]);
      return at + 1;
    case RTSP_SINK_JPEG_WALK_LENGTH:
      self->left = data[at] << 8;
      self->state = RTSP_SINK_JPEG_WALK_LENGTH_LOW;
      return at + 1;
    case RTSP_SINK_JPEG_WALK_LENGTH_LOW:
      self->left = MAX (self->left + data[at], 2) - 2;
      self->state = RTSP_SINK_JPEG_WALK_SEGMENT;
      return skip_segment (self, at + 1, size);
    case RTSP_SINK_JPEG_WALK_SEGMENT:
      return skip_segment (self, at, size);
  }
  g_return_val_if_reached (size);
}

/* In a scan there is no such marker. In a header it can be that of a thumbnail,
 * but not where each piece is a picture. */
static gboolean
begins_another (RtspSinkJpegWalk * self, const guint8 * data, gsize size,
    gsize at)
{
  if (!self->open || at + 1 >= size || data[at] != MARKER_FILL
      || data[at + 1] != MARKER_SOI)
    return FALSE;
  if (at > 0)
    return self->has_scan && self->state == RTSP_SINK_JPEG_WALK_BODY;
  return self->aligned || self->state != RTSP_SINK_JPEG_WALK_SEGMENT;
}

static gsize
walk (RtspSinkJpegWalk * self, const guint8 * data, gsize size)
{
  gboolean aligned = size > 1 && data[0] == MARKER_FILL
      && data[1] == MARKER_SOI;
  gboolean were_aligned = self->aligned;
  gsize at = 0;

  self->unended = FALSE;
  if (begins_another (self, data, size, 0))
    return 0;
  self->useless = !self->open;
  while (at < size) {
    if (self->state == RTSP_SINK_JPEG_WALK_BODY)
      at = find_marker (data, size, at);
    if (begins_another (self, data, size, at))
      return at;
    if (at < size)
      at = step (self, data, size, at);
  }
  self->aligned = aligned;
  self->unended = self->has_scan && self->open && aligned && were_aligned
      && !self->ended && self->state == RTSP_SINK_JPEG_WALK_BODY;
  return size;
}

/**
 * rtsp_sink_jpeg_walk_on:
 * @piece: what comes next
 *
 * Returns: where in @piece a picture begins while another is open, which is to
 *   be closed before the rest; the size of @piece if none does
 */
gsize
rtsp_sink_jpeg_walk_on (RtspSinkJpegWalk * self, GstBuffer * piece)
{
  GstMapInfo map;
  gsize at;

  if (!gst_buffer_map (piece, &map, GST_MAP_READ))
    return gst_buffer_get_size (piece);
  at = walk (self, map.data, map.size);
  gst_buffer_unmap (piece, &map);
  return at;
}

/**
 * rtsp_sink_jpeg_walk_close:
 *
 * Ends the picture that is open and has no end marker.
 *
 * Returns: FALSE if it was cut short: in its header, or in a stream whose
 *   pictures have an end marker
 */
gboolean
rtsp_sink_jpeg_walk_close (RtspSinkJpegWalk * self)
{
  gboolean whole = self->has_scan && !self->ended;

  self->open = self->has_scan = self->ended = self->unended = FALSE;
  self->state = RTSP_SINK_JPEG_WALK_BODY;
  return whole;
}
