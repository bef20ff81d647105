/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One media, of one viewer or of many: the library's, and its streams, each with a
 * feed at its beginning, a distributor at its end, and the fan-out that feeds it.
 * Ties them to what happens to the viewers: a feed is open while a viewer plays its
 * stream.
 *
 * Viewers' threads, unless marked otherwise; the library holds its own locks
 * (docs/threads-and-locks.md). */

#include "media/media.h"

#include <gst/video/video.h>

#include "base/descriptors.h"
#include "media/distributor.h"
#include "media/libraryelements.h"

/* What hangs on the library's media, and on a feed. */
#define MEDIA "rtspserversink-media"
#define FANOUT "rtspserversink-fanout"

/* Constant after construction, and references each. */
typedef struct
{
  RtspSinkFanout *fanout;
  RtspSinkFeed *feed;
  RtspSinkDistributor *distributor;
} Stream;

/* Hangs on the library's media. */
struct _RtspSinkMedia
{
  /* Constant after construction. */
  RtspSinkMediaConfig config;
  GstRTSPMedia *media;          /* no reference: it owns this */
  GPtrArray *streams;           /* of Stream, as the library numbers them */

  GMutex lock;
  /* Guarded by lock. While it is held feeds are opened and closed, which
   * takes their fan-outs' locks. */
  GObject *owner;               /* a reference, while not gone: what fan-outs
                                 * call lives */
  GPtrArray *viewers;           /* of RtspSinkViewer, which play or are paused */
  gboolean gone;

  gint reserved;                /* atomic: descriptors it is about to take */
  gint failed;                  /* atomic */
  gint kept;                    /* atomic: prepared without viewers, too */
};

static Stream *
get_stream (RtspSinkMedia * self, guint i)
{
  return g_ptr_array_index (self->streams, i);
}

static void
release_reserve (RtspSinkMedia * self)
{
  if (g_atomic_int_compare_and_exchange (&self->reserved, TRUE, FALSE))
    rtsp_sink_descriptors_release (self->streams->len);
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
  for (guint i = 0; i < self->streams->len; i++)
    rtsp_sink_fanout_leave (get_stream (self, i)->fanout,
        get_stream (self, i)->feed);
  g_object_unref (owner);

  /* Last, for a stop that waits for it is done then. */
  self->config.gone (self->config.user_data);
}

