/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/**
 * SECTION:element-rtspserversink
 * @title: rtspserversink
 *
 * Serves the video and audio that it gets to RTSP viewers (RFC 2326). It hosts
 * the server itself: no main loop, no encoder and no server code are needed.
 *
 * Raw video in any format and size is encoded once, for all viewers, while
 * at least one watches. Each viewer begins with a key unit as soon as it
 * plays, and none can hold up the pipeline or another viewer. Without
 * viewers frames are taken at their own speed and not encoded. A viewer that
 * comes before the first frame waits for it for two seconds; then it is
 * answered 503 and may come again.
 *
 * Frames in a device's memory (VA, NVMM, CUDA, GL, DMABuf) go untouched to an
 * encoder that takes them.
 *
 * Each `audio_%u` pad adds an audio stream, beside the video or alone; what is fed
 * for one time is told to be of one time. Raw audio is encoded to
 * #GstRtspServerSink:audio-codec while a viewer listens, other is sent as it is.
 *
 * Elements of one process with the same #GstRtspServerSink:address and
 * #GstRtspServerSink:port share the port under different
 * #GstRtspServerSink:mount paths.
 *
 * At the end of the input the viewers get the last frames and an end of
 * stream. An address that cannot be listened on, a mount that is taken or
 * a missing encoder is an error at NULL→READY, before the pipeline runs.
 *
 * Element messages: `rtspserversink-listening` (`uri`, string); for each
 * viewer that plays `rtspserversink-viewer-added` and `-viewer-removed` (its
 * number `id`, uint, its address `peer` and its `transport`, strings), the
 * latter with a `reason`: "closed" or "torn-down" by the viewer, "timeout",
 * "slow", "removed" by the application, "error" (of its media, or it floods),
 * "stopped"; and
 * `rtspserversink-viewer-refused` (`peer`, `reason` "max-viewers" or
 * "descriptors", `text`, strings, and `count`, uint), at most once a second for
 * each reason. While 1,000 of them are unread on the bus no more are posted.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! rtspserversink
 * gst-launch-1.0 v4l2src ! videoconvert ! rtspserversink port=8554 mount=/test
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=RGB,width=320,height=240,framerate=10/1 ! rtspserversink codec=raw mount=/stream.rtp
 * gst-launch-1.0 videotestsrc is-live=true ! rtspserversink name=s audiotestsrc is-live=true ! s.audio_0
 * ]| Each is then found at rtsp://127.0.0.1:8554 and the mount.
 *
 * Since: 0.1
 */

#include "element/gstrtspserversink.h"

#include "audio/audiopads.h"
#include "codec/videocodecs.h"
#include "base/descriptors.h"
#include "base/errors.h"
#include "media/factory.h"
#include "element/properties.h"
#include "element/endpoint.h"
#include "base/settings.h"
#include "element/signals.h"
#include "server/transports.h"
#include "video/video.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtsp_server_sink_debug);
#define GST_CAT_DEFAULT gst_rtsp_server_sink_debug

struct _GstRtspServerSink
{
  GstBin parent;

  /* Constant after construction. */
  RtspSinkStreams *streams;
  RtspSinkVideo *video;
  RtspSinkAudioPads *audio_pads;
  GstPad *sinkpad;              /* no reference: the element owns it */

  RtspSinkEndpoint *endpoint;

  /* Guarded by the object lock. */
  RtspSinkSettings settings;
};

G_DEFINE_FINAL_TYPE (GstRtspServerSink, gst_rtsp_server_sink, GST_TYPE_BIN);
GST_ELEMENT_REGISTER_DEFINE (rtspserversink, "rtspserversink", GST_RANK_NONE,
    GST_TYPE_RTSP_SERVER_SINK);

/* Encoder's thread, audio's thread. */
static void
ready_changed (gpointer user_data)
{
  rtsp_sink_endpoint_changed (GST_RTSP_SERVER_SINK (user_data)->endpoint);
}

