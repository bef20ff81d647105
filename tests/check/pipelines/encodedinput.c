/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Video that comes in encoded: it is sent as it is. */

#include "sinktest.h"

#include <gst/video/video.h>

#define SOURCE "videotestsrc is-live=true pattern=ball ! video/x-raw," \
    "format=I420,width=160,height=120,framerate=25/1 ! "
#define X264 "x264enc name=encoder tune=zerolatency speed-preset=ultrafast "
#define X265 "x265enc name=encoder tune=zerolatency speed-preset=ultrafast "
#define RARELY "key-int-max=100000 "
/* Left free it would make no B frames. */
#define HIGH "! video/x-h264,profile=high"

#define CLOCK_RATE 90000
#define FRAME_TICKS (CLOCK_RATE / 25)

static SinkTest *test;
static gint n_requests;         /* atomic: key units asked of the encoder */
static gboolean deaf;           /* the encoder does not get them */

static void
setup (void)
{
  n_requests = 0;
  deaf = FALSE;
}

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
}

/* Any thread. */
static GstPadProbeReturn
watch_requests (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  if (!gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info)))
    return GST_PAD_PROBE_OK;
  g_atomic_int_inc (&n_requests);
  return deaf ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
watch (GstElement * element)
{
  GstPad *pad = gst_element_get_static_pad (element, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, watch_requests,
      NULL, NULL);
  gst_object_unref (pad);
}

static void
start (const gchar * encoder, const gchar * properties)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE "%s ! rtspserversink %s",
      encoder, properties);
  GstElement *element;

  test = sink_test_new (launch);
  element = gst_bin_get_by_name (GST_BIN (sink_test_pipeline (test)),
      "encoder");
  if (element != NULL)
    watch (element);
  gst_clear_object (&element);
  sink_test_play (test);
}

static RtspUnit *
unit (RtspViewer * viewer, guint i)
{
  return rtsp_record_unit (rtsp_viewer_record (viewer), i);
}

static void
check_unbroken (RtspViewer * viewer)
{
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (viewer)));
}

/* The grey of the first pictures. */
static void
decode_levels (RtspViewer * viewer, guint * levels, guint n)
{
  PictureDecoder *decoder =
      picture_decoder_new (rtsp_viewer_sdp (viewer), "RGB");

  for (guint i = 0; i < n; i++) {
    GstSample *sample = picture_decoder_decode (decoder, unit (viewer, i),
        SINK_TEST_TIMEOUT);

    fail_unless (sample != NULL);
    levels[i] = picture_grey (sample);
    gst_sample_unref (sample);
  }
  picture_decoder_free (decoder);
}

/* --- every form --- */

static const gchar *const h264_forms[] = {
  X264 RARELY,
  X264 RARELY "! video/x-h264,stream-format=byte-stream",
  X264 RARELY "! video/x-h264,stream-format=byte-stream ! h264parse "
      "! video/x-h264,stream-format=byte-stream,alignment=nal",
  X264 RARELY "! h264parse ! video/x-h264,stream-format=avc,alignment=au",
  /* parameter sets out of band, in the caps alone */
  X264 RARELY "! h264parse ! video/x-h264,stream-format=avc3,alignment=au",
};

GST_START_TEST (test_every_form_of_h264_begins_with_a_key_unit)
{
  g_autoptr (RtspViewer) first = NULL;
  g_autoptr (RtspViewer) late = NULL;

  start (h264_forms[__i__], "");
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_UDP);
  sink_test_receive (first, 10);
  late = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (late, 10);
  sink_test_receive (first, 20);
  fail_unless (rtsp_unit_is_clean_start (unit (first, 0)));
  fail_unless (rtsp_unit_is_clean_start (unit (late, 0)));
  check_unbroken (first);
  check_unbroken (late);
}

END_TEST;

static const struct
{
  const gchar *encoder;
  const gchar *name;            /* in the SDP */
} codecs[] = {
  {X264 "key-int-max=25", "H264"},
  {X265 "key-int-max=25", "H265"},
  {X265 "key-int-max=25 ! h265parse ! video/x-h265,stream-format=hev1",
      "H265"},
  {X265 "key-int-max=25 ! h265parse ! video/x-h265,stream-format=byte-stream,"
        "alignment=nal", "H265"},
  {"vp8enc name=encoder deadline=1 keyframe-max-dist=25", "VP8"},
  {"vp9enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=25", "VP9"},
  {"jpegenc name=encoder", "JPEG"},
};

