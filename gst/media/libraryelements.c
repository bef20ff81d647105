/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What differs from the library's choice in the elements of which it makes a
 * media. What it would send to unicast viewers does not leave it: distributors do
 * that. Viewers' or the bus's threads; no locks. */

#include "media/libraryelements.h"

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

/* What passes on is for a multicast group alone. */
static GstPadProbeReturn
drop (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_DROP;
}

/* Of the library's sinks only those for a multicast group do not send to their
 * own machine. */
static gboolean
is_multicast (GstElement * sink)
{
  gboolean loop = TRUE;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "loop") != NULL)
    g_object_get (sink, "loop", &loop, NULL);
  return !loop;
}

static void
silence (GstElement * sink)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER_LIST, drop, NULL, NULL);
}

/**
 * rtsp_sink_library_elements_apply:
 * @element: that the library just made for a media
 * @name: of its factory
 */
void
rtsp_sink_library_elements_apply (GstElement * element, const gchar * name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (switched_off); i++) {
    if (g_str_equal (name, switched_off[i].factory))
      switch_off (G_OBJECT (element), switched_off[i].property);
  }
  if ((g_str_equal (name, "multiudpsink") || g_str_equal (name, "appsink"))
      && !is_multicast (element))
    silence (element);
  /* RTCP over TCP comes by it. Without caps its events would be out of order
   * behind those of RTCP over UDP, which has some. */
  if (g_str_equal (name, "appsrc"))
    gst_util_set_object_arg (G_OBJECT (element), "caps", "application/x-rtcp");
}
