/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Feeds an appsrc with small grey frames whose time stamps a test chooses: one by
 * one, or at a rate from a thread of its own. The appsrc needs these caps, and
 * format=time:
 *
 *   appsrc name=feed format=time caps=" APP_FEED_CAPS "! ...
 */

#ifndef __APPFEED_H__
#define __APPFEED_H__

#include "sinktest.h"

G_BEGIN_DECLS

/* For a launch line: no blanks. The declared rate is 25. */
#define APP_FEED_CAPS \
    "video/x-raw,format=I420,width=64,height=48,framerate=25/1"

typedef struct _AppFeed AppFeed;

/* The stamp of frame n, fed now: running time, or GST_CLOCK_TIME_NONE. Runs in
 * the feed's thread. */
typedef GstClockTime (*AppFeedStamp) (guint n, GstClockTime now, gpointer data);

/* The running time of the test's pipeline. */
GstClockTime app_feed_now (SinkTest * test);

/* Pushes one frame. */
void app_feed_push (SinkTest * test, const gchar * name, GstClockTime pts);

/* Pushes frames at a rate (per second) until it is stopped, as many as time asks
 * for even if it was held up. Transfer full. */
AppFeed *app_feed_start (SinkTest * test, const gchar * name, guint rate,
    AppFeedStamp stamp, gpointer data);

/* Before the pipeline is freed. Takes NULL. */
void app_feed_stop (AppFeed * feed);

/* Frames pushed so far. */
guint app_feed_count (AppFeed * feed);

G_END_DECLS

#endif
