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
 * "descriptors", `text`, strings).
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

#include "gstrtspserversink.h"

#include <gst/video/video.h>

#include "rtspsinkaudiopads.h"
#include "rtspsinkdormant.h"
#include "rtspsinkencoding.h"
#include "rtspsinkerrors.h"
#include "rtspsinkfactory.h"
#include "rtspsinkinput.h"
#include "rtspsinkoutput.h"
#include "rtspsinkservice.h"
#include "rtspsinksettings.h"
#include "rtspsinktransports.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtsp_server_sink_debug);
#define GST_CAT_DEFAULT gst_rtsp_server_sink_debug

struct _GstRtspServerSink
{
  GstBin parent;

  /* Constant after construction. */
  RtspSinkStreams *streams;
  RtspSinkFanout *fanout;
  RtspSinkInput *input;
  RtspSinkOutput *output;
  RtspSinkAudioPads *audio_pads;
  GstPad *sinkpad;              /* no reference: the element owns it */

  RtspSinkService *service;

  /* Guarded by the object lock. */
  RtspSinkSettings settings;

  /* Written by state changes, which GStreamer serialises; constant while not
   * in NULL. */
  RtspSinkEncoding *encoding;

  gint dormant;                 /* atomic: the video part gets nothing */
};

enum
{
  PROP_0,
  PROP_BOUND_PORT,
  PROP_URI,
  PROP_NUM_VIEWERS,
  PROP_SETTINGS,
};

G_DEFINE_FINAL_TYPE (GstRtspServerSink, gst_rtsp_server_sink, GST_TYPE_BIN);
GST_ELEMENT_REGISTER_DEFINE (rtspserversink, "rtspserversink", GST_RANK_NONE,
    GST_TYPE_RTSP_SERVER_SINK);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (GST_VIDEO_FORMATS_ALL)));

/* Any thread of ours. */
static void
request_key_unit (gpointer user_data)
{
  rtsp_sink_output_request_key_unit (GST_RTSP_SERVER_SINK (user_data)->output);
}

/* Encoder's thread. */
static void
ready_changed (gpointer user_data)
{
  rtsp_sink_service_changed (GST_RTSP_SERVER_SINK (user_data)->service);
}

static const RtspSinkFanoutFuncs fanout_funcs = {
  request_key_unit,
  ready_changed,
};

/* All units of audio are key units. */
static const RtspSinkFanoutFuncs audio_funcs = {
  NULL,
  ready_changed,
};

/* Encoder's thread. */
static void
input_changed (gpointer user_data)
{
  rtsp_sink_output_expect_unit (GST_RTSP_SERVER_SINK (user_data)->output);
}

/* Encoder's thread. */
static void
encoding_failed (const GError * error, gpointer user_data)
{
  rtsp_sink_errors_post (GST_ELEMENT (user_data), error);
}

static const RtspSinkEncodingFuncs encoding_funcs = {
  input_changed,
  encoding_failed,
};

/* Upstream thread. */
static void
source_known (gboolean live, gboolean paced, gboolean scarce,
    gpointer user_data)
{
  GstRtspServerSink *self = user_data;

  rtsp_sink_encoding_set_queue (self->encoding, live, scarce);
  /* Frames that passed the input while it was paused are early. */
  gst_base_sink_set_sync (GST_BASE_SINK (self->output), paced);
}

/* Upstream thread. */
static gboolean
wants_frame (gpointer user_data)
{
  return rtsp_sink_output_wants_frame (GST_RTSP_SERVER_SINK (user_data)
      ->output);
}

static const RtspSinkInputFuncs input_funcs = {
  source_known,
  wants_frame,
};

static void
link_encoding (GstRtspServerSink * self)
{
  GstElement *bin = rtsp_sink_encoding_get_bin (self->encoding);

  gst_bin_add (GST_BIN (self), bin);
  gst_element_link_many (GST_ELEMENT (self->input), bin,
      GST_ELEMENT (self->output), NULL);
}

static gboolean
set_up_encoding (GstRtspServerSink * self, const RtspSinkSettings * settings)
{
  g_autoptr (GError) error = NULL;
  GstElement *payloader = NULL;

  if (!rtsp_sink_factory_check (&error)) {
    rtsp_sink_errors_post (GST_ELEMENT (self), error);
    return FALSE;
  }

  self->encoding = rtsp_sink_encoding_new (settings, &encoding_funcs, self,
      &error);
  if (self->encoding != NULL)
    payloader = rtsp_sink_encoding_make_payloader (self->encoding, &error);
  if (payloader == NULL) {
    rtsp_sink_errors_post_encoding (GST_ELEMENT (self), error);
    return FALSE;
  }

  link_encoding (self);
  rtsp_sink_input_set_timing (self->input, settings->sync,
      settings->timestamp_mode);
  rtsp_sink_output_set_payloading (self->output,
      rtsp_sink_payloading_new (payloader,
          rtsp_sink_transports_has_feedback (settings)),
      settings->key_unit_interval * GST_MSECOND);
  return TRUE;
}

