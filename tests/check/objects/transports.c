/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* How packets may get to viewers: what is an error, with its cure, and what the
 * library is told. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "server/transports.h"

#define UDP GST_RTSP_LOWER_TRANS_UDP
#define MULTICAST GST_RTSP_LOWER_TRANS_UDP_MCAST
#define TCP GST_RTSP_LOWER_TRANS_TCP
#define AVP GST_RTSP_PROFILE_AVP
#define AVPF GST_RTSP_PROFILE_AVPF

/* What the library asks the pool for: RTP and RTCP. */
#define N_PORTS 2

static RtspSinkSettings settings;
static GstRTSPMediaFactory *factory;

static void
setup (void)
{
  rtsp_sink_settings_init (&settings);
  factory = gst_rtsp_media_factory_new ();
}

static void
teardown (void)
{
  rtsp_sink_settings_clear (&settings);
  ASSERT_OBJECT_REFCOUNT (factory, "factory", 1);
  g_clear_object (&factory);
}

static void
set (gchar ** field, const gchar * text)
{
  g_free (*field);
  *field = g_strdup (text);
}

static void
expect_good (void)
{
  g_autoptr (GError) error = NULL;

  fail_unless (rtsp_sink_transports_configure (factory, &settings, &error),
      "%s", error ? error->message : "no error");
  fail_unless (error == NULL);
}

/* The text says what is wrong. */
static void
expect_bad (const gchar * words)
{
  g_autoptr (GError) error = NULL;

  fail_if (rtsp_sink_transports_configure (factory, &settings, &error), "%s",
      words);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_SETTINGS));
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
}

GST_START_TEST (test_transports_default_is_unicast)
{
  g_autoptr (GstRTSPAddressPool) pool = NULL;

  expect_good ();
  fail_unless_equals_int (gst_rtsp_media_factory_get_protocols (factory),
      UDP | TCP);
  fail_unless_equals_int (gst_rtsp_media_factory_get_profiles (factory), AVP);
  pool = gst_rtsp_media_factory_get_address_pool (factory);
  fail_unless (pool == NULL);
  fail_if (rtsp_sink_transports_has_multicast (&settings));
  fail_if (rtsp_sink_transports_has_feedback (&settings));
}

GST_END_TEST;

GST_START_TEST (test_transports_each_protocol_is_told_to_the_library)
{
  static const GstRTSPLowerTrans good[] = {
    UDP, TCP, MULTICAST, UDP | TCP, UDP | MULTICAST, TCP | MULTICAST,
    UDP | TCP | MULTICAST,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++) {
    settings.protocols = good[i];
    expect_good ();
    fail_unless_equals_int (gst_rtsp_media_factory_get_protocols (factory),
        good[i]);
    fail_unless_equals_int (rtsp_sink_transports_has_multicast (&settings),
        (good[i] & MULTICAST) != 0);
  }
}

GST_END_TEST;

GST_START_TEST (test_transports_other_protocols_are_an_error)
{
  static const guint bad[] = {
    0, GST_RTSP_LOWER_TRANS_HTTP, GST_RTSP_LOWER_TRANS_TLS,
    UDP | GST_RTSP_LOWER_TRANS_HTTP, 0x1000,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    settings.protocols = bad[i];
    expect_bad ("protocols must be one or more of udp, udp-mcast and tcp");
  }
}

GST_END_TEST;

GST_START_TEST (test_transports_profile_is_told_to_the_library)
{
  settings.profiles = AVPF;
  expect_good ();
  fail_unless_equals_int (gst_rtsp_media_factory_get_profiles (factory), AVPF);
  fail_unless (rtsp_sink_transports_has_feedback (&settings));
}

GST_END_TEST;

/* What is encrypted needs keys, which nobody has given. */
GST_START_TEST (test_transports_other_profiles_are_an_error)
{
  static const guint bad[] = {
    0, GST_RTSP_PROFILE_SAVP, GST_RTSP_PROFILE_SAVPF,
    AVP | GST_RTSP_PROFILE_SAVP, 0x1000,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    settings.profiles = bad[i];
    expect_bad ("profiles must be");
  }
}

GST_END_TEST;

static GstRTSPAddress *
acquire (GstRTSPAddressFlags family)
{
  g_autoptr (GstRTSPAddressPool) pool =
      gst_rtsp_media_factory_get_address_pool (factory);

  fail_unless (pool != NULL);
  return gst_rtsp_address_pool_acquire_address (pool, family |
      GST_RTSP_ADDRESS_FLAG_EVEN_PORT | GST_RTSP_ADDRESS_FLAG_MULTICAST,
      N_PORTS);
}

static void
expect_group (GstRTSPAddressFlags family, const gchar * address,
    guint16 port, guint8 ttl)
{
  GstRTSPAddress *group = acquire (family);

  fail_unless (group != NULL, "no %s", address);
  fail_unless_equals_string (group->address, address);
  fail_unless_equals_int (group->port, port);
  fail_unless_equals_int (group->ttl, ttl);
  gst_rtsp_address_free (group);
}

GST_START_TEST (test_transports_group_is_by_default_of_this_site)
{
  settings.protocols = MULTICAST;
  expect_good ();
  expect_group (GST_RTSP_ADDRESS_FLAG_IPV4, "239.255.42.42", 5000, 1);
}

GST_END_TEST;

GST_START_TEST (test_transports_group_is_what_was_set)
{
  g_autofree gchar *iface = NULL;

  settings.protocols = MULTICAST | TCP;
  settings.multicast_ttl = 16;
  set (&settings.multicast_address_range, "239.1.2.3");
  set (&settings.multicast_port_range, "7000-7001");
  set (&settings.multicast_iface, "lo");
  expect_good ();
  expect_group (GST_RTSP_ADDRESS_FLAG_IPV4, "239.1.2.3", 7000, 16);
  iface = gst_rtsp_media_factory_get_multicast_iface (factory);
  fail_unless_equals_string (iface, "lo");
}

