/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * One element after the other goes through random steps: changes of state,
 * flushes, seeks, segments, ends, other caps, other links, audio pads, properties
 * and actions; with raw video and audio, encoded video and audio, encoders that
 * hold frames back or have threads of their own; while viewers come and go, and
 * other threads set and ask. Then whoever comes gets a picture, and at the end all
 * is what it was. Each step is printed before it is taken; the last line is PASS or
 * FAIL.
 *
 *   soak-steps --steps 10000 --seed 3
 *   soak-steps --seed 3 --steps 4711 --first 4700
 */

#include "encodedclip.h"
#include "sinktest.h"
#include "soak.h"
#include "stepsource.h"
#include "stepviewers.h"

#include <gst/video/video.h>

/* So many steps in the life of an element. */
#define LIFE 25
#define CHECK_INTERVAL 12
#define MAX_AUDIOS 2
#define N_POKERS 2
/* A step that takes so long is a hang; in seconds. */
#define HANG_TIME 120
/* For a state, for frames, for viewers; in us. */
#define PATIENCE (20 * G_USEC_PER_SEC)

static gint n_steps = 250;
static gint first_step = 1;
static gint seed = 1;
static gint memory_tolerance = 32768;
static gint longest_pause = 25;

static const GOptionEntry options[] = {
  {"steps", 'n', 0, G_OPTION_ARG_INT, &n_steps, "The last step [250]", "N"},
  {"first", 0, 0, G_OPTION_ARG_INT, &first_step,
        "The first one; its element's earlier steps are taken, too [1]",
      "N"},
  {"seed", 's', 0, G_OPTION_ARG_INT, &seed, "Of all that is random [1]", "N"},
  {"pause", 0, 0, G_OPTION_ARG_INT, &longest_pause,
      "At most so long from step to step [25]", "MS"},
  {"memory", 0, 0, G_OPTION_ARG_INT, &memory_tolerance,
      "How much resident memory may grow; the heap half of it [32768]", "KB"},
  {NULL}
};

/* --- what is fed --- */

#define VIDEO(format, width, height) "videotestsrc num-buffers=20 pattern=ball" \
    " ! video/x-raw,format=" format ",width=" #width ",height=" #height \
    ",framerate=100/1"
#define H264 VIDEO ("I420", 64, 48) " ! x264enc speed-preset=ultrafast " \
    "key-int-max=10 "
#define AUDIO(samples) "audiotestsrc num-buffers=20 wave=ticks " \
    "samplesperbuffer=" #samples " ! audio/x-raw,format=S16LE,layout=interleaved,"

static const gchar *const videos[] = {
  VIDEO ("I420", 64, 48),
  VIDEO ("RGB", 66, 50),
  VIDEO ("I420", 65, 49),
  VIDEO ("YUY2", 160, 120),
  VIDEO ("GRAY8", 64, 48),
  VIDEO ("NV12", 128, 96),
  H264 "tune=zerolatency",
  H264 "bframes=2 rc-lookahead=5 ! video/x-h264,profile=main ! h264parse "
      "! video/x-h264,stream-format=avc,alignment=au",
  H264 "tune=zerolatency ! h264parse ! "
      "video/x-h264,stream-format=byte-stream,alignment=nal",
  VIDEO ("I420", 64, 48) " ! x265enc tune=zerolatency speed-preset=ultrafast "
      "key-int-max=10",
  VIDEO ("I420", 64, 48) " ! vp8enc deadline=1 keyframe-max-dist=10",
  VIDEO ("I420", 64, 48) " ! vp9enc deadline=1 keyframe-max-dist=10",
  VIDEO ("I420", 64, 48) " ! jpegenc",
  VIDEO ("Y444", 128, 96) " ! jpegenc",
  H264 "tune=zerolatency ! rtph264pay mtu=200 config-interval=-1",
  VIDEO ("I420", 64, 48) " ! vp8enc deadline=1 keyframe-max-dist=10 "
      "! rtpvp8pay",
  VIDEO ("I420", 64, 48) " ! jpegenc ! rtpjpegpay",
};

