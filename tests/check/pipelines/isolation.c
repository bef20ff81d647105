/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* A viewer that breaks rules, on purpose or not: who feeds and who else watches
 * does not feel it. */

#include "hostileviewer.h"
#include "mountset.h"

#define RATE 25

/* How long each habit is borne with. */
#define N_FRAMES (sink_test_is_long () ? 25 : 12)

#define MAX_GROWTH_KB (24 * 1024)

#define N_ATTACKED 4

static const gchar *const mounts[] = {
  "name=own shared=false",
  "name=shared shared=true",
  "name=own-raw shared=false codec=raw",
  "name=shared-raw shared=true codec=raw",
  "name=calm",
  NULL
};

/* What a bad viewer knows of who watches the same. */
typedef struct
{
  RtspViewer *viewer;
  guint32 victim;               /* SSRC of another viewer */
} Hostile;

typedef struct
{
  const gchar *name;
  RtspViewerTransport transport;

  /* Before anybody is disturbed; connects. */
  void (*begin) (RtspViewer * viewer, RtspViewerTransport transport);

  /* Once per frame. */
  void (*act) (Hostile * hostile, guint n);
} Habit;

static MountSet *set;
static Hostile hostiles[N_ATTACKED];

static void
setup (void)
{
  set = mount_set_new ("videotestsrc is-live=true ! " SMALL_VIDEO,
      "key-unit-interval=600000", mounts);
}

static void
teardown (void)
{
  for (gsize i = 0; i < N_ATTACKED; i++)
    g_clear_pointer (&hostiles[i].viewer, rtsp_viewer_free);
  g_clear_pointer (&set, mount_set_free);
}

/* --- beginnings --- */

static void
only_connect (RtspViewer * viewer, RtspViewerTransport transport)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_connect (viewer, &error), error);
}

static void
only_set_up (RtspViewer * viewer, RtspViewerTransport transport)
{
  GError *error = NULL;

  only_connect (viewer, transport);
  assert_viewer (rtsp_viewer_describe (viewer, &error), error);
  assert_viewer (rtsp_viewer_setup (viewer, transport, &error), error);
}

static void
play (RtspViewer * viewer, RtspViewerTransport transport)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_start (viewer, transport, &error), error);
  assert_viewer (rtsp_viewer_receive_units (viewer, 2, SINK_TEST_TIMEOUT,
          &error), error);
}

static void
play_and_pause (RtspViewer * viewer, RtspViewerTransport transport)
{
  GError *error = NULL;

  play (viewer, transport);
  assert_viewer (rtsp_viewer_pause (viewer, &error), error);
}

/* What it is sent is to go to the server itself. Whether that is refused is the
 * server's affair. */
static void
play_to_the_server (RtspViewer * viewer, RtspViewerTransport transport)
{
  g_autofree gchar *url = NULL;
  g_autofree gchar *wish = NULL;
  const gchar *headers[] = { "Transport", NULL, NULL };
  guint port;

  only_set_up (viewer, transport);
  url = rtsp_viewer_control_url (viewer);
  port = rtsp_viewer_transport (viewer)->server_port.min;
  wish = g_strdup_printf ("RTP/AVP;unicast;client_port=%u-%u", port, port + 1);
  headers[1] = wish;
  fail_unless (rtsp_viewer_request (viewer, GST_RTSP_SETUP, url, headers,
          NULL) != 0);
  fail_unless (rtsp_viewer_request (viewer, GST_RTSP_PLAY, NULL, NULL,
          NULL) != 0);
}

/* --- what they do --- */

static void
do_nothing (Hostile * hostile, guint n)
{
}

static void
send_half_a_request (Hostile * hostile, guint n)
{
  static const gchar part[] = "DESCRIBE rtsp://127.0.0.1/test RTSP/1.0\r\nC";

  if (n == 0)
    hostile_send (hostile->viewer, part, strlen (part));
}

static void
fill_randomly (guint8 * data, gsize size)
{
  for (gsize i = 0; i < size; i++)
    data[i] = g_random_int ();
}

static void
send_garbage (Hostile * hostile, guint n)
{
  guint8 data[2000];

  fill_randomly (data, sizeof data);
  hostile_send (hostile->viewer, data, sizeof data);
}

static void
send_garbage_lines (Hostile * hostile, guint n)
{
  static const gchar *const lines[] = {
    "\r\n\r\n\r\n", "PLAY\r\n\r\n", "FLY * RTSP/1.0\r\nCSeq: 1\r\n\r\n",
    "RTSP/1.0 200 OK\r\nCSeq: 99\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    "PLAY rtsp://x/ RTSP/1.0\r\nCSeq: 2\r\nContent-Length: 60000\r\n\r\n",
  };
  const gchar *line = lines[n % G_N_ELEMENTS (lines)];

  hostile_send (hostile->viewer, line, strlen (line));
}

