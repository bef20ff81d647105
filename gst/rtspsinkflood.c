/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Notices a viewer that sends more than it can have to say. The library keeps
 * for ever what comes on the channel of RTP, where a viewer has nothing to
 * send (up to 1.28).
 *
 * Looks whenever the viewer's thread is about to wait: that is after each
 * message. Viewer's thread. */

#include "rtspsinkflood.h"

#include "rtspsinksocket.h"

/* Requests and reports: so many bytes, and so many per second. */
#define MAX_SENT (64 * 1024)
#define MAX_SENT_PER_SECOND (16 * 1024)

/* Before the first SETUP: likewise. */
#define MAX_NOISE (16 * 1024)
#define MAX_NOISE_PER_SECOND 1024

struct _RtspSinkFlood
{
  GSource source;
  GSocket *socket;
  gint64 since;                 /* monotonic time */
  RtspSinkFloodFunc flooded;
  gpointer user_data;
};

static gboolean
exceeds (GSocket * socket, gint64 since, gint64 max, gint64 max_per_second)
{
  gint64 age = g_get_monotonic_time () - since;

  return rtsp_sink_socket_count_received (socket) >
      (guint64) (max + age * max_per_second / G_TIME_SPAN_SECOND);
}

static gboolean
is_flooding (RtspSinkFlood * self)
{
  return exceeds (self->socket, self->since, MAX_SENT, MAX_SENT_PER_SECOND);
}

/**
 * rtsp_sink_flood_is_noise:
 * @since: when the connection came, in monotonic time
 *
 * Any thread.
 *
 * Returns: whether more came than is needed to set something up
 */
gboolean
rtsp_sink_flood_is_noise (GSocket * socket, gint64 since)
{
  return exceeds (socket, since, MAX_NOISE, MAX_NOISE_PER_SECOND);
}

static gboolean
flood_prepare (GSource * source, gint * timeout)
{
  *timeout = -1;
  return is_flooding ((RtspSinkFlood *) source);
}

static gboolean
flood_check (GSource * source)
{
  return is_flooding ((RtspSinkFlood *) source);
}

/* Once. */
static gboolean
flood_dispatch (GSource * source, GSourceFunc callback, gpointer user_data)
{
  RtspSinkFlood *self = (RtspSinkFlood *) source;

  self->flooded (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
flood_finalize (GSource * source)
{
  g_object_unref (((RtspSinkFlood *) source)->socket);
}

static GSourceFuncs source_funcs = {
  flood_prepare, flood_check, flood_dispatch, flood_finalize, NULL, NULL,
};

/**
 * rtsp_sink_flood_new:
 * @context: of the viewer's thread
 * @flooded: called there, at most once
 *
 * Any thread.
 *
 * Returns: (transfer full): looks until it is freed
 */
RtspSinkFlood *
rtsp_sink_flood_new (GSocket * socket, GMainContext * context,
    RtspSinkFloodFunc flooded, gpointer user_data)
{
  GSource *source = g_source_new (&source_funcs, sizeof (RtspSinkFlood));
  RtspSinkFlood *self = (RtspSinkFlood *) source;

  self->socket = g_object_ref (socket);
  self->since = g_get_monotonic_time ();
  self->flooded = flooded;
  self->user_data = user_data;
  g_source_set_static_name (source, "rtspserversink-flood");
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_attach (source, context);
  return self;
}

/**
 * rtsp_sink_flood_free:
 *
 * The viewer's thread, or when it does not run.
 */
void
rtsp_sink_flood_free (RtspSinkFlood * self)
{
  g_source_destroy ((GSource *) self);
  g_source_unref ((GSource *) self);
}
