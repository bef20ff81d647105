/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The plugin: registers the one element. */

#include "element/gstrtspserversink.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  return GST_ELEMENT_REGISTER (rtspserversink, plugin);
}

/* *INDENT-OFF* */
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, rtspserversink,
    "Serves the pipeline's video to RTSP viewers",
    plugin_init, VERSION, "LGPL", PACKAGE,
    "Unknown package origin")
/* *INDENT-ON* */
