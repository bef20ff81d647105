/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Video that comes in as RTP: as from udpsrc or rtspsrc. */

#include "sinktest.h"

#include <gst/rtp/gstrtpbuffer.h>

#define SOURCE "codesrc is-live=true ! video/x-raw,format=I420,width=64," \
    "height=48,framerate=25/1 ! "
#define X264 "x264enc tune=zerolatency speed-preset=ultrafast "

#define CLOCK_RATE 90000
#define FRAME_TICKS (CLOCK_RATE / 25)

static SinkTest *test;
static SinkTest *origin;

static void
teardown (void)
{
  g_clear_pointer (&test, sink_test_free);
  g_clear_pointer (&origin, sink_test_free);
}

static void
start (const gchar * encoder, const gchar * properties)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE "%s ! identity "
      "name=packets ! rtspserversink %s", encoder, properties);

  test = sink_test_new (launch);
  sink_test_play (test);
}

static RtspViewer *
start_viewer (void)
{
  RtspViewer *viewer = rtsp_viewer_new (sink_test_uri (test, NULL));
  GError *error = NULL;

  rtsp_viewer_record (viewer)->keep_packets = TRUE;
  assert_viewer (rtsp_viewer_start (viewer, RTSP_VIEWER_TCP, &error), error);
  return viewer;
}

static RtspUnit *
unit (RtspViewer * viewer, guint i)
{
  return rtsp_record_unit (rtsp_viewer_record (viewer), i);
}

static const struct
{
  const gchar *encoder;
  const gchar *name;            /* in the SDP */
} codecs[] = {
  {X264 "! rtph264pay", "H264"},
  /* in other pieces than ours */
  {X264 "! rtph264pay mtu=200 aggregate-mode=max-stap", "H264"},
  {"x265enc tune=zerolatency speed-preset=ultrafast ! rtph265pay", "H265"},
  {"vp8enc deadline=1 ! rtpvp8pay", "VP8"},
  {"vp9enc deadline=1 cpu-used=8 ! rtpvp9pay", "VP9"},
  {"jpegenc ! rtpjpegpay", "JPEG"},
};

GST_START_TEST (test_every_codec_in_rtp_is_sent)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *sdp = NULL;
  RtspRecord *record;

  start (codecs[__i__].encoder, "");
  viewer = start_viewer ();
  record = rtsp_viewer_record (viewer);
  sdp = gst_sdp_message_as_text (rtsp_viewer_sdp (viewer));
  fail_unless (strstr (sdp, codecs[__i__].name) != NULL, "%s", sdp);
  sink_test_receive (viewer, 30);
  fail_unless_equals_int (record->n_gaps, 0);
  for (guint i = 1; i < 30; i++)
    fail_unless (ABS ((gint32) (unit (viewer, i)->rtp_time
                - unit (viewer, i - 1)->rtp_time) - FRAME_TICKS) <= 1);
  /* jpegenc takes the numbers of studio range for those of full range. */
  if (!g_str_equal (codecs[__i__].name, "JPEG"))
    sink_test_check_pictures (viewer, 25);
}

END_TEST;

/* Its sets come in the packets, and are before each key unit of ours. */
GST_START_TEST (test_parameter_sets_are_told_and_sent)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *sets = NULL;
  guint n_key = 0;

  start (X264 "key-int-max=5 ! rtph264pay", "");
  viewer = start_viewer ();
  sets = rtsp_sdp_field (rtsp_viewer_sdp (viewer), "sprop-parameter-sets");
  fail_unless (sets != NULL && strchr (sets, ',') != NULL);
  sink_test_receive (viewer, 30);
  for (guint i = 0; i < 30; i++) {
    n_key += unit (viewer, i)->key;
    fail_unless (!unit (viewer, i)->key
        || rtsp_unit_is_clean_start (unit (viewer, i)));
  }
  fail_unless (n_key >= 5);
}

END_TEST;

GST_START_TEST (test_another_codec_is_made_of_it)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *sdp = NULL;

  start (X264 "! rtph264pay", "codec=vp8");
  viewer = start_viewer ();
  sdp = gst_sdp_message_as_text (rtsp_viewer_sdp (viewer));
  fail_unless (strstr (sdp, "VP8") != NULL, "%s", sdp);
  sink_test_receive (viewer, 10);
  sink_test_check_pictures (viewer, 8);
}

