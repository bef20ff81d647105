/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Encoded video in memory; see encodedclip.h. */

#include "encodedclip.h"

#include <gst/app/app.h>

#define FRAME_TIME (GST_SECOND / 50)

EncodedClip *
encoded_clip_new (const gchar * launch)
{
  g_autofree gchar *line = g_strdup_printf ("%s ! appsink name=out sync=false",
      launch);
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);
  EncodedClip *clip = g_new0 (EncodedClip, 1);
  g_autoptr (GstElement) out = NULL;
  GstSample *sample;

  if (error != NULL)
    g_error ("%s: %s", launch, error->message);
  out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  clip->samples = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gst_sample_unref);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (out))) != NULL) {
    gst_caps_replace (&clip->caps, gst_sample_get_caps (sample));
    g_ptr_array_add (clip->samples, sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  if (clip->samples->len == 0)
    g_error ("%s makes nothing", launch);
  return clip;
}

void
encoded_clip_free (EncodedClip * clip)
{
  if (clip == NULL)
    return;
  gst_clear_caps (&clip->caps);
  g_ptr_array_unref (clip->samples);
  g_free (clip);
}

static GstBuffer *
peek (EncodedClip * clip, guint i)
{
  return gst_sample_get_buffer (g_ptr_array_index (clip->samples,
          i % clip->samples->len));
}

GstBuffer *
encoded_clip_frame (EncodedClip * clip, guint i)
{
  GstBuffer *frame = gst_buffer_copy_deep (peek (clip, i));

  GST_BUFFER_FLAG_UNSET (frame, GST_BUFFER_FLAG_DISCONT);
  return frame;
}

gboolean
encoded_clip_is_key (EncodedClip * clip, guint i)
{
  return !GST_BUFFER_FLAG_IS_SET (peek (clip, i), GST_BUFFER_FLAG_DELTA_UNIT);
}

GstFlowReturn
encoded_clip_push (SinkTest * test, const gchar * name, GstCaps * caps,
    GstBuffer * buffer)
{
  GstSample *sample = gst_sample_new (buffer, caps, NULL, NULL);
  GstFlowReturn ret = gst_app_src_push_sample (GST_APP_SRC (sink_test_element
          (test, name)), sample);

  gst_sample_unref (sample);
  gst_buffer_unref (buffer);
  return ret;
}

/* @due: when it is to be pushed, monotonic time */
static GstFlowReturn
push_in_time (SinkTest * test, const gchar * name, EncodedClip * clip, guint i,
    gint64 due)
{
  gint64 early = due - g_get_monotonic_time ();
  GstBuffer *frame = encoded_clip_frame (clip, i);

  if (early > 0)
    g_usleep (early);
  GST_BUFFER_PTS (frame) = gst_element_get_current_running_time
      (sink_test_pipeline (test));
  GST_BUFFER_DTS (frame) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (frame) = FRAME_TIME;
  return encoded_clip_push (test, name, clip->caps, frame);
}

GstFlowReturn
encoded_clip_play (SinkTest * test, const gchar * name, EncodedClip * clip,
    guint first, guint n)
{
  gint64 due = g_get_monotonic_time ();
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < n && ret == GST_FLOW_OK; i++) {
    ret = push_in_time (test, name, clip, first + i, due);
    due += GST_TIME_AS_USECONDS (FRAME_TIME);
  }
  return ret;
}

void
encoded_clip_play_until (SinkTest * test, const gchar * name,
    EncodedClip * clip, const gint * over)
{
  gint64 due = g_get_monotonic_time ();

  for (guint i = 0; !g_atomic_int_get (over); i++) {
    if (push_in_time (test, name, clip, i, due) != GST_FLOW_OK)
      return;
    due += GST_TIME_AS_USECONDS (FRAME_TIME);
  }
}
