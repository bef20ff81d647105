/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Serves frames that a C program makes, as H.264 over RTSP.
 *
 *   build/examples/serve [PROPERTY=VALUE ...]      of rtspserversink, for
 *                                                  example port=8600
 *
 * Watch it with any player: ffplay rtsp://127.0.0.1:8554/test
 *
 * No main loop runs: the program makes a frame, pushes it, and goes on. Frames
 * may come from any thread; nobody who watches can slow it down. */

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include <stdlib.h>

#define WIDTH 320
#define HEIGHT 240
#define RATE 25

/* A bright bar that wanders from left to right, in grey. */
static GstBuffer *
make_frame (guint number)
{
  GstBuffer *frame = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);
  GstMapInfo map;

  gst_buffer_map (frame, &map, GST_MAP_WRITE);
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    map.data[i] = (i + WIDTH - 2 * number % WIDTH) % WIDTH < 40 ? 255 : 32;
  gst_buffer_unmap (frame, &map);
  return frame;
}

/* What is wrong stands on the bus, with its cure. */
static gboolean
has_failed (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error;

  gst_object_unref (bus);
  if (message == NULL)
    return FALSE;

  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s\n", error->message);
  g_error_free (error);
  gst_message_unref (message);
  return TRUE;
}

static GstElement *
start_pipeline (gchar ** properties)
{
  gchar *words = g_strjoinv (" ", properties);
  /* is-live and do-timestamp: a frame is of the moment at which it is pushed. */
  gchar *line = g_strdup_printf ("appsrc name=source format=time is-live=true "
      "do-timestamp=true caps=video/x-raw,format=GRAY8,width=%d,height=%d,"
      "framerate=%d/1 ! rtspserversink name=sink mount=/test %s",
      WIDTH, HEIGHT, RATE, words);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  if (error != NULL) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
  g_free (line);
  g_free (words);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return pipeline;
}

static void
print_uri (GstElement * pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gchar *uri;

  g_object_get (sink, "uri", &uri, NULL);
  if (uri != NULL)
    g_print ("serving at %s\n", uri);
  g_free (uri);
  gst_object_unref (sink);
}

int
main (int argc, char **argv)
{
  GstElement *pipeline, *source;
  guint number = 0;

  gst_init (&argc, &argv);
  pipeline = start_pipeline (argv + 1);
  source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  print_uri (pipeline);

  while (!has_failed (pipeline)) {
    gst_app_src_push_buffer (GST_APP_SRC (source), make_frame (number++));
    g_usleep (G_USEC_PER_SEC / RATE);
  }

  gst_object_unref (source);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return 1;
}
