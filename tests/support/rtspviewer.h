/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * A small RTSP viewer for tests, on GstRTSPConnection. It shows a test what the
 * stock clients hide: status codes, headers, the SDP, when which packet came.
 *
 * Synchronous, no threads of its own; a viewer belongs to one thread at a time.
 * It reads the network only inside the functions that say "receives"; between
 * them it is a viewer that has stopped reading. Every wait has a deadline. All
 * failures are returned as GError, nothing aborts, so that viewers may run in
 * threads beside the test's.
 */

#ifndef __RTSPVIEWER_H__
#define __RTSPVIEWER_H__

#include <gst/rtsp/rtsp.h>

#include "rtsprecord.h"
#include "rtspsdp.h"

G_BEGIN_DECLS

typedef struct _RtspViewer RtspViewer;

typedef enum
{
  RTSP_VIEWER_TCP,
  RTSP_VIEWER_UDP,
  RTSP_VIEWER_HTTP,             /* as TCP, in an HTTP tunnel of two connections */
  RTSP_VIEWER_MULTICAST,        /* not on the machine of the server */
} RtspViewerTransport;

/* Which streams SETUP sets up: the video, unless told otherwise. */
typedef enum
{
  RTSP_VIEWER_VIDEO = 1 << 0,
  RTSP_VIEWER_AUDIO = 1 << 1,   /* the first of the SDP */
} RtspViewerStreams;

#define RTSP_VIEWER_ERROR (rtsp_viewer_error_quark ())
GQuark rtsp_viewer_error_quark (void);

typedef enum
{
  RTSP_VIEWER_ERROR_TIMEOUT,    /* a deadline passed */
  RTSP_VIEWER_ERROR_CLOSED,     /* the server closed, or we did */
  RTSP_VIEWER_ERROR_STATUS,     /* an answer other than 200 */
  RTSP_VIEWER_ERROR_NETWORK,
  RTSP_VIEWER_ERROR_PROTOCOL,   /* an answer that breaks RTSP */
} RtspViewerError;

typedef gboolean (*RtspViewerPredicate) (RtspViewer * viewer, gpointer data);

/* --- life --- */

/* A viewer of a URL, not yet connected. Transfer full. */
RtspViewer *rtsp_viewer_new (const gchar * url);

/* Closes without a word and frees. Takes NULL. */
void rtsp_viewer_free (RtspViewer * viewer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RtspViewer, rtsp_viewer_free);

/* How long connecting and each answer may take; 10 s at first. */
void rtsp_viewer_set_timeout (RtspViewer * viewer, gint64 timeout);

/* Connects through an HTTP tunnel; before connecting. rtsp_viewer_start() does it
 * by itself. */
void rtsp_viewer_set_tunneled (RtspViewer * viewer, gboolean tunneled);

/* The even port that UDP is received on, before SETUP; 0 (the default) = any.
 * SETUP fails if it is in use. */
void rtsp_viewer_set_client_port (RtspViewer * viewer, guint16 port);

/* Before SETUP. */
void rtsp_viewer_set_streams (RtspViewer * viewer, RtspViewerStreams streams);

gboolean rtsp_viewer_connect (RtspViewer * viewer, GError ** error);

/* Closes the RTSP connection without TEARDOWN; UDP sockets stay open and go on
 * receiving. */
void rtsp_viewer_close (RtspViewer * viewer);

/* The same with a TCP reset, as from a killed or vanished client. */
void rtsp_viewer_reset (RtspViewer * viewer);

/* Whether either side has closed the RTSP connection. */
gboolean rtsp_viewer_is_closed (const RtspViewer * viewer);

/* Shrinks the kernel's receive buffer of the RTSP connection, so that a viewer
 * that stops reading is soon felt. */
void rtsp_viewer_set_receive_buffer (RtspViewer * viewer, gint bytes);

/* Sends RTCP receiver reports at this interval (µs, 0 = never, the default)
 * while receiving. */
void rtsp_viewer_set_report_interval (RtspViewer * viewer, gint64 interval);

/* The SSRC of its reports. Any thread. */
guint32 rtsp_viewer_ssrc (const RtspViewer * viewer);

/* --- requests --- */

/* Sends a request, receives until its answer has come. Interleaved data that
 * comes first goes into the record. url NULL = the viewer's URL; headers =
 * name, value, ..., NULL, or NULL. Returns the status code, 0 with an error set
 * if there was no answer. */
guint rtsp_viewer_request (RtspViewer * viewer, GstRTSPMethod method,
    const gchar * url, const gchar * const *headers, GError ** error);

/* The two halves of it, for who does not wait. Answers come in order. */
gboolean rtsp_viewer_send_request (RtspViewer * viewer, GstRTSPMethod method,
    const gchar * url, const gchar * const *headers, GError ** error);
guint rtsp_viewer_wait_response (RtspViewer * viewer, GError ** error);

/* These expect 200 and fail with RTSP_VIEWER_ERROR_STATUS otherwise. Where
 * CK_TIMEOUT_MULTIPLIER says that all is slow, DESCRIBE repeats itself for a
 * while after 503: no frame came in time. */
