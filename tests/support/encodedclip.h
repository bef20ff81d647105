/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * A few frames of encoded video in memory, for an appsrc: to be fed whole,
 * truncated, in another order, with other stamps or under other caps. The appsrc
 * needs format=time and gets its caps with the frames.
 */

#ifndef __ENCODEDCLIP_H__
#define __ENCODEDCLIP_H__

#include "sinktest.h"

G_BEGIN_DECLS

/* 25 frames per second in all clips made of this. No blanks. */
#define CLIP_VIDEO(width, height) "video/x-raw,format=I420,width=" #width \
    ",height=" #height ",framerate=50/1"

typedef struct
{
  GstCaps *caps;                /* of the last frame */
  GPtrArray *samples;           /* GstSample, one for each buffer */
} EncodedClip;

/* What a line of elements makes, up to its end. Transfer full. */
EncodedClip *encoded_clip_new (const gchar * launch);

/* Takes NULL. */
void encoded_clip_free (EncodedClip * clip);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (EncodedClip, encoded_clip_free);

/* Frame i, counted round and round: its contents for a caller to change.
 * Transfer full. */
GstBuffer *encoded_clip_frame (EncodedClip * clip, guint i);

/* Whether a decoder can begin with frame i. */
gboolean encoded_clip_is_key (EncodedClip * clip, guint i);

/* Pushes one buffer (transfer full) under these caps into an appsrc. */
GstFlowReturn encoded_clip_push (SinkTest * test, const gchar * name,
    GstCaps * caps, GstBuffer * buffer);

/* Pushes n frames from the first on at 50 per second, stamped by when they are
 * pushed. Returns what the last one met. */
GstFlowReturn encoded_clip_play (SinkTest * test, const gchar * name,
    EncodedClip * clip, guint first, guint n);

/* The same from frame 0 on, until *over (atomic). For a thread. */
void encoded_clip_play_until (SinkTest * test, const gchar * name,
    EncodedClip * clip, const gint * over);

G_END_DECLS

#endif
