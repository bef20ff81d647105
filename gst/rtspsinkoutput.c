/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The end of the user's pipeline: a sink whose render takes an access unit,
 * puts it on the media time axis, payloads it once and hands it to the
 * fan-out. Also keeps the time of the newest key unit and asks the encoder
 * for the next one.
 *
 * It hardly ever waits for the clock: frames that are to be paced were held
 * back in the input, before they were encoded, but for those that passed it
 * while the pipeline was paused. */

#include "rtspsinkoutput.h"

#include <gst/video/video.h>

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_output_debug);
#define GST_CAT_DEFAULT rtsp_sink_output_debug

struct _RtspSinkOutput
{
  GstBaseSink parent;

  /* Constant while not in NULL. */
  RtspSinkFanout *fanout;
  RtspSinkPayloading *payloading;
  GstClockTime key_unit_interval;

  /* Encoder's thread only. */
  GstClockTime last_key_unit;   /* media time, NONE: asked for the next */

  gint rendered;                /* atomic: since the stream (re)started */
};

G_DEFINE_FINAL_TYPE (RtspSinkOutput, rtsp_sink_output, GST_TYPE_BASE_SINK);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-h264, stream-format = (string) avc, "
        "alignment = (string) au; "
        GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL)));

/* The interval is kept by time, not by counting frames: the rate of the input
 * may be unknown or untrue. */
static void
keep_interval (RtspSinkOutput * self, gboolean key_unit, GstClockTime time,
    GstClockTime duration)
{
  GstClockTime next = time;

  if (key_unit) {
    self->last_key_unit = time;
    return;
  }
  if (!GST_CLOCK_TIME_IS_VALID (self->last_key_unit))
    return;
  /* The request acts on the next frame. */
  if (GST_CLOCK_TIME_IS_VALID (duration))
    next += duration;
  if (next < self->last_key_unit + self->key_unit_interval)
    return;

  self->last_key_unit = GST_CLOCK_TIME_NONE;
  rtsp_sink_output_request_key_unit (self);
}

/* Encoders may shift their time stamps, and their segment with them: x264enc
 * does, by 1000 hours. */
static GstClockTime
media_time (RtspSinkOutput * self, GstBuffer * unit)
{
  GstBaseSink *sink = GST_BASE_SINK (self);
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime running_time = gst_segment_to_running_time (&sink->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (unit));

  return rtsp_sink_media_clock_convert (rtsp_sink_fanout_get_media_clock
      (self->fanout), clock, gst_element_get_base_time (GST_ELEMENT (self)),
      running_time);
}

static GstFlowReturn
rtsp_sink_output_render (GstBaseSink * sink, GstBuffer * buffer)
{
  RtspSinkOutput *self = RTSP_SINK_OUTPUT (sink);
  gboolean key_unit = !GST_BUFFER_FLAG_IS_SET (buffer,
      GST_BUFFER_FLAG_DELTA_UNIT);
  g_autoptr (GstBufferList) packets = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstBuffer *unit;

  unit = gst_buffer_copy (buffer);
  GST_BUFFER_PTS (unit) = media_time (self, buffer);
  GST_BUFFER_DTS (unit) = GST_CLOCK_TIME_NONE;
  keep_interval (self, key_unit, GST_BUFFER_PTS (unit),
      GST_BUFFER_DURATION (buffer));

  packets = rtsp_sink_payloading_push (self->payloading, unit);
  if (packets == NULL) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The encoded video cannot be sent over RTP."), (NULL));
    return GST_FLOW_ERROR;
  }

  caps = rtsp_sink_payloading_get_caps (self->payloading);
  if (caps != NULL && key_unit)
    rtsp_sink_fanout_set_caps (self->fanout, caps);
  else if (!rtsp_sink_fanout_is_ready (self->fanout))
    rtsp_sink_output_request_key_unit (self);
  if (gst_buffer_list_length (packets) > 0)
    rtsp_sink_fanout_send (self->fanout, packets, key_unit);

  g_atomic_int_set (&self->rendered, TRUE);
  return GST_FLOW_OK;
}

static gboolean
rtsp_sink_output_set_caps (GstBaseSink * sink, GstCaps * caps)
{
  RtspSinkOutput *self = RTSP_SINK_OUTPUT (sink);

  GST_INFO_OBJECT (self, "encoded caps %" GST_PTR_FORMAT, caps);
  rtsp_sink_payloading_set_caps (self->payloading, caps);
  return TRUE;
}

static gboolean
rtsp_sink_output_event (GstBaseSink * sink, GstEvent * event)
{
  RtspSinkOutput *self = RTSP_SINK_OUTPUT (sink);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      rtsp_sink_fanout_restart (self->fanout);
      break;
    case GST_EVENT_FLUSH_STOP:
      g_atomic_int_set (&self->rendered, FALSE);
      rtsp_sink_fanout_restart (self->fanout);
      break;
    case GST_EVENT_TAG:
      /* The parser measures the bit rate; nobody reads that off the bus. */
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_EOS:
      /* Who gets the EOS message may end the process: let the viewers have
       * the last frames first. */
      rtsp_sink_fanout_end (self->fanout);
      rtsp_sink_fanout_wait_drained (self->fanout);
      break;
    default:
      break;
  }
  return GST_BASE_SINK_CLASS (rtsp_sink_output_parent_class)->event (sink,
      event);
}

