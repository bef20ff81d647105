/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Elements that are called like a function: what they say is wrong gets to who
 * calls them. */

#include <gst/check/gstcheck.h>

#include "base/inlinebin.h"
#include "checksuite.h"

static RtspSinkInlineBin *enclosure;

static void
setup (void)
{
  enclosure = rtsp_sink_inline_bin_new (NULL, NULL);
}

static void
teardown (void)
{
  rtsp_sink_inline_bin_free (enclosure);
}

static GstElement *
append (const gchar * factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  fail_unless (element != NULL, "%s", factory);
  rtsp_sink_inline_bin_append (enclosure, element);
  return element;
}

static gboolean
set_caps (const gchar * text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  return rtsp_sink_inline_bin_set_caps (enclosure, caps);
}

static GstBufferList *
call (void)
{
  return rtsp_sink_inline_bin_call (enclosure, gst_buffer_new_allocate (NULL, 1,
          NULL));
}

GST_START_TEST (test_enclosure_tells_why_an_element_failed)
{
  g_autoptr (GstBufferList) out = NULL;
  g_autofree gchar *problem = NULL;

  g_object_set (append ("identity"), "error-after", 2, NULL);
  fail_unless (rtsp_sink_inline_bin_start (enclosure, NULL, NULL));
  fail_unless (set_caps ("audio/x-mulaw"));
  out = call ();
  fail_unless (out != NULL && gst_buffer_list_length (out) == 1);
  fail_unless (rtsp_sink_inline_bin_take_problem (enclosure) == NULL);

  fail_unless (call () == NULL);
  problem = rtsp_sink_inline_bin_take_problem (enclosure);
  fail_unless (problem != NULL && strstr (problem, "iterations") != NULL, "%s",
      GST_STR_NULL (problem));
  fail_unless (rtsp_sink_inline_bin_take_problem (enclosure) == NULL);
}

GST_END_TEST;

GST_START_TEST (test_enclosure_of_elements_that_do_not_fit_does_not_start)
{
  g_autoptr (GError) error = NULL;

  append ("audioconvert");
  append ("rtpvrawpay");
  fail_if (rtsp_sink_inline_bin_start (enclosure, NULL, &error));
  fail_unless (strstr (error->message, "linked") != NULL, "%s", error->message);
}

GST_END_TEST;

/* What the last one makes is not wanted. */
GST_START_TEST (test_enclosure_of_another_output_does_not_start)
{
  g_autoptr (GstCaps) wanted = gst_caps_from_string ("video/x-raw");
  g_autoptr (GError) error = NULL;

  append ("audioconvert");
  fail_if (rtsp_sink_inline_bin_start (enclosure, wanted, &error));
  fail_unless (error != NULL);
}

GST_END_TEST;

GST_START_TEST (test_enclosure_tells_that_caps_are_refused)
{
  append ("h264parse");
  fail_unless (rtsp_sink_inline_bin_start (enclosure, NULL, NULL));
  fail_if (set_caps ("video/x-h264,stream-format=avc,alignment=au"));
  fail_unless (set_caps ("video/x-h264,stream-format=byte-stream"));
}

GST_END_TEST;

static Suite *
enclosure_suite (void)
{
  Suite *suite = suite_create ("enclosure");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_checked_fixture (tests, setup, teardown);
  tcase_add_test (tests, test_enclosure_tells_why_an_element_failed);
  tcase_add_test (tests,
      test_enclosure_of_elements_that_do_not_fit_does_not_start);
  tcase_add_test (tests, test_enclosure_of_another_output_does_not_start);
  tcase_add_test (tests, test_enclosure_tells_that_caps_are_refused);
  return suite;
}

CHECK_SUITE (enclosure);
