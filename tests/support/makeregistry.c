/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Scans the plugins once, before any test runs, into the file that GST_REGISTRY
 * names: tests that start at the same time would else all scan, for seconds. Being
 * built as the plugin is, it can load one that is built with a sanitizer. The file
 * gets a new time even if nothing has changed, for the build's sake.
 *
 * Usage: makeregistry [FEATURE...]; fails if a feature is not there.
 */

#include <gst/gst.h>
#include <glib/gstdio.h>
#include <utime.h>

int
main (int argc, char **argv)
{
  gint i, result = 0;

  gst_init (&argc, &argv);
  for (i = 1; i < argc; i++) {
    GstPluginFeature *feature =
        gst_registry_lookup_feature (gst_registry_get (),
        argv[i]);

    if (feature == NULL) {
      g_printerr ("no feature '%s' in GST_PLUGIN_PATH=%s\n", argv[i],
          g_getenv ("GST_PLUGIN_PATH"));
      result = 1;
    }
    gst_clear_object (&feature);
  }
  gst_deinit ();
  g_utime (g_getenv ("GST_REGISTRY"), NULL);
  return result;
}
