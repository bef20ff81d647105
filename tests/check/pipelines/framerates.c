/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Any rate of frames: in the SDP if it is known, and in the times of the packets.
 * Reported: the SDP lacks the rate, odd fractions do not match, and the times of
 * packets go back. */

#include "servedtest.h"

#define CLOCK_RATE 90000
#define N_UNITS 5

/* What stands between the raw video and the element. */
static const gchar *const ways[] = {
  "rtspserversink",
  "rtspserversink encoder=openh264enc",
  "rtspserversink codec=h265",
  "rtspserversink codec=vp8",
  "rtspserversink codec=vp9",
  "rtspserversink codec=jpeg",
  "rtspserversink codec=raw",
  "x264enc tune=zerolatency ! rtspserversink",
  "jpegenc ! rtspserversink",
  "vp8enc deadline=1 ! rtspserversink codec=h264",
};

static const struct
{
  const gchar *rate;
  gdouble described;            /* 0: not at all, or as the highest one */
  gdouble ticks;                /* from frame to frame, 0: not looked at */
} rates[] = {
  {"25/1", 25, 3600},
  {"30000/1001", 30000 / 1001.0, 3003},
  {"10000000/333333", 10000000 / 333333.0, 3000},
  {"120/1", 120, 750},
  {"240/1", 240, 375},
  {"1/5", 0.2, 0},
  {"0/1", 0, 3600},             /* by the time stamps */
  {"0/1,max-framerate=60/1", 0, 3600},
};

#define HIGHEST 60

static void
start (const gchar * way, const gchar * rate)
{
  gboolean unknown = g_str_has_prefix (rate, "0/1");
  g_autofree gchar *line = g_strdup_printf ("videotestsrc is-live=true ! "
      "video/x-raw,format=I420,width=64,height=48,framerate=%s ! "
      "capssetter caps=video/x-raw,framerate=%s ! %s",
      unknown ? "25/1" : rate, rate, way);

  test = sink_test_new (line);
  sink_test_play (test);
}

static void
check_description (RtspViewer * viewer, gdouble rate, gboolean may_be_highest)
{
  const gchar *text = gst_sdp_media_get_attribute_val (rtsp_sdp_video
      (rtsp_viewer_sdp (viewer)), "framerate");
  gchar *end = NULL;

  if (rate == 0) {
    /* Not all encoders hand it on. */
    fail_unless (text == NULL || (may_be_highest
            && g_ascii_strtod (text, NULL) == HIGHEST), "framerate:%s", text);
    return;
  }
  fail_unless (text != NULL, "no framerate");
  fail_unless (ABS (g_ascii_strtod (text, &end) - rate) < 1e-9 && *end == '\0',
      "framerate:%s, not %.9f", text, rate);
}

/* A busy machine leaves frames out. */
static void
check_times (RtspViewer * viewer, gdouble ticks)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  fail_unless (rtsp_record_times_rise (record));
  for (guint i = 1; i < N_UNITS; i++) {
    gdouble step = rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time;
    gdouble frames = MAX ((gint) (step / ticks + 0.5), 1);

    fail_unless (ABS (step - frames * ticks) <= ticks * 0.02,
        "%g ticks, not %g", step, ticks);
  }
}

GST_START_TEST (test_frame_rate_is_described_and_kept)
{
  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (RtspViewer) viewer = NULL;
    GError *error = NULL;

    start (ways[i], rates[__i__].rate);
    viewer = sink_test_start_viewer (test, NULL, i % 2 ? RTSP_VIEWER_UDP :
        RTSP_VIEWER_TCP);
    check_description (viewer, rates[__i__].described,
        strstr (rates[__i__].rate, "max") != NULL);
    if (rates[__i__].ticks != 0) {
      assert_viewer (rtsp_viewer_receive_units (viewer, N_UNITS,
              SINK_TEST_TIMEOUT, &error), error);
      check_times (viewer, rates[__i__].ticks);
    }
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

static Suite *
framerates_suite (void)
{
  Suite *suite = suite_create ("framerates");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_loop_test (tests, test_frame_rate_is_described_and_kept, 0,
      G_N_ELEMENTS (rates));
  return suite;
}

CHECK_SUITE (framerates);
