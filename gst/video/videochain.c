/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The elements that make raw video, or encoded video that cannot be sent as it
 * is, what viewers get, as a bin:
 *
 *   [decoder !] videoconvert [! videoscale] ! capsfilter (4:2:0)
 *       ! videobalance (range) [! deinterlace] ! encoder ! capsfilter (profile)
 *       [! parser]
 *   [decoder !] videoconvert [! videoscale] ! capsfilter (as RFC 4175 has it)
 *   encoder ! capsfilter (profile) [! parser]
 *
 * The last, the direct one, is for frames in a device's memory, which no other
 * element here can touch.
 *
 * Made and linked on the application's thread, or on the encoder's if other input
 * comes. How they are set is the conversion's business. */

#include "video/videochain.h"

#include "base/elements.h"
#include "codec/choose.h"
#include "codec/encoder.h"
#include "codec/encoderinput.h"
#include "codec/memories.h"

/**
 * rtsp_sink_video_chain_is_raw:
 *
 * Returns: whether raw video comes out
 */
gboolean
rtsp_sink_video_chain_is_raw (const RtspSinkVideoChain * self)
{
  return self->codec->codec == GST_RTSP_SERVER_SINK_CODEC_RAW;
}

static GstElement *
add (RtspSinkVideoChain * self, const gchar * factory, const gchar * name,
    GError ** error)
{
  return rtsp_sink_elements_add (GST_BIN (self->bin), factory, name, error);
}

static gboolean
add_decoder (RtspSinkVideoChain * self, const GstCaps * encoded,
    GError ** error)
{
  self->decoder = rtsp_sink_choose_decoder (encoded, error);
  if (self->decoder == NULL)
    return FALSE;
  gst_bin_add (GST_BIN (self->bin), self->decoder);
  gst_object_unref (self->decoder);
  return TRUE;
}

static gboolean
add_raw_part (RtspSinkVideoChain * self, gboolean scaled, GError ** error)
{
  if (!(self->convert = add (self, "videoconvert", "convert", error))
      || (scaled && !(self->scale = add (self, "videoscale", "scale", error)))
      || !(self->format = add (self, "capsfilter", "format", error)))
    return FALSE;
  if (rtsp_sink_video_chain_is_raw (self))
    /* The very values that were fed, also of formats with 10 bits. */
    gst_util_set_object_arg (G_OBJECT (self->convert), "dither", "none");
  return TRUE;
}

/* First of all, for it may say what the codec is. */
static gboolean
make_encoder (RtspSinkVideoChain * self, const gchar * description,
    GError ** error)
{
  self->own_choice = description == NULL;
  self->encoder = rtsp_sink_choose_encoder (self->codec, description, error);
  if (self->encoder == NULL)
    return FALSE;

  self->codec = rtsp_sink_encoder_get_codec (self->encoder);
  /* A description may give it the name of one of ours. */
  gst_object_set_name (GST_OBJECT (self->encoder), "encoder");
  return TRUE;
}

/* Woven fields that the stream does not tell of would show as a comb. One
 * field makes each frame, so that none waits for the next. */
static gboolean
add_deinterlace (RtspSinkVideoChain * self, GError ** error)
{
  if (rtsp_sink_encoder_takes_interlaced (self->encoder))
    return TRUE;

  self->deinterlace = add (self, "deinterlace", "deinterlace", error);
  if (self->deinterlace == NULL)
    return FALSE;
  rtsp_sink_elements_set (self->deinterlace, "method=linear fields=top");
  return TRUE;
}

static gboolean
add_parser (RtspSinkVideoChain * self, GError ** error)
{
  if (self->codec->parser == NULL)
    return TRUE;
  self->parser = rtsp_sink_video_codecs_make_parser (self->codec, error);
  return self->parser != NULL && gst_bin_add (GST_BIN (self->bin),
      self->parser);
}

static gboolean
add_encoded_part (RtspSinkVideoChain * self, GError ** error)
{
  gst_bin_add (GST_BIN (self->bin), self->encoder);
  if ((!self->direct
          && (!(self->range = add (self, "videobalance", "range", error))
              || !add_deinterlace (self, error)))
      || !(self->profile = add (self, "capsfilter", "profile", error))
      || !add_parser (self, error))
    return FALSE;
  rtsp_sink_elements_set_caps (self->profile, self->codec->encoded);
  return TRUE;
}

static void
add_ghost_pad (RtspSinkVideoChain * self, const gchar * name,
    GstElement * element)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (element, name);

  gst_element_add_pad (self->bin, gst_ghost_pad_new (name, target));
}

/* Those that are there, in the order in which video passes them. What is behind the
 * format fails to link only where an encoder that the user describes does not fit. */
