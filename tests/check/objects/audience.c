/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* All viewers of an element: counted, limited, listed, dismissed. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "media/viewers.h"
#include "standin.h"

#define N 3

static RtspSinkViewers *audience;
static StandIn *stand_ins[N];
static RtspSinkViewer *viewers[N];
static GObject *clients[N];
static GObject *owner;
static GString *dismissed;      /* who, and why */
static GString *told;           /* who came, and who went and why */

static void
note_added (RtspSinkViewer * viewer, gpointer user_data)
{
  fail_unless (user_data == &told);
  /* no lock is held */
  rtsp_sink_viewers_count_playing (audience);
  g_string_append_printf (told, "+%u;", rtsp_sink_viewer_get_id (viewer));
}

static void
note_removed (RtspSinkViewer * viewer, const gchar * reason, gpointer user_data)
{
  fail_unless (user_data == &told);
  rtsp_sink_viewers_count_playing (audience);
  g_string_append_printf (told, "-%u %s;", rtsp_sink_viewer_get_id (viewer),
      reason);
}

static const RtspSinkViewersFuncs funcs = {
  note_added,
  note_removed,
};

static void
note_dismissal (GObject * client, const gchar * reason)
{
  /* no lock is held */
  rtsp_sink_viewers_count_playing (audience);
  for (guint i = 0; i < N; i++) {
    if (client == clients[i])
      g_string_append_printf (dismissed, "%u %s;", i, reason);
  }
}

static RtspSinkViewer *
make_viewer (guint i)
{
  RtspSinkViewerConfig config = {
    .id = rtsp_sink_viewers_next_id (audience),
    .peer = i == 0 ? "192.0.2.1" : "2001:db8::1",
    .senders = g_ptr_array_new (),
    .dismiss = note_dismissal,
    .client = clients[i],
  };
  RtspSinkSenderConfig sender_config = {
    .peer = config.peer,
    .transport = stand_in_transport (stand_ins[i]),
    .max_delay = GST_SECOND,
  };

  g_ptr_array_add (config.senders, rtsp_sink_sender_new (&sender_config));
  return rtsp_sink_viewer_new (&config);
}

static void
setup (void)
{
  owner = g_object_new (G_TYPE_OBJECT, NULL);
  audience = rtsp_sink_viewers_new (&funcs, owner, &told);
  dismissed = g_string_new (NULL);
  told = g_string_new (NULL);
  for (guint i = 0; i < N; i++) {
    stand_ins[i] = stand_in_new_udp ("127.0.0.1", 5000 + 2 * i);
    clients[i] = g_object_new (G_TYPE_OBJECT, NULL);
    viewers[i] = make_viewer (i);
  }
}

static void
teardown (void)
{
  for (guint i = 0; i < N; i++) {
    g_clear_pointer (&viewers[i], rtsp_sink_viewer_unref);
    g_clear_pointer (&stand_ins[i], stand_in_free);
    g_clear_object (&clients[i]);
  }
  g_clear_pointer (&audience, rtsp_sink_viewers_unref);
  g_clear_object (&owner);
  g_string_free (g_steal_pointer (&dismissed), TRUE);
  g_string_free (g_steal_pointer (&told), TRUE);
}

static RtspSinkSender *
sender_of (guint i)
{
  return rtsp_sink_viewer_get_sender (viewers[i], 0);
}

static void
add_all (void)
{
  for (guint i = 0; i < N; i++)
    fail_unless (rtsp_sink_viewers_add (audience, viewers[i]));
}

static guint
count_described (void)
{
  GstStructure *description = rtsp_sink_viewers_describe (audience);
  guint n = gst_value_array_get_size (gst_structure_get_value (description,
          "viewers"));

  gst_structure_free (description);
  return n;
}

GST_START_TEST (test_audience_ids_count_up_from_one)
{
  for (guint i = 0; i < N; i++)
    fail_unless_equals_int (rtsp_sink_viewer_get_id (viewers[i]), i + 1);
  add_all ();
  rtsp_sink_viewers_remove (audience, viewers[2], NULL);
  /* no id comes twice */
  fail_unless_equals_int (rtsp_sink_viewers_next_id (audience), N + 1);
}

GST_END_TEST;

