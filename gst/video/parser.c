/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Encoded video as it comes in, in any piece and form, made whole access units
 * in the form that the payloader takes, which say whether they are key units.
 * The codec's parser does that, and before it the depayloader if it comes in RTP,
 * called like a function (base/inlinebin.h): what a buffer completes comes
 * out before the push returns.
 *
 * Everything runs on the upstream thread; no locks. */

#include "video/parser.h"

#include "base/inlinebin.h"
#include "base/errors.h"
#include "codec/jpegcheck.h"
#include "codec/jpegwalk.h"
#include "codec/rtpcheck.h"
#include "time/sourcetime.h"

/* Of video in RTP. */
#define CLOCK_RATE 90000

/* How much of it may come without a picture before somebody is told. */
#define PATIENCE (5 * GST_SECOND)

struct _RtspSinkParser
{
  /* Constant after construction. */
  const RtspSinkVideoCodec *codec;
  GstElement *element;          /* no reference: it owns this */
  gboolean rtp;                 /* it comes in packets */
  RtspSinkParserFuncs funcs;
  gpointer user_data;

  RtspSinkInlineBin *parser;
  gboolean parted;              /* at the start codes in packets */
  gboolean begun;               /* it has got a piece since the last segment */
  gboolean taken;               /* the caps, by the parser */
  RtspSinkJpegWalk walk;        /* JPEG only: where it is in a picture */
  GstCaps *told;                /* the caps that were told; NULL: none */
  GstEvent *segment;            /* that waits for the next unit, or NULL */
  gboolean gave;                /* the newest piece gave a unit */
  gboolean draining;            /* the end is none */
  GstClockTime first;           /* time stamp since the newest unit; or NONE */
  GstClockTime arrived;         /* and when that came; or NONE */
  gboolean missed;              /* the units: somebody was told */
  gboolean damaged;             /* any piece */
  gboolean refused;             /* what came, since the stream began */
  const gchar *obstacle;        /* to sending it as it is; NULL: none so far */
  GstFlowReturn met;            /* by the newest of them */
};

static gboolean
is_jpeg (RtspSinkParser * self)
{
  return self->codec->codec == GST_RTSP_SERVER_SINK_CODEC_JPEG;
}

static void
tell_damage (RtspSinkParser * self)
{
  g_autofree gchar *problem = rtsp_sink_inline_bin_take_problem (self->parser);

  self->funcs.damaged (self->user_data);
  if (!self->damaged)
    rtsp_sink_errors_warn_of_damage (self->element, self->codec->name, problem);
  self->damaged = TRUE;
}

/* @seconds: of pieces; 0: of all. */
static void
tell_no_picture (RtspSinkParser * self, guint seconds)
{
  if (!self->missed)
    rtsp_sink_errors_warn_of_no_picture (self->element, self->codec->name,
        seconds);
  self->missed = TRUE;
}

/* What the parser does not look at is told in the caps as well, and once and for
 * all: what is sent does not go to and fro. */
static void
tell_caps (RtspSinkParser * self)
{
  g_autoptr (GstCaps) caps = rtsp_sink_inline_bin_get_caps (self->parser);

  if (self->obstacle != NULL) {
    caps = gst_caps_make_writable (caps);
    gst_caps_set_simple (caps, RTSP_SINK_VIDEO_CODECS_OBSTACLE, G_TYPE_STRING,
        self->obstacle, NULL);
  }
  if (self->told != NULL && gst_caps_is_equal (self->told, caps))
    return;
  gst_caps_replace (&self->told, caps);
  self->funcs.event (gst_event_new_caps (caps), self->user_data);
}

/* FALSE if @picture is damaged. */
static gboolean
take_picture (RtspSinkParser * self, GstBuffer ** picture)
{
  RtspSinkJpegHeader header;

  if (!rtsp_sink_jpeg_check_read (*picture, &header))
    return FALSE;
  if (header.n_fill > 0)
    *picture = rtsp_sink_jpeg_check_drop_fill (*picture, &header);
  if (self->obstacle == NULL)
    self->obstacle = header.obstacle;
  return TRUE;
}

/* Caps and segment are told with the first unit that is sent under them: those
 * of a damaged one do not matter. */
static GstFlowReturn
take_unit (GstBuffer * buffer, gpointer user_data)
{
  RtspSinkParser *self = user_data;

  if (is_jpeg (self) && !take_picture (self, &buffer)) {
    gst_buffer_unref (buffer);
    tell_damage (self);
    return GST_FLOW_OK;
  }
  tell_caps (self);
  if (self->segment != NULL)
    self->funcs.event (g_steal_pointer (&self->segment), self->user_data);
  self->gave = TRUE;
  self->met = self->funcs.unit (buffer, self->user_data);
  return self->met;
}

