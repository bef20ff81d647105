/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Makes media of the encoded streams: one for each viewer, or one that all viewers
 * share.
 *
 * Viewers' threads, unless marked otherwise; the library holds its own locks
 * (docs/threads-and-locks.md). */

#include "media/factory.h"

#include "base/descriptors.h"
#include "base/elements.h"

struct _RtspSinkFactory
{
  GstRTSPMediaFactory parent;

  /* Constant after construction. */
  RtspSinkFactoryConfig config; /* without owner */
  GWeakRef owner;

  GMutex lock;
  /* Guarded by lock. While it is held a media may be asked whether it is over,
   * which takes its lock and its feed's; nothing else is called. */
  GstRTSPMedia *shared;         /* which new viewers share; NULL: none yet */
  guint generation;             /* of the shared media */
  guint n_own;                  /* media of one viewer each */
  gboolean stopped;
};

G_DEFINE_FINAL_TYPE (RtspSinkFactory, rtsp_sink_factory,
    GST_TYPE_RTSP_MEDIA_FACTORY);

/* What the factory is told when a media is gone. */
typedef struct
{
  RtspSinkFactory *factory;
  gpointer made;
  gboolean shared;
} Made;

/* The library asks for the key of a media and then makes it, on one thread: is
 * the media to be shared? */
static GPrivate next_is_shared;

/* While a media is made on this thread: the fan-outs of its streams. */
static GPrivate next_streams;

static void
media_gone (gpointer user_data)
{
  Made *made = user_data;
  RtspSinkFactory *self = made->factory;

  g_mutex_lock (&self->lock);
  if (!made->shared)
    self->n_own--;
  g_mutex_unlock (&self->lock);

  self->config.funcs.media_gone (made->made);
  g_object_unref (self);
  g_free (made);
}

static RtspSinkMedia *
tie_media (RtspSinkFactory * self, GObject * owner, gpointer made,
    GstRTSPMedia * media, gboolean shared)
{
  Made *data = g_new (Made, 1);
  RtspSinkMediaConfig config = {
    .owner = owner,
    .gone = media_gone,
    .user_data = data,
    .viewers = self->config.viewers,
    .max_delay = self->config.max_delay,
    .feedback = self->config.feedback,
  };

  data->factory = g_object_ref (self);
  data->made = made;
  data->shared = shared;
  g_mutex_lock (&self->lock);
  if (!shared)
    self->n_own++;
  g_mutex_unlock (&self->lock);

  return rtsp_sink_media_tie (media, &config);
}

static gboolean
is_shared (RtspSinkFactory * self, GstRTSPMedia * media)
{
  gboolean shared;

  g_mutex_lock (&self->lock);
  shared = self->shared == media;
  g_mutex_unlock (&self->lock);

  return shared;
}

/* Shared media are kept while the element runs: the next viewer begins at
 * once, and one who comes as the last one leaves is not refused. */
static void
shared_prepared (GstRTSPMedia * media, gpointer user_data)
{
  RtspSinkFactory *self = user_data;
  gboolean keep = is_shared (self, media);

  if (keep)
    rtsp_sink_media_keep (rtsp_sink_media_find (media));
  /* It may have been let go meanwhile. */
  if (keep && !is_shared (self, media))
    rtsp_sink_media_release (rtsp_sink_media_find (media));
}

static void
share (RtspSinkFactory * self, GstRTSPMedia * media)
{
  g_mutex_lock (&self->lock);
  if (!self->stopped && self->shared == NULL)
    self->shared = g_object_ref (media);
  g_mutex_unlock (&self->lock);

  g_signal_connect_object (media, "prepared", G_CALLBACK (shared_prepared),
      self, 0);
}

/* The media is not kept any more, and goes with its last viewer. */
static void
let_go (GstRTSPMedia * media)
{
  rtsp_sink_media_release (rtsp_sink_media_find (media));
  g_object_unref (media);
}

/* New viewers share a new media when the old one does not have for them what
 * there is. */
static void
renew_shared (RtspSinkFactory * self)
{
  g_autoptr (GPtrArray) offered =
      rtsp_sink_streams_ref_offered (self->config.streams);
  GstRTSPMedia *over = NULL;

  g_mutex_lock (&self->lock);
  if (self->shared != NULL
      && rtsp_sink_media_is_over (rtsp_sink_media_find (self->shared),
          offered)) {
    over = g_steal_pointer (&self->shared);
    self->generation++;
  }
  g_mutex_unlock (&self->lock);

  if (over != NULL)
    let_go (over);
}

/**
 * rtsp_sink_factory_stop:
 *
 * Makes no media any more, and keeps none. Application's thread.
 */
void
rtsp_sink_factory_stop (RtspSinkFactory * self)
{
  GstRTSPMedia *shared;

  g_mutex_lock (&self->lock);
  self->stopped = TRUE;
  shared = g_steal_pointer (&self->shared);
  g_mutex_unlock (&self->lock);

  if (shared != NULL)
    let_go (shared);
}

static gboolean
wants_shared (RtspSinkFactory * self)
{
  gboolean shared;

  if (self->config.shared != GST_RTSP_SERVER_SINK_SHARED_AUTO)
    return self->config.shared == GST_RTSP_SERVER_SINK_SHARED_TRUE;

  g_mutex_lock (&self->lock);
  shared = self->n_own >= RTSP_SINK_FACTORY_OWN_MEDIA;
  g_mutex_unlock (&self->lock);

  return shared || self->config.multicast || rtsp_sink_descriptors_are_tight ();
}

