/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* RTCP from viewers: whose it is, and what does not get into the RTP session. */

#include <gst/check/gstcheck.h>
#include <gst/net/gstnetaddressmeta.h>
#include <gst/rtp/gstrtcpbuffer.h>

#include "rtspsinkreports.h"

#define OWN_SSRC 0x11111111
#define VIEWERS_SSRC 0x22222222
#define MTU 1400

static GstPad *out, *in;
static guint n_passed;
static GString *alive;          /* from where */
static guint32 own_ssrc;

static guint32
get_own_ssrc (gpointer user_data)
{
  fail_unless (user_data == &own_ssrc);
  return own_ssrc;
}

static void
note_alive (GInetSocketAddress * address, gpointer user_data)
{
  g_autofree gchar *ip =
      g_inet_address_to_string (g_inet_socket_address_get_address (address));

  g_string_append_printf (alive, "%s %u;", ip,
      g_inet_socket_address_get_port (address));
}

static const RtspSinkReportsFuncs funcs = {
  get_own_ssrc,
  note_alive,
};

static GstFlowReturn
take (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  n_passed++;
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

static void
setup (void)
{
  GstSegment segment;

  n_passed = 0;
  own_ssrc = OWN_SSRC;
  alive = g_string_new (NULL);
  out = gst_object_ref_sink (gst_pad_new ("src", GST_PAD_SRC));
  in = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));
  gst_pad_set_chain_function (in, take);
  gst_pad_set_active (out, TRUE);
  gst_pad_set_active (in, TRUE);
  gst_pad_link (out, in);
  rtsp_sink_reports_watch (in, &funcs, &own_ssrc);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (out, gst_event_new_stream_start ("test"));
  gst_pad_push_event (out, gst_event_new_segment (&segment));
}

static void
teardown (void)
{
  g_clear_object (&out);
  g_clear_object (&in);
  g_string_free (g_steal_pointer (&alive), TRUE);
}

/* An RTCP packet of that type, whose sender is of that SSRC. */
static void
add_packet (GstRTCPBuffer * rtcp, GstRTCPType type, guint32 ssrc)
{
  GstRTCPPacket packet;

  fail_unless (gst_rtcp_buffer_add_packet (rtcp, type, &packet));
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
    case GST_RTCP_TYPE_PSFB:
      gst_rtcp_packet_fb_set_type (&packet, GST_RTCP_PSFB_TYPE_PLI);
      gst_rtcp_packet_fb_set_sender_ssrc (&packet, ssrc);
      gst_rtcp_packet_fb_set_media_ssrc (&packet, OWN_SSRC);
      break;
    default:
      gst_rtcp_packet_app_set_ssrc (&packet, ssrc);
      gst_rtcp_packet_app_set_name (&packet, "test");
  }
}

