/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#include "servedtest.h"

SinkTest *test;
ViewerLog *viewer_log;

void
served_test_start (const gchar * line)
{
  test = sink_test_new (line);
  viewer_log = viewer_log_new (test);
  sink_test_play (test);
}

void
served_test_stop (void)
{
  g_clear_pointer (&viewer_log, viewer_log_free);
  g_clear_pointer (&test, sink_test_free);
}

void
served_test_receive (RtspViewer * viewer, guint n)
{
  GError *error = NULL;

  assert_viewer (rtsp_viewer_receive_units (viewer,
          rtsp_record_count (rtsp_viewer_record (viewer)) + n,
          SINK_TEST_TIMEOUT, &error), error);
}

GstStructure *
served_test_get_viewers (void)
{
  GstStructure *viewers = NULL;

  g_signal_emit_by_name (sink_test_element (test, NULL), "get-viewers",
      &viewers);
  return viewers;
}

guint
served_test_count_listed (const GstStructure * viewers)
{
  const GValue *array = gst_structure_get_value (viewers, "viewers");

  fail_unless (GST_VALUE_HOLDS_ARRAY (array));
  return gst_value_array_get_size (array);
}

guint
served_test_count_viewers (void)
{
  g_autoptr (GstStructure) viewers = served_test_get_viewers ();

  return served_test_count_listed (viewers);
}
