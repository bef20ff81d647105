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

#include "video/videosink.h"

#include <gst/video/video.h>

#include "base/errors.h"
#include "time/shown.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_video_sink_debug);
#define GST_CAT_DEFAULT rtsp_sink_video_sink_debug

/* By how much a frame may be decoded before it is shown. */
#define MAX_AHEAD (GstClockTimeDiff) (2 * GST_SECOND)

struct _RtspSinkVideoSink
{
  GstBaseSink parent;

  /* Constant after construction. */
  RtspSinkFanout *fanout;
  RtspSinkVideoSinkPayloaderMade payloader_made;
  gpointer user_data;
  RtspSinkRates *rates;
  RtspSinkStats *stats;         /* no reference: it outlives this */

  /* Constant while not in NULL. */
  gboolean feedback;            /* viewers may ask for key units by RTCP */
  gboolean gop_cache;           /* of video that is not encoded here */

  /* Encoder's thread only; while it does not run, the application's. */
  const RtspSinkVideoCodec *codec;      /* of the payloading */
  RtspSinkPayloader *payloading;        /* NULL: nothing to send yet */
  gboolean damaged;             /* any unit of this codec */
  RtspSinkShown shown;          /* on the media time axis */
  GstClockTime last_key_unit;   /* media time, NONE: asked for the next */

  gint keeps_interval;          /* atomic: what comes is encoded here */
  gint rendered;                /* atomic: since the stream (re)started */
};

G_DEFINE_FINAL_TYPE (RtspSinkVideoSink, rtsp_sink_video_sink,
    GST_TYPE_BASE_SINK);

/* The interval is kept by time, not by counting frames: the rate of the input
 * may be unknown or untrue. */
static void
keep_interval (RtspSinkVideoSink * self, gboolean key_unit, GstClockTime time,
    GstClockTime duration)
{
  GstClockTime interval = GST_MSECOND *
      rtsp_sink_rates_get_key_unit_interval (self->rates);
  GstClockTime next = time;

  if (key_unit) {
    self->last_key_unit = time;
    return;
  }
  if (!g_atomic_int_get (&self->keeps_interval)
      || !GST_CLOCK_TIME_IS_VALID (self->last_key_unit))
    return;
  /* The request acts on the next frame. */
  if (GST_CLOCK_TIME_IS_VALID (duration))
    next += duration;
  if (next < self->last_key_unit + interval)
    return;

  self->last_key_unit = GST_CLOCK_TIME_NONE;
  rtsp_sink_video_sink_request_key_unit (self);
}

/* Encoders may shift their time stamps, and their segment with them: x264enc
 * does, by 1000 hours. Some decode the first frames before the segment begins. */
static GstClockTimeDiff
running_time (RtspSinkVideoSink * self, GstClockTime time)
{
  GstClockTime running = 0;
  gint sign = gst_segment_to_running_time_full (&GST_BASE_SINK (self)->segment,
      GST_FORMAT_TIME, time, &running);

  return sign * (GstClockTimeDiff) running;
}

/* Media time rises, and so does the time of decoding; when a frame is shown may
 * lie before that of another, but only where frames are reordered. */
static GstClockTime
media_time (RtspSinkVideoSink * self, GstBuffer * unit, gboolean key_unit)
{
  GstClockTime stamp = GST_BUFFER_DTS_OR_PTS (unit), shown, time;
  GstClockTimeDiff ahead, decoded;

  /* Without a time it follows the one before. */
  if (!GST_CLOCK_TIME_IS_VALID (stamp))
    stamp = GST_CLOCK_TIME_IS_VALID (self->shown.highest) ?
        self->shown.highest : 0;
  shown = GST_BUFFER_PTS_IS_VALID (unit) ? GST_BUFFER_PTS (unit) : stamp;
  ahead = CLAMP (GST_CLOCK_DIFF (stamp, shown), 0, MAX_AHEAD);
  decoded = running_time (self, stamp);
  time = rtsp_sink_media_clock_convert_of (rtsp_sink_fanout_get_media_clock
      (self->fanout), GST_ELEMENT (self), MAX (decoded, 0));
  rtsp_sink_shown_take (&self->shown, shown, key_unit);
  return rtsp_sink_shown_place (&self->shown, shown,
      (GstClockTimeDiff) time + MIN (decoded, 0) + ahead);
}

