/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The way in: what every frame passes before anything is done with it.
 *
 *  - A raw frame that does not fit its caps is dropped; rows that are packed
 *    without GStreamer's padding (OpenCV, numpy) are padded. Encoded video is
 *    made access units (video/parser.h), each of which is a frame here.
 *  - The frame gets its time (video/timestamper.h). From here on time stamps
 *    are running times that rise, in one segment from 0.
 *  - Input that is not live waits until it is its time.
 *  - A frame that nobody has a use for ends here, before it costs anything.
 *  - Caps of interlaced video that do not tell which field is first wait for
 *    the first frame, which does.
 *
 * An element of its own, because it needs the clock, the states and both
 * pads. It runs on the upstream thread; the state changes come from the
 * application's. */

#include "video/input.h"

#include <gst/video/video.h>

#include "base/errors.h"
#include "base/flushing.h"
#include "codec/formats.h"
#include "video/fieldorder.h"
#include "codec/memories.h"
#include "time/pacing.h"
#include "video/parser.h"
#include "video/timestamper.h"
#include "video/still.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_input_debug);
#define GST_CAT_DEFAULT rtsp_sink_input_debug

/* So often a key unit is asked for until one comes. */
#define KEY_UNIT_INTERVAL G_TIME_SPAN_SECOND

/* So long viewers may wait for one before somebody is told. */
#define KEY_UNIT_PATIENCE (10 * GST_SECOND)

struct _RtspSinkInput
{
  GstElement parent;

  /* Constant after construction. */
  GstPad *sinkpad;
  GstPad *srcpad;
  RtspSinkInputFuncs funcs;
  gpointer user_data;
  RtspSinkPacing *pacing;
  RtspSinkStill *still;
  RtspSinkFlushing flushing;
  RtspSinkStats *stats;         /* no reference: it outlives this */

  /* Upstream thread only; set_timing comes before it starts. */
  GstRtspServerSinkSync sync;
  RtspSinkTimestamper timestamper;
  GstSegment upstream;          /* as it came */
  RtspSinkParser *parser;       /* NULL: raw, or frames come one by one */
  GstVideoInfo info;            /* raw only */
  gboolean device;              /* raw, but not in the machine's memory */
  RtspSinkFieldOrder held;
  gboolean source_known;
  gboolean live;                /* and not paced */
  gboolean left_out;            /* frames, since the last one that was sent */
  gboolean misfit;              /* raw only: any, since the caps */
  gboolean refused;             /* the input: it was told so */
  gboolean ended;               /* the stream, until another begins */
  gboolean lacks_key;           /* units cannot be decoded before a key unit */
  gint64 key_asked;             /* monotonic time of the last request; 0: none */
  GstClockTime key_missed;      /* running time since when viewers wait, or NONE */
  gboolean key_told;            /* somebody, that none comes */

  gint key_wanted;              /* atomic: by viewers, since the last one */
};

G_DEFINE_FINAL_TYPE (RtspSinkInput, rtsp_sink_input, GST_TYPE_ELEMENT);

/* A frame that does not fit its caps would make every element behind complain
 * for each frame: say it once. */
static gboolean
check_fit (RtspSinkInput * self, GstBuffer ** buffer)
{
  gsize size = gst_buffer_get_size (*buffer);
  gboolean described = gst_buffer_get_video_meta (*buffer) != NULL;

  if (rtsp_sink_formats_fit_buffer (&self->info, buffer))
    return TRUE;

  rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_MISFITS);
  if (!self->misfit && described)
    rtsp_sink_errors_warn_of_description (GST_ELEMENT (self), &self->info,
        size);
  else if (!self->misfit)
    rtsp_sink_errors_warn_of_misfit (GST_ELEMENT (self), &self->info, size);
  self->misfit = TRUE;
  GST_DEBUG_OBJECT (self, "dropping frame of %" G_GSIZE_FORMAT " bytes", size);
  return FALSE;
}

/* Sources go on for a while. */
static gboolean
is_first_refusal (RtspSinkInput * self)
{
  gboolean first = !self->refused;

  self->refused = TRUE;
  return first;
}

