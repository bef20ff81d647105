/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* What is told of viewers; see viewerlog.h. */

#include "viewerlog.h"

#define PREFIX "rtspserversink-viewer-"

struct _ViewerLog
{
  GstBus *bus;

  GMutex lock;
  GCond cond;
  GPtrArray *notes;             /* of ViewerNote; guarded by lock, with cond */
};

/* The fields of each kind. */
static const struct
{
  const gchar *kind;
  gboolean id;
  gboolean transport;
  gboolean reason;
  gboolean text;
} kinds[] = {
  {"added", TRUE, TRUE, FALSE, FALSE},
  {"removed", TRUE, TRUE, TRUE, FALSE},
  {"refused", FALSE, FALSE, TRUE, TRUE},
};

static void
free_note (gpointer data)
{
  ViewerNote *note = data;

  g_free (note->element);
  g_free (note->peer);
  g_free (note->transport);
  g_free (note->reason);
  g_free (note->text);
  g_free (note->fault);
  g_free (note);
}

static gchar *
get_text (ViewerNote * note, const GstStructure * s, const gchar * field,
    gboolean wanted)
{
  const gchar *text = gst_structure_get_string (s, field);

  if (note->fault == NULL && wanted != gst_structure_has_field (s, field))
    note->fault = g_strdup_printf ("%s: %s", field, wanted ? "none" : "one");
  else if (note->fault == NULL && wanted && (text == NULL || *text == '\0'))
    note->fault = g_strdup_printf ("%s: no text", field);
  return g_strdup (text);
}

static ViewerNote *
read_note (GstMessage * message, guint kind)
{
  const GstStructure *s = gst_message_get_structure (message);
  ViewerNote *note = g_new0 (ViewerNote, 1);

  note->kind = kinds[kind].kind;
  note->element = g_strdup (GST_MESSAGE_SRC_NAME (message));
  if (gst_structure_get_uint (s, "id", &note->id) != kinds[kind].id
      || (note->id != 0) != kinds[kind].id)
    note->fault = g_strdup ("id");
  note->peer = get_text (note, s, "peer", TRUE);
  note->transport = get_text (note, s, "transport", kinds[kind].transport);
  note->reason = get_text (note, s, "reason", kinds[kind].reason);
  note->text = get_text (note, s, "text", kinds[kind].text);
  if (gst_structure_get_uint (s, "count", &note->count) != kinds[kind].text
      || (note->count != 0) != kinds[kind].text)
    note->fault = g_strdup ("count");
  return note;
}

/* Any thread. */
static GstBusSyncReply
note_message (GstBus * bus, GstMessage * message, gpointer user_data)
{
  ViewerLog *log = user_data;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree gchar *name = g_strconcat (PREFIX, kinds[i].kind, NULL);

    if (!gst_message_has_name (message, name))
      continue;
    g_mutex_lock (&log->lock);
    g_ptr_array_add (log->notes, read_note (message, i));
    g_cond_broadcast (&log->cond);
    g_mutex_unlock (&log->lock);
  }
  return GST_BUS_PASS;
}

/* What this thread did is done before what another does that calls it after:
 * GStreamer's own counting of references says so, too, but not to
 * ThreadSanitizer. */
static void
order (ViewerLog * log)
{
  g_mutex_lock (&log->lock);
  g_mutex_unlock (&log->lock);
}

/* Any thread: no handler runs any more. */
static void
free_log (gpointer data)
{
  ViewerLog *log = data;

  order (log);
  g_ptr_array_unref (log->notes);
  g_mutex_clear (&log->lock);
  g_cond_clear (&log->cond);
  g_free (log);
}

ViewerLog *
viewer_log_new (SinkTest * test)
{
  ViewerLog *log = g_new0 (ViewerLog, 1);

  g_mutex_init (&log->lock);
  g_cond_init (&log->cond);
  log->notes = g_ptr_array_new_with_free_func (free_note);
  log->bus = gst_element_get_bus (sink_test_pipeline (test));
  gst_bus_set_sync_handler (log->bus, note_message, log, free_log);
  return log;
}