static void
free_media (gpointer data)
{
  RtspSinkMedia *self = data;

  untie (self);
  g_ptr_array_unref (self->streams);
  g_ptr_array_unref (self->viewers);
  rtsp_sink_viewers_unref (self->config.viewers);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* With the media's state lock held. */
static void
media_unprepared (GstRTSPMedia * media, gpointer user_data)
{
  untie (user_data);
}

static gpointer
ref_viewer (gconstpointer viewer, gpointer user_data)
{
  return rtsp_sink_viewer_ref ((gpointer) viewer);
}

static void
unref_viewer (gpointer viewer)
{
  rtsp_sink_viewer_unref (viewer);
}

static void
dismiss_viewers (RtspSinkMedia * self, const gchar * reason)
{
  g_autoptr (GPtrArray) viewers = NULL;

  g_mutex_lock (&self->lock);
  viewers = g_ptr_array_copy (self->viewers, ref_viewer, NULL);
  g_mutex_unlock (&self->lock);

  for (guint i = 0; i < viewers->len; i++)
    rtsp_sink_viewer_dismiss (g_ptr_array_index (viewers, i), reason);
}

/* A media in error stays as it is until its last viewer has left. */
static void
fail (RtspSinkMedia * self)
{
  /* First, so that who is added from now on finds it. */
  g_atomic_int_set (&self->failed, TRUE);
  dismiss_viewers (self, "error");
}

static gboolean
has_stream_ended (Stream * stream)
{
  return rtsp_sink_feed_get_gate (stream->feed) == RTSP_SINK_FEED_ENDED;
}

static gboolean
has_ended (RtspSinkMedia * self)
{
  for (guint i = 0; i < self->streams->len; i++) {
    if (!has_stream_ended (get_stream (self, i)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
has_sent (RtspSinkMedia * self)
{
  for (guint i = 0; i < self->streams->len; i++) {
    if (rtsp_sink_distributor_has_sent (get_stream (self, i)->distributor))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_played (RtspSinkMedia * self)
{
  for (guint i = 0; i < self->streams->len; i++) {
    if (rtsp_sink_distributor_is_open (get_stream (self, i)->distributor))
      return TRUE;
  }
  return FALSE;
}

/* The end has left through all streams. */
static void
drained (RtspSinkMedia * self)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->streams->len && !self->gone; i++)
    rtsp_sink_fanout_drained (get_stream (self, i)->fanout,
        get_stream (self, i)->feed);
  g_mutex_unlock (&self->lock);
}

/* The bus's thread, with the media's state lock held. */
static gboolean
media_message (GstRTSPMedia * media, GstMessage * message, gpointer user_data)
{
  RtspSinkMedia *self = user_data;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_EOS:
      drained (self);
      break;
    case GST_MESSAGE_ERROR:
      fail (self);
      break;
    default:
      break;
  }
  return TRUE;
}

static void
media_element_added (GstBin * bin, GstBin * parent, GstElement * element,
    gpointer user_data)
{
  RtspSinkMedia *self = user_data;
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = factory != NULL ? GST_OBJECT_NAME (factory) : "";

  rtsp_sink_library_elements_apply (element, name);
  for (guint i = 0; i < self->streams->len && g_str_equal (name, "rtpbin"); i++)
    rtsp_sink_distributor_take_over (get_stream (self, i)->distributor,
        element);
}

/* The end is told by RTCP BYE. A source that never sent a packet may send none (RFC
 * 3550, 6.3.7), and its viewers would wait for ever: they are closed. Then, and
 * where all viewers are paused, the RTP session does not hear of the end: it would
 * send BYE with the first packet that comes later. Media's thread. */
static GstPadProbeReturn
watch_end (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkMedia *self = user_data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS
      || (has_sent (self) && is_played (self)))
    return GST_PAD_PROBE_OK;
  if (has_ended (self) && !has_sent (self))
    dismiss_viewers (self, "stopped");
  return GST_PAD_PROBE_DROP;
}

/* A viewer asks for a key unit by RTCP (PLI, RFC 4585, 6.3.1; FIR, RFC 5104,
 * 4.3.1): the RTP session made an event of it. The media's RTCP thread. */
static GstPadProbeReturn
feedback (GstPad * pad, GstPadProbeInfo * info, gpointer fanout)
{
  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info)))
    rtsp_sink_fanout_request_key_unit (fanout, RTSP_SINK_FANOUT_RECOVERY);
  return GST_PAD_PROBE_OK;
}

/* The end comes behind what waits. Media's thread. */
static GstPadProbeReturn
finish (GstPad * pad, GstPadProbeInfo * info, gpointer distributor)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    rtsp_sink_distributor_finish (distributor);
  return GST_PAD_PROBE_OK;
}

/* Takes the references. */
static void
add_stream (RtspSinkMedia * self, RtspSinkFanout * fanout, RtspSinkFeed * feed)
{
  Stream *stream = g_new (Stream, 1);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (GST_ELEMENT (feed), "src");

  stream->fanout = fanout;
  stream->feed = feed;
  stream->distributor = rtsp_sink_distributor_new (self->streams->len,
      self->config.feedback, fanout);
  g_ptr_array_add (self->streams, stream);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, feedback, fanout,
      NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, finish,
      stream->distributor, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_end, self,
      NULL);
}

static void
free_stream (gpointer data)
{
  Stream *stream = data;

  rtsp_sink_distributor_free (stream->distributor);
  gst_object_unref (stream->feed);
  rtsp_sink_fanout_unref (stream->fanout);
  g_free (stream);
}

/* The library looks for "pay0", "pay1" and so on. */
static void
join (GstBin * bin, RtspSinkFanout * fanout, guint i)
{
  g_autofree gchar *name = g_strdup_printf ("pay%u", i);
  RtspSinkFeed *feed = rtsp_sink_fanout_join (fanout, name);

  g_object_set_data_full (G_OBJECT (feed), FANOUT,
      rtsp_sink_fanout_ref (fanout), (GDestroyNotify) rtsp_sink_fanout_unref);
  gst_bin_add (bin, GST_ELEMENT (feed));
  gst_object_unref (feed);
}

/**
 * rtsp_sink_media_make_element:
 * @fanouts: of the media's streams; feeds can join each
 *
 * Returns: (transfer floating): what a media is made of, with a feed for each
 *   stream
 */