GST_END_TEST;

GST_START_TEST (test_transports_group_may_be_of_ipv6)
{
  settings.protocols = MULTICAST;
  set (&settings.multicast_address_range, "ff15::42-ff15::43");
  expect_good ();
  expect_group (GST_RTSP_ADDRESS_FLAG_IPV6, "ff15::42", 5000, 1);
}

GST_END_TEST;

GST_START_TEST (test_transports_group_that_shares_nothing_is_an_error)
{
  settings.protocols = UDP | MULTICAST;
  settings.shared = GST_RTSP_SERVER_SINK_SHARED_FALSE;
  expect_bad ("set shared to");
  settings.shared = GST_RTSP_SERVER_SINK_SHARED_TRUE;
  expect_good ();
  settings.protocols = UDP;
  settings.shared = GST_RTSP_SERVER_SINK_SHARED_FALSE;
  expect_good ();
}

GST_END_TEST;

/* What people write. */
GST_START_TEST (test_transports_ranges_may_have_blanks)
{
  settings.protocols = MULTICAST;
  set (&settings.multicast_address_range, " 239.1.1.1 - 239.1.1.2 ");
  set (&settings.multicast_port_range, " 6000 - 6003 ");
  expect_good ();
  expect_group (GST_RTSP_ADDRESS_FLAG_IPV4, "239.1.1.1", 6000, 1);
}

GST_END_TEST;

GST_START_TEST (test_transports_bad_groups_are_an_error)
{
  static const gchar *const bad[] = {
    "", "-", "239.1.1.1-", "-239.1.1.1", "nonsense", "localhost",
    "192.0.2.1", "239.1.1.1-192.0.2.1", "192.0.2.1-239.1.1.1", "239.1.1",
    "239.1.1.256", "2001:db8::1", "239.1.1.1/24", "239.1.1.1-239.1.1.2-",
    "239.1.1.1,239.1.1.2",
  };

  settings.protocols = MULTICAST;
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    set (&settings.multicast_address_range, bad[i]);
    expect_bad ("multicast-address-range");
    expect_bad (bad[i]);
  }
  set (&settings.multicast_address_range, NULL);
  expect_bad ("multicast-address-range");
}

GST_END_TEST;

GST_START_TEST (test_transports_group_range_that_goes_down_is_an_error)
{
  settings.protocols = MULTICAST;
  set (&settings.multicast_address_range, "239.1.1.2-239.1.1.1");
  expect_bad ("lower to a higher");
  set (&settings.multicast_address_range, "239.1.1.1-ff15::1");
  expect_bad ("multicast-address-range");
}

GST_END_TEST;

GST_START_TEST (test_transports_bad_ports_are_an_error)
{
  static const gchar *const bad[] = {
    "", "-", "5000-", "-5000", "x", "5000", "5000-5000", "5001-5000",
    "0-1", "65535-65536", "5000-x", "5000-70000", "+5000-5001",
  };

  settings.protocols = MULTICAST;
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    set (&settings.multicast_port_range, bad[i]);
    expect_bad ("multicast-port-range");
    expect_bad (bad[i]);
  }
  set (&settings.multicast_port_range, NULL);
  expect_bad ("multicast-port-range");
}

GST_END_TEST;

/* RTP takes an even port and RTCP the next (RFC 3550, 11): a range without such
 * a pair serves nobody, and is better told of at once. */
GST_START_TEST (test_transports_ports_without_a_pair_are_an_error)
{
  settings.protocols = MULTICAST;
  set (&settings.multicast_port_range, "5001-5002");
  expect_bad ("multicast-port-range");
  set (&settings.multicast_port_range, "5001-5003");
  expect_good ();
  expect_group (GST_RTSP_ADDRESS_FLAG_IPV4, "239.255.42.42", 5002, 1);
}

GST_END_TEST;

/* Who does not use them need not set them right. */
GST_START_TEST (test_transports_ranges_do_not_matter_without_multicast)
{
  set (&settings.multicast_address_range, "nonsense");
  set (&settings.multicast_port_range, NULL);
  expect_good ();
}

GST_END_TEST;

static Suite *
transports_suite (void)
{
  Suite *suite = suite_create ("transports");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_transports_default_is_unicast);
  tcase_add_test (chain, test_transports_each_protocol_is_told_to_the_library);
  tcase_add_test (chain, test_transports_other_protocols_are_an_error);
  tcase_add_test (chain, test_transports_profile_is_told_to_the_library);
  tcase_add_test (chain, test_transports_other_profiles_are_an_error);
  tcase_add_test (chain, test_transports_group_is_by_default_of_this_site);
  tcase_add_test (chain, test_transports_group_is_what_was_set);
  tcase_add_test (chain, test_transports_group_may_be_of_ipv6);
  tcase_add_test (chain, test_transports_group_that_shares_nothing_is_an_error);
  tcase_add_test (chain, test_transports_ranges_may_have_blanks);
  tcase_add_test (chain, test_transports_bad_groups_are_an_error);
  tcase_add_test (chain,
      test_transports_group_range_that_goes_down_is_an_error);
  tcase_add_test (chain, test_transports_bad_ports_are_an_error);
  tcase_add_test (chain, test_transports_ports_without_a_pair_are_an_error);
  tcase_add_test (chain,
      test_transports_ranges_do_not_matter_without_multicast);

  return suite;
}

CHECK_SUITE (transports);
