/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The threads of one server: for its clients' requests, one per media
 * for its bus. The library's pool, which does three things that the library
 * does not: it tells in which context a client runs (what closes it must run
 * there) and when all threads have ended; and it keeps the two connections of an
 * HTTP tunnel, which the library joins to one client, on one thread. The class's
 * own clean-up would wait for every server of the process, so it is never
 * called. */

#include "server/threadpool.h"

/* A viewer alone on its thread can wait there for the first frame: enough
 * threads that viewers seldom share one, and not more however many connect. */
#define CLIENT_THREADS 64

struct _RtspSinkThreadPool
{
  GstRTSPThreadPool parent;

  RtspSinkThreadPoolFuncs funcs;        /* constant after construction */

  GMutex lock;
  GCond cond;
  /* Guarded by lock, with cond. */
  guint n_threads;
  GstRTSPThread *common;        /* NULL, or it runs; no reference, for it has
                                 * one to the pool */
};

G_DEFINE_FINAL_TYPE (RtspSinkThreadPool, rtsp_sink_thread_pool,
    GST_TYPE_RTSP_THREAD_POOL);

/* A thread whose last user has gone is not used again. */
static GstRTSPThread *
reuse_common (RtspSinkThreadPool * self)
{
  GstRTSPThread *thread;

  g_mutex_lock (&self->lock);
  thread = self->common;
  if (thread != NULL && !gst_rtsp_thread_reuse (thread))
    thread = NULL;
  g_mutex_unlock (&self->lock);

  return thread;
}

/* The thread of clients that have to run on the same one, and of no others. */
static GstRTSPThread *
get_common_thread (RtspSinkThreadPool * self, GstRTSPContext * ctx)
{
  GstRTSPThread *thread = reuse_common (self);

  if (thread != NULL)
    return thread;
  /* The library gives a media a new thread always. */
  thread = GST_RTSP_THREAD_POOL_CLASS (rtsp_sink_thread_pool_parent_class)
      ->get_thread (GST_RTSP_THREAD_POOL (self), GST_RTSP_THREAD_TYPE_MEDIA,
      ctx);
  g_mutex_lock (&self->lock);
  self->common = thread;
  g_mutex_unlock (&self->lock);

  return thread;
}

/* Server thread, with the library's lock of the server held. */
static GstRTSPThread *
rtsp_sink_thread_pool_get_thread (GstRTSPThreadPool * pool,
    GstRTSPThreadType type, GstRTSPContext * ctx)
{
  RtspSinkThreadPool *self = RTSP_SINK_THREAD_POOL (pool);
  gboolean client = type == GST_RTSP_THREAD_TYPE_CLIENT;
  GstRTSPThread *thread;

  if (client && self->funcs.runs_with_others (ctx->client))
    thread = get_common_thread (self, ctx);
  else
    thread = GST_RTSP_THREAD_POOL_CLASS (rtsp_sink_thread_pool_parent_class)
        ->get_thread (pool, type, ctx);
  if (client)
    self->funcs.placed (ctx->client, thread != NULL ? thread->context : NULL);

  return thread;
}

/* Before the thread starts. */
static void
rtsp_sink_thread_pool_configure_thread (GstRTSPThreadPool * pool,
    GstRTSPThread * thread, GstRTSPContext * ctx)
{
  RtspSinkThreadPool *self = RTSP_SINK_THREAD_POOL (pool);

  g_mutex_lock (&self->lock);
  self->n_threads++;
  g_mutex_unlock (&self->lock);
}

/* The thread's last act in our code. */
static void
rtsp_sink_thread_pool_thread_leave (GstRTSPThreadPool * pool,
    GstRTSPThread * thread)
{
  RtspSinkThreadPool *self = RTSP_SINK_THREAD_POOL (pool);

  g_mutex_lock (&self->lock);
  if (self->common == thread)
    self->common = NULL;
  self->n_threads--;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
}

/**
 * rtsp_sink_thread_pool_wait:
 * @deadline: monotonic time
 *
 * Any thread that is none of the pool's.
 *
 * Returns: TRUE if all threads have ended by @deadline
 */
gboolean
rtsp_sink_thread_pool_wait (RtspSinkThreadPool * self, gint64 deadline)
{
  gboolean ended;

  g_mutex_lock (&self->lock);
  while (self->n_threads > 0) {
    if (!g_cond_wait_until (&self->cond, &self->lock, deadline))
      break;
  }
  ended = self->n_threads == 0;
  g_mutex_unlock (&self->lock);

  return ended;
}

static void
rtsp_sink_thread_pool_finalize (GObject * object)
{
  RtspSinkThreadPool *self = RTSP_SINK_THREAD_POOL (object);

  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);

  G_OBJECT_CLASS (rtsp_sink_thread_pool_parent_class)->finalize (object);
}

static void
rtsp_sink_thread_pool_class_init (RtspSinkThreadPoolClass * klass)
{
  GstRTSPThreadPoolClass *pool_class = GST_RTSP_THREAD_POOL_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_thread_pool_finalize;
  pool_class->get_thread = rtsp_sink_thread_pool_get_thread;
  pool_class->configure_thread = rtsp_sink_thread_pool_configure_thread;
  pool_class->thread_leave = rtsp_sink_thread_pool_thread_leave;
}

static void
rtsp_sink_thread_pool_init (RtspSinkThreadPool * self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
}

/**
 * rtsp_sink_thread_pool_new:
 * @funcs: called on the server's thread
 *
 * Returns: (transfer full): a pool without threads
 */
RtspSinkThreadPool *
rtsp_sink_thread_pool_new (const RtspSinkThreadPoolFuncs * funcs)
{
  RtspSinkThreadPool *self = g_object_new (RTSP_SINK_TYPE_THREAD_POOL,
      "max-threads", CLIENT_THREADS, NULL);

  self->funcs = *funcs;
  return self;
}
