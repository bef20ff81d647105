/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What a viewer was sent, put down for a test to judge: RTP packets gathered
 * into access units (pictures), sequence gaps, RTCP sender reports and BYE.
 * Knows RTP and H.264's RTP packing only; no sockets, no RTSP, no threads. One
 * thread at a time may use a record.
 */

#ifndef __RTSPRECORD_H__
#define __RTSPRECORD_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define RTSP_UNIT_MAX_NALS 32

typedef struct
{
  gint64 arrival;               /* first packet; µs of g_get_monotonic_time() */
  gint64 last_arrival;          /* newest packet of the unit */
  guint32 rtp_time;
  guint16 first_seq;
  guint16 last_seq;
  guint n_packets;
  gsize n_bytes;                /* RTP payload */
  guint8 nals[RTSP_UNIT_MAX_NALS];      /* H.264 NAL types in their order */
  guint n_nals;                 /* may exceed RTSP_UNIT_MAX_NALS */
  gboolean key;                 /* holds an IDR slice; any picture if not H.264 */
  gboolean complete;            /* the packet with the marker bit came */
  gboolean damaged;             /* a packet of it, or right before it, is missing */
  GPtrArray *packets;           /* GstBuffer with RTP header, or NULL if not kept */
} RtspUnit;

typedef struct
{
  gint64 arrival;
  guint32 ssrc;
  guint64 ntp_time;             /* 32.32 seconds since 1900 */
  guint32 rtp_time;
  guint32 n_packets;
  guint32 n_octets;
} RtspSenderReport;

typedef struct
{
  GArray *units;                /* RtspUnit, in order of arrival */
  GArray *reports;              /* RtspSenderReport, in order of arrival */
  guint n_packets;              /* RTP packets that could be read */
  guint n_gaps;                 /* places where sequence numbers were left out */
  guint n_lost;                 /* sequence numbers left out in all */
  guint n_reordered;            /* packets older than one that came before */
  guint n_malformed;            /* not RTP, or not RTCP on the RTCP channel */
  guint32 ssrc;                 /* of the newest RTP packet */
  gsize max_packet;             /* length of the longest RTP packet */
  guint n_rtcp;                 /* RTCP compound packets */
  gint64 bye;                   /* arrival of RTCP BYE; 0 = none */

  gboolean h264;                /* look for NAL units */
  gboolean keep_packets;        /* RtspUnit.packets is filled */
  guint clock_rate;
} RtspRecord;

/* An empty record with H.264 at 90 kHz assumed. Transfer full. */
RtspRecord *rtsp_record_new (void);

/* Takes NULL. */
void rtsp_record_free (RtspRecord * record);

/* Forgets everything received, keeps what the stream is. */
void rtsp_record_clear (RtspRecord * record);

/* Takes in one RTP packet (transfer none) that arrived at the given time. */
void rtsp_record_add_rtp (RtspRecord * record, GstBuffer * packet,
    gint64 arrival);

/* Takes in one compound RTCP packet (transfer none). */
void rtsp_record_add_rtcp (RtspRecord * record, GstBuffer * packet,
    gint64 arrival);

/* Units of which no further packet can come. */
guint rtsp_record_count (const RtspRecord * record);

/* The unit of the given index, or NULL. Transfer none, valid until the next
 * packet is added. */
RtspUnit *rtsp_record_unit (const RtspRecord * record, guint index);

/* Number of NAL units of a type in a unit. */
guint rtsp_unit_count_nals (const RtspUnit * unit, guint8 type);

/* TRUE if a decoder that knows nothing can start here: the first slice is of an
 * IDR picture and SPS and PPS stand before it. */
gboolean rtsp_unit_is_clean_start (const RtspUnit * unit);

/* Longest time between the arrivals of neighbouring units; 0 with fewer than
 * two. */
gint64 rtsp_record_longest_gap (const RtspRecord * record);

/* When a unit was captured, in µs since 1970, by the newest sender report;
 * FALSE if none has come. */
gboolean rtsp_record_capture_time (const RtspRecord * record,
    const RtspUnit * unit, gint64 * unix_time);

/* Whether every unit's RTP time lies after that of the unit before. */
gboolean rtsp_record_times_rise (const RtspRecord * record);

G_END_DECLS

#endif