GST_START_TEST (test_every_codec_is_sent_as_it_is)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *sdp = NULL;

  start (codecs[__i__].encoder, "");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sdp = gst_sdp_message_as_text (rtsp_viewer_sdp (viewer));
  fail_unless (strstr (sdp, codecs[__i__].name) != NULL, "%s", sdp);
  sink_test_receive (viewer, 30);
  check_unbroken (viewer);
}

END_TEST;

/* --- key units --- */

GST_START_TEST (test_a_viewer_makes_the_users_encoder_give_a_key_unit)
{
  g_autoptr (RtspViewer) first = NULL;
  g_autoptr (RtspViewer) second = NULL;

  start (X264 RARELY, "");
  first = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (first, 5);
  n_requests = 0;
  second = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (second, 5);
  fail_unless (g_atomic_int_get (&n_requests) > 0);
  fail_unless (rtsp_unit_is_clean_start (unit (second, 0)));
}

END_TEST;

static void
open_valve (void)
{
  g_object_set (sink_test_element (test, "valve"), "drop", FALSE, NULL);
}

/* Until the encoder has made its only key unit, which does not come. */
static void
start_behind (const gchar * encoder)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE "%s ! identity name=feed "
      "! valve name=valve drop=true ! rtspserversink", encoder);
  BufferCounter *encoded;

  test = sink_test_new (launch);
  encoded = buffer_counter_new (test, "feed", "src");
  watch (sink_test_element (test, "feed"));
  sink_test_try_state (test, GST_STATE_PLAYING);
  buffer_counter_wait (encoded, 3, SINK_TEST_TIMEOUT);
  buffer_counter_free (encoded);
}

static const gchar *const running[] = {
  X264 RARELY,
  X264 RARELY "! video/x-h264,stream-format=byte-stream",
  "vp8enc name=encoder deadline=1 keyframe-max-dist=100000",
};

/* As a branch that is added to a tee. */
GST_START_TEST (test_encoder_that_runs_already_is_asked_for_a_key_unit)
{
  g_autoptr (RtspViewer) viewer = NULL;

  start_behind (running[__i__]);
  open_valve ();
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 5);
  fail_unless (g_atomic_int_get (&n_requests) > 0);
  check_unbroken (viewer);
}

END_TEST;

static gboolean
was_asked (gpointer user_data)
{
  return g_atomic_int_get (&n_requests) >= GPOINTER_TO_INT (user_data);
}

static gint64
wait_for_request (gint n)
{
  sink_test_wait_until (was_asked, GINT_TO_POINTER (n), SINK_TEST_TIMEOUT,
      "a request for a key unit");
  return g_get_monotonic_time ();
}

GST_START_TEST (test_encoder_is_asked_again_but_once_a_second)
{
  gint64 first;

  deaf = TRUE;
  start_behind (running[1]);
  open_valve ();
  first = wait_for_request (1);
  /* Both are seen a little later than they are made. */
  fail_unless (wait_for_request (2) - first > G_TIME_SPAN_SECOND / 2);
}

END_TEST;

/* How much has come is told by its time stamps, not by the clock. */
GST_START_TEST (test_key_unit_that_never_comes_is_said)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  GError *failure = NULL;

  deaf = TRUE;
  test = sink_test_new ("codesrc ! video/x-raw,format=I420,width=64,height=48,"
      "framerate=25/1 ! " X264 RARELY "! identity name=feed sleep-time=2000 "
      "! rtspserversink sync=false timestamp-mode=pts");
  watch (sink_test_element (test, "feed"));
  sink_test_play (test);
  viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &failure),
      failure);
  message = sink_test_wait_message (test, GST_MESSAGE_WARNING,
      SINK_TEST_TIMEOUT);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "No key unit") != NULL, "%s",
      error->message);
}

END_TEST;

GST_START_TEST (test_encoder_that_does_not_listen_is_waited_for)
{
  g_autoptr (RtspViewer) viewer = NULL;

  deaf = TRUE;
  start (X264 "key-int-max=25", "");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 60);
  fail_unless (rtsp_unit_is_clean_start (unit (viewer, 0)));
  check_unbroken (viewer);
}

END_TEST;

/* The interval is that encoder's own. */
GST_START_TEST (test_interval_is_left_to_the_users_encoder)
{
  g_autoptr (RtspViewer) viewer = NULL;
  gint before;

  start (X264 RARELY, "key-unit-interval=40");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 5);
  before = g_atomic_int_get (&n_requests);
  sink_test_receive (viewer, 30);
  fail_unless_equals_int (g_atomic_int_get (&n_requests), before);
}