static const gchar *const audios[] = {
  AUDIO (480) "rate=48000,channels=2",
  AUDIO (441) "rate=44100,channels=1",
  AUDIO (960) "rate=48000,channels=2 ! opusenc",
  AUDIO (1024) "rate=44100,channels=2 ! voaacenc",
  AUDIO (160) "rate=8000,channels=1 ! mulawenc",
};

static EncodedClip *video_clips[G_N_ELEMENTS (videos)];
static EncodedClip *audio_clips[G_N_ELEMENTS (audios)];

/* --- what the element is --- */

static const gchar *const encoders[] = {
  "x264enc speed-preset=ultrafast",
  "x264enc speed-preset=ultrafast threads=2 ! identity sleep-time=12000",
  "queue ! x264enc tune=zerolatency speed-preset=ultrafast ! queue",
  "vp8enc deadline=1 lag-in-frames=5",
  "openh264enc ! identity sleep-time=1000",
  "jpegenc",
};

/* NULL: what it is by itself. Not "jpeg": it refuses one of the clips. */
static const gchar *const codecs[] = {
  NULL, NULL, NULL, "h264", "vp8", "raw", "h265"
};

/* Of raw audio. */
static const gchar *const audio_codecs[] = { "opus", "aac", "pcmu", "l16" };

static const gchar *const shared[] = { NULL, NULL, "true", "false" };
static const gchar *const kept[] = { NULL, NULL, "true" };
static const gchar *const paced[] = { NULL, NULL, NULL, "true", "false" };

static const gchar *const stamped[] = { NULL, NULL, NULL, "pts", "arrival" };
static const gchar *const profiles[] = { NULL, NULL, "avpf" };

static const gchar *const scaled[] = {
  NULL, NULL, NULL, NULL, "video/x-raw,width=48,height=32,framerate=50/1"
};

#define CHOOSE(rand, table) \
    ((table)[g_rand_int_range (rand, 0, G_N_ELEMENTS (table))])

/* --- one life --- */

typedef struct
{
  StepSource *source;
  GstPad *pad;                  /* of the element; NULL: there is none */
} Feed;

typedef struct
{
  GRand *rand;
  gboolean live;
  GstElement *pipeline;
  GstElement *sink;
  GstBus *bus;
  Feed video;
  Feed audios[MAX_AUDIOS];
  gboolean linked;              /* the video */
  gboolean ended;               /* or may have: nothing comes any more */
  StepViewers *viewers;
  GThread *pokers[N_POKERS];
  gint stop;                    /* atomic */
} Life;

static guint n_faults;
static guint n_warnings;
static gint64 longest_step;

static void
wrong (const gchar * format, ...)
{
  g_autofree gchar *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_print ("WRONG: seed %d: %s\n", seed, text);
  n_faults++;
}

/* --- other threads --- */

static void
look_at_viewers (GstElement * sink, GRand * rand)
{
  GstStructure *list = NULL;
  gboolean removed;

  g_signal_emit_by_name (sink, "get-viewers", &list);
  if (list != NULL)
    gst_structure_free (list);
  if (g_rand_int_range (rand, 0, 8) == 0)
    g_signal_emit_by_name (sink, "remove-viewer",
        g_rand_int_range (rand, 0, 60), &removed);
}

static void
look_at_properties (GstElement * sink)
{
  g_autofree gchar *uri = NULL, *encoder = NULL;
  GstStructure *stats = NULL;
  guint n, port;

  g_object_get (sink, "uri", &uri, "active-encoder", &encoder, "stats", &stats,
      "num-viewers", &n, "bound-port", &port, NULL);
  gst_structure_free (stats);
}

static void
ask (GstElement * sink, GRand * rand)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  gint64 position;

  gst_caps_unref (gst_pad_query_caps (pad, NULL));
  gst_element_query (sink, latency);
  gst_element_query_position (sink, GST_FORMAT_TIME, &position);
}

