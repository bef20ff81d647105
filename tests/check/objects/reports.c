/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* RTCP from viewers: what of it gets into the RTP session, by whose it is, of which
 * kind and of which form. */

#include <gst/check/gstcheck.h>
#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtcpbuffer.h>

#include "checksuite.h"
#include "media/rtcpfilter.h"

#define OWN_SSRC 0x11111111
#define VIEWERS_SSRC 0x22222222
#define OTHERS_SSRC 0x33333333
#define MTU 1400
#define MAX_SIZE 1500

#define VIEWER "192.0.2.1"
#define STRANGER "198.51.100.1"

/* Types of packets that GstRTCPBuffer does not make (RFC 3611; none). */
#define TYPE_XR 207
#define TYPE_UNKNOWN 213

#define FB_PLI (GST_RTCP_TYPE_PSFB << 8 | GST_RTCP_PSFB_TYPE_PLI)
#define FB_FIR (GST_RTCP_TYPE_PSFB << 8 | GST_RTCP_PSFB_TYPE_FIR)
#define FB_SLI (GST_RTCP_TYPE_PSFB << 8 | GST_RTCP_PSFB_TYPE_SLI)
#define FB_AFB (GST_RTCP_TYPE_PSFB << 8 | GST_RTCP_PSFB_TYPE_AFB)
#define FB_NACK (GST_RTCP_TYPE_RTPFB << 8 | GST_RTCP_RTPFB_TYPE_NACK)
#define FB_TWCC (GST_RTCP_TYPE_RTPFB << 8 | GST_RTCP_RTPFB_TYPE_TWCC)

static GstPad *out, *in;
static GString *passed;         /* the types of the packets that did */
static GString *alive;          /* from where */
static guint32 own_ssrc;
static gboolean may;            /* report */
static guint32 reporter;        /* who asked whether it may */

static guint32
get_own_ssrc (gpointer user_data)
{
  fail_unless (user_data == &own_ssrc);
  return own_ssrc;
}

static gboolean
note_alive (GInetSocketAddress * address, gpointer user_data)
{
  g_autofree gchar *ip =
      g_inet_address_to_string (g_inet_socket_address_get_address (address));

  if (g_str_equal (ip, STRANGER))
    return FALSE;
  g_string_append_printf (alive, "%s %u;", ip,
      g_inet_socket_address_get_port (address));
  return TRUE;
}

static gboolean
may_report (GInetSocketAddress * address, guint32 ssrc, gpointer user_data)
{
  reporter = ssrc;
  return may;
}

static const RtspSinkRtcpFilterFuncs funcs = {
  get_own_ssrc,
  note_alive,
  may_report,
};

static GstFlowReturn
take (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  fail_unless (gst_rtcp_buffer_validate_reduced (buffer));
  fail_unless (gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp));
  for (gboolean more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
      more; more = gst_rtcp_packet_move_to_next (&packet))
    g_string_append_printf (passed, "%d ", gst_rtcp_packet_get_type (&packet));
  g_string_append_c (passed, ';');
  gst_rtcp_buffer_unmap (&rtcp);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
make_pads (gboolean feedback)
{
  GstSegment segment;

  out = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  in = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_chain_function (in, take);
  gst_pad_set_active (out, TRUE);
  gst_pad_set_active (in, TRUE);
  gst_pad_link (out, in);
  rtsp_sink_rtcp_filter_watch (in, feedback, &funcs, &own_ssrc);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (out, gst_event_new_stream_start ("test"));
  gst_pad_push_event (out, gst_event_new_segment (&segment));
}

static void
setup (void)
{
  own_ssrc = OWN_SSRC;
  may = TRUE;
  reporter = 0;
  passed = g_string_new (NULL);
  alive = g_string_new (NULL);
  make_pads (FALSE);
}

static void
teardown (void)
{
  g_clear_object (&out);
  g_clear_object (&in);
  g_string_free (g_steal_pointer (&passed), TRUE);
  g_string_free (g_steal_pointer (&alive), TRUE);
}

static void
allow_feedback (void)
{
  g_clear_object (&out);
  g_clear_object (&in);
  make_pads (TRUE);
}

/* --- packets --- */

