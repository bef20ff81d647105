/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The network half of one element: its mount on a server, the factory of its
 * media, its viewers, and what the bus is told of viewers.
 *
 * Started and stopped by the element's state changes; called on viewers'
 * threads in between. */

#include "element/endpoint.h"

#include "base/allowance.h"
#include "base/descriptors.h"
#include "base/errors.h"
#include "media/factory.h"
#include "element/messages.h"
#include "server/mountpath.h"
#include "server/registry.h"
#include "server/transports.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_endpoint_debug);
#define GST_CAT_DEFAULT rtsp_sink_endpoint_debug

gint64 rtsp_sink_endpoint_warning_interval = 10 * G_TIME_SPAN_SECOND;

/* It is told of refused viewers at most once in this time, for each reason. */
#define REFUSED_INTERVAL (1 * G_TIME_SPAN_SECOND)

typedef enum
{
  REFUSED_MAX_VIEWERS,
  REFUSED_DESCRIPTORS,
  N_REFUSED
} Refused;

static const struct
{
  const gchar *reason;
  const gchar *phrase;
} refused[N_REFUSED] = {
  {"max-viewers", "Too Many Viewers"},
  {"descriptors", "Out Of File Descriptors"},
};

/* Viewers that were refused for one reason. */
typedef struct
{
  guint count;                  /* the bus was not told of so many */
  gchar *peer;                  /* the newest of them, NULL: none */
  RtspSinkAllowance told;
} RefusedViewers;

struct _RtspSinkEndpoint
{
  /* Constant after construction. */
  GstElement *element;          /* owns this */
  RtspSinkStreams *streams;
  RtspSinkViewers *viewers;

  /* Written by state changes, which GStreamer serialises. */
  RtspSinkServer *server;
  RtspSinkFactory *factory;

  GMutex lock;
  /* Guarded by lock. Nothing is called while it is held. */
  RtspSinkMount *mount;         /* NULL: not serving */
  guint port;                   /* 0: not listening */
  gchar *uri;                   /* NULL: not listening */
  RtspSinkAllowance warned;
  RefusedViewers refused[N_REFUSED];

  RtspSinkMessages messages;
};

/* @now: monotonic time; 0: tells them now, however often that was. */
static void
tell_refused (RtspSinkEndpoint * self, Refused i, gint64 now)
{
  RefusedViewers *viewers = &self->refused[i];
  g_autofree gchar *peer = NULL;
  guint count = 0;

  g_mutex_lock (&self->lock);
  if (viewers->peer != NULL && (now == 0
          || rtsp_sink_allowance_take (&viewers->told, now, REFUSED_INTERVAL,
              1))) {
    peer = g_steal_pointer (&viewers->peer);
    count = viewers->count;
    viewers->count = 0;
  }
  g_mutex_unlock (&self->lock);

  if (peer != NULL)
    rtsp_sink_messages_post (&self->messages, self->element,
        gst_structure_new ("rtspserversink-viewer-refused",
            "peer", G_TYPE_STRING, peer,
            "reason", G_TYPE_STRING, refused[i].reason,
            "text", G_TYPE_STRING, refused[i].phrase,
            "count", G_TYPE_UINT, count, NULL));
}

static void
refuse (RtspSinkEndpoint * self, Refused i, const gchar * peer)
{
  RefusedViewers *viewers = &self->refused[i];

  g_mutex_lock (&self->lock);
  viewers->count++;
  g_free (viewers->peer);
  viewers->peer = g_strdup (peer);
  g_mutex_unlock (&self->lock);

  tell_refused (self, i, g_get_monotonic_time ());
}

/* Viewers that were refused before are told of first. */
static void
post_viewer (RtspSinkEndpoint * self, const gchar * name,
    RtspSinkViewer * viewer, const gchar * reason)
{
  GstStructure *structure = gst_structure_new (name,
      "id", G_TYPE_UINT, rtsp_sink_viewer_get_id (viewer),
      "peer", G_TYPE_STRING, rtsp_sink_viewer_get_peer (viewer),
      "transport", G_TYPE_STRING,
      rtsp_sink_viewer_get_transport_name (viewer), NULL);

  for (guint i = 0; i < N_REFUSED; i++)
    tell_refused (self, i, 0);
  if (reason != NULL)
    gst_structure_set (structure, "reason", G_TYPE_STRING, reason, NULL);
  rtsp_sink_messages_post (&self->messages, self->element, structure);
}

/* Viewer's thread. */
static void
viewer_added (RtspSinkViewer * viewer, gpointer user_data)
{
  RtspSinkEndpoint *self = user_data;

  GST_INFO_OBJECT (self->element, "viewer %u from '%s' plays over %s",
      rtsp_sink_viewer_get_id (viewer),
      rtsp_sink_viewer_get_peer (viewer),
      rtsp_sink_viewer_get_transport_name (viewer));
  post_viewer (self, "rtspserversink-viewer-added", viewer, NULL);
}