/* What may be done at any time, from any thread. */
static void
poke (GstElement * sink, GRand * rand)
{
  gboolean asked;

  switch (g_rand_int_range (rand, 0, 6)) {
    case 0:
      look_at_viewers (sink, rand);
      break;
    case 1:
      g_signal_emit_by_name (sink, "force-key-unit", &asked);
      break;
    case 2:
      look_at_properties (sink);
      break;
    case 3:
      g_object_set (sink, "bitrate", g_rand_int_range (rand, 0, 2000000), NULL);
      break;
    case 4:
      g_object_set (sink, "key-unit-interval", g_rand_int_range (rand, 50,
              3000), NULL);
      break;
    default:
      ask (sink, rand);
      break;
  }
}

static gpointer
run_poker (gpointer data)
{
  Life *life = data;
  GRand *rand = g_rand_new_with_seed (seed);

  while (!g_atomic_int_get (&life->stop)) {
    poke (life->sink, rand);
    g_usleep (g_rand_int_range (rand, 100, 8000));
  }
  g_rand_free (rand);
  return NULL;
}

/* --- links --- */

static void
link_feed (Feed * feed, GstPad * pad)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (GST_ELEMENT
      (feed->source), "src");

  if (gst_pad_link (src, pad) != GST_PAD_LINK_OK)
    wrong ("a source cannot be linked");
}

static void
unlink_feed (Feed * feed)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (GST_ELEMENT
      (feed->source), "src");
  g_autoptr (GstPad) peer = gst_pad_get_peer (src);

  if (peer != NULL)
    gst_pad_unlink (src, peer);
}

static void
link_video (Life * life)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (life->sink, "sink");

  if (!life->linked)
    link_feed (&life->video, pad);
  life->linked = TRUE;
}

static void
unlink_video (Life * life)
{
  unlink_feed (&life->video);
  life->linked = FALSE;
}

static void
add_audio (Life * life, Feed * feed, EncodedClip * clip)
{
  feed->source = step_source_new (life->live, clip);
  gst_bin_add (GST_BIN (life->pipeline), GST_ELEMENT (feed->source));
  feed->pad = gst_element_request_pad_simple (life->sink, "audio_%u");
  link_feed (feed, feed->pad);
  gst_element_sync_state_with_parent (GST_ELEMENT (feed->source));
}

static void
remove_audio (Life * life, Feed * feed)
{
  GstElement *source = GST_ELEMENT (gst_object_ref (feed->source));

  if (g_rand_boolean (life->rand))
    unlink_feed (feed);
  gst_element_release_request_pad (life->sink, feed->pad);
  gst_object_unref (feed->pad);
  gst_element_set_locked_state (source, TRUE);
  gst_element_set_state (source, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (life->pipeline), source);
  gst_object_unref (source);
  *feed = (Feed) {
  NULL, NULL};
}

typedef void (*FeedFunc) (StepSource * source);

static void
for_each_source (Life * life, FeedFunc func)
{
  func (life->video.source);
  for (guint i = 0; i < MAX_AUDIOS; i++) {
    if (life->audios[i].source != NULL)
      func (life->audios[i].source);
  }
}

static void
begin_again (StepSource * source)
{
  step_source_send (source, NULL);
}

static void
flush (StepSource * source)
{
  step_source_flush (source, TRUE);
}

/* --- the steps --- */

/* What happens in the middle of a step takes its time. */
static void
linger (Life * life)
{
  g_usleep (g_rand_int_range (life->rand, 0, longest_pause + 1) * 1000);
}

static void
set_state (GstElement * element, GstState state)
{
  if (gst_element_set_state (element, state) == GST_STATE_CHANGE_FAILURE)
    wrong ("%s does not go to %s", GST_OBJECT_NAME (element),
        gst_element_state_get_name (state));
}

static void
go_paused (Life * life)
{
  set_state (life->pipeline, GST_STATE_PAUSED);
}

static void
go_playing (Life * life)
{
  set_state (life->pipeline, GST_STATE_PLAYING);
}

static void
go_ready (Life * life)
{
  set_state (life->pipeline, GST_STATE_READY);
}

static void
go_null (Life * life)
{
  set_state (life->pipeline, GST_STATE_NULL);
}

