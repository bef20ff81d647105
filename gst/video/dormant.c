/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* An element of a bin that gets nothing: the bin neither waits for its first
 * buffer nor for its end. Application's thread, or that which links the bin's
 * pad. */

#include "video/dormant.h"

static gboolean
is_sink (GstElement * element)
{
  return element->numsrcpads == 0;
}

/**
 * rtsp_sink_dormant_set:
 * @element: one of a bin; a sink if it has no source pads
 */
void
rtsp_sink_dormant_set (GstElement * element, gboolean dormant)
{
  gst_element_set_locked_state (element, dormant);
  if (dormant) {
    /* GstBin asks those with the flag for the end of the stream. */
    if (is_sink (element))
      GST_OBJECT_FLAG_UNSET (element, GST_ELEMENT_FLAG_SINK);
    gst_element_set_state (element, GST_STATE_READY);
  } else {
    if (is_sink (element))
      GST_OBJECT_FLAG_SET (element, GST_ELEMENT_FLAG_SINK);
    gst_element_sync_state_with_parent (element);
  }
}
