/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Encoded video as it comes in, in any piece and form, made whole access units
 * in the form that the payloader takes, which say whether they are key units.
 * The codec's parser does that, and before it the depayloader if it comes in RTP,
 * called like a function (rtspsinkenclosure.h): what a buffer completes comes
 * out before the push returns.
 *
 * Everything runs on the upstream thread; no locks. */

#include "rtspsinkparsing.h"

#include "rtspsinkenclosure.h"
#include "rtspsinkerrors.h"
#include "rtspsinkjpeg.h"
#include "rtspsinkpacking.h"

/* Of video in RTP. */
#define CLOCK_RATE 90000

/* How much of it may come without a picture before somebody is told. */
#define PATIENCE (5 * GST_SECOND)

struct _RtspSinkParsing
{
  /* Constant after construction. */
  const RtspSinkCodec *codec;
  GstElement *element;          /* no reference: it owns this */
  gboolean rtp;                 /* it comes in packets */
  RtspSinkParsingFuncs funcs;
  gpointer user_data;
  RtspSinkEnclosure *parser;

  gboolean begun;               /* it has got a piece since the last segment */
  gboolean has_units;           /* any came out */
  GstClockTime first;           /* time stamp since the segment; or NONE */
  gboolean missed;              /* the units: somebody was told */
  gboolean damaged;             /* any piece */
  gboolean refused;             /* what came, since the stream began */
  const gchar *obstacle;        /* to sending it as it is; NULL: none so far */
  GstFlowReturn met;            /* by the newest of them */
};

static gboolean
send_caps (RtspSinkParsing * self, GstCaps * caps)
{
  g_autoptr (GstCaps) told = gst_caps_copy (caps);

  gst_caps_set_simple (told, RTSP_SINK_CODECS_OBSTACLE, G_TYPE_STRING,
      self->obstacle, NULL);
  return self->funcs.event (gst_event_new_caps (told), self->user_data);
}

/* What the parser does not look at is told in the caps as well, and once and for
 * all: what is sent does not go to and fro. */
static void
look_for_obstacle (RtspSinkParsing * self, GstBuffer * unit)
{
  g_autoptr (GstCaps) caps = NULL;

  self->obstacle = rtsp_sink_jpeg_find_obstacle (unit);
  if (self->obstacle == NULL)
    return;
  caps = rtsp_sink_enclosure_get_caps (self->parser);
  send_caps (self, caps);
}

static GstFlowReturn
take_unit (GstBuffer * buffer, gpointer user_data)
{
  RtspSinkParsing *self = user_data;

  if (self->codec->codec == GST_RTSP_SERVER_SINK_CODEC_JPEG
      && self->obstacle == NULL)
    look_for_obstacle (self, buffer);
  self->has_units = TRUE;
  self->met = self->funcs.unit (buffer, self->user_data);
  return self->met;
}

static gboolean
take_caps (RtspSinkParsing * self, GstEvent * event)
{
  GstCaps *caps;
  gboolean taken;

  if (self->obstacle == NULL)
    return self->funcs.event (event, self->user_data);
  gst_event_parse_caps (event, &caps);
  taken = send_caps (self, caps);
  gst_event_unref (event);
  return taken;
}

static gboolean
take_event (GstEvent * event, gpointer user_data)
{
  RtspSinkParsing *self = user_data;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_SEGMENT:
    case GST_EVENT_EOS:
      return self->funcs.event (event, self->user_data);
    default:
      /* The stream's other events go their own way. */
      gst_event_unref (event);
      return TRUE;
  }
}

static const RtspSinkEnclosureFuncs parser_funcs = {
  take_unit,
  take_event,
};

/**
 * rtsp_sink_parsing_is_needed:
 * @caps: of encoded video of @codec, or of RTP with it
 *
 * Returns: FALSE if each buffer is an access unit anyway
 */
gboolean
rtsp_sink_parsing_is_needed (const RtspSinkCodec * codec, const GstCaps * caps)
{
  return codec->parser != NULL || rtsp_sink_codecs_is_rtp (caps);
}

