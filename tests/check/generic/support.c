/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The tests' own viewer: that it sees what it is meant to see. A record that
 * missed a gap would let every test of losses pass.
 */

#include "sinktest.h"

#include <gst/rtp/rtp.h>

#define SSRC 1234

static RtspRecord *record;

static void
setup (void)
{
  record = rtsp_record_new ();
}

static void
teardown (void)
{
  g_clear_pointer (&record, rtsp_record_free);
}

static void
receive (guint16 seq, guint32 time, gboolean marker, const guint8 * payload,
    guint size)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 extension[] = { 7, 5 };

  gst_rtp_buffer_map (packet, GST_MAP_READWRITE, &rtp);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, time);
  gst_rtp_buffer_set_marker (&rtp, marker);
  gst_rtp_buffer_set_ssrc (&rtp, SSRC);
  memcpy (gst_rtp_buffer_get_payload (&rtp), payload, size);
  gst_rtp_buffer_add_extension_onebyte_header (&rtp, 1, extension,
      sizeof extension);
  gst_rtp_buffer_unmap (&rtp);
  rtsp_record_add_rtp (record, packet, 1000 + seq);
  gst_buffer_unref (packet);
}

#define RECEIVE(seq, time, marker, ...)                         \
  G_STMT_START {                                                \
    const guint8 payload_[] = { __VA_ARGS__ };                  \
    receive (seq, time, marker, payload_, sizeof payload_);     \
  } G_STMT_END

GST_START_TEST (test_record_key_unit_in_single_packets_is_clean_start)
{
  RtspUnit *unit;

  RECEIVE (65535, 90, FALSE, 0x67, 1, 2, 3);
  RECEIVE (0, 90, FALSE, 0x68, 1);
  fail_unless_equals_int (rtsp_record_count (record), 0);
  RECEIVE (1, 90, TRUE, 0x65, 1);
  fail_unless_equals_int (rtsp_record_count (record), 1);
  fail_unless_equals_int (record->n_gaps, 0);
  unit = rtsp_record_unit (record, 0);
  fail_unless (unit->key && unit->complete && !unit->damaged);
  fail_unless (rtsp_unit_is_clean_start (unit));
  fail_unless_equals_int (unit->first_seq, 65535);
  fail_unless_equals_int (unit->last_seq, 1);
}

END_TEST;

GST_START_TEST (test_record_aggregated_and_fragmented_nals_are_seen)
{
  RtspUnit *unit;

  RECEIVE (1, 90, FALSE, 0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1);
  RECEIVE (2, 90, FALSE, 0x7c, 0x85, 1, 2);
  RECEIVE (3, 90, FALSE, 0x7c, 0x05, 1, 2);
  RECEIVE (4, 90, TRUE, 0x7c, 0x45, 1, 2);
  unit = rtsp_record_unit (record, 0);
  fail_unless_equals_int (unit->n_nals, 3);
  fail_unless_equals_int (unit->nals[0], 7);
  fail_unless_equals_int (unit->nals[1], 8);
  fail_unless_equals_int (unit->nals[2], 5);
  fail_unless (rtsp_unit_is_clean_start (unit));
}

END_TEST;

GST_START_TEST (test_record_key_unit_without_parameter_sets_is_no_clean_start)
{
  RECEIVE (1, 90, TRUE, 0x65, 1);
  fail_unless (rtsp_record_unit (record, 0)->key);
  fail_unless (!rtsp_unit_is_clean_start (rtsp_record_unit (record, 0)));
}

END_TEST;

GST_START_TEST (test_record_lost_packets_are_counted_across_the_wrap)
{
  RECEIVE (65534, 90, TRUE, 0x41, 1);
  RECEIVE (2, 180, TRUE, 0x41, 1);
  fail_unless_equals_int (record->n_gaps, 1);
  fail_unless_equals_int (record->n_lost, 3);
  fail_unless (rtsp_record_unit (record, 1)->damaged);
  RECEIVE (1, 180, TRUE, 0x41, 1);
  fail_unless_equals_int (record->n_reordered, 1);
}

END_TEST;

GST_START_TEST (test_record_unit_ends_without_marker_when_time_moves_on)
{
  RECEIVE (1, 90, FALSE, 0x41, 1);
  RECEIVE (2, 180, FALSE, 0x41, 1);
  fail_unless_equals_int (rtsp_record_count (record), 1);
  fail_unless (!rtsp_record_unit (record, 0)->complete);
  fail_unless_equals_int (record->units->len, 2);
  fail_unless (rtsp_record_times_rise (record));
}

END_TEST;