END_TEST;

/* --- decoded, and encoded again --- */

static const gchar *const decoded[] = {
  X264 RARELY, "vp8enc name=encoder deadline=1 keyframe-max-dist=100000",
};

/* What nobody watched did not reach the decoder: it begins with a key unit,
 * which the user's encoder is asked for. */
GST_START_TEST (test_decoder_gets_a_key_unit_when_a_viewer_comes)
{
  g_autofree gchar *encoder = g_strdup_printf ("codesrc is-live=true "
      "! video/x-raw,format=I420,width=64,height=48,framerate=25/1 ! %s",
      decoded[__i__]);
  g_autofree gchar *launch = g_strdup_printf ("%s ! identity name=feed "
      "! rtspserversink codec=raw", encoder);
  BufferCounter *fed;

  test = sink_test_new (launch);
  fed = buffer_counter_new (test, "feed", "src");
  sink_test_play (test);
  for (guint n = 0; n < 2; n++) {
    g_autoptr (RtspViewer) viewer = rtsp_viewer_new (sink_test_uri (test,
            NULL));
    RtspRecord *record = rtsp_viewer_record (viewer);
    guint levels[5];
    GError *error = NULL;

    /* frames that go nowhere */
    sink_test_wait_num_viewers (test, NULL, 0, SINK_TEST_TIMEOUT);
    buffer_counter_wait (fed, buffer_counter_count (fed) + 10,
        SINK_TEST_TIMEOUT);
    record->keep_packets = TRUE;
    assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
    sink_test_receive (viewer, G_N_ELEMENTS (levels));
    check_unbroken (viewer);
    decode_levels (viewer, levels, G_N_ELEMENTS (levels));
    for (guint i = 1; i < G_N_ELEMENTS (levels); i++)
      fail_unless_equals_int (code_src_nearest (levels[i]),
          (code_src_nearest (levels[i - 1]) + 1) % CODE_SRC_CODES);
  }
  buffer_counter_free (fed);
}

END_TEST;

/* Decoders in hardware give frames from a thread of their own. */
typedef GstBin ThreadedDecoder;
typedef GstBinClass ThreadedDecoderClass;
static GType threaded_decoder_get_type (void);
G_DEFINE_TYPE (ThreadedDecoder, threaded_decoder, GST_TYPE_BIN);

static GstStaticPadTemplate jpeg_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("image/jpeg"));
static GstStaticPadTemplate raw_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw"));
static gint n_threaded;         /* atomic: decoders made */

static void
threaded_decoder_class_init (ThreadedDecoderClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element_class, &jpeg_template);
  gst_element_class_add_static_pad_template (element_class, &raw_template);
  gst_element_class_set_static_metadata (element_class, "Decoder",
      "Codec/Decoder/Image", "Has a thread of its own", "Tests");
}

static void
add_ghost_pad (GstElement * bin, GstElement * element, const gchar * name)
{
  g_autoptr (GstPad) target = gst_element_get_static_pad (element, name);

  gst_element_add_pad (bin, gst_ghost_pad_new (name, target));
}

static void
threaded_decoder_init (ThreadedDecoder * self)
{
  GstElement *decoder = gst_element_factory_make ("jpegdec", NULL);
  GstElement *queue = gst_element_factory_make ("queue", NULL);

  g_atomic_int_inc (&n_threaded);
  gst_bin_add_many (self, decoder, queue, NULL);
  gst_element_link (decoder, queue);
  add_ghost_pad (GST_ELEMENT (self), decoder, "sink");
  add_ghost_pad (GST_ELEMENT (self), queue, "src");
}

#define JPEG "videotestsrc num-buffers=6 ! video/x-raw,format=I420,width=64," \
    "height=48,framerate=50/1 ! jpegenc ! join. "

/* Streams follow each other: each begins while frames of the one before are still
 * in the decoder. */
GST_START_TEST (test_decoder_with_its_own_thread_serves_stream_after_stream)
{
  g_autoptr (RtspViewer) viewer = NULL;
  gint made = g_atomic_int_get (&n_threaded);

  gst_element_register (NULL, "threadeddecoder", GST_RANK_PRIMARY + 100,
      threaded_decoder_get_type ());
  test = sink_test_new ("concat name=join ! rtspserversink codec=h264 " JPEG
      JPEG JPEG "videotestsrc ! video/x-raw,format=I420,width=64,height=48,"
      "framerate=50/1 ! jpegenc ! join. ");
  sink_test_play (test);
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, 30);
  check_unbroken (viewer);
  fail_unless (g_atomic_int_get (&n_threaded) > made);
}