/* Damage to one unit is no reason to end the stream, be it the first. */
static void
tell_damage (RtspSinkVideoSink * self)
{
  g_autofree gchar *problem =
      rtsp_sink_payloader_take_problem (self->payloading);

  rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_DAMAGED);
  if (!self->damaged)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Dropping damaged %s that cannot be sent over RTP. Look at the source and "
            "the way from it, or decode the video before (decodebin).",
            self->codec->name), ("%s", problem != NULL ? problem :
            "the payloader made no packet of it"));
  self->damaged = TRUE;
  rtsp_sink_fanout_request_key_unit (self->fanout, RTSP_SINK_FANOUT_RECOVERY);
}

static GstFlowReturn
rtsp_sink_video_sink_render (GstBaseSink * sink, GstBuffer * buffer)
{
  RtspSinkVideoSink *self = RTSP_SINK_VIDEO_SINK (sink);
  gboolean key_unit = !GST_BUFFER_FLAG_IS_SET (buffer,
      GST_BUFFER_FLAG_DELTA_UNIT);
  g_autoptr (GstBufferList) packets = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstBuffer *unit;

  unit = gst_buffer_copy (buffer);
  GST_BUFFER_PTS (unit) = media_time (self, buffer, key_unit);
  rtsp_sink_media_clock_note_shown (rtsp_sink_fanout_get_media_clock
      (self->fanout), GST_BUFFER_PTS (unit));
  GST_BUFFER_DTS (unit) = GST_CLOCK_TIME_NONE;
  keep_interval (self, key_unit, GST_BUFFER_PTS (unit),
      GST_BUFFER_DURATION (buffer));

  packets = rtsp_sink_payloader_push (self->payloading, unit);
  if (packets == NULL) {
    tell_damage (self);
    return GST_FLOW_OK;
  }

  caps = rtsp_sink_payloader_get_caps (self->payloading);
  if (caps != NULL && key_unit)
    rtsp_sink_fanout_set_caps (self->fanout, caps);
  else if (!rtsp_sink_fanout_is_ready (self->fanout))
    rtsp_sink_fanout_request_key_unit (self->fanout, RTSP_SINK_FANOUT_JOIN);
  rtsp_sink_fanout_send (self->fanout, packets, key_unit);

  g_atomic_int_set (&self->rendered, TRUE);
  return GST_FLOW_OK;
}

/**
 * rtsp_sink_video_sink_set_codec:
 * @codec: of what comes
 * @error: says what is missing, and the cure
 *
 * Encoder's thread; before it runs, the application's.
 */
gboolean
rtsp_sink_video_sink_set_codec (RtspSinkVideoSink * self,
    const RtspSinkVideoCodec * codec, GError ** error)
{
  GstElement *payloader;

  if (codec == self->codec)
    return TRUE;
  payloader = rtsp_sink_video_codecs_make_payloader (codec, error);
  if (payloader == NULL)
    return FALSE;

  gst_object_ref_sink (payloader);
  self->payloader_made (payloader, self->user_data);
  rtsp_sink_payloader_free (self->payloading);
  self->payloading = rtsp_sink_payloader_new (payloader, self->feedback, error);
  self->codec = self->payloading != NULL ? codec : NULL;
  self->damaged = FALSE;
  gst_object_unref (payloader);
  return self->payloading != NULL;
}

