/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What stands between what comes in and what viewers get, as a bin:
 *
 *   raw video:                              queue ! conversion
 *   encoded, in the codec that is served:   queue
 *   encoded in another one:                 queue ! conversion, with a decoder
 *
 * Which of them is up to the caps that come by, on the encoder's thread, behind
 * the queue, where the upstream thread ends. The one for raw video is built at NULL→READY already, so that what
 * is missing is said then. */

#include "video/route.h"

#include "base/elements.h"
#include "codec/encoder.h"
#include "codec/memories.h"
#include "base/missing.h"
#include "video/outputcaps.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_route_debug);
#define GST_CAT_DEFAULT rtsp_sink_route_debug

/* What bridges a late encoder: two frames of a camera that has few buffers,
 * else a little more, for programs that are held up and then catch up. */
#define SCARCE_FRAMES 2
#define LIVE_FRAMES 8
#define MAX_TIME (200 * GST_MSECOND)

/* How long a chain that is drained may give out nothing. */
#define DRAIN_PATIENCE (2 * G_TIME_SPAN_SECOND)

struct _RtspSinkRoute
{
  /* Constant after construction. */
  GstRtspServerSinkCodec codec;
  gchar *encoder;               /* launch description; NULL: choose */
  GstCaps *output_caps;         /* or NULL */
  RtspSinkRates *rates;
  RtspSinkConverterFuncs funcs;
  gpointer user_data;
  GstElement *bin;
  RtspSinkStats *stats;         /* no reference: it outlives this */
  GstElement *queue;            /* in the bin */
  GstPad *queue_src;
  GstPad *src;                  /* of the bin */

  gboolean droppable;           /* upstream thread only: any frame is */

  /* Encoder's thread only; before it runs, the application's. */
  const RtspSinkVideoCodec *input;      /* what the chain is for, NULL: nothing yet */
  gboolean passing;             /* the chain is none */
  GstCaps *refused;             /* NULL: the input is fine */

  gboolean drained;             /* guarded by queue_src's object lock */
  gint n_drained;               /* atomic: buffers that came out */

  GMutex lock;
  /* Guarded by lock, written by the encoder's thread only. While it is held the
   * encoder is asked for its name. */
  RtspSinkConverter *converter; /* NULL: none */
  GstCaps *taken;               /* raw video, by the last one */
};

static gboolean
is_raw (const RtspSinkVideoCodec * codec)
{
  return codec->codec == GST_RTSP_SERVER_SINK_CODEC_RAW;
}

/* --- what goes through which chain --- */

/* What a conversion makes; NULL: what the user's encoder does. */
static const RtspSinkVideoCodec *
get_target (RtspSinkRoute * self)
{
  if (self->codec != GST_RTSP_SERVER_SINK_CODEC_AUTO)
    return rtsp_sink_video_codecs_find (self->codec);
  return self->encoder != NULL ? NULL
      : rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_H264);
}

/* Can encoded input be sent as it is? FALSE with an error: it should be, and
 * cannot. */
static gboolean
can_pass (RtspSinkRoute * self, const RtspSinkVideoCodec * input,
    const GstCaps * caps, GError ** error)
{
  g_autoptr (GError) reason = NULL;
  gboolean automatic = self->codec == GST_RTSP_SERVER_SINK_CODEC_AUTO;

  if (is_raw (input) || self->output_caps != NULL
      || (!automatic && self->codec != input->codec))
    return FALSE;
  if (rtsp_sink_video_codecs_can_send (input, caps, &reason))
    return TRUE;

  if (automatic)
    GST_INFO_OBJECT (self->bin, "encoding again: %s", reason->message);
  else
    g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* --- chains --- */

/* Of raw video @caps may be all that could come. */
static RtspSinkConverter *
make_converter (RtspSinkRoute * self, gboolean raw, const GstCaps * caps,
    GError ** error)
{
  RtspSinkConverterConfig config = {
    .codec = get_target (self),
    .encoded = raw ? NULL : caps,
    .raw = raw ? caps : NULL,
    .encoder = self->encoder,
    .output = self->output_caps,
    .rates = self->rates,
    .funcs = self->funcs,
    .user_data = self->user_data,
  };

  return rtsp_sink_converter_new (&config, error);
}

/* The end itself must not reach our own pad, which would take nothing any more.
 * Nor must the segment that an encoder without caps makes up at the end, before
 * the caps of what comes next. The encoder's thread, or one of the chain's own. */
static GstPadProbeReturn
take_end (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkRoute *self = user_data;
  GstEventType type;

  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM)) {
    g_atomic_int_inc (&self->n_drained);
    return GST_PAD_PROBE_OK;
  }
  type = GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info));
  if (type == GST_EVENT_SEGMENT && !gst_pad_has_current_caps (pad))
    return GST_PAD_PROBE_DROP;
  if (type != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  GST_OBJECT_LOCK (self->queue_src);
  self->drained = TRUE;
  GST_PAD_BLOCK_BROADCAST (self->queue_src);
  GST_OBJECT_UNLOCK (self->queue_src);
  return GST_PAD_PROBE_DROP;
}

