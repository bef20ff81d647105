/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The library's server, with clients of our own making. Server's thread. */

#include "rtspsinklistener.h"

#include "rtspsinkgate.h"

struct _RtspSinkListener
{
  GstRTSPServer parent;

  /* Constant after construction. */
  RtspSinkListenerFunc make_client;
  gpointer user_data;
};

G_DEFINE_FINAL_TYPE (RtspSinkListener, rtsp_sink_listener,
    GST_TYPE_RTSP_SERVER);

static GstRTSPClient *
rtsp_sink_listener_create_client (GstRTSPServer * server)
{
  RtspSinkListener *self = RTSP_SINK_LISTENER (server);
  GstRTSPClient *client = self->make_client (self->user_data);
  g_autoptr (GstRTSPAuth) gate = gst_rtsp_server_get_auth (server);
  g_autoptr (GstRTSPMountPoints) mounts =
      gst_rtsp_server_get_mount_points (server);
  g_autoptr (GstRTSPThreadPool) threads =
      gst_rtsp_server_get_thread_pool (server);

  if (client == NULL)
    return NULL;

  gst_rtsp_client_set_auth (client, gate);
  gst_rtsp_client_set_mount_points (client, mounts);
  gst_rtsp_client_set_thread_pool (client, threads);
  return client;
}

static void
rtsp_sink_listener_class_init (RtspSinkListenerClass * klass)
{
  GST_RTSP_SERVER_CLASS (klass)->create_client =
      rtsp_sink_listener_create_client;
}

static void
rtsp_sink_listener_init (RtspSinkListener * self)
{
}

/**
 * rtsp_sink_listener_new:
 * @make_client: returns a new client, which gets what the server shares,
 *   or NULL to refuse the connection
 *
 * Returns: (transfer full): a server that does not listen yet
 */
GstRTSPServer *
rtsp_sink_listener_new (RtspSinkListenerFunc make_client, gpointer user_data)
{
  RtspSinkListener *self = g_object_new (RTSP_TYPE_SINK_LISTENER, NULL);
  g_autoptr (GstRTSPAuth) gate = rtsp_sink_gate_new ();

  gst_rtsp_server_set_auth (GST_RTSP_SERVER (self), gate);
  self->make_client = make_client;
  self->user_data = user_data;
  return GST_RTSP_SERVER (self);
}
