/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* A thread with a main loop of its own, so that the application needs none. */

#include "base/loop.h"

struct _RtspSinkLoop
{
  /* Constant after construction; thread from start on. */
  GMainContext *context;
  GMainLoop *loop;
  GThread *thread;
};

/**
 * rtsp_sink_loop_new:
 *
 * Returns: (transfer full): a loop that does not run yet
 */
RtspSinkLoop *
rtsp_sink_loop_new (void)
{
  RtspSinkLoop *self = g_new0 (RtspSinkLoop, 1);

  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  return self;
}

/* The thread. */
static gpointer
run (gpointer user_data)
{
  RtspSinkLoop *self = user_data;

  g_main_context_push_thread_default (self->context);
  g_main_loop_run (self->loop);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

/**
 * rtsp_sink_loop_start:
 *
 * Once.
 */
void
rtsp_sink_loop_start (RtspSinkLoop * self)
{
  self->thread = g_thread_new ("rtspserversink", run, self);
}

/**
 * rtsp_sink_loop_attach:
 * @source: (transfer none): runs on the loop's thread
 * @name: (not nullable): shows in debuggers; a static string
 *
 * Any thread.
 */
void
rtsp_sink_loop_attach (RtspSinkLoop * self, GSource * source,
    const gchar * name)
{
  g_source_set_static_name (source, name);
  g_source_attach (source, self->context);
}

typedef struct
{
  void (*func) (gpointer);
  gpointer user_data;

  GMutex lock;
  GCond cond;
  gboolean done;                /* guarded by lock, with cond */
} Call;

/* The loop's thread. */
static gboolean
do_call (gpointer user_data)
{
  Call *call = user_data;

  call->func (call->user_data);

  g_mutex_lock (&call->lock);
  call->done = TRUE;
  g_cond_signal (&call->cond);
  g_mutex_unlock (&call->lock);
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_loop_call:
 *
 * Runs @func on the loop's thread and waits until it has returned. Any other
 * thread; the loop has been started.
 */
void
rtsp_sink_loop_call (RtspSinkLoop * self, void (*func) (gpointer),
    gpointer user_data)
{
  Call call = {.func = func,.user_data = user_data };
  GSource *source = g_idle_source_new ();

  g_mutex_init (&call.lock);
  g_cond_init (&call.cond);
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, do_call, &call, NULL);
  rtsp_sink_loop_attach (self, source, "rtspserversink-call");
  g_source_unref (source);

  g_mutex_lock (&call.lock);
  while (!call.done)
    g_cond_wait (&call.cond, &call.lock);
  g_mutex_unlock (&call.lock);

  g_mutex_clear (&call.lock);
  g_cond_clear (&call.cond);
}

static gboolean
quit (gpointer loop)
{
  g_main_loop_quit (loop);
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_loop_free:
 * @self: (transfer full): a loop, started or not
 *
 * Runs what is due, then ends the thread and waits for it. Any other thread.
 */
void
rtsp_sink_loop_free (RtspSinkLoop * self)
{
  if (self->thread != NULL) {
    GSource *source = g_idle_source_new ();

    g_source_set_priority (source, G_PRIORITY_LOW);
    g_source_set_callback (source, quit, self->loop, NULL);
    rtsp_sink_loop_attach (self, source, "rtspserversink-quit");
    g_source_unref (source);
    g_thread_join (self->thread);
  }
  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_free (self);
}

static void
free_weak_ref (gpointer weak_ref)
{
  g_weak_ref_clear (weak_ref);
  g_free (weak_ref);
}

/**
 * rtsp_sink_loop_run_weakly:
 * @job: gets a #GWeakRef to @object
 *
 * Runs @job soon in @context. A strong reference in a source of the object's
 * own context would be a cycle once that context no longer runs. Any thread.
 */
void
rtsp_sink_loop_run_weakly (GMainContext * context, GSourceFunc job,
    GObject * object, const gchar * name)
{
  GWeakRef *weak_ref = g_new (GWeakRef, 1);
  GSource *source = g_idle_source_new ();

  g_weak_ref_init (weak_ref, object);
  g_source_set_static_name (source, name);
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, job, weak_ref, free_weak_ref);
  g_source_attach (source, context);
  g_source_unref (source);
}

static gboolean
run_nothing (gpointer object)
{
  return G_SOURCE_REMOVE;
}

/**
 * rtsp_sink_loop_hold:
 *
 * Keeps @object until what is queued in @context by now, with default idle
 * priority, has run. With the same priority as that, for the context may end
 * after. Any thread.
 */
void
rtsp_sink_loop_hold (GMainContext * context, GObject * object,
    const gchar * name)
{
  GSource *source = g_idle_source_new ();

  g_source_set_static_name (source, name);
  g_source_set_callback (source, run_nothing, g_object_ref (object),
      g_object_unref);
  g_source_attach (source, context);
  g_source_unref (source);
}
