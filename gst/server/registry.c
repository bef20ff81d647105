/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The servers of this process, one per address and port, shared by all
 * elements that name the same. Port 0 is any free one, hence never shared.
 * Application threads. */

#include "server/registry.h"

/* A name server that does not answer shall not hold up a state change. */
#define RESOLVE_TIME_MS 800

typedef struct
{
  gchar *key;                   /* NULL: not shared */
  RtspSinkServer *server;       /* NULL: starting or stopping */
  guint users;
} Entry;

static GMutex lock;
static GCond cond;
/* Guarded by lock, with cond. Servers start and stop outside of it. */
static GPtrArray *entries;      /* of Entry */

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->key);
  g_free (entry);
}

static Entry *
find_key_locked (const gchar * key)
{
  for (guint i = 0; key != NULL && i < entries->len; i++) {
    Entry *entry = g_ptr_array_index (entries, i);

    if (g_strcmp0 (entry->key, key) == 0)
      return entry;
  }
  return NULL;
}

static Entry *
find_server_locked (RtspSinkServer * server)
{
  for (guint i = 0; i < entries->len; i++) {
    Entry *entry = g_ptr_array_index (entries, i);

    if (entry->server == server)
      return entry;
  }
  return NULL;
}

/* Returns the entry with one more user; a new one has no server yet. */
static Entry *
use_entry (const gchar * key)
{
  Entry *entry;

  g_mutex_lock (&lock);
  if (entries == NULL)
    entries = g_ptr_array_new_with_free_func (free_entry);

  /* Another thread starts or stops that server: let it finish. */
  while ((entry = find_key_locked (key)) != NULL && entry->server == NULL)
    g_cond_wait (&cond, &lock);

  if (entry == NULL) {
    entry = g_new0 (Entry, 1);
    entry->key = g_strdup (key);
    g_ptr_array_add (entries, entry);
  }
  entry->users++;
  g_mutex_unlock (&lock);

  return entry;
}

static void
drop_entry (Entry * entry)
{
  g_mutex_lock (&lock);
  g_ptr_array_remove (entries, entry);
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
}

static gboolean
cancel (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

static void
keep_result (GObject * resolver, GAsyncResult * result, gpointer user_data)
{
  *(GAsyncResult **) user_data = g_object_ref (result);
}

static GList *
lookup_name (const gchar * name, GError ** error)
{
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GSource) timer = g_timeout_source_new (RESOLVE_TIME_MS);

  g_main_context_push_thread_default (context);
  g_source_set_static_name (timer, "rtspserversink-resolve-timeout");
  g_source_set_callback (timer, cancel, cancellable, NULL);
  g_source_attach (timer, context);
  g_resolver_lookup_by_name_async (resolver, name, cancellable, keep_result,
      &result);
  while (result == NULL)
    g_main_context_iteration (context, TRUE);
  g_source_destroy (timer);
  g_main_context_pop_thread_default (context);

  return g_resolver_lookup_by_name_finish (resolver, result, error);
}

static gchar *
resolve (const gchar * address, GError ** error)
{
  g_autoptr (GInetAddress) literal = NULL;
  g_autoptr (GError) cause = NULL;
  GList *found;
  gchar *numeric;

  /* In one spelling, for it is the key of the server. */
  literal = g_inet_address_new_from_string (address);
  if (literal != NULL)
    return g_inet_address_to_string (literal);

  found = address[0] != '\0' ? lookup_name (address, &cause) : NULL;
  if (found == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
        "\"%s\" is neither an IP address nor a known host name%s%s", address,
        cause ? ": " : "", cause ? cause->message : "");
    return NULL;
  }
  numeric = g_inet_address_to_string (found->data);
  g_resolver_free_addresses (found);
  return numeric;
}

/**
 * rtsp_sink_registry_acquire:
 * @address: an IP address or a host name
 * @port: 0: any free one
 * @error: why it cannot listen there
 *
 * Returns: (transfer full) (nullable): a listening server;
 *   rtsp_sink_registry_release() after use
 */
RtspSinkServer *
rtsp_sink_registry_acquire (const gchar * address, guint port, GError ** error)
{
  g_autofree gchar *numeric = resolve (address, error);
  g_autofree gchar *key = NULL;
  RtspSinkServer *server;
  Entry *entry;

  if (numeric == NULL)
    return NULL;

  if (port != 0)
    key = g_strdup_printf ("%s %u", numeric, port);
  entry = use_entry (key);
  if (entry->server != NULL)
    return entry->server;

  server = rtsp_sink_server_new (numeric, port, error);
  if (server == NULL) {
    drop_entry (entry);
    return NULL;
  }
  g_mutex_lock (&lock);
  entry->server = server;
  g_cond_broadcast (&cond);
  g_mutex_unlock (&lock);
  return server;
}

/**
 * rtsp_sink_registry_release:
 * @server: (transfer full): from rtsp_sink_registry_acquire()
 *
 * The last user stops it and waits until the port is free.
 */
void
rtsp_sink_registry_release (RtspSinkServer * server)
{
  Entry *entry;
  gboolean last;

  g_mutex_lock (&lock);
  entry = find_server_locked (server);
  g_assert (entry != NULL);
  last = --entry->users == 0;
  if (last)
    entry->server = NULL;
  g_mutex_unlock (&lock);

  if (!last)
    return;

  rtsp_sink_server_free (server);
  drop_entry (entry);
}
