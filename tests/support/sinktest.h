/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * GstCheck helpers around a pipeline that ends in rtspserversink. The element is
 * the statically linked one, registered by sink_test_init(). Every wait has a
 * deadline; a failed wait fails the test with what was waited for. All functions
 * here are for the test's main thread, unless they say otherwise.
 *
 *   SinkTest *test = sink_test_new ("videotestsrc is-live=true ! " SMALL_VIDEO
 *       " ! rtspserversink");
 *   sink_test_play (test);
 *   ... sink_test_uri (test, NULL) ...
 *   sink_test_free (test);
 *
 * Where a checked fixture calls sink_test_free(), tests must end with END_TEST:
 * GST_END_TEST waits for all streaming threads, before the fixture's end.
 */

#ifndef __SINKTEST_H__
#define __SINKTEST_H__

#include <gst/check/gstcheck.h>

#include "checksuite.h"
#include "codesrc.h"
#include "picturedecoder.h"
#include "procinfo.h"
#include "rtspviewer.h"

G_BEGIN_DECLS

#define SMALL_VIDEO "video/x-raw,format=I420,width=64,height=48,framerate=25/1"

/* Long enough for a loaded machine and valgrind; no test waits it out unless it
 * fails. */
#define SINK_TEST_TIMEOUT (20 * G_USEC_PER_SEC)

typedef struct _SinkTest SinkTest;
typedef struct _BufferCounter BufferCounter;

/* Registers the element and codesrc. For a checked fixture or a test's start;
 * may be called again. */
void sink_test_init (void);

/* Ends the program at once if tests have failed: without CK_FORK their pipelines
 * still run, and gst_deinit() would wait for them for ever. */
gint sink_test_finish (gint n_failed);

/* How much slower than usual things may be (valgrind: 20): multiply limits on
 * durations with it. */
gdouble sink_test_time_factor (void);

/* Whether this is a run of all in full length: tools/check --long. */
gboolean sink_test_is_long (void);

/* --- the pipeline --- */

/* A pipeline in NULL from a launch line. Each rtspserversink in it whose address
 * or port is not set gets 127.0.0.1 or port 0. Transfer full. */
SinkTest *sink_test_new (const gchar * launch);

/* Sets the pipeline to NULL, expects that within a second, frees. An ERROR that
 * the test has not taken from the bus fails it. Takes NULL. */
void sink_test_free (SinkTest * test);

GstElement *sink_test_pipeline (SinkTest * test);

/* An element by name; name NULL = the first rtspserversink. Transfer none. */
GstElement *sink_test_element (SinkTest * test, const gchar * name);

/* Sets a state and waits until it is reached. */
void sink_test_set_state (SinkTest * test, GstState state);
void sink_test_play (SinkTest * test);

/* The same, returning what set_state() did; waits for nothing. */
GstStateChangeReturn sink_test_try_state (SinkTest * test, GstState state);

/* Sets NULL and returns how long that took in µs. */
gint64 sink_test_stop (SinkTest * test);

/* The element's uri and bound-port. Name as above. Transfer none, valid until
 * the next call for any element of the test. */
const gchar *sink_test_uri (SinkTest * test, const gchar * name);
guint sink_test_port (SinkTest * test, const gchar * name);
guint sink_test_num_viewers (SinkTest * test, const gchar * name);

/* --- the bus --- */

/* The next element message of that name, kept or new; an ERROR that comes first
 * fails the test. Transfer full. */
GstMessage *sink_test_wait_element_message (SinkTest * test,
    const gchar * name, gint64 timeout);

/* The same for types of messages. */
GstMessage *sink_test_wait_message (SinkTest * test, GstMessageType types,
    gint64 timeout);

/* Takes the ERROR that must come, checks domain and code and that the text holds
 * each of the words (NULL at the end), case ignored. */
void sink_test_expect_error (SinkTest * test, GQuark domain, gint code,
    const gchar * const *words, gint64 timeout);

/* Drops all messages so far, errors too. */
void sink_test_forget_messages (SinkTest * test);

/* Takes the warnings that have come. */
guint sink_test_count_warnings (SinkTest * test);

/* Whether such a message has already come. It stays. */
gboolean sink_test_has_element_message (SinkTest * test, const gchar * name);

/* --- waiting --- */

/* Until the predicate holds; what completes "waited for ...". The predicate is
 * asked every few ms: for what no message or callback tells. */
void sink_test_wait_until (GSourceFunc predicate, gpointer data,
    gint64 timeout, const gchar * what);

void sink_test_wait_num_viewers (SinkTest * test, const gchar * name,
    guint n, gint64 timeout);

/* Until no more descriptors, threads than this. */
void sink_test_wait_fds (guint max, gint64 timeout);
void sink_test_wait_threads (guint max, gint64 timeout);

/* --- buffers that pass a pad --- */

/* Counts at an element's pad from now on. Transfer full. */
BufferCounter *buffer_counter_new (SinkTest * test, const gchar * element,
    const gchar * pad);
void buffer_counter_free (BufferCounter * counter);

/* Any thread. */
guint buffer_counter_count (BufferCounter * counter);

/* Longest time between neighbouring buffers so far, in µs. Any thread. */
gint64 buffer_counter_longest_gap (BufferCounter * counter);

/* Until n buffers have passed in all. */
void buffer_counter_wait (BufferCounter * counter, guint n, gint64 timeout);

/* A TCP port that is free now on 127.0.0.1, for tests in which two elements
 * share one. */
guint sink_test_free_port (void);

/* --- viewers --- */

/* Fails the test with the error's text unless ok. Frees the error. Use:
 * assert_viewer (rtsp_viewer_play (viewer, &error), error); */
#define assert_viewer(ok, error)                                \
  G_STMT_START {                                                \
    gboolean ok_ = (ok);                                        \
    if (!ok_)                                                   \
      fail ("%s: %s", #ok, (error)->message);                   \
  } G_STMT_END

/* A viewer of the element that plays. Transfer full. */
RtspViewer *sink_test_start_viewer (SinkTest * test, const gchar * name,
    RtspViewerTransport transport);

/* Until it has n units in all. */
void sink_test_receive (RtspViewer * viewer, guint n);

/* The first n units, kept, of codesrc: each picture follows the one before. */
void sink_test_check_pictures (RtspViewer * viewer, guint n);

G_END_DECLS

#endif