static gboolean
rtsp_sink_video_sink_set_caps (GstBaseSink * sink, GstCaps * caps)
{
  RtspSinkVideoSink *self = RTSP_SINK_VIDEO_SINK (sink);
  g_autoptr (GError) error = NULL;

  GST_INFO_OBJECT (self, "encoded caps %" GST_PTR_FORMAT, caps);
  if (!rtsp_sink_video_sink_set_codec (self,
          rtsp_sink_video_codecs_find_for_caps (caps), &error)) {
    rtsp_sink_errors_post (GST_ELEMENT (self), error);
    return FALSE;
  }
  if (rtsp_sink_payloader_set_caps (self->payloading, caps))
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("%s of these caps cannot be sent over RTP. Correct the caps of the source, "
          "or decode the video before (decodebin).", self->codec->name),
      ("caps: %" GST_PTR_FORMAT, caps));
  return FALSE;
}

static gboolean
rtsp_sink_video_sink_event (GstBaseSink * sink, GstEvent * event)
{
  RtspSinkVideoSink *self = RTSP_SINK_VIDEO_SINK (sink);

  if (GST_EVENT_TYPE (event) == GST_EVENT_TAG) {
    /* The parser measures the bit rate; nobody reads that off the bus. */
    gst_event_unref (event);
    return TRUE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    g_atomic_int_set (&self->rendered, FALSE);
  rtsp_sink_fanout_handle_event (self->fanout, event);
  return GST_BASE_SINK_CLASS (rtsp_sink_video_sink_parent_class)->event (sink,
      event);
}

static gboolean
rtsp_sink_video_sink_unlock (GstBaseSink * sink)
{
  rtsp_sink_fanout_set_flushing (RTSP_SINK_VIDEO_SINK (sink)->fanout, TRUE);
  return TRUE;
}

static gboolean
rtsp_sink_video_sink_unlock_stop (GstBaseSink * sink)
{
  rtsp_sink_fanout_set_flushing (RTSP_SINK_VIDEO_SINK (sink)->fanout, FALSE);
  return TRUE;
}

static GstStateChangeReturn
rtsp_sink_video_sink_change_state (GstElement * element,
    GstStateChange transition)
{
  RtspSinkVideoSink *self = RTSP_SINK_VIDEO_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED) {
    self->last_key_unit = GST_CLOCK_TIME_NONE;
    g_atomic_int_set (&self->rendered, FALSE);
    rtsp_sink_fanout_restart (self->fanout);
  }

  ret = GST_ELEMENT_CLASS (rtsp_sink_video_sink_parent_class)->change_state
      (element, transition);

  /* The sink waits for a unit again, as it is not prerolled any more. After
   * the parent has changed its state no render is under way. */
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    g_atomic_int_set (&self->rendered, FALSE);
  return ret;
}

/**
 * rtsp_sink_video_sink_wants_frame:
 *
 * Any thread.
 *
 * Returns: whether an encoded frame has a use: somebody watches, or one is
 *   needed to preroll and to know what viewers will get
 */
gboolean
rtsp_sink_video_sink_wants_frame (RtspSinkVideoSink * self)
{
  return rtsp_sink_fanout_has_viewers (self->fanout)
      || rtsp_sink_fanout_is_keeping (self->fanout)
      || !g_atomic_int_get (&self->rendered)
      || !rtsp_sink_fanout_is_ready (self->fanout);
}

/**
 * rtsp_sink_video_sink_expect_unit:
 * @encoded_here: key units come when they are asked for
 *
 * What viewers were told is no longer true: the next unit is needed, whether
 * or not anybody watches. Encoder's thread.
 */
void
rtsp_sink_video_sink_expect_unit (RtspSinkVideoSink * self,
    gboolean encoded_here)
{
  g_atomic_int_set (&self->keeps_interval, encoded_here);
  g_atomic_int_set (&self->rendered, FALSE);
  rtsp_sink_media_clock_set_direct (rtsp_sink_fanout_get_media_clock
      (self->fanout), !encoded_here);
  rtsp_sink_fanout_expect_caps (self->fanout);
  rtsp_sink_fanout_keep (self->fanout, self->gop_cache && !encoded_here);
}

