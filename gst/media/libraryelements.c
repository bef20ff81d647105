/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What differs from the library's choice in the elements of which it makes a
 * media. Viewers' or the bus's threads; no locks. */

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
  /* RTCP over TCP comes by it. Without caps its events would be out of order
   * behind those of RTCP over UDP, which has some. */
  if (g_str_equal (name, "appsrc"))
    gst_util_set_object_arg (G_OBJECT (element), "caps", "application/x-rtcp");
}