static gboolean
is_raw (RtspSinkInput * self)
{
  return rtsp_sink_timestamper_is_raw (&self->timestamper);
}

static void
get_to_know_source (RtspSinkInput * self, GstBuffer * first)
{
  gboolean scarce = rtsp_sink_formats_is_scarce (first);
  gboolean live = rtsp_sink_pacing_ask_source (self->sinkpad, self->sync,
      &self->timestamper.timeline);

  self->source_known = TRUE;
  self->live = live && !self->timestamper.timeline.paced;

  GST_INFO_OBJECT (self, "input is %s, %s", live ? "live" : "not live",
      self->timestamper.timeline.paced ? "paced" : "served as it comes");
  self->funcs.source_known (live
      && rtsp_sink_timestamper_is_intra_only (&self->timestamper),
      self->timestamper.timeline.paced, scarce, self->user_data);
}

/* A live source does not wait for an encoder. Where any frame may be left out
 * the queue does that; encoded video, whose frames need others, goes on with its
 * next key unit. */
static gboolean
is_late (RtspSinkInput * self)
{
  return self->live && !rtsp_sink_timestamper_is_intra_only (&self->timestamper)
      && rtsp_sink_pacing_is_playing (self->pacing)
      && !self->funcs.has_room (self->user_data);
}

static gboolean
needs_key_units (RtspSinkInput * self)
{
  return !rtsp_sink_timestamper_is_intra_only (&self->timestamper);
}

/* From here on nothing can be made of what comes without a key unit. */
static void
expect_key_unit (RtspSinkInput * self)
{
  self->lacks_key = needs_key_units (self);
}

/* Who joins an encoder that runs, behind a tee, would wait for its next one: a
 * parser holds back all until there are parameter sets, and a decoder makes
 * nothing of it. @delta: what has just come is no key unit for sure. */
static void
ask_for_key_unit (RtspSinkInput * self, gboolean delta)
{
  gint64 now = g_get_monotonic_time ();

  /* What does not say so may be one, and be in the parser still. */
  if (self->key_asked == 0 && !delta)
    self->key_asked = now;
  if (self->key_asked != 0 && now - self->key_asked < KEY_UNIT_INTERVAL)
    return;
  self->key_asked = now;
  GST_DEBUG_OBJECT (self, "asking for a key unit");
  /* Without "all-headers": see rtsp_sink_video_sink_request_key_unit. */
  gst_pad_push_event (self->sinkpad,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, FALSE,
          0));
}

/* Viewers who come now begin with a key unit, which some senders make only once:
 * those that refresh the picture bit by bit and do not mark where. */
static void
look_for_key_unit (RtspSinkInput * self, GstBuffer * unit)
{
  GstClockTime now = GST_BUFFER_DTS_OR_PTS (unit);

  if (!GST_BUFFER_FLAG_IS_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT)) {
    self->lacks_key = FALSE;
    self->key_asked = 0;
    self->key_missed = GST_CLOCK_TIME_NONE;
    g_atomic_int_set (&self->key_wanted, FALSE);
    return;
  }
  if (!g_atomic_int_get (&self->key_wanted) || self->key_told)
    return;
  if (!GST_CLOCK_TIME_IS_VALID (self->key_missed))
    self->key_missed = now;
  if (now < self->key_missed + KEY_UNIT_PATIENCE)
    return;
  rtsp_sink_errors_warn_of_no_key_unit (GST_ELEMENT (self),
      self->timestamper.codec->name, KEY_UNIT_PATIENCE / GST_SECOND);
  self->key_told = TRUE;
}

/* Shows the newest frame again, as one of now, and as a key unit. @waits: the next
 * frame has its time already, and waits for it. Of a frame that is not shown the
 * timeline must not hear. */
