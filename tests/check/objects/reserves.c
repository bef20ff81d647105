/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* File descriptors of the process: who is refused first when they run out. With
 * viewers: elements/descriptors.c. */

#include <fcntl.h>
#include <gst/check/gstcheck.h>
#include <sys/resource.h>
#include <unistd.h>

#include "checksuite.h"
#include "procinfo.h"
#include "base/descriptors.h"

/* More than one media takes with all that is kept free. */
#define PLENTY 1000

static struct rlimit before;

static void
setup (void)
{
  fail_unless (getrlimit (RLIMIT_NOFILE, &before) == 0);
}

static void
teardown (void)
{
  setrlimit (RLIMIT_NOFILE, &before);
}

/* Leaves the process so many descriptors besides those that are open. */
static void
leave_free (guint n)
{
  struct rlimit limit = before;

  limit.rlim_cur = proc_count_fds () + n;
  fail_unless (setrlimit (RLIMIT_NOFILE, &limit) == 0);
}

/* The highest number of free ones with which that is still so. */
static guint
highest_with (gboolean (*is_so) (void))
{
  guint n = PLENTY;

  do {
    fail_unless (n > 0);
    leave_free (--n);
  } while (!is_so ());
  return n;
}

/* The media's threads do not look by themselves. */
GST_START_TEST (test_reserves_last_look_is_known)
{
  leave_free (PLENTY);
  fail_if (rtsp_sink_descriptors_are_short ());
  leave_free (0);
  fail_if (rtsp_sink_descriptors_were_short ());
  fail_unless (rtsp_sink_descriptors_are_short ());
  leave_free (PLENTY);
  fail_unless (rtsp_sink_descriptors_were_short ());
  fail_if (rtsp_sink_descriptors_are_short ());
  fail_if (rtsp_sink_descriptors_were_short ());
}

GST_END_TEST;

GST_START_TEST (test_reserves_plenty_is_enough_for_all)
{
  leave_free (PLENTY);
  fail_if (rtsp_sink_descriptors_are_tight ());
  fail_if (rtsp_sink_descriptors_are_short ());
  fail_if (rtsp_sink_descriptors_are_scarce ());
  fail_unless (rtsp_sink_descriptors_reserve (1));
  rtsp_sink_descriptors_release (1);
}

GST_END_TEST;

/* First viewers share a media, then they are refused with an answer, and last
 * are connections. */
GST_START_TEST (test_reserves_run_out_for_media_then_viewers_then_connections)
{
  guint tight = highest_with (rtsp_sink_descriptors_are_tight);
  guint few = highest_with (rtsp_sink_descriptors_are_short);
  guint scarce = highest_with (rtsp_sink_descriptors_are_scarce);

  /* a media over UDP takes 17, and the connection one (README, Viewers) */
  fail_unless (tight >= few + 17, "%u %u", tight, few);
  fail_unless (few > scarce, "%u %u", few, scarce);
  /* the application opens files, too */
  fail_unless (scarce >= 32, "%u", scarce);
}

GST_END_TEST;

/* A media that takes its descriptors later is counted from now on. */
GST_START_TEST (test_reserves_are_given_to_as_many_as_there_are)
{
  guint n = 0, again = 0;

  leave_free (300);
  while (rtsp_sink_descriptors_reserve (1))
    fail_unless (++n < 300);
  fail_unless (n >= 2);
  fail_unless (rtsp_sink_descriptors_are_tight ());
  /* viewers of what is there may still come */
  fail_if (rtsp_sink_descriptors_are_short ());

  for (guint i = 0; i < n; i++)
    rtsp_sink_descriptors_release (1);
  fail_if (rtsp_sink_descriptors_are_tight ());
  while (rtsp_sink_descriptors_reserve (1))
    again++;
  fail_unless_equals_int (again, n);
  for (guint i = 0; i < n; i++)
    rtsp_sink_descriptors_release (1);
}

GST_END_TEST;

/* To look takes a descriptor, too. */
GST_START_TEST (test_reserves_none_is_scarce)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (gint));
  gboolean scarce, few, tight, reserved;
  gint fd;

  leave_free (PLENTY);
  while ((fd = open ("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
    g_array_append_val (taken, fd);
  scarce = rtsp_sink_descriptors_are_scarce ();
  few = rtsp_sink_descriptors_are_short ();
  tight = rtsp_sink_descriptors_are_tight ();
  reserved = rtsp_sink_descriptors_reserve (1);
  for (guint i = 0; i < taken->len; i++)
    close (g_array_index (taken, gint, i));

  fail_unless (scarce);
  fail_unless (few);
  fail_unless (tight);
  fail_if (reserved);
}

GST_END_TEST;

GST_START_TEST (test_reserves_refused_is_not_reserved)
{
  leave_free (10);
  for (guint i = 0; i < 100; i++)
    fail_if (rtsp_sink_descriptors_reserve (1));
  leave_free (PLENTY);
  fail_unless (rtsp_sink_descriptors_reserve (1));
  rtsp_sink_descriptors_release (1);
}

GST_END_TEST;

static Suite *
reserves_suite (void)
{
  Suite *suite = suite_create ("reserves");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_reserves_last_look_is_known);
  tcase_add_test (chain, test_reserves_plenty_is_enough_for_all);
  tcase_add_test (chain,
      test_reserves_run_out_for_media_then_viewers_then_connections);
  tcase_add_test (chain, test_reserves_are_given_to_as_many_as_there_are);
  tcase_add_test (chain, test_reserves_none_is_scarce);
  tcase_add_test (chain, test_reserves_refused_is_not_reserved);

  return suite;
}

CHECK_SUITE (reserves);
