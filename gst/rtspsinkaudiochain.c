/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* All that is done to audio, called like a function: a buffer in, RTP packets
 * out.
 *
 *   raw:      audioconvert ! audioresample ! capsfilter ! encoder ! payloader
 *   encoded:  parser ! capsfilter ! payloader
 *
 * These push what a buffer makes before they return. They are in a bin of their
 * own, whose ends are linked to our pads. Raw audio of other caps keeps to what
 * the first became, so that nobody who listens has to be told. Everything runs
 * on one thread; no locks. */

#include "rtspsinkaudiochain.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_audio_chain_debug);
#define GST_CAT_DEFAULT rtsp_sink_audio_chain_debug

struct _RtspSinkAudioChain
{
  const RtspSinkAudioCodec *codec;
  gboolean raw;
  const RtspSinkAudioEncoder *encoder;  /* NULL: none */
  GstElement *bin;
  GstElement *format;           /* what raw audio is converted to, or NULL */
  GstElement *last;             /* of what is linked so far */
  GstPad *feed;                 /* linked to the first element */
  GstPad *collect;              /* linked to the payloader */
  GstBufferList *packets;       /* of what is in the chain; NULL: unwanted */
  gboolean started;
  gboolean fixed;               /* the format is */
};

static GstStaticPadTemplate collect_template =
GST_STATIC_PAD_TEMPLATE ("collect", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);

static GstFlowReturn
collect_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  RtspSinkAudioChain *self = gst_pad_get_element_private (pad);

  if (self->packets != NULL) {
    gst_buffer_list_add (self->packets, buffer);
  } else {
    gst_buffer_unref (buffer);
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
collect_list (GstPad * pad, GstObject * parent, GstBufferList * list)
{
  guint n = gst_buffer_list_length (list);

  for (guint i = 0; i < n; i++)
    collect_buffer (pad, parent,
        gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

/* Behind those that are there. */
static GstElement *
append (RtspSinkAudioChain * self, const gchar * factory,
    const gchar * settings, GError ** error)
{
  GstElement *element = rtsp_sink_audio_codecs_make (factory, settings, error);

  if (element == NULL)
    return NULL;
  gst_bin_add (GST_BIN (self->bin), element);
  if (self->last != NULL) {
    gst_element_link (self->last, element);
  } else {
    g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");

    gst_pad_link (self->feed, sink);
  }
  self->last = element;
  return element;
}

static GstElement *
append_filter (RtspSinkAudioChain * self, const gchar * description,
    GError ** error)
{
  GstElement *filter = append (self, "capsfilter", NULL, error);

  if (filter != NULL)
    gst_util_set_object_arg (G_OBJECT (filter), "caps", description);
  return filter;
}

static gboolean
append_encoder (RtspSinkAudioChain * self, GError ** error)
{
  GError *missing = NULL;

  self->encoder = rtsp_sink_audio_codecs_find_encoder (self->codec, &missing);
  if (missing != NULL) {
    g_propagate_error (error, missing);
    return FALSE;
  }
  return self->encoder == NULL
      || (append (self, self->encoder->factory, self->encoder->settings, error)
      && append_filter (self, self->codec->sent, error));
}

static gboolean
append_raw_part (RtspSinkAudioChain * self, GError ** error)
{
  return append (self, "audioconvert", NULL, error)
      && append (self, "audioresample", NULL, error)
      && (self->format = append_filter (self, self->codec->raw, error))
      && append_encoder (self, error);
}

static gboolean
append_encoded_part (RtspSinkAudioChain * self, GError ** error)
{
  return (self->codec->parser == NULL
      || append (self, self->codec->parser, NULL, error))
      && append_filter (self, self->codec->sent, error);
}

static gboolean
append_payloader (RtspSinkAudioChain * self, const RtspSinkAudioChainIds * ids,
    GError ** error)
{
  GstElement *payloader = append (self, self->codec->payloader,
      self->codec->payloader_settings, error);
  g_autoptr (GstPad) src = NULL;

  if (payloader == NULL)
    return FALSE;
  /* RTP times come from time stamps alone, not from buffer offsets. */
  g_object_set (payloader, "perfect-rtptime", FALSE, "ssrc", ids->ssrc,
      "timestamp-offset", ids->rtp_offset, NULL);
  src = gst_element_get_static_pad (payloader, "src");
  gst_pad_link (src, self->collect);
  return TRUE;
}

static void
make_pads (RtspSinkAudioChain * self)
{
  self->feed = gst_object_ref_sink (gst_pad_new ("feed", GST_PAD_SRC));
  self->collect = gst_object_ref_sink (gst_pad_new_from_static_template
      (&collect_template, "collect"));
  gst_pad_set_element_private (self->collect, self);
  gst_pad_set_chain_function (self->collect, collect_buffer);
  gst_pad_set_chain_list_function (self->collect, collect_list);
}

/**
 * rtsp_sink_audio_chain_new:
 * @raw: whether raw audio comes in
 * @error: says what is missing
 *
 * Returns: (transfer full) (nullable): a chain that waits for caps
 */
RtspSinkAudioChain *
rtsp_sink_audio_chain_new (const RtspSinkAudioCodec * codec, gboolean raw,
    const RtspSinkAudioChainIds * ids, GError ** error)
{
  RtspSinkAudioChain *self = g_new0 (RtspSinkAudioChain, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_audio_chain_debug,
      "rtspserversink-audiochain", 0, "rtspserversink: audio to packets");

  self->codec = codec;
  self->raw = raw;
  self->bin = gst_object_ref_sink (gst_bin_new (NULL));
  make_pads (self);
  if (!(raw ? append_raw_part : append_encoded_part) (self, error)
      || !append_payloader (self, ids, error)) {
    rtsp_sink_audio_chain_free (self);
    return NULL;
  }

  gst_pad_set_active (self->collect, TRUE);
  gst_element_set_state (self->bin, GST_STATE_PLAYING);
  gst_pad_set_active (self->feed, TRUE);
  return self;
}

void
rtsp_sink_audio_chain_free (RtspSinkAudioChain * self)
{
  if (self == NULL)
    return;
  gst_pad_set_active (self->feed, FALSE);
  gst_element_set_state (self->bin, GST_STATE_NULL);
  gst_pad_set_active (self->collect, FALSE);
  gst_object_unref (self->bin);
  gst_object_unref (self->feed);
  gst_object_unref (self->collect);
  g_free (self);
}

/**
 * rtsp_sink_audio_chain_fits:
 *
 * Returns: whether it does as one made for these would
 */
gboolean
rtsp_sink_audio_chain_fits (RtspSinkAudioChain * self,
    const RtspSinkAudioCodec * codec, gboolean raw)
{
  return self->codec == codec && self->raw == raw;
}

static void
push_segment (RtspSinkAudioChain * self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->feed, gst_event_new_segment (&segment));
}

/**
 * rtsp_sink_audio_chain_set_caps:
 * @caps: of the buffers that follow
 *
 * Returns: FALSE if they cannot be taken
 */
gboolean
rtsp_sink_audio_chain_set_caps (RtspSinkAudioChain * self, GstCaps * caps)
{
  gboolean first = !self->started;

  if (first)
    gst_pad_push_event (self->feed, gst_event_new_stream_start ("rtspsink"));
  self->started = TRUE;
  if (!gst_pad_push_event (self->feed, gst_event_new_caps (caps)))
    return FALSE;
  if (first)
    push_segment (self);
  return TRUE;
}

/**
 * rtsp_sink_audio_chain_restart:
 *
 * The buffers that follow do not go on where those before ended. What is left
 * of these is dropped.
 */
void
rtsp_sink_audio_chain_restart (RtspSinkAudioChain * self)
{
  gst_pad_push_event (self->feed, gst_event_new_flush_start ());
  gst_pad_push_event (self->feed, gst_event_new_flush_stop (TRUE));
  push_segment (self);
}

/* What the encoder begins with comes before its first sample. */
static GstClockTime
encoder_delay (RtspSinkAudioChain * self)
{
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstCaps) caps = NULL;
  gint rate = 0;

  if (self->encoder == NULL || self->encoder->delay == 0)
    return 0;
  pad = gst_element_get_static_pad (self->format, "src");
  caps = gst_pad_get_current_caps (pad);
  if (caps == NULL
      || !gst_structure_get_int (gst_caps_get_structure (caps, 0), "rate",
          &rate))
    return 0;
  return gst_util_uint64_scale_int (GST_SECOND, self->encoder->delay, rate);
}

/* What those who listen have been told stays true. */
static void
fix_format (RtspSinkAudioChain * self)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (self->format, "src");
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

  if (caps == NULL)
    return;
  g_object_set (self->format, "caps", caps, NULL);
  self->fixed = TRUE;
}

