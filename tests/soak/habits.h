/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What visitors do, as options of a command line: the program that a user starts
 * and the visitors that it starts take the same ones. And what one visit shall
 * be, chosen at random by seed and number alone, so that a run can be repeated.
 */

#ifndef __HABITS_H__
#define __HABITS_H__

#include "rtspviewer.h"

G_BEGIN_DECLS

/* How a visit ends. */
typedef enum
{
  VISIT_TEARDOWN,               /* TEARDOWN, its answer, close */
  VISIT_CLOSE,                  /* close without a word */
  VISIT_RESET,                  /* TCP reset */
  VISIT_KILL,                   /* SIGKILL of the viewer's process */
} VisitEnd;

#define N_VISIT_ENDS (VISIT_KILL + 1)
#define N_VISIT_TRANSPORTS (RTSP_VIEWER_HTTP + 1)

/* Times in µs. */
typedef struct
{
  guint number;
  RtspViewerTransport transport;
  VisitEnd end;
  gint64 stay;                  /* after the first unit, beside the following */
  gint64 pause;                 /* PAUSE, PLAY after that; 0 = none */
  gint64 stall;                 /* does not read for so long; 0 = none */
  gint receive_buffer;          /* of the kernel from the stall on; 0 = its own */
} VisitPlan;

/* "tcp", "teardown", ... */
const gchar *visit_transport_name (RtspViewerTransport transport);
const gchar *visit_end_name (VisitEnd end);

/* For GOptionContext. */
extern const GOptionEntry habits_options[];

/* Reads what the options brought. FALSE: an option makes no sense. */
gboolean habits_parse (GError ** error);

/* How many of the visits are by that transport, as against the others. */
gint habits_weight (RtspViewerTransport transport);

/* The longest that a visit may take. */
gint64 habits_longest (void);

/* The options that bring another program the same habits. Transfer full. */
GPtrArray *habits_args (void);

/* What visit number so and so shall be. */
VisitPlan habits_plan (guint number);

G_END_DECLS

#endif
