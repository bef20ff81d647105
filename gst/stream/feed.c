/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The way into a media: its source, standing where the library expects a
 * payloader ("pay0"), because the packets come payloaded already. It lets
 * access units through while one of the media's viewers plays, from a key
 * unit on.
 *
 * Not an appsrc: GstBaseSrc releases a buffer that is not there when a media
 * pauses while it holds a list (up to 1.28), and what waits when the last
 * viewer pauses must be dropped at once, which an appsrc cannot.
 *
 * Pushed to on the encoder's thread, opened and closed on viewers' threads;
 * its own thread takes from the queue. Pushing never blocks. */

#include "stream/feed.h"

#include "stream/feedqueue.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_feed_debug);
#define GST_CAT_DEFAULT rtsp_sink_feed_debug

/* Fields of RTP caps that may change under a viewer: H.264 and H.265 tell of
 * them in the stream itself, RTP and its times go on regardless. */
static const gchar *const in_band[] = {
  "sprop-parameter-sets", "profile-level-id", "profile",
  "sprop-vps", "sprop-sps", "sprop-pps", "a-framerate", "ssrc",
  "timestamp-offset", "seqnum-offset",
};

struct _RtspSinkFeed
{
  GstElement parent;

  /* Constant after construction. */
  RtspSinkMediaClock *media_clock;
  GstPad *srcpad;

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. Nothing is called out while it is held. */
  RtspSinkFeedQueue queue;
  GstClockTime sending;         /* PTS of what the media is given, or NONE */
  gboolean flushing;            /* the pad is not active */
  RtspSinkFeedGate gate;
  guint16 next_seqnum;          /* of the packets that come */
  GstClockTime announced_time;  /* media time in the next RTP-Info; NONE: not
                                 * said yet */
  guint16 announced_seqnum;     /* in the last RTP-Info */
  gboolean announce_own;        /* it is another than next_seqnum */
  GstCaps *caps;                /* of the packets */
  guint payload_type;
  guint clock_rate;
  guint32 rtp_offset;           /* RTP time of media time 0 */
};