static gboolean
append (RtspSinkParsing * self, GstElement * element)
{
  if (element != NULL)
    rtsp_sink_enclosure_append (self->parser, element);
  return element != NULL;
}

static gboolean
make_elements (RtspSinkParsing * self, GError ** error)
{
  return (!self->rtp || append (self,
          rtsp_sink_codecs_make_depayloader (self->codec, error)))
      && (self->codec->parser == NULL || append (self,
          rtsp_sink_codecs_make_parser (self->codec, error)));
}

/**
 * rtsp_sink_parsing_new:
 * @caps: of what comes in, which needs it
 * @element: tells of damage
 * @error: says what is missing, and the cure
 *
 * Returns: (transfer full) (nullable): the parsing, ready to be pushed to
 */
RtspSinkParsing *
rtsp_sink_parsing_new (const RtspSinkCodec * codec, const GstCaps * caps,
    GstElement * element,
    const RtspSinkParsingFuncs * funcs, gpointer user_data, GError ** error)
{
  g_autoptr (GstCaps) sent = gst_caps_from_string (codec->sent);
  RtspSinkParsing *self = g_new0 (RtspSinkParsing, 1);

  self->codec = codec;
  self->element = element;
  self->rtp = rtsp_sink_codecs_is_rtp (caps);
  self->funcs = *funcs;
  self->user_data = user_data;
  self->first = GST_CLOCK_TIME_NONE;
  self->parser = rtsp_sink_enclosure_new (&parser_funcs, self);
  if (!make_elements (self, error)) {
    rtsp_sink_parsing_free (self);
    return NULL;
  }
  rtsp_sink_enclosure_start (self->parser, sent);
  rtsp_sink_enclosure_push_event (self->parser,
      gst_event_new_stream_start ("rtspsink"));
  return self;
}

/* No push may be under way. */
void
rtsp_sink_parsing_free (RtspSinkParsing * self)
{
  if (self == NULL)
    return;

  rtsp_sink_enclosure_free (self->parser);
  g_free (self);
}

/**
 * rtsp_sink_parsing_is_for:
 *
 * Returns: whether it can go on with @caps, of @codec
 */
gboolean
rtsp_sink_parsing_is_for (RtspSinkParsing * self, const RtspSinkCodec * codec,
    const GstCaps * caps)
{
  return self->codec == codec && self->rtp == rtsp_sink_codecs_is_rtp (caps);
}

/* An appsrc counts bytes unless it is told otherwise, which a depayloader refuses;
 * its time stamps, if any, are running times. Takes the reference. */
static GstEvent *
make_timed (GstEvent * event)
{
  const GstSegment *old;
  GstSegment segment;

  gst_event_parse_segment (event, &old);
  if (old->format == GST_FORMAT_TIME)
    return event;
  gst_event_unref (event);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  return gst_event_new_segment (&segment);
}

/* What a depayloader insists on, and what people leave out or write in small
 * letters. Takes the reference. */
static GstEvent *
make_complete (RtspSinkParsing * self, GstEvent * event)
{
  g_autoptr (GstCaps) whole = NULL;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  whole = gst_caps_copy (caps);
  gst_event_unref (event);
  gst_caps_set_simple (whole, "media", G_TYPE_STRING, "video",
      "encoding-name", G_TYPE_STRING, self->codec->encoding_name, NULL);
  if (!gst_structure_has_field (gst_caps_get_structure (whole, 0),
          "clock-rate"))
    gst_caps_set_simple (whole, "clock-rate", G_TYPE_INT, CLOCK_RATE, NULL);
  return gst_event_new_caps (whole);
}

/**
 * rtsp_sink_parsing_event:
 * @event: (transfer full): of the input: caps, segment, end
 *
 * Returns: FALSE if the parser cannot take it
 */
