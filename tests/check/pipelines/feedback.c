/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* profiles=avpf: viewers are told that they may ask for key units by RTCP (PLI,
 * RFC 4585; FIR, RFC 5104), and get them, but none can make the stream a row of
 * key units. What cannot be served is an error at the start. */

#include "sinktest.h"

#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

/* No key unit comes unasked. */
#define LINE "videotestsrc is-live=true ! " SMALL_VIDEO " ! rtspserversink " \
    "key-unit-interval=3600000 profiles="

#define MTU 1400
#define VIEWER_SSRC 0x1234abcd
/* FIR: an SSRC, and a number that rises with each (RFC 5104, 4.3.1.1). */
#define FIR_WORDS 2

/* A request after this time is not one too many. */
#define UNLIMITED (G_USEC_PER_SEC + G_USEC_PER_SEC / 10)

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static void
serve (const gchar * profile)
{
  g_autofree gchar *line = g_strconcat (LINE, profile, NULL);

  test = sink_test_new (line);
  sink_test_play (test);
}

static guint
count_keys (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint n = 0;

  for (guint i = 0; i < rtsp_record_count (record); i++)
    n += rtsp_record_unit (record, i)->key;
  return n;
}

static gboolean
has_keys (RtspViewer * viewer, gpointer n)
{
  return count_keys (viewer) >= GPOINTER_TO_UINT (n);
}

static void
receive_for (RtspViewer * viewer, gint64 duration)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_for (viewer, duration, &error), error);
}

/* --- what viewers are told --- */

static gboolean
has_feedback (const GstSDPMedia * media, const gchar * kind)
{
  const gchar *value;

  for (guint i = 0; (value = gst_sdp_media_get_attribute_val_n (media,
              "rtcp-fb", i)) != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (value, " ", 2);

    if ((g_str_equal (words[0], "*")
            || g_str_equal (words[0], gst_sdp_media_get_format (media, 0)))
        && g_strcmp0 (words[1], kind) == 0)
      return TRUE;
  }
  return FALSE;
}

static const struct
{
  const gchar *profile;
  const gchar *proto;
  gboolean feedback;
} profiles[] = {
  {"avp", "RTP/AVP", FALSE},
  {"avpf", "RTP/AVPF", TRUE},
};

GST_START_TEST (test_sdp_tells_whether_key_units_may_be_asked_for)
{
  g_autoptr (RtspViewer) viewer = NULL;
  const GstSDPMedia *media;
  GError *error = NULL;

  serve (profiles[__i__].profile);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error), error);
  media = rtsp_sdp_video (rtsp_viewer_sdp (viewer));
  fail_unless_equals_string (gst_sdp_media_get_proto (media),
      profiles[__i__].proto);
  fail_unless_equals_int (has_feedback (media, "nack pli"),
      profiles[__i__].feedback);
  fail_unless_equals_int (has_feedback (media, "ccm fir"),
      profiles[__i__].feedback);
}

END_TEST;

/* --- what they get --- */

/* In a compound packet, as it must be. */
static GstBuffer *
new_feedback (RtspViewer * viewer, GstRTCPFBType kind)
{
  static guint8 n_fir = 0;      /* of this process, which is one viewer */
  GstBuffer *buffer = gst_rtcp_buffer_new (MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  guint32 ssrc = rtsp_viewer_record (viewer)->ssrc;
  guint8 *fci;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, VIEWER_SSRC);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_PSFB, &packet);
  gst_rtcp_packet_fb_set_type (&packet, kind);
  gst_rtcp_packet_fb_set_sender_ssrc (&packet, VIEWER_SSRC);
  if (kind == GST_RTCP_PSFB_TYPE_FIR) {
    gst_rtcp_packet_fb_set_fci_length (&packet, FIR_WORDS);
    fci = gst_rtcp_packet_fb_get_fci (&packet);
    GST_WRITE_UINT32_BE (fci, ssrc);
    GST_WRITE_UINT32_BE (fci + 4, (guint32) n_fir++ << 24);
  } else {
    gst_rtcp_packet_fb_set_media_ssrc (&packet, ssrc);
  }
  gst_rtcp_buffer_unmap (&rtcp);
  return buffer;
}

static void
ask (RtspViewer * viewer, GstRTCPFBType kind)
{
  g_autoptr (GstBuffer) buffer = new_feedback (viewer, kind);

  rtsp_viewer_send_rtcp (viewer, buffer);
}

static const RtspViewerTransport transports[] = { RTSP_VIEWER_TCP,
  RTSP_VIEWER_UDP
};

static const GstRTCPFBType kinds[] = { GST_RTCP_PSFB_TYPE_PLI,
  GST_RTCP_PSFB_TYPE_FIR
};

/* A viewer that got its first key unit and none since. */
static RtspViewer *
watch (const gchar * profile, guint transport)
{
  RtspViewer *viewer;

  serve (profile);
  viewer = sink_test_start_viewer (test, NULL, transports[transport]);
  receive_for (viewer, UNLIMITED);
  fail_unless_equals_int (count_keys (viewer), 1);
  return viewer;
}