static void
send_garbage_datagrams (Hostile * hostile, guint n)
{
  guint8 data[1400];

  for (guint i = 0; i < 20; i++) {
    fill_randomly (data, sizeof data);
    /* of the right version, and every second one RTCP's RR by its type */
    data[0] = (data[0] & 0x3f) | 0x80;
    if (i % 2)
      data[1] = GST_RTCP_TYPE_RR;
    hostile_send_datagram (hostile->viewer, i % 2, data,
        g_random_int_range (0, sizeof data));
  }
}

static void
send_garbage_channels (Hostile * hostile, guint n)
{
  static const guint8 channels[] = { 0, 1, 2, 255 };
  guint8 data[1400];

  for (guint i = 0; i < 8; i++) {
    fill_randomly (data, sizeof data);
    hostile_send_interleaved (hostile->viewer, channels[i % 4], data,
        g_random_int_range (0, sizeof data));
  }
}

static const GstRTCPType rtcp_types[] = {
  GST_RTCP_TYPE_RR, GST_RTCP_TYPE_SDES, GST_RTCP_TYPE_BYE, GST_RTCP_TYPE_SR,
  GST_RTCP_TYPE_APP, GST_RTCP_TYPE_PSFB
};

static guint32
server_ssrc (Hostile * hostile)
{
  return rtsp_viewer_record (hostile->viewer)->ssrc;
}

static void
speak_as_the_server (Hostile * hostile, guint n)
{
  hostile_send_rtcp (hostile->viewer, hostile_rtcp_new (rtcp_types[n %
              G_N_ELEMENTS (rtcp_types)], server_ssrc (hostile), 0));
}

/* Its own name first, the server's behind. */
static void
speak_as_the_server_too (Hostile * hostile, guint n)
{
  hostile_send_rtcp (hostile->viewer, hostile_rtcp_new (rtcp_types[n %
              G_N_ELEMENTS (rtcp_types)], rtsp_viewer_ssrc (hostile->viewer),
          server_ssrc (hostile)));
}

static void
speak_as_another (Hostile * hostile, guint n)
{
  static const GstRTCPType types[] = { GST_RTCP_TYPE_BYE, GST_RTCP_TYPE_SDES };

  hostile_send_rtcp (hostile->viewer, hostile_rtcp_new (types[n % 2],
          hostile->victim, rtsp_viewer_ssrc (hostile->viewer)));
}

static void
half_close (Hostile * hostile, guint n)
{
  if (n == 0)
    hostile_half_close (hostile->viewer);
}

/* Answers that nobody reads. */
static void
ask_without_end (Hostile * hostile, guint n)
{
  static const gchar ask[] = "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n";

  for (guint i = 0; i < 100; i++) {
    if (!hostile_send (hostile->viewer, ask, strlen (ask)))
      break;
  }
}

/* 1.2 MB a frame for each. */
static void
flood_a_channel (Hostile * hostile, guint n)
{
  guint8 data[60000] = { 0x81, GST_RTCP_TYPE_RR, 0, 7, };
  gboolean taken = TRUE;

  for (guint i = 0; i < 20 && taken; i++)
    taken = hostile_send_interleaved (hostile->viewer, 1, data, sizeof data);
}

static void
pause_and_play (Hostile * hostile, guint n)
{
  GError *error = NULL;

  if (n % 2)
    assert_viewer (rtsp_viewer_play (hostile->viewer, &error), error);
  else
    assert_viewer (rtsp_viewer_pause (hostile->viewer, &error), error);
}

static void
ask_for_key_units (Hostile * hostile, guint n)
{
  for (guint i = 0; i < 4; i++) {
    GstBuffer *rtcp = hostile_rtcp_new (GST_RTCP_TYPE_PSFB,
        rtsp_viewer_ssrc (hostile->viewer), 0);

    hostile_send_rtcp (hostile->viewer, rtcp);
  }
}

static void
reset (Hostile * hostile, guint n)
{
  rtsp_viewer_reset (hostile->viewer);
}

static const Habit habits[] = {
  {"connects", RTSP_VIEWER_TCP, only_connect, do_nothing},
  {"half a request", RTSP_VIEWER_TCP, only_connect, send_half_a_request},
  {"garbage", RTSP_VIEWER_TCP, only_connect, send_garbage},
  {"garbage playing TCP", RTSP_VIEWER_TCP, play, send_garbage},
  {"garbage playing UDP", RTSP_VIEWER_UDP, play, send_garbage},
  {"wrong lines", RTSP_VIEWER_TCP, play, send_garbage_lines},
  {"no RTCP UDP", RTSP_VIEWER_UDP, play, do_nothing},
  {"no reading TCP", RTSP_VIEWER_TCP, play, do_nothing},
  {"never PLAY", RTSP_VIEWER_TCP, only_set_up, send_garbage_channels},
  {"garbage datagrams", RTSP_VIEWER_UDP, play, send_garbage_datagrams},
  {"garbage channels", RTSP_VIEWER_TCP, play, send_garbage_channels},
  {"server's SSRC UDP", RTSP_VIEWER_UDP, play, speak_as_the_server},
  {"server's SSRC TCP", RTSP_VIEWER_TCP, play, speak_as_the_server},
  {"server's SSRC hidden UDP", RTSP_VIEWER_UDP, play,
      speak_as_the_server_too},
  {"server's SSRC hidden TCP", RTSP_VIEWER_TCP, play,
      speak_as_the_server_too},
  {"other's BYE UDP", RTSP_VIEWER_UDP, play, speak_as_another},
  {"other's BYE TCP", RTSP_VIEWER_TCP, play, speak_as_another},
  {"half-close", RTSP_VIEWER_UDP, play, half_close},
  {"reset", RTSP_VIEWER_UDP, play, reset},
  {"asks without end", RTSP_VIEWER_TCP, play, ask_without_end},
  {"flood TCP", RTSP_VIEWER_TCP, play, flood_a_channel},
  {"flood before PLAY", RTSP_VIEWER_TCP, only_set_up, flood_a_channel},
  {"flood in PAUSE", RTSP_VIEWER_TCP, play_and_pause, flood_a_channel},
  {"PAUSE and PLAY", RTSP_VIEWER_UDP, play, pause_and_play},
  {"PLI without end", RTSP_VIEWER_UDP, play, ask_for_key_units},
  {"server as viewer", RTSP_VIEWER_UDP, play_to_the_server, do_nothing},
};

