/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How packets may get to viewers: checks what was set, and tells the library.
 * Application's thread. */

#include "server/transports.h"

#include <net/if.h>

#define PROTOCOLS (GST_RTSP_LOWER_TRANS_UDP | GST_RTSP_LOWER_TRANS_UDP_MCAST | \
    GST_RTSP_LOWER_TRANS_TCP)

/**
 * rtsp_sink_transports_has_multicast:
 *
 * Returns: whether viewers may be of a multicast group
 */
gboolean
rtsp_sink_transports_has_multicast (const RtspSinkSettings * settings)
{
  return (settings->protocols & GST_RTSP_LOWER_TRANS_UDP_MCAST) != 0;
}

/**
 * rtsp_sink_transports_has_feedback:
 *
 * Returns: whether viewers may ask for key units by RTCP
 */
gboolean
rtsp_sink_transports_has_feedback (const RtspSinkSettings * settings)
{
  return settings->profiles == GST_RTSP_PROFILE_AVPF;
}

static gboolean
check (const RtspSinkSettings * settings, GError ** error)
{
  if (settings->protocols == 0 || (settings->protocols & ~PROTOCOLS) != 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "protocols must be one or more of udp, udp-mcast and tcp");
    return FALSE;
  }
  if (settings->profiles != GST_RTSP_PROFILE_AVP
      && settings->profiles != GST_RTSP_PROFILE_AVPF) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "profiles must be avp or avpf");
    return FALSE;
  }
  if (rtsp_sink_transports_has_multicast (settings)
      && settings->shared == GST_RTSP_SERVER_SINK_SHARED_FALSE) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "viewers of a multicast group share what is sent to it: set shared to "
        "auto or true, or take udp-mcast out of protocols");
    return FALSE;
  }
  return TRUE;
}

/* "A-B", or "A" for "A-A". */
static void
split_range (const gchar * range, gchar ** first, gchar ** last)
{
  g_auto (GStrv) parts = g_strsplit (range != NULL ? range : "", "-", 2);

  *first = g_strdup (parts[0] != NULL ? g_strstrip (parts[0]) : "");
  *last = g_strdup (parts[0] != NULL && parts[1] != NULL ?
      g_strstrip (parts[1]) : *first);
}

/* RTP has an even port and RTCP the next one (RFC 3550, 11). */
static gboolean
parse_ports (const gchar * range, guint16 * first, guint16 * last)
{
  g_autofree gchar *a = NULL;
  g_autofree gchar *b = NULL;
  guint64 from, to;

  split_range (range, &a, &b);
  if (!g_ascii_string_to_unsigned (a, 10, 1, G_MAXUINT16, &from, NULL)
      || !g_ascii_string_to_unsigned (b, 10, 1, G_MAXUINT16, &to, NULL)
      || (from + 1) / 2 * 2 + 1 > to)
    return FALSE;
  *first = from;
  *last = to;
  return TRUE;
}

static gboolean
is_multicast (const gchar * text)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (text);

  return address != NULL && g_inet_address_get_is_multicast (address);
}

static GstRTSPAddressPool *
make_pool (const RtspSinkSettings * settings, GError ** error)
{
  GstRTSPAddressPool *pool = gst_rtsp_address_pool_new ();
  g_autofree gchar *first = NULL;
  g_autofree gchar *last = NULL;
  guint16 from, to;

  split_range (settings->multicast_address_range, &first, &last);
  if (!is_multicast (first) || !is_multicast (last))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "multicast-address-range \"%s\" is neither a multicast address nor a "
        "range of them: set it to one like 239.255.42.42 or "
        "239.255.42.1-239.255.42.9", settings->multicast_address_range);
  else if (!parse_ports (settings->multicast_port_range, &from, &to))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "multicast-port-range \"%s\" has no even port with the next one: set a "
        "range like 5000-5009", settings->multicast_port_range);
  else if (!gst_rtsp_address_pool_add_range (pool, first, last, from, to,
          settings->multicast_ttl))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "multicast-address-range \"%s\" does not go from a lower to a higher "
        "address: put the lower one first", settings->multicast_address_range);
  else
    return pool;

  g_object_unref (pool);
  return NULL;
}

/**
 * rtsp_sink_transports_configure:
 * @error: what cannot be, with the cure
 *
 * Returns: whether @factory's media will be sent as @settings say
 */
gboolean
rtsp_sink_transports_configure (GstRTSPMediaFactory * factory,
    const RtspSinkSettings * settings, GError ** error)
{
  g_autoptr (GstRTSPAddressPool) pool = NULL;

  if (!check (settings, error))
    return FALSE;
  gst_rtsp_media_factory_set_protocols (factory, settings->protocols);
  gst_rtsp_media_factory_set_profiles (factory, settings->profiles);
  if (!rtsp_sink_transports_has_multicast (settings))
    return TRUE;

  if (settings->multicast_iface != NULL
      && if_nametoindex (settings->multicast_iface) == 0) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
        "multicast-iface \"%s\" is not a network interface of this machine: "
        "set one that \"ip link\" shows", settings->multicast_iface);
    return FALSE;
  }
  pool = make_pool (settings, error);
  if (pool == NULL)
    return FALSE;
  gst_rtsp_media_factory_set_address_pool (factory, pool);
  if (settings->multicast_iface != NULL)
    gst_rtsp_media_factory_set_multicast_iface (factory,
        settings->multicast_iface);
  return TRUE;
}
