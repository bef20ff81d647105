/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The fixture of tests whose cases have one pipeline each, and read what it tells
 * of its viewers:
 *
 *   tcase_add_checked_fixture (chain, NULL, served_test_stop);
 *   ...
 *   served_test_start ("videotestsrc is-live=true ! rtspserversink");
 *
 * For the test's main thread, unless it says otherwise.
 */

#ifndef __SERVEDTEST_H__
#define __SERVEDTEST_H__

#include "sinktest.h"
#include "viewerlog.h"

G_BEGIN_DECLS

/* Of the case that runs; NULL before its start. */
extern SinkTest *test;
extern ViewerLog *viewer_log;

/* Makes both from a launch line, and plays. */
void served_test_start (const gchar * line);

/* Frees both. May come without a start. */
void served_test_stop (void);

/* Until the viewer got n more units. */
void served_test_receive (RtspViewer * viewer, guint n);

/* What the action get-viewers of the first rtspserversink returns. Transfer
 * full. Any thread. */
GstStructure *served_test_get_viewers (void);

/* How many viewers are in that, or would be. Any thread. */
guint served_test_count_listed (const GstStructure * viewers);
guint served_test_count_viewers (void);

G_END_DECLS

#endif
