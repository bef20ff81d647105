/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What stands between the video pad and its viewers: input, encoding and output,
 * which are in the element's bin, and the fan-out.
 *
 * Opened and closed by the element's changes of state, which GStreamer
 * serialises; in between, what these tell each other comes on their threads. */

#include "video/video.h"

#include "video/route.h"
#include "base/elements.h"
#include "base/errors.h"
#include "video/input.h"
#include "video/videosink.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_video_debug);
#define GST_CAT_DEFAULT rtsp_sink_video_debug

struct _RtspSinkVideo
{
  /* Constant after construction. */
  GstBin *element;              /* no reference: it owns this */
  RtspSinkVideoFunc ready;
  RtspSinkFanout *fanout;
  RtspSinkRates *rates;
  RtspSinkStats *stats;
  RtspSinkInput *input;         /* no reference: the element has it */
  RtspSinkVideoSink *output;    /* likewise */

  GMutex lock;
  /* Written with lock by state changes, which GStreamer serialises: they, and
   * the upstream thread, which only runs while not in NULL, read it without.
   * While it is held the encoding is set or asked, which takes its locks. */
  RtspSinkRoute *route;

  gint dormant;                 /* atomic: it gets nothing */
};

/* Any thread of ours. */
static void
request_key_unit (gpointer user_data)
{
  RtspSinkVideo *self = user_data;

  rtsp_sink_video_sink_request_key_unit (self->output);
  rtsp_sink_input_want_frame (self->input);
}

/* Encoder's thread. */
static void
ready_changed (gpointer user_data)
{
  RtspSinkVideo *self = user_data;

  self->ready (self->element);
}

static const RtspSinkFanoutFuncs fanout_funcs = {
  request_key_unit,
  ready_changed,
};

/* Encoder's thread. */
static void
input_changed (gboolean encoded_here, gpointer user_data)
{
  rtsp_sink_video_sink_expect_unit (((RtspSinkVideo *) user_data)->output,
      encoded_here);
}

/* Encoder's thread, or the application's at NULL→READY. */
static void
encoder_made (GstElement * encoder, gpointer user_data)
{
  RtspSinkVideo *self = user_data;

  g_signal_emit_by_name (self->element, "encoder-setup", encoder);
}

/* Likewise. */
static void
payloader_made (GstElement * payloader, gpointer user_data)
{
  RtspSinkVideo *self = user_data;

  g_signal_emit_by_name (self->element, "payloader-setup", payloader);
}

/* Encoder's thread. */
static void
route_failed (const GError * error, gpointer user_data)
{
  rtsp_sink_errors_post (GST_ELEMENT (((RtspSinkVideo *) user_data)->element),
      error);
}

static const RtspSinkConverterFuncs route_funcs = {
  encoder_made,
  input_changed,
  route_failed,
};

/* Upstream thread. */
static void
source_known (gboolean droppable, gboolean paced, gboolean scarce,
    gpointer user_data)
{
  RtspSinkVideo *self = user_data;

  rtsp_sink_route_set_source (self->route, !paced, droppable, scarce);
  /* Frames that passed the input while it was paused are early. */
  gst_base_sink_set_sync (GST_BASE_SINK (self->output), paced);
}

/* Upstream thread. */
static gboolean
wants_frame (gpointer user_data)
{
  return rtsp_sink_video_sink_wants_frame (((RtspSinkVideo *)
          user_data)->output);
}

/* Upstream thread. */
static gboolean
has_room (gpointer user_data)
{
  return rtsp_sink_route_has_room (((RtspSinkVideo *) user_data)->route);
}

/* Any thread. */
static GstCaps *
get_input_caps (gpointer user_data)
{
  RtspSinkVideo *self = user_data;
  GstCaps *caps;

  g_mutex_lock (&self->lock);
  caps = self->route != NULL ? rtsp_sink_route_get_caps (self->route)
      : rtsp_sink_video_codecs_get_input_caps (NULL);
  g_mutex_unlock (&self->lock);
  return caps;
}

static const RtspSinkInputFuncs input_funcs = {
  source_known,
  wants_frame,
  has_room,
  get_input_caps,
};

/**
 * rtsp_sink_video_new:
 * @element: gets the elements of it
 *
 * Returns: (transfer full): the way of the video
 */
