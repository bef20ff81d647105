/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer of several streams is one viewer. */

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "media/viewer.h"
#include "sendertest.h"
#include "sinktest.h"
#include "standin.h"

#define N 3
#define MISSING 0               /* the stream that it did not set up */
#define PAYLOAD 100

static StandIn *stand_ins[N];
static RtspSinkViewer *spectator;
static GObject *client;
static guint n_dismissed;

static void
note_dismissal (GObject * viewer, const gchar * reason)
{
  fail_unless (viewer == client);
  fail_unless_equals_string (reason, "removed");
  n_dismissed++;
}

static RtspSinkSender *
make_sender (guint i)
{
  RtspSinkSenderConfig config = {
    .peer = "192.0.2.1",
    .transport = stand_in_transport (stand_ins[i]),
    .max_delay = GST_SECOND,
  };

  return rtsp_sink_sender_new (&config);
}

static void
setup (void)
{
  RtspSinkViewerConfig config = {
    .id = 7,
    .peer = "192.0.2.1",
    .senders = g_ptr_array_new (),
    .dismiss = note_dismissal,
  };

  n_dismissed = 0;
  client = config.client = g_object_new (G_TYPE_OBJECT, NULL);
  for (guint i = 0; i < N; i++) {
    stand_ins[i] = stand_in_new_multicast ("239.255.42.42", 5000 + 2 * i);
    g_ptr_array_add (config.senders, i == MISSING ? NULL : make_sender (i));
  }
  spectator = rtsp_sink_viewer_new (&config);
}

static void
teardown (void)
{
  g_clear_pointer (&spectator, rtsp_sink_viewer_unref);
  g_clear_object (&client);
  for (guint i = 0; i < N; i++)
    g_clear_pointer (&stand_ins[i], stand_in_free);
}

GST_START_TEST (test_spectator_is_one_whatever_its_streams)
{
  fail_unless (rtsp_sink_viewer_get_sender (spectator, MISSING) == NULL);
  fail_unless (rtsp_sink_viewer_get_sender (spectator, N) == NULL);
  fail_unless_equals_int (rtsp_sink_viewer_get_id (spectator), 7);
  fail_unless_equals_string (rtsp_sink_viewer_get_peer (spectator),
      "192.0.2.1");
  fail_unless_equals_string (rtsp_sink_viewer_get_transport_name
      (spectator), "udp-mcast");
}

GST_END_TEST;

GST_START_TEST (test_spectator_plays_while_one_stream_does)
{
  RtspSinkSender *a = rtsp_sink_viewer_get_sender (spectator, 1);
  RtspSinkSender *b = rtsp_sink_viewer_get_sender (spectator, 2);

  fail_if (rtsp_sink_viewer_is_open (spectator));
  rtsp_sink_sender_open (b, 0);
  fail_unless (rtsp_sink_viewer_is_open (spectator));
  rtsp_sink_sender_open (a, 0);
  rtsp_sink_sender_close (b);
  fail_unless (rtsp_sink_viewer_is_open (spectator));
  rtsp_sink_sender_close (a);
  fail_if (rtsp_sink_viewer_is_open (spectator));
}

GST_END_TEST;

GST_START_TEST (test_spectator_is_dismissed_once_while_its_client_lives)
{
  rtsp_sink_viewer_dismiss (spectator, "removed");
  fail_unless_equals_int (n_dismissed, 1);
  g_clear_object (&client);
  rtsp_sink_viewer_dismiss (spectator, "removed");
  fail_unless_equals_int (n_dismissed, 1);
}

GST_END_TEST;

GST_START_TEST (test_spectator_is_described_by_what_all_streams_sent)
{
  UnitSource source = { 0, GST_SECOND, 0 };
  g_autoptr (GstStructure) description = NULL;
  guint64 units, packets, age;
  guint id;

  for (guint i = 1; i < N; i++) {
    RtspSinkSender *sender = rtsp_sink_viewer_get_sender (spectator, i);

    rtsp_sink_sender_open (sender, 0);
    for (guint k = 0; k < i; k++)
      unit_source_push (&source, sender, 2, PAYLOAD, TRUE);
  }
  description = rtsp_sink_viewer_describe (spectator);
  fail_unless (gst_structure_get (description, "id", G_TYPE_UINT, &id,
          "units", G_TYPE_UINT64, &units, "packets", G_TYPE_UINT64, &packets,
          "age", G_TYPE_UINT64, &age, NULL));
  fail_unless (gst_structure_has_name (description, "viewer"));
  fail_unless_equals_string (gst_structure_get_string (description, "peer"),
      "192.0.2.1");
  fail_unless_equals_string (gst_structure_get_string (description,
          "transport"), "udp-mcast");
  fail_unless (age < SINK_TEST_TIMEOUT * GST_USECOND);
  fail_unless_equals_int (id, 7);
  fail_unless_equals_int (units, 3);
  fail_unless_equals_int (packets, 6);
  fail_unless_equals_string (gst_structure_get_string (description, "state"),
      "playing");
}

GST_END_TEST;

static Suite *
spectator_suite (void)
{
  Suite *suite = suite_create ("spectator");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_spectator_is_one_whatever_its_streams);
  tcase_add_test (chain, test_spectator_plays_while_one_stream_does);
  tcase_add_test (chain,
      test_spectator_is_dismissed_once_while_its_client_lives);
  tcase_add_test (chain, test_spectator_is_described_by_what_all_streams_sent);

  return suite;
}

CHECK_SUITE (spectator);
