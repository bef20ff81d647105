/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* One source to several watched elements; see mountset.h. */

#include "mountset.h"

#define CLOCK_RATE 90000
#define RATE 25
#define FRAME_TICKS (CLOCK_RATE / RATE)
#define FRAME (G_USEC_PER_SEC / RATE)

#define MAX_MOUNTS 8

/* Beyond three frames: other programs use the machine, too. */
#define NOISE (150 * 1000)

/* What a source of 25 frames a second may be behind just now. */
#define MAX_FRAMES_BEHIND 6

struct _MountSet
{
  SinkTest *test;
  guint n;
  gchar *names[MAX_MOUNTS];
  SteadyViewer *steady[MAX_MOUNTS][MOUNT_SET_N_VIEWERS];
  RtspViewer *watched[MAX_MOUNTS][MOUNT_SET_N_VIEWERS];
  BufferCounter *fed;
  gint64 begin;
  guint fed_before;
  gdouble frames_behind;        /* when they stopped watching */
};

static const RtspViewerTransport transports[MOUNT_SET_N_VIEWERS] = {
  RTSP_VIEWER_UDP, RTSP_VIEWER_TCP
};

MountSet *
mount_set_new (const gchar * source, const gchar * properties,
    const gchar * const *mounts)
{
  MountSet *set = g_new0 (MountSet, 1);
  GString *line = g_string_new (source);

  g_string_append (line, " ! identity name=feed ! tee name=t");
  for (; mounts[set->n] != NULL; set->n++) {
    const gchar *name = mounts[set->n] + strlen ("name=");

    fail_unless (set->n < MAX_MOUNTS);
    g_string_append_printf (line, " t. ! rtspserversink %s %s", properties,
        mounts[set->n]);
    set->names[set->n] = g_strndup (name, strcspn (name, " "));
  }
  set->test = sink_test_new (line->str);
  g_string_free (line, TRUE);
  set->fed = buffer_counter_new (set->test, "feed", "src");
  sink_test_play (set->test);
  return set;
}

static void
free_mount (MountSet * set, guint i)
{
  for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++) {
    if (set->steady[i][k] != NULL)
      set->watched[i][k] = steady_viewer_stop (set->steady[i][k], NULL);
    rtsp_viewer_free (set->watched[i][k]);
  }
  g_free (set->names[i]);
}

void
mount_set_free (MountSet * set)
{
  if (set == NULL)
    return;
  for (guint i = 0; i < set->n; i++)
    free_mount (set, i);
  buffer_counter_free (set->fed);
  sink_test_free (set->test);
  g_free (set);
}

SinkTest *
mount_set_test (MountSet * set)
{
  return set->test;
}

guint
mount_set_n_disturbed (MountSet * set)
{
  return set->n - 1;
}

const gchar *
mount_set_name (MountSet * set, guint mount)
{
  return set->names[mount];
}

const gchar *
mount_set_uri (MountSet * set, guint mount)
{
  return sink_test_uri (set->test, set->names[mount]);
}

GstElement *
mount_set_element (MountSet * set, guint mount)
{
  return sink_test_element (set->test, set->names[mount]);
}

void
mount_set_watch (MountSet * set)
{
  for (guint i = 0; i < set->n; i++) {
    for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++)
      set->steady[i][k] = steady_viewer_start (mount_set_uri (set, i),
          transports[k]);
  }
  for (guint i = 0; i < set->n; i++) {
    for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++)
      fail_unless (steady_viewer_wait (set->steady[i][k], 3,
              SINK_TEST_TIMEOUT), "viewer %u of %s gets nothing", k,
          set->names[i]);
  }
  set->begin = g_get_monotonic_time ();
  set->fed_before = buffer_counter_count (set->fed);
}

SteadyViewer *
mount_set_steady (MountSet * set, guint mount, guint viewer)
{
  return set->steady[mount][viewer];
}

void
mount_set_wait_frames (MountSet * set, guint n)
{
  SteadyViewer *calm = set->steady[set->n - 1][MOUNT_SET_UDP];

  fail_unless (steady_viewer_wait (calm, steady_viewer_count (calm) + n,
          SINK_TEST_TIMEOUT + n * FRAME), "the source stands still");
}

