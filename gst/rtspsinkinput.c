/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The way in: what every frame passes before anything is done with it.
 *
 *  - A frame that does not fit its caps is dropped; rows that are packed
 *    without GStreamer's padding (OpenCV, numpy) are padded.
 *  - The frame gets its time (rtspsinktimeline.h). From here on time stamps
 *    are running times that rise, in one segment from 0.
 *  - Input that is not live waits until it is its time.
 *  - A frame that nobody has a use for ends here, before it costs anything.
 *
 * An element of its own, because it needs the clock, the states and both
 * pads. It runs on the upstream thread; the state changes come from the
 * application's. */

#include "rtspsinkinput.h"

#include "rtspsinkformats.h"
#include "rtspsinktimeline.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_input_debug);
#define GST_CAT_DEFAULT rtsp_sink_input_debug

struct _RtspSinkInput
{
  GstElement parent;

  /* Constant after construction. */
  GstPad *sinkpad;
  GstPad *srcpad;
  RtspSinkInputFuncs funcs;
  gpointer user_data;

  /* Upstream thread only; set_timing comes before it starts. */
  GstRtspServerSinkSync sync;
  RtspSinkTimeline timeline;
  GstSegment segment;
  GstVideoInfo info;
  gboolean source_known;
  gboolean segment_sent;
  guint misfits;                /* since the caps */

  GMutex lock;
  /* Guarded by lock. Nothing is called out while it is held. */
  gboolean flushing;
  gboolean playing;
  GstClockTime stopped_at;      /* running time while not playing */
  GstClockID clock_id;          /* what the upstream thread waits for */
  GstClockTime latency;         /* of the whole pipeline, from its event */
};

G_DEFINE_FINAL_TYPE (RtspSinkInput, rtsp_sink_input, GST_TYPE_ELEMENT);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL)));

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL)));

/* A frame that does not fit its caps would make every element behind complain
 * for each frame: say it once. */
static gboolean
check_fit (RtspSinkInput * self, GstBuffer ** buffer)
{
  gsize size = gst_buffer_get_size (*buffer);

  if (rtsp_sink_formats_fit_buffer (&self->info, buffer))
    return TRUE;

  if (self->misfits++ == 0) {
    GST_ELEMENT_WARNING (self, STREAM, WRONG_TYPE,
        ("Dropping frames of the wrong size: a buffer has %" G_GSIZE_FORMAT
            " bytes, but %dx%d %s takes %" G_GSIZE_FORMAT ". Push frames of "
            "the size that the caps say.", size,
            GST_VIDEO_INFO_WIDTH (&self->info),
            GST_VIDEO_INFO_HEIGHT (&self->info),
            GST_VIDEO_INFO_NAME (&self->info),
            GST_VIDEO_INFO_SIZE (&self->info)), (NULL));
  } else {
    GST_DEBUG_OBJECT (self, "dropping frame of %" G_GSIZE_FORMAT " bytes",
        size);
  }
  return FALSE;
}

/* A camera has a handful of buffers: it starves if they wait here. */
static gboolean
is_scarce (GstBuffer * buffer)
{
  g_autoptr (GstStructure) config = NULL;
  guint max_buffers = 0;

  if (buffer->pool == NULL)
    return FALSE;

  config = gst_buffer_pool_get_config (buffer->pool);
  gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &max_buffers);
  return max_buffers != 0;
}

static void
get_to_know_source (RtspSinkInput * self, GstBuffer * first)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  gboolean live = FALSE, scarce = is_scarce (first);
  GstClockTime latency = 0;

  if (gst_pad_peer_query (self->sinkpad, query))
    gst_query_parse_latency (query, &live, &latency, NULL);

  self->timeline.latency = latency;
  self->timeline.paced = self->sync == GST_RTSP_SERVER_SINK_SYNC_AUTO ?
      !live : self->sync == GST_RTSP_SERVER_SINK_SYNC_TRUE;
  self->source_known = TRUE;

  GST_INFO_OBJECT (self, "input is %s, %s", live ? "live" : "not live",
      self->timeline.paced ? "paced" : "served as it comes");
  self->funcs.source_known (live, self->timeline.paced, scarce,
      self->user_data);
}

static gboolean
is_playing (RtspSinkInput * self)
{
  gboolean playing;

  g_mutex_lock (&self->lock);
  playing = self->playing;
  g_mutex_unlock (&self->lock);

  return playing;
}

static GstElement *
find_top (RtspSinkInput * self)
{
  GstObject *top = gst_object_ref (GST_OBJECT (self));
  GstObject *parent;

  while ((parent = gst_object_get_parent (top)) != NULL) {
    gst_object_unref (top);
    top = parent;
  }
  return GST_ELEMENT (top);
}

static GstClockTime
element_running_time (GstElement * element)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime now, base_time;

  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;

  now = gst_clock_get_time (clock);
  base_time = gst_element_get_base_time (element);
  return now > base_time ? now - base_time : 0;
}

