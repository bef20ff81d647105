/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Test element "codesrc": pictures of one flat grey that tell their own number.
 * Frame n has level 16 + 16 * (n mod 14) in GRAY8, RGB, BGR (all values) or the
 * luma that shows this level in I420. It remembers when each frame left.
 *
 *   codesrc name=feed is-live=true num-buffers=100 ! video/x-raw,... ! ...
 *
 * Without a caps filter: BGR, 64x48, 25/1.
 */

#ifndef __CODESRC_H__
#define __CODESRC_H__

#include <gst/gst.h>

G_BEGIN_DECLS

#define CODE_SRC_CODES 14

/* Registers the element; sink_test_init() does it. */
gboolean code_src_register (void);

/* The grey level, 0 to 255, of frame n. */
guint code_src_level (guint n);

/* n mod 14 of the level nearest to a grey value. */
guint code_src_nearest (guint grey);

/* Frames that have left. */
guint code_src_count (GstElement * src);

/* When frame n left, on the clock of g_get_monotonic_time(); 0 if it has not. */
gint64 code_src_time (GstElement * src, guint n);

/* The newest frame that left before the time and has the code (n mod 14), -1 if
 * there is none. */
gint code_src_find (GstElement * src, guint code, gint64 before);

G_END_DECLS

#endif