GstElement *
rtsp_sink_media_make_element (GPtrArray * fanouts)
{
  GstElement *bin = gst_bin_new (NULL);

  for (guint i = 0; i < fanouts->len; i++)
    join (GST_BIN (bin), g_ptr_array_index (fanouts, i), i);
  return bin;
}

static void
add_streams (RtspSinkMedia * self, GstBin * bin)
{
  for (;;) {
    g_autofree gchar *name = g_strdup_printf ("pay%u", self->streams->len);
    GstElement *feed = gst_bin_get_by_name (bin, name);

    if (feed == NULL)
      break;
    add_stream (self, g_object_steal_data (G_OBJECT (feed), FANOUT),
        RTSP_SINK_FEED (feed));
  }
}

/**
 * rtsp_sink_media_tie:
 * @media: new, made of what rtsp_sink_media_make_element() returned
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
  rtsp_sink_viewers_ref (self->config.viewers);
  self->owner = g_object_ref (config->owner);
  self->media = media;
  self->reserved = TRUE;
  self->streams = g_ptr_array_new_with_free_func (free_stream);
  self->viewers = g_ptr_array_new_with_free_func (unref_viewer);
  add_streams (self, GST_BIN (bin));

  g_object_set_data_full (G_OBJECT (media), MEDIA, self, free_media);
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
  return g_object_get_data (G_OBJECT (media), MEDIA);
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

static gboolean
has (RtspSinkMedia * self, gconstpointer fanout)
{
  for (guint i = 0; i < self->streams->len; i++) {
    Stream *stream = get_stream (self, i);

    if (stream->fanout == fanout)
      return !has_stream_ended (stream);
  }
  return FALSE;
}

/**
 * rtsp_sink_media_is_over:
 * @offered: (element-type RtspSinkFanout): what there is
 *
 * Any thread.
 *
 * Returns: whether a new viewer would get other streams from it than @offered
 */