static void
pause_and_play (Life * life)
{
  go_paused (life);
  if (g_rand_boolean (life->rand))
    linger (life);
  go_playing (life);
}

/* The element alone leaves the pipeline's state, and comes back. Whoever takes a
 * sink down while data flows holds the data, and begins the stream again. */
static void
change_alone (Life * life, GstState state)
{
  gst_element_set_locked_state (life->sink, TRUE);
  set_state (life->sink, state);
  if (state < GST_STATE_PAUSED)
    for_each_source (life, step_source_hold);
  linger (life);
  if (state < GST_STATE_PAUSED)
    for_each_source (life, begin_again);
  gst_element_set_locked_state (life->sink, FALSE);
  gst_element_sync_state_with_parent (life->sink);
  for_each_source (life, step_source_release);
}

static void
go_null_alone (Life * life)
{
  change_alone (life, GST_STATE_NULL);
}

static void
go_ready_alone (Life * life)
{
  change_alone (life, GST_STATE_READY);
}

static void
go_paused_alone (Life * life)
{
  change_alone (life, GST_STATE_PAUSED);
}

/* As whoever adds an element does. */
static void
sync_state (Life * life)
{
  gst_element_sync_state_with_parent (life->sink);
  gst_element_set_state (life->pipeline, g_rand_boolean (life->rand) ?
      GST_STATE_PAUSED : GST_STATE_PLAYING);
}

static void
seek (Life * life)
{
  /* An element sends it holding its state lock: only where it can get through. */
  if (gst_element_seek_simple (life->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, 0))
    life->ended = FALSE;
}

static void
seek_without_flush (Life * life)
{
  gst_element_seek_simple (life->pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE,
      0);
}

static void
flush_video (Life * life)
{
  step_source_flush (life->video.source, g_rand_boolean (life->rand));
}

static void
flush_audio (Life * life)
{
  Feed *feed = &CHOOSE (life->rand, life->audios);
  gboolean reset_time = g_rand_boolean (life->rand);

  if (feed->source != NULL)
    step_source_flush (feed->source, reset_time);
}

static StepSource *
choose_source (Life * life)
{
  Feed *feed = &CHOOSE (life->rand, life->audios);

  return g_rand_boolean (life->rand) && feed->source != NULL ? feed->source :
      life->video.source;
}

static void
send_segment (Life * life)
{
  step_source_send_segment (choose_source (life));
}

static void
send_stream_start (Life * life)
{
  step_source_send (choose_source (life), NULL);
}

static void
send_gap (Life * life)
{
  step_source_send (choose_source (life), gst_event_new_gap (0,
          20 * GST_MSECOND));
}

static void
send_end (Life * life)
{
  step_source_send (choose_source (life), gst_event_new_eos ());
  life->ended = TRUE;
}

/* Data goes on after it, as if nothing had been. */
static void
send_end_and_begin (Life * life)
{
  StepSource *source = choose_source (life);

  step_source_send (source, gst_event_new_eos ());
  step_source_send (source, NULL);
  life->ended = TRUE;
}

static void
end_pipeline (Life * life)
{
  gst_element_send_event (life->pipeline, gst_event_new_eos ());
  life->ended = TRUE;
}

static void
send_tags (Life * life)
{
  step_source_send (choose_source (life), gst_event_new_tag (gst_tag_list_new
          (GST_TAG_TITLE, "steps", NULL)));
}

static void
send_upstream (Life * life)
{
  static const GstClockTime latencies[] = { 0, GST_MSECOND, 50 * GST_MSECOND };

  switch (g_rand_int_range (life->rand, 0, 4)) {
    case 0:
      gst_element_send_event (life->sink, gst_event_new_latency (CHOOSE
              (life->rand, latencies)));
      break;
    case 1:
      gst_element_send_event (life->sink, gst_event_new_qos
          (GST_QOS_TYPE_UNDERFLOW, 2.0, GST_MSECOND, GST_SECOND));
      break;
    case 2:
      gst_element_send_event (life->sink,
          gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE,
              TRUE, 1));
      break;
    default:
      gst_bin_recalculate_latency (GST_BIN (life->pipeline));
      break;
  }
}

