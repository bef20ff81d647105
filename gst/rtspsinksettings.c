/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What the user can set: a value struct, and the GObject properties that
 * write it. A leaf: knows no element, no thread, no lock. */

#include "rtspsinksettings.h"

#include <stddef.h>

#define DEFAULT_ADDRESS "0.0.0.0"
#define DEFAULT_PORT 8554
#define DEFAULT_MOUNT "/test"
#define DEFAULT_CODEC GST_RTSP_SERVER_SINK_CODEC_H264
#define DEFAULT_BITRATE 0
#define DEFAULT_KEY_UNIT_INTERVAL 2000
#define DEFAULT_ENCODER NULL
#define DEFAULT_SYNC GST_RTSP_SERVER_SINK_SYNC_AUTO
#define DEFAULT_TIMESTAMP_MODE GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO

GType
gst_rtsp_server_sink_codec_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_CODEC_H264, "H.264 (RFC 6184)", "h264"},
    {GST_RTSP_SERVER_SINK_CODEC_RAW, "Uncompressed video (RFC 4175)", "raw"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstRtspServerSinkCodec", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_rtsp_server_sink_sync_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_SYNC_AUTO,
        "Live input as it comes, other input at its own speed", "auto"},
    {GST_RTSP_SERVER_SINK_SYNC_TRUE, "At the speed of the time stamps",
        "true"},
    {GST_RTSP_SERVER_SINK_SYNC_FALSE, "As it comes", "false"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type = g_enum_register_static ("GstRtspServerSinkSync", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

GType
gst_rtsp_server_sink_timestamp_mode_get_type (void)
{
  static GType type = 0;
  static const GEnumValue values[] = {
    {GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO,
        "The buffer's time stamp while it agrees with the clock", "auto"},
    {GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_PTS, "The buffer's time stamp",
        "pts"},
    {GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL,
        "The time at which the buffer arrives", "arrival"},
    {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType new_type =
        g_enum_register_static ("GstRtspServerSinkTimestampMode", values);
    g_once_init_leave (&type, new_type);
  }
  return type;
}

void
rtsp_sink_settings_init (RtspSinkSettings * self)
{
  *self = (RtspSinkSettings) {
  .address = g_strdup (DEFAULT_ADDRESS),.port = DEFAULT_PORT,.mount =
        g_strdup (DEFAULT_MOUNT),.codec = DEFAULT_CODEC,.bitrate =
        DEFAULT_BITRATE,.key_unit_interval =
        DEFAULT_KEY_UNIT_INTERVAL,.encoder = DEFAULT_ENCODER,.sync =
        DEFAULT_SYNC,.timestamp_mode = DEFAULT_TIMESTAMP_MODE,};
}

/* Fills the uninitialised @self. */
void
rtsp_sink_settings_copy (RtspSinkSettings * self, const RtspSinkSettings * from)
{
  *self = *from;
  self->address = g_strdup (from->address);
  self->mount = g_strdup (from->mount);
  self->encoder = g_strdup (from->encoder);
}

void
rtsp_sink_settings_clear (RtspSinkSettings * self)
{
  g_clear_pointer (&self->address, g_free);
  g_clear_pointer (&self->mount, g_free);
  g_clear_pointer (&self->encoder, g_free);
}

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define AT_START (FLAGS | GST_PARAM_MUTABLE_READY)

static GParamSpec *
address_param (void)
{
  /**
   * GstRtspServerSink:address:
   *
   * The address to listen on: an IPv4 or IPv6 address of this machine, or a
   * name that resolves to one. "0.0.0.0" listens on all IPv4 addresses, "::"
   * on all of both families. An address that is not this machine's is an
   * error at NULL→READY. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("address", "Address",
      "Address to listen on (\"::\" = all of IPv4 and IPv6); "
      "read at NULL to READY", DEFAULT_ADDRESS, AT_START);
}

static GParamSpec *
port_param (void)
{
  /**
   * GstRtspServerSink:port:
   *
   * The TCP port to listen on. 0 takes any free port, which
   * #GstRtspServerSink:bound-port then tells. Elements of one process with
   * equal address and port share one server; each needs a mount of its own.
   * Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("port", "Port",
      "TCP port to listen on (0 = any free one); elements of one process "
      "share it; read at NULL to READY", 0, 65535, DEFAULT_PORT, AT_START);
}

static GParamSpec *
mount_param (void)
{
  /**
   * GstRtspServerSink:mount:
   *
   * The path under which viewers find the stream. A leading "/" is added and
   * a trailing one dropped; "/" alone is valid. Two elements on one port with
   * the same mount are an error at NULL→READY. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("mount", "Mount",
      "Path of the stream in the URL; read at NULL to READY",
      DEFAULT_MOUNT, AT_START);
}

static GParamSpec *
codec_param (void)
{
  /**
   * GstRtspServerSink:codec:
   *
   * What viewers get. "raw" needs 1.5 Gbit/s for RGB 1920x1080 at 30 frames/s
   * and few players take it; GStreamer does. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("codec", "Codec",
      "What viewers get; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_CODEC, DEFAULT_CODEC, AT_START);
}

static GParamSpec *
bitrate_param (void)
{
  /**
   * GstRtspServerSink:bitrate:
   *
   * The bit rate of the encoded video in bit/s (x264enc's own property is in
   * kbit/s). 0: one bit for each ten pixels, at least 400 kbit/s; for
   * 1280x720 at 30 frames/s 2.8 Mbit/s. Does nothing for codec=raw. Read at
   * NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("bitrate", "Bit rate",
      "Bit rate in bit/s (0 = a tenth of a bit per pixel, at least 400000); "
      "read at NULL to READY", 0, G_MAXINT, DEFAULT_BITRATE, AT_START);
}

static GParamSpec *
key_unit_interval_param (void)
{
  /**
   * GstRtspServerSink:key-unit-interval:
   *
   * The longest time between two key units in milliseconds. A viewer that
   * joins does not wait for it: it gets a key unit at once. Read at
   * NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("key-unit-interval", "Key unit interval",
      "Longest time between two key units in ms; read at NULL to READY",
      1, 3600000, DEFAULT_KEY_UNIT_INTERVAL, AT_START);
}

static GParamSpec *
encoder_param (void)
{
  /**
   * GstRtspServerSink:encoder:
   *
   * The launch description of the encoder to use instead of the one that the
   * element would choose, for example
   * `x264enc speed-preset=superfast tune=zerolatency`. A description that
   * does not parse, or has no H.264 encoder in it, is an error at
   * NULL→READY. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("encoder", "Encoder",
      "Launch description of the H.264 encoder (NULL = choose); "
      "read at NULL to READY", DEFAULT_ENCODER, AT_START);
}

static GParamSpec *
sync_param (void)
{
  /**
   * GstRtspServerSink:sync:
   *
   * Whether frames wait for their time before they are encoded and sent.
   * Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("sync", "Sync",
      "Whether frames wait for their time; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_SYNC, DEFAULT_SYNC, AT_START);
}

static GParamSpec *
timestamp_mode_param (void)
{
  /**
   * GstRtspServerSink:timestamp-mode:
   *
   * Which time a frame is said to be of. Buffers without a time stamp always
   * get the time at which they arrive. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("timestamp-mode", "Time stamp mode",
      "Which time a frame is said to be of; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, DEFAULT_TIMESTAMP_MODE,
      AT_START);
}

typedef enum
{
  FIELD_STRING,
  FIELD_UINT,
  FIELD_ENUM,
} FieldKind;

/* Which field a property writes: a new setting is a row here, and its
 * parameter above. */
static const struct
{
  GParamSpec *(*param) (void);
  const gchar *name;
  FieldKind kind;
  gsize offset;
} fields[] = {
#define FIELD(kind, field) kind, offsetof (RtspSinkSettings, field)
  {address_param, "address", FIELD (FIELD_STRING, address)},
  {port_param, "port", FIELD (FIELD_UINT, port)},
  {mount_param, "mount", FIELD (FIELD_STRING, mount)},
  {codec_param, "codec", FIELD (FIELD_ENUM, codec)},
  {bitrate_param, "bitrate", FIELD (FIELD_UINT, bitrate)},
  {key_unit_interval_param, "key-unit-interval",
      FIELD (FIELD_UINT, key_unit_interval)},
  {encoder_param, "encoder", FIELD (FIELD_STRING, encoder)},
  {sync_param, "sync", FIELD (FIELD_ENUM, sync)},
  {timestamp_mode_param, "timestamp-mode",
      FIELD (FIELD_ENUM, timestamp_mode)},
#undef FIELD
};

/**
 * rtsp_sink_settings_install_properties:
 * @first_id: the id of the first property
 *
 * Returns: the first id that is free again
 */
guint
rtsp_sink_settings_install_properties (GObjectClass * klass, guint first_id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    g_object_class_install_property (klass, first_id + i, fields[i].param ());

  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SYNC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, 0);

  return first_id + G_N_ELEMENTS (fields);
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
    case FIELD_ENUM:
      *(gint *) field = g_value_get_enum (value);
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
    case FIELD_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
  }
  return TRUE;
}
