/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Encoded video as it comes in, in any piece and form, made whole access units
 * in the form that the payloader takes, which say whether they are key units.
 * The codec's parser does that, called like a function: what a buffer
 * completes comes out before the push returns.
 *
 * The parser is in no bin: its two pads are linked to ours. Everything runs on
 * the upstream thread; no locks. */

#include "rtspsinkparsing.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_parsing_debug);
#define GST_CAT_DEFAULT rtsp_sink_parsing_debug

struct _RtspSinkParsing
{
  /* Constant after construction. */
  const RtspSinkCodec *codec;
  RtspSinkParsingFuncs funcs;
  gpointer user_data;
  GstElement *parser;
  GstPad *feed;                 /* linked to the parser's sink pad */
  GstPad *collect;              /* linked to its src pad */
  GstCaps *sent;                /* what the parser shall make */

  gboolean begun;               /* it has got a piece since the last segment */
  gboolean has_units;           /* any came out */
  GstFlowReturn met;            /* by the newest of them */
};

static GstStaticPadTemplate collect_template =
GST_STATIC_PAD_TEMPLATE ("collect", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);

static GstFlowReturn
collect_unit (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  RtspSinkParsing *self = gst_pad_get_element_private (pad);

  self->has_units = TRUE;
  self->met = self->funcs.unit (buffer, self->user_data);
  return self->met;
}

static gboolean
collect_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkParsing *self = gst_pad_get_element_private (pad);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_EOS:
      return self->funcs.event (event, self->user_data);
    default:
      /* The stream's other events go their own way. */
      gst_event_unref (event);
      return TRUE;
  }
}

static gboolean
collect_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  RtspSinkParsing *self = gst_pad_get_element_private (pad);
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);

  gst_query_parse_caps (query, &filter);
  caps = filter != NULL ? gst_caps_intersect (self->sent, filter)
      : gst_caps_ref (self->sent);
  gst_query_set_caps_result (query, caps);
  return TRUE;
}

/**
 * rtsp_sink_parsing_new:
 * @codec: one that has a parser
 * @error: says what is missing, and the cure
 *
 * Returns: (transfer full) (nullable): the parsing, ready to be pushed to
 */
RtspSinkParsing *
rtsp_sink_parsing_new (const RtspSinkCodec * codec,
    const RtspSinkParsingFuncs * funcs, gpointer user_data, GError ** error)
{
  GstElement *parser = rtsp_sink_codecs_make_parser (codec, error);
  g_autoptr (GstPad) sink = NULL;
  g_autoptr (GstPad) src = NULL;
  RtspSinkParsing *self;

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_parsing_debug, "rtspserversink-parsing",
      0, "rtspserversink: encoded input");
  if (parser == NULL)
    return NULL;

  self = g_new0 (RtspSinkParsing, 1);
  self->codec = codec;
  self->funcs = *funcs;
  self->user_data = user_data;
  self->parser = gst_object_ref_sink (parser);
  self->sent = gst_caps_from_string (codec->sent);

  self->feed = gst_object_ref_sink (gst_pad_new ("feed", GST_PAD_SRC));
  self->collect = gst_object_ref_sink (gst_pad_new_from_static_template
      (&collect_template, "collect"));
  gst_pad_set_element_private (self->collect, self);
  gst_pad_set_chain_function (self->collect, collect_unit);
  gst_pad_set_event_function (self->collect, collect_event);
  gst_pad_set_query_function (self->collect, collect_query);

  sink = gst_element_get_static_pad (parser, "sink");
  src = gst_element_get_static_pad (parser, "src");
  gst_pad_set_active (self->collect, TRUE);
  gst_pad_link (src, self->collect);
  gst_pad_link (self->feed, sink);
  gst_element_set_state (parser, GST_STATE_PLAYING);
  gst_pad_set_active (self->feed, TRUE);
  return self;
}

/* No push may be under way. */
void
rtsp_sink_parsing_free (RtspSinkParsing * self)
{
  if (self == NULL)
    return;

  gst_pad_set_active (self->feed, FALSE);
  gst_element_set_state (self->parser, GST_STATE_NULL);
  gst_pad_set_active (self->collect, FALSE);
  gst_object_unref (self->parser);
  gst_object_unref (self->feed);
  gst_object_unref (self->collect);
  gst_caps_unref (self->sent);
  g_free (self);
}

const RtspSinkCodec *
rtsp_sink_parsing_get_codec (RtspSinkParsing * self)
{
  return self->codec;
}

/**
 * rtsp_sink_parsing_event:
 * @event: (transfer full): of the input: stream-start first
 *
 * Returns: FALSE if the parser cannot take it
 */
gboolean
rtsp_sink_parsing_event (RtspSinkParsing * self, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    self->begun = FALSE;
  return gst_pad_push_event (self->feed, event);
}

/* Drops what the parser holds, and its fault. It goes on with the same caps and
 * segment. */
static void
begin_anew (RtspSinkParsing * self)
{
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (self->feed,
      GST_EVENT_SEGMENT, 0);

  gst_pad_push_event (self->feed, gst_event_new_flush_start ());
  gst_pad_push_event (self->feed, gst_event_new_flush_stop (TRUE));
  if (segment != NULL)
    rtsp_sink_parsing_event (self, gst_event_ref (segment));
}

/**
 * rtsp_sink_parsing_has_units:
 *
 * Returns: whether any unit came out of it
 */
gboolean
rtsp_sink_parsing_has_units (RtspSinkParsing * self)
{
  return self->has_units;
}

/**
 * rtsp_sink_parsing_push:
 * @buffer: (transfer full): a piece of the input
 *
 * Returns: what the units that it completed met; RTSP_SINK_PARSING_REFUSED: the
 *   parser cannot take the caps; RTSP_SINK_PARSING_DAMAGED: it failed at the
 *   piece, which is dropped, and can go on
 */
GstFlowReturn
rtsp_sink_parsing_push (RtspSinkParsing * self, GstBuffer * buffer)
{
  GstFlowReturn ret;

  /* A parser gives out what it has at a discontinuity: half a unit, when a
   * source marks each piece of its first one. h264parse (1.22) then never tells
   * the parameter sets in its caps. */
  if (self->begun && GST_BUFFER_IS_DISCONT (buffer)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  }
  self->begun = TRUE;
  self->met = GST_FLOW_OK;
  ret = gst_pad_push (self->feed, buffer);
  if (self->met != GST_FLOW_OK)
    return ret;
  if (ret == GST_FLOW_NOT_NEGOTIATED)
    return RTSP_SINK_PARSING_REFUSED;
  if (ret != GST_FLOW_ERROR)
    return ret;

  begin_anew (self);
  return RTSP_SINK_PARSING_DAMAGED;
}
