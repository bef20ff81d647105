/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The bridge between the viewers and the encoded video: makes the media of
 * each viewer, a pipeline with nothing in it but the viewer's feed, and ties
 * the feed to what happens to the media:
 *
 *   made  → joins the fan-out, closed     PLAY → opens with a key unit
 *   PAUSE → closes                        gone → leaves the fan-out
 *
 * Viewers' threads, unless marked otherwise; the library holds its own locks
 * (docs/threads-and-locks.md). */

#include "rtspsinkfactory.h"

#include "rtspsinkdescriptors.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_factory_debug);
#define GST_CAT_DEFAULT rtsp_sink_factory_debug

/* How long a PAUSE may take for what is on its way. */
#define PAUSE_TIME (50 * G_TIME_SPAN_MILLISECOND)

struct _RtspSinkFactory
{
  GstRTSPMediaFactory parent;

  /* Constant after construction. */
  RtspSinkFactoryFuncs funcs;
  RtspSinkFanout *fanout;       /* lives as long as the owner */
  GWeakRef owner;

  GMutex lock;
  guint last_id;                /* guarded by lock */
};

G_DEFINE_FINAL_TYPE (RtspSinkFactory, rtsp_sink_factory,
    GST_TYPE_RTSP_MEDIA_FACTORY);

/* What belongs to one media; hangs on it. */
typedef struct
{
  RtspSinkFactory *factory;
  GObject *owner;               /* a reference, while not gone: keeps the
                                 * fan-out alive */
  gpointer made;
  RtspSinkFeed *feed;
  guint id;
  gboolean reserved;            /* descriptors that it is about to take */
  gchar *peer;                  /* set by the first PLAY */
  gboolean gone;                /* under the media's state lock */
} MediaTie;

static GQuark tie_quark;

static gchar *
current_peer (void)
{
  GstRTSPContext *ctx = gst_rtsp_context_get_current ();
  const gchar *ip = ctx != NULL && ctx->conn != NULL ?
      gst_rtsp_connection_get_ip (ctx->conn) : NULL;

  return g_strdup (ip != NULL ? ip : "unknown");
}

static void
release_reserve (MediaTie * tie)
{
  if (tie->reserved)
    rtsp_sink_descriptors_release ();
  tie->reserved = FALSE;
}

/* Untied once: when the media is unprepared, or else when it is freed. */
static void
untie (MediaTie * tie)
{
  RtspSinkFactory *self = tie->factory;

  if (tie->gone)
    return;
  tie->gone = TRUE;

  release_reserve (tie);
  rtsp_sink_fanout_leave (tie->factory->fanout, tie->feed);
  if (tie->peer != NULL)
    self->funcs.viewer_removed (tie->owner, tie->id, tie->peer);

  /* Last, for a stop that waits for it is done then. */
  g_clear_object (&tie->owner);
  self->funcs.media_gone (tie->made);
}

static void
free_tie (gpointer data)
{
  MediaTie *tie = data;

  untie (tie);
  gst_object_unref (tie->feed);
  g_object_unref (tie->factory);
  g_free (tie->peer);
  g_free (tie);
}

/**
 * rtsp_sink_factory_play:
 * @media: a media of @self
 *
 * The viewer of @media is about to be told that it plays. Viewer's thread.
 */
void
rtsp_sink_factory_play (RtspSinkFactory * self, GstRTSPMedia * media)
{
  MediaTie *tie = g_object_get_qdata (G_OBJECT (media), tie_quark);

  /* An URL may name the mount of another element. */
  if (tie == NULL || tie->factory != self || tie->gone)
    return;

  /* It has its sockets now. */
  release_reserve (tie);
  if (tie->peer == NULL) {
    tie->peer = current_peer ();
    self->funcs.viewer_added (tie->owner, tie->id, tie->peer);
  }
  rtsp_sink_fanout_open (self->fanout, tie->feed);
}

/**
 * rtsp_sink_factory_pause:
 * @media: a media of @self
 *
 * The viewer of @media is about to be paused. What is on its way through the
 * media would stick in its sinks and be the first thing sent at the next PLAY,
 * so it is waited for. Only for a viewer over TCP that takes nothing one unit
 * stays behind, in the library's sink. Viewer's thread.
 */
void
rtsp_sink_factory_pause (RtspSinkFactory * self, GstRTSPMedia * media)
{
  MediaTie *tie = g_object_get_qdata (G_OBJECT (media), tie_quark);

  if (tie == NULL || tie->factory != self || tie->gone)
    return;

  rtsp_sink_fanout_close (self->fanout, tie->feed);
  rtsp_sink_feed_wait_idle (tie->feed, g_get_monotonic_time () + PAUSE_TIME);
}