static void
repeat_frame (RtspSinkInput * self, gboolean waits)
{
  g_autoptr (GstBuffer) frame = rtsp_sink_still_ref_frame (self->still);
  RtspSinkTimeline *timeline = &self->timestamper.timeline;
  GstClockTime time = rtsp_sink_pacing_now (self->pacing, timeline->paced);
  GstBuffer *again;

  if (frame == NULL || !rtsp_sink_pacing_is_playing (self->pacing)
      || !self->funcs.wants_frame (self->user_data))
    return;
  /* Frames that passed before the pipeline played are due later than they came. */
  if (time < GST_BUFFER_DTS_OR_PTS (frame) + RTSP_SINK_STILL_QUIET_TIME)
    return;
  if (!waits)
    time = rtsp_sink_timeline_stamp (timeline, GST_CLOCK_TIME_NONE,
        GST_CLOCK_TIME_NONE, time);
  again = gst_buffer_copy (frame);
  GST_BUFFER_PTS (again) = time;
  GST_BUFFER_DTS (again) = is_raw (self) ? GST_CLOCK_TIME_NONE : time;
  GST_DEBUG_OBJECT (self, "the source is quiet: again %" GST_PTR_FORMAT, again);
  gst_pad_push_event (self->srcpad,
      gst_video_event_new_downstream_force_key_unit (time, time, time, FALSE,
          0));
  gst_pad_push (self->srcpad, again);
}

/* A thread of GStreamer's pool. */
static void
repeat (GstElement * element, gpointer user_data)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (element);

  if (!rtsp_sink_still_wait (self->still))
    return;
  /* Who has it waits for the time of the next frame, or pushes it. */
  if (!GST_PAD_STREAM_TRYLOCK (self->sinkpad)) {
    rtsp_sink_pacing_interrupt (self->pacing);
    return;
  }
  repeat_frame (self, FALSE);
  GST_PAD_STREAM_UNLOCK (self->sinkpad);
}

/* Waits for the time of @buffer, which is paced. */
static GstFlowReturn
wait_for_time (RtspSinkInput * self, GstBuffer * buffer)
{
  GstFlowReturn ret;

  while ((ret = rtsp_sink_pacing_wait (self->pacing,
              GST_BUFFER_DTS_OR_PTS (buffer))) == RTSP_SINK_PACING_INTERRUPTED)
    repeat_frame (self, TRUE);
  return ret;
}

/* Not of a device's memory: there is little of it. */
static void
keep_frame (RtspSinkInput * self, GstBuffer * buffer)
{
  if (rtsp_sink_timestamper_is_intra_only (&self->timestamper)
      && !(is_raw (self) && self->device))
    rtsp_sink_still_keep (self->still, buffer,
        rtsp_sink_formats_is_scarce (buffer));
}

/* Counts a frame that is of no use, or finds no room. */
static gboolean
is_wanted (RtspSinkInput * self, GstBuffer * buffer)
{
  if (rtsp_sink_pacing_is_playing (self->pacing)
      && !self->funcs.wants_frame (self->user_data)) {
    GST_LOG_OBJECT (self, "nobody wants %" GST_PTR_FORMAT, buffer);
    rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_UNWATCHED);
    return FALSE;
  }
  if (is_late (self)) {
    GST_LOG_OBJECT (self, "no room for %" GST_PTR_FORMAT, buffer);
    rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_LATE);
    return FALSE;
  }
  return TRUE;
}

/* Frames of all kinds. Takes @buffer. */
static GstFlowReturn
take_frame (RtspSinkInput * self, GstBuffer * buffer)
{
  g_autoptr (GstBuffer) frame = buffer;
  RtspSinkTimeline *timeline = &self->timestamper.timeline;
  GstFlowReturn ret;

  rtsp_sink_field_order_release (&self->held, self->srcpad, frame);
  if (!self->source_known)
    get_to_know_source (self, frame);
  if (!rtsp_sink_timestamper_stamp (&self->timestamper, &frame,
          rtsp_sink_pacing_now (self->pacing, timeline->paced)))
    return GST_FLOW_OK;
  rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_FRAMES);
  if (needs_key_units (self))
    look_for_key_unit (self, frame);
  if (timeline->paced && (ret = wait_for_time (self, frame)) != GST_FLOW_OK)
    return ret;

  keep_frame (self, frame);
  if (!is_wanted (self, frame)) {
    self->left_out = TRUE;
    return GST_FLOW_OK;
  }
  if (self->left_out && !is_raw (self)) {
    frame = gst_buffer_make_writable (frame);
    GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_DISCONT);
  }
  self->left_out = FALSE;
  return gst_pad_push (self->srcpad, g_steal_pointer (&frame));
}

