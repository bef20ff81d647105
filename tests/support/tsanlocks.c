/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Announces GLib's locks to ThreadSanitizer. GLib builds GMutex and GCond on the
 * futex system call, which ThreadSanitizer does not see, so it calls correctly
 * locked code a race. Each function here stands in front of GLib's, calls it and
 * tells. The same for reference counts, whose last owner sees what the others did,
 * and for what one thread hands to another in a GSource. Only in test programs that
 * are built with -Db_sanitize=thread.
 */

#define _GNU_SOURCE             /* RTLD_NEXT */

#include <dlfcn.h>
#include <gst/gst.h>
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
DECLARE_REAL (g_source_set_callback);
DECLARE_REAL (g_atomic_ref_count_dec);
DECLARE_REAL (g_atomic_rc_box_release_full);
DECLARE_REAL (g_object_unref);
DECLARE_REAL (g_ptr_array_unref);
DECLARE_REAL (gst_mini_object_unref);
DECLARE_REAL (gst_mini_object_is_writable);
DECLARE_REAL (gst_mini_object_make_writable);
DECLARE_REAL (gst_pad_push_list);
DECLARE_REAL (gst_pad_push_event);

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

/* The macro of the same name in GLib's header would get in the way. */
#undef g_atomic_ref_count_dec

gboolean
g_atomic_ref_count_dec (gatomicrefcount * count)
{
  __tsan_release (count);
  if (!REAL (g_atomic_ref_count_dec) (count))
    return FALSE;
  __tsan_acquire (count);
  return TRUE;
}

void
g_atomic_rc_box_release_full (gpointer box, GDestroyNotify clear)
{
  __tsan_release (box);
  __tsan_acquire (box);
  REAL (g_atomic_rc_box_release_full) (box, clear);
}

void
g_object_unref (gpointer object)
{
  __tsan_release (object);
  __tsan_acquire (object);
  REAL (g_object_unref) (object);
}

void
g_ptr_array_unref (GPtrArray * array)
{
  __tsan_release (array);
  __tsan_acquire (array);
  REAL (g_ptr_array_unref) (array);
}

/* Likewise: who holds the last reference of a buffer may write to it. */

void
gst_mini_object_unref (GstMiniObject * object)
{
  __tsan_release (object);
  __tsan_acquire (object);
  REAL (gst_mini_object_unref) (object);
}

gboolean
gst_mini_object_is_writable (const GstMiniObject * object)
{
  gboolean writable = REAL (gst_mini_object_is_writable) (object);

  __tsan_acquire ((gpointer) object);
  return writable;
}

GstMiniObject *
gst_mini_object_make_writable (GstMiniObject * object)
{
  __tsan_release (object);
  object = REAL (gst_mini_object_make_writable) (object);
  __tsan_acquire (object);
  return object;
}

/* GStreamer drops the reference that it is given. */

GstFlowReturn
gst_pad_push_list (GstPad * pad, GstBufferList * list)
{
  __tsan_release (list);
  return REAL (gst_pad_push_list) (pad, list);
}

gboolean
gst_pad_push_event (GstPad * pad, GstEvent * event)
{
  __tsan_release (event);
  return REAL (gst_pad_push_event) (pad, event);
}

/* What was done before a callback was set is seen by the callback. */
typedef struct
{
  GSourceFunc func;
  gpointer data;
  GDestroyNotify notify;
} Callback;

static gboolean
dispatch (gpointer user_data)
{
  Callback *callback = user_data;

  __tsan_acquire (callback);
  return callback->func (callback->data);
}

static void
destroy (gpointer user_data)
{
  Callback *callback = user_data;

  __tsan_acquire (callback);
  if (callback->notify != NULL)
    callback->notify (callback->data);
  g_free (callback);
}

static gboolean
takes_plain_callback (GSource * source, GSourceFunc func)
{
  static const GSourceFuncs *idle, *timeout;

  if (idle == NULL) {
    GSource *example = g_idle_source_new ();

    idle = example->source_funcs;
    g_source_unref (example);
    example = g_timeout_source_new (1);
    timeout = example->source_funcs;
    g_source_unref (example);
  }
  return func != NULL && (source->source_funcs == idle
      || source->source_funcs == timeout);
}

void
g_source_set_callback (GSource * source, GSourceFunc func, gpointer data,
    GDestroyNotify notify)
{
  Callback *callback;

  if (!takes_plain_callback (source, func)) {
    REAL (g_source_set_callback) (source, func, data, notify);
    return;
  }
  callback = g_new (Callback, 1);
  *callback = (Callback) {
  func, data, notify};
  __tsan_release (callback);
  REAL (g_source_set_callback) (source, dispatch, callback, destroy);
}
