/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The source switches at random between raw video, H.264, H.265, JPEG and VP8,
 * while one viewer watches over UDP and one over TCP; a viewer whose stream ends
 * comes again. Nobody may be left without pictures and without an end, or get
 * packets of what was not announced; and when nobody is there, all must be what it
 * was. The last line is PASS or FAIL.
 *
 *   soak-formats --switches 1000
 */

#include "encodedclip.h"
#include "procinfo.h"
#include "served.h"
#include "sinktest.h"
#include "soak.h"

#include <gst/app/app.h>
#include <gst/rtp/gstrtpbuffer.h>

#define FRAME_TIME (20 * G_TIME_SPAN_MILLISECOND)
#define HANG_TIME 60
#define N_VIEWERS 2
/* So long without a frame, while frames are fed, is frozen. */
#define FROZEN_TIME (5 * G_USEC_PER_SEC)
#define LOOK_TIME (100 * G_TIME_SPAN_MILLISECOND)
/* Some of each kind, so that what is made once is there. */
#define WARM_UP_SWITCHES 20

#define SOURCE "videotestsrc num-buffers=20 pattern=ball ! " \
    CLIP_VIDEO (160, 120)

static gint n_switches = 60;
static gint longest_stay = 30;
static gint memory_tolerance = 2048;
static gint seed = 1;
static gchar *sink_properties;

static const GOptionEntry options[] = {
  {"switches", 'n', 0, G_OPTION_ARG_INT, &n_switches, "Switches in all [60]",
      "N"},
  {"stay", 0, 0, G_OPTION_ARG_INT, &longest_stay,
      "At most so many frames of a kind, 50 a second [30]", "FRAMES"},
  {"memory", 0, 0, G_OPTION_ARG_INT, &memory_tolerance,
      "How much resident memory may grow; the heap half of it [2048]", "KB"},
  {"sink", 0, 0, G_OPTION_ARG_STRING, &sink_properties,
      "Properties of the element, e.g. codec=h264", "PROPERTIES"},
  {"seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of what is random [1]", "N"},
  {NULL}
};

/* The first is raw. */
static const gchar *const kinds[] = {
  SOURCE,
  SOURCE " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10",
  SOURCE " ! x265enc tune=zerolatency speed-preset=ultrafast key-int-max=10",
  SOURCE " ! jpegenc",
  SOURCE " ! vp8enc deadline=1 keyframe-max-dist=10",
};

static Served *served;
static GstElement *feed;
static EncodedClip *clips[G_N_ELEMENTS (kinds)];
static guint n_errors;

/* atomic, as all below */
static gint viewers_stop;
static gint n_fed;
static gint n_played, n_refused, n_ended, n_units;
static gint n_frozen, n_mixed;

/* --- viewers --- */

/* Packets of another payload type than the SDP told. */
static gboolean
is_mixed (RtspViewer * viewer, guint first)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  const GstSDPMedia *media = gst_sdp_message_get_media (rtsp_viewer_sdp
      (viewer), 0);
  gint told = atoi (gst_sdp_media_get_format (media, 0));

  for (guint i = first; i < rtsp_record_count (record); i++) {
    GPtrArray *packets = rtsp_record_unit (record, i)->packets;

    for (guint p = 0; p < packets->len; p++) {
      GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
      gint type = told;

      if (gst_rtp_buffer_map (g_ptr_array_index (packets, p), GST_MAP_READ,
              &rtp)) {
        type = gst_rtp_buffer_get_payload_type (&rtp);
        gst_rtp_buffer_unmap (&rtp);
      }
      if (type != told)
        return TRUE;
    }
  }
  return FALSE;
}

/* Frames were fed for long, and it got nothing and was not told. */
static gboolean
is_frozen (RtspViewer * viewer, gint64 newest, gint fed_then)
{
  if (g_get_monotonic_time () - newest < FROZEN_TIME
      || g_atomic_int_get (&n_fed) - fed_then
      < FROZEN_TIME / FRAME_TIME / 2 || g_atomic_int_get (&viewers_stop))
    return FALSE;
  g_print ("frozen: %u units, %s\n", rtsp_record_count (rtsp_viewer_record
          (viewer)), gst_sdp_media_get_attribute_val (gst_sdp_message_get_media
          (rtsp_viewer_sdp (viewer), 0), "rtpmap"));
  return TRUE;
}

/* Until its stream ends. */
static void
watch (RtspViewer * viewer)
{
  RtspRecord *record = rtsp_viewer_record (viewer);
  gint64 newest = g_get_monotonic_time ();
  gint fed_then = g_atomic_int_get (&n_fed);
  guint seen = 0;

  while (!g_atomic_int_get (&viewers_stop) && record->bye == 0
      && rtsp_viewer_receive_for (viewer, LOOK_TIME, NULL)) {
    guint count = rtsp_record_count (record);

    if (count > seen) {
      newest = g_get_monotonic_time ();
      fed_then = g_atomic_int_get (&n_fed);
      if (is_mixed (viewer, seen))
        g_atomic_int_inc (&n_mixed);
    } else if (is_frozen (viewer, newest, fed_then)) {
      g_atomic_int_inc (&n_frozen);
      return;
    }
    seen = count;
  }
  g_atomic_int_add (&n_units, seen);
  g_atomic_int_inc (&n_ended);
}

