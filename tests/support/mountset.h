/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * One source, sent by several elements at once, each watched by a viewer over UDP
 * and one over TCP. A test does to all but the last of them what shall disturb
 * nobody; the last one tells what the machine did meanwhile.
 *
 *   set = mount_set_new ("videotestsrc is-live=true ! " SMALL_VIDEO, "",
 *       (const gchar *[]) {"name=own shared=false", "name=calm", NULL});
 *   mount_set_watch (set);
 *   ... something bad to mount_set_uri (set, 0) ...
 *   mount_set_unwatch (set);
 *   mount_set_check (set, "beside something bad");
 *
 * For the test's main thread; a failure fails the test.
 */

#ifndef __MOUNTSET_H__
#define __MOUNTSET_H__

#include "sinktest.h"
#include "steadyviewer.h"

G_BEGIN_DECLS

#define MOUNT_SET_UDP 0
#define MOUNT_SET_TCP 1
#define MOUNT_SET_N_VIEWERS 2

typedef struct _MountSet MountSet;

/* A playing pipeline. The source's rate must be 25 frames a second. mounts: the
 * properties of each element, "name=" first; NULL ends them. Transfer full. */
MountSet *mount_set_new (const gchar * source, const gchar * properties,
    const gchar * const *mounts);

/* Stops all. Takes NULL. */
void mount_set_free (MountSet * set);

SinkTest *mount_set_test (MountSet * set);

/* How many mounts may be disturbed: all but the last one. */
guint mount_set_n_disturbed (MountSet * set);

/* Transfer none. */
const gchar *mount_set_name (MountSet * set, guint mount);
const gchar *mount_set_uri (MountSet * set, guint mount);
GstElement *mount_set_element (MountSet * set, guint mount);

/* Begins to watch and waits until all viewers have got some frames. */
void mount_set_watch (MountSet * set);

/* While they watch. Transfer none. */
SteadyViewer *mount_set_steady (MountSet * set, guint mount, guint viewer);

/* Waits until the calm mount's viewer has got n frames more. */
void mount_set_wait_frames (MountSet * set, guint n);

/* Ends the viewers; fails if one had ended before. */
void mount_set_unwatch (MountSet * set);

/* Afterwards. Transfer none. */
RtspRecord *mount_set_record (MountSet * set, guint mount, guint viewer);

/* Whether no viewer lost a packet or a frame, or got one late, beyond what those of
 * the calm mount did, and whether the source was never held up while they
 * watched. Frames and their times are left out of it where even the calm mount
 * loses many: the machine is too slow to tell. */
void mount_set_check (MountSet * set, const gchar * beside);

G_END_DECLS

#endif