static gboolean
take_event (GstEvent * event, gpointer user_data)
{
  RtspSinkParser *self = user_data;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      gst_clear_event (&self->segment);
      self->segment = event;
      return TRUE;
    case GST_EVENT_EOS:
      if (self->draining)
        break;
      if (self->begun && self->told == NULL)
        tell_no_picture (self, 0);
      return self->funcs.event (event, self->user_data);
    default:
      /* The stream's other events go their own way. */
      break;
  }
  gst_event_unref (event);
  return TRUE;
}

static const RtspSinkInlineBinFuncs parser_funcs = {
  take_unit,
  take_event,
};

/**
 * rtsp_sink_parser_is_needed:
 * @caps: of encoded video of @codec, or of RTP with it
 *
 * Returns: FALSE if each buffer is an access unit anyway
 */
gboolean
rtsp_sink_parser_is_needed (const RtspSinkVideoCodec * codec,
    const GstCaps * caps)
{
  return codec->parser != NULL || rtsp_sink_video_codecs_is_rtp (caps);
}

static gboolean
append (RtspSinkParser * self, GstElement * element)
{
  if (element != NULL)
    rtsp_sink_inline_bin_append (self->parser, element);
  return element != NULL;
}

static gboolean
append_depayloader (RtspSinkParser * self, GError ** error)
{
  return append (self, rtsp_sink_video_codecs_make_depayloader (self->codec,
          error))
      && (!self->parted
      || append (self, rtsp_sink_video_codecs_make_filter (self->codec->parted,
              error)));
}

static gboolean
make_elements (RtspSinkParser * self, GError ** error)
{
  return (!self->rtp || append_depayloader (self, error))
      && (self->codec->parser == NULL || append (self,
          rtsp_sink_video_codecs_make_parser (self->codec, error)));
}

static gboolean
start (RtspSinkParser * self, GError ** error)
{
  g_autoptr (GstCaps) sent = gst_caps_from_string (self->codec->sent);

  self->parser = rtsp_sink_inline_bin_new (&parser_funcs, self);
  if (!make_elements (self, error)
      || !rtsp_sink_inline_bin_start (self->parser, sent, error))
    return FALSE;
  rtsp_sink_inline_bin_push_event (self->parser,
      gst_event_new_stream_start ("rtspsink"));
  return TRUE;
}

/**
 * rtsp_sink_parser_new:
 * @caps: of what comes in, which needs it
 * @element: tells of damage
 * @error: says what is missing, and the cure
 *
 * Returns: (transfer full) (nullable): the parsing, ready to be pushed to
 */
RtspSinkParser *
rtsp_sink_parser_new (const RtspSinkVideoCodec * codec, const GstCaps * caps,
    GstElement * element,
    const RtspSinkParserFuncs * funcs, gpointer user_data, GError ** error)
{
  RtspSinkParser *self = g_new0 (RtspSinkParser, 1);

  self->codec = codec;
  self->element = element;
  self->rtp = rtsp_sink_video_codecs_is_rtp (caps);
  self->funcs = *funcs;
  self->user_data = user_data;
  self->first = self->arrived = GST_CLOCK_TIME_NONE;
  if (start (self, error))
    return self;
  rtsp_sink_parser_free (self);
  return NULL;
}

/* No push may be under way. */
void
rtsp_sink_parser_free (RtspSinkParser * self)
{
  if (self == NULL)
    return;

  rtsp_sink_inline_bin_free (self->parser);
  gst_clear_caps (&self->told);
  gst_clear_event (&self->segment);
  g_free (self);
}

/**
 * rtsp_sink_parser_is_for:
 *
 * Returns: whether it can go on with @caps, of @codec
 */
gboolean
rtsp_sink_parser_is_for (RtspSinkParser * self,
    const RtspSinkVideoCodec * codec, const GstCaps * caps)
{
  return self->codec == codec
      && self->rtp == rtsp_sink_video_codecs_is_rtp (caps);
}

/* An appsrc counts bytes unless it is told otherwise, which a depayloader refuses;
 * and a depayloader asks for the running time of where the segment begins. Where
 * there is none, the time stamps, if any, are running times. Takes the
 * reference. */
static GstEvent *
make_timed (GstEvent * event)
{
  const GstSegment *old;
  GstSegment segment;

  gst_event_parse_segment (event, &old);
  if (rtsp_sink_source_time_has_running_time (old))
    return event;
  gst_event_unref (event);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  return gst_event_new_segment (&segment);
}

/* The depayloader's segment cannot have a rate of 0, which a server upstream may
 * have told of. */
