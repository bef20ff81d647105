/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The pipeline that visitors come to; see served.h. */

#include "served.h"

#include "soak.h"

#define STATE_TIMEOUT (20 * GST_SECOND)

Served *
served_new (const gchar * source, const gchar * properties)
{
  g_autofree gchar *line = g_strdup_printf ("%s ! rtspserversink name=sink "
      "address=127.0.0.1 port=0 %s", source, properties ? properties : "");
  g_autoptr (GError) error = NULL;
  Served *served = g_new0 (Served, 1);

  g_print ("%s\n", line);
  served->pipeline = gst_parse_launch_full (line, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (served->pipeline == NULL)
    soak_wrong_usage (error->message);
  served->sink = gst_bin_get_by_name (GST_BIN (served->pipeline), "sink");
  served->bus = gst_element_get_bus (served->pipeline);
  return served;
}

void
served_free (Served * served)
{
  served_set_state (served, GST_STATE_NULL);
  g_free (served->uri);
  gst_object_unref (served->bus);
  gst_object_unref (served->sink);
  gst_object_unref (served->pipeline);
  g_free (served);
}

void
served_set_state (Served * served, GstState state)
{
  GstStateChangeReturn ret = gst_element_set_state (served->pipeline, state);

  if (ret == GST_STATE_CHANGE_ASYNC)
    ret = gst_element_get_state (served->pipeline, NULL, NULL, STATE_TIMEOUT);
  if (ret == GST_STATE_CHANGE_FAILURE || ret == GST_STATE_CHANGE_ASYNC)
    soak_rule (FALSE, "the pipeline reaches %s",
        gst_element_state_get_name (state));
}

void
served_play (Served * served)
{
  served_set_state (served, GST_STATE_PLAYING);
  g_free (served->uri);
  g_object_get (served->sink, "uri", &served->uri, NULL);
}

guint
served_get_number (Served * served, const gchar * property)
{
  guint number = 0;

  g_object_get (served->sink, property, &number, NULL);
  return number;
}
