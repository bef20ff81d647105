/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One media, of one viewer or of many: the library's, with a feed at its
 * beginning and a delivery at its end. Ties the feed to what happens to the
 * viewers: it is open while one of them plays.
 *
 * Viewers' threads, unless marked otherwise; the library holds its own locks
 * (docs/threads-and-locks.md). */

#include "rtspsinkmedia.h"

#include <gst/video/video.h>

#include "rtspsinkdescriptors.h"

/* Hangs on the library's media. */
struct _RtspSinkMedia
{
  /* Constant after construction. */
  RtspSinkMediaConfig config;
  GstRTSPMedia *media;          /* no reference: it owns this */
  RtspSinkFeed *feed;
  RtspSinkDelivery *delivery;

  GMutex lock;
  /* Guarded by lock. While it is held the feed is opened and closed, which
   * takes the fan-out's lock. */
  GObject *owner;               /* a reference, while not gone: keeps the
                                 * fan-out alive */
  gboolean gone;

  gint reserved;                /* atomic: descriptors it is about to take */
  gint failed;                  /* atomic */
  gint kept;                    /* atomic: prepared without viewers, too */
};

static GQuark
media_quark (void)
{
  static gsize quark = 0;

  if (g_once_init_enter (&quark))
    g_once_init_leave (&quark, g_quark_from_static_string
        ("rtspserversink-media"));
  return quark;
}

static void
release_reserve (RtspSinkMedia * self)
{
  if (g_atomic_int_compare_and_exchange (&self->reserved, TRUE, FALSE))
    rtsp_sink_descriptors_release ();
}

/* Once: when the media is unprepared, or else when it is freed. */
static void
untie (RtspSinkMedia * self)
{
  GObject *owner;

  g_mutex_lock (&self->lock);
  owner = g_steal_pointer (&self->owner);
  self->gone = TRUE;
  g_mutex_unlock (&self->lock);

  if (owner == NULL)
    return;
  release_reserve (self);
  rtsp_sink_fanout_leave (self->config.fanout, self->feed);
  g_object_unref (owner);

  /* Last, for a stop that waits for it is done then. */
  self->config.gone (self->config.user_data);
}

static void
free_media (gpointer data)
{
  RtspSinkMedia *self = data;

  untie (self);
  rtsp_sink_delivery_free (self->delivery);
  gst_object_unref (self->feed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* With the media's state lock held. */
static void
media_unprepared (GstRTSPMedia * media, gpointer user_data)
{
  untie (user_data);
}

/* A media in error stays as it is until its last viewer has left. */
static void
fail (RtspSinkMedia * self)
{
  g_autoptr (GPtrArray) senders = NULL;

  /* First, so that who is added from now on finds it. */
  g_atomic_int_set (&self->failed, TRUE);
  senders = rtsp_sink_delivery_ref_senders (self->delivery);
  for (guint i = 0; i < senders->len; i++)
    rtsp_sink_sender_dismiss (g_ptr_array_index (senders, i), "error");
}

/* The bus's thread, with the media's state lock held. */
static gboolean
media_message (GstRTSPMedia * media, GstMessage * message, gpointer user_data)
{
  RtspSinkMedia *self = user_data;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_EOS:
      g_mutex_lock (&self->lock);
      if (!self->gone)
        rtsp_sink_fanout_drained (self->config.fanout, self->feed);
      g_mutex_unlock (&self->lock);
      break;
    case GST_MESSAGE_ERROR:
      fail (self);
      break;
    default:
      break;
  }
  return TRUE;
}

/* What the library makes, and how it differs from the library's choice. */
static const struct
{
  const gchar *factory;
  const gchar *property;
} switched_off[] = {
  /* Packets go out when they come; they carry their time in them. */
  {"multiudpsink", "sync"},
  {"appsink", "sync"},
  /* A sink that is added while others play would wait for a first packet,
   * which the delivery takes. */
  {"multiudpsink", "async"},
  {"appsink", "async"},
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
  RtspSinkMedia *self = user_data;
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = factory != NULL ? GST_OBJECT_NAME (factory) : "";

  for (gsize i = 0; i < G_N_ELEMENTS (switched_off); i++) {
    if (g_str_equal (name, switched_off[i].factory))
      switch_off (G_OBJECT (element), switched_off[i].property);
  }
  /* RTCP over TCP comes by it. Without caps its events would be out of order
   * behind those of RTCP over UDP, which has some. */
  if (g_str_equal (name, "appsrc"))
    gst_util_set_object_arg (G_OBJECT (element), "caps", "application/x-rtcp");
  rtsp_sink_delivery_take_over (self->delivery, element, name);
}

/* Media's thread. */
static void
key_unit_wanted (gboolean to_begin, gpointer user_data)
{
  RtspSinkMedia *self = user_data;

  rtsp_sink_fanout_request_key_unit (self->config.fanout, to_begin ?
      RTSP_SINK_FANOUT_JOIN : RTSP_SINK_FANOUT_RECOVERY);
}

static const RtspSinkDeliveryFuncs delivery_funcs = {
  key_unit_wanted,
};

/* A viewer asks for a key unit by RTCP (PLI, RFC 4585, 6.3.1; FIR, RFC 5104,
 * 4.3.1): the RTP session made an event of it. The media's RTCP thread. */
static GstPadProbeReturn
feedback (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkMedia *self = user_data;

  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info)))
    rtsp_sink_fanout_request_key_unit (self->config.fanout,
        RTSP_SINK_FANOUT_RECOVERY);
  return GST_PAD_PROBE_OK;
}