static void
send_key_unit_request (Life * life)
{
  step_source_send (life->video.source,
      gst_video_event_new_downstream_force_key_unit (GST_CLOCK_TIME_NONE,
          GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, TRUE, 1));
}

static void
change_video (Life * life)
{
  step_source_play (life->video.source, CHOOSE (life->rand, video_clips));
}

static void
change_audio (Life * life)
{
  Feed *feed = &CHOOSE (life->rand, life->audios);
  EncodedClip *clip = CHOOSE (life->rand, audio_clips);

  if (feed->source != NULL)
    step_source_play (feed->source, clip);
}

static void
change_stamps (Life * life)
{
  gboolean stamps = g_rand_boolean (life->rand);

  if (life->live)
    step_source_set_stamps (life->video.source, stamps);
}

static void
relink (Life * life)
{
  if (life->linked)
    unlink_video (life);
  else
    link_video (life);
}

static void
take_out_and_in (Life * life)
{
  unlink_video (life);
  for (guint i = 0; i < MAX_AUDIOS; i++) {
    if (life->audios[i].pad != NULL)
      unlink_feed (&life->audios[i]);
  }
  gst_object_ref (life->sink);
  gst_bin_remove (GST_BIN (life->pipeline), life->sink);
  set_state (life->sink, GST_STATE_NULL);
  linger (life);
  gst_bin_add (GST_BIN (life->pipeline), life->sink);
  gst_object_unref (life->sink);
  for (guint i = 0; i < MAX_AUDIOS; i++) {
    if (life->audios[i].pad != NULL)
      link_feed (&life->audios[i], life->audios[i].pad);
  }
  link_video (life);
  gst_element_sync_state_with_parent (life->sink);
}

static void
change_audio_pads (Life * life)
{
  Feed *feed = &CHOOSE (life->rand, life->audios);

  if (feed->source == NULL)
    add_audio (life, feed, CHOOSE (life->rand, audio_clips));
  else
    remove_audio (life, feed);
}

static void
poke_once (Life * life)
{
  poke (life->sink, life->rand);
}

static void
nothing (Life * life)
{
}

typedef struct
{
  const gchar *name;
  guint weight;
  void (*take) (Life * life);
} Step;

static const Step steps[] = {
  {"PAUSED", 2, go_paused},
  {"PLAYING", 6, go_playing},
  {"READY", 1, go_ready},
  {"NULL", 1, go_null},
  {"PAUSED and PLAYING", 3, pause_and_play},
  {"NULL of the element alone", 1, go_null_alone},
  {"READY of the element alone", 1, go_ready_alone},
  {"PAUSED of the element alone", 1, go_paused_alone},
  {"state of the parent", 1, sync_state},
  {"flushing seek", 3, seek},
  {"seek without flush", 1, seek_without_flush},
  {"flush of the video", 2, flush_video},
  {"flush of audio", 2, flush_audio},
  {"segment", 2, send_segment},
  {"stream-start", 1, send_stream_start},
  {"gap", 1, send_gap},
  {"end of one stream", 2, send_end},
  {"end and data after it", 1, send_end_and_begin},
  {"end of the pipeline", 1, end_pipeline},
  {"tags", 1, send_tags},
  {"events upstream", 2, send_upstream},
  {"key unit downstream", 1, send_key_unit_request},
  {"other video", 6, change_video},
  {"other audio", 2, change_audio},
  {"time stamps", 1, change_stamps},
  {"link of the video", 2, relink},
  {"out of the pipeline and in", 1, take_out_and_in},
  {"audio pads", 3, change_audio_pads},
  {"properties and actions", 2, poke_once},
  {"nothing", 2, nothing},
};

static const Step *
choose_step (GRand * rand)
{
  const Step *step = steps;
  guint sum = 0, chosen;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    sum += steps[i].weight;
  chosen = g_rand_int_range (rand, 0, sum);
  while (chosen >= step->weight)
    chosen -= (step++)->weight;
  return step;
}

/* --- what has to hold --- */

