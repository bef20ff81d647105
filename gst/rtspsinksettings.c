/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What the user can set: a value struct, and the GObject properties that
 * write it. A leaf: knows no element, no thread, no lock. */

#include "rtspsinksettings.h"

#include <stddef.h>
#include <string.h>

#define DEFAULT_ADDRESS "0.0.0.0"
#define DEFAULT_PORT 8554
#define DEFAULT_MOUNT "/test"
#define DEFAULT_CODEC GST_RTSP_SERVER_SINK_CODEC_H264
#define DEFAULT_BITRATE 0
#define DEFAULT_KEY_UNIT_INTERVAL 2000
#define DEFAULT_ENCODER NULL
#define DEFAULT_AUDIO_CODEC GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO
#define DEFAULT_SYNC GST_RTSP_SERVER_SINK_SYNC_AUTO
#define DEFAULT_TIMESTAMP_MODE GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO
#define DEFAULT_SHARED GST_RTSP_SERVER_SINK_SHARED_AUTO
#define DEFAULT_MAX_VIEWERS 0
#define DEFAULT_VIEWER_MAX_DELAY 1000
#define DEFAULT_VIEWER_STALL_TIMEOUT 10000
#define DEFAULT_SESSION_TIMEOUT 60
#define DEFAULT_PROTOCOLS (GST_RTSP_LOWER_TRANS_UDP | GST_RTSP_LOWER_TRANS_TCP)
#define DEFAULT_PROFILES GST_RTSP_PROFILE_AVP
#define DEFAULT_MULTICAST_ADDRESS_RANGE "239.255.42.42"
#define DEFAULT_MULTICAST_PORT_RANGE "5000-5009"
#define DEFAULT_MULTICAST_TTL 1
#define DEFAULT_MULTICAST_IFACE NULL

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
audio_codec_param (void)
{
  /**
   * GstRtspServerSink:audio-codec:
   *
   * What viewers hear of audio pads. "auto" sends encoded audio as it comes and
   * raw audio as Opus. With another one, raw audio is encoded to that, and
   * encoded audio has to be of that. Read at NULL→READY, or when a pad is
   * requested after that.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("audio-codec", "Audio codec",
      "What viewers hear; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC, DEFAULT_AUDIO_CODEC, AT_START);
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

static GParamSpec *
shared_param (void)
{
  /**
   * GstRtspServerSink:shared:
   *
   * Whether viewers share a media: its RTP session, sockets and threads. One
   * of its own costs a viewer 5 threads and, over UDP, 16 file descriptors; a
   * shared one costs it neither. Each viewer begins with a key unit, has its
   * own sequence numbers and its own queue either way. With "auto" the first
   * four viewers have a media of their own, and all others share one; all do
   * with multicast, or when file descriptors get short. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("shared", "Shared",
      "Whether viewers share a media; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_SHARED, DEFAULT_SHARED, AT_START);
}

static GParamSpec *
max_viewers_param (void)
{
  /**
   * GstRtspServerSink:max-viewers:
   *
   * How many viewers may watch at a time; one who paused counts. One more is
   * answered 503 Too Many Viewers. 0: any number. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("max-viewers", "Maximum number of viewers",
      "How many may watch at a time, paused or not (0 = any number); "
      "read at NULL to READY", 0, G_MAXUINT, DEFAULT_MAX_VIEWERS, AT_START);
}

static GParamSpec *
viewer_max_delay_param (void)
{
  /**
   * GstRtspServerSink:viewer-max-delay:
   *
   * How far a viewer over TCP may fall behind, in milliseconds, what is on its
   * way in the socket included, before it skips to the next key unit; sound,
   * which waits behind the pictures, twice that. At most 8 MiB wait for a viewer.
   * Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("viewer-max-delay", "Maximum delay of a viewer",
      "How far a TCP viewer may fall behind in ms before it skips to the next "
      "key unit; read at NULL to READY", 50, 60000,
      DEFAULT_VIEWER_MAX_DELAY, AT_START);
}

static GParamSpec *
viewer_stall_timeout_param (void)
{
  /**
   * GstRtspServerSink:viewer-stall-timeout:
   *
   * How long a viewer over TCP may take nothing at all, in milliseconds, before
   * its connection is closed. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("viewer-stall-timeout", "Stall timeout of a viewer",
      "How long a TCP viewer may take nothing at all in ms before it is "
      "disconnected; read at NULL to READY", 100, 3600000,
      DEFAULT_VIEWER_STALL_TIMEOUT, AT_START);
}

static GParamSpec *
session_timeout_param (void)
{
  /**
   * GstRtspServerSink:session-timeout:
   *
   * How long a viewer may show no life, in seconds: neither an RTSP request
   * nor RTCP, nor, over TCP, takes any data. It is told so in the Session
   * header (RFC 2326, 12.37), and disconnected 15 s later than that. Read at
   * NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("session-timeout", "Session timeout",
      "How long a viewer may show no life in s; it is disconnected 15 s later; "
      "read at NULL to READY", 1, 86400, DEFAULT_SESSION_TIMEOUT, AT_START);
}

static GParamSpec *
protocols_param (void)
{
  /**
   * GstRtspServerSink:protocols:
   *
   * How packets may be sent: to each viewer over UDP ("udp") or TCP ("tcp"), or
   * over UDP to a group of them ("udp-mcast"). A viewer who asks for another
   * way is answered 461. Other flags are an error at NULL→READY. Read at
   * NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_flags ("protocols", "Protocols",
      "Lower transports to offer, of udp, udp-mcast and tcp alone; "
      "read at NULL to READY",
      GST_TYPE_RTSP_LOWER_TRANS, DEFAULT_PROTOCOLS, AT_START);
}

static GParamSpec *
profiles_param (void)
{
  /**
   * GstRtspServerSink:profiles:
   *
   * The RTP profile: "avp" (RFC 3551), or "avpf" (RFC 4585), with which viewers
   * can ask for a key unit when they lost packets; FFmpeg does not take it. Others are an error at NULL→READY. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_flags ("profiles", "Profiles",
      "RTP profile to offer, either avp or avpf; read at NULL to READY",
      GST_TYPE_RTSP_PROFILE, DEFAULT_PROFILES, AT_START);
}

static GParamSpec *
multicast_address_range_param (void)
{
  /**
   * GstRtspServerSink:multicast-address-range:
   *
   * The group for viewers over multicast: an address, or the first and the
   * last of a range, as in "239.255.42.1-239.255.42.9". Used if
   * #GstRtspServerSink:protocols has udp-mcast. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("multicast-address-range",
      "Multicast address range",
      "Multicast address, or first and last of a range with \"-\" between; "
      "read at NULL to READY", DEFAULT_MULTICAST_ADDRESS_RANGE, AT_START);
}

static GParamSpec *
multicast_port_range_param (void)
{
  /**
   * GstRtspServerSink:multicast-port-range:
   *
   * The UDP ports for multicast, as in "5000-5009"; RTP takes an even one, RTCP
   * that above it. Elements of one machine need ranges that do not overlap.
   * Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("multicast-port-range", "Multicast port range",
      "First and last UDP port for multicast with \"-\" between; "
      "read at NULL to READY", DEFAULT_MULTICAST_PORT_RANGE, AT_START);
}

static GParamSpec *
multicast_ttl_param (void)
{
  /**
   * GstRtspServerSink:multicast-ttl:
   *
   * The time to live of multicast packets: 1 keeps them in the local network.
   * Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("multicast-ttl", "Multicast TTL",
      "How many routers multicast packets may pass, plus one; "
      "read at NULL to READY", 1, 255, DEFAULT_MULTICAST_TTL, AT_START);
}

static GParamSpec *
multicast_iface_param (void)
{
  /**
   * GstRtspServerSink:multicast-iface:
   *
   * The network interface that multicast packets leave by, as in "eth0". NULL:
   * the one of the route to the group. Read at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("multicast-iface", "Multicast interface",
      "Network interface for multicast (NULL = by the route); "
      "read at NULL to READY", DEFAULT_MULTICAST_IFACE, AT_START);
}

typedef enum
{
  FIELD_STRING,
  FIELD_UINT,
  FIELD_ENUM,
  FIELD_FLAGS,
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
  {audio_codec_param, "audio-codec", FIELD (FIELD_ENUM, audio_codec)},
  {sync_param, "sync", FIELD (FIELD_ENUM, sync)},
  {timestamp_mode_param, "timestamp-mode",
      FIELD (FIELD_ENUM, timestamp_mode)},
  {shared_param, "shared", FIELD (FIELD_ENUM, shared)},
  {max_viewers_param, "max-viewers", FIELD (FIELD_UINT, max_viewers)},
  {viewer_max_delay_param, "viewer-max-delay",
      FIELD (FIELD_UINT, viewer_max_delay)},
  {viewer_stall_timeout_param, "viewer-stall-timeout",
      FIELD (FIELD_UINT, viewer_stall_timeout)},
  {session_timeout_param, "session-timeout",
      FIELD (FIELD_UINT, session_timeout)},
  {protocols_param, "protocols", FIELD (FIELD_FLAGS, protocols)},
  {profiles_param, "profiles", FIELD (FIELD_FLAGS, profiles)},
  {multicast_address_range_param, "multicast-address-range",
      FIELD (FIELD_STRING, multicast_address_range)},
  {multicast_port_range_param, "multicast-port-range",
      FIELD (FIELD_STRING, multicast_port_range)},
  {multicast_ttl_param, "multicast-ttl", FIELD (FIELD_UINT, multicast_ttl)},
  {multicast_iface_param, "multicast-iface",
      FIELD (FIELD_STRING, multicast_iface)},
#undef FIELD
};

void
rtsp_sink_settings_init (RtspSinkSettings * self)
{
  memset (self, 0, sizeof *self);
  self->address = g_strdup (DEFAULT_ADDRESS);
  self->port = DEFAULT_PORT;
  self->mount = g_strdup (DEFAULT_MOUNT);
  self->codec = DEFAULT_CODEC;
  self->bitrate = DEFAULT_BITRATE;
  self->key_unit_interval = DEFAULT_KEY_UNIT_INTERVAL;
  self->encoder = g_strdup (DEFAULT_ENCODER);
  self->audio_codec = DEFAULT_AUDIO_CODEC;
  self->sync = DEFAULT_SYNC;
  self->timestamp_mode = DEFAULT_TIMESTAMP_MODE;
  self->shared = DEFAULT_SHARED;
  self->max_viewers = DEFAULT_MAX_VIEWERS;
  self->viewer_max_delay = DEFAULT_VIEWER_MAX_DELAY;
  self->viewer_stall_timeout = DEFAULT_VIEWER_STALL_TIMEOUT;
  self->session_timeout = DEFAULT_SESSION_TIMEOUT;
  self->protocols = DEFAULT_PROTOCOLS;
  self->profiles = DEFAULT_PROFILES;
  self->multicast_address_range = g_strdup (DEFAULT_MULTICAST_ADDRESS_RANGE);
  self->multicast_port_range = g_strdup (DEFAULT_MULTICAST_PORT_RANGE);
  self->multicast_ttl = DEFAULT_MULTICAST_TTL;
  self->multicast_iface = g_strdup (DEFAULT_MULTICAST_IFACE);
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
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    g_object_class_install_property (klass, first_id + i, fields[i].param ());

  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SYNC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SHARED, 0);

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
    case FIELD_FLAGS:
      *(guint *) field = g_value_get_flags (value);
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
    case FIELD_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
  }
  return TRUE;
}