/* Some sources mark by an empty buffer that a frame was left out. */
static gboolean
fits (RtspSinkInput * self, GstBuffer ** buffer)
{
  if (!is_raw (self))
    return gst_buffer_get_size (*buffer) > 0;
  /* How much of a device's memory a frame takes is up to its driver. */
  return self->device || check_fit (self, buffer);
}

/* A parser would have a frame shown as late as a wrong DTS says. */
static GstBuffer *
drop_wrong_dts (GstBuffer * buffer)
{
  if (!GST_BUFFER_PTS_IS_VALID (buffer) || !GST_BUFFER_DTS_IS_VALID (buffer)
      || GST_BUFFER_DTS (buffer) <= GST_BUFFER_PTS (buffer))
    return buffer;
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

static GstFlowReturn
rtsp_sink_input_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);
  GstFlowReturn ret;
  gboolean delta;

  /* The output takes nothing any more; encoders fail at what comes after the
   * end (x264enc). */
  if (self->ended) {
    gst_buffer_unref (buffer);
    return GST_FLOW_EOS;
  }
  if (self->timestamper.codec == NULL) {
    if (is_first_refusal (self))
      rtsp_sink_errors_post_no_caps (GST_ELEMENT (self));
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }

  if (!fits (self, &buffer)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_OK;
  }
  delta = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  ret = self->parser == NULL ? take_frame (self, buffer)
      : rtsp_sink_parser_push (self->parser, drop_wrong_dts (buffer));
  if (self->lacks_key && ret == GST_FLOW_OK)
    ask_for_key_unit (self, delta);
  return ret;
}

/* Downstream sees one segment, in which time stamps are running times. */
static gboolean
take_segment (RtspSinkInput * self, GstEvent * event)
{
  GstEvent *own =
      rtsp_sink_timestamper_take_segment (&self->timestamper, event);

  return own == NULL
      || rtsp_sink_field_order_send_segment (&self->held, self->srcpad, own);
}

/* In a device's memory interlaced frames are refused anyway: at once. */
static gboolean
needs_frame (RtspSinkInput * self)
{
  return is_raw (self) && !self->device
      && rtsp_sink_formats_lacks_field_order (&self->info);
}

/* Caps of frames. */
static gboolean
take_caps (RtspSinkInput * self, GstEvent * event)
{
  GstCaps *caps;

  rtsp_sink_still_clear (self->still);
  gst_event_parse_caps (event, &caps);
  rtsp_sink_timestamper_set_caps (&self->timestamper, caps);
  return rtsp_sink_field_order_send_caps (&self->held, self->srcpad, event,
      needs_frame (self));
}

/* From the source itself. A parser may have kept the segment to itself. */
static gboolean
take_source_caps (RtspSinkInput * self, GstEvent * event)
{
  gboolean parsed = self->parser != NULL;

  g_clear_pointer (&self->parser, rtsp_sink_parser_free);
  if (!take_caps (self, event))
    return FALSE;
  return !parsed || self->upstream.format == GST_FORMAT_UNDEFINED
      || take_segment (self, gst_event_new_segment (&self->upstream));
}

static gboolean
parsed_event (GstEvent * event, gpointer user_data)
{
  RtspSinkInput *self = user_data;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_SEGMENT:
      return take_segment (self, event);
    default:
      return gst_pad_push_event (self->srcpad, event);
  }
}

static GstFlowReturn
parsed_unit (GstBuffer * unit, gpointer user_data)
{
  return take_frame (RTSP_SINK_INPUT (user_data), unit);
}

static void
piece_damaged (gpointer user_data)
{
  RtspSinkInput *self = user_data;

  rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_DAMAGED);
  expect_key_unit (self);
}

