/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Encoded input that is broken, mislabelled, or begins and ends where it should
 * not: one bad piece costs that piece, and what can never play is an error. */

#include "encodedclip.h"

#include <glib/gstdio.h>
#include <unistd.h>

#define FEED "appsrc name=feed format=time is-live=true ! "
#define SOURCE "videotestsrc num-buffers=30 pattern=ball ! "
#define X264 "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=10 "
#define X265 "x265enc tune=zerolatency speed-preset=ultrafast key-int-max=10 "
#define VP8 "vp8enc deadline=1 keyframe-max-dist=10 "

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

/* --- feeding, beside the viewer --- */

typedef struct
{
  EncodedClip *clip;
  gint over;                    /* atomic */
  GThread *thread;
} Playing;

static gpointer
run (gpointer user_data)
{
  Playing *playing = user_data;

  encoded_clip_play_until (test, "feed", playing->clip, &playing->over);
  return NULL;
}

/* For as long as it takes the viewer to see what it waits for. */
static void
begin_playing (Playing * playing, EncodedClip * clip)
{
  playing->clip = clip;
  playing->over = FALSE;
  playing->thread = g_thread_new ("test-feed", run, playing);
}

static void
end_playing (Playing * playing)
{
  g_atomic_int_set (&playing->over, TRUE);
  g_thread_join (playing->thread);
}

/* A live source has to send before the pipeline gets to PLAYING. */
static void
start (const gchar * properties)
{
  g_autofree gchar *launch = g_strdup_printf (FEED "rtspserversink %s",
      properties);

  test = sink_test_new (launch);
  sink_test_try_state (test, GST_STATE_PLAYING);
}

static void
receive_more (RtspViewer * viewer, guint n)
{
  guint before = rtsp_record_count (rtsp_viewer_record (viewer));
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer, before + n,
          SINK_TEST_TIMEOUT, &error), error);
}

/* Takes what is on its way. */
static void
receive_rest (RtspViewer * viewer)
{
  rtsp_viewer_receive_for (viewer, 300 * G_TIME_SPAN_MILLISECOND, NULL);
}

/* --- damage --- */

typedef enum
{
  EMPTY,
  NOISE,
  SECOND_FRAME_HEADER,          /* JPEG */
  CUT_IN_HEADER,                /* JPEG */
  CUT_IN_SCAN,                  /* JPEG */
} Damage;

static const struct
{
  const gchar *encoder;
  Damage damage;
  gboolean warns;
} damages[] = {
  {X264, EMPTY, FALSE},
  {X265, EMPTY, FALSE},
  {VP8, EMPTY, FALSE},
  {VP8, NOISE, TRUE},
  {"vp9enc deadline=1 cpu-used=8 keyframe-max-dist=10", EMPTY, FALSE},
  {"jpegenc", EMPTY, FALSE},
  {"jpegenc", SECOND_FRAME_HEADER, TRUE},
  {"jpegenc", CUT_IN_HEADER, TRUE},
};

/* A marker SOF0 of ten bytes behind the first two of the picture. */
static GstBuffer *
repeat_frame_header (GstBuffer * picture)
{
  static const guint8 header[] = { 0xff, 0xc0, 0x00, 0x0b, 8, 0, 16, 0, 16, 1,
    1, 0x11, 0
  };
  GstBuffer *damaged = gst_buffer_copy_region (picture, GST_BUFFER_COPY_ALL, 0,
      2);

  gst_buffer_append_memory (damaged, gst_memory_new_wrapped
      (GST_MEMORY_FLAG_READONLY, (gpointer) header, sizeof (header), 0,
          sizeof (header), NULL, NULL));
  return gst_buffer_append (damaged, gst_buffer_copy_region (picture,
          GST_BUFFER_COPY_MEMORY, 2, -1));
}

static GstBuffer *
damage (GstBuffer * frame, Damage how)
{
  GstBuffer *damaged;

  if (how == NOISE) {
    /* to VP8 it is a frame with partitions that are not there */
    gst_buffer_memset (frame, 0, 0xfe, -1);
    return frame;
  }
  if (how == CUT_IN_HEADER || how == CUT_IN_SCAN) {
    gst_buffer_set_size (frame, how == CUT_IN_HEADER ? 100
        : gst_buffer_get_size (frame) - 100);
    return frame;
  }
  damaged = how == EMPTY ? gst_buffer_new () : repeat_frame_header (frame);
  gst_buffer_unref (frame);
  return damaged;
}