static void
drop_zero (GstStructure * structure, const gchar * rate)
{
  gdouble value;

  if (gst_structure_get_double (structure, rate, &value) && value == 0)
    gst_structure_remove_field (structure, rate);
}

/* What a depayloader insists on, and what people leave out or write in small
 * letters. Takes the reference. */
static GstEvent *
make_complete (RtspSinkParser * self, GstEvent * event)
{
  g_autoptr (GstCaps) whole = NULL;
  GstStructure *structure;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  whole = gst_caps_copy (caps);
  gst_event_unref (event);
  gst_caps_set_simple (whole, "media", G_TYPE_STRING, "video",
      "encoding-name", G_TYPE_STRING, self->codec->encoding_name, NULL);
  structure = gst_caps_get_structure (whole, 0);
  if (!gst_structure_has_field (structure, "clock-rate"))
    gst_caps_set_simple (whole, "clock-rate", G_TYPE_INT, CLOCK_RATE, NULL);
  drop_zero (structure, "play-speed");
  drop_zero (structure, "play-scale");
  return gst_event_new_caps (whole);
}

/* A picture that has no end marker, as some cameras write them, is given one.
 * What is cut short costs that picture. */
static GstFlowReturn
close_picture (RtspSinkParser * self)
{
  static const guint8 marker[] = { 0xff, 0xd9 };

  if (rtsp_sink_jpeg_walk_close (&self->walk))
    return rtsp_sink_inline_bin_push (self->parser, gst_buffer_new_memdup
        (marker, sizeof (marker)));
  rtsp_sink_inline_bin_restart (self->parser);
  tell_damage (self);
  return GST_FLOW_OK;
}

static void
restart_waiting (RtspSinkParser * self)
{
  self->first = self->arrived = GST_CLOCK_TIME_NONE;
}

static gboolean
has_passed (GstClockTime since, GstClockTime now)
{
  return GST_CLOCK_TIME_IS_VALID (since) && GST_CLOCK_TIME_IS_VALID (now)
      && now >= since + PATIENCE;
}

/* A piece of time @stamp gave no unit. What has no time stamps goes by the
 * clock. */
static void
miss_unit (RtspSinkParser * self, GstClockTime stamp)
{
  GstClockTime now = gst_element_get_current_running_time (self->element);

  if (!GST_CLOCK_TIME_IS_VALID (self->first))
    self->first = stamp;
  if (!GST_CLOCK_TIME_IS_VALID (self->arrived))
    self->arrived = now;
  if (has_passed (self->first, stamp) || (!GST_CLOCK_TIME_IS_VALID (stamp)
          && has_passed (self->arrived, now)))
    tell_no_picture (self, PATIENCE / GST_SECOND);
}

/* One error is enough: sources push on for a while. */
static GstFlowReturn
handle_refused (RtspSinkParser * self)
{
  if (!self->refused)
    rtsp_sink_errors_post_no_such_video (self->element, self->codec->name);
  self->refused = TRUE;
  return GST_FLOW_NOT_NEGOTIATED;
}

/* What the parser holds comes out before the end. */
static gboolean
push_end (RtspSinkParser * self, GstEvent * event)
{
  if (self->walk.open)
    close_picture (self);
  return rtsp_sink_inline_bin_push_event (self->parser, event);
}

/**
 * rtsp_sink_parser_event:
 * @event: (transfer full): of the input: caps, segment, end
 *
 * Returns: FALSE if the parser cannot take it
 */
gboolean
rtsp_sink_parser_event (RtspSinkParser * self, GstEvent * event)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      /* It would give out half a first unit; see rtsp_sink_parser_push. */
      if (self->begun && self->told == NULL)
        rtsp_sink_inline_bin_restart (self->parser);
      self->begun = FALSE;
      restart_waiting (self);
      if (self->rtp)
        event = make_timed (event);
      break;
    case GST_EVENT_CAPS:
      self->damaged = self->missed = FALSE;
      if (self->rtp)
        event = make_complete (self, event);
      self->taken = rtsp_sink_inline_bin_push_event (self->parser, event);
      return self->taken || handle_refused (self) == GST_FLOW_OK;
    case GST_EVENT_EOS:
      return push_end (self, event);
    default:
      break;
  }
  return rtsp_sink_inline_bin_push_event (self->parser, event);
}

/**
 * rtsp_sink_parser_drain:
 *
 * What it holds comes out. Nothing may follow.
 */
void
rtsp_sink_parser_drain (RtspSinkParser * self)
{
  self->draining = TRUE;
  rtsp_sink_parser_event (self, gst_event_new_eos ());
}