/* Whether the output has a unit, which may wait there for its time. */
static gboolean
output_is_busy (RtspSinkRoute * self)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (self->src);

  if (peer == NULL)
    return FALSE;
  if (!GST_PAD_STREAM_TRYLOCK (peer))
    return TRUE;
  GST_PAD_STREAM_UNLOCK (peer);
  return FALSE;
}

/* How the wait for the end of a chain ends. */
typedef enum
{
  DRAINED,                      /* all came out */
  LOST,                         /* an encoder keeps the end to itself */
  FLUSHED,                      /* an event, or a change of state, ended the wait */
} DrainResult;

/* Waits until the chain has given out all. */
static DrainResult
wait_drained (RtspSinkRoute * self)
{
  GstPad *pad = self->queue_src;
  gboolean lost = FALSE;
  DrainResult result;

  GST_OBJECT_LOCK (pad);
  while (!lost && !self->drained && !GST_PAD_IS_FLUSHING (pad)) {
    gint n = g_atomic_int_get (&self->n_drained);

    if (g_cond_wait_until (GST_PAD_BLOCK_GET_COND (pad),
            GST_OBJECT_GET_LOCK (pad), g_get_monotonic_time ()
            + DRAIN_PATIENCE) || self->drained)
      continue;
    GST_OBJECT_UNLOCK (pad);
    lost = g_atomic_int_get (&self->n_drained) == n && !output_is_busy (self);
    GST_OBJECT_LOCK (pad);
  }
  result = self->drained ? DRAINED : GST_PAD_IS_FLUSHING (pad) ? FLUSHED : LOST;
  GST_OBJECT_UNLOCK (pad);
  return result;
}

/* What is in its encoder still comes out, also where the chain has threads of
 * its own. While that waits in the output of a paused pipeline the application
 * changes states: no state lock may be held, as gst_element_send_event() does. */
static gboolean
drain (RtspSinkRoute * self, GstElement * chain)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (chain, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (chain, "src");
  DrainResult result = DRAINED;
  gulong probe;

  self->drained = FALSE;
  probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM |
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_BUFFER_LIST, take_end,
      self, NULL);
  if (gst_pad_send_event (sink, gst_event_new_eos ()))
    result = wait_drained (self);
  else if (GST_PAD_IS_FLUSHING (self->queue_src))
    result = FLUSHED;
  if (result == LOST)
    GST_ELEMENT_WARNING (self->bin, STREAM, ENCODE,
        ("The last frames before a change of the input may be lost: the encoder "
            "does not hand on the end of the stream. Use another encoder, or "
            "leave elements that drop events out of encoder=."), (NULL));
  /* The chain stays. */
  if (result == FLUSHED)
    gst_pad_remove_probe (src, probe);
  return result != FLUSHED;
}

static void
remove_chain (RtspSinkRoute * self)
{
  RtspSinkConverter *converter;
  GstElement *chain;

  self->passing = FALSE;
  self->input = NULL;
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->src), NULL);
  g_mutex_lock (&self->lock);
  converter = g_steal_pointer (&self->converter);
  g_mutex_unlock (&self->lock);
  if (converter == NULL)
    return;

  chain = rtsp_sink_converter_get_bin (converter);
  /* A change of the bin's state must not bring it back. */
  gst_element_set_locked_state (chain, TRUE);
  gst_element_set_state (chain, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (self->bin), chain);
  rtsp_sink_converter_free (converter);
}

