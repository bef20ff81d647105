/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How an encoder of the table is set: low delay, bit rate, key units, whether
 * by properties, V4L2's controls or an action. The application's thread and
 * the encoder's; no locks. */

#include "codec/encodersettings.h"

#include <gst/video/video.h>

#include "base/elements.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_encoder_settings_debug);
#define GST_CAT_DEFAULT rtsp_sink_encoder_settings_debug

static void
init_category (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (rtsp_sink_encoder_settings_debug,
        "rtspserversink-encodersettings", 0,
        "rtspserversink: settings of the encoder");
    g_once_init_leave (&done, 1);
  }
}

static guint64
clamp_to_property (GParamSpec * pspec, guint64 value)
{
  if (G_IS_PARAM_SPEC_INT (pspec))
    return MIN (value, (guint64) G_PARAM_SPEC_INT (pspec)->maximum);
  if (G_IS_PARAM_SPEC_UINT (pspec))
    return CLAMP (value, G_PARAM_SPEC_UINT (pspec)->minimum,
        G_PARAM_SPEC_UINT (pspec)->maximum);
  return value;
}

static void
set_number (GstElement * encoder, const gchar * property, guint64 value)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (encoder), property);
  GValue number = G_VALUE_INIT;

  if (pspec == NULL) {
    GST_INFO_OBJECT (encoder, "has no property '%s'", property);
    return;
  }
  g_value_init (&number, G_TYPE_UINT64);
  g_value_set_uint64 (&number, clamp_to_property (pspec, value));
  g_object_set_property (G_OBJECT (encoder), property, &number);
  g_value_unset (&number);
}

/* Setting the property sets all of its controls in the driver. */
static void
set_control (GstElement * encoder, const gchar * control, guint64 value)
{
  GstStructure *controls = NULL;

  g_object_get (encoder, "extra-controls", &controls, NULL);
  if (controls == NULL)
    controls = gst_structure_new_empty ("controls");
  gst_structure_set (controls, control, G_TYPE_INT,
      (gint) MIN (value, G_MAXINT), NULL);
  g_object_set (encoder, "extra-controls", controls, NULL);
  gst_structure_free (controls);
}

/**
 * rtsp_sink_encoder_settings_set:
 * @encoder: one of @row's
 * @names: its properties or controls, with a space between
 * @value: in their unit; the nearest that they take
 */
void
rtsp_sink_encoder_settings_set (GstElement * encoder,
    const RtspSinkEncoderRow * row, const gchar * names, guint64 value)
{
  g_auto (GStrv) words = g_strsplit (names, " ", -1);

  init_category ();
  for (gsize i = 0; words[i] != NULL; i++) {
    if (row->flags & RTSP_SINK_ENCODER_V4L2)
      set_control (encoder, words[i], value);
    else
      set_number (encoder, words[i], value);
  }
}

/**
 * rtsp_sink_encoder_settings_apply:
 * @encoder: one of @row's
 *
 * Makes it fit for live viewing.
 */
void
rtsp_sink_encoder_settings_apply (GstElement * encoder,
    const RtspSinkEncoderRow * row)
{
  g_autofree gchar *longest = NULL;

  rtsp_sink_elements_set (encoder, row->settings);
  if (row->longest == NULL)
    return;
  longest = g_strdup_printf ("%s=%s", row->interval, row->longest);
  rtsp_sink_elements_set (encoder, longest);
}

/* --- key units --- */

/* Not before the first frame, which is a key unit anyway: till then the driver
 * may not be set up. */
static GstPadProbeReturn
watch_requests (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gint *started = user_data;
  GstElement *encoder;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_BUFFER) {
    g_atomic_int_set (started, TRUE);
    return GST_PAD_PROBE_OK;
  }
  if (!gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info))
      || !g_atomic_int_get (started))
    return GST_PAD_PROBE_OK;

  encoder = gst_pad_get_parent_element (pad);
  if (encoder != NULL)
    g_signal_emit_by_name (encoder, "force-IDR");
  gst_clear_object (&encoder);
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_encoder_settings_translate:
 * @encoder: one of @row's
 *
 * If it has an action for that, it makes a key unit when an event asks for one.
 */
void
rtsp_sink_encoder_settings_translate (GstElement * encoder,
    const RtspSinkEncoderRow * row)
{
  GstPad *pad;

  if (!(row->flags & RTSP_SINK_ENCODER_ACTION)
      || g_signal_lookup ("force-IDR", G_OBJECT_TYPE (encoder)) == 0)
    return;

  pad = gst_element_get_static_pad (encoder, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER |
      GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, watch_requests, g_new0 (gint, 1),
      g_free);
  gst_object_unref (pad);
}