END_TEST;

/* --- times --- */

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  return *(const gint *) a - *(const gint *) b;
}

/* Frames come in the order of decoding, each with the time at which it is
 * shown: in that order there is one for each frame time. */
GST_START_TEST (test_b_frames_keep_the_time_at_which_they_are_shown)
{
  g_autoptr (RtspViewer) viewer = NULL;
  gint times[30], n_back = 0;
  guint i;

  start ("x264enc name=encoder bframes=2 b-adapt=false key-int-max=30 "
      "rc-lookahead=0 sync-lookahead=0 speed-preset=ultrafast " HIGH, "");
  viewer = sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
  sink_test_receive (viewer, G_N_ELEMENTS (times) + 5);
  fail_unless (unit (viewer, 0)->key);
  for (i = 0; i < G_N_ELEMENTS (times); i++) {
    times[i] = unit (viewer, i)->rtp_time - unit (viewer, 0)->rtp_time;
    n_back += i > 0 && times[i] < times[i - 1];
  }
  fail_unless (n_back >= 5, "%d", n_back);
  qsort (times, G_N_ELEMENTS (times), sizeof (gint), compare_times);
  /* At the end some are still to come. */
  for (i = 1; i < G_N_ELEMENTS (times) - 4; i++)
    fail_unless (ABS (times[i] - times[i - 1] - FRAME_TICKS)
        < FRAME_TICKS / 4, "%d after %d", times[i], times[i - 1]);
}

END_TEST;

/* Encoders that look ahead, and reorder frames: what comes is more than a second
 * old, and what is shown first is not what comes first. */
static const struct
{
  const gchar *encoder;
  const gchar *settings;
} late[] = {
  {"x264enc key-int-max=10 bframes=2 b-adapt=false " HIGH, ""},
  {"x264enc key-int-max=10 bframes=3 b-pyramid=true option-string=open-gop=1 "
        HIGH, ""},
  {"x264enc key-int-max=10 bframes=3 b-pyramid=true option-string=open-gop=1 "
        HIGH, "gop-cache=true"},
};

/* FFmpeg takes a packet of before for one that is 26 hours later. */
GST_START_TEST (test_no_frame_of_a_late_encoder_is_before_rtp_info)
{
  start (late[__i__].encoder, late[__i__].settings);
  for (guint n = 0; n < 3; n++) {
    g_autoptr (RtspViewer) viewer =
        sink_test_start_viewer (test, NULL, RTSP_VIEWER_TCP);
    RtspRtpInfo info;

    fail_unless (rtsp_viewer_rtp_info (viewer, &info));
    sink_test_receive (viewer, 10 + n);
    fail_unless_equals_int (unit (viewer, 0)->first_seq, info.seq);
    for (guint i = 0; i < 10; i++) {
      gint32 ticks = unit (viewer, i)->rtp_time - info.rtptime;

      fail_unless (ticks >= 0, "unit %u: %d ticks", i, ticks);
    }
  }
}

END_TEST;

/* --- nobody watches --- */

GST_START_TEST (test_nobody_watches_and_nothing_is_sent)
{
  BufferCounter *fed, *passed;
  guint before;

  test = sink_test_new (SOURCE X264 RARELY "! identity name=feed "
      "! rtspserversink");
  fed = buffer_counter_new (test, "feed", "src");
  passed = buffer_counter_new (test, "output", "sink");
  sink_test_play (test);
  buffer_counter_wait (fed, 10, SINK_TEST_TIMEOUT);
  before = buffer_counter_count (passed);
  buffer_counter_wait (fed, 40, SINK_TEST_TIMEOUT);
  fail_unless_equals_int (buffer_counter_count (passed), before);
  buffer_counter_free (passed);
  buffer_counter_free (fed);
}

END_TEST;

/* --- described as soon as it starts; reported: empty sprop-parameter-sets --- */

#define N_STARTS 4

static const gchar *const described[] = {
  X264 "! video/x-h264,stream-format=byte-stream",
  X264 "! video/x-h264,stream-format=avc",
  X264 "! h264parse ! video/x-h264,stream-format=avc3",
  X264 "! h264parse ! video/x-h264,stream-format=byte-stream,alignment=nal",
  "x264enc rc-lookahead=10 ",
  X265 "! video/x-h265,stream-format=byte-stream",
  X265 "! h265parse ! video/x-h265,stream-format=hvc1,alignment=au",
  X265 "! h265parse ! video/x-h265,stream-format=hev1,alignment=au",
};