/* The key of what is shared; NULL: each viewer its own. No lock held. */
static gchar *
rtsp_sink_factory_gen_key (GstRTSPMediaFactory * factory,
    const GstRTSPUrl * url)
{
  RtspSinkFactory *self = RTSP_SINK_FACTORY (factory);
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);
  gboolean shared = wants_shared (self);
  guint generation;

  /* The streams belong to the owner: without it no media is made. */
  if (owner == NULL)
    return NULL;
  g_private_set (&next_is_shared, GINT_TO_POINTER (shared));
  if (!shared)
    return NULL;

  renew_shared (self);
  g_mutex_lock (&self->lock);
  generation = self->generation;
  g_mutex_unlock (&self->lock);

  return g_strdup_printf ("shared-%u", generation);
}

static GstElement *
rtsp_sink_factory_create_element (GstRTSPMediaFactory * factory,
    const GstRTSPUrl * url)
{
  return rtsp_sink_media_make_element (g_private_get (&next_streams));
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
      (rtsp_sink_streams_get_media_clock (self->config.streams), &epoch);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_element_set_start_time (pipeline, GST_CLOCK_TIME_NONE);
  gst_element_set_base_time (pipeline, epoch);
  return pipeline;
}

static GstRTSPMedia *
make_media (RtspSinkFactory * self, const GstRTSPUrl * url, GObject * owner,
    GPtrArray * offered, gpointer made)
{
  gboolean shared = GPOINTER_TO_INT (g_private_get (&next_is_shared));
  GstRTSPMedia *media;

  g_private_set (&next_streams, offered);
  media = GST_RTSP_MEDIA_FACTORY_CLASS (rtsp_sink_factory_parent_class)
      ->construct (GST_RTSP_MEDIA_FACTORY (self), url);
  g_private_set (&next_streams, NULL);
  tie_media (self, owner, made, media, shared);
  if (shared)
    share (self, media);
  return media;
}

static gboolean
is_stopped (RtspSinkFactory * self)
{
  gboolean stopped;

  g_mutex_lock (&self->lock);
  stopped = self->stopped;
  g_mutex_unlock (&self->lock);

  return stopped;
}

static GstRTSPMedia *
rtsp_sink_factory_construct (GstRTSPMediaFactory * factory,
    const GstRTSPUrl * url)
{
  RtspSinkFactory *self = RTSP_SINK_FACTORY (factory);
  g_autoptr (GObject) owner = g_weak_ref_get (&self->owner);
  g_autoptr (GPtrArray) offered = NULL;
  gpointer made;

  if (owner == NULL)
    return NULL;
  offered = rtsp_sink_streams_ref_offered (self->config.streams);
  /* The library would shout at a create_element that returns nothing. */
  if (offered->len == 0 || !rtsp_sink_descriptors_reserve (offered->len))
    return NULL;
  if (is_stopped (self)
      || (made = self->config.funcs.media_made (self->config.user_data))
      == NULL) {
    rtsp_sink_descriptors_release (offered->len);
    return NULL;
  }
  return make_media (self, url, owner, offered, made);
}

/* The key says what is shared; the library caches only media that are. */
static void
rtsp_sink_factory_configure (GstRTSPMediaFactory * factory,
    GstRTSPMedia * media)
{
  GST_RTSP_MEDIA_FACTORY_CLASS (rtsp_sink_factory_parent_class)->configure
      (factory, media);
  gst_rtsp_media_set_shared (media,
      GPOINTER_TO_INT (g_private_get (&next_is_shared)));
}

static void
rtsp_sink_factory_finalize (GObject * object)
{
  RtspSinkFactory *self = RTSP_SINK_FACTORY (object);

  g_clear_pointer (&self->config.viewers, rtsp_sink_viewers_unref);
  g_weak_ref_clear (&self->owner);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (rtsp_sink_factory_parent_class)->finalize (object);
}

static void
rtsp_sink_factory_class_init (RtspSinkFactoryClass * klass)
{
  GstRTSPMediaFactoryClass *factory_class = GST_RTSP_MEDIA_FACTORY_CLASS
      (klass);

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_factory_finalize;
  factory_class->gen_key = rtsp_sink_factory_gen_key;
  factory_class->create_element = rtsp_sink_factory_create_element;
  factory_class->create_pipeline = rtsp_sink_factory_create_pipeline;
  factory_class->construct = rtsp_sink_factory_construct;
  factory_class->configure = rtsp_sink_factory_configure;
}

static void
rtsp_sink_factory_init (RtspSinkFactory * self)
{
  GstRTSPMediaFactory *factory = GST_RTSP_MEDIA_FACTORY (self);

  g_mutex_init (&self->lock);
  gst_rtsp_media_factory_set_suspend_mode (factory, GST_RTSP_SUSPEND_MODE_NONE);
  gst_rtsp_media_factory_set_latency (factory, 0);
  gst_rtsp_media_factory_set_stop_on_disconnect (factory, TRUE);
}

/* What the library makes each media of. */
static const gchar *const needed[] = {
  "rtpbin", "udpsrc", "multiudpsink", "appsink", "appsrc",
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
    if (!rtsp_sink_elements_check (needed[i], error))
      return FALSE;
  }
  return TRUE;
}

/**
 * rtsp_sink_factory_new:
 * @config: its streams live as long as its owner
 *
 * Returns: (transfer full): the factory
 */
RtspSinkFactory *
rtsp_sink_factory_new (const RtspSinkFactoryConfig * config)
{
  RtspSinkFactory *self = g_object_new (RTSP_SINK_TYPE_FACTORY, NULL);

  self->config = *config;
  self->config.owner = NULL;
  rtsp_sink_viewers_ref (self->config.viewers);
  g_weak_ref_init (&self->owner, config->owner);
  return self;
}