static void
note_messages (Life * life)
{
  GstMessage *message;

  while ((message = gst_bus_pop (life->bus)) != NULL) {
    g_autoptr (GError) error = NULL;
    g_autofree gchar *debug = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &error, &debug);
      wrong ("error of %s: %s (%s)", GST_MESSAGE_SRC_NAME (message),
          error->message, debug);
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      gst_message_parse_warning (message, &error, &debug);
      g_print ("      warning: %s\n", error->message);
      n_warnings++;
    }
    gst_message_unref (message);
  }
}

static void
note_fault (StepSource * source)
{
  GstFlowReturn fault = step_source_fault (source);

  if (fault != GST_FLOW_OK)
    wrong ("a source met %s", gst_flow_get_name (fault));
}

/* Data flows again, by what an application does for that. */
static void
heal (Life * life)
{
  link_video (life);
  if (life->ended) {
    if (g_rand_boolean (life->rand))
      go_ready (life);
    else
      for_each_source (life, flush);
  }
  life->ended = FALSE;
  go_playing (life);
}

static gboolean
wait_for_frames (Life * life, guint n)
{
  gboolean taken = step_source_wait (life->video.source, n, PATIENCE);

  for (guint i = 0; taken && i < MAX_AUDIOS; i++)
    taken = life->audios[i].source == NULL
        || step_source_wait (life->audios[i].source, n, PATIENCE);
  return taken;
}

/* It may be removed, or see the end of what it watches when the format changes: it
 * comes again. */
static gboolean
wait_for_viewer (Life * life, GError ** error)
{
  static const RtspViewerTransport transports[] = {
    RTSP_VIEWER_UDP, RTSP_VIEWER_TCP, RTSP_VIEWER_HTTP
  };
  RtspViewerTransport transport = CHOOSE (life->rand, transports);
  RtspViewerStreams streams = RTSP_VIEWER_VIDEO;
  gint64 deadline = g_get_monotonic_time () + PATIENCE;

  for (guint i = 0; i < MAX_AUDIOS; i++)
    streams |= life->audios[i].source != NULL ? RTSP_VIEWER_AUDIO : 0;
  while (!step_viewers_watch (life->sink, transport, streams, error)) {
    if (g_get_monotonic_time () > deadline || !wait_for_frames (life, 1))
      return FALSE;
    g_clear_error (error);
  }
  return TRUE;
}

static void
print_element (const GValue * item, gpointer unused)
{
  GstElement *element = g_value_get_object (item);

  if (GST_STATE_RETURN (element) == GST_STATE_CHANGE_ASYNC)
    g_print ("      %s: %s, pending %s\n", GST_OBJECT_NAME (element),
        gst_element_state_get_name (GST_STATE (element)),
        gst_element_state_get_name (GST_STATE_PENDING (element)));
}

/* For who looks into a fault: which elements wait, and for what. */
static void
print_life (Life * life)
{
  GstIterator *elements = gst_bin_iterate_recurse (GST_BIN (life->pipeline));

  gst_iterator_foreach (elements, print_element, NULL);
  gst_iterator_free (elements);
  for_each_source (life, step_source_print);
}

static void
check (Life * life)
{
  g_autoptr (GError) error = NULL;
  GstState state;

  heal (life);
  if (gst_element_get_state (life->pipeline, &state, NULL,
          PATIENCE * GST_USECOND) == GST_STATE_CHANGE_ASYNC)
    wrong ("the pipeline stays in %s", gst_element_state_get_name (state));
  else if (!wait_for_frames (life, 3))
    wrong ("frames of a source are not taken");
  else if (!wait_for_viewer (life, &error))
    wrong ("a viewer gets nothing: %s", error->message);
  else
    return;
  print_life (life);
}

/* --- lives --- */

static void
set_property (GstElement * sink, GString * text, const gchar * name,
    const gchar * value)
{
  if (value == NULL)
    return;
  g_string_append_printf (text, " %s=\"%s\"", name, value);
  gst_util_set_object_arg (G_OBJECT (sink), name, value);
}