static void
tear_down_encoding (GstRtspServerSink * self)
{
  if (self->encoding != NULL) {
    GstElement *bin = rtsp_sink_encoding_get_bin (self->encoding);

    if (GST_OBJECT_PARENT (bin) != NULL) {
      gst_element_set_state (bin, GST_STATE_NULL);
      gst_bin_remove (GST_BIN (self), bin);
    }
  }
  g_clear_pointer (&self->encoding, rtsp_sink_encoding_free);
  rtsp_sink_output_set_payloading (self->output, NULL, 0);
}

static void
announce (GstRtspServerSink * self)
{
  g_autofree gchar *uri = rtsp_sink_service_dup_uri (self->service);

  GST_INFO_OBJECT (self, "serving at %s", uri);
  g_object_notify (G_OBJECT (self), "bound-port");
  g_object_notify (G_OBJECT (self), "uri");
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtspserversink-listening", "uri", G_TYPE_STRING,
              uri, NULL)));
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

/* Audio alone: nobody waits for video that does not come, nor for the first frame
 * when it does at last. In NULL the elements may be gone. */
static void
update_dormant (GstRtspServerSink * self, GstState state)
{
  gboolean dormant = state > GST_STATE_READY
      && !gst_pad_is_linked (self->sinkpad)
      && !rtsp_sink_audio_pads_is_empty (self->audio_pads);

  if (self->encoding == NULL)
    return;
  if (dormant || state <= GST_STATE_READY)
    gst_base_sink_set_async_enabled (GST_BASE_SINK (self->output), !dormant);
  if (!g_atomic_int_compare_and_exchange (&self->dormant, !dormant, dormant))
    return;
  GST_INFO_OBJECT (self, dormant ? "audio alone" : "no longer audio alone");
  rtsp_sink_dormant_set (GST_ELEMENT (self->output), dormant);
  rtsp_sink_dormant_set (rtsp_sink_encoding_get_bin (self->encoding), dormant);
  rtsp_sink_dormant_set (GST_ELEMENT (self->input), dormant);
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
  rtsp_sink_service_changed (self->service);
}

static gboolean
open (GstRtspServerSink * self)
{
  RtspSinkSettings settings;
  gboolean ok;

  copy_settings (self, &settings);
  ok = set_up_encoding (self, &settings) && set_up_audio (self, &settings)
      && rtsp_sink_service_start (self->service, &settings);
  rtsp_sink_settings_clear (&settings);

  if (ok)
    announce (self);
  return ok;
}

static GstStateChangeReturn
gst_rtsp_server_sink_change_state (GstElement * element,
    GstStateChange transition)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !open (self)) {
    rtsp_sink_service_stop (self->service);
    tear_down_encoding (self);
    return GST_STATE_CHANGE_FAILURE;
  }
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    update_dormant (self, GST_STATE_PAUSED);

  ret = GST_ELEMENT_CLASS (gst_rtsp_server_sink_parent_class)->change_state
      (element, transition);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    update_dormant (self, GST_STATE_READY);
  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && ret == GST_STATE_CHANGE_FAILURE)) {
    rtsp_sink_service_stop (self->service);
    tear_down_encoding (self);
  }

  return ret;
}

static void
gst_rtsp_server_sink_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (object);
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = rtsp_sink_settings_set_property (&self->settings, pspec, value);
  GST_OBJECT_UNLOCK (self);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_rtsp_server_sink_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (object);

  switch (id) {
    case PROP_BOUND_PORT:
      g_value_set_uint (value, rtsp_sink_service_get_port (self->service));
      break;
    case PROP_URI:
      g_value_take_string (value, rtsp_sink_service_dup_uri (self->service));
      break;
    case PROP_NUM_VIEWERS:
      g_value_set_uint (value, rtsp_sink_audience_count_playing
          (rtsp_sink_service_get_audience (self->service)));
      break;
    default:
      GST_OBJECT_LOCK (self);
      rtsp_sink_settings_get_property (&self->settings, pspec, value);
      GST_OBJECT_UNLOCK (self);
      break;
  }
}

