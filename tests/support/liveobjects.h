/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Which objects of GStreamer live in this process, by type: what GStreamer's
 * leaks tracer knows (elements, pads, buffers, caps, ...), and the RTSP library's
 * clients, sessions and media, which it does not track. To be asked when nothing
 * streams: the tracer looks at objects that other threads may be freeing.
 */

#ifndef __LIVEOBJECTS_H__
#define __LIVEOBJECTS_H__

#include <glib.h>

G_BEGIN_DECLS

typedef struct _LiveObjects LiveObjects;

/* Before gst_init(): turns the tracer on. */
void live_objects_enable (void);

/* After gst_init(), once: objects made from now on are seen. */
void live_objects_start (void);

/* What lives now. Transfer full. */
LiveObjects *live_objects_new (void);
void live_objects_free (LiveObjects * live);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LiveObjects, live_objects_free);

/* The RTSP library's alone, "GstRTSPClient", "GstRTSPSession" or "GstRTSPMedia":
 * may be asked at any time. */
guint live_objects_untracked (const gchar * type);

guint live_objects_total (LiveObjects * live);
guint live_objects_count (LiveObjects * live, const gchar * type);

/* Types of which there are more than before, with both numbers, one per line;
 * "" if none. Transfer full. */
gchar *live_objects_growth (LiveObjects * live, LiveObjects * before);

/* The same, only types of which there are over so many more. */
gchar *live_objects_growth_over (LiveObjects * live, LiveObjects * before,
    guint tolerance);

G_END_DECLS

#endif