/* With the media's state lock held. */
static void
media_new_state (GstRTSPMedia * media, gint state, gpointer user_data)
{
  MediaTie *tie = user_data;

  if (state != GST_STATE_PLAYING && !tie->gone)
    rtsp_sink_fanout_close (tie->factory->fanout, tie->feed);
}

/* With the media's state lock held. */
static void
media_unprepared (GstRTSPMedia * media, gpointer user_data)
{
  untie (user_data);
}

/* The media's own thread, with the media's state lock held. */
static gboolean
media_message (GstRTSPMedia * media, GstMessage * message, gpointer user_data)
{
  MediaTie *tie = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS && !tie->gone)
    rtsp_sink_fanout_drained (tie->factory->fanout, tie->feed);
  return TRUE;
}

/* Elements that the library makes and how they differ from its choice. */
static const struct
{
  const gchar *factory;
  const gchar *property;
} switched_off[] = {
  /* Packets go out when they come; they carry their time in them. */
  {"multiudpsink", "sync"},
  {"appsink", "sync"},
  /* Else RTP-Info would name the last packet of before a pause, and not, by
   * way of the feed, the next one. */
  {"multiudpsink", "enable-last-sample"},
  {"appsink", "enable-last-sample"},
  /* Sender reports tell the time of capture, not that plus a latency. */
  {"rtpbin", "rtcp-sync-send-time"},
};

/* The library switches "sync" on again at each PLAY. */
static void
keep_switched_off (GObject * element, GParamSpec * pspec, gpointer user_data)
{
  gboolean on;

  g_object_get (element, pspec->name, &on, NULL);
  if (on)
    g_object_set (element, pspec->name, FALSE, NULL);
}

static void
switch_off (GObject * element, const gchar * property)
{
  g_autofree gchar *signal = g_strconcat ("notify::", property, NULL);

  g_object_set (element, property, FALSE, NULL);
  g_signal_connect (element, signal, G_CALLBACK (keep_switched_off), NULL);
}

static void
media_element_added (GstBin * bin, GstBin * parent, GstElement * element,
    gpointer user_data)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  for (gsize i = 0; factory != NULL && i < G_N_ELEMENTS (switched_off); i++) {
    if (g_str_equal (GST_OBJECT_NAME (factory), switched_off[i].factory))
      switch_off (G_OBJECT (element), switched_off[i].property);
  }
}

/* "pay0" is what the library looks for. */
static GstElement *
rtsp_sink_factory_create_element (GstRTSPMediaFactory * factory,
    const GstRTSPUrl * url)
{
  RtspSinkFeed *feed =
      rtsp_sink_fanout_join (RTSP_SINK_FACTORY (factory)->fanout, "pay0");
  GstElement *bin = gst_bin_new (NULL);

  gst_bin_add (GST_BIN (bin), GST_ELEMENT (feed));
  gst_object_unref (feed);
  return bin;
}

/* The running time of the media's pipeline is media time. */
static GstElement *
rtsp_sink_factory_create_pipeline (GstRTSPMediaFactory * factory,
    GstRTSPMedia * media)
{
  RtspSinkFactory *self = RTSP_SINK_FACTORY (factory);
  g_autoptr (GstClock) clock = NULL;
  GstClockTime epoch;
  GstElement *pipeline;

  pipeline = GST_RTSP_MEDIA_FACTORY_CLASS (rtsp_sink_factory_parent_class)
      ->create_pipeline (factory, media);

  clock = rtsp_sink_media_clock_get
      (rtsp_sink_fanout_get_media_clock (self->fanout), &epoch);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_element_set_start_time (pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (pipeline, epoch);
  return pipeline;
}

static void
tie_to_media (RtspSinkFactory * self, GObject * owner, gpointer made,
    GstRTSPMedia * media)
{
  g_autoptr (GstElement) bin = gst_rtsp_media_get_element (media);
  g_autoptr (GstObject) pipeline = gst_object_get_parent (GST_OBJECT (bin));
  MediaTie *tie = g_new0 (MediaTie, 1);

  tie->factory = g_object_ref (self);
  tie->owner = g_object_ref (owner);
  tie->made = made;
  tie->reserved = TRUE;
  tie->feed = RTSP_SINK_FEED (gst_bin_get_by_name (GST_BIN (bin), "pay0"));

  g_mutex_lock (&self->lock);
  tie->id = ++self->last_id;
  g_mutex_unlock (&self->lock);

  g_object_set_qdata_full (G_OBJECT (media), tie_quark, tie, free_tie);
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (media_element_added), NULL);
  g_signal_connect (media, "new-state", G_CALLBACK (media_new_state), tie);
  g_signal_connect (media, "unprepared", G_CALLBACK (media_unprepared), tie);
  g_signal_connect (media, "handle-message", G_CALLBACK (media_message), tie);
}