static void
expect_fields (const GstSDPMessage * sdp, const gchar * const *names)
{
  for (; *names != NULL; names++) {
    g_autofree gchar *value = rtsp_sdp_field (sdp, *names);

    fail_unless (value != NULL && *value != '\0', "no %s", *names);
  }
}

GST_START_TEST (test_description_has_parameter_sets_at_once)
{
  static const gchar *const of_h265[] = { "sprop-vps", "sprop-sps",
    "sprop-pps", NULL
  };
  static const gchar *const of_h264[] = { "sprop-parameter-sets",
    "profile-level-id", NULL
  };
  gboolean h264 = strstr (described[__i__], "x264") != NULL;
  g_autofree gchar *launch = g_strdup_printf (SOURCE "%s ! rtspserversink",
      described[__i__]);

  for (guint i = 0; i < N_STARTS; i++) {
    g_autoptr (RtspViewer) viewer = NULL;
    GError *error = NULL;

    test = sink_test_new (launch);
    sink_test_try_state (test, GST_STATE_PLAYING);
    viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
    assert_viewer (rtsp_viewer_connect (viewer, &error), error);
    assert_viewer (rtsp_viewer_describe (viewer, &error), error);
    expect_fields (rtsp_viewer_sdp (viewer), h264 ? of_h264 : of_h265);
    fail_unless (!h264 || rtsp_sdp_has_parameter_sets (rtsp_viewer_sdp
            (viewer)));
    g_clear_pointer (&test, sink_test_free);
  }
}

END_TEST;

static const struct
{
  const gchar *encoder;
  const gchar *profile;
} profiles[] = {
  /* It would make 4:4:4, or B frames. */
  {"x264enc", "constrained-baseline"},
  {"x264enc ! video/x-h264,profile=high", "high"},
  {"x264enc ! video/x-h264,profile=high ! h264parse", "high"},
};

GST_START_TEST (test_encoder_that_is_left_free_makes_what_receivers_take)
{
  g_autofree gchar *launch = g_strdup_printf ("videotestsrc num-buffers=10 ! "
      "video/x-raw,width=64,height=48 ! %s ! rtspserversink sync=false",
      profiles[__i__].encoder);
  g_autoptr (GstPad) pad = NULL;
  g_autoptr (GstCaps) caps = NULL;

  test = sink_test_new (launch);
  sink_test_play (test);
  pad = gst_element_get_static_pad (sink_test_element (test, NULL), "sink");
  caps = gst_pad_get_current_caps (pad);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure
          (caps, 0), "profile"), profiles[__i__].profile);
}

END_TEST;

static Suite *
encodedinput_suite (void)
{
  Suite *suite = suite_create ("encodedinput");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_loop_test (tests, test_every_form_of_h264_begins_with_a_key_unit, 0,
      G_N_ELEMENTS (h264_forms));
  tcase_add_loop_test (tests, test_every_codec_is_sent_as_it_is, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_loop_test (tests,
      test_encoder_that_is_left_free_makes_what_receivers_take, 0,
      G_N_ELEMENTS (profiles));
  tcase_add_test (tests, test_a_viewer_makes_the_users_encoder_give_a_key_unit);
  tcase_add_loop_test (tests,
      test_encoder_that_runs_already_is_asked_for_a_key_unit, 0,
      G_N_ELEMENTS (running));
  tcase_add_test (tests, test_encoder_is_asked_again_but_once_a_second);
  tcase_add_test (tests, test_key_unit_that_never_comes_is_said);
  tcase_add_test (tests, test_encoder_that_does_not_listen_is_waited_for);
  tcase_add_test (tests, test_interval_is_left_to_the_users_encoder);
  tcase_add_loop_test (tests, test_decoder_gets_a_key_unit_when_a_viewer_comes,
      0, G_N_ELEMENTS (decoded));
  tcase_add_test (tests,
      test_decoder_with_its_own_thread_serves_stream_after_stream);
  tcase_add_test (tests, test_b_frames_keep_the_time_at_which_they_are_shown);
  tcase_add_loop_test (tests,
      test_no_frame_of_a_late_encoder_is_before_rtp_info, 0,
      G_N_ELEMENTS (late));
  tcase_add_test (tests, test_nobody_watches_and_nothing_is_sent);
  tcase_add_loop_test (tests, test_description_has_parameter_sets_at_once, 0,
      G_N_ELEMENTS (described));
  return suite;
}

CHECK_SUITE (encodedinput);
