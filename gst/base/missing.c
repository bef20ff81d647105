/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Errors of plugins that are missing: beside the words for the user they carry
 * what an application that installs plugins has to look for. A leaf; any thread,
 * no locks. */

#include "base/missing.h"

#include <gst/pbutils/missing-plugins.h>

typedef struct
{
  gchar *detail;                /* a factory's name, or caps */
} RtspSinkMissingErrorPrivate;

static void
rtsp_sink_missing_error_private_init (RtspSinkMissingErrorPrivate * priv)
{
}

static void
rtsp_sink_missing_error_private_copy (const RtspSinkMissingErrorPrivate * from,
    RtspSinkMissingErrorPrivate * to)
{
  to->detail = g_strdup (from->detail);
}

static void
rtsp_sink_missing_error_private_clear (RtspSinkMissingErrorPrivate * priv)
{
  g_free (priv->detail);
}

/* *INDENT-OFF* */
G_DEFINE_EXTENDED_ERROR (RtspSinkMissingError, rtsp_sink_missing_error)
/* *INDENT-ON* */

/**
 * rtsp_sink_missing_set_error:
 * @detail: the factory's name of an element, else caps
 * @format: the sentence with its cure
 */
void
rtsp_sink_missing_set_error (GError ** error, RtspSinkMissing what,
    const gchar * detail, const gchar * format, ...)
{
  GError *made;
  va_list args;

  va_start (args, format);
  made = g_error_new_valist (RTSP_SINK_MISSING_ERROR, what, format, args);
  va_end (args);
  rtsp_sink_missing_error_get_private (made)->detail = g_strdup (detail);
  g_propagate_error (error, made);
}

/**
 * rtsp_sink_missing_make_message:
 * @error: of this domain
 * @element: that posts it
 *
 * Returns: (transfer full): the message for applications that install plugins
 */
GstMessage *
rtsp_sink_missing_make_message (const GError * error, GstElement * element)
{
  const gchar *detail = rtsp_sink_missing_error_get_private (error)->detail;
  g_autoptr (GstCaps) caps = NULL;

  if (error->code == RTSP_SINK_MISSING_ELEMENT)
    return gst_missing_element_message_new (element, detail);
  caps = gst_caps_from_string (detail);
  return error->code == RTSP_SINK_MISSING_ENCODER ?
      gst_missing_encoder_message_new (element, caps) :
      gst_missing_decoder_message_new (element, caps);
}
