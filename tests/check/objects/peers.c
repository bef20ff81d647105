/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* How often those at one address may bring something about. */

#include <gst/check/gstcheck.h>

#include "base/allowance.h"
#include "checksuite.h"
#include "stream/peers.h"

#define INTERVAL 1000
#define AT_ONCE 3
#define START 1000000

static RtspSinkPeers *peers;

static void
setup (void)
{
  peers = rtsp_sink_peers_new (INTERVAL, AT_ONCE);
}

static void
teardown (void)
{
  g_clear_pointer (&peers, rtsp_sink_peers_free);
}

static gboolean
take (const gchar * address, gint64 now)
{
  gboolean may = rtsp_sink_peers_may (peers, address, now);

  if (may)
    rtsp_sink_peers_charge (peers, address, now);
  return may;
}

/* So many and no more. */
static void
expect_takes (const gchar * address, gint64 now, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless (take (address, now), "%u of %u", i, n);
  fail_if (take (address, now));
}

GST_START_TEST (test_peers_regain_one_in_an_interval)
{
  expect_takes ("192.0.2.1", START, AT_ONCE);
  expect_takes ("192.0.2.1", START + INTERVAL - 1, 0);
  expect_takes ("192.0.2.1", START + INTERVAL, 1);
  expect_takes ("192.0.2.1", START + 3 * INTERVAL, 2);
  expect_takes ("192.0.2.1", START + 100 * INTERVAL, AT_ONCE);
}

GST_END_TEST;

GST_START_TEST (test_peers_at_other_addresses_have_their_own)
{
  expect_takes ("192.0.2.1", START, AT_ONCE);
  expect_takes ("192.0.2.2", START, AT_ONCE);
  expect_takes ("2001:db8::1", START, AT_ONCE);
  expect_takes ("2001:db8:0:1::1", START, AT_ONCE);
  expect_takes ("unknown", START, AT_ONCE);
}

GST_END_TEST;

/* Its owner has 2^64 addresses. */
GST_START_TEST (test_peers_of_one_ipv6_network_share)
{
  fail_unless (take ("2001:db8::1", START));
  fail_unless (take ("2001:db8::2", START));
  expect_takes ("2001:db8::ffff:1:2", START, 1);
  expect_takes ("2001:db8::1", START, 0);
}

GST_END_TEST;

/* Whoever did more than it might waits for longer. */
GST_START_TEST (test_peers_in_debt_wait)
{
  for (guint i = 0; i < AT_ONCE + 10; i++)
    rtsp_sink_peers_charge (peers, "192.0.2.1", START);
  expect_takes ("192.0.2.1", START + 10 * INTERVAL, 0);
  expect_takes ("192.0.2.1", START + 11 * INTERVAL, 1);
}

GST_END_TEST;

/* More than are remembered: those who are not are as good as new. */
GST_START_TEST (test_peers_that_are_too_many_do_no_harm)
{
  for (guint i = 0; i < 10000; i++) {
    g_autofree gchar *address = g_strdup_printf ("198.18.%u.%u", i / 250,
        i % 250);

    rtsp_sink_peers_charge (peers, address, START);
  }
  for (guint i = 0; i < 2 * AT_ONCE; i++)
    fail_unless (take ("192.0.2.1", START));
  expect_takes ("192.0.2.1", START + INTERVAL, AT_ONCE);
}

GST_END_TEST;

GST_START_TEST (test_allowance_of_one_is_an_interval)
{
  RtspSinkAllowance allowance = { 0 };

  fail_unless (rtsp_sink_allowance_take (&allowance, 5, INTERVAL, 1));
  fail_if (rtsp_sink_allowance_take (&allowance, 5, INTERVAL, 1));
  fail_if (rtsp_sink_allowance_is_whole (&allowance, 4 + INTERVAL, INTERVAL,
          1));
  fail_unless (rtsp_sink_allowance_is_whole (&allowance, 5 + INTERVAL, INTERVAL,
          1));
  fail_unless (rtsp_sink_allowance_take (&allowance, 5 + INTERVAL, INTERVAL,
          1));
}

GST_END_TEST;

static Suite *
peers_suite (void)
{
  Suite *suite = suite_create ("peers");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_peers_regain_one_in_an_interval);
  tcase_add_test (chain, test_peers_at_other_addresses_have_their_own);
  tcase_add_test (chain, test_peers_of_one_ipv6_network_share);
  tcase_add_test (chain, test_peers_in_debt_wait);
  tcase_add_test (chain, test_peers_that_are_too_many_do_no_harm);
  tcase_add_test (chain, test_allowance_of_one_is_an_interval);
  return suite;
}

CHECK_SUITE (peers);