static const RtspSinkParserFuncs parser_funcs = {
  parsed_event,
  parsed_unit,
  piece_damaged,
};

static gboolean
start_parser (RtspSinkInput * self, const RtspSinkVideoCodec * codec,
    const GstCaps * caps)
{
  g_autoptr (GError) error = NULL;

  self->parser = rtsp_sink_parser_new (codec, caps, GST_ELEMENT (self),
      &parser_funcs, self, &error);
  if (self->parser != NULL)
    return TRUE;
  if (is_first_refusal (self))
    rtsp_sink_errors_post (GST_ELEMENT (self), error);
  return FALSE;
}

static gboolean
handle_encoded_caps (RtspSinkInput * self, const RtspSinkVideoCodec * codec,
    const GstCaps * caps, GstEvent * event)
{
  gboolean fresh = self->parser == NULL
      || !rtsp_sink_parser_is_for (self->parser, codec, caps);

  if (!rtsp_sink_parser_is_needed (codec, caps))
    return take_source_caps (self, event);
  if (fresh)
    g_clear_pointer (&self->parser, rtsp_sink_parser_free);
  if (fresh && !start_parser (self, codec, caps)) {
    gst_event_unref (event);
    return FALSE;
  }

  if (!rtsp_sink_parser_event (self->parser, event))
    return FALSE;
  /* It came before the parser was there. */
  if (fresh && self->upstream.format != GST_FORMAT_UNDEFINED)
    return rtsp_sink_parser_event (self->parser,
        gst_event_new_segment (&self->upstream));
  return TRUE;
}

static gboolean
handle_raw_caps (RtspSinkInput * self, const GstCaps * caps, GstEvent * event)
{
  self->device = rtsp_sink_memories_get_device (caps, 0) != NULL;
  if (rtsp_sink_memories_parse (&self->info, caps))
    return take_source_caps (self, event);

  g_clear_pointer (&self->parser, rtsp_sink_parser_free);
  if (is_first_refusal (self))
    rtsp_sink_errors_post_incomplete_caps (GST_ELEMENT (self), caps);
  self->timestamper.codec = NULL;
  gst_event_unref (event);
  return FALSE;
}

/* The pad template lets no others through than those of RTP with something
 * else in it. */
static gboolean
handle_unknown_caps (RtspSinkInput * self, const GstCaps * caps,
    GstEvent * event)
{
  if (is_first_refusal (self))
    rtsp_sink_errors_post_unknown_rtp (GST_ELEMENT (self), caps);
  gst_event_unref (event);
  return FALSE;
}

static gboolean
handle_caps (RtspSinkInput * self, GstEvent * event)
{
  const RtspSinkVideoCodec *codec;
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  GST_INFO_OBJECT (self, "input caps %" GST_PTR_FORMAT, caps);

  codec = rtsp_sink_video_codecs_find_for_caps (caps);
  /* It holds the last unit of what came before. */
  if (self->parser != NULL && (codec == NULL
          || !rtsp_sink_parser_is_for (self->parser, codec, caps)))
    rtsp_sink_parser_drain (self->parser);
  self->timestamper.codec = codec;
  self->source_known = FALSE;
  self->misfit = FALSE;
  if (self->timestamper.codec == NULL)
    return handle_unknown_caps (self, caps, event);
  if (is_raw (self))
    return handle_raw_caps (self, caps, event);
  expect_key_unit (self);
  self->key_told = FALSE;
  return handle_encoded_caps (self, self->timestamper.codec, caps, event);
}

static gboolean
handle_segment (RtspSinkInput * self, GstEvent * event)
{
  gst_event_copy_segment (event, &self->upstream);
  GST_DEBUG_OBJECT (self, "input segment %" GST_SEGMENT_FORMAT,
      &self->upstream);
  /* Another source may feed us now. */
  self->source_known = FALSE;

  if (self->parser != NULL)
    return rtsp_sink_parser_event (self->parser, event);
  return take_segment (self, event);
}

