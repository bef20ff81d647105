/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* From which socket a viewer's datagrams are sent. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "media/distributor.h"
#include "standin.h"

static RtspSinkDistributor *delivery;

static void
setup (void)
{
  delivery = rtsp_sink_distributor_new (0, FALSE, NULL);
}

static void
teardown (void)
{
  g_clear_pointer (&delivery, rtsp_sink_distributor_free);
}

/* The library's socket, which viewers were told of, but one that does not
 * block. */
static void
check_socket (GSocketFamily family, const gchar * address)
{
  StandIn *stand_in = stand_in_new_udp (address, 5000);
  StandIn *other = stand_in_new_udp (address, 5002);
  GstRTSPStream *stream = gst_rtsp_stream_transport_get_stream
      (stand_in_transport (stand_in));
  GstRTSPTransport *transport;
  g_autoptr (GSocket) theirs = NULL;
  g_autoptr (GSocketAddress) a = NULL;
  g_autoptr (GSocketAddress) b = NULL;
  GSocket *own;

  gst_rtsp_transport_new (&transport);
  transport->lower_transport = GST_RTSP_LOWER_TRANS_UDP;
  fail_unless (gst_rtsp_stream_allocate_udp_sockets (stream, family, transport,
          FALSE));
  gst_rtsp_transport_free (transport);
  theirs = gst_rtsp_stream_get_rtp_socket (stream, family);
  own =
      rtsp_sink_distributor_get_socket (delivery,
      stand_in_transport (stand_in));
  fail_unless (own != NULL && own != theirs);
  fail_if (g_socket_get_blocking (own));
  a = g_socket_get_local_address (own, NULL);
  b = g_socket_get_local_address (theirs, NULL);
  fail_unless_equals_int (g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS
          (a)), g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (b)));
  /* one for all of this media */
  fail_unless (rtsp_sink_distributor_get_socket (delivery,
          stand_in_transport (other)) == own);
  stand_in_free (other);
  stand_in_free (stand_in);
}

GST_START_TEST (test_deliverysocket_is_that_of_the_stream)
{
  check_socket (G_SOCKET_FAMILY_IPV4, "127.0.0.1");
  if (stand_in_has_ipv6 ())
    check_socket (G_SOCKET_FAMILY_IPV6, "::1");
}

GST_END_TEST;

GST_START_TEST (test_deliverysocket_is_for_datagrams_to_an_address_alone)
{
  StandIn *tcp = stand_in_new_tcp ();
  StandIn *named = stand_in_new_udp ("localhost", 5000);
  StandIn *without = stand_in_new_udp ("127.0.0.1", 5000);

  fail_unless (rtsp_sink_distributor_get_socket (delivery,
          stand_in_transport (tcp)) == NULL);
  fail_unless (rtsp_sink_distributor_get_socket (delivery,
          stand_in_transport (named)) == NULL);
  /* a stream that has no sockets */
  fail_unless (rtsp_sink_distributor_get_socket (delivery,
          stand_in_transport (without)) == NULL);
  stand_in_free (tcp);
  stand_in_free (named);
  stand_in_free (without);
}

GST_END_TEST;

static Suite *
deliverysocket_suite (void)
{
  Suite *suite = suite_create ("deliverysocket");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_deliverysocket_is_that_of_the_stream);
  tcase_add_test (chain,
      test_deliverysocket_is_for_datagrams_to_an_address_alone);

  return suite;
}

CHECK_SUITE (deliverysocket);