static gboolean
link_all (RtspSinkVideoChain * self, const gchar * description, GError ** error)
{
  GstElement *const all[] = {
    self->decoder, self->convert, self->scale, self->format, self->range,
    self->deinterlace, self->encoder, self->profile, self->parser,
  };
  GstElement *first = NULL;
  gboolean behind = self->direct;

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++) {
    if (all[i] == NULL)
      continue;
    if (first == NULL)
      first = all[i];
    else if (!behind && !rtsp_sink_elements_link (self->last, all[i], error))
      return FALSE;
    else if (behind && !gst_element_link (self->last, all[i])) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
          "encoder=\"%s\" does not turn raw video into %s", description ?
          description : GST_OBJECT_NAME (self->encoder), self->codec->name);
      return FALSE;
    }
    self->last = all[i];
    behind |= all[i] == self->format;
  }
  add_ghost_pad (self, "sink", first);
  add_ghost_pad (self, "src", self->last);
  return TRUE;
}

/**
 * rtsp_sink_video_chain_check_taken:
 * @self: a direct one
 * @caps: of frames in a device's memory, or of all that may come
 * @error: says what is not taken, and the cure
 *
 * Returns: whether the encoder takes them
 */
gboolean
rtsp_sink_video_chain_check_taken (const RtspSinkVideoChain * self,
    const GstCaps * caps, GError ** error)
{
  g_autofree gchar *name = NULL;

  if (gst_caps_can_intersect (self->taken, caps))
    return TRUE;
  name = self->encoder != NULL ? rtsp_sink_encoder_dup_name (self->encoder)
      : g_strdup ("codec=raw");
  rtsp_sink_memories_set_error (caps, error, "%s takes none%s", name,
      rtsp_sink_memories_is_taken (self->taken, caps) ?
      " of this size or format (4:2:0, 8 bit)" : "");
  return FALSE;
}

/* Frames in a device's memory go through only as they are. The encoder may take
 * none that are in the machine's. */
static gboolean
choose_way (RtspSinkVideoChain * self, const GstCaps * raw, GError ** error)
{
  gboolean device = raw != NULL && rtsp_sink_memories_has_device (raw);
  gboolean machine = raw == NULL || rtsp_sink_memories_has_machine (raw);
  gboolean device_only;
  g_autofree gchar *name = NULL;

  self->taken =
      self->encoder != NULL ? rtsp_sink_encoder_input_get_taken (self->encoder)
      : gst_caps_new_empty_simple ("video/x-raw");
  device_only = !rtsp_sink_memories_has_machine (self->taken)
      && rtsp_sink_memories_has_device (self->taken);
  self->direct = device && (!machine || device_only);

  if (self->direct && self->encoder != NULL)
    rtsp_sink_encoder_input_bypass (self->encoder);
  if (self->direct)
    return rtsp_sink_video_chain_check_taken (self, raw, error);
  if (!device_only)
    return TRUE;
  name = rtsp_sink_encoder_dup_name (self->encoder);
  rtsp_sink_memories_set_upload_error (name, self->taken, error);
  return FALSE;
}

/**
 * rtsp_sink_video_chain_build:
 * @self: zeroed, but for what comes out: the codec; NULL: what the encoder makes
 * @encoder: (nullable): launch description; NULL: choose
 * @encoded: (nullable): what comes in; NULL: raw video
 * @raw_input: (nullable): raw video that may come in; NULL: the machine's memory
 * @scaled: whether the size may be another than the input's
 * @error: says what is missing or wrong, and the cure
 *
 * Whatever it says, @self is to be cleared.
 */
gboolean
rtsp_sink_video_chain_build (RtspSinkVideoChain * self, const gchar * encoder,
    const GstCaps * encoded, const GstCaps * raw_input, gboolean scaled,
    GError ** error)
{
  gboolean raw = self->codec != NULL && rtsp_sink_video_chain_is_raw (self);

  self->bin = gst_object_ref_sink (gst_bin_new ("conversion"));
  if ((!raw && !make_encoder (self, encoder, error))
      || !rtsp_sink_video_codecs_check (self->codec, error)
      || !choose_way (self, raw_input, error))
    return FALSE;
  self->square = raw || !rtsp_sink_encoder_tells_shape (self->encoder);
  return (encoded == NULL || add_decoder (self, encoded, error))
      && (self->direct || add_raw_part (self, scaled || self->square, error))
      && (raw || add_encoded_part (self, error))
      && link_all (self, encoder, error);
}

/* The bin may live on in its parent. */
void
rtsp_sink_video_chain_clear (RtspSinkVideoChain * self)
{
  if (GST_OBJECT_PARENT (self->bin) == NULL)
    gst_element_set_state (self->bin, GST_STATE_NULL);
  if (self->encoder != NULL && GST_OBJECT_PARENT (self->encoder) == NULL)
    gst_element_set_state (self->encoder, GST_STATE_NULL);
  gst_clear_object (&self->encoder);
  gst_clear_caps (&self->taken);
  gst_object_unref (self->bin);
}