enum
{
  PROP_PT = 1,
  PROP_STATS,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (RtspSinkFeed, rtsp_sink_feed, GST_TYPE_ELEMENT);

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

static void
enqueue_locked (RtspSinkFeed * self, gpointer item)
{
  rtsp_sink_feed_queue_push (&self->queue, item,
      rtsp_sink_media_clock_now (self->media_clock));
  g_cond_broadcast (&self->cond);
}

static guint32
rtp_time_locked (RtspSinkFeed * self, GstClockTime time)
{
  return self->rtp_offset + (guint32) gst_util_uint64_scale_int (time,
      self->clock_rate, GST_SECOND);
}

static GstClockTime
list_time (GstBufferList * packets)
{
  return packets != NULL ? GST_BUFFER_PTS (gst_buffer_list_get (packets, 0)) :
      GST_CLOCK_TIME_NONE;
}

/**
 * rtsp_sink_feed_can_follow:
 * @old: caps of packets that a viewer was told
 *
 * Raw video has its size and format in the SDP alone (RFC 4175, 6). Pure.
 *
 * Returns: whether it can decode those that @caps announce
 */
gboolean
rtsp_sink_feed_can_follow (const GstCaps * old, const GstCaps * caps)
{
  g_autoptr (GstStructure) a =
      gst_structure_copy (gst_caps_get_structure (old, 0));
  g_autoptr (GstStructure) b =
      gst_structure_copy (gst_caps_get_structure (caps, 0));

  for (gsize i = 0; i < G_N_ELEMENTS (in_band); i++) {
    gst_structure_remove_field (a, in_band[i]);
    gst_structure_remove_field (b, in_band[i]);
  }
  return gst_structure_is_equal (a, b);
}

/**
 * rtsp_sink_feed_get_next_time:
 *
 * Any thread.
 *
 * Returns: the lower bound of the next packet's media time; that may be one
 *   that waits here already
 */
GstClockTime
rtsp_sink_feed_get_next_time (RtspSinkFeed * self)
{
  GstClockTime time = rtsp_sink_media_clock_next (self->media_clock);

  g_mutex_lock (&self->lock);
  time = MIN (time, rtsp_sink_feed_queue_get_time (&self->queue));
  time = MIN (time, self->sending);
  g_mutex_unlock (&self->lock);

  return time;
}

/* What the library asks a payloader for when it writes RTP-Info. */
static GstStructure *
make_stats (RtspSinkFeed * self)
{
  GstClockTime time = rtsp_sink_feed_get_next_time (self);
  GstStructure *stats;

  g_mutex_lock (&self->lock);
  if (GST_CLOCK_TIME_IS_VALID (self->announced_time))
    time = self->announced_time;
  if (!self->announce_own)
    self->announced_seqnum = self->next_seqnum;
  stats = gst_structure_new ("application/x-rtp-payload-stats",
      "clock-rate", G_TYPE_UINT, self->clock_rate,
      /* The library would move the RTP time by how long this is after the
       * gap that prerolled the media. */
      "running-time", G_TYPE_UINT64, GST_CLOCK_TIME_NONE,
      "seqnum-offset", G_TYPE_UINT, (guint) self->announced_seqnum,
      "timestamp", G_TYPE_UINT, (guint) rtp_time_locked (self, time), NULL);
  g_mutex_unlock (&self->lock);

  return stats;
}

/* Decides over one access unit. TRUE: it goes through. */
static gboolean
pass_locked (RtspSinkFeed * self, gboolean key_unit)
{
  gboolean full = rtsp_sink_feed_queue_is_full (&self->queue,
      rtsp_sink_media_clock_now (self->media_clock));

  if (self->gate == RTSP_SINK_FEED_FLOW && full)
    self->gate = RTSP_SINK_FEED_SKIPPING;

  if ((self->gate == RTSP_SINK_FEED_WAIT_KEY
          || self->gate == RTSP_SINK_FEED_SKIPPING) && key_unit && !full)
    self->gate = RTSP_SINK_FEED_FLOW;

  return self->gate == RTSP_SINK_FEED_FLOW && !self->flushing;
}

/**
 * rtsp_sink_feed_push:
 * @packets: (transfer none): one access unit
 * @key_unit: can a decoder begin with it?
 * @next_seqnum: of the packet after these
 *
 * Encoder's thread. Does not block.
 *
 * Returns: the gate afterwards
 */
RtspSinkFeedGate
rtsp_sink_feed_push (RtspSinkFeed * self, GstBufferList * packets,
    gboolean key_unit, guint16 next_seqnum)
{
  RtspSinkFeedGate before, after;

  g_mutex_lock (&self->lock);
  before = self->gate;
  self->next_seqnum = next_seqnum;
  if (pass_locked (self, key_unit))
    enqueue_locked (self, gst_buffer_list_ref (packets));
  after = self->gate;
  g_mutex_unlock (&self->lock);

  if (before == RTSP_SINK_FEED_FLOW && after == RTSP_SINK_FEED_SKIPPING)
    GST_WARNING_OBJECT (self, "cannot send to so many viewers in time: "
        "skipping to a key unit");
  return after;
}

RtspSinkFeedGate
rtsp_sink_feed_get_gate (RtspSinkFeed * self)
{
  RtspSinkFeedGate gate;

  g_mutex_lock (&self->lock);
  gate = self->gate;
  g_mutex_unlock (&self->lock);

  return gate;
}

/**
 * rtsp_sink_feed_announce_time:
 * @time: not later than the next packet
 *
 * With the media locked, for the request under way: its RTP-Info names the RTP
 * time of @time, which is the same for all streams of a viewer, and, unless it is
 * told another one, the number of the next packet that comes.
 */
void
rtsp_sink_feed_announce_time (RtspSinkFeed * self, GstClockTime time)
{
  g_mutex_lock (&self->lock);
  self->announced_time = time;
  self->announce_own = FALSE;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_feed_announce_seqnum:
 *
 * With the media locked, after rtsp_sink_feed_announce_time(): RTP-Info names
 * @seqnum, since the viewer had packets before. The library asks several times for
 * each request.
 */
void
rtsp_sink_feed_announce_seqnum (RtspSinkFeed * self, guint16 seqnum)
{
  g_mutex_lock (&self->lock);
  self->announced_seqnum = seqnum;
  self->announce_own = TRUE;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_feed_get_announced_seqnum:
 *
 * Any thread; while the media is locked, it is that which the viewer of the
 * request under way is told.
 *
 * Returns: the first packet's sequence number in the last RTP-Info
 */
guint16
rtsp_sink_feed_get_announced_seqnum (RtspSinkFeed * self)
{
  guint16 seqnum;

  g_mutex_lock (&self->lock);
  seqnum = self->announced_seqnum;
  g_mutex_unlock (&self->lock);

  return seqnum;
}

/**
 * rtsp_sink_feed_open:
 *
 * A viewer plays: what comes from the next key unit on gets through. Any
 * thread.
 */
void
rtsp_sink_feed_open (RtspSinkFeed * self)
{
  g_mutex_lock (&self->lock);
  if (self->gate == RTSP_SINK_FEED_CLOSED)
    self->gate = RTSP_SINK_FEED_WAIT_KEY;
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_feed_flow:
 *
 * A viewer has all that came before: what comes gets through, key unit or not.
 * Any thread.
 *
 * Returns: FALSE if it is not open, or skips
 */
gboolean
rtsp_sink_feed_flow (RtspSinkFeed * self)
{
  gboolean flows;

  g_mutex_lock (&self->lock);
  if (self->gate == RTSP_SINK_FEED_WAIT_KEY)
    self->gate = RTSP_SINK_FEED_FLOW;
  flows = self->gate == RTSP_SINK_FEED_FLOW;
  g_mutex_unlock (&self->lock);

  return flows;
}

/**
 * rtsp_sink_feed_close:
 *
 * No viewer plays any more: what waits is dropped. Any thread.
 */
void
rtsp_sink_feed_close (RtspSinkFeed * self)
{
  g_mutex_lock (&self->lock);
  if (self->gate != RTSP_SINK_FEED_ENDED)
    self->gate = RTSP_SINK_FEED_CLOSED;
  rtsp_sink_feed_queue_drop_lists (&self->queue);
  g_mutex_unlock (&self->lock);
}

static void
set_caps_locked (RtspSinkFeed * self, GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint payload_type = 96, clock_rate = 90000;
  guint offset = 0;

  gst_structure_get_int (s, "payload", &payload_type);
  gst_structure_get_int (s, "clock-rate", &clock_rate);
  gst_structure_get_uint (s, "timestamp-offset", &offset);

  gst_caps_replace (&self->caps, caps);
  self->payload_type = payload_type;
  self->clock_rate = clock_rate;
  self->rtp_offset = offset;
  enqueue_locked (self, gst_event_new_caps (caps));
}

/**
 * rtsp_sink_feed_set_caps:
 * @caps: of the packets that follow
 *
 * Does nothing if the stream has ended. Encoder's thread.
 */
void
rtsp_sink_feed_set_caps (RtspSinkFeed * self, GstCaps * caps)
{
  g_mutex_lock (&self->lock);
  if (self->gate != RTSP_SINK_FEED_ENDED)
    set_caps_locked (self, caps);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_feed_end:
 *
 * The input has ended: so does the stream, behind what waits. Encoder's thread.
 */
void
rtsp_sink_feed_end (RtspSinkFeed * self)
{
  g_mutex_lock (&self->lock);
  if (self->gate != RTSP_SINK_FEED_ENDED)
    enqueue_locked (self, gst_event_new_eos ());
  self->gate = RTSP_SINK_FEED_ENDED;
  g_mutex_unlock (&self->lock);
}

/* What the media needs to know before the first packet. */
static void
enqueue_begin_locked (RtspSinkFeed * self, GstCaps * caps)
{
  g_autofree gchar *stream_id = gst_pad_create_stream_id (self->srcpad,
      GST_ELEMENT (self), NULL);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  enqueue_locked (self, gst_event_new_stream_start (stream_id));
  set_caps_locked (self, caps);
  enqueue_locked (self, gst_event_new_segment (&segment));
}

/**
 * rtsp_sink_feed_go_on:
 * @caps: of the packets that follow
 *
 * The input goes on after its end, and a viewer wants to play again what it was
 * told of: the stream begins anew. Does nothing if it has not ended. Viewer's
 * thread.
 *
 * Returns: FALSE if the viewer was told of other packets
 */
gboolean
rtsp_sink_feed_go_on (RtspSinkFeed * self, GstCaps * caps)
{
  gboolean can = TRUE;

  g_mutex_lock (&self->lock);
  if (self->gate == RTSP_SINK_FEED_ENDED)
    can = rtsp_sink_feed_can_follow (self->caps, caps);
  if (self->gate == RTSP_SINK_FEED_ENDED && can) {
    enqueue_locked (self, gst_event_new_flush_start ());
    enqueue_locked (self, gst_event_new_flush_stop (FALSE));
    enqueue_begin_locked (self, caps);
    self->gate = RTSP_SINK_FEED_CLOSED;
  }
  g_mutex_unlock (&self->lock);

  return can;
}

/* Waits for the next event or list. NULL: the pad is not active any more. */
static gpointer
take (RtspSinkFeed * self)
{
  gpointer item = NULL;

  g_mutex_lock (&self->lock);
  self->sending = GST_CLOCK_TIME_NONE;
  while (!self->flushing
      && (item = rtsp_sink_feed_queue_pop (&self->queue)) == NULL)
    g_cond_wait (&self->cond, &self->lock);
  if (item != NULL && GST_IS_BUFFER_LIST (item))
    self->sending = list_time (item);
  g_mutex_unlock (&self->lock);

  return item;
}

static GstFlowReturn
push_out (RtspSinkFeed * self, gpointer item)
{
  if (GST_IS_BUFFER_LIST (item))
    return gst_pad_push_list (self->srcpad, item);

  gst_pad_push_event (self->srcpad, item);
  return GST_FLOW_OK;
}

/* The feed's thread. */
static void
loop (gpointer user_data)
{
  RtspSinkFeed *self = user_data;
  gpointer item = take (self);
  GstFlowReturn ret = item != NULL ? push_out (self, item) : GST_FLOW_FLUSHING;

  if (ret == GST_FLOW_OK)
    return;

  GST_DEBUG_OBJECT (self, "pausing: %s", gst_flow_get_name (ret));
  if (ret < GST_FLOW_EOS)
    GST_ELEMENT_FLOW_ERROR (self, ret);
  gst_pad_pause_task (self->srcpad);
}

static void
set_flushing (RtspSinkFeed * self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

static gboolean
rtsp_sink_feed_activate (GstPad * pad, GstObject * parent, GstPadMode mode,
    gboolean active)
{
  RtspSinkFeed *self = RTSP_SINK_FEED (parent);

  if (mode != GST_PAD_MODE_PUSH)
    return FALSE;

  set_flushing (self, !active);
  if (active)
    return gst_pad_start_task (pad, loop, self, NULL);
  return gst_pad_stop_task (pad);
}

static gboolean
rtsp_sink_feed_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
    return TRUE;
  }
  return gst_pad_query_default (pad, parent, query);
}

/* A live source: its media begins to play at once and cannot be sought. */
static GstStateChangeReturn
rtsp_sink_feed_change_state (GstElement * element, GstStateChange transition)
{
  GstStateChangeReturn ret;

  ret = GST_ELEMENT_CLASS (rtsp_sink_feed_parent_class)->change_state (element,
      transition);
  if (ret == GST_STATE_CHANGE_SUCCESS
      && (transition == GST_STATE_CHANGE_READY_TO_PAUSED
          || transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED))
    ret = GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

static void
rtsp_sink_feed_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  RtspSinkFeed *self = RTSP_SINK_FEED (object);

  switch (id) {
    case PROP_PT:
      g_mutex_lock (&self->lock);
      g_value_set_uint (value, self->payload_type);
      g_mutex_unlock (&self->lock);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, make_stats (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
rtsp_sink_feed_finalize (GObject * object)
{
  RtspSinkFeed *self = RTSP_SINK_FEED (object);

  rtsp_sink_media_clock_unref (self->media_clock);
  rtsp_sink_feed_queue_clear (&self->queue);
  gst_clear_caps (&self->caps);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);

  G_OBJECT_CLASS (rtsp_sink_feed_parent_class)->finalize (object);
}

static void
rtsp_sink_feed_class_init (RtspSinkFeedClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_feed_debug, "rtspserversink-feed", 0,
      "rtspserversink: a media's packets");

  object_class->get_property = rtsp_sink_feed_get_property;
  object_class->finalize = rtsp_sink_feed_finalize;
  element_class->change_state = rtsp_sink_feed_change_state;

  /* The names are GstRTPBasePayload's: GstRTSPStream reads them. */
  props[PROP_PT] = g_param_spec_uint ("pt", "Payload type",
      "Payload type of the packets", 0, 127, 96,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics",
      "What the next packet will be", GST_TYPE_STRUCTURE,
      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);

  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "RTSP sink feed", "Source/Network/RTP",
      "Hands packets to the media of one or more viewers",
      "The rtspserversink developers");
}

static void
rtsp_sink_feed_init (RtspSinkFeed * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  rtsp_sink_feed_queue_init (&self->queue);
  self->sending = GST_CLOCK_TIME_NONE;
  self->announced_time = GST_CLOCK_TIME_NONE;
  self->flushing = TRUE;

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_activatemode_function (self->srcpad, rtsp_sink_feed_activate);
  gst_pad_set_query_function (self->srcpad, rtsp_sink_feed_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
}

/* The gap prerolls the media without any packet, so that nothing stale is sent
 * when the viewer plays much later. */
static void
enqueue_start (RtspSinkFeed * self, GstCaps * caps)
{
  GstClockTime now = rtsp_sink_media_clock_now (self->media_clock);

  g_mutex_lock (&self->lock);
  enqueue_begin_locked (self, caps);
  enqueue_locked (self, gst_event_new_gap (now, 0));
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_feed_new:
 * @caps: of the packets
 * @next_seqnum: of the next packet
 *
 * Returns: (transfer floating): a closed feed
 */
RtspSinkFeed *
rtsp_sink_feed_new (const gchar * name, RtspSinkMediaClock * media_clock,
    GstCaps * caps, guint16 next_seqnum)
{
  RtspSinkFeed *self = g_object_new (RTSP_SINK_TYPE_FEED, "name", name, NULL);

  self->next_seqnum = next_seqnum;
  self->media_clock = rtsp_sink_media_clock_ref (media_clock);
  enqueue_start (self, caps);
  return self;
}