gboolean
rtsp_sink_media_is_over (RtspSinkMedia * self, GPtrArray * offered)
{
  if (is_gone (self) || g_atomic_int_get (&self->failed)
      || self->streams->len != offered->len)
    return TRUE;
  for (guint i = 0; i < offered->len; i++) {
    if (!has (self, g_ptr_array_index (offered, i)))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_media_keep:
 *
 * From now on the media, which is prepared, stays so without viewers, for the next
 * one. Any thread, with no lock held.
 */
void
rtsp_sink_media_keep (RtspSinkMedia * self)
{
  if (!gst_rtsp_media_prepare (self->media, NULL))
    return;
  /* It is kept already. */
  if (!g_atomic_int_compare_and_exchange (&self->kept, FALSE, TRUE))
    gst_rtsp_media_unprepare (self->media);
}

/**
 * rtsp_sink_media_release:
 *
 * The media goes with its last viewer, or now if there is none. Does nothing for one
 * that is not kept. Any thread, with no lock held.
 */
void
rtsp_sink_media_release (RtspSinkMedia * self)
{
  if (g_atomic_int_compare_and_exchange (&self->kept, TRUE, FALSE))
    gst_rtsp_media_unprepare (self->media);
}

/* The feed is open while a viewer plays. */
static void
update_gate (RtspSinkMedia * self, Stream * stream)
{
  g_mutex_lock (&self->lock);
  if (!self->gone && rtsp_sink_distributor_is_open (stream->distributor))
    rtsp_sink_fanout_open (stream->fanout, stream->feed);
  else if (!self->gone)
    rtsp_sink_fanout_close (stream->fanout, stream->feed);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_audio (GstRTSPStream * stream)
{
  g_autoptr (GstCaps) caps = gst_rtsp_stream_get_caps (stream);

  return caps != NULL && g_strcmp0 (gst_structure_get_string
      (gst_caps_get_structure (caps, 0), "media"), "audio") == 0;
}

/* Sound is next to nothing, and waits behind the pictures on the same connection:
 * it comes when these skip. To skip as well would only lose it. */
static GstClockTime
get_max_delay (RtspSinkMedia * self, guint i)
{
  return is_audio (gst_rtsp_media_get_stream (self->media, i)) ?
      2 * self->config.max_delay : self->config.max_delay;
}

/* Returns: NULL if the viewer did not set that stream up */
static RtspSinkSender *
make_sender (RtspSinkMedia * self, const RtspSinkViewerConfig * viewer,
    GstRTSPSessionMedia * session_media, guint i)
{
  GstRTSPStreamTransport *transport =
      gst_rtsp_session_media_get_transport (session_media, i);
  RtspSinkSenderConfig config = {
    .id = viewer->id,
    .peer = viewer->peer,
    .transport = transport,
    .max_delay = get_max_delay (self, i),
  };

  if (transport == NULL)
    return NULL;
  config.socket = rtsp_sink_distributor_get_socket (get_stream (self,
          i)->distributor, transport);
  return rtsp_sink_sender_new (&config);
}

static RtspSinkViewer *
make_viewer (RtspSinkMedia * self, GstRTSPContext * ctx,
    void (*dismiss) (GObject * client, const gchar * reason))
{
  const gchar *ip = gst_rtsp_connection_get_ip (ctx->conn);
  RtspSinkViewerConfig config = {
    .id = rtsp_sink_viewers_next_id (self->config.viewers),
    .peer = ip != NULL ? ip : "unknown",
    .senders = g_ptr_array_new (),
    .dismiss = dismiss,
    .client = G_OBJECT (ctx->client),
  };

  for (guint i = 0; i < self->streams->len; i++)
    g_ptr_array_add (config.senders,
        make_sender (self, &config, ctx->sessmedia, i));
  return rtsp_sink_viewer_new (&config);
}

/* The lower bound of the media time of what a viewer gets first. */
static GstClockTime
get_next_time (Stream * stream)
{
  return MIN (rtsp_sink_feed_get_next_time (stream->feed),
      rtsp_sink_fanout_get_kept_time (stream->fanout));
}

/* One time for all streams: players that have got no sender report yet take
 * what RTP-Info names as of one moment (RFC 2326, 12.33). */
static void
announce_time (RtspSinkMedia * self)
{
  GstClockTime time = GST_CLOCK_TIME_NONE;

  for (guint i = 0; i < self->streams->len; i++)
    time = MIN (time, get_next_time (get_stream (self, i)));
  for (guint i = 0; i < self->streams->len; i++)
    rtsp_sink_feed_announce_time (get_stream (self, i)->feed, time);
}

typedef void (*SenderFunc) (RtspSinkMedia * self, Stream * stream,
    RtspSinkViewer * viewer, RtspSinkSender * sender);

static void
for_each_sender (RtspSinkMedia * self, RtspSinkViewer * viewer, SenderFunc func)
{
  for (guint i = 0; i < self->streams->len; i++) {
    RtspSinkSender *sender = rtsp_sink_viewer_get_sender (viewer, i);

    if (sender != NULL)
      func (self, get_stream (self, i), viewer, sender);
  }
}

/* Its sequence numbers go on (RFC 2326, B). */
static void
resume (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  rtsp_sink_sender_resume (sender);
  rtsp_sink_feed_announce_seqnum (stream->feed,
      rtsp_sink_sender_get_next_seqnum (sender));
}

/**
 * rtsp_sink_media_prepare_play:
 * @viewer: (nullable): the viewer, if it played before
 *
 * A viewer asks to play. With the media locked.
 */
void
rtsp_sink_media_prepare_play (RtspSinkMedia * self, RtspSinkViewer * viewer)
{
  announce_time (self);
  if (viewer != NULL)
    for_each_sender (self, viewer, resume);
}

static void
attach (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  rtsp_sink_distributor_add (stream->distributor, sender);
  if (rtsp_sink_distributor_can_go_on (stream->distributor))
    rtsp_sink_fanout_go_on (stream->fanout, stream->feed);
}

/* A viewer that was just let in needs a key unit. */
static void
let_in (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  gboolean opened = rtsp_sink_sender_open (sender,
      rtsp_sink_feed_get_announced_seqnum (stream->feed));

  update_gate (self, stream);
  if (opened && !rtsp_sink_fanout_is_keeping (stream->fanout))
    rtsp_sink_sender_set_costs (sender, rtsp_sink_fanout_request_first
        (stream->fanout, rtsp_sink_viewer_get_peer (viewer)));
}

/* Does nothing for a viewer that was added before. */
static void
add_viewer (RtspSinkMedia * self, RtspSinkViewer * viewer)
{
  g_mutex_lock (&self->lock);
  if (!g_ptr_array_find (self->viewers, viewer, NULL))
    g_ptr_array_add (self->viewers, rtsp_sink_viewer_ref (viewer));
  g_mutex_unlock (&self->lock);
}

/* The caller holds a reference to @viewer. */
static void
remove_viewer (RtspSinkMedia * self, RtspSinkViewer * viewer,
    const gchar * reason)
{
  g_mutex_lock (&self->lock);
  g_ptr_array_remove_fast (self->viewers, viewer);
  g_mutex_unlock (&self->lock);

  rtsp_sink_viewers_remove (self->config.viewers, viewer, reason);
}

/**
 * rtsp_sink_media_play:
 *
 * The viewer is about to be told that it plays. With the media locked.
 *
 * Returns: FALSE if the media is gone, failed, or its stream has ended
 */
gboolean
rtsp_sink_media_play (RtspSinkMedia * self, RtspSinkViewer * viewer)
{
  if (is_gone (self))
    return FALSE;

  /* It has its sockets now. */
  release_reserve (self);
  add_viewer (self, viewer);
  for_each_sender (self, viewer, attach);
  /* What ended before it played would not tell it so. */
  if (g_atomic_int_get (&self->failed) || has_ended (self))
    return FALSE;
  for_each_sender (self, viewer, let_in);
  return TRUE;
}

static void
detach (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  rtsp_sink_distributor_remove (stream->distributor, sender);
}

/**
 * rtsp_sink_media_admit:
 * @ctx: of a PLAY request for streams that are set up
 * @dismiss: closes the client of @ctx
 *
 * As rtsp_sink_media_play(), for a viewer that did not play yet. If it cannot, it
 * takes no place, nobody is told of it, and its transports may be played again.
 * With the media locked.
 *
 * Returns: (transfer full) (nullable): the viewer
 */
RtspSinkViewer *
rtsp_sink_media_admit (RtspSinkMedia * self, GstRTSPContext * ctx,
    void (*dismiss) (GObject * client, const gchar * reason))
{
  g_autoptr (RtspSinkViewer) viewer = make_viewer (self, ctx, dismiss);

  if (!rtsp_sink_viewers_add (self->config.viewers, viewer))
    return NULL;
  if (!rtsp_sink_media_play (self, viewer)) {
    for_each_sender (self, viewer, detach);
    remove_viewer (self, viewer, NULL);
    return NULL;
  }
  rtsp_sink_viewers_tell_added (self->config.viewers, viewer);
  return g_steal_pointer (&viewer);
}

/* It begins with what was kept, if that is wanted. */
static void
start (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  g_autoptr (GPtrArray) group = NULL;

  rtsp_sink_sender_start (sender);
  if (!rtsp_sink_fanout_is_keeping (stream->fanout)
      || !rtsp_sink_sender_hold (sender))
    return;
  group = rtsp_sink_fanout_begin (stream->fanout, stream->feed);
  rtsp_sink_sender_begin (sender, group, g_get_monotonic_time () * GST_USECOND);
}

/**
 * rtsp_sink_media_start:
 *
 * The viewer was told that it plays.
 */
void
rtsp_sink_media_start (RtspSinkMedia * self, RtspSinkViewer * viewer)
{
  for_each_sender (self, viewer, start);
}

/* After the sender was closed. */
static void
closed (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  if (rtsp_sink_sender_set_costs (sender, FALSE))
    rtsp_sink_fanout_viewer_gone (stream->fanout,
        rtsp_sink_viewer_get_peer (viewer));
  update_gate (self, stream);
}

static void
pause_sender (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  rtsp_sink_sender_close (sender);
  closed (self, stream, viewer, sender);
}

/**
 * rtsp_sink_media_pause:
 *
 * The viewer is about to be paused.
 */
void
rtsp_sink_media_pause (RtspSinkMedia * self, RtspSinkViewer * viewer)
{
  for_each_sender (self, viewer, pause_sender);
}

static void
leave (RtspSinkMedia * self, Stream * stream, RtspSinkViewer * viewer,
    RtspSinkSender * sender)
{
  detach (self, stream, viewer, sender);
  rtsp_sink_sender_stop (sender);
  closed (self, stream, viewer, sender);
}

/**
 * rtsp_sink_media_leave:
 * @reason: a static string
 *
 * The viewer is gone.
 */
void
rtsp_sink_media_leave (RtspSinkMedia * self, RtspSinkViewer * viewer,
    const gchar * reason)
{
  for_each_sender (self, viewer, leave);
  remove_viewer (self, viewer, reason);
}
