/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* session-timeout: it is announced, and 15 s after it a viewer that shows no life
 * is removed; one that shows any kind of life stays. Reported: players are cut off
 * after 60 s, as they send keep-alives late, or by SET_PARAMETER, or between the
 * packets. All viewers watch at once, so that the test takes the time of one. It is
 * 3 s unless the run is long. */

#include "server/sessions.h"
#include "servedtest.h"
#include "viewerjob.h"

#include "rtspviewer-private.h"

#define VIDEO "video/x-raw,format=I420,width=64,height=48,framerate=10/1"

#define SHORT_EXTRA_TIMEOUT 3

/* How long after what is added to the timeout those who show no life must be gone;
 * the others are watched for longer. */
#define LATER (5 * G_USEC_PER_SEC)
#define STILL_LATER (7 * G_USEC_PER_SEC)

/* How a viewer shows life, besides reading. */
typedef enum
{
  NOTHING,
  REPORTS,                      /* RTCP */
  REQUESTS,
} Sign;

typedef enum
{
  GONE,
  STAYS,
} Fate;

typedef enum
{
  SETS_UP,
  PAUSES,
  PLAYS,
} State;

typedef struct
{
  const gchar *name;
  RtspViewerTransport transport;
  Sign sign;
  GstRTSPMethod method;         /* of its requests */
  Fate fate;
  State state;                  /* while it waits for its fate */
  guint32 ssrc;                 /* of its reports, 0: its own */
} Role;

static const Role roles[] = {
  {"silent UDP viewer", RTSP_VIEWER_UDP, NOTHING, 0, GONE, PLAYS, 0},
  {"silent UDP viewer that paused", RTSP_VIEWER_UDP, NOTHING, 0, GONE, PAUSES,
      0},
  {"silent TCP viewer that paused", RTSP_VIEWER_TCP, NOTHING, 0, GONE, PAUSES,
      0},
  {"UDP viewer that never plays", RTSP_VIEWER_UDP, NOTHING, 0, GONE, SETS_UP,
      0},
  {"TCP viewer that never plays", RTSP_VIEWER_TCP, NOTHING, 0, GONE, SETS_UP,
      0},
  {"UDP viewer with RTCP", RTSP_VIEWER_UDP, REPORTS, 0, STAYS, PLAYS, 0},
  {"UDP viewer with RTCP that paused", RTSP_VIEWER_UDP, REPORTS, 0, STAYS,
      PAUSES, 0},
  {"one with the SSRC of another", RTSP_VIEWER_UDP, REPORTS, 0, STAYS, PLAYS,
      0x12345678},
  {"another with the SSRC of one", RTSP_VIEWER_UDP, REPORTS, 0, STAYS, PLAYS,
      0x12345678},
  {"UDP viewer with GET_PARAMETER", RTSP_VIEWER_UDP, REQUESTS,
      GST_RTSP_GET_PARAMETER, STAYS, PLAYS, 0},
  {"UDP viewer with SET_PARAMETER", RTSP_VIEWER_UDP, REQUESTS,
      GST_RTSP_SET_PARAMETER, STAYS, PLAYS, 0},
  {"UDP viewer with OPTIONS", RTSP_VIEWER_UDP, REQUESTS, GST_RTSP_OPTIONS,
      STAYS, PLAYS, 0},
  {"paused TCP viewer with GET_PARAMETER", RTSP_VIEWER_TCP, REQUESTS,
      GST_RTSP_GET_PARAMETER, STAYS, PAUSES, 0},
  {"TCP viewer that reads", RTSP_VIEWER_TCP, NOTHING, 0, STAYS, PLAYS, 0},
  {"HTTP viewer that reads", RTSP_VIEWER_HTTP, NOTHING, 0, STAYS, PLAYS, 0},
};

/* One that plays its role. */
typedef struct
{
  const Role *role;
  ViewerJob *job;
  gint64 closed_after;          /* its last sign of life; 0: it stayed */
} Actor;

static const gchar *const elements[] = { "own", "shared" };

#define N_ROLES G_N_ELEMENTS (roles)
#define N_ACTORS (N_ROLES * G_N_ELEMENTS (elements))

/* What is added to the announced timeout of a second. */
static gint64
extra_timeout (void)
{
  return rtsp_sink_sessions_extra_timeout * G_USEC_PER_SEC;
}

/* Longer than the announced timeout, shorter than that with what is added. */
static gint64
sign_interval (void)
{
  return extra_timeout () * 2 / 5;
}