END_TEST;

static const gchar *const sparse[] = {
  "application/x-rtp,media=video,encoding-name=H264",
  "application/x-rtp,media=video,encoding-name=h264,clock-rate=90000",
  "application/x-rtp,encoding-name=H264",
  /* As a server upstream may answer. */
  "application/x-rtp,encoding-name=H264,play-speed=(double)0,"
      "play-scale=(double)0",
};

static GstPadProbeReturn
replace_caps (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (user_data);

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_CAPS)
    return GST_PAD_PROBE_OK;
  gst_event_unref (GST_PAD_PROBE_INFO_EVENT (info));
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_caps (caps);
  return GST_PAD_PROBE_OK;
}

static void
replace_caps_of_packets (const gchar * caps)
{
  GstPad *pad = gst_element_get_static_pad (sink_test_element (test,
          "packets"), "sink");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, replace_caps,
      (gpointer) caps, NULL);
  gst_object_unref (pad);
}

/* As from a udpsrc whose caps somebody has typed. */
GST_START_TEST (test_caps_may_say_little)
{
  g_autoptr (RtspViewer) viewer = NULL;

  test = sink_test_new (SOURCE X264 "! rtph264pay config-interval=-1 "
      "! identity name=packets ! rtspserversink");
  replace_caps_of_packets (sparse[__i__]);
  sink_test_play (test);
  viewer = start_viewer ();
  sink_test_receive (viewer, 20);
  sink_test_check_pictures (viewer, 15);
}

END_TEST;

/* RFC 3551, 6: 26 is JPEG. */
GST_START_TEST (test_static_payload_type_needs_no_name)
{
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *sdp = NULL;

  test = sink_test_new (SOURCE "jpegenc ! rtpjpegpay ! identity name=packets "
      "! rtspserversink");
  replace_caps_of_packets ("application/x-rtp,payload=26");
  sink_test_play (test);
  viewer = start_viewer ();
  sdp = gst_sdp_message_as_text (rtsp_viewer_sdp (viewer));
  fail_unless (strstr (sdp, "JPEG") != NULL, "%s", sdp);
  sink_test_receive (viewer, 5);
}

END_TEST;

static const struct
{
  GstFormat format;
  gdouble rate;
} untimed[] = {
  /* As from an appsrc whose format nobody has set. */
  {GST_FORMAT_BYTES, 1},
  {GST_FORMAT_BYTES, -1},
  /* Backwards, without a stop. */
  {GST_FORMAT_TIME, -1},
};

static GstPadProbeReturn
replace_segment (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gint i = GPOINTER_TO_INT (user_data);
  GstSegment segment;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_segment_init (&segment, untimed[i].format);
  segment.rate = untimed[i].rate;
  gst_event_unref (GST_PAD_PROBE_INFO_EVENT (info));
  GST_PAD_PROBE_INFO_DATA (info) = gst_event_new_segment (&segment);
  return GST_PAD_PROBE_OK;
}

GST_START_TEST (test_segment_may_have_no_running_times)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GstPad *pad;

  test = sink_test_new (SOURCE X264 "! rtph264pay ! identity name=packets "
      "! rtspserversink");
  pad = gst_element_get_static_pad (sink_test_element (test, "packets"), "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      replace_segment, GINT_TO_POINTER (__i__), NULL);
  gst_object_unref (pad);
  sink_test_play (test);
  viewer = start_viewer ();
  sink_test_receive (viewer, 20);
  fail_unless (rtsp_record_times_rise (rtsp_viewer_record (viewer)));
  sink_test_check_pictures (viewer, 15);
}

END_TEST;