/* A handler may set what the element is set to, too. */
static void
encoder_setup (GstElement * sink, GstElement * encoder, gpointer user_data)
{
  g_object_set (sink, "bitrate", 500000, NULL);
}

static GstElement *
make_sink (void)
{
  GstElement *sink = gst_element_factory_make ("rtspserversink", NULL);

  g_object_set (sink, "address", "127.0.0.1", "port", 0, NULL);
  g_signal_connect (sink, "encoder-setup", G_CALLBACK (encoder_setup), NULL);
  return sink;
}

static void
set_properties (Life * life, GString * text)
{
  const gchar *encoder = g_rand_int_range (life->rand, 0, 3) != 0 ? NULL
      : CHOOSE (life->rand, encoders);
  const gchar *codec = CHOOSE (life->rand, codecs);

  set_property (life->sink, text, "encoder", encoder);
  set_property (life->sink, text, "codec", encoder == NULL ? codec : NULL);
  set_property (life->sink, text, "shared", CHOOSE (life->rand, shared));
  set_property (life->sink, text, "gop-cache", CHOOSE (life->rand, kept));
  set_property (life->sink, text, "sync", CHOOSE (life->rand, paced));
  set_property (life->sink, text, "timestamp-mode", CHOOSE (life->rand,
          stamped));
  set_property (life->sink, text, "profiles", CHOOSE (life->rand, profiles));
  set_property (life->sink, text, "output-caps", CHOOSE (life->rand, scaled));
}

/* A pipeline of a source and the element. */
static void
begin_life (Life * life, GRand * rand, gboolean live, EncodedClip * clip)
{
  *life = (Life) {
  .rand = rand,.live = live,.pipeline = gst_pipeline_new (NULL),.sink =
        make_sink (),};
  gst_pipeline_set_auto_flush_bus (GST_PIPELINE (life->pipeline), FALSE);
  life->bus = gst_element_get_bus (life->pipeline);
  life->video.source = step_source_new (live, clip);
  gst_bin_add_many (GST_BIN (life->pipeline), GST_ELEMENT (life->video.source),
      life->sink, NULL);
  link_video (life);
}

static void
begin_random_life (Life * life, guint number)
{
  g_autoptr (GString) text = g_string_new (NULL);
  GRand *rand = g_rand_new_with_seed_array ((guint32[]){
        seed, number
      }, 2);
  gboolean live = g_rand_int_range (rand, 0, 3) != 0;
  guint n_viewers = g_rand_int_range (rand, 0, 4);

  begin_life (life, rand, live, CHOOSE (rand, video_clips));
  set_properties (life, text);
  if (g_rand_boolean (rand))
    add_audio (life, &life->audios[0], CHOOSE (rand, audio_clips));
  g_print ("life %u: %s source, %u viewers,%s\n", number,
      live ? "live" : "paced", n_viewers, text->str);

  for (guint i = 0; i < N_POKERS; i++)
    life->pokers[i] = g_thread_new ("poker", run_poker, life);
  life->viewers = step_viewers_start (life->sink, n_viewers, g_rand_int (rand));
}

static gpointer
unref (gpointer object)
{
  gst_object_unref (object);
  return NULL;
}

static void
end_life (Life * life)
{
  go_null (life);
  note_messages (life);
  for_each_source (life, note_fault);
  g_atomic_int_set (&life->stop, TRUE);
  for (guint i = 0; i < N_POKERS; i++)
    g_clear_pointer (&life->pokers[i], g_thread_join);
  g_clear_pointer (&life->viewers, step_viewers_stop);
  for (guint i = 0; i < MAX_AUDIOS; i++) {
    if (life->audios[i].source != NULL)
      remove_audio (life, &life->audios[i]);
  }
  gst_object_unref (life->bus);
  g_rand_free (life->rand);
  g_thread_join (g_thread_new ("unref", unref, life->pipeline));
}

