/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * A source that plays clips round and round and goes on whatever it meets:
 * unlinked, flushed, after an end. What it plays, and every serialized event, is
 * told from outside and comes in its turn, so that telling never waits.
 *
 * Seeks are taken; its time stamps are running times of its segment.
 */

#ifndef __STEPSOURCE_H__
#define __STEPSOURCE_H__

#include "encodedclip.h"

G_BEGIN_DECLS

#define STEP_TYPE_SOURCE (step_source_get_type ())
G_DECLARE_FINAL_TYPE (StepSource, step_source, STEP, SOURCE, GstElement);

/* All functions: any thread, but not one that streams. */

/* Plays that clip until told otherwise; the clip outlives the source. Transfer
 * floating. */
StepSource *step_source_new (gboolean live, EncodedClip * clip);

void step_source_play (StepSource * self, EncodedClip * clip);

/* Time stamps are left out, or not. */
void step_source_set_stamps (StepSource * self, gboolean stamps);

/* A serialized event; takes it. NULL: the stream begins again (stream-start,
 * caps, segment). */
void step_source_send (StepSource * self, GstEvent * event);

/* A segment that goes on where the one before is now. */
void step_source_send_segment (StepSource * self);

/* Flush start and stop; then a new segment. */
void step_source_flush (StepSource * self, gboolean reset_time);

/* Held, it pushes nothing. Waits until a push that is under way has ended: it
 * must be able to. */
void step_source_hold (StepSource * self);
void step_source_release (StepSource * self);

/* Until so many more buffers were taken; FALSE after a timeout (us). */
gboolean step_source_wait (StepSource * self, guint n, gint64 timeout);

/* What became of its buffers. */
void step_source_print (StepSource * self);

/* What was met that no source should meet: an error. OK: nothing. */
GstFlowReturn step_source_fault (StepSource * self);

G_END_DECLS

#endif
