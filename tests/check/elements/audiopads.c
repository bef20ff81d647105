/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Audio pads are requested and released, in any state. */

#include "sinktest.h"

#define SINK "rtspserversink name=s "
#define VIDEO "videotestsrc is-live=true name=v ! " SMALL_VIDEO " "
#define SOUND "audiotestsrc is-live=true samplesperbuffer=480 name=a "

static SinkTest *test;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

static GstElement *
sink (void)
{
  return sink_test_element (test, "s");
}

static GstBin *
parent (void)
{
  return GST_BIN (GST_ELEMENT_PARENT (sink ()));
}

static GstPad *
request (const gchar * name)
{
  return gst_element_request_pad_simple (sink (), name);
}

/* Links a new source to a new pad, while the pipeline does what it does. */
static GstPad *
plug_sound (void)
{
  GstElement *source = gst_element_factory_make ("audiotestsrc", "later");
  GstPad *pad = request ("audio_%u"), *src;

  g_object_set (source, "is-live", TRUE, "samplesperbuffer", 480, NULL);
  /* The pipeline may just be on its way to PLAYING, and take it along unlinked. */
  gst_element_set_locked_state (source, TRUE);
  gst_bin_add (parent (), source);
  src = gst_element_get_static_pad (source, "src");
  fail_unless_equals_int (gst_pad_link (src, pad), GST_PAD_LINK_OK);
  gst_object_unref (src);
  gst_element_set_locked_state (source, FALSE);
  gst_element_sync_state_with_parent (source);
  return pad;
}

static void
unplug_sound (GstPad * pad)
{
  GstElement *source = gst_bin_get_by_name (parent (),
      "later");

  /* The pipeline may just be on its way to PLAYING, and take it along. */
  gst_element_set_locked_state (source, TRUE);
  gst_element_set_state (source, GST_STATE_NULL);
  gst_bin_remove (parent (), source);
  gst_object_unref (source);
  gst_element_release_request_pad (sink (), pad);
  gst_object_unref (pad);
}

GST_START_TEST (test_audiopads_have_names_of_their_own)
{
  GstPad *one, *named, *next;

  test = sink_test_new (VIDEO "! " SINK);
  one = request ("audio_%u");
  fail_unless_equals_string (GST_OBJECT_NAME (one), "audio_0");
  named = request ("audio_1");
  fail_unless_equals_string (GST_OBJECT_NAME (named), "audio_1");
  next = request ("audio_%u");
  fail_unless_equals_string (GST_OBJECT_NAME (next), "audio_2");

  gst_element_release_request_pad (sink (), one);
  gst_object_unref (one);
  one = request ("audio_0");
  fail_unless_equals_string (GST_OBJECT_NAME (one), "audio_0");
  gst_object_unref (one);
  gst_object_unref (named);
  gst_object_unref (next);
}

END_TEST;

static gint n_waiting;          /* atomic: threads that are about to ask */

/* GStreamer itself would complain of a name that is taken. */
static gpointer
ask_for_the_same (gpointer element)
{
  GstElementClass *klass = GST_ELEMENT_GET_CLASS (element);

  g_atomic_int_inc (&n_waiting);
  while (g_atomic_int_get (&n_waiting) < 2);
  return klass->request_new_pad (element,
      gst_element_class_get_pad_template (klass, "audio_%u"), "audio_7", NULL);
}

GST_START_TEST (test_audiopads_of_one_name_are_given_to_one_of_two_threads)
{
  test = sink_test_new (VIDEO "! " SINK);
  for (guint i = 0; i < 20; i++) {
    GThread *threads[2];
    GstPad *pads[2];

    g_atomic_int_set (&n_waiting, 0);
    for (guint k = 0; k < 2; k++)
      threads[k] = g_thread_new ("ask", ask_for_the_same, sink ());
    for (guint k = 0; k < 2; k++)
      pads[k] = g_thread_join (threads[k]);
    fail_unless ((pads[0] == NULL) != (pads[1] == NULL));
    gst_element_release_request_pad (sink (), pads[0] ? pads[0] : pads[1]);
  }
}

END_TEST;

GST_START_TEST (test_audiopads_come_and_go_in_each_state)
{
  static const GstState states[] = { GST_STATE_NULL, GST_STATE_READY,
    GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY,
    GST_STATE_NULL
  };

  test = sink_test_new (VIDEO "! " SINK);
  for (gsize i = 0; i < G_N_ELEMENTS (states); i++) {
    sink_test_try_state (test, states[i]);
    for (guint k = 0; k < 3; k++)
      unplug_sound (plug_sound ());
  }
}