/* What waits in the parser comes out first. */
static gboolean
handle_eos (RtspSinkInput * self, GstEvent * event)
{
  self->ended = TRUE;
  rtsp_sink_still_clear (self->still);
  if (self->parser != NULL)
    return rtsp_sink_parser_event (self->parser, event);
  rtsp_sink_field_order_release (&self->held, self->srcpad, NULL);
  return gst_pad_push_event (self->srcpad, event);
}

/* A stream that begins behind the end, without a flush. Encoders that are drained
 * and sinks that are past the end take nothing any more: they are flushed, once
 * the end is through. Running time goes on. */
static void
begin_again (RtspSinkInput * self)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  gst_pad_peer_query (self->srcpad, query);
  if (!rtsp_sink_flushing_begin_own (&self->flushing))
    return;
  gst_pad_push_event (self->srcpad, gst_event_new_flush_start ());
  gst_pad_push_event (self->srcpad, gst_event_new_flush_stop (FALSE));
  rtsp_sink_flushing_end_own (&self->flushing);
  rtsp_sink_timestamper_restart (&self->timestamper);
  gst_segment_init (&self->upstream, GST_FORMAT_UNDEFINED);
  g_clear_pointer (&self->parser, rtsp_sink_parser_free);
  self->source_known = FALSE;
  self->refused = FALSE;
  self->ended = FALSE;
  self->key_asked = 0;
  self->key_missed = GST_CLOCK_TIME_NONE;
  if (self->timestamper.codec != NULL)
    expect_key_unit (self);
}

/* The stream starts anew: so does running time. */
static void
restart (RtspSinkInput * self)
{
  rtsp_sink_still_clear (self->still);
  rtsp_sink_timestamper_restart (&self->timestamper);
  rtsp_sink_field_order_drop_segment (&self->held);
  gst_segment_init (&self->upstream, GST_FORMAT_UNDEFINED);
  rtsp_sink_pacing_restart (self->pacing);
  self->source_known = FALSE;
  self->refused = FALSE;
  self->ended = FALSE;
}

static gboolean
rtsp_sink_input_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);
  gboolean handled;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      if (self->ended)
        begin_again (self);
      break;
    case GST_EVENT_CAPS:
      return handle_caps (self, event);
    case GST_EVENT_SEGMENT:
      return handle_segment (self, event);
    case GST_EVENT_GAP:
    case GST_EVENT_INSTANT_RATE_CHANGE:
      /* Downstream does not know the segment that they mean. */
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_EOS:
      return handle_eos (self, event);
    case GST_EVENT_FLUSH_START:
      rtsp_sink_flushing_start (&self->flushing);
      rtsp_sink_pacing_set_flushing (self->pacing, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      rtsp_sink_pacing_set_flushing (self->pacing, FALSE);
      restart (self);
      if (self->parser != NULL)
        rtsp_sink_parser_flush (self->parser);
      handled = gst_pad_event_default (pad, parent, event);
      rtsp_sink_flushing_stop (&self->flushing);
      return handled;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
rtsp_sink_input_sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);
  g_autoptr (GstCaps) allowed = NULL;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS
      && GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS)
    return gst_pad_query_default (pad, parent, query);
  allowed = self->funcs.get_caps (self->user_data);
  return rtsp_sink_memories_answer (query, allowed);
}

static gboolean
rtsp_sink_input_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GstClockTime latency;

    gst_event_parse_latency (event, &latency);
    rtsp_sink_pacing_set_latency (self->pacing, latency);
  }
  if (gst_video_event_is_force_key_unit (event))
    g_atomic_int_set (&self->key_wanted, TRUE);
  return gst_pad_event_default (pad, parent, event);
}