/* --- the tests --- */

static void
start_hostile_viewers (const Habit * habit)
{
  for (gsize i = 0; i < N_ATTACKED; i++) {
    hostiles[i].viewer = rtsp_viewer_new (mount_set_uri (set, i));
    hostiles[i].victim =
        steady_viewer_ssrc (mount_set_steady (set, i, MOUNT_SET_UDP));
    habit->begin (hostiles[i].viewer, habit->transport);
  }
}

static void
let_them_act (const Habit * habit)
{
  SteadyViewer *calm = mount_set_steady (set, N_ATTACKED, MOUNT_SET_UDP);
  guint first = steady_viewer_count (calm);

  for (guint n = 0; steady_viewer_count (calm) < first + N_FRAMES; n++) {
    for (gsize i = 0; i < N_ATTACKED; i++)
      habit->act (&hostiles[i], n);
    mount_set_wait_frames (set, 1);
  }
}

static void
check_key_units (const Habit * habit)
{
  for (gsize i = 0; i < N_ATTACKED; i++) {
    RtspRecord *record = mount_set_record (set, i, MOUNT_SET_UDP);
    guint n_keys = 0;

    for (guint k = 0; k < rtsp_record_count (record) && record->h264; k++)
      n_keys += rtsp_record_unit (record, k)->key;
    /* the three that joined, and as many as further joins may cost */
    fail_unless (n_keys <= 3 + 10 * 2 * N_FRAMES / RATE, "%s, on %s: %u",
        habit->name, mounts[i], n_keys);
  }
}

GST_START_TEST (test_bad_viewer_disturbs_nobody)
{
  const Habit *habit = &habits[__i__];
  guint before;

  mount_set_watch (set);
  before = proc_rss_kb ();
  start_hostile_viewers (habit);
  let_them_act (habit);
#ifndef __SANITIZE_ADDRESS__
  fail_unless (proc_rss_kb () < before + MAX_GROWTH_KB,
      "%s: %u kB became %u kB", habit->name, before, proc_rss_kb ());
#endif
  mount_set_unwatch (set);
  mount_set_check (set, habit->name);
  check_key_units (habit);
}

END_TEST;

/* Reported: it is not clear what lives on after a close without TEARDOWN. What was
 * sent before may still come. */
GST_START_TEST (test_closed_connection_ends_its_udp_stream_at_once)
{
  mount_set_watch (set);
  for (guint i = 0; i < N_ATTACKED; i++) {
    hostiles[i].viewer = rtsp_viewer_new (mount_set_uri (set, i));
    play (hostiles[i].viewer, RTSP_VIEWER_UDP);
  }
  for (guint i = 0; i < N_ATTACKED; i++) {
    RtspViewer *viewer = hostiles[i].viewer;
    GError *error = NULL;

    rtsp_viewer_close (viewer);
    assert_viewer (rtsp_viewer_receive_for (viewer, 200 * 1000 *
            sink_test_time_factor (), &error), error);
    rtsp_record_clear (rtsp_viewer_record (viewer));
    assert_viewer (rtsp_viewer_receive_for (viewer, 500 * 1000, &error), error);
    fail_unless (rtsp_viewer_record (viewer)->n_packets == 0, "%s", mounts[i]);
    sink_test_wait_num_viewers (mount_set_test (set), mount_set_name (set, i),
        MOUNT_SET_N_VIEWERS, SINK_TEST_TIMEOUT);
  }
  mount_set_unwatch (set);
  mount_set_check (set, "a closed connection");
}

END_TEST;

static Suite *
isolation_suite (void)
{
  Suite *suite = suite_create ("isolation");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_bad_viewer_disturbs_nobody, 0,
      G_N_ELEMENTS (habits));
  tcase_add_test (tests, test_closed_connection_ends_its_udp_stream_at_once);
  return suite;
}

CHECK_SUITE (isolation);
