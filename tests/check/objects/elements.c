/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* Elements that are linked, and brought to the state of the bin they are in. */

#include <gst/check/gstcheck.h>

#include "base/elements.h"
#include "checksuite.h"

/* An element whose bin changes its state on the way, as by another thread. */
typedef struct
{
  GstBin parent;
} LateElement;

typedef struct
{
  GstBinClass parent;
} LateElementClass;

static GType late_element_get_type (void);
G_DEFINE_TYPE (LateElement, late_element, GST_TYPE_BIN);

static GstState meanwhile = GST_STATE_VOID_PENDING;

static GstStateChangeReturn
late_element_set_state (GstElement * element, GstState state)
{
  GstState other = meanwhile;

  meanwhile = GST_STATE_VOID_PENDING;
  if (other != GST_STATE_VOID_PENDING)
    gst_element_set_state (GST_ELEMENT_PARENT (element), other);
  return GST_ELEMENT_CLASS (late_element_parent_class)->set_state (element,
      state);
}

static void
late_element_class_init (LateElementClass * klass)
{
  GST_ELEMENT_CLASS (klass)->set_state = late_element_set_state;
}

static void
late_element_init (LateElement * self)
{
}

static const GstState targets[] = {
  GST_STATE_VOID_PENDING, GST_STATE_NULL, GST_STATE_READY, GST_STATE_PLAYING
};

GST_START_TEST (test_elements_state_is_that_of_the_bin)
{
  GstElement *bin = gst_object_ref_sink (gst_bin_new (NULL));
  GstElement *element = g_object_new (late_element_get_type (), NULL);

  gst_element_set_state (bin, GST_STATE_PAUSED);
  gst_bin_add (GST_BIN (bin), element);
  meanwhile = targets[__i__];
  fail_unless (rtsp_sink_elements_sync_state (element));
  fail_unless_equals_int (GST_STATE (element), GST_STATE (bin));
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_object_unref (bin);
}

END_TEST;

GST_START_TEST (test_elements_that_do_not_fit_are_named)
{
  g_autoptr (GError) error = NULL;
  GstElement *bin = gst_object_ref_sink (gst_bin_new (NULL));
  GstElement *first = gst_element_factory_make ("fakesrc", "first");
  GstElement *second = gst_element_factory_make ("fakesrc", "second");
  GstElement *third = gst_element_factory_make ("fakesink", "third");

  gst_bin_add_many (GST_BIN (bin), first, second, third, NULL);
  fail_if (rtsp_sink_elements_link (first, second, &error));
  fail_unless (strstr (error->message, "first") != NULL
      && strstr (error->message, "second") != NULL, "%s", error->message);
  fail_unless (rtsp_sink_elements_link (second, third, NULL));
  gst_object_unref (bin);
}

END_TEST;

static Suite *
elements_suite (void)
{
  Suite *suite = suite_create ("elements");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_add_loop_test (chain, test_elements_state_is_that_of_the_bin, 0,
      G_N_ELEMENTS (targets));
  tcase_add_test (chain, test_elements_that_do_not_fit_are_named);
  return suite;
}

CHECK_SUITE (elements);