/**
 * rtsp_sink_video_sink_request_key_unit:
 *
 * Any thread, with no lock of ours held.
 */
void
rtsp_sink_video_sink_request_key_unit (RtspSinkVideoSink * self)
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
 * rtsp_sink_video_sink_set_feedback:
 * @feedback: viewers may ask for key units by RTCP
 *
 * In NULL or READY only.
 */
void
rtsp_sink_video_sink_set_feedback (RtspSinkVideoSink * self, gboolean feedback)
{
  self->feedback = feedback;
}

/**
 * rtsp_sink_video_sink_set_gop_cache:
 * @gop_cache: viewers begin with the newest group of pictures of video that is
 *   not encoded here
 *
 * In NULL or READY only.
 */
void
rtsp_sink_video_sink_set_gop_cache (RtspSinkVideoSink * self,
    gboolean gop_cache)
{
  self->gop_cache = gop_cache;
}

/**
 * rtsp_sink_video_sink_reset:
 *
 * Forgets what was sent. In NULL or READY only.
 */
void
rtsp_sink_video_sink_reset (RtspSinkVideoSink * self)
{
  g_clear_pointer (&self->payloading, rtsp_sink_payloader_free);
  self->codec = NULL;
  rtsp_sink_fanout_keep (self->fanout, FALSE);
}

static void
rtsp_sink_video_sink_finalize (GObject * object)
{
  RtspSinkVideoSink *self = RTSP_SINK_VIDEO_SINK (object);

  rtsp_sink_payloader_free (self->payloading);
  rtsp_sink_rates_unref (self->rates);
  G_OBJECT_CLASS (rtsp_sink_video_sink_parent_class)->finalize (object);
}

static void
rtsp_sink_video_sink_class_init (RtspSinkVideoSinkClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);
  g_autoptr (GstCaps) caps = rtsp_sink_video_codecs_get_sent_caps ();

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_video_sink_debug,
      "rtspserversink-videosink", 0, "rtspserversink: encoded access units");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_video_sink_finalize;
  element_class->change_state = rtsp_sink_video_sink_change_state;
  sink_class->set_caps = rtsp_sink_video_sink_set_caps;
  sink_class->event = rtsp_sink_video_sink_event;
  sink_class->render = rtsp_sink_video_sink_render;
  sink_class->unlock = rtsp_sink_video_sink_unlock;
  sink_class->unlock_stop = rtsp_sink_video_sink_unlock_stop;

  gst_element_class_add_pad_template (element_class, gst_pad_template_new
      ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_set_static_metadata (element_class,
      "RTSP sink output", "Sink/Network",
      "Payloads access units and hands them to the viewers",
      "The rtspserversink developers");
}

static void
rtsp_sink_video_sink_init (RtspSinkVideoSink * self)
{
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
  self->last_key_unit = GST_CLOCK_TIME_NONE;
  rtsp_sink_shown_init (&self->shown);
}

/**
 * rtsp_sink_video_sink_new:
 * @fanout: outlives the output
 * @payloader_made: called when a payloader was made
 * @rates: the key-unit interval
 * @stats: outlives the output
 *
 * Returns: (transfer floating): the output
 */
RtspSinkVideoSink *
rtsp_sink_video_sink_new (RtspSinkFanout * fanout,
    RtspSinkVideoSinkPayloaderMade payloader_made, gpointer user_data,
    RtspSinkRates * rates, RtspSinkStats * stats)
{
  RtspSinkVideoSink *self = g_object_new (RTSP_SINK_TYPE_VIDEO_SINK, "name",
      "output", NULL);

  self->fanout = fanout;
  self->payloader_made = payloader_made;
  self->user_data = user_data;
  self->rates = rtsp_sink_rates_ref (rates);
  self->stats = stats;
  return self;
}