static gpointer
run_viewer (gpointer user_data)
{
  RtspViewerTransport transport = GPOINTER_TO_INT (user_data);

  while (!g_atomic_int_get (&viewers_stop)) {
    RtspViewer *viewer = rtsp_viewer_new (served->uri);

    rtsp_viewer_record (viewer)->keep_packets = TRUE;
    if (rtsp_viewer_start (viewer, transport, NULL)) {
      g_atomic_int_inc (&n_played);
      watch (viewer);
    } else {
      g_atomic_int_inc (&n_refused);
      /* it may be refused at once */
      g_usleep (LOOK_TIME / 10);
    }
    rtsp_viewer_free (viewer);
  }
  return NULL;
}

/* --- the source --- */

static void
note_errors (void)
{
  GstMessage *message;

  while ((message = gst_bus_pop (served->bus)) != NULL) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, NULL);
      g_print ("error on the bus: %s\n", error->message);
      n_errors++;
    }
    gst_message_unref (message);
  }
}

static void
push (EncodedClip * clip, guint i)
{
  GstBuffer *frame = encoded_clip_frame (clip, i);
  GstSample *sample;

  GST_BUFFER_PTS (frame) = gst_element_get_current_running_time
      (served->pipeline);
  GST_BUFFER_DTS (frame) = GST_CLOCK_TIME_NONE;
  sample = gst_sample_new (frame, clip->caps, NULL, NULL);
  if (gst_app_src_push_sample (GST_APP_SRC (feed), sample) != GST_FLOW_OK)
    n_errors++;
  gst_sample_unref (sample);
  gst_buffer_unref (frame);
  g_atomic_int_inc (&n_fed);
}

static void
feed_kind (guint kind, guint n)
{
  soak_alarm (HANG_TIME);
  for (guint i = 0; i < n; i++) {
    push (clips[kind], i);
    /* that is the rate */
    g_usleep (FRAME_TIME);
  }
  note_errors ();
}

static void
feed_at_random (GRand * rand, guint n)
{
  guint kind = 0;

  for (guint i = 0; i < n; i++) {
    kind = (kind + g_rand_int_range (rand, 1, G_N_ELEMENTS (kinds)))
        % G_N_ELEMENTS (kinds);
    feed_kind (kind, g_rand_int_range (rand, 1, longest_stay + 1));
  }
}

/* With viewers; ends with raw video, and with nobody there. */
static void
run (GRand * rand, guint n)
{
  static const RtspViewerTransport transports[N_VIEWERS] = {
    RTSP_VIEWER_UDP, RTSP_VIEWER_TCP
  };
  GThread *threads[N_VIEWERS];

  g_atomic_int_set (&viewers_stop, FALSE);
  for (gint i = 0; i < N_VIEWERS; i++)
    threads[i] = g_thread_new ("viewer", run_viewer,
        GINT_TO_POINTER (transports[i]));
  feed_at_random (rand, n);
  for (guint kind = G_N_ELEMENTS (kinds); kind > 0; kind--)
    feed_kind (kind - 1, 50);
  g_atomic_int_set (&viewers_stop, TRUE);
  for (gint i = 0; i < N_VIEWERS; i++)
    g_thread_join (threads[i]);
}

static SoakCount *
count (const gchar * when, const SoakCount * before)
{
  SoakCount *result;

  soak_alarm (HANG_TIME);
  note_errors ();
  result = soak_count_new (when, before, served_get_number (served,
          "bound-port"));
  soak_count_print (result);
  return result;
}

static void
judge (const SoakCount * first, const SoakCount * last)
{
  g_print
      ("viewers: %d played, %d refused, %d ended, %d units; %d frames fed\n",
      n_played, n_refused, n_ended, n_units, n_fed);
  soak_rule (n_errors == 0, "%u errors", n_errors);
  soak_rule (n_frozen == 0, "%d viewers were frozen", n_frozen);
  soak_rule (n_mixed == 0, "%d viewers got what was not announced", n_mixed);
  soak_rule (n_played > N_VIEWERS && n_units > 0, "viewers came again");
  soak_rule_back (first, last);
  soak_rule_objects (first, last, 8);
  soak_rule_memory (first, last, memory_tolerance);
  soak_rule_criticals ();
}

static void
set_up (int *argc, char ***argv)
{
  soak_init (argc, argv, options,
      "Raw and encoded input in turn, at random; viewers come again.");
  if (n_switches < 1 || longest_stay < 1)
    soak_wrong_usage ("an option is out of range");
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    clips[i] = encoded_clip_new (kinds[i]);
  served = served_new ("appsrc name=feed format=time is-live=true",
      sink_properties);
  feed = gst_bin_get_by_name (GST_BIN (served->pipeline), "feed");
  /* a live source has to feed before all of it plays */
  gst_element_set_state (served->pipeline, GST_STATE_PLAYING);
  feed_kind (0, 5);
  served_play (served);
}

int
main (int argc, char **argv)
{
  SoakCount *first, *last;
  GRand *rand;

  set_up (&argc, &argv);
  g_print ("%d switches, seed %d\n", n_switches, seed);
  rand = g_rand_new_with_seed (seed);
  run (rand, WARM_UP_SWITCHES);
  first = count ("start", NULL);
  run (rand, n_switches);
  last = count ("end", first);
  judge (first, last);

  soak_count_free (first);
  soak_count_free (last);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    encoded_clip_free (clips[i]);
  gst_object_unref (feed);
  served_free (served);
  g_rand_free (rand);
  return soak_verdict ();
}