GST_START_TEST (test_audience_takes_no_more_than_the_limit)
{
  rtsp_sink_viewers_set_max (audience, 2);
  fail_if (rtsp_sink_viewers_is_full (audience));
  fail_unless (rtsp_sink_viewers_add (audience, viewers[0]));
  fail_if (rtsp_sink_viewers_is_full (audience));
  fail_unless (rtsp_sink_viewers_add (audience, viewers[1]));
  fail_unless (rtsp_sink_viewers_is_full (audience));
  fail_if (rtsp_sink_viewers_add (audience, viewers[2]));
  fail_unless_equals_int (count_described (), 2);

  rtsp_sink_viewers_remove (audience, viewers[0], NULL);
  fail_if (rtsp_sink_viewers_is_full (audience));
  fail_unless (rtsp_sink_viewers_add (audience, viewers[2]));
}

GST_END_TEST;

GST_START_TEST (test_audience_without_limit_is_never_full)
{
  add_all ();
  fail_if (rtsp_sink_viewers_is_full (audience));
  fail_unless_equals_int (count_described (), N);
}

GST_END_TEST;

/* Who never played leaves without a word. */
GST_START_TEST (test_audience_tells_its_owner_who_comes_and_goes)
{
  add_all ();
  rtsp_sink_viewers_tell_added (audience, viewers[0]);
  rtsp_sink_viewers_remove (audience, viewers[1], NULL);
  rtsp_sink_viewers_remove (audience, viewers[0], "closed");
  fail_unless_equals_string (told->str, "+1;-1 closed;");
}

GST_END_TEST;

/* The functions are the owner's. */
GST_START_TEST (test_audience_tells_nobody_when_its_owner_is_gone)
{
  add_all ();
  g_clear_object (&owner);
  rtsp_sink_viewers_tell_added (audience, viewers[0]);
  rtsp_sink_viewers_remove (audience, viewers[0], "closed");
  fail_unless_equals_int (count_described (), N - 1);
  fail_unless_equals_string (told->str, "");
}

GST_END_TEST;

/* Those who paused count for the limit, but do not watch. */
GST_START_TEST (test_audience_counts_who_plays)
{
  add_all ();
  fail_unless_equals_int (rtsp_sink_viewers_count_playing (audience), 0);
  rtsp_sink_sender_open (sender_of (0), 0);
  rtsp_sink_sender_open (sender_of (1), 0);
  fail_unless_equals_int (rtsp_sink_viewers_count_playing (audience), 2);
  rtsp_sink_sender_close (sender_of (0));
  fail_unless_equals_int (rtsp_sink_viewers_count_playing (audience), 1);
  rtsp_sink_viewers_set_max (audience, N);
  fail_unless (rtsp_sink_viewers_is_full (audience));
  rtsp_sink_viewers_remove (audience, viewers[1], NULL);
  fail_unless_equals_int (rtsp_sink_viewers_count_playing (audience), 0);
}

GST_END_TEST;

GST_START_TEST (test_audience_removing_a_stranger_removes_nobody)
{
  rtsp_sink_viewers_add (audience, viewers[0]);
  rtsp_sink_viewers_remove (audience, viewers[1], NULL);
  rtsp_sink_viewers_remove (audience, viewers[0], NULL);
  rtsp_sink_viewers_remove (audience, viewers[0], NULL);
  fail_unless_equals_int (count_described (), 0);
}

GST_END_TEST;

GST_START_TEST (test_audience_dismisses_the_viewer_with_the_id)
{
  add_all ();
  fail_unless (rtsp_sink_viewers_dismiss (audience, 2, "removed"));
  fail_unless_equals_string (dismissed->str, "1 removed;");
  /* it leaves in its own time */
  fail_unless_equals_int (count_described (), N);
}

GST_END_TEST;

GST_START_TEST (test_audience_dismisses_nobody_with_an_unknown_id)
{
  rtsp_sink_viewers_add (audience, viewers[0]);
  fail_if (rtsp_sink_viewers_dismiss (audience, 0, "removed"));
  fail_if (rtsp_sink_viewers_dismiss (audience, 2, "removed"));
  rtsp_sink_viewers_remove (audience, viewers[0], NULL);
  fail_if (rtsp_sink_viewers_dismiss (audience, 1, "removed"));
  fail_unless_equals_string (dismissed->str, "");
}

GST_END_TEST;