static GstClockTime
running_time_now (RtspSinkInput * self)
{
  GstClockTime now;

  if (is_playing (self))
    return element_running_time (GST_ELEMENT (self));

  /* A live pipeline plays before its sinks do: those wait for this frame. */
  if (!self->timeline.paced) {
    g_autoptr (GstElement) top = find_top (self);

    return element_running_time (top);
  }
  g_mutex_lock (&self->lock);
  now = self->stopped_at;
  g_mutex_unlock (&self->lock);
  return now;
}

static GstClockTime
frame_duration (RtspSinkInput * self, GstBuffer * buffer)
{
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    return GST_BUFFER_DURATION (buffer);
  if (GST_VIDEO_INFO_FPS_N (&self->info) > 0)
    return gst_util_uint64_scale_int (GST_SECOND,
        GST_VIDEO_INFO_FPS_D (&self->info), GST_VIDEO_INFO_FPS_N (&self->info));
  return GST_CLOCK_TIME_NONE;
}

/* Gives @buffer its running time. FALSE: it is outside of the segment. */
static gboolean
stamp (RtspSinkInput * self, GstBuffer ** buffer)
{
  GstClockTime pts = GST_CLOCK_TIME_NONE, time;
  GstClockTime duration = frame_duration (self, *buffer);

  if (GST_BUFFER_PTS_IS_VALID (*buffer)
      && self->segment.format == GST_FORMAT_TIME) {
    pts = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (*buffer));
    if (!GST_CLOCK_TIME_IS_VALID (pts))
      return FALSE;
  }

  time = rtsp_sink_timeline_stamp (&self->timeline, pts, duration,
      running_time_now (self));

  /* Only a frame whose time changes pays for a new buffer. */
  if (time == GST_BUFFER_PTS (*buffer) && !GST_BUFFER_DTS_IS_VALID (*buffer))
    return TRUE;

  *buffer = gst_buffer_make_writable (*buffer);
  GST_BUFFER_PTS (*buffer) = time;
  GST_BUFFER_DTS (*buffer) = GST_CLOCK_TIME_NONE;
  return TRUE;
}

/* Waits on the clock with the lock held at entry and exit; it is given up
 * meanwhile. TRUE: the time came, or there is no clock. */
static gboolean
wait_clock_locked (RtspSinkInput * self, GstClockTime time)
{
  GstClockReturn result;
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (self));

  if (clock == NULL)
    return TRUE;

  self->clock_id = gst_clock_new_single_shot_id (clock,
      gst_element_get_base_time (GST_ELEMENT (self)) + time + self->latency);
  g_mutex_unlock (&self->lock);

  result = gst_clock_id_wait (self->clock_id, NULL);
  gst_object_unref (clock);

  g_mutex_lock (&self->lock);
  gst_clock_id_unref (self->clock_id);
  self->clock_id = NULL;

  return result != GST_CLOCK_UNSCHEDULED;
}

/* Returns when it is @time. A pipeline that does not play yet takes what comes:
 * an encoder may need several frames before the sink is prerolled, and then
 * the queue is soon full. */
static GstFlowReturn
wait_for_time (RtspSinkInput * self, GstClockTime time)
{
  GstFlowReturn ret = GST_FLOW_OK;

  g_mutex_lock (&self->lock);
  while (!self->flushing && self->playing) {
    if (wait_clock_locked (self, time))
      break;
  }
  if (self->flushing)
    ret = GST_FLOW_FLUSHING;
  g_mutex_unlock (&self->lock);

  return ret;
}

static GstFlowReturn
rtsp_sink_input_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);

  if (GST_VIDEO_INFO_FORMAT (&self->info) == GST_VIDEO_FORMAT_UNKNOWN) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("A frame came before its caps: set caps (video/x-raw with format, "
            "width and height) on the source."), (NULL));
    gst_buffer_unref (buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }

  if (!self->source_known)
    get_to_know_source (self, buffer);

  if (!check_fit (self, &buffer) || !stamp (self, &buffer))
    goto drop;

  if (self->timeline.paced) {
    GstFlowReturn ret = wait_for_time (self, GST_BUFFER_PTS (buffer));

    if (ret != GST_FLOW_OK) {
      gst_buffer_unref (buffer);
      return ret;
    }
  }

  if (is_playing (self) && !self->funcs.wants_frame (self->user_data)) {
    GST_LOG_OBJECT (self, "nobody wants %" GST_PTR_FORMAT, buffer);
    goto drop;
  }

  return gst_pad_push (self->srcpad, buffer);

drop:
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static gboolean
handle_caps (RtspSinkInput * self, GstEvent * event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  GST_INFO_OBJECT (self, "input caps %" GST_PTR_FORMAT, caps);

  self->misfits = 0;
  if (gst_video_info_from_caps (&self->info, caps))
    return gst_pad_push_event (self->srcpad, event);

  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The caps are no complete raw video: format, width and height are "
          "needed."), ("caps: %" GST_PTR_FORMAT, caps));
  gst_video_info_init (&self->info);
  gst_event_unref (event);
  return FALSE;
}

