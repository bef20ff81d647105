/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/**
 * SECTION:element-rtspserversink
 * @title: rtspserversink
 *
 * Serves the video that it gets to RTSP viewers (RFC 2326). It hosts the
 * server itself: no main loop, no encoder and no server code are needed.
 *
 * Raw video in any format and size is encoded once, for all viewers, while
 * at least one watches. Each viewer begins with a key unit as soon as it
 * plays, and none can hold up the pipeline or another viewer. Without
 * viewers frames are taken at their own speed and not encoded. A viewer that
 * comes before the first frame waits for it for two seconds; then it is
 * answered 503 and may come again.
 *
 * Elements of one process with the same #GstRtspServerSink:address and
 * #GstRtspServerSink:port share the port under different
 * #GstRtspServerSink:mount paths.
 *
 * At the end of the input the viewers get the last frames and an end of
 * stream. An address that cannot be listened on, a mount that is taken or
 * a missing encoder is an error at NULL→READY, before the pipeline runs.
 *
 * Element messages: `rtspserversink-listening` (`uri`, string), and for each
 * viewer that plays `rtspserversink-viewer-added` and `-viewer-removed` (its
 * number `id`, uint, and its address `peer`, string).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! rtspserversink
 * gst-launch-1.0 v4l2src ! videoconvert ! rtspserversink port=8554 mount=/test
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,format=RGB,width=320,height=240,framerate=10/1 ! rtspserversink codec=raw mount=/stream.rtp
 * ]| Each is then found at rtsp://127.0.0.1:8554 and the mount.
 *
 * Since: 0.1
 */

#include "gstrtspserversink.h"

#include <gst/video/video.h>

#include "rtspsinkencoding.h"
#include "rtspsinkerrors.h"
#include "rtspsinkfactory.h"
#include "rtspsinkinput.h"
#include "rtspsinkmessages.h"
#include "rtspsinkoutput.h"
#include "rtspsinkpath.h"
#include "rtspsinkregistry.h"
#include "rtspsinksettings.h"

GST_DEBUG_CATEGORY_STATIC (gst_rtsp_server_sink_debug);
#define GST_CAT_DEFAULT gst_rtsp_server_sink_debug

struct _GstRtspServerSink
{
  GstBin parent;

  /* Constant after construction. */
  RtspSinkFanout *fanout;
  RtspSinkInput *input;
  RtspSinkOutput *output;

  /* Guarded by the object lock. */
  RtspSinkSettings settings;
  guint bound_port;             /* 0: not listening */
  gchar *uri;                   /* NULL: not listening */

  /* Written by state changes, which GStreamer serialises; constant while not
   * in NULL. */
  RtspSinkEncoding *encoding;
  RtspSinkFactory *factory;
  RtspSinkServer *server;

  GMutex lock;
  /* Guarded by lock. Nothing is called while it is held. */
  RtspSinkMount *mount;         /* NULL: not serving */

