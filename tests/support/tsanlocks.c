/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Announces GLib's locks to ThreadSanitizer. GLib builds GMutex and GCond on the
 * futex system call, which ThreadSanitizer does not see, so it calls correctly
 * locked code a race. Each function here stands in front of GLib's, calls it and
 * tells. Only in test programs that are built with -Db_sanitize=thread.
 */

#define _GNU_SOURCE             /* RTLD_NEXT */

#include <dlfcn.h>
#include <glib.h>
#include <sanitizer/tsan_interface.h>

/* The function behind ours, looked up once; a second look-up by another thread
 * finds the same. */
#define REAL(name) \
    ((__typeof__ (&name)) real_function (&real_ ## name, #name))

#define DECLARE_REAL(name) static gpointer real_ ## name

DECLARE_REAL (g_mutex_lock);
DECLARE_REAL (g_mutex_trylock);
DECLARE_REAL (g_mutex_unlock);
DECLARE_REAL (g_mutex_clear);
DECLARE_REAL (g_cond_wait);
DECLARE_REAL (g_cond_wait_until);

static gpointer
real_function (gpointer * function, const char *name)
{
  gpointer found = __atomic_load_n (function, __ATOMIC_RELAXED);

  if (found == NULL) {
    found = dlsym (RTLD_NEXT, name);
    __atomic_store_n (function, found, __ATOMIC_RELAXED);
  }
  return found;
}

void
g_mutex_lock (GMutex * mutex)
{
  __tsan_mutex_pre_lock (mutex, __tsan_mutex_linker_init);
  REAL (g_mutex_lock) (mutex);
  __tsan_mutex_post_lock (mutex, __tsan_mutex_linker_init, 0);
}

gboolean
g_mutex_trylock (GMutex * mutex)
{
  unsigned flags = __tsan_mutex_linker_init | __tsan_mutex_try_lock;
  gboolean locked;

  __tsan_mutex_pre_lock (mutex, flags);
  locked = REAL (g_mutex_trylock) (mutex);
  if (!locked)
    flags |= __tsan_mutex_try_lock_failed;
  __tsan_mutex_post_lock (mutex, flags, 0);
  return locked;
}

void
g_mutex_unlock (GMutex * mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  REAL (g_mutex_unlock) (mutex);
  __tsan_mutex_post_unlock (mutex, 0);
}

void
g_mutex_clear (GMutex * mutex)
{
  __tsan_mutex_destroy (mutex, __tsan_mutex_linker_init);
  REAL (g_mutex_clear) (mutex);
}

void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  REAL (g_cond_wait) (cond, mutex);
  __tsan_mutex_pre_lock (mutex, __tsan_mutex_linker_init);
  __tsan_mutex_post_lock (mutex, __tsan_mutex_linker_init, 0);
}

gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end_time)
{
  gboolean signalled;

  __tsan_mutex_pre_unlock (mutex, 0);
  __tsan_mutex_post_unlock (mutex, 0);
  signalled = REAL (g_cond_wait_until) (cond, mutex, end_time);
  __tsan_mutex_pre_lock (mutex, __tsan_mutex_linker_init);
  __tsan_mutex_post_lock (mutex, __tsan_mutex_linker_init, 0);
  return signalled;
}
