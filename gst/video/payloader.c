/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One payloader for all viewers, called like a function: an access unit in,
 * its RTP packets out (base/inlinebin.h). Payloaders push what a unit makes
 * before they return, so what comes out is exactly the unit's packets.
 * Doing it once instead of once per viewer is most of why a viewer costs a
 * fraction of what it does in a plain server (docs/decisions.md).
 *
 * Everything runs on the encoder's thread; no locks. */

#include "video/payloader.h"

#include "base/inlinebin.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_payloader_debug);
#define GST_CAT_DEFAULT rtsp_sink_payloader_debug

struct _RtspSinkPayloader
{
  RtspSinkInlineBin *payloader;
  gdouble rate;                 /* frames per second, 0: not known */
  gboolean headless;            /* the caps lack what it takes to begin */
  gboolean feedback;            /* viewers may ask for key units by RTCP */
  gboolean leaks;               /* the payloader, each unit that it refuses */
};

static gboolean
is_made_by (GstElement * element, const gchar * name)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL && g_str_equal (GST_OBJECT_NAME (factory), name);
}

/**
 * rtsp_sink_payloader_new:
 * @payloader: (transfer floating): the payloader, in NULL
 * @feedback: viewers may ask for key units by RTCP (RFC 4585; RFC 5104)
 * @error: says why the payloader does not start
 *
 * Returns: (transfer full) (nullable): the payloading, ready to be pushed to
 */
RtspSinkPayloader *
rtsp_sink_payloader_new (GstElement * payloader, gboolean feedback,
    GError ** error)
{
  RtspSinkPayloader *self = g_new0 (RtspSinkPayloader, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_payloader_debug,
      "rtspserversink-payloader", 0, "rtspserversink: payloading");

  self->feedback = feedback;
  /* From 1.22 to the newest one, 1.28. */
  self->leaks = is_made_by (payloader, "rtpvp8pay");
  /* RTP times come from time stamps alone, not from buffer offsets. */
  g_object_set (payloader, "perfect-rtptime", FALSE, NULL);
  self->payloader = rtsp_sink_inline_bin_new (NULL, NULL);
  rtsp_sink_inline_bin_append (self->payloader, payloader);
  if (!rtsp_sink_inline_bin_start (self->payloader, NULL, error)) {
    rtsp_sink_payloader_free (self);
    return NULL;
  }
  return self;
}

void
rtsp_sink_payloader_free (RtspSinkPayloader * self)
{
  if (self == NULL)
    return;

  rtsp_sink_inline_bin_free (self->payloader);
  g_free (self);
}

/* Units that carry lengths have the size of these in the codec data, beside the
 * parameter sets. Without, rtph264pay and rtph265pay (1.22) take a length of no
 * bytes, and never come to the end of a unit. */
static gboolean
lacks_codec_data (const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  const gchar *form = gst_structure_get_string (s, "stream-format");

  return (g_strcmp0 (form, "avc") == 0 || g_strcmp0 (form, "hvc1") == 0)
      && !gst_structure_has_field (s, "codec_data");
}

/* An SDP has the highest one (RFC 8866, 6.13). */
static gdouble
get_rate (const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gint n = 0, d = 1;
  gdouble rate;

  if (!gst_structure_get_fraction (s, "framerate", &n, &d) || n == 0)
    gst_structure_get_fraction (s, "max-framerate", &n, &d);
  gst_util_fraction_to_double (n, d, &rate);
  return rate;
}

/**
 * rtsp_sink_payloader_set_caps:
 * @caps: of the access units that follow
 *
 * Returns: FALSE if the payloader cannot take them
 */
gboolean
rtsp_sink_payloader_set_caps (RtspSinkPayloader * self, GstCaps * caps)
{
  self->headless = lacks_codec_data (caps);
  self->rate = get_rate (caps);
  return rtsp_sink_inline_bin_set_caps (self->payloader, caps);
}