/* A live source makes up for what it was late. */
static gdouble
count_frames_behind (MountSet * set)
{
  gint64 time = g_get_monotonic_time () - set->begin;

  return time * RATE / (gdouble) G_USEC_PER_SEC
      - (buffer_counter_count (set->fed) - set->fed_before);
}

static void
stop_viewer (MountSet * set, guint i, guint k)
{
  GError *error = NULL;

  set->watched[i][k] = steady_viewer_stop (g_steal_pointer
      (&set->steady[i][k]), &error);
  fail_unless (set->watched[i][k] != NULL, "viewer %u of %s: %s", k,
      set->names[i], error != NULL ? error->message : "ended");
}

void
mount_set_unwatch (MountSet * set)
{
  set->frames_behind = count_frames_behind (set);
  for (guint i = 0; i < set->n; i++) {
    for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++)
      steady_viewer_tell (set->steady[i][k]);
  }
  for (guint i = 0; i < set->n; i++) {
    for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++)
      stop_viewer (set, i, k);
  }
}

RtspRecord *
mount_set_record (MountSet * set, guint mount, guint viewer)
{
  return rtsp_viewer_record (set->watched[mount][viewer]);
}

/* Frames of its time that a viewer has not got. */
static guint
count_missing (RtspRecord * record)
{
  guint n = rtsp_record_count (record);
  guint32 span = rtsp_record_unit (record, n - 1)->rtp_time
      - rtsp_record_unit (record, 0)->rtp_time;

  return (span + FRAME_TICKS / 2) / FRAME_TICKS + 1 - n;
}

static void
check_packets (RtspRecord * record, const gchar * who)
{
  fail_unless (record->bye == 0, "%s: the server said BYE", who);
  fail_unless (record->n_gaps == 0, "%s: %u gaps, %u packets lost", who,
      record->n_gaps, record->n_lost);
  fail_unless (record->n_reordered == 0, "%s: packets out of order", who);
  fail_unless (record->n_malformed == 0, "%s: malformed packets", who);
  fail_unless (rtsp_record_times_rise (record), "%s: time goes back", who);
}

/* Under valgrind, or with sanitizers, each encoder leaves out frames of its own. */
static gboolean
machine_keeps_up (MountSet * set)
{
  for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++) {
    RtspRecord *calm = mount_set_record (set, set->n - 1, k);

    if (count_missing (calm) > 2 + rtsp_record_count (calm) / 20)
      return FALSE;
  }
  return TRUE;
}

static void
check_times (RtspRecord * record, RtspRecord * calm, const gchar * who)
{
  gint64 limit = MAX (rtsp_record_longest_gap (calm), FRAME) + 3 * FRAME
      + NOISE * sink_test_time_factor ();
  guint n = rtsp_record_count (record);

  /* one of a hundred, and one for where it begins and ends */
  fail_unless (count_missing (record) <= count_missing (calm) + 1 + n / 100,
      "%s: %u frames are missing, of %u; %u in calm", who,
      count_missing (record), n, count_missing (calm));
  fail_unless (rtsp_record_longest_gap (record) <= limit,
      "%s: gap of %.3f s, more than %.3f s", who,
      rtsp_record_longest_gap (record) / 1e6, limit / 1e6);
}

void
mount_set_check (MountSet * set, const gchar * beside)
{
  gboolean keeps_up = machine_keeps_up (set);

  for (guint i = 0; i < set->n; i++) {
    for (guint k = 0; k < MOUNT_SET_N_VIEWERS; k++) {
      g_autofree gchar *who = g_strdup_printf ("%s: %s, %s", beside,
          set->names[i], k == MOUNT_SET_UDP ? "UDP" : "TCP");

      fail_unless (!rtsp_viewer_is_closed (set->watched[i][k]), "%s: closed",
          who);
      check_packets (mount_set_record (set, i, k), who);
      if (keeps_up)
        check_times (mount_set_record (set, i, k),
            mount_set_record (set, set->n - 1, k), who);
    }
  }
  fail_unless (set->frames_behind < MAX_FRAMES_BEHIND,
      "%s: the source was %.0f frames behind", beside, set->frames_behind);
}
