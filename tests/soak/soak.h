/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * What the long runs share: their set-up, counting what the process holds, and
 * the verdict. For the main thread.
 */

#ifndef __SOAK_H__
#define __SOAK_H__

#include <glib.h>

#include "liveobjects.h"

G_BEGIN_DECLS

/* What the process holds while nobody watches. */
typedef struct
{
  gchar *when;
  guint fds;
  guint threads;
  guint resident_kb;
  guint heap_kb;                /* what malloc() has given out */
  LiveObjects *objects;
} SoakCount;

/* Parses the program's options, then sets all up: GStreamer, the element, the
 * tracer of live objects, the watch over hangs. Ends the program with 2 if an
 * option is wrong. */
void soak_init (int *argc, char ***argv, const GOptionEntry * options,
    const gchar * what);

/* Ends the program if something asks for it that cannot be; status 2. */
void soak_wrong_usage (const gchar * what) G_GNUC_NORETURN;

/* Unless called again within so many seconds, the program says that it hangs and
 * aborts. */
void soak_alarm (guint seconds);

/* Counts once nothing changes any more, no connection to the port (0: none) waits
 * for being closed, and there is no more than before if there is a before (NULL);
 * or after a deadline. Nothing may stream. Transfer full. */
SoakCount *soak_count_new (const gchar * when, const SoakCount * before,
    guint port);
void soak_count_free (SoakCount * count);
void soak_count_print (const SoakCount * count);

/* --- the verdict --- */

/* One rule: prints it, and remembers if it is broken. */
void soak_rule (gboolean kept, const gchar * format, ...) G_GNUC_PRINTF (2, 3);

/* Descriptors and threads are back. */
void soak_rule_back (const SoakCount * first, const SoakCount * last);

/* No type of objects has more than that many more. */
void soak_rule_objects (const SoakCount * first, const SoakCount * last,
    guint tolerance);

/* Resident memory has grown by no more, and the heap by no more than half. */
void soak_rule_memory (const SoakCount * first, const SoakCount * last,
    guint tolerance_kb);

/* No CRITICAL so far. */
void soak_rule_criticals (void);

/* PASS or FAIL as the last line; the program's exit status. */
gint soak_verdict (void);

G_END_DECLS

#endif
