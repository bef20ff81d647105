/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* All that is done to audio, called like a function (base/inlinebin.h): a
 * buffer in, RTP packets out.
 *
 *   raw:      audioconvert ! audioresample ! capsfilter ! encoder ! payloader
 *   encoded:  parser ! capsfilter ! payloader
 *
 * Raw audio of other caps keeps to what the first became, so that nobody who
 * listens has to be told. Everything runs on one thread; no locks. */

#include "audio/audiochain.h"

#include "base/inlinebin.h"

struct _RtspSinkAudioChain
{
  const RtspSinkAudioCodec *codec;
  gboolean raw;
  const RtspSinkAudioEncoder *encoder;  /* NULL: none */
  RtspSinkInlineBin *elements;
  GstElement *route;            /* the encoder's element, or NULL */
  GstElement *format;           /* what raw audio is converted to, or NULL */
  gboolean fixed;               /* the format is */
};

/* Behind those that are there. */
static GstElement *
append (RtspSinkAudioChain * self, const gchar * factory,
    const gchar * settings, GError ** error)
{
  GstElement *element = rtsp_sink_audio_codecs_make (factory, settings, error);

  if (element != NULL)
    rtsp_sink_inline_bin_append (self->elements, element);
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
  if (self->encoder == NULL)
    return TRUE;
  self->route = append (self, self->encoder->factory,
      self->encoder->settings, error);
  return self->route != NULL && append_filter (self, self->codec->sent, error);
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

  if (payloader == NULL)
    return FALSE;
  /* RTP times come from time stamps alone, not from buffer offsets. */
  g_object_set (payloader, "perfect-rtptime", FALSE, "ssrc", ids->ssrc,
      "timestamp-offset", ids->rtp_offset, NULL);
  return TRUE;
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

  self->codec = codec;
  self->raw = raw;
  self->elements = rtsp_sink_inline_bin_new (NULL, NULL);
  if (!(raw ? append_raw_part : append_encoded_part) (self, error)
      || !append_payloader (self, ids, error)
      || !rtsp_sink_inline_bin_start (self->elements, NULL, error)) {
    rtsp_sink_audio_chain_free (self);
    return NULL;
  }
  return self;
}

void
rtsp_sink_audio_chain_free (RtspSinkAudioChain * self)
{
  if (self == NULL)
    return;
  rtsp_sink_inline_bin_free (self->elements);
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

/**
 * rtsp_sink_audio_chain_takes:
 *
 * Returns: whether @buffer can be what the caps say. Parsers may take very long
 *   over what cannot (opusparse: the square of its size)
 */
gboolean
rtsp_sink_audio_chain_takes (RtspSinkAudioChain * self, GstBuffer * buffer)
{
  return self->raw || self->codec->max_size == 0
      || gst_buffer_get_size (buffer) <= self->codec->max_size;
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
  return rtsp_sink_inline_bin_set_caps (self->elements, caps);
}

/* As new. Encoders that are behind by some samples keep these over a flush: they
 * would be heard at the time of what follows. FFmpeg's is then even a frame
 * later than it was when it began. */
static void
reset_encoder (RtspSinkAudioChain * self)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (self->route, "sink");
  g_autoptr (GstPad) before = gst_pad_get_peer (sink);

  /* Linked anew, it is told caps and segment again. */
  gst_pad_unlink (before, sink);
  gst_element_set_state (self->route, GST_STATE_READY);
  gst_pad_link (before, sink);
  gst_element_sync_state_with_parent (self->route);
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
  rtsp_sink_inline_bin_restart (self->elements);
  if (self->encoder != NULL && self->encoder->delay > 0)
    reset_encoder (self);
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

  GST_BUFFER_PTS (buffer) -= MIN (delay, GST_BUFFER_PTS (buffer));
  packets = rtsp_sink_inline_bin_call (self->elements, buffer);
  if (packets != NULL && self->format != NULL && !self->fixed)
    fix_format (self);
  return packets;
}

/**
 * rtsp_sink_audio_chain_end:
 *
 * What follows, if anything, begins anew: after a flush, or with other caps.
 *
 * Returns: (transfer full): the packets of what was left
 */
GstBufferList *
rtsp_sink_audio_chain_end (RtspSinkAudioChain * self)
{
  GstBufferList *rest = rtsp_sink_inline_bin_end (self->elements);

  rtsp_sink_audio_chain_restart (self);
  return rest;
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
  return rtsp_sink_inline_bin_get_caps (self->elements);
}

/**
 * rtsp_sink_audio_chain_take_problem:
 *
 * Returns: (transfer full) (nullable): what an element said of the newest buffer
 */
gchar *
rtsp_sink_audio_chain_take_problem (RtspSinkAudioChain * self)
{
  return rtsp_sink_inline_bin_take_problem (self->elements);
}