/* All units of audio are key units. */
static const RtspSinkFanoutFuncs audio_funcs = {
  NULL,
  ready_changed,
};

/* What the source may send; raw video if nothing is linked yet, nothing if only
 * audio is. */
static GstCaps *
expected_caps (GstRtspServerSink * self)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (GST_ELEMENT (self),
      "sink");
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (sink);
  g_autoptr (GstPad) peer = gst_pad_get_peer (sink);

  if (peer == NULL)
    return rtsp_sink_audio_pads_is_empty (self->audio_pads) ?
        gst_caps_from_string ("video/x-raw(ANY)") : gst_caps_new_empty ();
  return gst_pad_query_caps (peer, all);
}

static gboolean
set_up_video (GstRtspServerSink * self, const RtspSinkSettings * settings)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) expected = expected_caps (self);

  if (!rtsp_sink_factory_check (&error)) {
    rtsp_sink_errors_post (GST_ELEMENT (self), error);
    return FALSE;
  }
  return rtsp_sink_video_open (self->video, settings,
      rtsp_sink_transports_has_feedback (settings), expected);
}

static void
announce (GstRtspServerSink * self)
{
  g_autofree gchar *uri = rtsp_sink_endpoint_dup_uri (self->endpoint);

  GST_INFO_OBJECT (self, "serving at %s", uri);
  g_object_notify (G_OBJECT (self), "bound-port");
  g_object_notify (G_OBJECT (self), "uri");
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtspserversink-listening", "uri", G_TYPE_STRING,
              uri, NULL)));
}

/* Those that can change at any time. */
static void
apply_settings (GstRtspServerSink * self)
{
  guint bitrate, interval;

  GST_OBJECT_LOCK (self);
  bitrate = self->settings.bitrate;
  interval = self->settings.key_unit_interval;
  GST_OBJECT_UNLOCK (self);

  rtsp_sink_video_set_rates (self->video, bitrate, interval);
}

static void
copy_settings (GstRtspServerSink * self, RtspSinkSettings * settings)
{
  GST_OBJECT_LOCK (self);
  rtsp_sink_settings_copy (settings, &self->settings);
  GST_OBJECT_UNLOCK (self);
}

static gboolean
set_up_audio (GstRtspServerSink * self, const RtspSinkSettings * settings)
{
  g_autoptr (GError) error = NULL;

  if (rtsp_sink_audio_pads_configure (self->audio_pads, settings, &error))
    return TRUE;
  rtsp_sink_errors_post (GST_ELEMENT (self), error);
  return FALSE;
}

/* Audio alone: nobody waits for video that does not come. */
static void
update_dormant (GstRtspServerSink * self, GstState state)
{
  gboolean runs = state > GST_STATE_READY;

  rtsp_sink_video_set_dormant (self->video, runs, runs
      && !gst_pad_is_linked (self->sinkpad)
      && !rtsp_sink_audio_pads_is_empty (self->audio_pads));
}

/* The thread that links. */
static void
sinkpad_linked (GstPad * pad, GstPad * peer, gpointer user_data)
{
  update_dormant (user_data, GST_STATE_TARGET (user_data));
}

static GstPad *
gst_rtsp_server_sink_request_new_pad (GstElement * element,
    GstPadTemplate * template, const gchar * name, const GstCaps * caps)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);
  RtspSinkSettings settings;
  GstPad *pad;

  copy_settings (self, &settings);
  pad = rtsp_sink_audio_pads_request (self->audio_pads, template, name,
      &settings);
  rtsp_sink_settings_clear (&settings);
  update_dormant (self, GST_STATE_TARGET (element));
  return pad;
}

static void
gst_rtsp_server_sink_release_pad (GstElement * element, GstPad * pad)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);

  rtsp_sink_audio_pads_release (self->audio_pads, pad);
  update_dormant (self, GST_STATE_TARGET (element));
  rtsp_sink_endpoint_changed (self->endpoint);
}

