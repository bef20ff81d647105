/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The one spelling of a mount's path (RFC 3986): a leading slash, no empty
 * segment, no trailing slash, everything that is not unreserved
 * percent-encoded. What the user sets and what a viewer asks for both pass
 * here, so that they meet however either spells it. Pure functions. */

#include "rtspsinkpath.h"

#include <string.h>

/* What may stand unescaped in a path segment: sub-delims, ":" and "@". The
 * "=" matters: the library names a stream's control "stream=0". */
#define SEGMENT_CHARS "!$&'()*+,;=:@"

static gchar *
canonical_segment (const gchar * segment)
{
  g_autofree gchar *plain = g_uri_unescape_string (segment, NULL);

  /* A stray '%' is no escape: take it literally. */
  return g_uri_escape_string (plain ? plain : segment, SEGMENT_CHARS, FALSE);
}

static gchar *
canonical_path (const gchar * path)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);
  GString *result = g_string_new (NULL);

  for (gsize i = 0; segments[i] != NULL; i++) {
    g_autofree gchar *segment = NULL;

    if (segments[i][0] == '\0')
      continue;
    segment = canonical_segment (segments[i]);
    g_string_append_c (result, '/');
    g_string_append (result, segment);
  }

  if (result->len == 0)
    g_string_append_c (result, '/');

  return g_string_free (result, FALSE);
}

static gboolean
has_control_character (const gchar * text)
{
  for (; *text != '\0'; text++) {
    if (g_ascii_iscntrl (*text))
      return TRUE;
  }
  return FALSE;
}

/**
 * rtsp_sink_path_from_mount:
 * @mount: (nullable): what the user set
 * @error: says what is wrong with @mount and what to set instead
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): the path to serve
 */
gchar *
rtsp_sink_path_from_mount (const gchar * mount, GError ** error)
{
  if (mount == NULL || mount[0] == '\0') {
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "The mount is empty: set mount to a path like \"/test\", or \"/\"");
    return NULL;
  }
  if (!g_utf8_validate (mount, -1, NULL) || has_control_character (mount)) {
    g_autofree gchar *shown = g_strescape (mount, NULL);

    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
        "The mount '%s' has a control character or is not UTF-8: set mount "
        "to a path like \"/test\"", shown);
    return NULL;
  }
  return canonical_path (mount);
}

/**
 * rtsp_sink_path_from_request:
 * @abspath: the path of a viewer's URL, without its query
 *
 * Any thread.
 *
 * Returns: (transfer full): the path to look up
 */
gchar *
rtsp_sink_path_from_request (const gchar * abspath)
{
  return canonical_path (abspath);
}

/**
 * rtsp_sink_path_to_uri:
 * @path: from rtsp_sink_path_from_mount()
 * @address: where the server listens; all addresses are shown as loopback,
 *   for "any" is none that can be pasted
 *
 * Any thread.
 *
 * Returns: (transfer full): the URL of the stream
 */
gchar *
rtsp_sink_path_to_uri (const gchar * path, const gchar * address, guint port)
{
  const gchar *host = address;

  if (g_strcmp0 (address, "0.0.0.0") == 0)
    host = "127.0.0.1";
  else if (g_strcmp0 (address, "::") == 0)
    host = "::1";

  if (strchr (host, ':') != NULL)
    return g_strdup_printf ("rtsp://[%s]:%u%s", host, port, path);
  return g_strdup_printf ("rtsp://%s:%u%s", host, port, path);
}