/**
 * rtsp_sink_audio_chain_push:
 * @buffer: (transfer full): writable, its PTS in media time
 *
 * Returns: (transfer full) (nullable): the packets that it makes, maybe none;
 *   NULL if it is refused
 */
GstBufferList *
rtsp_sink_audio_chain_push (RtspSinkAudioChain * self, GstBuffer * buffer)
{
  GstClockTime delay = encoder_delay (self);
  GstBufferList *packets;
  GstFlowReturn ret;

  GST_BUFFER_PTS (buffer) -= MIN (delay, GST_BUFFER_PTS (buffer));
  self->packets = gst_buffer_list_new ();
  ret = gst_pad_push (self->feed, buffer);
  if (ret == GST_FLOW_OK && self->format != NULL && !self->fixed)
    fix_format (self);
  packets = g_steal_pointer (&self->packets);
  if (ret == GST_FLOW_OK)
    return packets;

  GST_WARNING ("%s: a buffer was refused: %s", self->codec->name,
      gst_flow_get_name (ret));
  gst_buffer_list_unref (packets);
  return NULL;
}

/**
 * rtsp_sink_audio_chain_end:
 *
 * Nothing follows.
 *
 * Returns: (transfer full): the packets of what was left
 */
GstBufferList *
rtsp_sink_audio_chain_end (RtspSinkAudioChain * self)
{
  self->packets = gst_buffer_list_new ();
  if (self->started)
    gst_pad_push_event (self->feed, gst_event_new_eos ());
  return g_steal_pointer (&self->packets);
}

/**
 * rtsp_sink_audio_chain_get_caps:
 *
 * Returns: (transfer full) (nullable): the caps of the packets, NULL while
 *   they are not known
 */
GstCaps *
rtsp_sink_audio_chain_get_caps (RtspSinkAudioChain * self)
{
  return gst_pad_get_current_caps (self->collect);
}