/* Each seventh packet is lost on its way to us. */
static GstPadProbeReturn
lose (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  guint *n = user_data;

  return ++ * n % 7 == 0 ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* Damage is no end, and viewers see no gap in the numbers: there is none that
 * they could do anything about. */
GST_START_TEST (test_lost_packets_do_not_end_the_stream)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GstElement *packets;
  GstPad *pad;
  guint n = 0;

  start (codecs[__i__].encoder, "");
  viewer = start_viewer ();
  sink_test_receive (viewer, 5);
  packets = sink_test_element (test, "packets");
  pad = gst_element_get_static_pad (packets, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, lose, &n, NULL);
  sink_test_receive (viewer, 30);
  fail_unless_equals_int (rtsp_viewer_record (viewer)->n_gaps, 0);
  sink_test_set_state (test, GST_STATE_NULL);
  gst_object_unref (pad);
}

END_TEST;

static const struct
{
  const gchar *encoder;
  guint8 begin[5];              /* of a unit in fragments */
  guint8 middle[5];
} fragments[] = {
  {X264 "! rtph264pay", {0x7c, 0x81, 0, 0, 0}, {0x7c, 0x01, 0, 0, 0}},
  {"x265enc tune=zerolatency speed-preset=ultrafast ! rtph265pay",
      {0x62, 0x01, 0x81, 0, 0}, {0x62, 0x01, 0x01, 0, 0}},
};

/* With the numbers and the time of @old. */
static GstBuffer *
make_packet (GstBuffer * old, const guint8 * payload, guint n)
{
  GstBuffer *packet = gst_rtp_buffer_new_allocate (n, 0, 0);
  GstRTPBuffer from = GST_RTP_BUFFER_INIT, to = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (old, GST_MAP_READ, &from);
  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &to);
  gst_rtp_buffer_set_ssrc (&to, gst_rtp_buffer_get_ssrc (&from));
  gst_rtp_buffer_set_seq (&to, gst_rtp_buffer_get_seq (&from));
  gst_rtp_buffer_set_timestamp (&to, gst_rtp_buffer_get_timestamp (&from));
  gst_rtp_buffer_set_payload_type (&to,
      gst_rtp_buffer_get_payload_type (&from));
  if (n > 0)
    memcpy (gst_rtp_buffer_get_payload (&to), payload, n);
  gst_rtp_buffer_unmap (&from);
  gst_rtp_buffer_unmap (&to);
  gst_buffer_copy_into (packet, old, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  return packet;
}

/* Of ten packets the first three become the beginning of a unit in fragments,
 * nothing, and more of the unit; the fourth is another unit. */
static GstPadProbeReturn
maim (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  guint *n = user_data, i = (*n)++ % 10, f = n[1];
  GstBuffer *old = GST_PAD_PROBE_INFO_BUFFER (info);

  if (i > 2)
    return GST_PAD_PROBE_OK;
  GST_PAD_PROBE_INFO_DATA (info) = make_packet (old,
      i == 0 ? fragments[f].begin : fragments[f].middle, i == 1 ? 0 : 5);
  gst_buffer_unref (old);
  return GST_PAD_PROBE_OK;
}