void
viewer_log_free (ViewerLog * log)
{
  GstBus *bus;

  if (log == NULL)
    return;
  bus = log->bus;
  order (log);
  gst_bus_set_sync_handler (bus, NULL, NULL, NULL);
  gst_object_unref (bus);
}

static ViewerNote *
find_locked (ViewerLog * log, const gchar * kind, guint n)
{
  for (guint i = 0; i < log->notes->len; i++) {
    ViewerNote *note = g_ptr_array_index (log->notes, i);

    if ((kind == NULL || g_str_equal (note->kind, kind)) && n-- == 0)
      return note;
  }
  return NULL;
}

guint
viewer_log_count (ViewerLog * log, const gchar * kind)
{
  guint n = 0;

  g_mutex_lock (&log->lock);
  while (find_locked (log, kind, n) != NULL)
    n++;
  g_mutex_unlock (&log->lock);

  return n;
}

guint
viewer_log_count_refused (ViewerLog * log)
{
  guint n = 0;

  g_mutex_lock (&log->lock);
  for (guint i = 0; i < log->notes->len; i++)
    n += ((ViewerNote *) g_ptr_array_index (log->notes, i))->count;
  g_mutex_unlock (&log->lock);

  return n;
}

static const ViewerNote *
check_note (const ViewerNote * note)
{
  fail_unless (note->fault == NULL, "viewer-%s of %s: %s", note->kind,
      note->element, note->fault);
  return note;
}

const ViewerNote *
viewer_log_wait (ViewerLog * log, const gchar * kind, guint n)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  gboolean in_time = TRUE;
  ViewerNote *note;

  g_mutex_lock (&log->lock);
  while ((note = find_locked (log, kind, n)) == NULL && in_time)
    in_time = g_cond_wait_until (&log->cond, &log->lock, deadline);
  g_mutex_unlock (&log->lock);

  fail_unless (note != NULL, "waited %.3f s for number %u of viewer-%s",
      SINK_TEST_TIMEOUT / 1e6, n, kind != NULL ? kind : "*");
  return check_note (note);
}

static gboolean
is_same (const ViewerNote * a, const ViewerNote * b)
{
  return a->id == b->id && g_str_equal (a->element, b->element);
}

const ViewerNote *
viewer_log_wait_removed (ViewerLog * log, const ViewerNote * added)
{
  const ViewerNote *note;
  guint n = 0;

  do {
    note = viewer_log_wait (log, "removed", n++);
  } while (!is_same (note, added));
  return note;
}

/* How many of a kind the first notes have of the viewer of a note. */
static guint
count_same (ViewerLog * log, const ViewerNote * of, const gchar * kind,
    guint n_first)
{
  guint n = 0;

  g_mutex_lock (&log->lock);
  for (guint i = 0; i < n_first; i++) {
    const ViewerNote *note = g_ptr_array_index (log->notes, i);

    n += g_str_equal (note->kind, kind) && is_same (note, of);
  }
  g_mutex_unlock (&log->lock);

  return n;
}

void
viewer_log_expect_all_removed (ViewerLog * log)
{
  guint n_added = viewer_log_count (log, "added");

  for (guint i = 0; i < n_added; i++) {
    const ViewerNote *added = viewer_log_wait (log, "added", i);
    const ViewerNote *removed = viewer_log_wait_removed (log, added);

    fail_unless_equals_string (removed->peer, added->peer);
    fail_unless_equals_string (removed->transport, added->transport);
  }
  fail_unless_equals_int (viewer_log_count (log, "removed"), n_added);
  for (guint i = 0; i < viewer_log_count (log, NULL); i++) {
    const ViewerNote *note = viewer_log_wait (log, NULL, i);
    gboolean is_added = g_str_equal (note->kind, "added");

    if (note->id == 0)
      continue;
    fail_unless_equals_int (count_same (log, note, note->kind, i + 1), 1);
    fail_unless_equals_int (count_same (log, note, "added", i),
        is_added ? 0 : 1);
  }
}
