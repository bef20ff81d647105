/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One payloader for all viewers, called like a function: an access unit in,
 * its RTP packets out. Payloaders push what a unit makes before they return,
 * so collecting between call and return gives exactly the unit's packets.
 * Doing it once instead of once per viewer is most of why a viewer costs a
 * fraction of what it does in a plain server (docs/architecture.md).
 *
 * The payloader is in no bin: its two pads are linked to ours. Everything
 * runs on the encoder's thread; no locks. */

#include "rtspsinkpayloading.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_payloading_debug);
#define GST_CAT_DEFAULT rtsp_sink_payloading_debug

struct _RtspSinkPayloading
{
  GstElement *payloader;
  GstPad *feed;                 /* linked to the payloader's sink pad */
  GstPad *collect;              /* linked to its src pad */
  GstBufferList *packets;       /* of the unit that is in the payloader */
  gboolean started;
  gboolean headless;            /* the caps lack what it takes to begin */
  gboolean feedback;            /* viewers may ask for key units by RTCP */
};

/* Takes whatever caps the payloader comes to. Without a template the pad would
 * hold the payloader to those it has. */
static GstStaticPadTemplate collect_template =
GST_STATIC_PAD_TEMPLATE ("collect", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);

static GstFlowReturn
collect_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  RtspSinkPayloading *self = gst_pad_get_element_private (pad);

  gst_buffer_list_add (self->packets, buffer);
  return GST_FLOW_OK;
}

static GstFlowReturn
collect_list (GstPad * pad, GstObject * parent, GstBufferList * list)
{
  RtspSinkPayloading *self = gst_pad_get_element_private (pad);
  guint n = gst_buffer_list_length (list);

  for (guint i = 0; i < n; i++)
    gst_buffer_list_add (self->packets,
        gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

/**
 * rtsp_sink_payloading_new:
 * @payloader: (transfer floating): the payloader, in NULL
 * @feedback: viewers may ask for key units by RTCP (RFC 4585; RFC 5104)
 *
 * Returns: (transfer full): the payloading, ready to be pushed to
 */
RtspSinkPayloading *
rtsp_sink_payloading_new (GstElement * payloader, gboolean feedback)
{
  RtspSinkPayloading *self = g_new0 (RtspSinkPayloading, 1);
  GstPad *sink = gst_element_get_static_pad (payloader, "sink");
  GstPad *src = gst_element_get_static_pad (payloader, "src");

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_payloading_debug,
      "rtspserversink-payloading", 0, "rtspserversink: payloading");

  self->payloader = gst_object_ref_sink (payloader);
  self->feedback = feedback;
  /* RTP times come from time stamps alone, not from buffer offsets. */
  g_object_set (payloader, "perfect-rtptime", FALSE, NULL);

  self->feed = gst_object_ref_sink (gst_pad_new ("feed", GST_PAD_SRC));
  self->collect = gst_object_ref_sink (gst_pad_new_from_static_template
      (&collect_template, "collect"));
  gst_pad_set_element_private (self->collect, self);
  gst_pad_set_chain_function (self->collect, collect_buffer);
  gst_pad_set_chain_list_function (self->collect, collect_list);

  gst_pad_set_active (self->collect, TRUE);
  gst_pad_link (src, self->collect);
  gst_pad_link (self->feed, sink);
  gst_element_set_state (payloader, GST_STATE_PLAYING);
  gst_pad_set_active (self->feed, TRUE);

  gst_object_unref (sink);
  gst_object_unref (src);
  return self;
}

void
rtsp_sink_payloading_free (RtspSinkPayloading * self)
{
  if (self == NULL)
    return;

  gst_pad_set_active (self->feed, FALSE);
  gst_element_set_state (self->payloader, GST_STATE_NULL);
  gst_pad_set_active (self->collect, FALSE);
  gst_object_unref (self->payloader);
  gst_object_unref (self->feed);
  gst_object_unref (self->collect);
  g_free (self);
}

/* The first events of a stream, in their order. */
static void
start (RtspSinkPayloading * self)
{
  gst_pad_push_event (self->feed, gst_event_new_stream_start ("rtspsink"));
  self->started = TRUE;
}

/* Units that carry lengths have the size of these in the codec data, beside the
 * parameter sets. Without, rtph264pay and rtph265pay (1.22) take a length of no
 * bytes, and never come to the end of a unit. */
static gboolean
lacks_codec_data (const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *form = gst_structure_get_string (s, "stream-format");

  return (g_strcmp0 (form, "avc") == 0 || g_strcmp0 (form, "hvc1") == 0)
      && !gst_structure_has_field (s, "codec_data");
}

/**
 * rtsp_sink_payloading_set_caps:
 * @caps: of the access units that follow; a payloader that cannot take them
 *   refuses the next unit
 */
void
rtsp_sink_payloading_set_caps (RtspSinkPayloading * self, GstCaps * caps)
{
  gboolean first = !self->started;
  GstSegment segment;

  self->headless = lacks_codec_data (caps);
  if (first)
    start (self);
  gst_pad_push_event (self->feed, gst_event_new_caps (caps));
  if (!first)
    return;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->feed, gst_event_new_segment (&segment));
}

/* Whoever has the packets only can tell where a decoder can begin. */
static void
mark (GstBufferList * packets, gboolean delta)
{
  for (guint i = 0; i < gst_buffer_list_length (packets); i++) {
    GstBuffer *packet = gst_buffer_list_get_writable (packets, i);

    if (delta)
      GST_BUFFER_FLAG_SET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
    else
      GST_BUFFER_FLAG_UNSET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
  }
}

/**
 * rtsp_sink_payloading_push:
 * @unit: (transfer full): an access unit, its PTS in media time
 *
 * Returns: (transfer full) (nullable): its packets, which are delta units if
 *   @unit is one; none while the caps lack the parameter sets; NULL if the
 *   payloader refuses it
 */
GstBufferList *
rtsp_sink_payloading_push (RtspSinkPayloading * self, GstBuffer * unit)
{
  gboolean delta = GST_BUFFER_FLAG_IS_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT);
  GstBufferList *packets;
  GstFlowReturn ret;

  if (self->headless) {
    GST_LOG_OBJECT (self->payloader, "no parameter sets yet: dropping a unit");
    gst_buffer_unref (unit);
    return gst_buffer_list_new ();
  }

  self->packets = gst_buffer_list_new ();
  ret = gst_pad_push (self->feed, unit);
  packets = g_steal_pointer (&self->packets);

  if (ret == GST_FLOW_OK) {
    mark (packets, delta);
    return packets;
  }

  GST_WARNING_OBJECT (self->payloader, "refused an access unit: %s",
      gst_flow_get_name (ret));
  gst_buffer_list_unref (packets);
  return NULL;
}

/**
 * rtsp_sink_payloading_get_caps:
 *
 * Returns: (transfer full) (nullable): the caps of the packets, NULL while
 *   they are not known
 */
GstCaps *
rtsp_sink_payloading_get_caps (RtspSinkPayloading * self)
{
  GstCaps *caps = self->headless ? NULL :
      gst_pad_get_current_caps (self->collect);

  if (caps == NULL || !self->feedback)
    return caps;
  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps, "rtcp-fb-nack-pli", G_TYPE_BOOLEAN, TRUE,
      "rtcp-fb-ccm-fir", G_TYPE_BOOLEAN, TRUE, NULL);
  return caps;
}
