/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* How often the peers at one address may make something happen. A household has
 * one IPv4 address, or an IPv6 network in which it chooses 64 bits (RFC 6177): all
 * of that network counts as one address.
 *
 * No locks: its owner's guards it. */

#include "stream/peers.h"

#include <gio/gio.h>

#include "base/allowance.h"

#define IPV6_NETWORK_BYTES 8

/* Addresses that are remembered at a time, so that memory has an end. */
#define MAX_PEERS 4096

struct _RtspSinkPeers
{
  gint64 interval;
  guint n_at_once;
  GHashTable *allowances;       /* GBytes → RtspSinkAllowance */
};

/**
 * rtsp_sink_peers_new:
 * @interval: one is regained in this time
 * @n_at_once: how many may be taken at one moment
 *
 * Returns: (transfer full): nobody so far
 */
RtspSinkPeers *
rtsp_sink_peers_new (gint64 interval, guint n_at_once)
{
  RtspSinkPeers *self = g_new (RtspSinkPeers, 1);

  self->interval = interval;
  self->n_at_once = n_at_once;
  self->allowances = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
      (GDestroyNotify) g_bytes_unref, g_free);
  return self;
}

void
rtsp_sink_peers_free (RtspSinkPeers * self)
{
  g_hash_table_unref (self->allowances);
  g_free (self);
}

/* All texts that are no address count as one address. */
static GBytes *
make_key (const gchar * address)
{
  g_autoptr (GInetAddress) ip = g_inet_address_new_from_string (address);
  gsize size;

  if (ip == NULL)
    return g_bytes_new_static ("", 0);
  size = g_inet_address_get_family (ip) == G_SOCKET_FAMILY_IPV6 ?
      IPV6_NETWORK_BYTES : g_inet_address_get_native_size (ip);
  return g_bytes_new (g_inet_address_to_bytes (ip), size);
}

/* A peer that has regained all is as good as a new one. */
static void
forget_old (RtspSinkPeers * self, gint64 now)
{
  GHashTableIter iter;
  gpointer allowance;

  g_hash_table_iter_init (&iter, self->allowances);
  while (g_hash_table_iter_next (&iter, NULL, &allowance)) {
    if (rtsp_sink_allowance_is_whole (allowance, now, self->interval,
            self->n_at_once))
      g_hash_table_iter_remove (&iter);
  }
}

/**
 * rtsp_sink_peers_may:
 * @address: an IP address
 * @now: monotonic time
 *
 * Returns: whether it may happen now
 */
gboolean
rtsp_sink_peers_may (RtspSinkPeers * self, const gchar * address, gint64 now)
{
  g_autoptr (GBytes) key = make_key (address);
  RtspSinkAllowance *allowance = g_hash_table_lookup (self->allowances, key);

  return allowance == NULL || allowance->due <= now;
}

/**
 * rtsp_sink_peers_charge:
 *
 * It has happened. Does nothing if too many are remembered already.
 */
void
rtsp_sink_peers_charge (RtspSinkPeers * self, const gchar * address, gint64 now)
{
  g_autoptr (GBytes) key = make_key (address);
  RtspSinkAllowance *allowance = g_hash_table_lookup (self->allowances, key);

  if (allowance == NULL) {
    forget_old (self, now);
    if (g_hash_table_size (self->allowances) >= MAX_PEERS)
      return;
    allowance = g_new0 (RtspSinkAllowance, 1);
    g_hash_table_insert (self->allowances, g_steal_pointer (&key), allowance);
  }
  rtsp_sink_allowance_charge (allowance, now, self->interval, self->n_at_once);
}
