/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The record of what a viewer was sent; see rtsprecord.h. */

#include "rtsprecord.h"

#include <gst/rtp/rtp.h>

/* RFC 6184, table 1 */
#define NAL_SLICE_FIRST 1
#define NAL_IDR 5
#define NAL_SPS 7
#define NAL_PPS 8
#define NAL_STAP_A 24
#define NAL_FU_A 28

#define NAL_TYPE(byte) ((byte) & 0x1f)
#define FU_START 0x80

static void
unit_clear (gpointer data)
{
  RtspUnit *unit = data;

  g_clear_pointer (&unit->packets, g_ptr_array_unref);
}

RtspRecord *
rtsp_record_new (void)
{
  RtspRecord *record = g_new0 (RtspRecord, 1);

  record->units = g_array_new (FALSE, TRUE, sizeof (RtspUnit));
  g_array_set_clear_func (record->units, unit_clear);
  record->reports = g_array_new (FALSE, TRUE, sizeof (RtspSenderReport));
  record->h264 = TRUE;
  record->clock_rate = 90000;
  return record;
}

void
rtsp_record_free (RtspRecord * record)
{
  if (record == NULL)
    return;
  g_array_unref (record->units);
  g_array_unref (record->reports);
  g_free (record);
}

void
rtsp_record_clear (RtspRecord * record)
{
  g_array_set_size (record->units, 0);
  g_array_set_size (record->reports, 0);
  record->n_packets = record->n_gaps = record->n_lost = 0;
  record->n_reordered = record->n_malformed = record->n_rtcp = 0;
  record->max_packet = 0;
  record->bye = 0;
}

static void
add_nal (RtspUnit * unit, guint8 type)
{
  if (unit->n_nals < RTSP_UNIT_MAX_NALS)
    unit->nals[unit->n_nals] = type;
  unit->n_nals++;
  if (type == NAL_IDR)
    unit->key = TRUE;
}

/* RFC 6184 5.7.1: a 16-bit length before each NAL unit */
static void
add_aggregated_nals (RtspUnit * unit, const guint8 * data, guint size)
{
  guint at = 1;

  while (at + 2 < size) {
    add_nal (unit, NAL_TYPE (data[at + 2]));
    /* not GST_READ_UINT16_BE: the address may be odd */
    at += 2 + (data[at] << 8 | data[at + 1]);
  }
}

static void
add_nals (RtspUnit * unit, const guint8 * data, guint size)
{
  guint8 type;

  if (size == 0)
    return;
  type = NAL_TYPE (data[0]);
  if (type == NAL_STAP_A) {
    add_aggregated_nals (unit, data, size);
  } else if (type == NAL_FU_A) {
    if (size > 1 && (data[1] & FU_START))
      add_nal (unit, NAL_TYPE (data[1]));
    else if (unit->n_nals == 0)
      unit->damaged = TRUE;
  } else {
    add_nal (unit, type);
  }
}

/* Compares with the newest packet so far. Returns TRUE if packets are missing in
 * between. */
static gboolean
check_sequence (RtspRecord * record, guint16 seq)
{
  RtspUnit *last;
  gint16 step;

  if (record->units->len == 0)
    return FALSE;
  last = rtsp_record_unit (record, record->units->len - 1);
  step = (gint16) (seq - last->last_seq);
  if (step == 1)
    return FALSE;
  if (step <= 0) {
    record->n_reordered++;
    return FALSE;
  }
  record->n_gaps++;
  record->n_lost += step - 1;
  return TRUE;
}

static RtspUnit *
unit_for_packet (RtspRecord * record, guint32 rtp_time, guint16 seq,
    gint64 arrival)
{
  RtspUnit unit = { 0, };
  RtspUnit *last;

  if (record->units->len > 0) {
    last = rtsp_record_unit (record, record->units->len - 1);
    if (!last->complete && last->rtp_time == rtp_time)
      return last;
  }
  unit.arrival = arrival;
  unit.rtp_time = rtp_time;
  unit.first_seq = seq;
  unit.key = !record->h264;
  if (record->keep_packets)
    unit.packets =
        g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  g_array_append_val (record->units, unit);
  return rtsp_record_unit (record, record->units->len - 1);
}

