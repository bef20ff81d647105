/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The input's caps change in all but the size, while somebody watches. */

#include "sinktest.h"

#define SIZE ",width=64,height=48"
/* Before a change, and behind it. */
#define N_UNITS (sink_test_is_long () ? 25 : 8)
#define LONGEST_FRAME (90000 / 15)

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static const struct
{
  const gchar *before;
  const gchar *after;
} changes[] = {
  {"format=I420,framerate=25/1,colorimetry=bt601",
      "format=I420,framerate=25/1,colorimetry=bt709"},
  {"format=I420,framerate=25/1", "format=I420,framerate=30/1"},
  {"format=I420,framerate=30/1", "format=I420,framerate=15/1"},
  {"format=I420,framerate=25/1,chroma-site=mpeg2",
      "format=I420,framerate=25/1,chroma-site=jpeg"},
  {"format=BGR,framerate=25/1", "format=I420,framerate=25/1"},
  {"format=I420,framerate=25/1", "format=GRAY8,framerate=25/1"},
  {"format=YUY2,framerate=25/1,pixel-aspect-ratio=1/1",
      "format=YUY2,framerate=25/1,pixel-aspect-ratio=4/3"},
};

/* What viewers get, in which only the pixels change: every change is told in band,
 * or is nothing that they were told. */
static const gchar *const options[] = {
  "encoder=openh264enc", "codec=h265", "codec=vp8", "codec=vp9", "codec=jpeg"
};

static void
set_caps (const gchar * fields)
{
  g_autofree gchar *text = g_strdup_printf ("video/x-raw,%s" SIZE, fields);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  g_object_set (sink_test_element (test, "filter"), "caps", caps, NULL);
}

/* No frame is missing, as some would be if the viewer had to wait for a key unit:
 * the source waits for a slow encoder, and its time stamps are the times. */
static void
check_unbroken (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  guint i;

  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  for (i = 1; i < rtsp_record_count (record); i++)
    fail_unless (rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time <= LONGEST_FRAME + 1);
}

/* Nobody has to reconnect or waits for a key unit. */
static void
change_and_check (guint kind, RtspViewerTransport transport,
    const gchar * option, guint n)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc ! capsfilter "
      "name=filter ! identity name=feed ! rtspserversink timestamp-mode=pts "
      "key-unit-interval=60000 %s", option);
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (RtspViewer) next = NULL;

  test = sink_test_new (line);
  set_caps (changes[kind].before);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, transport);
  sink_test_receive (viewer, n);
  set_caps (changes[kind].after);
  sink_test_receive (viewer, 2 * n);
  set_caps (changes[kind].before);
  sink_test_receive (viewer, 3 * n);
  check_unbroken (viewer);
  next = sink_test_start_viewer (test, NULL, transport);
  sink_test_receive (next, 5);
  fail_unless (!rtsp_viewer_record (next)->h264
      || rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (next), 0)));
}

GST_START_TEST (test_change_of_format_is_no_break_over_tcp)
{
  change_and_check (__i__, RTSP_VIEWER_TCP, "", N_UNITS);
}

END_TEST;

GST_START_TEST (test_change_of_format_is_no_break_over_udp)
{
  change_and_check (__i__, RTSP_VIEWER_UDP, "", N_UNITS);
}

END_TEST;

/* Reported: a source that restarts with other caps is refused. Colorimetry and rate
 * change. */
GST_START_TEST (test_change_of_format_is_no_break_in_any_codec)
{
  change_and_check (0, RTSP_VIEWER_TCP, options[__i__], 8);
  g_clear_pointer (&test, sink_test_free);
  change_and_check (1, RTSP_VIEWER_UDP, options[__i__], 8);
}

END_TEST;

static Suite *
formatchanges_suite (void)
{
  Suite *suite = suite_create ("formatchanges");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_change_of_format_is_no_break_over_tcp, 0,
      G_N_ELEMENTS (changes));
  tcase_add_loop_test (tests, test_change_of_format_is_no_break_over_udp, 0, 2);
  tcase_add_loop_test (tests, test_change_of_format_is_no_break_in_any_codec, 0,
      G_N_ELEMENTS (options));
  return suite;
}

CHECK_SUITE (formatchanges);