static gboolean
open (GstRtspServerSink * self)
{
  g_autoptr (GError) error = NULL;
  RtspSinkSettings settings;
  gboolean ok;

  /* Without any GLib ends the process, and no encoder can be loaded. */
  if (!rtsp_sink_descriptors_check (&error)) {
    rtsp_sink_errors_post (GST_ELEMENT (self), error);
    return FALSE;
  }
  copy_settings (self, &settings);
  ok = set_up_video (self, &settings) && set_up_audio (self, &settings);
  /* A handler of encoder-setup, or another thread, may have changed them. */
  if (ok)
    apply_settings (self);
  ok = ok && rtsp_sink_endpoint_start (self->endpoint, &settings);
  rtsp_sink_settings_clear (&settings);

  if (ok)
    announce (self);
  return ok;
}

static void
shut (GstRtspServerSink * self)
{
  gboolean was_open = rtsp_sink_endpoint_get_port (self->endpoint) != 0;

  rtsp_sink_endpoint_stop (self->endpoint);
  rtsp_sink_video_close (self->video);
  if (!was_open)
    return;
  g_object_notify (G_OBJECT (self), "bound-port");
  g_object_notify (G_OBJECT (self), "uri");
}

static GstStateChangeReturn
gst_rtsp_server_sink_change_state (GstElement * element,
    GstStateChange transition)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !open (self)) {
    shut (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    update_dormant (self, GST_STATE_PAUSED);

  ret = GST_ELEMENT_CLASS (gst_rtsp_server_sink_parent_class)->change_state
      (element, transition);

  if (GST_STATE_TRANSITION_NEXT (transition) == GST_STATE_READY)
    update_dormant (self, GST_STATE_READY);
  /* The pipeline may still wait for a first frame. A sink tells it that none will
   * come, which GstBin keeps to itself while its own state changes. */
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_element_post_message (element, gst_message_new_async_done (GST_OBJECT
            (self), GST_CLOCK_TIME_NONE));
  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && ret == GST_STATE_CHANGE_FAILURE))
    shut (self);

  /* GstBin (up to 1.28) fails to go to a state in which it still is if it failed
   * before, or a child of it posts an error meanwhile; then the rest of the
   * pipeline would go on. */
  if (ret == GST_STATE_CHANGE_FAILURE && GST_STATE_TRANSITION_NEXT (transition)
      <= GST_STATE_TRANSITION_CURRENT (transition))
    return GST_STATE_CHANGE_SUCCESS;
  return ret;
}

static void
gst_rtsp_server_sink_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (object);

  GST_OBJECT_LOCK (self);
  rtsp_sink_properties_set (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);

  if (pspec->flags & GST_PARAM_MUTABLE_PLAYING)
    apply_settings (self);
}

static GstStructure *
describe (GstRtspServerSink * self)
{
  GstStructure *stats = rtsp_sink_video_describe (self->video);
  GstStructure *described = rtsp_sink_viewers_describe
      (rtsp_sink_endpoint_get_viewers (self->endpoint));

  gst_structure_set_value (stats, "viewers",
      gst_structure_get_value (described, "viewers"));
  gst_structure_free (described);
  return stats;
}

static void
gst_rtsp_server_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (object);

  switch (id) {
    case RTSP_SINK_PROPERTY_BOUND_PORT:
      g_value_set_uint (value, rtsp_sink_endpoint_get_port (self->endpoint));
      break;
    case RTSP_SINK_PROPERTY_URI:
      g_value_take_string (value, rtsp_sink_endpoint_dup_uri (self->endpoint));
      break;
    case RTSP_SINK_PROPERTY_ACTIVE_ENCODER:
      g_value_take_string (value, rtsp_sink_video_dup_encoder_name
          (self->video));
      break;
    case RTSP_SINK_PROPERTY_STATS:
      g_value_take_boxed (value, describe (self));
      break;
    case RTSP_SINK_PROPERTY_NUM_VIEWERS:
      g_value_set_uint (value, rtsp_sink_viewers_count_playing
          (rtsp_sink_endpoint_get_viewers (self->endpoint)));
      break;
    default:
      GST_OBJECT_LOCK (self);
      rtsp_sink_properties_get (&self->settings, id, value);
      GST_OBJECT_UNLOCK (self);
      break;
  }
}