static void
push_damaged (EncodedClip * clip, Damage how, guint n)
{
  for (guint i = 0; i < n; i++) {
    GstBuffer *frame = damage (encoded_clip_frame (clip, i), how);

    GST_BUFFER_PTS (frame) = gst_element_get_current_running_time
        (sink_test_pipeline (test));
    fail_unless_equals_int (encoded_clip_push (test, "feed", clip->caps,
            frame), GST_FLOW_OK);
  }
}

static guint64
count_damaged (void)
{
  GstStructure *stats;
  guint64 damaged = G_MAXUINT64;

  g_object_get (sink_test_element (test, NULL), "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "damaged", &damaged);
  gst_structure_free (stats);
  return damaged;
}

GST_START_TEST (test_a_damaged_piece_costs_that_piece)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE CLIP_VIDEO (160, 120)
      " ! %s", damages[__i__].encoder);
  g_autoptr (EncodedClip) clip = encoded_clip_new (launch);
  g_autoptr (RtspViewer) viewer = NULL;
  Playing playing;

  start ("");
  begin_playing (&playing, clip);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 5);
  end_playing (&playing);
  push_damaged (clip, damages[__i__].damage, 5);
  receive_rest (viewer);

  begin_playing (&playing, clip);
  receive_more (viewer, 20);
  end_playing (&playing);
  fail_unless_equals_int (sink_test_count_warnings (test),
      damages[__i__].warns);
  fail_unless_equals_int (count_damaged (), damages[__i__].warns ? 5 : 0);
}

END_TEST;

static const struct
{
  const gchar *encoder;
  Damage damage;
  guint n_damaged;              /* of three */
} early_damages[] = {
  {X264 "! video/x-h264,stream-format=byte-stream", NOISE, 0},
  {VP8, NOISE, 3},
  {"jpegenc", EMPTY, 0},
  {"jpegenc", NOISE, 3},
  {"jpegenc", SECOND_FRAME_HEADER, 3},
  {"jpegenc", CUT_IN_HEADER, 3},
  /* as if it had no end marker */
  {"jpegenc", CUT_IN_SCAN, 0},
};

/* Cameras send such when they begin. */
GST_START_TEST (test_damage_before_the_first_picture_costs_that_piece)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE CLIP_VIDEO (160, 120)
      " ! %s", early_damages[__i__].encoder);
  g_autoptr (EncodedClip) clip = encoded_clip_new (launch);
  g_autoptr (RtspViewer) viewer = NULL;
  Playing playing;

  start ("");
  push_damaged (clip, early_damages[__i__].damage, 3);
  begin_playing (&playing, clip);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 10);
  end_playing (&playing);
  fail_unless_equals_int (count_damaged (), early_damages[__i__].n_damaged);
  fail_unless_equals_int (sink_test_count_warnings (test),
      early_damages[__i__].n_damaged > 0);
}

END_TEST;

GST_START_TEST (test_pictures_without_an_end_marker_are_served)
{
  g_autoptr (EncodedClip) clip = encoded_clip_new (SOURCE
      CLIP_VIDEO (160, 120) " ! jpegenc");
  g_autoptr (RtspViewer) viewer = NULL;
  Playing playing;

  for (guint i = 0; i < clip->samples->len; i++) {
    GstBuffer *frame = gst_sample_get_buffer (g_ptr_array_index (clip->samples,
            i));

    gst_buffer_set_size (frame, gst_buffer_get_size (frame) - 2);
  }
  start ("");
  begin_playing (&playing, clip);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 10);
  end_playing (&playing);
  fail_unless_equals_int (count_damaged (), 0);
  fail_unless_equals_int (sink_test_count_warnings (test), 0);
}

END_TEST;

/* --- caps that are not true --- */

/* The parser makes units of it, but never finds parameter sets: the payloader
 * would not come to the end of a unit. */
static const struct
{
  const gchar *encoder;
  const gchar *caps;
} mislabelled[] = {
  {X264 "! h264parse ! video/x-h264,stream-format=avc",
      "video/x-h264,stream-format=byte-stream,alignment=au"},
  {X264 "! video/x-h264,stream-format=byte-stream",
      "video/x-h265,stream-format=byte-stream"},
};

GST_START_TEST (test_units_without_parameter_sets_do_not_hang)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE CLIP_VIDEO (160, 120)
      " ! %s", mislabelled[__i__].encoder);
  g_autoptr (EncodedClip) clip = encoded_clip_new (launch);
  g_autoptr (GstCaps) caps = gst_caps_from_string (mislabelled[__i__].caps);
  BufferCounter *parsed;

  start ("");
  parsed = buffer_counter_new (test, "output", "sink");
  gst_caps_replace (&clip->caps, caps);
  encoded_clip_play (test, "feed", clip, 0, 60);
  fail_unless (sink_test_stop (test) < G_USEC_PER_SEC
      * sink_test_time_factor ());
  buffer_counter_free (parsed);
}