static GstRTSPMedia *
rtsp_sink_factory_construct (GstRTSPMediaFactory * factory,
    const GstRTSPUrl * url)
{
  RtspSinkFactory *self = RTSP_SINK_FACTORY (factory);
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);
  GstRTSPMedia *media;
  gpointer made;

  if (!rtsp_sink_descriptors_reserve ()) {
    GST_WARNING_OBJECT (owner, "refusing a viewer: the process has hardly any "
        "file descriptors left (raise the limit with ulimit -n)");
    return NULL;
  }
  /* The library would shout at a create_element that returns nothing. */
  if (owner == NULL || !rtsp_sink_fanout_can_join (self->fanout)
      || (made = self->funcs.media_made (owner)) == NULL) {
    rtsp_sink_descriptors_release ();
    return NULL;
  }

  media = GST_RTSP_MEDIA_FACTORY_CLASS (rtsp_sink_factory_parent_class)
      ->construct (factory, url);
  tie_to_media (self, owner, made, media);
  return media;
}

/* Each viewer its own media: nothing is cached. */
static gchar *
rtsp_sink_factory_gen_key (GstRTSPMediaFactory * factory,
    const GstRTSPUrl * url)
{
  return NULL;
}

static void
rtsp_sink_factory_finalize (GObject * object)
{
  RtspSinkFactory *self = RTSP_SINK_FACTORY (object);

  g_weak_ref_clear (&self->owner);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (rtsp_sink_factory_parent_class)->finalize (object);
}

static void
rtsp_sink_factory_class_init (RtspSinkFactoryClass * klass)
{
  GstRTSPMediaFactoryClass *factory_class = GST_RTSP_MEDIA_FACTORY_CLASS
      (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_factory_debug, "rtspserversink-factory",
      0, "rtspserversink: the viewers' media");
  tie_quark = g_quark_from_static_string ("rtspserversink-media-tie");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_factory_finalize;
  factory_class->gen_key = rtsp_sink_factory_gen_key;
  factory_class->create_element = rtsp_sink_factory_create_element;
  factory_class->create_pipeline = rtsp_sink_factory_create_pipeline;
  factory_class->construct = rtsp_sink_factory_construct;
}

static void
rtsp_sink_factory_init (RtspSinkFactory * self)
{
  GstRTSPMediaFactory *factory = GST_RTSP_MEDIA_FACTORY (self);

  g_mutex_init (&self->lock);
  gst_rtsp_media_factory_set_shared (factory, FALSE);
  gst_rtsp_media_factory_set_suspend_mode (factory, GST_RTSP_SUSPEND_MODE_NONE);
  gst_rtsp_media_factory_set_latency (factory, 0);
  /* AVPF in the SDP would shut out ffmpeg and VLC. */
  gst_rtsp_media_factory_set_profiles (factory, GST_RTSP_PROFILE_AVP);
  gst_rtsp_media_factory_set_protocols (factory,
      GST_RTSP_LOWER_TRANS_UDP | GST_RTSP_LOWER_TRANS_TCP);
  gst_rtsp_media_factory_set_stop_on_disconnect (factory, TRUE);
}

/* What the library makes each media of. All are in Debian's package
 * gstreamer1.0-plugins-good or gstreamer1.0-plugins-base. */
static const struct
{
  const gchar *factory;
  const gchar *package;
} needed[] = {
  {"rtpbin", "gstreamer1.0-plugins-good"},
  {"udpsrc", "gstreamer1.0-plugins-good"},
  {"multiudpsink", "gstreamer1.0-plugins-good"},
  {"appsink", "gstreamer1.0-plugins-base"},
  {"appsrc", "gstreamer1.0-plugins-base"},
};

/**
 * rtsp_sink_factory_check:
 * @error: says what is missing
 *
 * Any thread.
 *
 * Returns: whether media can be made at all
 */
gboolean
rtsp_sink_factory_check (GError ** error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++) {
    g_autoptr (GstElementFactory) factory =
        gst_element_factory_find (needed[i].factory);

    if (factory == NULL) {
      g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
          "The element %s is missing: install the package %s",
          needed[i].factory, needed[i].package);
      return FALSE;
    }
  }
  return TRUE;
}

/**
 * rtsp_sink_factory_new:
 * @fanout: lives as long as @owner
 *
 * Returns: (transfer full): the factory
 */
RtspSinkFactory *
rtsp_sink_factory_new (RtspSinkFanout * fanout,
    const RtspSinkFactoryFuncs * funcs, GObject * owner)
{
  RtspSinkFactory *self = g_object_new (RTSP_TYPE_SINK_FACTORY, NULL);

  self->funcs = *funcs;
  self->fanout = fanout;
  g_weak_ref_init (&self->owner, owner);
  return self;
}