gboolean
rtsp_sink_parsing_event (RtspSinkParsing * self, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    self->begun = FALSE;
    self->first = GST_CLOCK_TIME_NONE;
    if (self->rtp)
      event = make_timed (event);
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    self->damaged = FALSE;
    if (self->rtp)
      event = make_complete (self, event);
  }
  return rtsp_sink_enclosure_push_event (self->parser, event);
}

/**
 * rtsp_sink_parsing_flush:
 *
 * Drops what the parser holds: it is of before. A segment comes next.
 */
void
rtsp_sink_parsing_flush (RtspSinkParsing * self)
{
  self->refused = FALSE;
  rtsp_sink_enclosure_push_event (self->parser, gst_event_new_flush_start ());
  rtsp_sink_enclosure_push_event (self->parser,
      gst_event_new_flush_stop (TRUE));
}

/* Sources go on for a while. */
static GstFlowReturn
handle_refused (RtspSinkParsing * self)
{
  if (!self->refused)
    rtsp_sink_errors_post_no_such_video (self->element, self->codec->name);
  self->refused = TRUE;
  return GST_FLOW_NOT_NEGOTIATED;
}

static void
tell_damage (RtspSinkParsing * self)
{
  self->funcs.damaged (self->user_data);
  if (!self->damaged)
    rtsp_sink_errors_warn_of_damage (self->element, self->codec->name);
  self->damaged = TRUE;
}

/* Damage to one piece is no reason to end the stream; what begins like this is
 * no video of that codec. */
static GstFlowReturn
handle_damage (RtspSinkParsing * self)
{
  self->begun = FALSE;
  rtsp_sink_enclosure_restart (self->parser);
  if (!self->has_units)
    return handle_refused (self);

  tell_damage (self);
  return GST_FLOW_OK;
}

/* To the depayloader it is lost. */
static GstFlowReturn
drop_packet (RtspSinkParsing * self, GstBuffer * packet)
{
  gst_buffer_unref (packet);
  tell_damage (self);
  return GST_FLOW_OK;
}

/* A piece of time @stamp was taken, and still there is no unit. */
static void
miss_units (RtspSinkParsing * self, GstClockTime stamp)
{
  if (self->missed || !GST_CLOCK_TIME_IS_VALID (stamp))
    return;
  if (!GST_CLOCK_TIME_IS_VALID (self->first))
    self->first = stamp;
  if (stamp < self->first + PATIENCE)
    return;
  rtsp_sink_errors_warn_of_no_picture (self->element, self->codec->name,
      PATIENCE / GST_SECOND);
  self->missed = TRUE;
}

/**
 * rtsp_sink_parsing_push:
 * @buffer: (transfer full): a piece of the input
 *
 * A piece at which the parser fails is dropped, and the element tells of it; it
 * tells as well when pieces come for long and no unit comes out.
 *
 * Returns: what the units that it completed met; NOT_NEGOTIATED, posted: it is no
 *   video of the codec
 */
GstFlowReturn
rtsp_sink_parsing_push (RtspSinkParsing * self, GstBuffer * buffer)
{
  GstClockTime stamp = GST_BUFFER_DTS_OR_PTS (buffer);
  GstFlowReturn ret;

  if (self->rtp && !rtsp_sink_packing_is_whole (self->codec, buffer))
    return drop_packet (self, buffer);

  /* A parser gives out what it has at a discontinuity: half a unit, when a
   * source marks each piece of its first one. h264parse (1.22) then never tells
   * the parameter sets in its caps. A depayloader wants to know. */
  if (!self->rtp && self->begun && GST_BUFFER_IS_DISCONT (buffer)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  }
  self->begun = TRUE;
  self->met = GST_FLOW_OK;
  ret = rtsp_sink_enclosure_push (self->parser, buffer);
  if (!self->has_units)
    miss_units (self, stamp);
  if (self->met != GST_FLOW_OK)
    return ret;
  if (ret == GST_FLOW_NOT_NEGOTIATED)
    return handle_refused (self);
  return ret == GST_FLOW_ERROR ? handle_damage (self) : ret;
}