/* Takes @conversion. */
static void
set_converter (RtspSinkRoute * self, const RtspSinkVideoCodec * input,
    RtspSinkConverter * converter)
{
  GstElement *chain = rtsp_sink_converter_get_bin (converter);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (chain, "sink");
  g_autoptr (GstPad) src = gst_element_get_static_pad (chain, "src");

  gst_bin_add (GST_BIN (self->bin), chain);
  /* The source may still be asked for its caps of before: no check. */
  gst_pad_link_full (self->queue_src, sink, GST_PAD_LINK_CHECK_NOTHING);
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->src), src);
  rtsp_sink_elements_sync_state (chain);
  self->input = input;
  g_mutex_lock (&self->lock);
  self->converter = converter;
  gst_caps_replace (&self->taken, rtsp_sink_converter_get_taken (converter));
  g_mutex_unlock (&self->lock);
}

static void
set_passing (RtspSinkRoute * self, const RtspSinkVideoCodec * input)
{
  gst_ghost_pad_set_target (GST_GHOST_PAD (self->src), self->queue_src);
  self->input = input;
  self->passing = TRUE;
}

/* --- what comes by --- */

static gboolean
replace_chain (RtspSinkRoute * self, const RtspSinkVideoCodec * input,
    gboolean pass, const GstCaps * caps, GError ** error)
{
  RtspSinkConverter *converter = NULL;

  GST_INFO_OBJECT (self->bin, "%s %s", pass ? "passing" : "converting",
      input->name);
  if (!pass) {
    converter = make_converter (self, is_raw (input), caps, error);
    if (converter == NULL)
      return FALSE;
  }
  /* The flush has still to pass the chain: what is behind it may wait in a preroll,
   * and a thread of the chain's with it. The caps come again before the next
   * buffer. */
  if (self->converter != NULL
      && !drain (self, rtsp_sink_converter_get_bin (self->converter))) {
    rtsp_sink_converter_free (converter);
    return TRUE;
  }
  remove_chain (self);
  if (pass)
    set_passing (self, input);
  else
    set_converter (self, input, converter);
  return TRUE;
}

static GstPadProbeReturn
refuse (RtspSinkRoute * self, GstCaps * caps, const GError * error)
{
  gst_caps_replace (&self->refused, caps);
  self->funcs.failed (error, self->user_data);
  return GST_PAD_PROBE_DROP;
}

static gboolean
suits (RtspSinkRoute * self, const RtspSinkVideoCodec * input, gboolean pass,
    const GstCaps * caps)
{
  if (self->input != input || self->passing != pass)
    return FALSE;
  return !is_raw (input) || rtsp_sink_converter_is_direct (self->converter)
      == rtsp_sink_memories_has_device (caps);
}

/* A pad that is linked anew gets all events of its stream, in their order:
 * the caps that led to it are dropped here and come again among them. GStreamer
 * sends caps that were dropped again before each buffer, too: they are an error
 * once. */
static GstPadProbeReturn
handle_caps (RtspSinkRoute * self, GstPadProbeInfo * info)
{
  g_autoptr (GError) error = NULL;
  const RtspSinkVideoCodec *input;
  gboolean pass;
  GstCaps *caps;

  gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
  if (self->refused != NULL && gst_caps_is_equal (self->refused, caps))
    return GST_PAD_PROBE_DROP;
  gst_clear_caps (&self->refused);

  input = rtsp_sink_video_codecs_find_for_caps (caps);
  pass = can_pass (self, input, caps, &error);
  if (error != NULL)
    return refuse (self, caps, error);
  if (!suits (self, input, pass, caps)) {
    if (!replace_chain (self, input, pass, caps, &error))
      return refuse (self, caps, error);
    return GST_PAD_PROBE_DROP;
  }

  if (pass)
    self->funcs.input_changed (FALSE, self->user_data);
  if (!is_raw (input))
    return GST_PAD_PROBE_OK;
  return rtsp_sink_converter_filter (self->converter, info);
}

static GstPadProbeReturn
handle_buffer (RtspSinkRoute * self, GstPadProbeInfo * info)
{
  if (self->refused != NULL) {
    gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
    GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_NOT_NEGOTIATED;
    return GST_PAD_PROBE_HANDLED;
  }
  if (self->input == NULL || self->passing)
    return GST_PAD_PROBE_OK;
  if (!is_raw (self->input))
    return rtsp_sink_converter_can_decode (self->converter,
        GST_PAD_PROBE_INFO_BUFFER (info), self->queue_src) ?
        GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
  return rtsp_sink_converter_filter (self->converter, info);
}

/* Behind the queue, so that frames of the old caps that still wait in it are
 * not treated as if they were of the new ones. */