/* A compound packet (RFC 3550, 6.1): a receiver report, and another one. */
static GstBuffer *
make_report (guint32 ssrc, GstRTCPType second, guint32 ssrc_of_second)
{
  GstBuffer *report = gst_rtcp_buffer_new (MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;

  gst_rtcp_buffer_map (report, GST_MAP_READWRITE, &rtcp);
  add_packet (&rtcp, GST_RTCP_TYPE_RR, ssrc);
  add_packet (&rtcp, second, ssrc_of_second);
  gst_rtcp_buffer_unmap (&rtcp);
  return report;
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

static void
expect (guint passed, const gchar * text)
{
  fail_unless_equals_int (n_passed, passed);
  fail_unless_equals_string (alive->str, text);
}

GST_START_TEST (test_reports_show_where_they_come_from)
{
  push_from (make_honest_report (), "192.0.2.1", 5001);
  push_from (make_honest_report (), "2001:db8::1", 5003);
  expect (2, "192.0.2.1 5001;2001:db8::1 5003;");
}

GST_END_TEST;

/* Over TCP: the library knows itself that the viewer lives. */
GST_START_TEST (test_reports_without_address_pass)
{
  gst_pad_push (out, make_honest_report ());
  expect (1, "");
}

GST_END_TEST;

/* Whatever kind of packet says so, also behind one that does not. */
GST_START_TEST (test_reports_that_claim_our_ssrc_are_dropped)
{
  static const GstRTCPType types[] = {
    GST_RTCP_TYPE_SR, GST_RTCP_TYPE_RR, GST_RTCP_TYPE_SDES, GST_RTCP_TYPE_BYE,
    GST_RTCP_TYPE_APP, GST_RTCP_TYPE_PSFB,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    push_from (make_report (VIEWERS_SSRC, types[i], OWN_SSRC), "192.0.2.1", 1);
    fail_unless (n_passed == 0, "type %d passed", types[i]);
  }
  push_from (make_report (OWN_SSRC, GST_RTCP_TYPE_SDES, VIEWERS_SSRC),
      "192.0.2.1", 1);
  expect (0, "");
}

GST_END_TEST;

/* Behind n other chunks of one SDES packet: the session takes each chunk for a
 * source (RFC 3550, 6.5). */
static GstBuffer *
make_hidden_claim (guint n)
{
  GstBuffer *report = gst_rtcp_buffer_new (MTU);
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  gst_rtcp_buffer_map (report, GST_MAP_READWRITE, &rtcp);
  add_packet (&rtcp, GST_RTCP_TYPE_RR, VIEWERS_SSRC);
  fail_unless (gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_SDES, &packet));
  for (guint i = 0; i <= n; i++) {
    gst_rtcp_packet_sdes_add_item (&packet, i < n ? VIEWERS_SSRC + i :
        OWN_SSRC);
    gst_rtcp_packet_sdes_add_entry (&packet, GST_RTCP_SDES_CNAME, i % 7,
        (const guint8 *) "longname");
  }
  gst_rtcp_buffer_unmap (&rtcp);
  return report;
}

GST_START_TEST (test_reports_that_hide_our_ssrc_are_dropped)
{
  for (guint n = 1; n <= 30; n++)
    push_from (make_hidden_claim (n), "192.0.2.1", 5001);
  expect (0, "");
}

GST_END_TEST;

GST_START_TEST (test_reports_about_our_ssrc_pass)
{
  static const GstRTCPType types[] = {
    GST_RTCP_TYPE_SDES, GST_RTCP_TYPE_BYE, GST_RTCP_TYPE_APP,
    GST_RTCP_TYPE_PSFB,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    push_from (make_report (VIEWERS_SSRC, types[i], VIEWERS_SSRC),
        "192.0.2.1", 1);
  fail_unless_equals_int (n_passed, G_N_ELEMENTS (types));
}

GST_END_TEST;

/* Nobody can have the SSRC of what is not sent yet. */
GST_START_TEST (test_reports_before_the_first_packet_pass)
{
  own_ssrc = 0;
  push_from (make_report (OWN_SSRC, GST_RTCP_TYPE_SDES, OWN_SSRC),
      "192.0.2.1", 1);
  expect (1, "192.0.2.1 1;");
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
    push_from (rubbish, "192.0.2.1", 5001);
  }
  expect (0, "");
}

GST_END_TEST;

/* Each byte of a report cut off, and each one changed. */
GST_START_TEST (test_reports_damaged_anywhere_do_no_harm)
{
  g_autoptr (GstBuffer) good = make_honest_report ();
  gsize size = gst_buffer_get_size (good);

  for (gsize i = 0; i < size; i++) {
    GstBuffer *cut = gst_buffer_copy_deep (good);

    gst_buffer_resize (cut, 0, i);
    push_from (cut, "192.0.2.1", 5001);
  }
  for (gsize i = 0; i < size * 8; i++) {
    GstBuffer *bad = gst_buffer_copy_deep (good);
    guint8 byte;

    gst_buffer_extract (bad, i / 8, &byte, 1);
    byte ^= 1 << i % 8;
    gst_buffer_fill (bad, i / 8, &byte, 1);
    push_from (bad, "192.0.2.1", 5001);
  }
  push_from (make_honest_report (), "192.0.2.9", 5001);
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
  tcase_add_test (chain, test_reports_without_address_pass);
  tcase_add_test (chain, test_reports_that_claim_our_ssrc_are_dropped);
  tcase_add_test (chain, test_reports_that_hide_our_ssrc_are_dropped);
  tcase_add_test (chain, test_reports_about_our_ssrc_pass);
  tcase_add_test (chain, test_reports_before_the_first_packet_pass);
  tcase_add_test (chain, test_reports_that_are_rubbish_are_dropped);
  tcase_add_test (chain, test_reports_damaged_anywhere_do_no_harm);

  return suite;
}

GST_CHECK_MAIN (reports);