END_TEST;

static RtspViewer *
start_viewer (RtspViewerStreams streams)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, "s"));
  GError *error = NULL;

  rtsp_viewer_set_streams (viewer, streams);
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  assert_viewer (rtsp_viewer_receive_streams (viewer, 10, 10,
          SINK_TEST_TIMEOUT, &error), error);
  return viewer;
}

/* The source is not active yet, so that its flush never stops. */
GST_START_TEST (test_audiopads_flushed_in_null_are_served)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstPad) src = NULL;
  GstPad *pad;

  test = sink_test_new (VIDEO "! " SINK);
  pad = plug_sound ();
  src = gst_pad_get_peer (pad);
  gst_pad_push_event (src, gst_event_new_flush_start ());
  gst_pad_push_event (src, gst_event_new_flush_stop (TRUE));
  sink_test_play (test);
  viewer = start_viewer (RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO);
  unplug_sound (pad);
}

END_TEST;

/* Also one that shares a media which is there. */
GST_START_TEST (test_audiopads_requested_while_playing_are_served)
{
  g_autoptr (RtspViewer) before = NULL;
  g_autoptr (RtspViewer) viewer = NULL;
  GstPad *pad;

  test = sink_test_new (VIDEO "! " SINK "shared=true");
  sink_test_play (test);
  before = start_viewer (RTSP_VIEWER_VIDEO);
  pad = plug_sound ();
  viewer = start_viewer (RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO);
  fail_unless_equals_int (rtsp_viewer_audio_record (viewer)->n_gaps, 0);
  rtsp_viewer_close (viewer);
  unplug_sound (pad);
}

END_TEST;

GST_START_TEST (test_audiopads_can_be_several)
{
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (VIDEO "! " SINK SOUND "! s.audio_0 "
      "audiotestsrc is-live=true ! s.audio_1");
  sink_test_play (test);
  viewer = start_viewer (RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO);
  fail_unless_equals_int (gst_sdp_message_medias_len (rtsp_viewer_sdp
          (viewer)), 3);
}

END_TEST;

/* What ended is what was linked. */
GST_START_TEST (test_audiopads_released_do_not_hold_up_the_end)
{
  GstPad *pad;

  test = sink_test_new ("videotestsrc is-live=true num-buffers=25 ! "
      SMALL_VIDEO " ! " SINK);
  pad = request ("audio_%u");
  sink_test_play (test);
  gst_element_release_request_pad (sink (), pad);
  gst_object_unref (pad);
  gst_message_unref (sink_test_wait_message (test, GST_MESSAGE_EOS,
          SINK_TEST_TIMEOUT));
}

END_TEST;

/* The pipeline waits for a first frame when it turns out that none comes. */
GST_START_TEST (test_audiopads_alone_end_the_wait_for_video)
{
  GstElement *source = gst_element_factory_make ("audiotestsrc", NULL);
  GstPad *pad;

  test = sink_test_new (SINK);
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_PAUSED),
      GST_STATE_CHANGE_ASYNC);
  pad = request ("audio_%u");
  gst_bin_add (parent (), source);
  fail_unless (gst_element_link_pads (source, "src", sink (),
          GST_PAD_NAME (pad)));
  gst_object_unref (pad);
  sink_test_play (test);
}

END_TEST;

/* The pipeline waits for no picture behind the flush any more. */
GST_START_TEST (test_audiopads_alone_after_a_flush_of_the_video)
{
  g_autoptr (GstPad) video = NULL;
  g_autoptr (GstPad) src = NULL;
  GstPad *pad;
  GstState state;

  test = sink_test_new (VIDEO "! " SINK);
  sink_test_play (test);
  video = gst_element_get_static_pad (sink (), "sink");
  src = gst_pad_get_peer (video);
  fail_unless (gst_pad_send_event (video, gst_event_new_flush_start ()));
  gst_element_set_locked_state (sink_test_element (test, "v"), TRUE);
  gst_element_set_state (sink_test_element (test, "v"), GST_STATE_NULL);
  fail_unless (gst_pad_unlink (src, video));
  fail_unless (gst_pad_send_event (video, gst_event_new_flush_stop (TRUE)));

  pad = plug_sound ();
  fail_unless_equals_int (gst_element_get_state (sink_test_pipeline (test),
          &state, NULL, SINK_TEST_TIMEOUT * GST_USECOND),
      GST_STATE_CHANGE_SUCCESS);
  fail_unless_equals_int (state, GST_STATE_PLAYING);
  unplug_sound (pad);
}

