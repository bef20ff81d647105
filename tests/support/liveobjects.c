/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Which objects live; see liveobjects.h. */

#include "liveobjects.h"

#include <gst/gst.h>
#include <gst/rtsp-server/rtsp-server.h>

struct _LiveObjects
{
  GHashTable *counts;           /* type name -> number */
  guint total;
};

/* Where the RTSP library tells of a new object, as the argument of a signal. */
static const struct
{
  GType (*owner) (void);
  const gchar *signal;
  const gchar *type;
} births[] = {
  {gst_rtsp_server_get_type, "client-connected", "GstRTSPClient"},
  {gst_rtsp_client_get_type, "new-session", "GstRTSPSession"},
  {gst_rtsp_media_factory_get_type, "media-constructed", "GstRTSPMedia"},
};

static gint n_alive[G_N_ELEMENTS (births)];     /* atomic */

void
live_objects_enable (void)
{
  /* Objects alone: of the others millions come and go. */
  g_setenv ("GST_TRACERS", "leaks(filters=\"GObject\")", TRUE);
}

/* Any thread. */
static void
note_death (gpointer index, GObject * object)
{
  g_atomic_int_add (&n_alive[GPOINTER_TO_SIZE (index)], -1);
}

/* Any thread. */
static gboolean
note_birth (GSignalInvocationHint * hint, guint n_values,
    const GValue * values, gpointer index)
{
  g_atomic_int_inc (&n_alive[GPOINTER_TO_SIZE (index)]);
  g_object_weak_ref (g_value_get_object (&values[1]), note_death, index);
  return TRUE;
}

void
live_objects_start (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (births); i++) {
    GType owner = births[i].owner ();

    g_type_class_ref (owner);
    g_signal_add_emission_hook (g_signal_lookup (births[i].signal, owner), 0,
        note_birth, GSIZE_TO_POINTER (i), NULL);
  }
}

static void
add (LiveObjects * live, const gchar * type, guint n)
{
  gsize before = GPOINTER_TO_SIZE (g_hash_table_lookup (live->counts, type));

  if (n == 0)
    return;
  g_hash_table_insert (live->counts, g_strdup (type),
      GSIZE_TO_POINTER (before + n));
  live->total += n;
}

static GstTracer *
find_tracer (void)
{
  GList *tracers = gst_tracing_get_active_tracers ();
  GstTracer *found = NULL;

  for (GList * l = tracers; l != NULL; l = l->next) {
    if (g_str_equal (G_OBJECT_TYPE_NAME (l->data), "GstLeaksTracer"))
      g_set_object (&found, l->data);
  }
  g_list_free_full (tracers, gst_object_unref);
  return found;
}

/* The tracer's list takes a reference that it never had: as it is meant for
 * objects that are leaked, it would unref them. */
static void
give_reference (const GValue * object)
{
  if (G_VALUE_HOLDS_OBJECT (object))
    g_object_ref (g_value_get_object (object));
  else
    gst_mini_object_ref (g_value_get_boxed (object));
}

static void
add_traced (LiveObjects * live, GstTracer * tracer)
{
  g_autoptr (GstStructure) info = NULL;
  const GValue *list;

  g_signal_emit_by_name (tracer, "get-live-objects", &info);
  list = gst_structure_get_value (info, "live-objects-list");
  for (guint i = 0; i < gst_value_list_get_size (list); i++) {
    const GstStructure *entry =
        gst_value_get_structure (gst_value_list_get_value (list, i));
    const GValue *object = gst_structure_get_value (entry, "object");

    add (live, G_VALUE_TYPE_NAME (object), 1);
    give_reference (object);
  }
}

LiveObjects *
live_objects_new (void)
{
  LiveObjects *live = g_new0 (LiveObjects, 1);
  g_autoptr (GstTracer) tracer = find_tracer ();

  live->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (tracer != NULL)
    add_traced (live, tracer);
  for (gsize i = 0; i < G_N_ELEMENTS (births); i++)
    add (live, births[i].type, g_atomic_int_get (&n_alive[i]));
  return live;
}

void
live_objects_free (LiveObjects * live)
{
  if (live == NULL)
    return;
  g_hash_table_unref (live->counts);
  g_free (live);
}

guint
live_objects_untracked (const gchar * type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (births); i++) {
    if (g_str_equal (births[i].type, type))
      return g_atomic_int_get (&n_alive[i]);
  }
  return 0;
}

guint
live_objects_total (LiveObjects * live)
{
  return live->total;
}

guint
live_objects_count (LiveObjects * live, const gchar * type)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (live->counts, type));
}

gchar *
live_objects_growth (LiveObjects * live, LiveObjects * before)
{
  return live_objects_growth_over (live, before, 0);
}

gchar *
live_objects_growth_over (LiveObjects * live, LiveObjects * before,
    guint tolerance)
{
  GString *text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer type, n;

  g_hash_table_iter_init (&iter, live->counts);
  while (g_hash_table_iter_next (&iter, &type, &n)) {
    guint n_before = live_objects_count (before, type);

    if (GPOINTER_TO_SIZE (n) > (gsize) n_before + tolerance)
      g_string_append_printf (text, "%s: %u, now %" G_GSIZE_FORMAT "\n",
          (gchar *) type, n_before, GPOINTER_TO_SIZE (n));
  }
  return g_string_free (text, FALSE);
}