/* Downstream sees one segment, in which time stamps are running times. */
static gboolean
handle_segment (RtspSinkInput * self, GstEvent * event)
{
  GstSegment segment;
  GstEvent *own;

  gst_event_copy_segment (event, &self->segment);
  GST_DEBUG_OBJECT (self, "input segment %" GST_SEGMENT_FORMAT, &self->segment);
  /* Another source may feed us now. */
  self->source_known = FALSE;

  if (self->segment_sent) {
    gst_event_unref (event);
    return TRUE;
  }

  gst_segment_init (&segment, GST_FORMAT_TIME);
  own = gst_event_new_segment (&segment);
  gst_event_set_seqnum (own, gst_event_get_seqnum (event));
  gst_event_unref (event);
  self->segment_sent = TRUE;
  return gst_pad_push_event (self->srcpad, own);
}

static void
set_flushing (RtspSinkInput * self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  if (self->clock_id != NULL)
    gst_clock_id_unschedule (self->clock_id);
  g_mutex_unlock (&self->lock);
}

static void
set_playing (RtspSinkInput * self, gboolean playing)
{
  GstClockTime now = element_running_time (GST_ELEMENT (self));

  g_mutex_lock (&self->lock);
  self->playing = playing;
  self->stopped_at = now;
  if (self->clock_id != NULL)
    gst_clock_id_unschedule (self->clock_id);
  g_mutex_unlock (&self->lock);
}

/* The stream starts anew: so does running time. */
static void
restart (RtspSinkInput * self)
{
  rtsp_sink_timeline_restart (&self->timeline);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  g_mutex_lock (&self->lock);
  self->stopped_at = 0;
  g_mutex_unlock (&self->lock);
  self->segment_sent = FALSE;
  self->source_known = FALSE;
}

static gboolean
rtsp_sink_input_sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      return handle_caps (self, event);
    case GST_EVENT_SEGMENT:
      return handle_segment (self, event);
    case GST_EVENT_GAP:
      /* Its time is of a segment that downstream does not know. */
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_FLUSH_START:
      set_flushing (self, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      set_flushing (self, FALSE);
      restart (self);
      break;
    default:
      break;
  }
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
rtsp_sink_input_src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (parent);

  if (GST_EVENT_TYPE (event) == GST_EVENT_LATENCY) {
    GstClockTime latency;

    gst_event_parse_latency (event, &latency);
    g_mutex_lock (&self->lock);
    self->latency = latency;
    g_mutex_unlock (&self->lock);
  }
  return gst_pad_event_default (pad, parent, event);
}

static GstStateChangeReturn
rtsp_sink_input_change_state (GstElement * element, GstStateChange transition)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (element);
  GstStateChangeReturn ret;

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      restart (self);
      gst_video_info_init (&self->info);
      set_flushing (self, FALSE);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      set_playing (self, TRUE);
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      set_playing (self, FALSE);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      set_flushing (self, TRUE);
      break;
    default:
      break;
  }

  ret = GST_ELEMENT_CLASS (rtsp_sink_input_parent_class)->change_state
      (element, transition);

  return ret;
}

static void
rtsp_sink_input_finalize (GObject * object)
{
  RtspSinkInput *self = RTSP_SINK_INPUT (object);

  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (rtsp_sink_input_parent_class)->finalize (object);
}

static void
rtsp_sink_input_class_init (RtspSinkInputClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_input_debug, "rtspserversink-input", 0,
      "rtspserversink: frames coming in");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_input_finalize;
  element_class->change_state = rtsp_sink_input_change_state;

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTSP sink input", "Filter/Video",
      "Checks, stamps, paces and gates raw video frames",
      "The rtspserversink developers");
}

static void
rtsp_sink_input_init (RtspSinkInput * self)
{
  g_mutex_init (&self->lock);
  gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  gst_video_info_init (&self->info);

  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, rtsp_sink_input_chain);
  gst_pad_set_event_function (self->sinkpad, rtsp_sink_input_sink_event);
  GST_PAD_SET_PROXY_CAPS (self->sinkpad);
  GST_PAD_SET_PROXY_ALLOCATION (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, rtsp_sink_input_src_event);
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
}

/**
 * rtsp_sink_input_new:
 *
 * Returns: (transfer floating): the input
 */
RtspSinkInput *
rtsp_sink_input_new (const RtspSinkInputFuncs * funcs, gpointer user_data)
{
  RtspSinkInput *self = g_object_new (RTSP_TYPE_SINK_INPUT, "name", "input",
      NULL);

  self->funcs = *funcs;
  self->user_data = user_data;
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
  rtsp_sink_timeline_init (&self->timeline, mode);
}