GST_START_TEST (test_audience_description_has_a_structure_per_viewer)
{
  g_autoptr (GstStructure) description = NULL;
  const GValue *described;

  add_all ();
  description = rtsp_sink_viewers_describe (audience);
  described = gst_structure_get_value (description, "viewers");
  fail_unless (GST_VALUE_HOLDS_ARRAY (described));
  fail_unless_equals_int (gst_value_array_get_size (described), N);
  for (guint i = 0; i < N; i++) {
    const GstStructure *viewer =
        gst_value_get_structure (gst_value_array_get_value (described, i));
    guint id;

    fail_unless (gst_structure_get_uint (viewer, "id", &id));
    fail_unless_equals_int (id, i + 1);
    fail_unless_equals_string (gst_structure_get_string (viewer, "peer"),
        i == 0 ? "192.0.2.1" : "2001:db8::1");
    fail_unless_equals_string (gst_structure_get_string (viewer, "state"),
        "paused");
  }
}

GST_END_TEST;

/* As bindings read it, which have no GValue arrays of structures. */
GST_START_TEST (test_audience_description_goes_through_text_and_back)
{
  g_autoptr (GstStructure) description = NULL;
  g_autoptr (GstStructure) back = NULL;
  g_autofree gchar *text = NULL;

  add_all ();
  description = rtsp_sink_viewers_describe (audience);
  text = gst_structure_to_string (description);
  back = gst_structure_from_string (text, NULL);
  fail_unless (back != NULL, "%s", text);
  fail_unless_equals_int (gst_value_array_get_size (gst_structure_get_value
          (back, "viewers")), N);
}

GST_END_TEST;

/* An element that goes leaves its viewers the audience they are in. */
GST_START_TEST (test_audience_lives_as_long_as_its_last_user)
{
  RtspSinkViewers *kept = rtsp_sink_viewers_ref (audience);

  add_all ();
  g_clear_pointer (&audience, rtsp_sink_viewers_unref);
  for (guint i = 0; i < N; i++)
    rtsp_sink_viewers_remove (kept, viewers[i], NULL);
  rtsp_sink_viewers_unref (kept);
}

GST_END_TEST;

static gint done;               /* atomic */

static gpointer
come_and_go (gpointer index)
{
  RtspSinkViewer *viewer = viewers[GPOINTER_TO_UINT (index)];
  RtspSinkSender *sender = rtsp_sink_viewer_get_sender (viewer, 0);

  while (!g_atomic_int_get (&done)) {
    if (!rtsp_sink_viewers_add (audience, viewer))
      continue;
    rtsp_sink_sender_open (sender, 0);
    g_thread_yield ();
    rtsp_sink_sender_close (sender);
    rtsp_sink_viewers_remove (audience, viewer, NULL);
  }
  return NULL;
}

GST_START_TEST (test_audience_threads_never_get_over_the_limit)
{
  GThread *threads[N];

  done = FALSE;
  rtsp_sink_viewers_set_max (audience, N - 1);
  for (guint i = 0; i < N; i++)
    threads[i] = g_thread_new ("viewer", come_and_go, GUINT_TO_POINTER (i));
  for (guint i = 0; i < 2000; i++) {
    fail_unless (rtsp_sink_viewers_count_playing (audience) < N);
    fail_unless (count_described () < N);
    rtsp_sink_viewers_dismiss (audience, 1 + i % N, "removed");
  }
  g_atomic_int_set (&done, TRUE);
  for (guint i = 0; i < N; i++)
    g_thread_join (threads[i]);
  fail_unless_equals_int (count_described (), 0);
}

GST_END_TEST;

static Suite *
audience_suite (void)
{
  Suite *suite = suite_create ("audience");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_audience_ids_count_up_from_one);
  tcase_add_test (chain, test_audience_takes_no_more_than_the_limit);
  tcase_add_test (chain, test_audience_without_limit_is_never_full);
  tcase_add_test (chain, test_audience_tells_its_owner_who_comes_and_goes);
  tcase_add_test (chain, test_audience_tells_nobody_when_its_owner_is_gone);
  tcase_add_test (chain, test_audience_counts_who_plays);
  tcase_add_test (chain, test_audience_removing_a_stranger_removes_nobody);
  tcase_add_test (chain, test_audience_dismisses_the_viewer_with_the_id);
  tcase_add_test (chain, test_audience_dismisses_nobody_with_an_unknown_id);
  tcase_add_test (chain, test_audience_description_has_a_structure_per_viewer);
  tcase_add_test (chain, test_audience_description_goes_through_text_and_back);
  tcase_add_test (chain, test_audience_lives_as_long_as_its_last_user);
  tcase_add_test (chain, test_audience_threads_never_get_over_the_limit);

  return suite;
}

CHECK_SUITE (audience);