static void
add_feedback (GstRTCPBuffer * rtcp, GstRTCPType type, GstRTCPFBType kind,
    guint32 ssrc)
{
  GstRTCPPacket packet;

  fail_unless (gst_rtcp_buffer_add_packet (rtcp, type, &packet));
  gst_rtcp_packet_fb_set_type (&packet, kind);
  gst_rtcp_packet_fb_set_sender_ssrc (&packet, ssrc);
  gst_rtcp_packet_fb_set_media_ssrc (&packet, OWN_SSRC);
  gst_rtcp_packet_fb_set_fci_length (&packet, 2);
}

/* A packet of that type, whose sender is of that SSRC. */
static void
add_packet (GstRTCPBuffer * rtcp, guint type, guint32 ssrc)
{
  GstRTCPPacket packet;

  if (type > 0xff) {
    add_feedback (rtcp, type >> 8, type & 0xff, ssrc);
    return;
  }
  fail_unless (gst_rtcp_buffer_add_packet (rtcp, type > 206 ?
          GST_RTCP_TYPE_APP : type, &packet));
  switch (type) {
    case GST_RTCP_TYPE_SR:
      gst_rtcp_packet_sr_set_sender_info (&packet, ssrc, 0, 0, 0, 0);
      break;
    case GST_RTCP_TYPE_RR:
      gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
      /* What all viewers' reports are about. */
      gst_rtcp_packet_add_rb (&packet, OWN_SSRC, 0, 0, 0, 0, 0, 0);
      break;
    case GST_RTCP_TYPE_SDES:
      gst_rtcp_packet_sdes_add_item (&packet, ssrc);
      gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME, 4,
          (const guint8 *) "name");
      break;
    case GST_RTCP_TYPE_BYE:
      gst_rtcp_packet_bye_add_ssrc (&packet, ssrc);
      break;
    default:
      gst_rtcp_packet_app_set_ssrc (&packet, ssrc);
      gst_rtcp_packet_app_set_name (&packet, "test");
      rtcp->map.data[packet.offset + 1] = type;
  }
}

/* @n_first receiver reports, and another packet (0: none). */
static GstBuffer *
make_compound (guint n_first, guint32 ssrc, guint second,
    guint32 ssrc_of_second)
{
  GstBuffer *report = gst_rtcp_buffer_new (2 * MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;

  gst_rtcp_buffer_map (report, GST_MAP_READWRITE, &rtcp);
  for (guint i = 0; i < n_first; i++)
    add_packet (&rtcp, GST_RTCP_TYPE_RR, ssrc);
  if (second != 0)
    add_packet (&rtcp, second, ssrc_of_second);
  gst_rtcp_buffer_unmap (&rtcp);
  return report;
}

/* A compound packet (RFC 3550, 6.1): a receiver report, and another one. */
static GstBuffer *
make_report (guint32 ssrc, guint second, guint32 ssrc_of_second)
{
  return make_compound (1, ssrc, second, ssrc_of_second);
}

static GstBuffer *
make_honest_report (void)
{
  return make_report (VIEWERS_SSRC, GST_RTCP_TYPE_SDES, VIEWERS_SSRC);
}

static void
push_from (GstBuffer * report, const gchar * ip, guint16 port)
{
  g_autoptr (GSocketAddress) address =
      g_inet_socket_address_new_from_string (ip, port);

  gst_buffer_add_net_address_meta (report, address);
  fail_unless_equals_int (gst_pad_push (out, report), GST_FLOW_OK);
}

/* Checks and forgets what passed. */
static void
expect_passed (const gchar * types)
{
  fail_unless_equals_string (passed->str, types);
  g_string_truncate (passed, 0);
}

#define RR "201 "
#define SDES "202 "
#define HONEST RR SDES ";"

/* --- whose --- */

GST_START_TEST (test_reports_show_where_they_come_from)
{
  push_from (make_honest_report (), VIEWER, 5001);
  push_from (make_honest_report (), "2001:db8::1", 5003);
  expect_passed (HONEST HONEST);
  fail_unless_equals_string (alive->str, VIEWER " 5001;2001:db8::1 5003;");
  fail_unless_equals_int64 (reporter, VIEWERS_SSRC);
}

GST_END_TEST;

GST_START_TEST (test_reports_of_no_viewer_are_dropped)
{
  push_from (make_honest_report (), STRANGER, 5001);
  gst_pad_push (out, make_honest_report ());
  expect_passed ("");
  fail_unless_equals_string (alive->str, "");
}

GST_END_TEST;

/* It lives nevertheless. */
GST_START_TEST (test_reports_that_come_too_often_are_dropped)
{
  may = FALSE;
  push_from (make_honest_report (), VIEWER, 5001);
  expect_passed ("");
  fail_unless_equals_string (alive->str, VIEWER " 5001;");
}

GST_END_TEST;

/* Whatever kind of packet says so, also behind one that does not. */
GST_START_TEST (test_reports_that_claim_our_ssrc_are_dropped)
{
  static const guint types[] = {
    GST_RTCP_TYPE_SR, GST_RTCP_TYPE_RR, GST_RTCP_TYPE_SDES, GST_RTCP_TYPE_BYE,
    GST_RTCP_TYPE_APP, FB_PLI, FB_FIR,
  };

  allow_feedback ();
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    push_from (make_report (VIEWERS_SSRC, types[i], OWN_SSRC), VIEWER, 1);
    expect_passed (RR ";");
    push_from (make_compound (0, 0, types[i], OWN_SSRC), VIEWER, 1);
    expect_passed ("");
  }
  push_from (make_report (OWN_SSRC, GST_RTCP_TYPE_SDES, VIEWERS_SSRC), VIEWER,
      1);
  expect_passed (SDES ";");
}