static void
gst_rtsp_server_sink_finalize (GObject * object)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (object);

  rtsp_sink_endpoint_free (self->endpoint);
  rtsp_sink_audio_pads_free (self->audio_pads);
  rtsp_sink_streams_free (self->streams);
  rtsp_sink_video_free (self->video);
  rtsp_sink_settings_clear (&self->settings);

  G_OBJECT_CLASS (gst_rtsp_server_sink_parent_class)->finalize (object);
}

static GstStructure *
get_viewers (GstElement * element)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);

  return rtsp_sink_viewers_describe (rtsp_sink_endpoint_get_viewers
      (self->endpoint));
}

static gboolean
remove_viewer (GstElement * element, guint id)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);

  return rtsp_sink_viewers_dismiss (rtsp_sink_endpoint_get_viewers
      (self->endpoint), id, "removed");
}

static gboolean
force_key_unit (GstElement * element)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);

  if (rtsp_sink_endpoint_get_port (self->endpoint) == 0)
    return FALSE;
  rtsp_sink_fanout_request_key_unit (rtsp_sink_video_get_fanout (self->video),
      RTSP_SINK_FANOUT_JOIN);
  return TRUE;
}

static const RtspSinkActions actions = {
  get_viewers,
  remove_viewer,
  force_key_unit,
};

static void
gst_rtsp_server_sink_class_init (GstRtspServerSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  g_autoptr (GstCaps) caps = rtsp_sink_video_codecs_get_input_caps (NULL);

  GST_DEBUG_CATEGORY_INIT (gst_rtsp_server_sink_debug, "rtspserversink", 0,
      "rtspserversink: the element");

  object_class->set_property = gst_rtsp_server_sink_set_property;
  object_class->get_property = gst_rtsp_server_sink_get_property;
  object_class->finalize = gst_rtsp_server_sink_finalize;
  rtsp_sink_properties_install (object_class);
  rtsp_sink_signals_install (G_TYPE_FROM_CLASS (klass), &actions);

  element_class->change_state = gst_rtsp_server_sink_change_state;
  element_class->request_new_pad = gst_rtsp_server_sink_request_new_pad;
  element_class->release_pad = gst_rtsp_server_sink_release_pad;
  gst_element_class_add_pad_template (element_class, gst_pad_template_new
      ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  rtsp_sink_audio_pads_add_template (element_class);
  gst_element_class_set_static_metadata (element_class,
      "RTSP server sink", "Sink/Network",
      "Serves video and audio to RTSP viewers, from a server of its own",
      "The rtspserversink developers");
}

static void
gst_rtsp_server_sink_init (GstRtspServerSink * self)
{
  GstPadTemplate *template = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), "sink");
  RtspSinkFanout *fanout;
  GstPad *target;

  rtsp_sink_settings_init (&self->settings);

  self->streams = rtsp_sink_streams_new ();
  self->endpoint = rtsp_sink_endpoint_new (GST_ELEMENT (self), self->streams);
  self->video = rtsp_sink_video_new (GST_BIN (self), ready_changed);
  fanout = rtsp_sink_video_get_fanout (self->video);
  self->audio_pads = rtsp_sink_audio_pads_new (GST_BIN (self), self->streams,
      fanout, rtsp_sink_video_get_counts (self->video), &audio_funcs);

  target = rtsp_sink_video_get_pad (self->video);
  self->sinkpad = gst_ghost_pad_new_from_template ("sink", target, template);
  gst_object_unref (target);
  /* Incomplete caps are taken, for an error that says what they lack. */
  GST_PAD_SET_ACCEPT_INTERSECT (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  g_signal_connect (self->sinkpad, "linked", G_CALLBACK (sinkpad_linked), self);
  rtsp_sink_streams_add (self->streams, fanout, self->sinkpad);
}
