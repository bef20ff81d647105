/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Stands in for the library's client of one viewer: a stream transport whose
 * packets come here. Over TCP there is a connection, too, but packets are
 * written to it only when asked for.
 *
 *   StandIn *viewer = stand_in_new_tcp ();
 *   ... stand_in_transport (viewer), stand_in_connection (viewer) ...
 *   stand_in_set_mode (viewer, STAND_IN_HOLDS);
 *   ... what is sent now stays with the library until stand_in_release ()
 */

#ifndef __STANDIN_H__
#define __STANDIN_H__

#include <gst/rtsp-server/rtsp-server.h>

G_BEGIN_DECLS

typedef enum
{
  STAND_IN_TAKES,               /* at once */
  STAND_IN_HOLDS,               /* the socket is full: the rest of a unit waits */
  STAND_IN_WRITES,              /* takes, and writes it to the connection */
  STAND_IN_REFUSES,             /* the connection is closing */
  STAND_IN_STUCK,               /* sends begin when the mode changes */
  STAND_IN_LINGERS,             /* holds; the send returns when it changes */
} StandInMode;

typedef struct _StandIn StandIn;

StandIn *stand_in_new_tcp (void);

/* Only the transport: what goes where is up to whose socket it is. */
StandIn *stand_in_new_udp (const gchar * address, guint16 port);
StandIn *stand_in_new_multicast (const gchar * group, guint16 port);

/* Takes NULL. */
void stand_in_free (StandIn * self);

GstRTSPStreamTransport *stand_in_transport (StandIn * self);

/* TCP only: the server's side. */
GstRTSPConnection *stand_in_connection (StandIn * self);

/* TCP only: the viewer's program takes up to n bytes, if there are any. Returns
 * how many. */
gsize stand_in_read (StandIn * self, gsize n);

/* Any thread. */
void stand_in_set_mode (StandIn * self, StandInMode mode);

/* Is a thread within a send? Any thread. */
gboolean stand_in_is_sending (StandIn * self);

/* The socket took the rest of what is held: tells so, as the viewer's thread
 * does. FALSE: nothing was held. */
gboolean stand_in_release (StandIn * self);

/* The library sends RTCP: n bytes of it. */
void stand_in_report (StandIn * self, gsize n);

/* What came, held or not. Any thread. */
guint stand_in_count_units (StandIn * self);
guint stand_in_count_packets (StandIn * self);
guint stand_in_count_reports (StandIn * self);

/* Of the newest report. */
gsize stand_in_report_size (StandIn * self);

/* Transfer none. */
GstBufferList *stand_in_unit (StandIn * self, guint i);
GstBuffer *stand_in_packet (StandIn * self, guint i);

/* Fails the test unless exactly so many packets came, numbered from there on
 * without a gap. */
void stand_in_expect_seqnums (StandIn * self, guint16 from, guint n);

void stand_in_forget (StandIn * self);

/* Whether this machine has IPv6 at all. */
gboolean stand_in_has_ipv6 (void);

G_END_DECLS

#endif