/* A depayloader that got it would end the process. */
GST_START_TEST (test_packets_without_content_do_no_harm)
{
  g_autoptr (RtspViewer) viewer = NULL;
  GstElement *packets;
  GstStructure *stats;
  GstPad *pad;
  guint64 damaged;
  guint n[] = { 0, __i__ };

  start (fragments[__i__].encoder, "");
  viewer = start_viewer ();
  sink_test_receive (viewer, 5);
  packets = sink_test_element (test, "packets");
  pad = gst_element_get_static_pad (packets, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, maim, n, NULL);
  sink_test_receive (viewer, 30);
  sink_test_set_state (test, GST_STATE_PAUSED);
  g_object_get (sink_test_element (test, NULL), "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "damaged", &damaged));
  fail_unless (damaged >= 1);
  gst_structure_free (stats);
  sink_test_set_state (test, GST_STATE_NULL);
  gst_object_unref (pad);
}

END_TEST;

typedef struct
{
  GByteArray *payload;          /* of the access unit */
  guint16 seqnum;
} Joined;

/* The last packet of an access unit gets the units of all, with start codes
 * between them. */
static GstPadProbeReturn
join_units (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static const guint8 start_code[] = { 0, 0, 0, 1 };
  GstBuffer *old = GST_PAD_PROBE_INFO_BUFFER (info), *packet;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  Joined *joined = user_data;
  gboolean last;

  gst_rtp_buffer_map (old, GST_MAP_READ, &rtp);
  if (joined->payload->len > 0)
    g_byte_array_append (joined->payload, start_code, sizeof (start_code));
  g_byte_array_append (joined->payload, gst_rtp_buffer_get_payload (&rtp),
      gst_rtp_buffer_get_payload_len (&rtp));
  last = gst_rtp_buffer_get_marker (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  if (!last)
    return GST_PAD_PROBE_DROP;

  packet = make_packet (old, joined->payload->data, joined->payload->len);
  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_marker (&rtp, TRUE);
  gst_rtp_buffer_set_seq (&rtp, joined->seqnum++);
  gst_rtp_buffer_unmap (&rtp);
  g_byte_array_set_size (joined->payload, 0);
  gst_buffer_unref (old);
  GST_PAD_PROBE_INFO_DATA (info) = packet;
  return GST_PAD_PROBE_OK;
}

static const gchar *const unjoined[] = {
  X264 "! rtph264pay mtu=60000 aggregate-mode=none",
  "x265enc tune=zerolatency speed-preset=ultrafast ! rtph265pay mtu=60000",
};

/* Some cameras take all that their encoder gives out for one unit. */
GST_START_TEST (test_start_codes_within_a_unit_part_it)
{
  g_autofree gchar *launch = g_strdup_printf (SOURCE "%s ! identity "
      "name=packets ! rtspserversink", unjoined[__i__]);
  g_autoptr (GByteArray) payload = g_byte_array_new ();
  Joined joined = { payload, 0 };
  g_autoptr (RtspViewer) viewer = NULL;
  GstPad *pad;

  test = sink_test_new (launch);
  pad = gst_element_get_static_pad (sink_test_element (test, "packets"),
      "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, join_units, &joined, NULL);
  sink_test_play (test);
  viewer = start_viewer ();
  sink_test_receive (viewer, 20);
  sink_test_check_pictures (viewer, 15);
  sink_test_set_state (test, GST_STATE_NULL);
  gst_object_unref (pad);
}

END_TEST;

static const struct
{
  const gchar *caps;
  const gchar *word;
} wrong[] = {
  {"application/x-rtp,media=video,clock-rate=90000,encoding-name=THEORA",
      "encoding-name"},
  {"application/x-rtp", "encoding-name"},
  {"application/x-rtp,media=video", "depayloader"},
};

GST_START_TEST (test_what_cannot_be_served_is_said)
{
  const gchar *words[] = { wrong[__i__].word, "H264", NULL };
  g_autofree gchar *launch = g_strdup_printf ("appsrc name=feed is-live=true "
      "caps=\"%s\" ! rtspserversink", wrong[__i__].caps);
  GstBuffer *packet = gst_rtp_buffer_new_allocate (100, 0, 0);
  GstFlowReturn ret;

  test = sink_test_new (launch);
  sink_test_try_state (test, GST_STATE_PLAYING);
  g_signal_emit_by_name (sink_test_element (test, "feed"), "push-buffer",
      packet, &ret);
  gst_buffer_unref (packet);
  sink_test_expect_error (test, GST_STREAM_ERROR,
      GST_STREAM_ERROR_CODEC_NOT_FOUND, words, SINK_TEST_TIMEOUT);
  sink_test_stop (test);
  sink_test_forget_messages (test);
}

END_TEST;

static const struct
{
  const gchar *encoder;
  const gchar *caps;
  guint shift;                  /* of the type in a NAL unit's first byte */
  guint mask;
  guint first;                  /* type of a parameter set */
  guint last;
} setless[] = {
  {X264 "! rtph264pay", "application/x-rtp,encoding-name=H264", 0, 0x1f, 7, 8},
  {"x265enc tune=zerolatency speed-preset=ultrafast ! rtph265pay",
      "application/x-rtp,encoding-name=H265", 1, 0x3f, 32, 34},
};

static GstPadProbeReturn
drop_sets (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  guint i = GPOINTER_TO_UINT (user_data), type;
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (GST_PAD_PROBE_INFO_BUFFER (info), GST_MAP_READ, &rtp);
  type = *(guint8 *) gst_rtp_buffer_get_payload (&rtp) >> setless[i].shift
      & setless[i].mask;
  gst_rtp_buffer_unmap (&rtp);
  return type >= setless[i].first && type <= setless[i].last
      ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* How much has come is told by its time stamps, not by the clock. */
GST_START_TEST (test_missing_parameter_sets_are_said)
{
  g_autofree gchar *launch = g_strdup_printf ("codesrc ! video/x-raw,"
      "format=I420,width=64,height=48,framerate=25/1 ! %s ! identity "
      "name=packets ! rtspserversink", setless[__i__].encoder);
  g_autoptr (GstMessage) message = NULL;
  g_autoptr (GError) error = NULL;
  GstPad *pad;

  test = sink_test_new (launch);
  pad = gst_element_get_static_pad (sink_test_element (test, "packets"),
      "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, drop_sets,
      GUINT_TO_POINTER (__i__), NULL);
  gst_object_unref (pad);
  replace_caps_of_packets (setless[__i__].caps);
  sink_test_try_state (test, GST_STATE_PLAYING);
  message = sink_test_wait_message (test, GST_MESSAGE_WARNING,
      SINK_TEST_TIMEOUT);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "config-interval=-1") != NULL, "%s",
      error->message);
  sink_test_stop (test);
}

END_TEST;

/* Another server's stream is served again. Its sender does not hear of viewers:
 * what was kept is what they begin with. */
GST_START_TEST (test_stream_of_another_server_is_served_again)
{
  static const gchar *const protocols[] = { "udp", "tcp" };
  g_autoptr (RtspViewer) viewer = NULL;
  g_autofree gchar *launch = NULL;
  RtspRecord *record;

  origin = sink_test_new (SOURCE X264 "key-int-max=25 ! rtspserversink");
  sink_test_play (origin);
  launch = g_strdup_printf ("rtspsrc location=%s protocols=%s latency=0 "
      "! rtspserversink gop-cache=true", sink_test_uri (origin, NULL),
      protocols[__i__]);
  test = sink_test_new (launch);
  sink_test_try_state (test, GST_STATE_PLAYING);
  viewer = start_viewer ();
  record = rtsp_viewer_record (viewer);
  sink_test_receive (viewer, 50);
  fail_unless (rtsp_unit_is_clean_start (unit (viewer, 0)));
  fail_unless_equals_int (record->n_gaps, 0);
  fail_unless (rtsp_record_times_rise (record));
  sink_test_check_pictures (viewer, 45);
  /* rtspsrc may complain that the connection is closed after its TEARDOWN. */
  sink_test_stop (test);
  sink_test_forget_messages (test);
}

END_TEST;

static Suite *
rtpinput_suite (void)
{
  Suite *suite = suite_create ("rtpinput");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, NULL, teardown);
  tcase_add_loop_test (tests, test_every_codec_in_rtp_is_sent, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_test (tests, test_parameter_sets_are_told_and_sent);
  tcase_add_test (tests, test_another_codec_is_made_of_it);
  tcase_add_loop_test (tests, test_caps_may_say_little, 0,
      G_N_ELEMENTS (sparse));
  tcase_add_test (tests, test_static_payload_type_needs_no_name);
  tcase_add_loop_test (tests, test_segment_may_have_no_running_times, 0,
      G_N_ELEMENTS (untimed));
  tcase_add_loop_test (tests, test_lost_packets_do_not_end_the_stream, 0,
      G_N_ELEMENTS (codecs));
  tcase_add_loop_test (tests, test_packets_without_content_do_no_harm, 0,
      G_N_ELEMENTS (fragments));
  tcase_add_loop_test (tests, test_start_codes_within_a_unit_part_it, 0,
      G_N_ELEMENTS (unjoined));
  tcase_add_loop_test (tests, test_what_cannot_be_served_is_said, 0,
      G_N_ELEMENTS (wrong));
  tcase_add_loop_test (tests, test_missing_parameter_sets_are_said, 0,
      G_N_ELEMENTS (setless));
  tcase_add_loop_test (tests, test_stream_of_another_server_is_served_again, 0,
      2);
  return suite;
}

CHECK_SUITE (rtpinput);