END_TEST;

static GstPadProbeReturn
hold (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  return GST_PAD_PROBE_OK;
}

static gboolean
is_held (gpointer pad)
{
  return gst_pad_is_blocking (pad);
}

/* The queue behind @pad, a pad of the element. */
static GstElement *
get_queue (GstPad * pad)
{
  g_autoptr (GstPad) of_bin = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  g_autoptr (GstPad) of_queue =
      gst_ghost_pad_get_target (GST_GHOST_PAD (of_bin));

  return gst_pad_get_parent_element (of_queue);
}

static GstEvent *
later_segment (GstClockTime base)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = base;
  return gst_event_new_segment (&segment);
}

/* GstQueue did not apply a segment behind a flush that took the one before away:
 * it took itself for full while it was empty, and ended the process. */
GST_START_TEST (test_audiopads_segment_that_a_flush_takes_away_is_forgotten)
{
  g_autoptr (GstPad) out = NULL;
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstElement) queue = NULL;
  g_autoptr (GstCaps) caps =
      gst_caps_from_string ("audio/x-mulaw, rate = 8000, channels = 1");
  gulong probe;

  test = sink_test_new (VIDEO "! " SINK);
  pad = request ("audio_0");
  queue = get_queue (pad);
  sink_test_play (test);
  gst_util_set_object_arg (G_OBJECT (queue), "leaky", "downstream");
  out = gst_element_get_static_pad (queue, "src");

  probe = gst_pad_add_probe (out, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM, hold,
      NULL, NULL);
  gst_pad_send_event (pad, gst_event_new_stream_start ("a"));
  sink_test_wait_until (is_held, out, SINK_TEST_TIMEOUT,
      "the queue's pad is held");
  gst_pad_send_event (pad, later_segment (0));
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  gst_pad_send_event (pad, gst_event_new_flush_stop (TRUE));

  gst_pad_send_event (pad, gst_event_new_stream_start ("b"));
  sink_test_wait_until (is_held, out, SINK_TEST_TIMEOUT,
      "the queue's pad is held");
  gst_pad_send_event (pad,
      gst_event_new_caps (gst_caps_from_string
          ("audio/x-mulaw, rate = 8000, channels = 1")));
  gst_pad_send_event (pad, later_segment (100 * GST_SECOND));
  gst_pad_remove_probe (out, probe);
  fail_unless_equals_int (gst_pad_chain (pad, gst_buffer_new_allocate (NULL,
              160, NULL)), GST_FLOW_OK);
}

END_TEST;

/* Audio alone, until somebody plugs a camera in. */
GST_START_TEST (test_audiopads_alone_and_then_video)
{
  g_autoptr (RtspViewer) hears = NULL;
  g_autoptr (RtspViewer) has_both = NULL;
  GstElement *source, *filter;

  test = sink_test_new (SOUND "! " SINK);
  sink_test_play (test);
  hears = start_viewer (RTSP_VIEWER_AUDIO);

  source = gst_element_factory_make ("videotestsrc", NULL);
  filter = gst_element_factory_make ("capsfilter", NULL);
  g_object_set (source, "is-live", TRUE, NULL);
  gst_util_set_object_arg (G_OBJECT (filter), "caps", SMALL_VIDEO);
  gst_bin_add_many (parent (), source, filter, NULL);
  fail_unless (gst_element_link_pads (filter, "src", sink (), "sink"));
  fail_unless (gst_element_link (source, filter));
  gst_element_sync_state_with_parent (filter);
  gst_element_sync_state_with_parent (source);

  has_both = start_viewer (RTSP_VIEWER_VIDEO | RTSP_VIEWER_AUDIO);
  fail_unless (rtsp_unit_is_clean_start (rtsp_record_unit (rtsp_viewer_record
              (has_both), 0)));
  fail_unless_equals_int (rtsp_viewer_audio_record (hears)->bye, 0);
}

END_TEST;

static gint plugging;           /* atomic */

static gpointer
plug_and_unplug_video (gpointer source)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (source, "src");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink (), "sink");

  while (g_atomic_int_get (&plugging)) {
    gst_pad_link (src, pad);
    gst_pad_unlink (src, pad);
  }
  return NULL;
}

#define ROUNDS 30

