/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* How far behind a viewer over TCP is, what is in the socket included. */

#include <gst/check/gstcheck.h>

#include "rtpunits.h"
#include "media/interleaved.h"
#include "base/socket.h"
#include "sinktest.h"
#include "standin.h"

#define FRAME (40 * GST_MSECOND)
#define PAYLOAD 1000
#define N_PACKETS 3
/* On the connection: each packet with '$', channel, length and RTP header. */
#define UNIT_SIZE (N_PACKETS * (4 + 12 + PAYLOAD))

static StandIn *viewer;
static RtspSinkInterleaved *queue;
static guint n_units;           /* that were sent */

static void
setup (void)
{
  viewer = stand_in_new_tcp ();
  stand_in_set_mode (viewer, STAND_IN_WRITES);
  queue = rtsp_sink_interleaved_attach (stand_in_transport (viewer),
      stand_in_connection (viewer));
  rtsp_sink_interleaved_start (queue);
  n_units = 0;
}

static void
teardown (void)
{
  rtsp_sink_interleaved_stop (queue);
  g_clear_pointer (&viewer, stand_in_free);
}

static GstClockTime
time_of (guint unit)
{
  return GST_SECOND + unit * FRAME;
}

static void
push (guint n)
{
  for (guint i = 0; i < n; i++, n_units++) {
    rtsp_sink_interleaved_enqueue (queue, rtp_unit_new (n_units * N_PACKETS,
            N_PACKETS, PAYLOAD, 0, TRUE), time_of (n_units));
    rtsp_sink_interleaved_send (queue);
  }
}

/* The oldest byte that is neither taken nor older. */
static GstClockTime
delay_with_untaken (gint untaken)
{
  guint unit = (n_units * UNIT_SIZE - untaken) / UNIT_SIZE;

  return unit < n_units ? time_of (n_units) - time_of (unit) : 0;
}

static gint
count_untaken (void)
{
  return rtsp_sink_socket_count_untaken (gst_rtsp_connection_get_write_socket
      (stand_in_connection (viewer)));
}

/* The viewer's machine takes more at any time, and never less. */
static void
check_delay (void)
{
  gint before = count_untaken ();
  GstClockTime delay =
      rtsp_sink_interleaved_get_delay (queue, time_of (n_units));
  gint after = count_untaken ();

  fail_unless (delay <= delay_with_untaken (before));
  fail_unless (delay >= delay_with_untaken (after));
}

/* What is in the socket is on its way, too, as long as nobody has it. */
GST_START_TEST (test_tcpdelay_has_what_is_in_the_socket)
{
  for (guint i = 0; i < 60; i++) {
    push (1);
    check_delay ();
  }
  fail_unless (rtsp_sink_interleaved_get_delay (queue, time_of (n_units)) >
      30 * FRAME);
}

GST_END_TEST;

GST_START_TEST (test_tcpdelay_falls_as_the_viewer_takes)
{
  gint64 deadline = g_get_monotonic_time () + SINK_TEST_TIMEOUT;
  GstClockTime delay;

  push (50);
  do {
    GstClockTime before =
        rtsp_sink_interleaved_get_delay (queue, time_of (n_units));

    fail_unless (g_get_monotonic_time () < deadline);
    while (stand_in_read (viewer, 4096) > 0);
    check_delay ();
    delay = rtsp_sink_interleaved_get_delay (queue, time_of (n_units));
    fail_unless (delay <= before);
  } while (delay > 0);
}

GST_END_TEST;

/* A stream without a first frame yet, or of before a restart. */
GST_START_TEST (test_tcpdelay_is_never_negative)
{
  stand_in_set_mode (viewer, STAND_IN_HOLDS);
  push (2);
  fail_unless_equals_uint64 (rtsp_sink_interleaved_get_delay (queue, 0), 0);
  fail_unless_equals_uint64 (rtsp_sink_interleaved_get_delay (queue,
          time_of (0)), 0);
}

GST_END_TEST;

/* Audio on the connection of a video that is not taken: what came before it was,
 * and what comes behind it waits with it. */
GST_START_TEST (test_tcpdelay_of_one_stream_is_not_that_of_the_other)
{
  StandIn *other = stand_in_new_tcp ();
  RtspSinkInterleaved *audio = rtsp_sink_interleaved_attach
      (stand_in_transport (other), stand_in_connection (viewer));

  rtsp_sink_interleaved_start (audio);
  rtsp_sink_interleaved_enqueue (audio, rtp_unit_new (0, 1, 100, 0, TRUE),
      time_of (0));
  rtsp_sink_interleaved_send (audio);
  push (50);
  fail_unless (rtsp_sink_interleaved_get_delay (queue, time_of (50)) >
      20 * FRAME);
  fail_unless_equals_uint64 (rtsp_sink_interleaved_get_delay (audio,
          time_of (50)), 0);

  rtsp_sink_interleaved_enqueue (audio, rtp_unit_new (1, 1, 100, 0, TRUE),
      time_of (50));
  rtsp_sink_interleaved_send (audio);
  fail_unless_equals_uint64 (rtsp_sink_interleaved_get_delay (audio,
          time_of (60)), 10 * FRAME);
  rtsp_sink_interleaved_stop (audio);
  stand_in_free (other);
}

GST_END_TEST;

static Suite *
tcpdelay_suite (void)
{
  Suite *suite = suite_create ("tcpdelay");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_tcpdelay_has_what_is_in_the_socket);
  tcase_add_test (chain, test_tcpdelay_falls_as_the_viewer_takes);
  tcase_add_test (chain, test_tcpdelay_is_never_negative);
  tcase_add_test (chain, test_tcpdelay_of_one_stream_is_not_that_of_the_other);

  return suite;
}

CHECK_SUITE (tcpdelay);