GST_END_TEST;

/* Nobody can have the SSRC of what is not sent yet. */
GST_START_TEST (test_reports_before_the_first_packet_pass)
{
  own_ssrc = 0;
  push_from (make_report (OWN_SSRC, GST_RTCP_TYPE_SDES, OWN_SSRC), VIEWER, 1);
  expect_passed (HONEST);
}

GST_END_TEST;

/* The session remembers each SSRC. */
GST_START_TEST (test_reports_of_several_ssrcs_pass_for_the_first)
{
  static const guint types[] = { GST_RTCP_TYPE_RR, GST_RTCP_TYPE_SDES,
    GST_RTCP_TYPE_BYE
  };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    push_from (make_report (VIEWERS_SSRC, types[i], OTHERS_SSRC), VIEWER, 1);
    expect_passed (RR ";");
    fail_unless_equals_int64 (reporter, VIEWERS_SSRC);
  }
}

GST_END_TEST;

/* n chunks of one SDES packet (RFC 3550, 6.5). */
static GstBuffer *
make_chunks (guint n)
{
  GstBuffer *report = gst_rtcp_buffer_new (MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (report, GST_MAP_READWRITE, &rtcp);
  add_packet (&rtcp, GST_RTCP_TYPE_RR, VIEWERS_SSRC);
  fail_unless (gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet));
  for (guint i = 0; i < n; i++) {
    gst_rtcp_packet_sdes_add_item (&packet, i + 1 < n ? VIEWERS_SSRC + i :
        OWN_SSRC);
    gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME, i % 7,
        (const guint8 *) "longname");
  }
  gst_rtcp_buffer_unmap (&rtcp);
  return report;
}

GST_START_TEST (test_reports_of_several_chunks_are_dropped)
{
  for (guint n = 1; n <= 31; n++) {
    push_from (make_chunks (n), VIEWER, 5001);
    expect_passed (RR ";");
  }
}

GST_END_TEST;

/* --- of which kind --- */

static const struct
{
  guint type;
  gboolean passes;              /* with profiles=avp */
  gboolean passes_with_feedback;
} kinds[] = {
  {GST_RTCP_TYPE_RR, TRUE, TRUE},
  {GST_RTCP_TYPE_SDES, TRUE, TRUE},
  {GST_RTCP_TYPE_BYE, TRUE, TRUE},
  {FB_PLI, FALSE, TRUE},
  {FB_FIR, FALSE, TRUE},
  {FB_SLI, FALSE, FALSE},
  {FB_AFB, FALSE, FALSE},
  {FB_NACK, FALSE, FALSE},
  {FB_TWCC, FALSE, FALSE},
  {GST_RTCP_TYPE_SR, FALSE, FALSE},
  {GST_RTCP_TYPE_APP, FALSE, FALSE},
  {TYPE_XR, FALSE, FALSE},
  {TYPE_UNKNOWN, FALSE, FALSE},
};