END_TEST;

/* As when a source seeks at once. A parser that gives out what it has then never
 * tells the parameter sets, and a decoder makes nothing of what follows. */
GST_START_TEST (test_a_segment_within_the_first_unit_costs_that_unit)
{
  g_autoptr (EncodedClip) clip = encoded_clip_new (SOURCE CLIP_VIDEO (64, 48)
      " ! " X264 "! h264parse ! "
      "video/x-h264,stream-format=byte-stream,alignment=nal");
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstPad) pad = NULL;
  BufferCounter *counter;
  GstSegment segment;
  Playing playing;

  start ("name=s codec=raw");
  counter = buffer_counter_new (test, "s", "sink");
  encoded_clip_push (test, "feed", clip->caps, encoded_clip_frame (clip, 0));
  buffer_counter_wait (counter, 1, SINK_TEST_TIMEOUT);
  pad = gst_element_get_static_pad (sink_test_element (test, "s"), "sink");
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_pad_send_event (pad, gst_event_new_segment (&segment)));

  begin_playing (&playing, clip);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 3);
  end_playing (&playing);
  buffer_counter_free (counter);
}

END_TEST;

static const gchar *const refused[] = {
  "video/x-h264,stream-format=avc,alignment=au",
  "video/x-h264,stream-format=avc,alignment=au,codec_data=(buffer)01",
};

GST_START_TEST (test_caps_without_codec_data_are_an_error_that_says_so)
{
  g_autoptr (EncodedClip) clip = encoded_clip_new (SOURCE
      CLIP_VIDEO (160, 120) " ! " X264);
  g_autoptr (GstCaps) caps = gst_caps_from_string (refused[__i__]);

  start ("");
  gst_caps_replace (&clip->caps, caps);
  encoded_clip_play (test, "feed", clip, 0, 3);
  sink_test_expect_error (test, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      (const gchar *[]) { "H.264", "caps", "codec_data", NULL },
      SINK_TEST_TIMEOUT);
  sink_test_stop (test);
  sink_test_forget_messages (test);
}

END_TEST;

/* Parsers and tees go on after they met a refusal. */
static void
push_in_vain (const gchar * pad_name, const gchar * caps_text, guint size)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  g_autoptr (GstPad) pad = NULL;
  GstSegment segment;

  sink_test_try_state (test, GST_STATE_PLAYING);
  pad = gst_element_get_static_pad (sink_test_element (test, NULL), pad_name);
  gst_pad_send_event (pad, gst_event_new_stream_start ("test"));
  for (guint i = 0; i < 3; i++) {
    gst_pad_send_event (pad, gst_event_new_caps (caps));
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_pad_send_event (pad, gst_event_new_segment (&segment));
    gst_pad_chain (pad, gst_buffer_new_allocate (NULL, size, NULL));
  }
}

static const struct
{
  const gchar *removed;         /* an element; NULL: none */
  const gchar *caps;
  const gchar *word;
} told_once[] = {
  {NULL, "video/x-h264,stream-format=avc,alignment=au", "H.264"},
  {"h264parse", "video/x-h264,stream-format=byte-stream", "h264parse"},
  {"jpegparse", "image/jpeg", "jpegparse"},
  {NULL, "video/x-raw,format=I420", "caps"},
};

GST_START_TEST (test_a_refusal_is_told_once)
{
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GstPluginFeature) feature = NULL;
  g_autoptr (GError) error = NULL;

  test = sink_test_new ("rtspserversink");
  sink_test_try_state (test, GST_STATE_READY);
  if (told_once[__i__].removed != NULL)
    feature = gst_registry_lookup_feature (gst_registry_get (),
        told_once[__i__].removed);
  if (feature != NULL)
    gst_registry_remove_feature (gst_registry_get (), feature);
  push_in_vain ("sink", told_once[__i__].caps, 64);
  if (feature != NULL)
    gst_registry_add_feature (gst_registry_get (), g_steal_pointer (&feature));

  message = sink_test_wait_message (test, GST_MESSAGE_ERROR, SINK_TEST_TIMEOUT);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, told_once[__i__].word) != NULL,
      "%s", error->message);
}

END_TEST;

/* --- changes --- */

static const gchar *const sized[] = {
  X264, X265, VP8, "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=10"
};