static void
watch_feed (RtspSinkMedia * self)
{
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (GST_ELEMENT (self->feed), "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, feedback, self,
      NULL);
}

/**
 * rtsp_sink_media_tie:
 * @media: new, with a feed as its "pay0"
 *
 * Reserves descriptors are taken to be reserved.
 *
 * Returns: (transfer none): what belongs to @media, which lives as long
 */
RtspSinkMedia *
rtsp_sink_media_tie (GstRTSPMedia * media, const RtspSinkMediaConfig * config)
{
  g_autoptr (GstElement) bin = gst_rtsp_media_get_element (media);
  g_autoptr (GstObject) pipeline = gst_object_get_parent (GST_OBJECT (bin));
  RtspSinkMedia *self = g_new0 (RtspSinkMedia, 1);

  g_mutex_init (&self->lock);
  self->config = *config;
  self->owner = g_object_ref (config->owner);
  self->media = media;
  self->reserved = TRUE;
  self->feed = RTSP_SINK_FEED (gst_bin_get_by_name (GST_BIN (bin), "pay0"));
  self->delivery = rtsp_sink_delivery_new (&delivery_funcs, self);
  watch_feed (self);

  g_object_set_qdata_full (G_OBJECT (media), media_quark (), self, free_media);
  g_signal_connect (pipeline, "deep-element-added",
      G_CALLBACK (media_element_added), self);
  g_signal_connect (media, "unprepared", G_CALLBACK (media_unprepared), self);
  g_signal_connect (media, "handle-message", G_CALLBACK (media_message), self);
  return self;
}

/**
 * rtsp_sink_media_find:
 *
 * Returns: (transfer none) (nullable): what belongs to @media
 */
RtspSinkMedia *
rtsp_sink_media_find (GstRTSPMedia * media)
{
  return g_object_get_qdata (G_OBJECT (media), media_quark ());
}

static gboolean
is_gone (RtspSinkMedia * self)
{
  gboolean gone;

  g_mutex_lock (&self->lock);
  gone = self->gone;
  g_mutex_unlock (&self->lock);

  return gone;
}

/**
 * rtsp_sink_media_is_over:
 *
 * Any thread.
 *
 * Returns: whether a new viewer would get nothing from it
 */