static gboolean
rtsp_sink_output_unlock (GstBaseSink * sink)
{
  rtsp_sink_fanout_set_flushing (RTSP_SINK_OUTPUT (sink)->fanout, TRUE);
  return TRUE;
}

static gboolean
rtsp_sink_output_unlock_stop (GstBaseSink * sink)
{
  rtsp_sink_fanout_set_flushing (RTSP_SINK_OUTPUT (sink)->fanout, FALSE);
  return TRUE;
}

static GstStateChangeReturn
rtsp_sink_output_change_state (GstElement * element, GstStateChange transition)
{
  RtspSinkOutput *self = RTSP_SINK_OUTPUT (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->last_key_unit = GST_CLOCK_TIME_NONE;
    g_atomic_int_set (&self->rendered, FALSE);
    rtsp_sink_fanout_restart (self->fanout);
  }

  ret = GST_ELEMENT_CLASS (rtsp_sink_output_parent_class)->change_state
      (element, transition);

  /* The sink waits for a unit again, as it is not prerolled any more. After
   * the parent has changed its state no render is under way. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    g_atomic_int_set (&self->rendered, FALSE);
  return ret;
}

/**
 * rtsp_sink_output_wants_frame:
 *
 * Any thread.
 *
 * Returns: whether an encoded frame has a use: somebody watches, or one is
 *   needed to preroll and to know what viewers will get
 */
gboolean
rtsp_sink_output_wants_frame (RtspSinkOutput * self)
{
  return rtsp_sink_fanout_has_viewers (self->fanout)
      || !g_atomic_int_get (&self->rendered)
      || !rtsp_sink_fanout_is_ready (self->fanout);
}

/**
 * rtsp_sink_output_expect_unit:
 *
 * What viewers were told is no longer true: the next unit is needed, whether
 * or not anybody watches. Encoder's thread.
 */
void
rtsp_sink_output_expect_unit (RtspSinkOutput * self)
{
  g_atomic_int_set (&self->rendered, FALSE);
  rtsp_sink_fanout_expect_caps (self->fanout);
}

/**
 * rtsp_sink_output_request_key_unit:
 *
 * Any thread, with no lock of ours held.
 */
void
rtsp_sink_output_request_key_unit (RtspSinkOutput * self)
{
  GST_DEBUG_OBJECT (self, "asking for a key unit");
  /* Without "all-headers": for that a parser keeps the event, without a lock,
   * and this is any thread (h264parse, up to 1.28). It sends the headers before
   * each key unit anyway. */
  gst_pad_push_event (GST_BASE_SINK_PAD (self),
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, FALSE,
          0));
}

/**
 * rtsp_sink_output_set_payloading:
 * @payloading: (transfer full) (nullable): what makes packets
 *
 * In NULL or READY only.
 */
void
rtsp_sink_output_set_payloading (RtspSinkOutput * self,
    RtspSinkPayloading * payloading, GstClockTime key_unit_interval)
{
  rtsp_sink_payloading_free (self->payloading);
  self->payloading = payloading;
  self->key_unit_interval = key_unit_interval;
}

static void
rtsp_sink_output_finalize (GObject * object)
{
  RtspSinkOutput *self = RTSP_SINK_OUTPUT (object);

  rtsp_sink_payloading_free (self->payloading);
  G_OBJECT_CLASS (rtsp_sink_output_parent_class)->finalize (object);
}

static void
rtsp_sink_output_class_init (RtspSinkOutputClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_output_debug, "rtspserversink-output", 0,
      "rtspserversink: encoded access units");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_output_finalize;
  element_class->change_state = rtsp_sink_output_change_state;
  sink_class->set_caps = rtsp_sink_output_set_caps;
  sink_class->event = rtsp_sink_output_event;
  sink_class->render = rtsp_sink_output_render;
  sink_class->unlock = rtsp_sink_output_unlock;
  sink_class->unlock_stop = rtsp_sink_output_unlock_stop;

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class,
      "RTSP sink output", "Sink/Network",
      "Payloads access units and hands them to the viewers",
      "The rtspserversink developers");
}

static void
rtsp_sink_output_init (RtspSinkOutput * self)
{
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
  self->last_key_unit = GST_CLOCK_TIME_NONE;
}

/**
 * rtsp_sink_output_new:
 * @fanout: outlives the output
 *
 * Returns: (transfer floating): the output
 */
RtspSinkOutput *
rtsp_sink_output_new (RtspSinkFanout * fanout)
{
  RtspSinkOutput *self = g_object_new (RTSP_TYPE_SINK_OUTPUT, "name",
      "output", NULL);

  self->fanout = fanout;
  return self;
}