GST_START_TEST (test_another_size_keeps_the_viewer)
{
  g_autofree gchar *small = g_strdup_printf (SOURCE CLIP_VIDEO (160, 120)
      " ! %s", sized[__i__]);
  g_autofree gchar *large = g_strdup_printf (SOURCE CLIP_VIDEO (320, 240)
      " ! %s", sized[__i__]);
  g_autoptr (EncodedClip) first = encoded_clip_new (small);
  g_autoptr (EncodedClip) second = encoded_clip_new (large);
  g_autoptr (RtspViewer) viewer = NULL;
  Playing playing;

  start ("");
  begin_playing (&playing, first);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 10);
  end_playing (&playing);
  receive_rest (viewer);
  begin_playing (&playing, second);
  receive_more (viewer, 30);
  end_playing (&playing);
  fail_unless (rtsp_viewer_record (viewer)->bye == 0);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
}

END_TEST;

/* A parser that got no key unit has passed nothing on, not even the segment. */
GST_START_TEST (test_raw_video_after_units_that_gave_nothing_plays)
{
  g_autoptr (EncodedClip) encoded = encoded_clip_new (SOURCE
      CLIP_VIDEO (160, 120) " ! " X264);
  g_autoptr (EncodedClip) raw = encoded_clip_new (SOURCE CLIP_VIDEO (160, 120));
  g_autoptr (RtspViewer) viewer = NULL;
  Playing playing;

  start ("");
  fail_if (encoded_clip_is_key (encoded, 1));
  encoded_clip_play (test, "feed", encoded, 1, 3);
  begin_playing (&playing, raw);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 20);
  end_playing (&playing);
}

END_TEST;

/* --- the end of a stream whose viewers had nothing of it --- */

/* Two streams: no viewer of the first can follow to the second. */
typedef struct
{
  EncodedClip *first;
  EncodedClip *second;
} Streams;

static void
start_streams (Streams * streams)
{
  streams->first = encoded_clip_new (SOURCE CLIP_VIDEO (160, 120) " ! " VP8);
  streams->second = encoded_clip_new (SOURCE CLIP_VIDEO (160, 120)
      " ! jpegenc");
  start ("");
  encoded_clip_play (test, "feed", streams->first, 0, 5);
}

static gboolean
is_told_of (const gchar * codec)
{
  g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  g_autofree gchar *name = NULL;

  fail_unless (rtsp_viewer_connect (viewer, NULL));
  fail_unless (rtsp_viewer_describe (viewer, NULL));
  name = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "encoding-name");
  return g_strcmp0 (name, codec) == 0;
}

/* Until viewers get it. */
static void
change_streams (Streams * streams)
{
  Playing playing;

  begin_playing (&playing, streams->second);
  while (!is_told_of ("JPEG"));
  end_playing (&playing);
}

static void
end_streams (Streams * streams)
{
  encoded_clip_free (streams->first);
  encoded_clip_free (streams->second);
}

GST_START_TEST (test_a_stream_that_ends_before_a_frame_says_so)
{
  static const RtspViewerTransport transports[] = { RTSP_VIEWER_TCP,
    RTSP_VIEWER_UDP
  };
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;
  Streams streams;

  start_streams (&streams);
  viewer = sink_test_start_viewer (test, NULL, transports[__i__]);
  change_streams (&streams);
  assert_viewer (rtsp_viewer_wait_closed (viewer, SINK_TEST_TIMEOUT, &error),
      error);
  fail_unless_equals_int (rtsp_record_count (rtsp_viewer_record (viewer)), 0);
  end_streams (&streams);
}

END_TEST;

GST_START_TEST (test_a_stream_that_has_ended_cannot_be_played)
{
  g_autoptr (RtspViewer) viewer = NULL;
  Streams streams;

  start_streams (&streams);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  fail_unless (rtsp_viewer_connect (viewer, NULL));
  fail_unless (rtsp_viewer_describe (viewer, NULL));
  fail_unless (rtsp_viewer_setup (viewer, RTSP_VIEWER_TCP, NULL));
  change_streams (&streams);
  fail_if (rtsp_viewer_play (viewer, NULL));
  fail_unless_equals_int (rtsp_viewer_status (viewer), 503);
  end_streams (&streams);
}

END_TEST;

/* --- seeks --- */

static const GstSeekFlags seeks[] = {
  GST_SEEK_FLAG_KEY_UNIT, GST_SEEK_FLAG_ACCURATE
};