static void
expect_kind (guint type, gboolean passes)
{
  g_autofree gchar *alone = g_strdup_printf ("%u ;",
      type > 0xff ? type >> 8 : type);
  g_autofree gchar *both = g_strconcat (RR, alone, NULL);

  push_from (make_report (VIEWERS_SSRC, type, VIEWERS_SSRC), VIEWER, 1);
  expect_passed (passes ? both : RR ";");
  push_from (make_compound (0, 0, type, VIEWERS_SSRC), VIEWER, 1);
  expect_passed (passes ? alone : "");
}

/* Behind a receiver report, which passes, and alone (RFC 5506). */
GST_START_TEST (test_reports_of_kinds_that_are_served_pass)
{
  expect_kind (kinds[__i__].type, kinds[__i__].passes);
  allow_feedback ();
  expect_kind (kinds[__i__].type, kinds[__i__].passes_with_feedback);
}

GST_END_TEST;

/* What is behind it as well as what is before. */
GST_START_TEST (test_reports_lose_only_what_is_not_served)
{
  GstBuffer *report = gst_rtcp_buffer_new (MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;

  gst_rtcp_buffer_map (report, GST_MAP_READWRITE, &rtcp);
  add_packet (&rtcp, GST_RTCP_TYPE_APP, VIEWERS_SSRC);
  add_packet (&rtcp, GST_RTCP_TYPE_RR, VIEWERS_SSRC);
  add_packet (&rtcp, TYPE_XR, VIEWERS_SSRC);
  add_packet (&rtcp, FB_NACK, VIEWERS_SSRC);
  add_packet (&rtcp, GST_RTCP_TYPE_SDES, VIEWERS_SSRC);
  add_packet (&rtcp, FB_TWCC, VIEWERS_SSRC);
  gst_rtcp_buffer_unmap (&rtcp);
  push_from (report, VIEWER, 5001);
  expect_passed (HONEST);
}

GST_END_TEST;

/* Some senders do not give it. */
GST_START_TEST (test_request_for_a_key_unit_may_have_another_ssrc)
{
  allow_feedback ();
  push_from (make_report (VIEWERS_SSRC, FB_PLI, 0), VIEWER, 1);
  expect_passed (RR "206 ;");
  fail_unless_equals_int64 (reporter, VIEWERS_SSRC);
  push_from (make_compound (0, 0, FB_PLI, OTHERS_SSRC), VIEWER, 1);
  expect_passed ("206 ;");
  fail_unless_equals_int64 (reporter, 0);
}

GST_END_TEST;

/* --- of which form --- */

GST_START_TEST (test_reports_that_are_too_large_are_dropped)
{
  const gsize block = 32;       /* a receiver report of one block */

  push_from (make_compound (MAX_SIZE / block, VIEWERS_SSRC, 0, 0), VIEWER, 1);
  fail_unless (passed->len > 0);
  g_string_truncate (passed, 0);
  push_from (make_compound (MAX_SIZE / block + 1, VIEWERS_SSRC, 0, 0), VIEWER,
      1);
  expect_passed ("");
}

GST_END_TEST;

/* The session would take blocks for read that are not there. */
GST_START_TEST (test_report_that_counts_blocks_too_many_is_dropped)
{
  for (guint8 n = 2; n <= 31; n++) {
    GstBuffer *report = make_report (VIEWERS_SSRC, GST_RTCP_TYPE_SDES,
        VIEWERS_SSRC);
    const guint8 first = 0x80 | n;      /* version 2, n blocks */

    gst_buffer_fill (report, 0, &first, 1);
    push_from (report, VIEWER, 1);
    expect_passed (SDES ";");
  }
}

GST_END_TEST;

/* What the header promises would be read behind the end. */
GST_START_TEST (test_reports_of_a_header_alone_are_dropped)
{
  static const guint8 types[] = { GST_RTCP_TYPE_RR, GST_RTCP_TYPE_SDES,
    GST_RTCP_TYPE_BYE, GST_RTCP_TYPE_PSFB
  };

  allow_feedback ();
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    const guint8 header[] = { 0x81, types[i], 0, 0 };   /* version 2, one item */
    GstBuffer *report = gst_buffer_new_memdup (header, sizeof header);

    push_from (report, VIEWER, 1);
    expect_passed ("");
  }
}