void
rtsp_record_add_rtp (RtspRecord * record, GstBuffer * packet, gint64 arrival)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  RtspUnit *unit;
  gboolean missing;
  guint16 seq;

  if (!gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp)) {
    record->n_malformed++;
    return;
  }
  seq = gst_rtp_buffer_get_seq (&rtp);
  missing = check_sequence (record, seq);
  unit = unit_for_packet (record, gst_rtp_buffer_get_timestamp (&rtp), seq,
      arrival);
  unit->damaged |= missing;
  unit->last_seq = seq;
  unit->last_arrival = arrival;
  unit->n_packets++;
  unit->n_bytes += gst_rtp_buffer_get_payload_len (&rtp);
  unit->complete = gst_rtp_buffer_get_marker (&rtp);
  if (record->h264)
    add_nals (unit, gst_rtp_buffer_get_payload (&rtp),
        gst_rtp_buffer_get_payload_len (&rtp));
  if (unit->packets != NULL)
    g_ptr_array_add (unit->packets, gst_buffer_ref (packet));
  record->n_packets++;
  record->ssrc = gst_rtp_buffer_get_ssrc (&rtp);
  record->max_packet = MAX (record->max_packet, gst_buffer_get_size (packet));
  gst_rtp_buffer_unmap (&rtp);
}

static void
add_sender_report (RtspRecord * record, GstRTCPPacket * packet, gint64 arrival)
{
  RtspSenderReport report = { 0, };

  report.arrival = arrival;
  gst_rtcp_packet_sr_get_sender_info (packet, &report.ssrc, &report.ntp_time,
      &report.rtp_time, &report.n_packets, &report.n_octets);
  g_array_append_val (record->reports, report);
}

void
rtsp_record_add_rtcp (RtspRecord * record, GstBuffer * buffer, gint64 arrival)
{
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;
  gboolean more;

  if (!gst_rtcp_buffer_validate_reduced (buffer)
      || !gst_rtcp_buffer_map (buffer, GST_MAP_READ, &rtcp)) {
    record->n_malformed++;
    return;
  }
  record->n_rtcp++;
  more = gst_rtcp_buffer_get_first_packet (&rtcp, &packet);
  while (more) {
    if (gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_SR)
      add_sender_report (record, &packet, arrival);
    else if (gst_rtcp_packet_get_type (&packet) == GST_RTCP_TYPE_BYE)
      record->bye = arrival;
    more = gst_rtcp_packet_move_to_next (&packet);
  }
  gst_rtcp_buffer_unmap (&rtcp);
}

guint
rtsp_record_count (const RtspRecord * record)
{
  guint n = record->units->len;

  if (n > 0 && !rtsp_record_unit (record, n - 1)->complete)
    n--;
  return n;
}

RtspUnit *
rtsp_record_unit (const RtspRecord * record, guint index)
{
  if (index >= record->units->len)
    return NULL;
  return &g_array_index (record->units, RtspUnit, index);
}

guint
rtsp_unit_count_nals (const RtspUnit * unit, guint8 type)
{
  guint i, n = 0;

  for (i = 0; i < MIN (unit->n_nals, RTSP_UNIT_MAX_NALS); i++)
    n += unit->nals[i] == type;
  return n;
}

gboolean
rtsp_unit_is_clean_start (const RtspUnit * unit)
{
  gboolean sps = FALSE, pps = FALSE;
  guint i;

  for (i = 0; i < MIN (unit->n_nals, RTSP_UNIT_MAX_NALS); i++) {
    if (unit->nals[i] == NAL_SPS)
      sps = TRUE;
    else if (unit->nals[i] == NAL_PPS)
      pps = TRUE;
    else if (unit->nals[i] >= NAL_SLICE_FIRST && unit->nals[i] <= NAL_IDR)
      return unit->nals[i] == NAL_IDR && sps && pps && !unit->damaged;
  }
  return FALSE;
}

gint64
rtsp_record_longest_gap (const RtspRecord * record)
{
  gint64 longest = 0;
  guint i;

  for (i = 1; i < record->units->len; i++)
    longest = MAX (longest, rtsp_record_unit (record, i)->arrival
        - rtsp_record_unit (record, i - 1)->arrival);
  return longest;
}

gboolean
rtsp_record_capture_time (const RtspRecord * record, const RtspUnit * unit,
    gint64 * unix_time)
{
  RtspSenderReport *report;
  gint64 ticks;
  GstClockTime ns;

  if (record->reports->len == 0)
    return FALSE;
  report = &g_array_index (record->reports, RtspSenderReport,
      record->reports->len - 1);
  ticks = (gint32) (unit->rtp_time - report->rtp_time);
  ns = gst_rtcp_ntp_to_unix (report->ntp_time);
  *unix_time = (gint64) (ns / GST_USECOND)
      + ticks * G_USEC_PER_SEC / record->clock_rate;
  return TRUE;
}

gboolean
rtsp_record_times_rise (const RtspRecord * record)
{
  guint i;

  for (i = 1; i < record->units->len; i++) {
    guint32 step = rtsp_record_unit (record, i)->rtp_time
        - rtsp_record_unit (record, i - 1)->rtp_time;

    if ((gint32) step <= 0)
      return FALSE;
  }
  return TRUE;
}