/* rtpjpegpay (1.22) writes it with the comma of the locale. Takes @caps. */
static GstCaps *
tell_rate (RtspSinkPayloader * self, GstCaps * caps)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (self->rate == 0 || !gst_structure_has_field (gst_caps_get_structure
          (caps, 0), "a-framerate"))
    return caps;
  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps, "a-framerate", G_TYPE_STRING,
      g_ascii_dtostr (text, sizeof (text), self->rate), NULL);
  return caps;
}

/* Whoever has the packets only can tell where a decoder can begin. */
static void
mark (GstBufferList * packets, gboolean delta)
{
  for (guint i = 0; i < gst_buffer_list_length (packets); i++) {
    GstBuffer *packet = gst_buffer_list_get_writable (packets, i);

    if (delta)
      GST_BUFFER_FLAG_SET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
    else
      GST_BUFFER_FLAG_UNSET (packet, GST_BUFFER_FLAG_DELTA_UNIT);
  }
}

static void
note_freed (gpointer freed, GstMiniObject * unit)
{
  *(gboolean *) freed = TRUE;
}

/* A payloader that leaks a unit has the only reference left, and never uses it
 * again. A weak reference leaves it writable. */
static GstBufferList *
call_leaking (RtspSinkPayloader * self, GstBuffer * unit)
{
  gboolean freed = FALSE;
  GstBufferList *packets;

  gst_mini_object_weak_ref (GST_MINI_OBJECT (unit), note_freed, &freed);
  packets = rtsp_sink_inline_bin_call (self->payloader, unit);
  if (freed)
    return packets;
  gst_mini_object_weak_unref (GST_MINI_OBJECT (unit), note_freed, &freed);
  if (packets == NULL)
    gst_buffer_unref (unit);
  return packets;
}

/**
 * rtsp_sink_payloader_push:
 * @unit: (transfer full): an access unit, its PTS in media time
 *
 * Returns: (transfer full) (nullable): its packets, which are delta units if
 *   @unit is one; NULL if there are none: the payloader refuses it, or the caps
 *   lack the parameter sets
 */
GstBufferList *
rtsp_sink_payloader_push (RtspSinkPayloader * self, GstBuffer * unit)
{
  gboolean delta = GST_BUFFER_FLAG_IS_SET (unit, GST_BUFFER_FLAG_DELTA_UNIT);
  GstBufferList *packets;

  if (self->headless) {
    GST_LOG ("no parameter sets: dropping a unit");
    gst_buffer_unref (unit);
    return NULL;
  }

  packets = self->leaks ? call_leaking (self, unit)
      : rtsp_sink_inline_bin_call (self->payloader, unit);
  if (packets != NULL && gst_buffer_list_length (packets) == 0)
    g_clear_pointer (&packets, gst_buffer_list_unref);
  if (packets != NULL)
    mark (packets, delta);
  return packets;
}

/**
 * rtsp_sink_payloader_take_problem:
 *
 * Returns: (transfer full) (nullable): what the payloader said of the newest unit
 */
gchar *
rtsp_sink_payloader_take_problem (RtspSinkPayloader * self)
{
  return rtsp_sink_inline_bin_take_problem (self->payloader);
}

/**
 * rtsp_sink_payloader_get_caps:
 *
 * Returns: (transfer full) (nullable): the caps of the packets, NULL while
 *   they are not known
 */
GstCaps *
rtsp_sink_payloader_get_caps (RtspSinkPayloader * self)
{
  GstCaps *caps = self->headless ? NULL :
      rtsp_sink_inline_bin_get_caps (self->payloader);

  if (caps == NULL)
    return NULL;
  caps = tell_rate (self, caps);
  if (!self->feedback)
    return caps;
  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps, "rtcp-fb-nack-pli", G_TYPE_BOOLEAN, TRUE,
      "rtcp-fb-ccm-fir", G_TYPE_BOOLEAN, TRUE, NULL);
  return caps;
}
