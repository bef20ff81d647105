/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * The plugin file itself, loaded from GST_PLUGIN_PATH as a user's program does:
 * all other C tests link the element's code.
 */

#include <gst/check/gstcheck.h>

#define NAME "rtspserversink"

static GstElement *
new_element (void)
{
  GstElement *element = gst_element_factory_make (NAME, NULL);

  fail_unless (element != NULL, "no element '" NAME "' in GST_PLUGIN_PATH");
  return element;
}

GST_START_TEST (test_plugin_loads_from_its_file)
{
  GstPlugin *plugin = gst_plugin_load_by_name (NAME);

  fail_unless (plugin != NULL);
  fail_unless (gst_plugin_get_filename (plugin) != NULL);
  fail_unless_equals_string (gst_plugin_get_license (plugin), "LGPL");
  gst_object_unref (plugin);
}

GST_END_TEST;

GST_START_TEST (test_plugin_classification_is_network_sink)
{
  GstElementFactory *factory = gst_element_factory_find (NAME);
  const gchar *klass;

  fail_unless (factory != NULL);
  klass = gst_element_factory_get_metadata (factory,
      GST_ELEMENT_METADATA_KLASS);
  fail_unless (strstr (klass, "Sink/Network") != NULL, "klass is '%s'", klass);
  gst_object_unref (factory);
}

GST_END_TEST;

static void
check_template (GstElement * element, const gchar * name,
    GstPadPresence presence)
{
  GstPadTemplate *pad_template = gst_element_class_get_pad_template
      (GST_ELEMENT_GET_CLASS (element), name);

  fail_unless (pad_template != NULL, "%s", name);
  fail_unless_equals_int (GST_PAD_TEMPLATE_DIRECTION (pad_template),
      GST_PAD_SINK);
  fail_unless_equals_int (GST_PAD_TEMPLATE_PRESENCE (pad_template), presence);
}

GST_START_TEST (test_plugin_pads_are_one_for_video_and_audio_on_request)
{
  GstElement *element = new_element ();

  fail_unless_equals_int (g_list_length (gst_element_class_get_pad_template_list
          (GST_ELEMENT_GET_CLASS (element))), 2);
  check_template (element, "sink", GST_PAD_ALWAYS);
  check_template (element, "audio_%u", GST_PAD_REQUEST);
  fail_unless_equals_int (element->numsinkpads, 1);
  fail_unless_equals_int (element->numsrcpads, 0);
  fail_unless (GST_OBJECT_FLAG_IS_SET (element, GST_ELEMENT_FLAG_SINK));
  gst_object_unref (element);
}

GST_END_TEST;

/* Name, blurb, and a value that is the default until something is set. */
static void
check_property (GstElement * element, GParamSpec * pspec)
{
  g_auto (GValue) value = G_VALUE_INIT;

  fail_unless (strlen (g_param_spec_get_blurb (pspec)) > 0,
      "'%s' is not documented", pspec->name);
  /* A structure that can only be read has no default. */
  if (!(pspec->flags & G_PARAM_READABLE)
      || (G_IS_PARAM_SPEC_BOXED (pspec) && !(pspec->flags & G_PARAM_WRITABLE)))
    return;
  g_value_init (&value, pspec->value_type);
  g_object_get_property (G_OBJECT (element), pspec->name, &value);
  fail_unless (g_param_value_defaults (pspec, &value),
      "'%s' is not its default in a new element", pspec->name);
}

GST_START_TEST (test_plugin_properties_have_their_defaults)
{
  GstElement *element = new_element ();
  guint i, n;
  g_autofree GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);
  guint own = 0;

  for (i = 0; i < n; i++) {
    if (pspecs[i]->owner_type != G_OBJECT_TYPE (element))
      continue;
    check_property (element, pspecs[i]);
    own++;
  }
  fail_unless (own > 0);
  gst_object_unref (element);
}

GST_END_TEST;

/* The names that users write in their launch lines. */
static const gchar *const promised[] = {
  "address", "port", "bound-port", "mount", "uri", "codec", "bitrate",
  "key-unit-interval", "encoder", "sync", "timestamp-mode", "num-viewers",
  "gop-cache", "output-caps", "audio-codec", "active-encoder", "stats",
};

GST_START_TEST (test_plugin_property_is_there)
{
  GstElement *element = new_element ();
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS
      (element), promised[__i__]);

  fail_unless (pspec != NULL, "no property '%s'", promised[__i__]);
  fail_unless (pspec->flags & G_PARAM_READABLE);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
plugin_suite (void)
{
  Suite *suite = suite_create ("plugin");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_plugin_loads_from_its_file);
  tcase_add_test (tests, test_plugin_classification_is_network_sink);
  tcase_add_test (tests,
      test_plugin_pads_are_one_for_video_and_audio_on_request);
  tcase_add_test (tests, test_plugin_properties_have_their_defaults);
  tcase_add_loop_test (tests, test_plugin_property_is_there, 0,
      G_N_ELEMENTS (promised));
  return suite;
}

GST_CHECK_MAIN (plugin);