static void
take_step (Life * life, guint number)
{
  const Step *step = choose_step (life->rand);
  gboolean checks = number % CHECK_INTERVAL == 0;
  gint64 begin = g_get_monotonic_time ();

  g_print ("%5u %s%s\n", number, step->name, checks ? ", then a look" : "");
  soak_alarm (HANG_TIME);
  step->take (life);
  longest_step = MAX (longest_step, g_get_monotonic_time () - begin);
  if (checks)
    check (life);
  linger (life);
  note_messages (life);
}

/* Each life is the same in every run that has it: its steps can be taken
 * again without those of the lives before. The first fault ends it: others would
 * only follow from it. */
static void
run (guint first, guint last)
{
  for (guint number = (first - 1) / LIFE; number * LIFE < last; number++) {
    guint faults = n_faults;
    Life life;

    begin_random_life (&life, number);
    for (guint i = 1; i <= LIFE && number * LIFE + i <= last
        && n_faults == faults; i++)
      take_step (&life, number * LIFE + i);
    soak_alarm (HANG_TIME);
    if (n_faults == faults && g_rand_boolean (life.rand))
      check (&life);
    end_life (&life);
  }
}

/* --- before it is counted --- */

/* A viewer sees the clips by such an element. */
static void
serve (const gchar * property, const gchar * value, guint clip)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Life life;

  soak_alarm (HANG_TIME);
  begin_life (&life, g_rand_new_with_seed (seed), TRUE,
      video_clips[clip % G_N_ELEMENTS (videos)]);
  set_property (life.sink, text, property, value);
  add_audio (&life, &life.audios[0], audio_clips[clip % G_N_ELEMENTS (audios)]);
  g_print ("clips %u,%s\n", clip, text->str);
  check (&life);
  end_life (&life);
}

/* Libraries of encoders and decoders are loaded once, when they are needed. */
static void
serve_all (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (videos); i++)
    serve ("codec", "raw", i);
  for (guint i = 0; i < G_N_ELEMENTS (codecs); i++)
    serve ("codec", codecs[i], i);
  for (guint i = 0; i < G_N_ELEMENTS (encoders); i++)
    serve ("encoder", encoders[i], i);
  for (guint i = 0; i < G_N_ELEMENTS (audio_codecs); i++)
    serve ("audio-codec", audio_codecs[i], 0);
}

static void
make_clips (EncodedClip ** clips, const gchar * const *lines, guint n)
{
  for (guint i = 0; i < n; i++)
    clips[i] = encoded_clip_new (lines[i]);
}

static void
free_clips (EncodedClip ** clips, guint n)
{
  for (guint i = 0; i < n; i++)
    encoded_clip_free (clips[i]);
}

static SoakCount *
count (const gchar * when, const SoakCount * before)
{
  SoakCount *result;

  soak_alarm (HANG_TIME);
  result = soak_count_new (when, before, 0);
  soak_count_print (result);
  return result;
}

static void
judge (const SoakCount * first, const SoakCount * last)
{
  step_viewers_report ();
  g_print ("%u warnings; the longest step took %.3f s\n", n_warnings,
      longest_step / 1e6);
  soak_rule (n_faults == 0, "%u steps went wrong", n_faults);
  soak_rule_back (first, last);
  soak_rule_objects (first, last, 0);
  soak_rule_memory (first, last, memory_tolerance);
  soak_rule_criticals ();
}

int
main (int argc, char **argv)
{
  SoakCount *first, *last;

  soak_init (&argc, &argv, options,
      "Random steps in the life of an element, with viewers.");
  if (first_step < 1 || n_steps < first_step || longest_pause < 0)
    soak_wrong_usage ("an option is out of range");
  g_print ("steps %d to %d, seed %d\n", first_step, n_steps, seed);
  make_clips (video_clips, videos, G_N_ELEMENTS (videos));
  make_clips (audio_clips, audios, G_N_ELEMENTS (audios));

  serve_all ();
  first = count ("start", NULL);
  run (first_step, n_steps);
  last = count ("end", first);
  judge (first, last);

  soak_count_free (first);
  soak_count_free (last);
  free_clips (video_clips, G_N_ELEMENTS (videos));
  free_clips (audio_clips, G_N_ELEMENTS (audios));
  return soak_verdict ();
}