/* FALSE: the server closed. */
static gboolean
live_on (RtspViewer * viewer, const Role * role, gint64 end, GError ** error)
{
  gint64 left;

  while ((left = end - g_get_monotonic_time ()) > 0) {
    if (role->sign == REQUESTS && rtsp_viewer_request (viewer, role->method,
            NULL, NULL, error) != GST_RTSP_STS_OK)
      return FALSE;
    if (!rtsp_viewer_receive_for (viewer, MIN (left, sign_interval ()), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
get_into_state (RtspViewer * viewer, const Role * role, GError ** error)
{
  rtsp_viewer_set_tunneled (viewer, role->transport == RTSP_VIEWER_HTTP);
  if (!rtsp_viewer_connect (viewer, error)
      || !rtsp_viewer_describe (viewer, error)
      || !rtsp_viewer_setup (viewer, role->transport, error))
    return FALSE;
  if (role->state == SETS_UP)
    return TRUE;
  return rtsp_viewer_play (viewer, error)
      && rtsp_viewer_receive_units (viewer, 2, SINK_TEST_TIMEOUT, error)
      && (role->state == PLAYS || rtsp_viewer_pause (viewer, error));
}

/* That the server closes is no error here. */
static gboolean
act (RtspViewer * viewer, gpointer data, GError ** error)
{
  Actor *actor = data;
  const Role *role = actor->role;
  gint64 start;

  if (role->ssrc != 0)
    viewer->ssrc = role->ssrc;
  if (role->sign == REPORTS)
    rtsp_viewer_set_report_interval (viewer, sign_interval ());
  if (!get_into_state (viewer, role, error))
    return FALSE;

  start = g_get_monotonic_time ();
  if (!live_on (viewer, role, start + extra_timeout () + STILL_LATER, NULL))
    actor->closed_after = g_get_monotonic_time () - start;
  return TRUE;
}

static void
expect_stayed (RtspViewer * viewer, const gchar * what)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  RtspUnit *last = rtsp_record_unit (record, rtsp_record_count (record) - 1);
  gint64 silence = g_get_monotonic_time () - last->arrival;

  fail_unless (silence < 2 * G_USEC_PER_SEC, "%s: nothing for %.3f s", what,
      silence / 1e6);
  fail_unless (record->n_gaps == 0, "%s: %u gaps", what, record->n_gaps);
}

static void
expect_played_its_role (Actor * actor, RtspViewer * viewer,
    const gchar * element)
{
  g_autofree gchar *what = g_strdup_printf ("%s, of %s", actor->role->name,
      element);
  gdouble after = actor->closed_after / 1e6;

  if (actor->role->fate == STAYS) {
    fail_unless (after == 0, "%s: closed after %.3f s", what, after);
    if (actor->role->state == PLAYS)
      expect_stayed (viewer, what);
    return;
  }
  fail_unless (after > 0, "%s: not closed", what);
  fail_unless (actor->closed_after >= extra_timeout (), "%s: after %.3f s",
      what, after);
  fail_unless (actor->closed_after <= (extra_timeout () + LATER)
      * sink_test_time_factor (), "%s: after %.3f s", what, after);
}

static void
expect_removed_for_timeout (guint n)
{
  viewer_log_wait (viewer_log, "removed", n - 1);
  fail_unless_equals_int (viewer_log_count (viewer_log, "removed"), n);
  for (guint i = 0; i < n; i++)
    fail_unless_equals_string (viewer_log_wait (viewer_log, "removed",
            i)->reason, "timeout");
}

GST_START_TEST (test_viewer_without_life_is_removed_and_no_other)
{
  guint port = sink_test_free_port ();
  g_autofree gchar *line = g_strdup_printf ("videotestsrc is-live=true ! " VIDEO
      " ! tee name=t "
      "t. ! queue ! rtspserversink name=own port=%u mount=/own "
      "session-timeout=1 shared=false "
      "t. ! queue ! rtspserversink name=shared port=%u mount=/shared "
      "session-timeout=1 shared=true", port, port);
  Actor actors[N_ACTORS] = { {NULL,}, };
  RtspViewer *viewers[N_ACTORS];
  guint n_removed = 0;

  if (!sink_test_is_long ())
    rtsp_sink_sessions_extra_timeout = SHORT_EXTRA_TIMEOUT;
  test = sink_test_new (line);
  viewer_log = viewer_log_new (test);
  sink_test_play (test);
  for (guint i = 0; i < N_ACTORS; i++) {
    actors[i].role = &roles[i % N_ROLES];
    actors[i].job = viewer_job_start (sink_test_uri (test,
            elements[i / N_ROLES]), act, &actors[i]);
    n_removed += actors[i].role->fate == GONE
        && actors[i].role->state != SETS_UP;
  }
  for (guint i = 0; i < N_ACTORS; i++) {
    GError *error = NULL;

    viewers[i] = viewer_job_join (actors[i].job, &error);
    assert_viewer (viewers[i] != NULL, error);
  }
  for (guint i = 0; i < N_ACTORS; i++)
    expect_played_its_role (&actors[i], viewers[i], elements[i / N_ROLES]);
  expect_removed_for_timeout (n_removed);
  for (guint i = 0; i < N_ACTORS; i++)
    rtsp_viewer_free (viewers[i]);
  viewer_log_expect_all_removed (viewer_log);
}

END_TEST;

static const guint timeouts[] = { 1, 30, 90 };

GST_START_TEST (test_session_header_tells_the_timeout)
{
  g_autofree gchar *line = g_strdup_printf ("videotestsrc is-live=true ! " VIDEO
      " ! rtspserversink session-timeout=%u", timeouts[__i__]);
  g_autofree gchar *ending = g_strdup_printf (";timeout=%u", timeouts[__i__]);
  g_autoptr (RtspViewer) viewer = NULL;
  const gchar *header;
  GError *error = NULL;

  test = sink_test_new (line);
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_connect (viewer, &error)
      && rtsp_viewer_describe (viewer, &error)
      && rtsp_viewer_setup_udp (viewer, &error), error);
  header = rtsp_viewer_header (viewer, GST_RTSP_HDR_SESSION);
  fail_unless (header != NULL && g_str_has_suffix (header, ending), "%s",
      header);
  assert_viewer (rtsp_viewer_play (viewer, &error), error);
  header = rtsp_viewer_header (viewer, GST_RTSP_HDR_SESSION);
  fail_unless (header != NULL && g_str_has_suffix (header, ending), "%s",
      header);
}

END_TEST;

static Suite *
sessiontimeout_suite (void)
{
  Suite *suite = suite_create ("sessiontimeout");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, served_test_stop);
  tcase_add_loop_test (tests, test_session_header_tells_the_timeout, 0,
      G_N_ELEMENTS (timeouts));
  tcase_add_test (tests, test_viewer_without_life_is_removed_and_no_other);
  return suite;
}

CHECK_SUITE (sessiontimeout);