/* A demuxer's thread links its video while the application stops. */
GST_START_TEST (test_audiopads_video_is_linked_while_the_element_stops)
{
  g_autoptr (GstElement) source =
      gst_object_ref_sink (gst_element_factory_make ("identity", NULL));
  GThread *thread;

  test = sink_test_new (SOUND "! " SINK);
  g_atomic_int_set (&plugging, TRUE);
  thread = g_thread_new ("plug", plug_and_unplug_video, source);
  for (guint i = 0; i < ROUNDS; i++) {
    sink_test_try_state (test, GST_STATE_PAUSED);
    sink_test_try_state (test, GST_STATE_NULL);
  }
  g_atomic_int_set (&plugging, FALSE);
  g_thread_join (thread);
}

END_TEST;

static GList *removed;          /* of GstPluginFeature */

static void
put_back (gpointer feature, gpointer user_data)
{
  gst_registry_add_feature (gst_registry_get (), feature);
}

static void
put_all_back (void)
{
  g_list_foreach (removed, put_back, NULL);
  g_list_free_full (g_steal_pointer (&removed), gst_object_unref);
}

/* Takes elements out of the registry that are there. */
static void
remove_elements (const gchar * const *names)
{
  for (; *names != NULL; names++) {
    GstPluginFeature *feature = gst_registry_lookup_feature (gst_registry_get
        (), *names);

    if (feature == NULL)
      continue;
    gst_registry_remove_feature (gst_registry_get (), feature);
    removed = g_list_prepend (removed, feature);
  }
}

static const struct
{
  const gchar *codec;
  const gchar *elements[5];
  const gchar *words[3];
} lacking[] = {
  {"pcmu", {"mulawenc"}, {"mulawenc", "install"}},
  {"opus", {"opusenc"}, {"opusenc", "install"}},
  {"aac", {"fdkaacenc", "avenc_aac", "voaacenc", "faac"}, {"aac", "install"}},
};

GST_START_TEST (test_audiopads_without_their_encoder_fail_at_the_start)
{
  g_autofree gchar *line = g_strdup_printf (SOUND "! " SINK "audio-codec=%s",
      lacking[__i__].codec);

  test = sink_test_new (line);
  remove_elements (lacking[__i__].elements);
  fail_unless_equals_int (sink_test_try_state (test, GST_STATE_READY),
      GST_STATE_CHANGE_FAILURE);
  sink_test_expect_error (test, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
      lacking[__i__].words, SINK_TEST_TIMEOUT);
  put_all_back ();
}

END_TEST;

/* Debian's libav left out, say. */
GST_START_TEST (test_audiopads_take_another_encoder_of_the_codec)
{
  g_autoptr (RtspViewer) viewer = NULL;

  if (gst_registry_check_feature_version (gst_registry_get (), "voaacenc", 1,
          0, 0)) {
    test = sink_test_new (SOUND "! " SINK "audio-codec=aac");
    remove_elements ((const gchar *[]) { "fdkaacenc", "avenc_aac", NULL });
    sink_test_play (test);
    viewer = start_viewer (RTSP_VIEWER_AUDIO);
  }
  put_all_back ();
}

END_TEST;

static Suite *
audiopads_suite (void)
{
  Suite *suite = suite_create ("audiopads");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, NULL, teardown);
  tcase_add_test (chain, test_audiopads_have_names_of_their_own);
  tcase_add_test (chain,
      test_audiopads_of_one_name_are_given_to_one_of_two_threads);
  tcase_add_test (chain, test_audiopads_come_and_go_in_each_state);
  tcase_add_test (chain, test_audiopads_flushed_in_null_are_served);
  tcase_add_test (chain, test_audiopads_requested_while_playing_are_served);
  tcase_add_test (chain, test_audiopads_can_be_several);
  tcase_add_test (chain, test_audiopads_released_do_not_hold_up_the_end);
  tcase_add_test (chain, test_audiopads_alone_end_the_wait_for_video);
  tcase_add_test (chain, test_audiopads_alone_after_a_flush_of_the_video);
  tcase_add_test (chain,
      test_audiopads_segment_that_a_flush_takes_away_is_forgotten);
  tcase_add_test (chain, test_audiopads_alone_and_then_video);
  tcase_add_test (chain,
      test_audiopads_video_is_linked_while_the_element_stops);
  tcase_add_loop_test (chain,
      test_audiopads_without_their_encoder_fail_at_the_start, 0,
      G_N_ELEMENTS (lacking));
  tcase_add_test (chain, test_audiopads_take_another_encoder_of_the_codec);

  return suite;
}

CHECK_SUITE (audiopads);