/**
 * rtsp_sink_parser_flush:
 *
 * Drops what the parser holds: it is of before. A segment comes next.
 */
void
rtsp_sink_parser_flush (RtspSinkParser * self)
{
  self->refused = FALSE;
  rtsp_sink_jpeg_walk_init (&self->walk);
  rtsp_sink_inline_bin_push_event (self->parser, gst_event_new_flush_start ());
  rtsp_sink_inline_bin_push_event (self->parser,
      gst_event_new_flush_stop (TRUE));
  gst_clear_event (&self->segment);
}

/* Damage to one piece is no reason to end the stream, be it the first. */
static GstFlowReturn
handle_damage (RtspSinkParser * self)
{
  self->begun = FALSE;
  rtsp_sink_jpeg_walk_init (&self->walk);
  rtsp_sink_inline_bin_restart (self->parser);
  tell_damage (self);
  return GST_FLOW_OK;
}

static GstFlowReturn
drop_piece (RtspSinkParser * self, GstBuffer * piece)
{
  gst_buffer_unref (piece);
  tell_damage (self);
  return GST_FLOW_OK;
}

static GstFlowReturn
push_jpeg (RtspSinkParser * self, GstBuffer * piece)
{
  GstFlowReturn ret = GST_FLOW_OK;
  gsize at;

  while ((at = rtsp_sink_jpeg_walk_on (&self->walk, piece))
      < gst_buffer_get_size (piece)) {
    GstBuffer *rest = gst_buffer_copy_region (piece, GST_BUFFER_COPY_ALL, at,
        -1);

    if (at > 0)
      ret = rtsp_sink_inline_bin_push (self->parser, gst_buffer_copy_region
          (piece, GST_BUFFER_COPY_ALL, 0, at));
    gst_buffer_unref (piece);
    piece = rest;
    if (ret == GST_FLOW_OK)
      ret = close_picture (self);
    if (ret != GST_FLOW_OK) {
      gst_buffer_unref (piece);
      return ret;
    }
  }
  if (self->walk.useless)
    return drop_piece (self, piece);
  ret = rtsp_sink_inline_bin_push (self->parser, piece);
  return ret == GST_FLOW_OK && self->walk.unended ? close_picture (self) : ret;
}

/* Some cameras take all that their encoder gives out for one unit. A depayloader
 * that writes lengths takes the first in it for all. */
static void
begin_parting (RtspSinkParser * self)
{
  RtspSinkInlineBin *old = self->parser;

  self->parted = TRUE;
  if (start (self, NULL)) {
    rtsp_sink_inline_bin_go_on (self->parser, old);
    rtsp_sink_inline_bin_free (old);
  } else {
    /* It was there before. */
    rtsp_sink_inline_bin_free (self->parser);
    self->parser = old;
  }
}

/**
 * rtsp_sink_parser_push:
 * @buffer: (transfer full): a piece of the input
 *
 * A piece at which the parser fails is dropped, and the element tells of it; it
 * tells as well when pieces come for long and no unit comes out.
 *
 * Returns: what the units that it completed met; NOT_NEGOTIATED, posted: the
 *   parser does not take the caps
 */
GstFlowReturn
rtsp_sink_parser_push (RtspSinkParser * self, GstBuffer * buffer)
{
  GstClockTime stamp = GST_BUFFER_DTS_OR_PTS (buffer);
  GstFlowReturn ret;

  if (!self->taken) {
    gst_buffer_unref (buffer);
    return handle_refused (self);
  }
  if (self->rtp && !rtsp_sink_rtp_check_has_min_payload (self->codec, buffer))
    return drop_piece (self, buffer);
  if (self->rtp && !self->parted && self->codec->parted != NULL
      && rtsp_sink_rtp_check_has_start_code (buffer))
    begin_parting (self);

  /* A parser gives out what it has at a discontinuity: half a unit, when a
   * source marks each piece of its first one. h264parse (1.22) then never tells
   * the parameter sets in its caps. A depayloader wants to know. */
  if (!self->rtp && self->begun && GST_BUFFER_IS_DISCONT (buffer)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  }
  self->begun = TRUE;
  self->gave = FALSE;
  self->met = GST_FLOW_OK;
  ret = is_jpeg (self) && !self->rtp ? push_jpeg (self, buffer)
      : rtsp_sink_inline_bin_push (self->parser, buffer);
  if (self->gave)
    restart_waiting (self);
  else
    miss_unit (self, stamp);
  if (self->met != GST_FLOW_OK || ret == GST_FLOW_EOS
      || ret == GST_FLOW_FLUSHING)
    return ret;
  return ret == GST_FLOW_OK ? ret : handle_damage (self);
}
