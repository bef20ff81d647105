/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Caps of interlaced video that do not tell which field is first: they wait for
 * the first frame, which does. Encoders look into the caps alone, once. The
 * segment, which comes behind the caps, waits with them.
 *
 * Upstream thread; no locks. */

#include "video/fieldorder.h"

#include "codec/formats.h"

void
rtsp_sink_field_order_clear (RtspSinkFieldOrder * self)
{
  gst_clear_event (&self->caps);
  gst_clear_event (&self->segment);
}

static gboolean
send_held_segment (RtspSinkFieldOrder * self, GstPad * pad)
{
  return self->segment == NULL
      || gst_pad_push_event (pad, g_steal_pointer (&self->segment));
}

/**
 * rtsp_sink_field_order_send_caps:
 * @event: (transfer full): new caps, instead of any that are held
 * @hold: until a frame comes
 *
 * Returns: FALSE if they are not taken
 */
gboolean
rtsp_sink_field_order_send_caps (RtspSinkFieldOrder * self, GstPad * pad,
    GstEvent * event, gboolean hold)
{
  gst_clear_event (&self->caps);
  if (hold) {
    self->caps = event;
    return TRUE;
  }
  return gst_pad_push_event (pad, event) && send_held_segment (self, pad);
}

/**
 * rtsp_sink_field_order_send_segment:
 * @event: (transfer full): it is held if the caps are
 */
gboolean
rtsp_sink_field_order_send_segment (RtspSinkFieldOrder * self, GstPad * pad,
    GstEvent * event)
{
  if (self->caps == NULL)
    return gst_pad_push_event (pad, event);
  gst_clear_event (&self->segment);
  self->segment = event;
  return TRUE;
}

/* The stream was flushed. */
void
rtsp_sink_field_order_drop_segment (RtspSinkFieldOrder * self)
{
  gst_clear_event (&self->segment);
}

/**
 * rtsp_sink_field_order_release:
 * @frame: (nullable): the first one, NULL at the end
 *
 * Sends what is held, with what @frame tells.
 */
void
rtsp_sink_field_order_release (RtspSinkFieldOrder * self, GstPad * pad,
    GstBuffer * frame)
{
  GstEvent *event = g_steal_pointer (&self->caps);
  g_autoptr (GstCaps) told = NULL;
  GstCaps *caps;

  if (event == NULL)
    return;
  gst_event_parse_caps (event, &caps);
  told = rtsp_sink_formats_tell_field_order (caps, frame);
  gst_event_unref (event);
  gst_pad_push_event (pad, gst_event_new_caps (told));
  send_held_segment (self, pad);
}
