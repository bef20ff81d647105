/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Access units as the payloader hands them on: lists of RTP packets.
 */

#ifndef __RTPUNITS_H__
#define __RTPUNITS_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* One unit: n packets of so many bytes of payload each, which differ, numbered
 * from seqnum on, the last one marked. Transfer full. */
GstBufferList *rtp_unit_new (guint16 seqnum, guint n, gsize payload,
    GstClockTime pts, gboolean key);

/* Fails the test if it is no RTP packet. */
guint16 rtp_packet_seqnum (GstBuffer * packet);

G_END_DECLS

#endif