static GstPadProbeReturn
watch_input (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkRoute *self = user_data;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER)
    return handle_buffer (self, info);
  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_STREAM_START:
      gst_clear_caps (&self->refused);
      /* Behind a decoder, which may have a thread of its own, that is the
       * conversion's own business. */
      return self->converter != NULL && is_raw (self->input) ?
          rtsp_sink_converter_filter (self->converter, info) : GST_PAD_PROBE_OK;
    case GST_EVENT_CAPS:
      return handle_caps (self, info);
    default:
      return GST_PAD_PROBE_OK;
  }
}

/* Any thread. */
static GstPadProbeReturn
watch_requests (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  RtspSinkRoute *self = user_data;
  gboolean ours;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_RECONFIGURE)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  ours = self->converter != NULL
      && rtsp_sink_converter_is_configuring (self->converter);
  g_mutex_unlock (&self->lock);
  return ours ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_route_set_source:
 * @live: the source is
 * @droppable: a frame that finds the queue full takes the place of the oldest
 *   one, so that a live source never waits; else it waits
 * @scarce: the source has few buffers
 *
 * Upstream thread.
 */
void
rtsp_sink_route_set_source (RtspSinkRoute * self, gboolean live,
    gboolean droppable, gboolean scarce)
{
  self->droppable = droppable;
  g_object_set (self->queue, "max-size-buffers",
      live && !scarce ? LIVE_FRAMES : SCARCE_FRAMES, NULL);
  gst_util_set_object_arg (G_OBJECT (self->queue), "leaky",
      droppable ? "downstream" : "no");
}

static gboolean
queue_is_full (RtspSinkRoute * self)
{
  guint n, max;
  guint64 time;

  g_object_get (self->queue, "current-level-buffers", &n, "max-size-buffers",
      &max, "current-level-time", &time, NULL);
  return n >= max || time >= MAX_TIME;
}

/**
 * rtsp_sink_route_has_room:
 *
 * Upstream thread.
 *
 * Returns: FALSE if the next frame would wait for an encoder that is late. What
 *   is sent as it came never is
 */
gboolean
rtsp_sink_route_has_room (RtspSinkRoute * self)
{
  gboolean converts;

  g_mutex_lock (&self->lock);
  converts = self->converter != NULL;
  g_mutex_unlock (&self->lock);
  return !converts || !queue_is_full (self);
}

/**
 * rtsp_sink_route_get_codec:
 *
 * Before anything came in.
 *
 * Returns: (nullable): what raw video will be made, if there is what makes it
 */
const RtspSinkVideoCodec *
rtsp_sink_route_get_codec (RtspSinkRoute * self)
{
  return self->converter != NULL ?
      rtsp_sink_converter_get_codec (self->converter) : NULL;
}

/**
 * rtsp_sink_route_get_caps:
 *
 * Any thread.
 *
 * Returns: (transfer full): what can come in
 */
GstCaps *
rtsp_sink_route_get_caps (RtspSinkRoute * self)
{
  GstCaps *caps;

  g_mutex_lock (&self->lock);
  caps = rtsp_sink_video_codecs_get_input_caps (self->taken);
  g_mutex_unlock (&self->lock);
  return caps;
}

/**
 * rtsp_sink_route_dup_encoder_name:
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): the factory of the encoder in use
 */
gchar *
rtsp_sink_route_dup_encoder_name (RtspSinkRoute * self)
{
  GstElement *encoder = NULL;
  gchar *name = NULL;

  g_mutex_lock (&self->lock);
  if (self->converter != NULL)
    encoder = rtsp_sink_converter_get_encoder (self->converter);
  if (encoder != NULL)
    name = rtsp_sink_encoder_dup_name (encoder);
  g_mutex_unlock (&self->lock);

  return name;
}

/**
 * rtsp_sink_route_get_bin:
 *
 * Returns: (transfer none): the bin, with the pads sink and src
 */
GstElement *
rtsp_sink_route_get_bin (RtspSinkRoute * self)
{
  return self->bin;
}

/* The bin may live on in its parent. */
void
rtsp_sink_route_free (RtspSinkRoute * self)
{
  if (self == NULL)
    return;
  if (self->bin != NULL && GST_OBJECT_PARENT (self->bin) == NULL)
    gst_element_set_state (self->bin, GST_STATE_NULL);
  rtsp_sink_converter_free (self->converter);
  gst_clear_object (&self->queue_src);
  gst_clear_object (&self->bin);
  gst_clear_caps (&self->refused);
  gst_clear_caps (&self->taken);
  gst_clear_caps (&self->output_caps);
  g_free (self->encoder);
  rtsp_sink_rates_unref (self->rates);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- making it --- */

/* Whatever chain there is now: another one is made for other caps. */
static GstPadProbeReturn
answer_query (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_query_set_accept_caps_result (query, TRUE);
  return GST_PAD_PROBE_HANDLED;
}

/* GstQueue::overrun: the queue is full. If it is leaky, a frame is left out; else
 * the next one waits. Upstream thread. */
static void
overrun (GstElement * queue, gpointer user_data)
{
  RtspSinkRoute *self = user_data;

  if (self->droppable)
    rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_LATE);
}