RtspSinkVideo *
rtsp_sink_video_new (GstBin * element, RtspSinkVideoFunc ready)
{
  RtspSinkVideo *self = g_new0 (RtspSinkVideo, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_video_debug, "rtspserversink-video", 0,
      "rtspserversink: video");

  self->element = element;
  self->ready = ready;
  g_mutex_init (&self->lock);
  self->fanout = rtsp_sink_fanout_new (NULL, &fanout_funcs, self);
  self->rates = rtsp_sink_rates_new ();
  self->stats = rtsp_sink_stats_new ();
  self->input = rtsp_sink_input_new (&input_funcs, self, self->stats);
  self->output = rtsp_sink_video_sink_new (self->fanout, payloader_made, self,
      self->rates, self->stats);
  gst_bin_add_many (element, GST_ELEMENT (self->input),
      GST_ELEMENT (self->output), NULL);
  return self;
}

/* Closed; the element has let its own go. */
void
rtsp_sink_video_free (RtspSinkVideo * self)
{
  rtsp_sink_fanout_unref (self->fanout);
  rtsp_sink_rates_unref (self->rates);
  rtsp_sink_stats_free (self->stats);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/**
 * rtsp_sink_video_get_fanout:
 *
 * Returns: (transfer none): where its packets go
 */
RtspSinkFanout *
rtsp_sink_video_get_fanout (RtspSinkVideo * self)
{
  return self->fanout;
}

/**
 * rtsp_sink_video_get_counts:
 *
 * Returns: (transfer none): what came in, sound too
 */
RtspSinkStats *
rtsp_sink_video_get_counts (RtspSinkVideo * self)
{
  return self->stats;
}

/**
 * rtsp_sink_video_get_pad:
 *
 * Returns: (transfer full): where frames come in
 */
GstPad *
rtsp_sink_video_get_pad (RtspSinkVideo * self)
{
  return gst_element_get_static_pad (GST_ELEMENT (self->input), "sink");
}

static void
link_encoding (RtspSinkVideo * self)
{
  GstElement *bin = rtsp_sink_route_get_bin (self->route);

  gst_bin_add (self->element, bin);
  gst_element_link_many (GST_ELEMENT (self->input), bin,
      GST_ELEMENT (self->output), NULL);
}

static void
set_encoding (RtspSinkVideo * self, RtspSinkRoute * route)
{
  g_mutex_lock (&self->lock);
  self->route = route;
  g_mutex_unlock (&self->lock);
}

static GstElement *
ref_encoding_bin (RtspSinkVideo * self)
{
  GstElement *bin = NULL;

  g_mutex_lock (&self->lock);
  if (self->route != NULL)
    bin = gst_object_ref (rtsp_sink_route_get_bin (self->route));
  g_mutex_unlock (&self->lock);
  return bin;
}

/**
 * rtsp_sink_video_open:
 * @feedback: viewers may ask for key units by RTCP
 * @expected: what may come
 *
 * Posts what is missing or wrong. In NULL.
 */
gboolean
rtsp_sink_video_open (RtspSinkVideo * self, const RtspSinkSettings * settings,
    gboolean feedback, const GstCaps * expected)
{
  g_autoptr (GError) error = NULL;
  const RtspSinkVideoCodec *codec;
  RtspSinkRoute *route;

  rtsp_sink_video_sink_set_feedback (self->output, feedback);
  rtsp_sink_video_sink_set_gop_cache (self->output, settings->gop_cache);
  rtsp_sink_rates_set (self->rates, settings->bitrate,
      settings->key_unit_interval);

  route =
      rtsp_sink_route_new (settings, expected, self->rates, self->stats,
      &route_funcs, self, &error);
  codec = route != NULL ? rtsp_sink_route_get_codec (route) : NULL;
  if (route == NULL || (codec != NULL
          && !rtsp_sink_video_sink_set_codec (self->output, codec, &error))) {
    rtsp_sink_errors_post (GST_ELEMENT (self->element), error);
    rtsp_sink_route_free (route);
    return FALSE;
  }
  set_encoding (self, route);
  link_encoding (self);
  rtsp_sink_input_set_timing (self->input, settings->sync,
      settings->timestamp_mode);
  return TRUE;
}

/**
 * rtsp_sink_video_close:
 *
 * Does nothing if it is not open. In NULL.
 */
void
rtsp_sink_video_close (RtspSinkVideo * self)
{
  RtspSinkRoute *route = self->route;

  if (route != NULL) {
    GstElement *bin = rtsp_sink_route_get_bin (route);

    set_encoding (self, NULL);
    gst_element_set_state (bin, GST_STATE_NULL);
    gst_bin_remove (self->element, bin);
    rtsp_sink_route_free (route);
  }
  rtsp_sink_video_sink_reset (self->output);
}

static void
post_done (GstElement * element)
{
  gst_element_post_message (element, gst_message_new_async_done (GST_OBJECT
          (element), GST_CLOCK_TIME_NONE));
}

/* Nobody waits for a sink that waits for data. GstBaseSink (up to 1.28) tells that
 * only of its first data, not of that behind a flush; a bin, only while it is
 * changing its state because of that. */
static void
end_wait (GstElement * sink)
{
  GstElement *bin = GST_ELEMENT (GST_OBJECT_PARENT (sink));
  gboolean waits;

  post_done (sink);
  GST_OBJECT_LOCK (bin);
  waits = GST_STATE_PENDING (bin) != GST_STATE_VOID_PENDING;
  GST_OBJECT_UNLOCK (bin);
  if (!waits)
    post_done (bin);
}

/* The bin neither waits for the first buffer of @element nor for its end. A sink has
 * no source pads. */
static void
set_dormant (GstElement * element, gboolean dormant)
{
  gboolean sink = element->numsrcpads == 0;

  gst_element_set_locked_state (element, dormant);
  if (dormant) {
    /* GstBin asks those with the flag for the end of the stream. */
    if (sink)
      GST_OBJECT_FLAG_UNSET (element, GST_ELEMENT_FLAG_SINK);
    gst_element_set_state (element, GST_STATE_READY);
    if (sink)
      end_wait (element);
  } else {
    if (sink)
      GST_OBJECT_FLAG_SET (element, GST_ELEMENT_FLAG_SINK);
    rtsp_sink_elements_sync_state (element);
  }
}

/**
 * rtsp_sink_video_set_dormant:
 * @runs: the element is to be above READY
 * @dormant: no video comes
 *
 * Nobody waits for video that does not come, nor for the first frame when it
 * does at last. The thread that changes states or links.
 */
void
rtsp_sink_video_set_dormant (RtspSinkVideo * self, gboolean runs,
    gboolean dormant)
{
  g_autoptr (GstElement) bin = ref_encoding_bin (self);

  /* In NULL it is gone. */
  if (bin == NULL)
    return;
  if (!dormant && !runs)
    gst_base_sink_set_async_enabled (GST_BASE_SINK (self->output), TRUE);
  if (!g_atomic_int_compare_and_exchange (&self->dormant, !dormant, dormant))
    return;
  GST_INFO_OBJECT (self->element, dormant ? "audio alone" :
      "no longer audio alone");
  set_dormant (GST_ELEMENT (self->output), dormant);
  /* Not before: if the pipeline waits for its first unit, the output says now
   * that none comes. */
  if (dormant)
    gst_base_sink_set_async_enabled (GST_BASE_SINK (self->output), FALSE);
  set_dormant (bin, dormant);
  set_dormant (GST_ELEMENT (self->input), dormant);
  /* Another thread may have closed meanwhile. */
  if (GST_OBJECT_PARENT (bin) == NULL)
    gst_element_set_state (bin, GST_STATE_NULL);
}

/**
 * rtsp_sink_video_set_rates:
 * @bitrate: in bit/s, 0: from size and rate
 * @key_unit_interval: in ms
 *
 * Any thread.
 */
void
rtsp_sink_video_set_rates (RtspSinkVideo * self, guint bitrate,
    guint key_unit_interval)
{
  rtsp_sink_rates_set (self->rates, bitrate, key_unit_interval);
}

/**
 * rtsp_sink_video_describe:
 *
 * Any thread.
 *
 * Returns: (transfer full): what came in
 */
GstStructure *
rtsp_sink_video_describe (RtspSinkVideo * self)
{
  return rtsp_sink_stats_describe (self->stats);
}

/**
 * rtsp_sink_video_dup_encoder_name:
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): what encodes now
 */
gchar *
rtsp_sink_video_dup_encoder_name (RtspSinkVideo * self)
{
  gchar *name = NULL;

  g_mutex_lock (&self->lock);
  if (self->route != NULL)
    name = rtsp_sink_route_dup_encoder_name (self->route);
  g_mutex_unlock (&self->lock);

  return name;
}