GST_END_TEST;

/* Ports are found by anybody. */
GST_START_TEST (test_reports_that_are_rubbish_are_dropped)
{
  static const gsize sizes[] = { 0, 1, 3, 4, 8, 100, 1400 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    /* as udpsrc makes them: with a memory, even an empty one */
    GstBuffer *rubbish = gst_buffer_new_allocate (NULL, MTU, NULL);

    gst_buffer_memset (rubbish, 0, 0x5a, MTU);
    gst_buffer_resize (rubbish, 0, sizes[i]);
    push_from (rubbish, VIEWER, 5001);
  }
  expect_passed ("");
  fail_unless_equals_string (alive->str, "");
}

GST_END_TEST;

static void
push_cut (GstBuffer * good, gsize size)
{
  GstBuffer *cut = gst_buffer_copy_deep (good);

  gst_buffer_resize (cut, 0, size);
  push_from (cut, VIEWER, 5001);
}

static void
push_flipped (GstBuffer * good, gsize bit)
{
  GstBuffer *bad = gst_buffer_copy_deep (good);
  guint8 byte;

  gst_buffer_extract (bad, bit / 8, &byte, 1);
  byte ^= 1 << bit % 8;
  gst_buffer_fill (bad, bit / 8, &byte, 1);
  push_from (bad, VIEWER, 5001);
}

/* Each byte of a report cut off, and each bit of it changed. */
GST_START_TEST (test_reports_damaged_anywhere_do_no_harm)
{
  g_autoptr (GstBuffer) good = make_report (VIEWERS_SSRC,
      kinds[__i__].type, VIEWERS_SSRC);
  gsize size = gst_buffer_get_size (good);

  allow_feedback ();
  for (gsize i = 0; i < size; i++)
    push_cut (good, i);
  for (gsize i = 0; i < size * 8; i++)
    push_flipped (good, i);
  g_string_truncate (passed, 0);
  push_from (make_honest_report (), "192.0.2.9", 5001);
  expect_passed (HONEST);
  fail_unless (g_str_has_suffix (alive->str, "192.0.2.9 5001;"));
}

GST_END_TEST;

static Suite *
reports_suite (void)
{
  Suite *suite = suite_create ("reports");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_checked_fixture (chain, setup, teardown);
  tcase_add_test (chain, test_reports_show_where_they_come_from);
  tcase_add_test (chain, test_reports_of_no_viewer_are_dropped);
  tcase_add_test (chain, test_reports_that_come_too_often_are_dropped);
  tcase_add_test (chain, test_reports_that_claim_our_ssrc_are_dropped);
  tcase_add_test (chain, test_reports_before_the_first_packet_pass);
  tcase_add_test (chain, test_reports_of_several_ssrcs_pass_for_the_first);
  tcase_add_test (chain, test_reports_of_several_chunks_are_dropped);
  tcase_add_loop_test (chain, test_reports_of_kinds_that_are_served_pass, 0,
      G_N_ELEMENTS (kinds));
  tcase_add_test (chain, test_reports_lose_only_what_is_not_served);
  tcase_add_test (chain, test_request_for_a_key_unit_may_have_another_ssrc);
  tcase_add_test (chain, test_reports_that_are_too_large_are_dropped);
  tcase_add_test (chain, test_report_that_counts_blocks_too_many_is_dropped);
  tcase_add_test (chain, test_reports_of_a_header_alone_are_dropped);
  tcase_add_test (chain, test_reports_that_are_rubbish_are_dropped);
  tcase_add_loop_test (chain, test_reports_damaged_anywhere_do_no_harm, 0,
      G_N_ELEMENTS (kinds));

  return suite;
}

CHECK_SUITE (reports);