GST_START_TEST (test_viewer_that_asks_gets_a_key_unit)
{
  g_autoptr (RtspViewer) viewer = watch ("avpf", __i__ / 2);
  GError *error = NULL;

  for (guint n = 2; n < 4; n++) {
    gint64 start = g_get_monotonic_time ();

    ask (viewer, kinds[__i__ % 2]);
    assert_viewer (rtsp_viewer_receive_until (viewer, has_keys,
            GUINT_TO_POINTER (n), SINK_TEST_TIMEOUT, "a key unit", &error),
        error);
    fail_unless (g_get_monotonic_time () - start < G_USEC_PER_SEC / 2 *
        sink_test_time_factor ());
    receive_for (viewer, UNLIMITED);
    fail_unless_equals_int (count_keys (viewer), n);
  }
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

END_TEST;

/* With profiles=avp it was told that it may not. */
GST_START_TEST (test_viewer_that_may_not_ask_gets_none)
{
  g_autoptr (RtspViewer) viewer = watch ("avp", __i__);
  guint n = rtsp_record_count (rtsp_viewer_record (viewer));
  GError *error = NULL;

  ask (viewer, kinds[__i__]);
  assert_viewer (rtsp_viewer_receive_units (viewer, n + 15, SINK_TEST_TIMEOUT,
          &error), error);
  fail_unless_equals_int (count_keys (viewer), 1);
}

END_TEST;

/* Ten times a second is ten times too often. */
GST_START_TEST (test_viewer_that_asks_often_gets_one_a_second)
{
  g_autoptr (RtspViewer) viewer = watch ("avpf", __i__);
  gint64 start = g_get_monotonic_time ();
  guint allowed, n_keys;

  for (guint i = 0; i < 30; i++) {
    ask (viewer, kinds[__i__]);
    receive_for (viewer, 100 * 1000);
  }
  allowed = 1 + (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  receive_for (viewer, G_USEC_PER_SEC / 2);
  n_keys = count_keys (viewer) - 1;
  fail_unless (n_keys >= 2 && n_keys <= allowed, "%u of %u", n_keys, allowed);
}

END_TEST;

/* --- GStreamer's own client --- */

static gint n_client_keys;      /* atomic */

static GstPadProbeReturn
count_key (GstPad * pad, GstPadProbeInfo * info, gpointer unused)
{
  if (!GST_BUFFER_FLAG_IS_SET (GST_PAD_PROBE_INFO_BUFFER (info),
          GST_BUFFER_FLAG_DELTA_UNIT))
    g_atomic_int_inc (&n_client_keys);
  return GST_PAD_PROBE_OK;
}

static gboolean
has_client_keys (gpointer n)
{
  return g_atomic_int_get (&n_client_keys) >= GPOINTER_TO_INT (n);
}

static SinkTest *
play_rtspsrc (const gchar * uri, const gchar * protocol)
{
  g_autofree gchar *line = g_strdup_printf ("rtspsrc location=%s protocols=%s "
      "latency=0 ! rtph264depay ! h264parse name=end ! fakesink async=false",
      uri, protocol);
  SinkTest *client = sink_test_new (line);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (sink_test_element (client, "end"), "src");

  n_client_keys = 0;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_key, NULL, NULL);
  sink_test_try_state (client, GST_STATE_PLAYING);
  sink_test_wait_until (has_client_keys, GINT_TO_POINTER (1),
      SINK_TEST_TIMEOUT, "rtspsrc's first key unit");
  return client;
}

/* It asks as a decoder downstream does. */
GST_START_TEST (test_rtspsrc_that_asks_gets_a_key_unit)
{
  SinkTest *client;
  g_autoptr (GstPad) pad = NULL;

  serve ("avpf");
  client = play_rtspsrc (sink_test_uri (test, NULL), __i__ ? "udp" : "tcp");
  g_usleep (UNLIMITED);
  fail_unless_equals_int (g_atomic_int_get (&n_client_keys), 1);
  pad = gst_element_get_static_pad (sink_test_element (client, "end"), "src");
  fail_unless (gst_pad_send_event (pad,
          gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
              TRUE, 1)));
  sink_test_wait_until (has_client_keys, GINT_TO_POINTER (2),
      SINK_TEST_TIMEOUT, "the key unit that rtspsrc asked for");
  g_clear_object (&pad);
  sink_test_free (client);
}

END_TEST;

/* --- what cannot be served --- */

static const gchar *const wrong[] = { "savp", "savpf", "avp+savp", "avp+avpf",
  "0"
};

GST_START_TEST (test_profile_that_cannot_be_served_is_one_error)
{
  static const gchar *const words[] = { "profiles", "avp", "avpf", NULL };
  g_autofree gchar *line = g_strconcat (LINE, wrong[__i__], NULL);

  test = sink_test_new (line);
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  sink_test_expect_error (test, GST_RESOURCE_ERROR,
      GST_RESOURCE_ERROR_SETTINGS, words, SINK_TEST_TIMEOUT);
  g_object_set (sink_test_element (test, NULL), "profiles",
      GST_RTSP_PROFILE_AVP, NULL);
  sink_test_play (test);
  rtsp_viewer_free (sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP));
}

END_TEST;

static Suite *
feedback_suite (void)
{
  Suite *suite = suite_create ("feedback");
  TCase *tests = tcase_create ("general");
  const gint n_ways = G_N_ELEMENTS (transports) * G_N_ELEMENTS (kinds);

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests,
      test_sdp_tells_whether_key_units_may_be_asked_for, 0,
      G_N_ELEMENTS (profiles));
  tcase_add_loop_test (tests, test_viewer_that_asks_gets_a_key_unit, 0, n_ways);
  tcase_add_loop_test (tests, test_viewer_that_may_not_ask_gets_none, 0, 2);
  tcase_add_loop_test (tests, test_viewer_that_asks_often_gets_one_a_second, 0,
      2);
  tcase_add_loop_test (tests, test_rtspsrc_that_asks_gets_a_key_unit, 0, 2);
  tcase_add_loop_test (tests, test_profile_that_cannot_be_served_is_one_error,
      0, G_N_ELEMENTS (wrong));
  return suite;
}

CHECK_SUITE (feedback);