gboolean rtsp_viewer_options (RtspViewer * viewer, GError ** error);
gboolean rtsp_viewer_describe (RtspViewer * viewer, GError ** error);
/* channel < 0: leave the choice to the server */
gboolean rtsp_viewer_setup_tcp (RtspViewer * viewer, gint channel,
    GError ** error);
gboolean rtsp_viewer_setup_udp (RtspViewer * viewer, GError ** error);
/* Joins the group that the server names. */
gboolean rtsp_viewer_setup_multicast (RtspViewer * viewer, GError ** error);
gboolean rtsp_viewer_setup (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error);
gboolean rtsp_viewer_play (RtspViewer * viewer, GError ** error);
gboolean rtsp_viewer_pause (RtspViewer * viewer, GError ** error);
gboolean rtsp_viewer_teardown (RtspViewer * viewer, GError ** error);

/* connect, DESCRIBE, SETUP, PLAY */
gboolean rtsp_viewer_start (RtspViewer * viewer, RtspViewerTransport transport,
    GError ** error);

/* Requests do not name the session that an answer named, unless told to. */
void rtsp_viewer_forget_sessions (RtspViewer * viewer);

/* The next SETUP begins another session. */
void rtsp_viewer_begin_session (RtspViewer * viewer);

/* --- answers --- */

/* Status code of the last answer, 0 before the first. */
guint rtsp_viewer_status (const RtspViewer * viewer);

/* Reason phrase of the last answer, or NULL. Transfer none. */
const gchar *rtsp_viewer_reason (const RtspViewer * viewer);

/* A header of the last answer, or NULL. Transfer none. */
const gchar *rtsp_viewer_header (const RtspViewer * viewer,
    GstRTSPHeaderField field);

/* All that it has of a header, one after the other, with commas between. Transfer
 * full. */
gchar *rtsp_viewer_dup_headers (const RtspViewer * viewer,
    GstRTSPHeaderField field);

/* What DESCRIBE brought, or NULL. Transfer none. */
const GstSDPMessage *rtsp_viewer_sdp (const RtspViewer * viewer);

/* URL for SETUP of the video media. Transfer full; NULL without SDP. */
gchar *rtsp_viewer_control_url (const RtspViewer * viewer);

/* What SETUP agreed on, or NULL. Transfer none. */
const GstRTSPTransport *rtsp_viewer_transport (const RtspViewer * viewer);

/* RTP-Info of the last PLAY; FALSE if there was none. Transfer none. */
gboolean rtsp_viewer_rtp_info (const RtspViewer * viewer, RtspRtpInfo * info);

/* When the last PLAY was sent, on the clock of g_get_monotonic_time(). */
gint64 rtsp_viewer_play_time (const RtspViewer * viewer);

/* Requests that the server sent to us. */
guint rtsp_viewer_server_requests (const RtspViewer * viewer);

/* --- media --- */

/* Everything received so far. Transfer none. */
RtspRecord *rtsp_viewer_record (RtspViewer * viewer);

/* The same of the audio: each packet with a time of its own is a unit. */
RtspRecord *rtsp_viewer_audio_record (RtspViewer * viewer);

/* RTP-Info of the last PLAY for the audio; FALSE if there was none. Transfer
 * none. */
gboolean rtsp_viewer_audio_rtp_info (const RtspViewer * viewer,
    RtspRtpInfo * info);

/* Receives until both have so many, of what is set up. */
gboolean rtsp_viewer_receive_streams (RtspViewer * viewer, guint n_video,
    guint n_audio, gint64 timeout, GError ** error);

/* Receives until a sender report of the audio came. */
gboolean rtsp_viewer_wait_audio_report (RtspViewer * viewer, gint64 timeout,
    GError ** error);

/* Receives until the record holds n whole units. */
gboolean rtsp_viewer_receive_units (RtspViewer * viewer, guint n,
    gint64 timeout, GError ** error);

/* Receives for this time. FALSE only if the connection ends before. */
gboolean rtsp_viewer_receive_for (RtspViewer * viewer, gint64 duration,
    GError ** error);

/* Receives until the predicate holds. "what" completes "waited for ...". */
gboolean rtsp_viewer_receive_until (RtspViewer * viewer,
    RtspViewerPredicate predicate, gpointer data, gint64 timeout,
    const gchar * what, GError ** error);

/* Receives until a sender report, an RTCP BYE, the server's close. */
gboolean rtsp_viewer_wait_report (RtspViewer * viewer, gint64 timeout,
    GError ** error);
gboolean rtsp_viewer_wait_bye (RtspViewer * viewer, gint64 timeout,
    GError ** error);
gboolean rtsp_viewer_wait_closed (RtspViewer * viewer, gint64 timeout,
    GError ** error);

/* Sends a compound RTCP packet of the caller's own, as a report would go. */
void rtsp_viewer_send_rtcp (RtspViewer * viewer, GstBuffer * buffer);

G_END_DECLS

#endif