gboolean
rtsp_sink_media_is_over (RtspSinkMedia * self)
{
  return is_gone (self) || g_atomic_int_get (&self->failed)
      || rtsp_sink_feed_get_gate (self->feed) == RTSP_SINK_FEED_ENDED;
}

/**
 * rtsp_sink_media_set_kept:
 * @kept: TRUE only once it is prepared
 *
 * A media that is kept stays prepared without viewers, for the next one. Any
 * thread, with no lock held.
 */
void
rtsp_sink_media_set_kept (RtspSinkMedia * self, gboolean kept)
{
  gboolean changed;

  if (kept && !gst_rtsp_media_prepare (self->media, NULL))
    return;
  changed = g_atomic_int_compare_and_exchange (&self->kept, !kept, kept);
  /* Prepared once too often: just now for nothing, or to be kept until now. */
  if (changed != kept)
    gst_rtsp_media_unprepare (self->media);
}

/* The feed is open while a viewer plays. */
static void
update_gate (RtspSinkMedia * self)
{
  g_mutex_lock (&self->lock);
  if (!self->gone && rtsp_sink_delivery_is_open (self->delivery))
    rtsp_sink_fanout_open (self->config.fanout, self->feed);
  else if (!self->gone)
    rtsp_sink_fanout_close (self->config.fanout, self->feed);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_media_get_socket:
 *
 * With the media locked.
 *
 * Returns: (transfer none) (nullable): where datagrams for @transport are sent
 *   from
 */
GSocket *
rtsp_sink_media_get_socket (RtspSinkMedia * self,
    GstRTSPStreamTransport * transport)
{
  return rtsp_sink_delivery_get_socket (self->delivery, transport);
}

static gboolean
has_sender (RtspSinkMedia * self, RtspSinkSender * sender)
{
  g_autoptr (GPtrArray) senders =
      rtsp_sink_delivery_ref_senders (self->delivery);

  return g_ptr_array_find (senders, sender, NULL);
}

/**
 * rtsp_sink_media_resume:
 *
 * The viewer of @sender, which played before, asks to play. Its sequence
 * numbers go on (RFC 2326, B). With the media locked.
 */
void
rtsp_sink_media_resume (RtspSinkMedia * self, RtspSinkSender * sender)
{
  rtsp_sink_sender_resume (sender);
  rtsp_sink_feed_announce_seqnum (self->feed,
      rtsp_sink_sender_get_next_seqnum (sender));
}

/**
 * rtsp_sink_media_play:
 *
 * The viewer of @sender is about to be told that it plays. With the media
 * locked.
 *
 * Returns: FALSE if the media is gone, failed, or its stream has ended
 */
gboolean
rtsp_sink_media_play (RtspSinkMedia * self, RtspSinkSender * sender)
{
  if (is_gone (self))
    return FALSE;

  /* It has its sockets now. */
  release_reserve (self);
  if (!has_sender (self, sender))
    rtsp_sink_delivery_add (self->delivery, sender);
  /* What ended before it played would not tell it so. */
  if (rtsp_sink_media_is_over (self))
    return FALSE;
  rtsp_sink_sender_open (sender,
      rtsp_sink_feed_get_announced_seqnum (self->feed));
  update_gate (self);
  rtsp_sink_fanout_request_key_unit (self->config.fanout,
      RTSP_SINK_FANOUT_JOIN);
  return TRUE;
}

/**
 * rtsp_sink_media_pause:
 *
 * The viewer of @sender is about to be paused.
 */
void
rtsp_sink_media_pause (RtspSinkMedia * self, RtspSinkSender * sender)
{
  rtsp_sink_sender_close (sender);
  update_gate (self);
}

/**
 * rtsp_sink_media_leave:
 *
 * The viewer of @sender is gone.
 */
void
rtsp_sink_media_leave (RtspSinkMedia * self, RtspSinkSender * sender)
{
  rtsp_sink_delivery_remove (self->delivery, sender);
  rtsp_sink_sender_stop (sender);
  update_gate (self);
}
