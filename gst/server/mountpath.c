/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The one spelling of a mount's path (RFC 3986): a leading slash, no empty
 * segment, no trailing slash, everything that is not unreserved
 * percent-encoded. What the user sets and what a viewer asks for both pass
 * here, so that they meet however either spells it. Pure functions. */

#include "server/mountpath.h"

#include <string.h>

/* The library names a stream's control "stream=0". */
#define CONTROL_PREFIX "stream="

/* What may stand unescaped in a path segment: sub-delims, ":" and "@". The
 * "=" matters for controls. */
#define SEGMENT_CHARS "!$&'()*+,;=:@"

static gchar *
canonical_segment (const gchar * segment)
{
  g_autofree gchar *plain = g_uri_unescape_string (segment, NULL);

  /* A stray '%' is no escape: take it literally. */
  return g_uri_escape_string (plain ? plain : segment, SEGMENT_CHARS, FALSE);
}

/* NULL, or empty: there is none. */
static void
append_segment (GString * path, const gchar * segment)
{
  g_autofree gchar *canonical = NULL;

  if (segment == NULL || segment[0] == '\0')
    return;
  canonical = canonical_segment (segment);
  g_string_append_c (path, '/');
  g_string_append (path, canonical);
}

static gchar *
canonical_path (const gchar * path, const gchar * last)
{
  g_auto (GStrv) segments = g_strsplit (path, "/", -1);
  GString *result = g_string_new (NULL);

  for (gsize i = 0; segments[i] != NULL; i++)
    append_segment (result, segments[i]);
  append_segment (result, last);

  if (result->len == 0)
    g_string_append_c (result, '/');

  return g_string_free (result, FALSE);
}

/* "x=1/stream=0": some viewers put the control behind the URL as it was typed. */
static gchar *
find_control (const gchar * query)
{
  g_auto (GStrv) parts = NULL;

  if (query == NULL)
    return NULL;
  parts = g_strsplit_set (query, "/?", -1);
  for (gsize i = 1; parts[0] != NULL && parts[i] != NULL; i++) {
    if (g_str_has_prefix (parts[i], CONTROL_PREFIX))
      return g_strdup (parts[i]);
  }
  return NULL;
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
 * rtsp_sink_mount_path_from_mount:
 * @mount: (nullable): what the user set
 * @error: says what is wrong with @mount and what to set instead
 *
 * Any thread.
 *
 * Returns: (transfer full) (nullable): the path to serve
 */
gchar *
rtsp_sink_mount_path_from_mount (const gchar * mount, GError ** error)
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
  return canonical_path (mount, NULL);
}

/**
 * rtsp_sink_mount_path_from_request:
 * @url: a viewer's. Its query counts only where a control stands in it
 *
 * Any thread.
 *
 * Returns: (transfer full): the path to look up
 */
gchar *
rtsp_sink_mount_path_from_request (const GstRTSPUrl * url)
{
  g_autofree gchar *control = find_control (url->query);

  return canonical_path (url->abspath, control);
}

/**
 * rtsp_sink_mount_path_to_uri:
 * @path: from rtsp_sink_mount_path_from_mount()
 * @address: where the server listens; all addresses are shown as loopback,
 *   for "any" is none that can be pasted
 *
 * Any thread.
 *
 * Returns: (transfer full): the URL of the stream
 */
gchar *
rtsp_sink_mount_path_to_uri (const gchar * path, const gchar * address,
    guint port)
{
  const gchar *host = address;

  if (g_strcmp0 (address, "0.0.0.0") == 0)
    host = "127.0.0.1";
  else if (g_strcmp0 (address, "::") == 0)
    host = "::1";

  return g_uri_join (G_URI_FLAGS_ENCODED, "rtsp", NULL, host, port, path, NULL,
      NULL);
}