  RtspSinkMessages messages;
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

/* Viewer's thread. */
static void
viewer_added (GObject * owner, guint id, const gchar * peer)
{
  GST_INFO_OBJECT (owner, "viewer %u from '%s' plays", id, peer);
  rtsp_sink_messages_post_viewer (&GST_RTSP_SERVER_SINK (owner)->messages,
      GST_ELEMENT (owner), "rtspserversink-viewer-added", id, peer);
}

/* Viewer's thread. */
static void
viewer_removed (GObject * owner, guint id, const gchar * peer)
{
  GST_INFO_OBJECT (owner, "viewer %u from '%s' is gone", id, peer);
  rtsp_sink_messages_post_viewer (&GST_RTSP_SERVER_SINK (owner)->messages,
      GST_ELEMENT (owner), "rtspserversink-viewer-removed", id, peer);
}

static RtspSinkMount *
ref_mount (GstRtspServerSink * self)
{
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  mount = self->mount != NULL ? rtsp_sink_mount_ref (self->mount) : NULL;
  g_mutex_unlock (&self->lock);

  return mount;
}

/* Encoder's thread. */
static void
mount_changed (gpointer user_data)
{
  RtspSinkMount *mount = ref_mount (user_data);

  if (mount == NULL)
    return;
  rtsp_sink_mount_changed (mount);
  rtsp_sink_mount_unref (mount);
}

/* Viewer's thread. */
static gpointer
media_made (GObject * owner)
{
  RtspSinkMount *mount = ref_mount (GST_RTSP_SERVER_SINK (owner));

  if (mount != NULL)
    rtsp_sink_mount_add_media (mount);
  return mount;
}

/* Any thread. */
static void
media_gone (gpointer made)
{
  rtsp_sink_mount_remove_media (made);
  rtsp_sink_mount_unref (made);
}

static const RtspSinkFactoryFuncs factory_funcs = {
  viewer_added,
  viewer_removed,
  media_made,
  media_gone,
};

/* Viewer's thread. */
static gboolean
mount_is_ready (gpointer user_data)
{
  return rtsp_sink_fanout_is_ready (GST_RTSP_SERVER_SINK (user_data)->fanout);
}

/* Viewer's thread. */
static void
mount_play (GstRTSPMedia * media, gpointer user_data)
{
  rtsp_sink_factory_play (GST_RTSP_SERVER_SINK (user_data)->factory, media);
}

/* Viewer's thread. */
static void
mount_pause (GstRTSPMedia * media, gpointer user_data)
{
  rtsp_sink_factory_pause (GST_RTSP_SERVER_SINK (user_data)->factory, media);
}

static const RtspSinkMountFuncs mount_funcs = {
  mount_is_ready,
  mount_play,
  mount_pause,
};

/* Any thread of ours. */
static void
request_key_unit (gpointer user_data)
{
  rtsp_sink_output_request_key_unit (GST_RTSP_SERVER_SINK (user_data)->output);
}

/* Viewer's thread. */
static void
viewers_changed (gpointer user_data)
{
  GstRtspServerSink *self = user_data;

  GST_DEBUG_OBJECT (self, "%u viewers play",
      rtsp_sink_fanout_count_viewers (self->fanout));
}

static const RtspSinkFanoutFuncs fanout_funcs = {
  request_key_unit,
  mount_changed,
  viewers_changed,
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
      rtsp_sink_payloading_new (payloader),
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

static gboolean
add_mount (GstRtspServerSink * self, const gchar * path, GError ** error)
{
  RtspSinkMount *mount;

  self->factory = rtsp_sink_factory_new (self->fanout, &factory_funcs,
      G_OBJECT (self));
  mount = rtsp_sink_server_add_mount (self->server, path,
      GST_RTSP_MEDIA_FACTORY (self->factory), &mount_funcs, self, error);

  g_mutex_lock (&self->lock);
  self->mount = mount;
  g_mutex_unlock (&self->lock);

  return mount != NULL;
}

static gboolean
set_up_server (GstRtspServerSink * self, const RtspSinkSettings * settings)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *path = rtsp_sink_path_from_mount (settings->mount, &error);

  if (path == NULL) {
    rtsp_sink_errors_post_mount (GST_ELEMENT (self), settings, error);
    return FALSE;
  }

  self->server = rtsp_sink_registry_acquire (settings->address ?
      settings->address : "", settings->port, &error);
  if (self->server == NULL) {
    rtsp_sink_errors_post_listen (GST_ELEMENT (self), settings, error);
    return FALSE;
  }

  if (!add_mount (self, path, &error)) {
    rtsp_sink_errors_post_mount (GST_ELEMENT (self), settings, error);
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  self->bound_port = rtsp_sink_server_get_port (self->server);
  self->uri = rtsp_sink_path_to_uri (path, settings->address, self->bound_port);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
tear_down_server (GstRtspServerSink * self)
{
  RtspSinkMount *mount;

  GST_OBJECT_LOCK (self);
  self->bound_port = 0;
  g_clear_pointer (&self->uri, g_free);
  GST_OBJECT_UNLOCK (self);

  /* Media that go tell the mount: it is forgotten only when they are gone. */
  g_mutex_lock (&self->lock);
  mount = self->mount;
  g_mutex_unlock (&self->lock);
  if (mount != NULL)
    rtsp_sink_server_remove_mount (self->server, mount);

  g_mutex_lock (&self->lock);
  self->mount = NULL;
  g_mutex_unlock (&self->lock);
  if (mount != NULL)
    rtsp_sink_mount_unref (mount);
  g_clear_object (&self->factory);
  g_clear_pointer (&self->server, rtsp_sink_registry_release);
}

static gchar *
dup_uri (GstRtspServerSink * self)
{
  gchar *uri;

  GST_OBJECT_LOCK (self);
  uri = g_strdup (self->uri);
  GST_OBJECT_UNLOCK (self);

  return uri;
}

static void
announce (GstRtspServerSink * self)
{
  g_autofree gchar *uri = dup_uri (self);

  GST_INFO_OBJECT (self, "serving at %s", uri);
  g_object_notify (G_OBJECT (self), "bound-port");
  g_object_notify (G_OBJECT (self), "uri");
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("rtspserversink-listening", "uri", G_TYPE_STRING,
              uri, NULL)));
}

static gboolean
open (GstRtspServerSink * self)
{
  RtspSinkSettings settings;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  rtsp_sink_settings_copy (&settings, &self->settings);
  GST_OBJECT_UNLOCK (self);

  ok = set_up_encoding (self, &settings) && set_up_server (self, &settings);
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
    tear_down_server (self);
    tear_down_encoding (self);
    return GST_STATE_CHANGE_FAILURE;
  }

