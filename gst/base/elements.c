/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* GStreamer's elements, made by name: an error for one that is missing names
 * the package to install. A leaf; any thread, no locks. */

#include "base/elements.h"

#include <string.h>

#include "base/missing.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_elements_debug);
#define GST_CAT_DEFAULT rtsp_sink_elements_debug

/* Which of Debian's packages has an element, for the error's cure. */
static const struct
{
  const gchar *factory;
  const gchar *package;
} packages[] = {
  {"queue", "libgstreamer1.0-0"},
  {"rtpbin", "gstreamer1.0-plugins-good"},
  {"udpsrc", "gstreamer1.0-plugins-good"},
  {"multiudpsink", "gstreamer1.0-plugins-good"},
  {"appsink", "gstreamer1.0-plugins-base"},
  {"appsrc", "gstreamer1.0-plugins-base"},
  {"capsfilter", "libgstreamer1.0-0"},
  {"videoconvert", "gstreamer1.0-plugins-base"},
  {"videoscale", "gstreamer1.0-plugins-base"},
  {"videobalance", "gstreamer1.0-plugins-good"},
  {"deinterlace", "gstreamer1.0-plugins-good"},
  {"h264parse", "gstreamer1.0-plugins-bad"},
  {"h265parse", "gstreamer1.0-plugins-bad"},
  {"av1parse", "gstreamer1.0-plugins-bad"},
  {"jpegparse", "gstreamer1.0-plugins-bad"},
  {"audioconvert", "gstreamer1.0-plugins-base"},
  {"audioresample", "gstreamer1.0-plugins-base"},
  {"opusenc", "gstreamer1.0-plugins-base"},
  {"opusparse", "gstreamer1.0-plugins-bad"},
  {"aacparse", "gstreamer1.0-plugins-good"},
  {"fdkaacenc", "gstreamer1.0-libav, which has avenc_aac"},
  {"avenc_aac", "gstreamer1.0-libav"},
  {"voaacenc", "gstreamer1.0-plugins-bad"},
  {"faac", "gstreamer1.0-plugins-bad"},
  {"mulawenc", "gstreamer1.0-plugins-good"},
  {"alawenc", "gstreamer1.0-plugins-good"},
  {"rtpopuspay", "gstreamer1.0-plugins-good"},
  {"rtpmp4gpay", "gstreamer1.0-plugins-good"},
  {"rtppcmupay", "gstreamer1.0-plugins-good"},
  {"rtppcmapay", "gstreamer1.0-plugins-good"},
  {"rtpL16pay", "gstreamer1.0-plugins-good"},
  {"rtph264pay", "gstreamer1.0-plugins-good"},
  {"rtph265pay", "gstreamer1.0-plugins-good"},
  {"rtpvp8pay", "gstreamer1.0-plugins-good"},
  {"rtpvp9pay", "gstreamer1.0-plugins-good"},
  {"rtpjpegpay", "gstreamer1.0-plugins-good"},
  {"rtpvrawpay", "gstreamer1.0-plugins-good"},
  {"rtph264depay", "gstreamer1.0-plugins-good"},
  {"rtph265depay", "gstreamer1.0-plugins-good"},
  {"rtpvp8depay", "gstreamer1.0-plugins-good"},
  {"rtpvp9depay", "gstreamer1.0-plugins-good"},
  {"rtpjpegdepay", "gstreamer1.0-plugins-good"},
  /* Debian 12 has neither. */
  {"rtpav1depay", "gstreamer1.0-plugins-rs (GStreamer 1.22 or newer)"},
  {"rtpav1pay", "gstreamer1.0-plugins-rs (GStreamer 1.22 or newer)"},
};

static void
init_category (void)
{
  static gsize done = 0;

  if (g_once_init_enter (&done)) {
    GST_DEBUG_CATEGORY_INIT (rtsp_sink_elements_debug,
        "rtspserversink-elements", 0, "rtspserversink: elements it is made of");
    g_once_init_leave (&done, 1);
  }
}

static const gchar *
package_of (const gchar * factory)
{
  for (gsize i = 0; i < G_N_ELEMENTS (packages); i++) {
    if (strcmp (packages[i].factory, factory) == 0)
      return packages[i].package;
  }
  g_return_val_if_reached ("gstreamer1.0");
}

