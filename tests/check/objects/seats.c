/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer's seats, one for each media in its sessions. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "server/seats.h"

#define N 4

static GPtrArray *seats;
static RtspSinkSeat all[N];
static gchar media[N];          /* their addresses stand for the media */
static GString *left;           /* who, and why */

static GstRTSPSessionMedia *
media_of (guint i)
{
  return (GstRTSPSessionMedia *) & media[i];
}

static void
note_leaving (RtspSinkSeat * seat, const gchar * reason)
{
  /* it is nobody's any more */
  fail_if (g_ptr_array_find (seats, seat, NULL));
  g_string_append_printf (left, "%d %s;", (gint) (seat - all), reason);
}

static void
setup (void)
{
  seats = g_ptr_array_new ();
  left = g_string_new (NULL);
  for (guint i = 0; i < N; i++) {
    all[i].session_media = media_of (i);
    all[i].leave = note_leaving;
  }
  for (guint i = 0; i < N - 1; i++)
    g_ptr_array_add (seats, &all[i]);
}

static void
teardown (void)
{
  g_clear_pointer (&seats, g_ptr_array_unref);
  g_string_free (g_steal_pointer (&left), TRUE);
}

GST_START_TEST (test_seats_are_found_by_their_media)
{
  for (guint i = 0; i < N - 1; i++)
    fail_unless (rtsp_sink_seats_find (seats, media_of (i)) == &all[i]);
  fail_unless (rtsp_sink_seats_find (seats, media_of (N - 1)) == NULL);
}

GST_END_TEST;

GST_START_TEST (test_seats_that_is_stolen_is_no_more)
{
  fail_unless (rtsp_sink_seats_steal (seats, media_of (1)) == &all[1]);
  fail_unless (rtsp_sink_seats_find (seats, media_of (1)) == NULL);
  fail_unless (rtsp_sink_seats_steal (seats, media_of (1)) == NULL);
  fail_unless_equals_int (seats->len, N - 2);
  fail_unless (rtsp_sink_seats_find (seats, media_of (0)) == &all[0]);
  fail_unless_equals_string (left->str, "");
}

GST_END_TEST;

GST_START_TEST (test_seats_leave_once_each_with_the_reason)
{
  rtsp_sink_seats_leave (seats, "closed");
  for (guint i = 0; i < N - 1; i++) {
    g_autofree gchar *note = g_strdup_printf ("%u closed;", i);

    fail_unless (strstr (left->str, note) != NULL, "%s", left->str);
  }
  fail_unless_equals_int (left->len, (N - 1) * strlen ("0 closed;"));
  fail_unless_equals_int (seats->len, 0);
  rtsp_sink_seats_leave (seats, "again");
  fail_unless (strstr (left->str, "again") == NULL);
}

GST_END_TEST;

static Suite *
seats_suite (void)
{
  Suite *suite = suite_create ("seats");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_seats_are_found_by_their_media);
  tcase_add_test (chain, test_seats_that_is_stolen_is_no_more);
  tcase_add_test (chain, test_seats_leave_once_each_with_the_reason);

  return suite;
}

CHECK_SUITE (seats);