static gboolean
add_queue (RtspSinkRoute * self, GError ** error)
{
  g_autoptr (GstPad) sink = NULL;

  self->queue = rtsp_sink_elements_add (GST_BIN (self->bin), "queue", "queue",
      error);
  if (self->queue == NULL)
    return FALSE;
  g_object_set (self->queue, "max-size-buffers", SCARCE_FRAMES,
      "max-size-bytes", 0, "max-size-time", (guint64) MAX_TIME, NULL);
  g_signal_connect (self->queue, "overrun", G_CALLBACK (overrun), self);

  self->queue_src = gst_element_get_static_pad (self->queue, "src");
  gst_pad_add_probe (self->queue_src, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch_input, self, NULL);
  gst_pad_add_probe (self->queue_src, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      watch_requests, self, NULL);

  sink = gst_element_get_static_pad (self->queue, "sink");
  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_query,
      NULL, NULL);
  gst_element_add_pad (self->bin, gst_ghost_pad_new ("sink", sink));
  self->src = gst_ghost_pad_new_no_target ("src", GST_PAD_SRC);
  gst_element_add_pad (self->bin, self->src);
  return TRUE;
}

static gboolean
may_be (const GstCaps * expected, gboolean raw)
{
  for (guint i = 0; i < gst_caps_get_size (expected); i++) {
    if (gst_structure_has_name (gst_caps_get_structure (expected, i),
            "video/x-raw") == raw)
      return TRUE;
  }
  return FALSE;
}

/* What raw video needs is made now; it is an error that something is missing
 * unless the source may send encoded video instead. */
static gboolean
prepare (RtspSinkRoute * self, const GstCaps * expected, GError ** error)
{
  g_autoptr (GError) missing = NULL;
  RtspSinkConverter *converter;

  if (!may_be (expected, TRUE))
    return TRUE;

  converter = make_converter (self, TRUE, expected, &missing);
  if (converter != NULL) {
    set_converter (self,
        rtsp_sink_video_codecs_find (GST_RTSP_SERVER_SINK_CODEC_RAW),
        converter);
    return TRUE;
  }
  if (may_be (expected, FALSE) && (missing->domain == GST_CORE_ERROR
          || missing->domain == RTSP_SINK_MISSING_ERROR)) {
    GST_INFO_OBJECT (self->bin, "needed for raw video: %s", missing->message);
    return TRUE;
  }
  g_propagate_error (error, g_steal_pointer (&missing));
  return FALSE;
}

/**
 * rtsp_sink_route_new:
 * @expected: what the source may send
 * @rates: of any encoder
 * @stats: counts frames for which the encoder is too slow; outlives the route
 * @error: says what is missing or wrong, and the cure
 *
 * Returns: (transfer full) (nullable): the bin's owner
 */
RtspSinkRoute *
rtsp_sink_route_new (const RtspSinkSettings * settings,
    const GstCaps * expected, RtspSinkRates * rates, RtspSinkStats * stats,
    const RtspSinkConverterFuncs * funcs, gpointer user_data, GError ** error)
{
  g_autoptr (RtspSinkRoute) self = g_new0 (RtspSinkRoute, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_route_debug,
      "rtspserversink-route", 0, "rtspserversink: from input to output");
  g_mutex_init (&self->lock);
  self->codec = settings->codec;
  self->encoder = g_strdup (settings->encoder);
  gst_caps_replace (&self->output_caps, settings->output_caps);
  self->rates = rtsp_sink_rates_ref (rates);
  self->taken = gst_caps_new_empty_simple ("video/x-raw");
  self->stats = stats;
  self->funcs = *funcs;
  self->user_data = user_data;
  self->bin = gst_object_ref_sink (gst_bin_new ("encoding"));

  if (!rtsp_sink_output_caps_check (settings->output_caps, error)
      || !add_queue (self, error) || !prepare (self, expected, error))
    return NULL;
  return g_steal_pointer (&self);
}