  ret = GST_ELEMENT_CLASS (gst_rtsp_server_sink_parent_class)->change_state
      (element, transition);

  if (transition == GST_STATE_CHANGE_READY_TO_NULL
      || (transition == GST_STATE_CHANGE_NULL_TO_READY
          && ret == GST_STATE_CHANGE_FAILURE)) {
    tear_down_server (self);
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
      GST_OBJECT_LOCK (self);
      g_value_set_uint (value, self->bound_port);
      GST_OBJECT_UNLOCK (self);
      break;
    case PROP_URI:
      g_value_take_string (value, dup_uri (self));
      break;
    case PROP_NUM_VIEWERS:
      g_value_set_uint (value, rtsp_sink_fanout_count_viewers (self->fanout));
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

  rtsp_sink_fanout_free (self->fanout);
  rtsp_sink_settings_clear (&self->settings);
  rtsp_sink_messages_clear (&self->messages);
  g_mutex_clear (&self->lock);

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

  element_class->change_state = gst_rtsp_server_sink_change_state;
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class,
      "RTSP server sink", "Sink/Network",
      "Serves video to RTSP viewers, from a server of its own",
      "The rtspserversink developers");
}

static void
gst_rtsp_server_sink_init (GstRtspServerSink * self)
{
  GstPadTemplate *template = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (self), "sink");
  GstPad *target;

  g_mutex_init (&self->lock);
  rtsp_sink_messages_init (&self->messages);
  rtsp_sink_settings_init (&self->settings);

  self->fanout = rtsp_sink_fanout_new (&fanout_funcs, self);
  self->input = rtsp_sink_input_new (&input_funcs, self);
  self->output = rtsp_sink_output_new (self->fanout);
  gst_bin_add_many (GST_BIN (self), GST_ELEMENT (self->input),
      GST_ELEMENT (self->output), NULL);

  target = gst_element_get_static_pad (GST_ELEMENT (self->input), "sink");
  gst_element_add_pad (GST_ELEMENT (self),
      gst_ghost_pad_new_from_template ("sink", target, template));
  gst_object_unref (target);
}