GST_START_TEST (test_record_sender_report_maps_rtp_time_to_capture_time)
{
  GstBuffer *buffer = gst_rtcp_buffer_new (1400);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  guint64 ntp = gst_rtcp_unix_to_ntp (1000 * GST_SECOND);
  gint64 time = 0;

  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SR, &packet);
  gst_rtcp_packet_sr_set_sender_info (&packet, SSRC, ntp, 90000, 1, 1);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
  gst_rtcp_packet_bye_add_ssrc (&packet, SSRC);
  gst_rtcp_buffer_unmap (&rtcp);
  RECEIVE (1, 45000, TRUE, 0x65, 1);
  fail_unless (!rtsp_record_capture_time (record, rtsp_record_unit (record,
              0), &time));
  rtsp_record_add_rtcp (record, buffer, 77);
  gst_buffer_unref (buffer);
  fail_unless (rtsp_record_capture_time (record, rtsp_record_unit (record,
              0), &time));
  fail_unless (ABS (time - 999500000) <= 1);
  fail_unless_equals_int64 (record->bye, 77);
  fail_unless_equals_int (record->n_malformed, 0);
}

END_TEST;

GST_START_TEST (test_record_what_is_no_rtp_is_counted)
{
  GstBuffer *buffer = gst_buffer_new_memdup ("no", 2);

  rtsp_record_add_rtp (record, buffer, 0);
  rtsp_record_add_rtcp (record, buffer, 0);
  gst_buffer_unref (buffer);
  fail_unless_equals_int (record->n_malformed, 2);
}

END_TEST;

GST_START_TEST (test_rtp_info_first_stream_is_read)
{
  RtspRtpInfo info;

  fail_unless (rtsp_rtp_info_parse ("url=rtsp://h/test/stream=0;seq=65535;"
          "rtptime=4294967295, url=rtsp://h/b;seq=1", &info));
  fail_unless_equals_string (info.url, "rtsp://h/test/stream=0");
  fail_unless (info.has_seq && info.has_rtptime);
  fail_unless_equals_int (info.seq, 65535);
  fail_unless_equals_int64 (info.rtptime, G_MAXUINT32);
  rtsp_rtp_info_clear (&info);
  fail_unless (!rtsp_rtp_info_parse (NULL, &info));
}

END_TEST;

GST_START_TEST (test_code_levels_are_found_again)
{
  guint n;

  for (n = 0; n < 2 * CODE_SRC_CODES; n++) {
    fail_unless_equals_int (code_src_nearest (code_src_level (n) - 8),
        n % CODE_SRC_CODES);
    fail_unless_equals_int (code_src_nearest (code_src_level (n) + 7),
        n % CODE_SRC_CODES);
  }
}

END_TEST;

GST_START_TEST (test_viewer_refused_connection_is_an_error)
{
  g_autofree gchar *url = g_strdup_printf ("rtsp://127.0.0.1:%u/test",
      sink_test_free_port ());
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  g_autoptr (GError) error = NULL;

  fail_unless (!rtsp_viewer_connect (viewer, &error));
  fail_unless (error->domain == RTSP_VIEWER_ERROR);
}

END_TEST;

/* A server that takes the connection and says nothing. */
GST_START_TEST (test_viewer_silent_server_is_a_timeout)
{
  g_autoptr (GSocketListener) listener = g_socket_listener_new ();
  guint port = g_socket_listener_add_any_inet_port (listener, NULL, NULL);
  g_autofree gchar *url = g_strdup_printf ("rtsp://127.0.0.1:%u/test", port);
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (url);
  g_autoptr (GError) error = NULL;

  rtsp_viewer_set_timeout (viewer, 100 * 1000);
  fail_unless (rtsp_viewer_connect (viewer, &error));
  fail_unless_equals_int (rtsp_viewer_request (viewer, GST_RTSP_OPTIONS, NULL,
          NULL, &error), 0);
  fail_unless (g_error_matches (error, RTSP_VIEWER_ERROR,
          RTSP_VIEWER_ERROR_TIMEOUT));
}

END_TEST;

static Suite *
support_suite (void)
{
  Suite *suite = suite_create ("support");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_record_key_unit_in_single_packets_is_clean_start);
  tcase_add_test (tests, test_record_aggregated_and_fragmented_nals_are_seen);
  tcase_add_test (tests,
      test_record_key_unit_without_parameter_sets_is_no_clean_start);
  tcase_add_test (tests, test_record_lost_packets_are_counted_across_the_wrap);
  tcase_add_test (tests,
      test_record_unit_ends_without_marker_when_time_moves_on);
  tcase_add_test (tests,
      test_record_sender_report_maps_rtp_time_to_capture_time);
  tcase_add_test (tests, test_record_what_is_no_rtp_is_counted);
  tcase_add_test (tests, test_rtp_info_first_stream_is_read);
  tcase_add_test (tests, test_code_levels_are_found_again);
  tcase_add_test (tests, test_viewer_refused_connection_is_an_error);
  tcase_add_test (tests, test_viewer_silent_server_is_a_timeout);
  return suite;
}

CHECK_SUITE (support);