static void
gst_rtsp_server_sink_finalize (GObject * object)
{
  GstRtspServerSink *self = GST_RTSP_SERVER_SINK (object);

  rtsp_sink_service_free (self->service);
  rtsp_sink_audio_pads_free (self->audio_pads);
  rtsp_sink_streams_free (self->streams);
  rtsp_sink_fanout_unref (self->fanout);
  rtsp_sink_settings_clear (&self->settings);

  G_OBJECT_CLASS (gst_rtsp_server_sink_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass * object_class)
{
  /**
   * GstRtspServerSink:bound-port:
   *
   * The TCP port that is listened on, 0 in NULL.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_BOUND_PORT,
      g_param_spec_uint ("bound-port", "Bound port",
          "TCP port that is listened on (0 = none yet)", 0, 65535, 0,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  /**
   * GstRtspServerSink:uri:
   *
   * The URL of the stream, NULL in NULL. Known from READY on. When all
   * addresses are listened on it names the loopback address.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_URI,
      g_param_spec_string ("uri", "URI",
          "URL of the stream, from READY on", NULL,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  /**
   * GstRtspServerSink:num-viewers:
   *
   * How many viewers play now.
   *
   * Since: 0.1
   */
  g_object_class_install_property (object_class, PROP_NUM_VIEWERS,
      g_param_spec_uint ("num-viewers", "Number of viewers",
          "How many viewers play now", 0, G_MAXUINT, 0,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  rtsp_sink_settings_install_properties (object_class, PROP_SETTINGS);
}

static GstStructure *
get_viewers (GstRtspServerSink * self)
{
  return rtsp_sink_audience_describe (rtsp_sink_service_get_audience
      (self->service));
}

static gboolean
remove_viewer (GstRtspServerSink * self, guint id)
{
  return rtsp_sink_audience_dismiss (rtsp_sink_service_get_audience
      (self->service), id, "removed");
}

static gboolean
force_key_unit (GstRtspServerSink * self)
{
  if (rtsp_sink_service_get_port (self->service) == 0)
    return FALSE;
  rtsp_sink_fanout_request_key_unit (self->fanout, RTSP_SINK_FANOUT_JOIN);
  return TRUE;
}

static void
install_action (GstRtspServerSinkClass * klass, const gchar * name,
    gpointer func, GType ret, guint n_params, GType param)
{
  g_signal_new_class_handler (name, G_TYPE_FROM_CLASS (klass),
      G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION, G_CALLBACK (func), NULL, NULL,
      NULL, ret, n_params, param);
}

static void
install_actions (GstRtspServerSinkClass * klass)
{
  /**
   * GstRtspServerSink::get-viewers:
   * @element: the element
   *
   * An action: who watches. The structure
   * `application/x-rtspserversink-viewers` has an array `viewers` with one
   * structure for each: its number `id` (uint), its address `peer` (string),
   * `transport` ("udp", "tcp" or "udp-mcast"), `state` ("playing", "paused",
   * or "skipping" while it is too slow), since when as its `age` (uint64, ns),
   * what was sent to it as `units`, `packets` and `bytes` of RTP of all streams
   * (uint64), UDP packets that the system did not take as `lost` (uint64), how
   * often it skipped as `skips` (uint), and how far it is behind as `delay`
   * (uint64, ns; TCP only).
   *
   * Returns: (transfer full): the viewers
   *
   * Since: 0.1
   */
  install_action (klass, "get-viewers", get_viewers, GST_TYPE_STRUCTURE, 0,
      G_TYPE_NONE);

  /**
   * GstRtspServerSink::remove-viewer:
   * @element: the element
   * @id: the viewer's number, as messages and get-viewers tell it
   *
   * An action: closes the viewer's connection soon. The message
   * `rtspserversink-viewer-removed` with the reason "removed" follows.
   *
   * Returns: FALSE if there is no such viewer
   *
   * Since: 0.1
   */
  install_action (klass, "remove-viewer", remove_viewer, G_TYPE_BOOLEAN, 1,
      G_TYPE_UINT);

  /**
   * GstRtspServerSink::force-key-unit:
   * @element: the element
   *
   * An action: asks the encoder to make the next frame a key unit, unless that
   * was asked for in the last 100 ms.
   *
   * Returns: FALSE if the element does not serve
   *
   * Since: 0.1
   */
  install_action (klass, "force-key-unit", force_key_unit, G_TYPE_BOOLEAN, 0,
      G_TYPE_NONE);
}

static void
gst_rtsp_server_sink_class_init (GstRtspServerSinkClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_rtsp_server_sink_debug, "rtspserversink", 0,
      "rtspserversink: the element");

  object_class->set_property = gst_rtsp_server_sink_set_property;
  object_class->get_property = gst_rtsp_server_sink_get_property;
  object_class->finalize = gst_rtsp_server_sink_finalize;
  install_properties (object_class);
  install_actions (klass);

  element_class->change_state = gst_rtsp_server_sink_change_state;
  element_class->request_new_pad = gst_rtsp_server_sink_request_new_pad;
  element_class->release_pad = gst_rtsp_server_sink_release_pad;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
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
  GstPad *target;

  rtsp_sink_settings_init (&self->settings);

  self->streams = rtsp_sink_streams_new ();
  self->fanout = rtsp_sink_fanout_new (NULL, &fanout_funcs, self);
  self->service = rtsp_sink_service_new (GST_ELEMENT (self), self->streams);
  self->input = rtsp_sink_input_new (&input_funcs, self);
  self->output = rtsp_sink_output_new (self->fanout);
  self->audio_pads = rtsp_sink_audio_pads_new (GST_BIN (self), self->streams,
      self->fanout, &audio_funcs);
  gst_bin_add_many (GST_BIN (self), GST_ELEMENT (self->input),
      GST_ELEMENT (self->output), NULL);

  target = gst_element_get_static_pad (GST_ELEMENT (self->input), "sink");
  self->sinkpad = gst_ghost_pad_new_from_template ("sink", target, template);
  gst_object_unref (target);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);
  g_signal_connect (self->sinkpad, "linked", G_CALLBACK (sinkpad_linked), self);
  rtsp_sink_streams_add (self->streams, self->fanout, self->sinkpad);
}