/* Viewer's thread. */
static void
viewer_removed (RtspSinkViewer * viewer, const gchar * reason,
    gpointer user_data)
{
  RtspSinkEndpoint *self = user_data;

  GST_INFO_OBJECT (self->element, "viewer %u from '%s' is gone: %s",
      rtsp_sink_viewer_get_id (viewer),
      rtsp_sink_viewer_get_peer (viewer), reason);
  post_viewer (self, "rtspserversink-viewer-removed", viewer, reason);
}

static const RtspSinkViewersFuncs viewers_funcs = {
  viewer_added,
  viewer_removed,
};

static RtspSinkMount *
ref_mount (RtspSinkEndpoint * self)
{
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  mount = self->mount != NULL ? rtsp_sink_mount_ref (self->mount) : NULL;
  g_mutex_unlock (&self->lock);

  return mount;
}

/**
 * rtsp_sink_endpoint_changed:
 *
 * Whether viewers can be told what they will get has changed. Any thread.
 */
void
rtsp_sink_endpoint_changed (RtspSinkEndpoint * self)
{
  RtspSinkMount *mount = ref_mount (self);

  if (mount == NULL)
    return;
  rtsp_sink_mount_changed (mount);
  rtsp_sink_mount_unref (mount);
}

/* Viewer's thread. */
static gpointer
media_made (gpointer user_data)
{
  RtspSinkMount *mount = ref_mount (user_data);

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

/* Viewer's thread. */
static gboolean
mount_is_ready (gboolean late, gpointer user_data)
{
  RtspSinkEndpoint *self = user_data;

  return rtsp_sink_streams_is_ready (self->streams, late);
}

static void
warn_of_descriptors (RtspSinkEndpoint * self)
{
  gboolean due;

  g_mutex_lock (&self->lock);
  due = rtsp_sink_allowance_take (&self->warned, g_get_monotonic_time (),
      rtsp_sink_endpoint_warning_interval, 1);
  g_mutex_unlock (&self->lock);

  if (due)
    rtsp_sink_messages_post_warning (&self->messages, self->element,
        "Refusing viewers: the process has hardly any file descriptors left. "
        "Raise its limit (ulimit -n) or set shared=true.");
}

/* Those for a media that was made are reserved. */
static gboolean
lacks_descriptors (RtspSinkMountStage stage)
{
  switch (stage) {
    case RTSP_SINK_MOUNT_ASKS:
      return rtsp_sink_descriptors_are_short ();
    case RTSP_SINK_MOUNT_HAS_NONE:
      return rtsp_sink_descriptors_are_tight ();
    default:
      return FALSE;
  }
}

/* Viewer's thread. */
static const gchar *
mount_refuse (const gchar * peer, RtspSinkMountStage stage, gpointer user_data)
{
  RtspSinkEndpoint *self = user_data;
  gboolean full = rtsp_sink_viewers_is_full (self->viewers);
  Refused why = full ? REFUSED_MAX_VIEWERS : REFUSED_DESCRIPTORS;

  if (!full && !lacks_descriptors (stage))
    return NULL;
  if (!full)
    warn_of_descriptors (self);
  refuse (self, why, peer);
  return refused[why].phrase;
}

/* Server's thread. */
static void
mount_lacks_descriptors (gpointer user_data)
{
  warn_of_descriptors (user_data);
}

static const RtspSinkMountFuncs mount_funcs = {
  mount_is_ready,
  mount_refuse,
  mount_lacks_descriptors,
};

static gboolean
make_factory (RtspSinkEndpoint * self, const RtspSinkSettings * settings,
    GError ** error)
{
  RtspSinkFactoryConfig config = {
    .funcs = {media_made, media_gone},
    .user_data = self,
    .owner = G_OBJECT (self->element),
    .streams = self->streams,
    .viewers = self->viewers,
    .shared = settings->shared,
    .multicast = rtsp_sink_transports_has_multicast (settings),
    .feedback = rtsp_sink_transports_has_feedback (settings),
    .max_delay = settings->viewer_max_delay * GST_MSECOND,
  };
  RtspSinkFactory *factory = rtsp_sink_factory_new (&config);

  rtsp_sink_viewers_set_max (self->viewers, settings->max_viewers);
  self->factory = factory;
  return rtsp_sink_transports_configure (GST_RTSP_MEDIA_FACTORY (factory),
      settings, error);
}

static void
set_mount (RtspSinkEndpoint * self, RtspSinkMount * mount)
{
  g_mutex_lock (&self->lock);
  self->mount = mount;
  g_mutex_unlock (&self->lock);
}

/* Once it is added clients may come, whose media are counted at the mount. */
static gboolean
add_mount (RtspSinkEndpoint * self, const gchar * path,
    const RtspSinkSettings * settings, GError ** error)
{
  RtspSinkMountLimits limits = {
    settings->session_timeout,
    (gint64) settings->viewer_stall_timeout * G_TIME_SPAN_MILLISECOND,
  };
  RtspSinkMount *mount = rtsp_sink_mount_new (path, &mount_funcs, &limits,
      G_OBJECT (self->element), self);

  set_mount (self, mount);
  if (!rtsp_sink_server_add_mount (self->server, mount,
          GST_RTSP_MEDIA_FACTORY (self->factory), error)) {
    set_mount (self, NULL);
    rtsp_sink_mount_unref (mount);
    return FALSE;
  }

  g_mutex_lock (&self->lock);
  self->port = rtsp_sink_server_get_port (self->server);
  self->uri = rtsp_sink_mount_path_to_uri (path, settings->address, self->port);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/**
 * rtsp_sink_endpoint_start:
 *
 * Listens, and posts an error if it cannot; stop it then. Application's
 * thread.
 *
 * Returns: whether it serves
 */
gboolean
rtsp_sink_endpoint_start (RtspSinkEndpoint * self,
    const RtspSinkSettings * settings)
{
  g_autoptr (GError) error = NULL;
  g_autofree gchar *path =
      rtsp_sink_mount_path_from_mount (settings->mount, &error);

  if (path == NULL || !make_factory (self, settings, &error)) {
    rtsp_sink_errors_post_mount (self->element, settings, error);
    return FALSE;
  }

  self->server = rtsp_sink_registry_acquire (settings->address ?
      settings->address : "", settings->port, &error);
  if (self->server == NULL) {
    rtsp_sink_errors_post_listen (self->element, settings, error);
    return FALSE;
  }

  if (!add_mount (self, path, settings, &error)) {
    rtsp_sink_errors_post_mount (self->element, settings, error);
    return FALSE;
  }
  return TRUE;
}

/**
 * rtsp_sink_endpoint_stop:
 *
 * Closes the viewers' connections and the port, if nobody else serves on it.
 * Application's thread.
 */
void
rtsp_sink_endpoint_stop (RtspSinkEndpoint * self)
{
  RtspSinkMount *mount;

  g_mutex_lock (&self->lock);
  self->port = 0;
  g_clear_pointer (&self->uri, g_free);
  mount = self->mount;
  g_mutex_unlock (&self->lock);

  /* Media that go tell the mount: it is forgotten only when they are gone. */
  if (mount != NULL) {
    rtsp_sink_factory_stop (self->factory);
    rtsp_sink_server_remove_mount (self->server, mount);
  }

  for (guint i = 0; i < N_REFUSED; i++)
    tell_refused (self, i, 0);

  set_mount (self, NULL);
  g_clear_object (&self->factory);
  if (mount != NULL)
    rtsp_sink_mount_unref (mount);
  g_clear_pointer (&self->server, rtsp_sink_registry_release);
}

/**
 * rtsp_sink_endpoint_get_port:
 *
 * Any thread.
 *
 * Returns: the port that is listened on, or 0
 */
guint
rtsp_sink_endpoint_get_port (RtspSinkEndpoint * self)
{
  guint port;

  g_mutex_lock (&self->lock);
  port = self->port;
  g_mutex_unlock (&self->lock);

  return port;
}

/**
 * rtsp_sink_endpoint_dup_uri:
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): the URL of the stream
 */
gchar *
rtsp_sink_endpoint_dup_uri (RtspSinkEndpoint * self)
{
  gchar *uri;

  g_mutex_lock (&self->lock);
  uri = g_strdup (self->uri);
  g_mutex_unlock (&self->lock);

  return uri;
}

/**
 * rtsp_sink_endpoint_get_viewers:
 *
 * Any thread.
 *
 * Returns: (transfer none): the viewers
 */
RtspSinkViewers *
rtsp_sink_endpoint_get_viewers (RtspSinkEndpoint * self)
{
  return self->viewers;
}

/**
 * rtsp_sink_endpoint_new:
 * @element: owns the service
 * @streams: live as long
 *
 * Returns: (transfer full): a service that does not run
 */
RtspSinkEndpoint *
rtsp_sink_endpoint_new (GstElement * element, RtspSinkStreams * streams)
{
  RtspSinkEndpoint *self = g_new0 (RtspSinkEndpoint, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_endpoint_debug, "rtspserversink-endpoint",
      0, "rtspserversink: what is served, and to whom");

  self->element = element;
  self->streams = streams;
  self->viewers = rtsp_sink_viewers_new (&viewers_funcs, G_OBJECT (element),
      self);
  g_mutex_init (&self->lock);
  rtsp_sink_messages_init (&self->messages);
  return self;
}

void
rtsp_sink_endpoint_free (RtspSinkEndpoint * self)
{
  rtsp_sink_viewers_unref (self->viewers);
  rtsp_sink_messages_clear (&self->messages);
  for (guint i = 0; i < N_REFUSED; i++)
    g_free (self->refused[i].peer);
  g_mutex_clear (&self->lock);
  g_free (self);
}