static void
set_missing (const gchar * factory, GError ** error)
{
  /* Not each that one could do with is in the table. */
  if (error == NULL)
    return;
  rtsp_sink_missing_set_error (error, RTSP_SINK_MISSING_ELEMENT, factory,
      "The element %s is missing: install the package %s", factory,
      package_of (factory));
}

/**
 * rtsp_sink_elements_make:
 * @name: (nullable): its name
 * @error: names the package to install
 *
 * Returns: (transfer floating) (nullable): a new element
 */
GstElement *
rtsp_sink_elements_make (const gchar * factory, const gchar * name,
    GError ** error)
{
  GstElement *element = gst_element_factory_make (factory, name);

  if (element == NULL)
    set_missing (factory, error);
  return element;
}

/**
 * rtsp_sink_elements_add:
 * @error: names the package to install
 *
 * Returns: (transfer none) (nullable): a new element, in @bin
 */
GstElement *
rtsp_sink_elements_add (GstBin * bin, const gchar * factory,
    const gchar * name, GError ** error)
{
  GstElement *element = rtsp_sink_elements_make (factory, name, error);

  if (element != NULL)
    gst_bin_add (bin, element);
  return element;
}

/**
 * rtsp_sink_elements_link:
 * @error: names them
 *
 * Returns: whether what comes out of @first goes into @second
 */
gboolean
rtsp_sink_elements_link (GstElement * first, GstElement * second,
    GError ** error)
{
  if (gst_element_link (first, second))
    return TRUE;
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
      "The elements %s and %s cannot be linked: %s does not take what %s makes. "
      "Use another encoder, or put raw video or the codec that is served before "
      "the element", GST_OBJECT_NAME (first), GST_OBJECT_NAME (second),
      GST_OBJECT_NAME (second), GST_OBJECT_NAME (first));
  return FALSE;
}

static GstState
get_target (GstElement * parent)
{
  GstState target;

  GST_OBJECT_LOCK (parent);
  target = GST_STATE_PENDING (parent) != GST_STATE_VOID_PENDING ?
      GST_STATE_PENDING (parent) : GST_STATE (parent);
  GST_OBJECT_UNLOCK (parent);
  return target;
}

/**
 * rtsp_sink_elements_sync_state:
 * @element: was just added to a bin
 *
 * As gst_element_sync_state_with_parent(), also where another thread changes the
 * state of the bin meanwhile: that would leave the element in the state of before.
 *
 * Returns: FALSE if it does not get there
 */
gboolean
rtsp_sink_elements_sync_state (GstElement * element)
{
  g_autoptr (GstObject) parent = gst_object_get_parent (GST_OBJECT (element));
  GstStateChangeReturn ret;
  GstState target;

  do {
    target = get_target (GST_ELEMENT (parent));
    ret = gst_element_set_state (element, target);
  } while (target != get_target (GST_ELEMENT (parent)));
  return ret != GST_STATE_CHANGE_FAILURE;
}

/**
 * rtsp_sink_elements_check:
 * @error: names the package to install
 *
 * Returns: whether elements of this kind can be made
 */
gboolean
rtsp_sink_elements_check (const gchar * factory, GError ** error)
{
  g_autoptr (GstElementFactory) found = gst_element_factory_find (factory);

  if (found == NULL)
    set_missing (factory, error);
  return found != NULL;
}

/**
 * rtsp_sink_elements_set:
 * @settings: (nullable): `property=value` with a space between, no space within
 *
 * Other versions of an element may lack a property: that is left out.
 */
void
rtsp_sink_elements_set (GstElement * element, const gchar * settings)
{
  g_auto (GStrv) words = NULL;

  init_category ();
  if (settings == NULL)
    return;

  words = g_strsplit (settings, " ", -1);
  for (gsize i = 0; words[i] != NULL; i++) {
    gchar *value = strchr (words[i], '=');

    g_assert (value != NULL);
    *value++ = '\0';
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), words[i]))
      gst_util_set_object_arg (G_OBJECT (element), words[i], value);
    else
      GST_INFO_OBJECT (element, "has no property '%s'", words[i]);
  }
}

/**
 * rtsp_sink_elements_set_caps:
 * @capsfilter: a capsfilter
 * @description: what it lets through
 */
void
rtsp_sink_elements_set_caps (GstElement * capsfilter, const gchar * description)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (description);

  g_object_set (capsfilter, "caps", caps, NULL);
}
