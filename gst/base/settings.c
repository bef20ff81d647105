/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What the user can set: a value struct, and the GObject properties that
 * write it. A leaf: knows no element, no thread, no lock. */

#include "base/settings.h"

#include <stddef.h>
#include <string.h>

#include "element/properties.h"

typedef enum
{
  FIELD_STRING,
  FIELD_UINT,
  FIELD_BOOLEAN,
  FIELD_ENUM,
  FIELD_FLAGS,
  FIELD_CAPS,
} FieldKind;

/* Which field a property writes: a new setting is a row here, and its
 * parameter in element/properties. */
static const struct
{
  const gchar *name;
  FieldKind kind;
  gsize offset;
} fields[] = {
#define FIELD(kind, field) kind, offsetof (RtspSinkSettings, field)
  {"address", FIELD (FIELD_STRING, address)},
  {"port", FIELD (FIELD_UINT, port)},
  {"mount", FIELD (FIELD_STRING, mount)},
  {"codec", FIELD (FIELD_ENUM, codec)},
  {"bitrate", FIELD (FIELD_UINT, bitrate)},
  {"key-unit-interval",
      FIELD (FIELD_UINT, key_unit_interval)},
  {"gop-cache", FIELD (FIELD_BOOLEAN, gop_cache)},
  {"encoder", FIELD (FIELD_STRING, encoder)},
  {"audio-codec", FIELD (FIELD_ENUM, audio_codec)},
  {"output-caps", FIELD (FIELD_CAPS, output_caps)},
  {"sync", FIELD (FIELD_ENUM, sync)},
  {"timestamp-mode",
      FIELD (FIELD_ENUM, timestamp_mode)},
  {"shared", FIELD (FIELD_ENUM, shared)},
  {"max-viewers", FIELD (FIELD_UINT, max_viewers)},
  {"viewer-max-delay",
      FIELD (FIELD_UINT, viewer_max_delay)},
  {"viewer-stall-timeout",
      FIELD (FIELD_UINT, viewer_stall_timeout)},
  {"session-timeout",
      FIELD (FIELD_UINT, session_timeout)},
  {"protocols", FIELD (FIELD_FLAGS, protocols)},
  {"profiles", FIELD (FIELD_FLAGS, profiles)},
  {"multicast-address-range",
      FIELD (FIELD_STRING, multicast_address_range)},
  {"multicast-port-range",
      FIELD (FIELD_STRING, multicast_port_range)},
  {"multicast-ttl", FIELD (FIELD_UINT, multicast_ttl)},
  {"multicast-iface",
      FIELD (FIELD_STRING, multicast_iface)},
#undef FIELD
};

/* To what the properties say are their defaults. */
void
rtsp_sink_settings_init (RtspSinkSettings * self)
{
  GParamSpec *pspec;

  memset (self, 0, sizeof *self);
  for (guint i = 0; (pspec = rtsp_sink_properties_make (i)) != NULL; i++) {
    g_param_spec_ref_sink (pspec);
    rtsp_sink_settings_set_property (self, pspec,
        g_param_spec_get_default_value (pspec));
    g_param_spec_unref (pspec);
  }
}

/* Fills the uninitialised @self. */
void
rtsp_sink_settings_copy (RtspSinkSettings * self, const RtspSinkSettings * from)
{
  *self = *from;
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (fields[i].kind == FIELD_STRING) {
      gchar **field = G_STRUCT_MEMBER_P (self, fields[i].offset);

      *field = g_strdup (*field);
    } else if (fields[i].kind == FIELD_CAPS) {
      GstCaps **field = G_STRUCT_MEMBER_P (self, fields[i].offset);

      *field = *field != NULL ? gst_caps_ref (*field) : NULL;
    }
  }
}

void
rtsp_sink_settings_clear (RtspSinkSettings * self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (fields[i].kind == FIELD_STRING)
      g_clear_pointer ((gchar **) G_STRUCT_MEMBER_P (self, fields[i].offset),
          g_free);
    else if (fields[i].kind == FIELD_CAPS)
      gst_clear_caps ((GstCaps **) G_STRUCT_MEMBER_P (self, fields[i].offset));
  }
}

/**
 * rtsp_sink_settings_install_properties:
 * @first_id: the id of the first property
 *
 * Returns: the first id that is free again
 */
guint
rtsp_sink_settings_install_properties (GObjectClass * klass, guint first_id)
{
  GParamSpec *pspec;
  guint i;

  for (i = 0; (pspec = rtsp_sink_properties_make (i)) != NULL; i++)
    g_object_class_install_property (klass, first_id + i, pspec);

  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SYNC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SHARED, 0);

  return first_id + i;
}

static gint
find_field (GParamSpec * pspec)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    if (g_strcmp0 (fields[i].name, pspec->name) == 0)
      return i;
  }
  return -1;
}

/**
 * rtsp_sink_settings_set_property:
 *
 * Returns: FALSE if @pspec is no setting
 */
gboolean
rtsp_sink_settings_set_property (RtspSinkSettings * self, GParamSpec * pspec,
    const GValue * value)
{
  gint i = find_field (pspec);
  gpointer field;

  if (i < 0)
    return FALSE;

  field = G_STRUCT_MEMBER_P (self, fields[i].offset);
  switch (fields[i].kind) {
    case FIELD_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
      break;
    case FIELD_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case FIELD_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case FIELD_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case FIELD_FLAGS:
      *(guint *) field = g_value_get_flags (value);
      break;
    case FIELD_CAPS:
      gst_clear_caps ((GstCaps **) field);
      *(GstCaps **) field = g_value_dup_boxed (value);
      break;
  }
  return TRUE;
}

/**
 * rtsp_sink_settings_get_property:
 *
 * Returns: FALSE if @pspec is no setting
 */
gboolean
rtsp_sink_settings_get_property (const RtspSinkSettings * self,
    GParamSpec * pspec, GValue * value)
{
  gint i = find_field (pspec);
  gconstpointer field;

  if (i < 0)
    return FALSE;

  field = G_STRUCT_MEMBER_P (self, fields[i].offset);
  switch (fields[i].kind) {
    case FIELD_STRING:
      g_value_set_string (value, *(gchar * const *) field);
      break;
    case FIELD_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case FIELD_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case FIELD_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case FIELD_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
    case FIELD_CAPS:
      g_value_set_boxed (value, *(GstCaps * const *) field);
      break;
  }
  return TRUE;
}