/* With a key unit every four seconds, and B frames. */
static gchar *
make_file (void)
{
  gchar *name = g_build_filename (g_get_tmp_dir (), "rtspsink-XXXXXX", NULL);
  g_autofree gchar *line = NULL;
  GstElement *pipeline;
  GstBus *bus;

  close (g_mkstemp (name));
  line = g_strdup_printf ("videotestsrc num-buffers=250 pattern=ball ! "
      CLIP_VIDEO (160, 120) " ! x264enc key-int-max=100 bframes=2 "
      "speed-preset=ultrafast ! mp4mux ! filesink location=%s", name);
  pipeline = gst_parse_launch (line, NULL);
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
          GST_MESSAGE_EOS));
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return name;
}

static gboolean
has_key_unit (RtspViewer * viewer, gpointer user_data)
{
  RtspRecord *record = rtsp_viewer_record (viewer);

  for (guint i = 0; i < rtsp_record_count (record); i++) {
    if (rtsp_record_unit (record, i)->key)
      return TRUE;
  }
  return FALSE;
}

/* To between two key units, the next of which is two seconds away. */
GST_START_TEST (test_a_seek_goes_on_at_once_with_a_key_unit)
{
  g_autofree gchar *file = make_file ();
  g_autofree gchar *launch = g_strdup_printf ("filesrc location=%s ! qtdemux "
      "! rtspserversink", file);
  g_autoptr (RtspViewer) viewer = NULL;
  GError *error = NULL;

  test = sink_test_new (launch);
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  receive_more (viewer, 20);
  rtsp_record_clear (rtsp_viewer_record (viewer));
  fail_unless (gst_element_seek (sink_test_pipeline (test), 1.0,
          GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | seeks[__i__],
          GST_SEEK_TYPE_SET, 6 * GST_SECOND, GST_SEEK_TYPE_NONE, 0));
  assert_viewer (rtsp_viewer_receive_until (viewer, has_key_unit, NULL,
          sink_test_time_factor () * G_USEC_PER_SEC, "a key unit", &error),
      error);
  receive_more (viewer, 20);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
  g_unlink (file);
}

END_TEST;

/* --- hooks --- */

static void
set_bit_rate (GstElement * sink, GstElement * encoder, gpointer user_data)
{
  g_object_set (sink, "bitrate", 654000, NULL);
  *(GstElement **) user_data = gst_object_ref (encoder);
}

GST_START_TEST (test_bit_rate_set_in_encoder_setup_holds)
{
  g_autoptr (GstElement) encoder = NULL;
  guint bitrate;

  test = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
      " ! rtspserversink encoder=x264enc");
  g_signal_connect (sink_test_element (test, NULL), "encoder-setup",
      G_CALLBACK (set_bit_rate), &encoder);
  sink_test_play (test);
  fail_unless (encoder != NULL);
  g_object_get (encoder, "bitrate", &bitrate, NULL);
  fail_unless_equals_int (bitrate, 654);
}

END_TEST;

static Suite *
encodedfaults_suite (void)
{
  Suite *suite = suite_create ("encodedfaults");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_a_damaged_piece_costs_that_piece, 0,
      G_N_ELEMENTS (damages));
  tcase_add_loop_test (tests,
      test_damage_before_the_first_picture_costs_that_piece, 0,
      G_N_ELEMENTS (early_damages));
  tcase_add_test (tests, test_pictures_without_an_end_marker_are_served);
  tcase_add_test (tests, test_a_segment_within_the_first_unit_costs_that_unit);
  tcase_add_loop_test (tests, test_units_without_parameter_sets_do_not_hang, 0,
      G_N_ELEMENTS (mislabelled));
  tcase_add_loop_test (tests,
      test_caps_without_codec_data_are_an_error_that_says_so, 0,
      G_N_ELEMENTS (refused));
  tcase_add_loop_test (tests, test_a_refusal_is_told_once, 0,
      G_N_ELEMENTS (told_once));
  tcase_add_loop_test (tests, test_another_size_keeps_the_viewer, 0,
      G_N_ELEMENTS (sized));
  tcase_add_test (tests, test_raw_video_after_units_that_gave_nothing_plays);
  tcase_add_loop_test (tests, test_a_stream_that_ends_before_a_frame_says_so, 0,
      2);
  tcase_add_test (tests, test_a_stream_that_has_ended_cannot_be_played);
  tcase_add_loop_test (tests, test_a_seek_goes_on_at_once_with_a_key_unit, 0,
      G_N_ELEMENTS (seeks));
  tcase_add_test (tests, test_bit_rate_set_in_encoder_setup_holds);
  return suite;
}

CHECK_SUITE (encodedfaults);
