/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What no viewer ought to do to a server. The viewer must be connected, and have
 * done SETUP where data or RTCP is sent. Nothing here waits long.
 */

#ifndef __HOSTILEVIEWER_H__
#define __HOSTILEVIEWER_H__

#include <gst/rtp/rtp.h>

#include "rtspviewer.h"

G_BEGIN_DECLS

/* Bytes on the RTSP connection. FALSE if the server takes them no more. */
gboolean hostile_send (RtspViewer * viewer, gconstpointer data, gsize size);

/* A message of RTSP of the caller's own, with a CSeq if it is a request. The
 * same. */
gboolean hostile_send_message (RtspViewer * viewer, GstRTSPMessage * message);

/* Data between '$', a channel and a length (RFC 2326, 10.12). The same. */
gboolean hostile_send_interleaved (RtspViewer * viewer, guint8 channel,
    gconstpointer data, guint16 size);

/* From the viewer's UDP port to the server's: RTP if channel is 0, RTCP if 1. */
void hostile_send_datagram (RtspViewer * viewer, guint channel,
    gconstpointer data, gsize size);

/* RTCP the way the viewer's transport goes. Transfer full. */
void hostile_send_rtcp (RtspViewer * viewer, GstBuffer * rtcp);

/* A compound packet in which some SSRCs speak (at most two, 0 = none): an empty
 * receiver report of the first, and then of all of them SDES, BYE, APP, a PLI or,
 * for RR and SR, such reports. Transfer full. */
GstBuffer *hostile_rtcp_new (GstRTCPType type, guint32 first, guint32 second);

/* Says that it will send no more (FIN), but goes on reading. */
void hostile_half_close (RtspViewer * viewer);

/* Takes bytes from the RTSP connection without looking at them, until they are
 * none. Returns how many. The record is of no use afterwards. */
gsize hostile_swallow (RtspViewer * viewer, gsize max);

/* The same, as soon as there are some. 0: the connection ended, or the time. */
gsize hostile_wait_bytes (RtspViewer * viewer, gint64 timeout);

G_END_DECLS

#endif