static GstStateChangeReturn
rtsp_sink_input_change_state (GstElement * element, GstStateChange transition)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (element);

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      rtsp_sink_stats_reset (self->stats);
      restart (self);
      rtsp_sink_field_order_clear (&self->held);
      self->timestamper.codec = NULL;
      g_clear_pointer (&self->parser, rtsp_sink_parser_free);
      rtsp_sink_pacing_set_flushing (self->pacing, FALSE);
      rtsp_sink_flushing_stop (&self->flushing);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      rtsp_sink_still_resume (self->still);
      rtsp_sink_pacing_set_playing (self->pacing, TRUE);
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      rtsp_sink_pacing_set_playing (self->pacing, FALSE);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      rtsp_sink_still_clear (self->still);
      rtsp_sink_pacing_set_flushing (self->pacing, TRUE);
      break;
    default:
      break;
  }

  return GST_ELEMENT_CLASS (rtsp_sink_input_parent_class)->change_state
      (element, transition);
}

static void
rtsp_sink_input_finalize (GObject * object)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (object);

  rtsp_sink_field_order_clear (&self->held);
  rtsp_sink_parser_free (self->parser);
  rtsp_sink_pacing_free (self->pacing);
  rtsp_sink_still_free (self->still);
  rtsp_sink_flushing_clear (&self->flushing);

  G_OBJECT_CLASS (rtsp_sink_input_parent_class)->finalize (object);
}

static void
add_pad_template (GstElementClass * klass, const gchar * name,
    GstPadDirection direction)
{
  g_autoptr (GstCaps) caps = rtsp_sink_video_codecs_get_input_caps (NULL);

  gst_element_class_add_pad_template (klass, gst_pad_template_new (name,
          direction, GST_PAD_ALWAYS, caps));
}

static GstPad *
add_pad (RtspSinkInput * self, const gchar * name)
{
  GstPad *pad = gst_pad_new_from_template (gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), name), name);

  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
rtsp_sink_input_class_init (RtspSinkInputClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_input_debug, "rtspserversink-input", 0,
      "rtspserversink: frames coming in");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_input_finalize;
  element_class->change_state = rtsp_sink_input_change_state;

  add_pad_template (element_class, "sink", GST_PAD_SINK);
  add_pad_template (element_class, "src", GST_PAD_SRC);
  gst_element_class_set_static_metadata (element_class,
      "RTSP sink input", "Filter/Video", "Parses, stamps, paces and gates",
      "The rtspserversink developers");
}

static void
rtsp_sink_input_init (RtspSinkInput * self)
{
  self->pacing = rtsp_sink_pacing_new (GST_ELEMENT (self));
  self->still = rtsp_sink_still_new ();
  rtsp_sink_flushing_init (&self->flushing);

  self->sinkpad = add_pad (self, "sink");
  gst_pad_set_chain_function (self->sinkpad, rtsp_sink_input_chain);
  gst_pad_set_event_function (self->sinkpad, rtsp_sink_input_sink_event);
  gst_pad_set_query_function (self->sinkpad, rtsp_sink_input_sink_query);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);

  self->srcpad = add_pad (self, "src");
  gst_pad_set_event_function (self->srcpad, rtsp_sink_input_src_event);
}

/**
 * rtsp_sink_input_new:
 * @counts: outlives the input
 *
 * Returns: (transfer floating): the input
 */
RtspSinkInput *
rtsp_sink_input_new (const RtspSinkInputFuncs * funcs, gpointer user_data,
    RtspSinkStats * stats)
{
  RtspSinkInput *self = g_object_new (RTSP_SINK_TYPE_INPUT, "name", "input",
      NULL);

  self->funcs = *funcs;
  self->user_data = user_data;
  self->stats = stats;
  return self;
}

/**
 * rtsp_sink_input_set_timing:
 *
 * Before the element is in PAUSED.
 */
void
rtsp_sink_input_set_timing (RtspSinkInput * self, GstRtspServerSinkSync sync,
    GstRtspServerSinkTimestampMode mode)
{
  self->sync = sync;
  rtsp_sink_timestamper_init (&self->timestamper, mode);
}

/**
 * rtsp_sink_input_want_frame:
 *
 * A viewer waits for a frame: where none comes, the newest one is shown again.
 * Any thread.
 */
void
rtsp_sink_input_want_frame (RtspSinkInput * self)
{
  if (rtsp_sink_still_want (self->still))
    gst_element_call_async (GST_ELEMENT (self), repeat, NULL, NULL);
}
