/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The properties: names, ranges, documentation, and the field of the settings that
 * each writes. Knows no element, no thread, no lock. */

#include "element/properties.h"

#include <gst/rtsp/rtsp.h>

#define DEFAULT(field) rtsp_sink_settings_defaults.field

#define FLAGS (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)
#define AT_START (FLAGS | GST_PARAM_MUTABLE_READY)
#define ANY_TIME (FLAGS | GST_PARAM_MUTABLE_PLAYING)
#define STATUS (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static GParamSpec *
address_param (void)
{
  /**
   * GstRtspServerSink:address:
   *
   * The address to listen on: an IPv4 or IPv6 address of this machine, or a
   * name that resolves to one. "0.0.0.0" listens on all IPv4 addresses, "::"
   * on all addresses of both families. An address of another machine is an
   * error at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("address", "Address",
      "Address to listen on (\"::\" = all of IPv4 and IPv6); "
      "read at NULL to READY", DEFAULT (address), AT_START);
}

static GParamSpec *
port_param (void)
{
  /**
   * GstRtspServerSink:port:
   *
   * The TCP port to listen on. 0 takes any free port;
   * #GstRtspServerSink:bound-port tells which. Elements of one process with
   * the same address and port share one server; each needs a mount of its
   * own.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("port", "Port",
      "TCP port to listen on (0 = any free one); elements of one process "
      "share it; read at NULL to READY", 0, 65535, DEFAULT (port), AT_START);
}

static GParamSpec *
mount_param (void)
{
  /**
   * GstRtspServerSink:mount:
   *
   * The path of the stream in the URL. A leading "/" is added and a trailing
   * one removed; "/" alone is valid. Two elements on one port with the same
   * mount are an error at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("mount", "Mount",
      "Path of the stream in the URL; read at NULL to READY",
      DEFAULT (mount), AT_START);
}

static GParamSpec *
codec_param (void)
{
  /**
   * GstRtspServerSink:codec:
   *
   * What viewers get. "auto" sends encoded video as it comes, and raw video
   * as H.264. Any other value sends video of that codec as it comes, encodes
   * raw video, and decodes and encodes video of another codec. JPEG that RTP
   * cannot carry (RFC 2435: over 2040 pixels, or neither 4:2:0 nor 4:2:2) is
   * encoded again with "auto", and an error with "jpeg". "raw" takes 664
   * Mbit/s for RGB of 1280x720 at 30 frames/s; few players but GStreamer
   * show it.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("codec", "Codec",
      "What viewers get; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_CODEC, DEFAULT (codec), AT_START);
}

static GParamSpec *
bitrate_param (void)
{
  /**
   * GstRtspServerSink:bitrate:
   *
   * The bit rate of video that is encoded here, in bit/s (x264enc's own
   * property is in kbit/s). 0: a tenth of a bit per pixel for H.264 and VP8,
   * 0.07 for H.265 and VP9, 0.06 for AV1, at least 400 kbit/s. H.264 of
   * 1280x720 at 30 frames/s gets 2.8 Mbit/s. It has no effect on raw video
   * and JPEG. Can be changed at any time.
   *
   * An encoder given by #GstRtspServerSink:encoder keeps its own bit rate
   * unless this is set. The element can set the bit rate of the encoders
   * that GStreamer ships, in software and hardware. Another encoder keeps
   * its own, and a warning is logged.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("bitrate", "Bit rate",
      "Bit rate in bit/s (0 = by size and rate, H.264 a tenth of a bit per "
      "pixel, at least 400000)", 0, G_MAXINT, DEFAULT (bitrate), ANY_TIME);
}

static GParamSpec *
key_unit_interval_param (void)
{
  /**
   * GstRtspServerSink:key-unit-interval:
   *
   * The longest time between two key units of video that is encoded here, in
   * milliseconds. A viewer that joins does not wait for it: it gets a key
   * unit at once. Can be changed at any time.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("key-unit-interval", "Key unit interval",
      "Longest time between two key units in ms",
      1, 3600000, DEFAULT (key_unit_interval), ANY_TIME);
}

static GParamSpec *
gop_cache_param (void)
{
  /**
   * GstRtspServerSink:gop-cache:
   *
   * Whether a viewer of video that comes in encoded begins with the newest
   * group of pictures, which is kept for that, and not with the next key
   * unit. For encoders that make no key unit when they are asked: the
   * picture is there at once, but as late as that key unit is old, unless
   * the player catches up. The group is sent at four times its speed, and at
   * once when the input ends. It is kept up to 16 MiB and 16384 packets.
   * Viewers of a multicast group begin with the next key unit.
   *
   * Since: 0.1
   */
  return g_param_spec_boolean ("gop-cache", "Group of pictures cache",
      "Whether viewers of encoded input begin with the newest group of "
      "pictures instead of the next key unit; read at NULL to READY",
      DEFAULT (gop_cache), AT_START);
}

static GParamSpec *
encoder_param (void)
{
  /**
   * GstRtspServerSink:encoder:
   *
   * The launch description of the encoder to use, for example `x264enc
   * speed-preset=superfast tune=zerolatency`. It may have elements around
   * the encoder. With #GstRtspServerSink:codec set to auto raw video is sent in the
   * codec that it makes. A description that does not parse, has no video
   * encoder in it, or makes another codec than the one that is set, is an
   * error at NULL→READY.
   *
   * NULL: an encoder in hardware that opens; else x264enc or openh264enc,
   * x265enc, vp8enc, vp9enc, av1enc or jpegenc; else any other encoder of
   * the codec that opens, by rank.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("encoder", "Encoder",
      "Launch description of the encoder (NULL = choose); "
      "read at NULL to READY", DEFAULT (encoder), AT_START);
}

static GParamSpec *
audio_codec_param (void)
{
  /**
   * GstRtspServerSink:audio-codec:
   *
   * What viewers hear of audio pads. "auto" sends encoded audio as it comes,
   * and raw audio as Opus. Any other value encodes raw audio; encoded audio
   * has to be of that codec. Read at NULL→READY, or when a pad is requested
   * after that.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("audio-codec", "Audio codec",
      "What viewers hear; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC, DEFAULT (audio_codec), AT_START);
}

static GParamSpec *
output_caps_param (void)
{
  /**
   * GstRtspServerSink:output-caps:
   *
   * Size and rate of the video that is served, for example
   * `video/x-raw,width=640,framerate=15/1`: one or more of width, height and
   * framerate. With width or height alone the other one follows from the
   * shape of the picture; with both the picture keeps its shape, between
   * black bars. Frames above the rate are dropped; none are added. Encoded
   * input is decoded and encoded again. Nothing of that is done while nobody
   * watches.
   *
   * Since: 0.1
   */
  return g_param_spec_boxed ("output-caps", "Output caps",
      "Width, height and framerate of what is served (NULL = the input's); "
      "read at NULL to READY", GST_TYPE_CAPS, AT_START);
}

static GParamSpec *
sync_param (void)
{
  /**
   * GstRtspServerSink:sync:
   *
   * Whether frames wait for their time before they are encoded and sent.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("sync", "Sync",
      "Whether frames wait for their time; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_SYNC, DEFAULT (sync), AT_START);
}

static GParamSpec *
timestamp_mode_param (void)
{
  /**
   * GstRtspServerSink:timestamp-mode:
   *
   * Which time a frame is of. "auto" takes its time stamp while that agrees
   * with the clock, and repairs it otherwise. A frame without a time stamp
   * always gets the time at which it arrives.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("timestamp-mode", "Time stamp mode",
      "Which time a frame is said to be of; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, DEFAULT (timestamp_mode),
      AT_START);
}

static GParamSpec *
shared_param (void)
{
  /**
   * GstRtspServerSink:shared:
   *
   * Whether viewers share a media: its RTP session, sockets and threads. A
   * media of its own costs a viewer 6 threads and, over UDP, 18 file
   * descriptors; a shared one costs hardly any. Each viewer begins with a
   * key unit and has its own sequence numbers and its own queue either way.
   * With "auto" the first four viewers have a media of their own, and all
   * others share one. All viewers share one with multicast, and when file
   * descriptors run short.
   *
   * Since: 0.1
   */
  return g_param_spec_enum ("shared", "Shared",
      "Whether viewers share a media; read at NULL to READY",
      GST_TYPE_RTSP_SERVER_SINK_SHARED, DEFAULT (shared), AT_START);
}

static GParamSpec *
max_viewers_param (void)
{
  /**
   * GstRtspServerSink:max-viewers:
   *
   * How many viewers may watch at a time; a viewer that paused counts. One
   * more viewer is answered 503 Too Many Viewers. 0: any number.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("max-viewers", "Maximum number of viewers",
      "How many may watch at a time, paused or not (0 = any number); "
      "read at NULL to READY", 0, G_MAXUINT, DEFAULT (max_viewers), AT_START);
}

static GParamSpec *
viewer_max_delay_param (void)
{
  /**
   * GstRtspServerSink:viewer-max-delay:
   *
   * How far a viewer over TCP may fall behind, in milliseconds, before it
   * skips to the next key unit. What its machine has not acknowledged
   * counts. Sound, which waits behind the pictures, may fall behind twice as
   * far. At most 8 MiB wait for a viewer.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("viewer-max-delay", "Maximum delay of a viewer",
      "How far a TCP viewer may fall behind in ms before it skips to the next "
      "key unit; read at NULL to READY", 50, 60000,
      DEFAULT (viewer_max_delay), AT_START);
}

static GParamSpec *
viewer_stall_timeout_param (void)
{
  /**
   * GstRtspServerSink:viewer-stall-timeout:
   *
   * How long a viewer over TCP may take nothing at all, in milliseconds,
   * before its connection is closed.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("viewer-stall-timeout", "Stall timeout of a viewer",
      "How long a TCP viewer may take nothing at all in ms before it is "
      "disconnected; read at NULL to READY", 100, 3600000,
      DEFAULT (viewer_stall_timeout), AT_START);
}

static GParamSpec *
session_timeout_param (void)
{
  /**
   * GstRtspServerSink:session-timeout:
   *
   * How long a viewer may show no sign of life, in seconds: neither an RTSP
   * request nor RTCP, nor, over TCP, taking data. The Session header tells
   * it this time (RFC 2326, 12.37). It is disconnected 15 s later.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("session-timeout", "Session timeout",
      "How long a viewer may show no life in s; it is disconnected 15 s later; "
      "read at NULL to READY", 1, 86400, DEFAULT (session_timeout), AT_START);
}

static GParamSpec *
protocols_param (void)
{
  /**
   * GstRtspServerSink:protocols:
   *
   * How packets may be sent: to each viewer over UDP ("udp") or TCP ("tcp",
   * RTSP over HTTP included), or over UDP to a group of viewers
   * ("udp-mcast"). A viewer that asks for another way is answered 461. Other
   * flags are an error at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_flags ("protocols", "Protocols",
      "Lower transports to offer, of udp, udp-mcast and tcp alone; "
      "read at NULL to READY",
      GST_TYPE_RTSP_LOWER_TRANS, DEFAULT (protocols), AT_START);
}

static GParamSpec *
profiles_param (void)
{
  /**
   * GstRtspServerSink:profiles:
   *
   * The RTP profile: "avp" (RFC 3551); or "avpf" (RFC 4585), with which
   * viewers can ask for a key unit when they lost packets. GStreamer takes
   * avpf, FFmpeg 5.1 does not. Other flags are an error at NULL→READY.
   *
   * Since: 0.1
   */
  return g_param_spec_flags ("profiles", "Profiles",
      "RTP profile to offer, either avp or avpf; read at NULL to READY",
      GST_TYPE_RTSP_PROFILE, DEFAULT (profiles), AT_START);
}

static GParamSpec *
multicast_address_range_param (void)
{
  /**
   * GstRtspServerSink:multicast-address-range:
   *
   * The multicast group: an address, or the first and the last of a range,
   * as in "239.255.42.1-239.255.42.9". The four multicast properties are
   * used, and checked, only if #GstRtspServerSink:protocols has udp-mcast.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("multicast-address-range",
      "Multicast address range",
      "Multicast address, or first and last of a range with \"-\" between; "
      "read at NULL to READY", DEFAULT (multicast_address_range), AT_START);
}

static GParamSpec *
multicast_port_range_param (void)
{
  /**
   * GstRtspServerSink:multicast-port-range:
   *
   * The UDP ports for multicast, as in "5000-5009". RTP takes an even port,
   * RTCP the next one. Elements of one machine need ranges that do not
   * overlap.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("multicast-port-range", "Multicast port range",
      "First and last UDP port for multicast with \"-\" between; "
      "read at NULL to READY", DEFAULT (multicast_port_range), AT_START);
}

static GParamSpec *
multicast_ttl_param (void)
{
  /**
   * GstRtspServerSink:multicast-ttl:
   *
   * The time to live of multicast packets: the number of routers that they
   * may cross, plus one. 1 keeps them in the local network.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("multicast-ttl", "Multicast TTL",
      "How many routers multicast packets may pass, plus one; "
      "read at NULL to READY", 1, 255, DEFAULT (multicast_ttl), AT_START);
}

static GParamSpec *
multicast_iface_param (void)
{
  /**
   * GstRtspServerSink:multicast-iface:
   *
   * The network interface that multicast packets leave by, for example
   * "eth0". NULL: the one of the route to the group.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("multicast-iface", "Multicast interface",
      "Network interface for multicast (NULL = by the route); "
      "read at NULL to READY", DEFAULT (multicast_iface), AT_START);
}

static GParamSpec *
bound_port_param (void)
{
  /**
   * GstRtspServerSink:bound-port:
   *
   * The TCP port that is listened on, from READY on; 0 in NULL.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("bound-port", "Bound port",
      "TCP port that is listened on (0 = none yet)", 0, 65535, 0, STATUS);
}

static GParamSpec *
uri_param (void)
{
  /**
   * GstRtspServerSink:uri:
   *
   * The URL of the stream, from READY on; NULL in NULL. It names the
   * loopback address if all addresses are listened on.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("uri", "URI",
      "URL of the stream, from READY on", NULL, STATUS);
}

static GParamSpec *
num_viewers_param (void)
{
  /**
   * GstRtspServerSink:num-viewers:
   *
   * How many viewers play now, without those that paused. Messages tell of
   * its changes; it is not notified.
   *
   * Since: 0.1
   */
  return g_param_spec_uint ("num-viewers", "Number of viewers",
      "How many viewers play now", 0, G_MAXUINT, 0, STATUS);
}

static GParamSpec *
active_encoder_param (void)
{
  /**
   * GstRtspServerSink:active-encoder:
   *
   * The name of the encoder in use, for example "x264enc". NULL while
   * nothing is encoded: in NULL, with codec=raw, and while encoded video is
   * sent as it comes.
   *
   * Since: 0.1
   */
  return g_param_spec_string ("active-encoder", "Active encoder",
      "Name of the encoder in use", NULL, STATUS);
}

static GParamSpec *
stats_param (void)
{
  /**
   * GstRtspServerSink:stats:
   *
   * What came in and who gets it: `application/x-rtspserversink-stats` with
   * counts of video (uint64) since READY, and an array `viewers` as
   * #GstRtspServerSink::get-viewers returns it. `frames` came whole and
   * within their segment; of these `unwatched` ended early because nobody
   * watched, and `late` were dropped because the source is live and the
   * encoder too slow. Dropped with one warning: `misfits`, raw frames whose
   * size is not that of the caps, and `damaged`, pieces of encoded video or
   * sound that the parser or payloader refused. It is not notified.
   *
   * Since: 0.1
   */
  return g_param_spec_boxed ("stats", "Statistics",
      "Counts of frames since READY, and the viewers", GST_TYPE_STRUCTURE,
      STATUS);
}

/* By id. A new setting is a row here, its function above and its field with its
 * default in base/settings. */
static const struct
{
  GParamSpec *(*make) (void);
  gsize offset;                 /* of a setting's field */
} table[] = {
#define SETTING(field) {field##_param, offsetof (RtspSinkSettings, field)}
  [RTSP_SINK_PROPERTY_BOUND_PORT] = {bound_port_param},
  [RTSP_SINK_PROPERTY_URI] = {uri_param},
  [RTSP_SINK_PROPERTY_NUM_VIEWERS] = {num_viewers_param},
  [RTSP_SINK_PROPERTY_ACTIVE_ENCODER] = {active_encoder_param},
  [RTSP_SINK_PROPERTY_STATS] = {stats_param},
  SETTING (address),
  SETTING (port),
  SETTING (mount),
  SETTING (codec),
  SETTING (bitrate),
  SETTING (key_unit_interval),
  SETTING (gop_cache),
  SETTING (encoder),
  SETTING (audio_codec),
  SETTING (output_caps),
  SETTING (sync),
  SETTING (timestamp_mode),
  SETTING (shared),
  SETTING (max_viewers),
  SETTING (viewer_max_delay),
  SETTING (viewer_stall_timeout),
  SETTING (session_timeout),
  SETTING (protocols),
  SETTING (profiles),
  SETTING (multicast_address_range),
  SETTING (multicast_port_range),
  SETTING (multicast_ttl),
  SETTING (multicast_iface),
#undef SETTING
};

void
rtsp_sink_properties_install (GObjectClass * klass)
{
  GParamSpec *specs[G_N_ELEMENTS (table)] = { NULL };

  for (guint id = 1; id < G_N_ELEMENTS (table); id++)
    specs[id] = table[id].make ();
  g_object_class_install_properties (klass, G_N_ELEMENTS (specs), specs);

  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SYNC, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_RTSP_SERVER_SINK_SHARED, 0);
}

/**
 * rtsp_sink_properties_set:
 * @id: of a property that can be written
 */
void
rtsp_sink_properties_set (RtspSinkSettings * settings, guint id,
    const GValue * value)
{
  gpointer field = G_STRUCT_MEMBER_P (settings, table[id].offset);

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
      break;
    case G_TYPE_UINT:
      *(guint *) field = g_value_get_uint (value);
      break;
    case G_TYPE_BOOLEAN:
      *(gboolean *) field = g_value_get_boolean (value);
      break;
    case G_TYPE_ENUM:
      *(gint *) field = g_value_get_enum (value);
      break;
    case G_TYPE_FLAGS:
      *(guint *) field = g_value_get_flags (value);
      break;
    case G_TYPE_BOXED:
      gst_clear_caps ((GstCaps **) field);
      *(GstCaps **) field = g_value_dup_boxed (value);
      break;
    default:
      g_assert_not_reached ();
  }
}

/**
 * rtsp_sink_properties_get:
 * @id: of a property that can be written
 */
void
rtsp_sink_properties_get (const RtspSinkSettings * settings, guint id,
    GValue * value)
{
  gconstpointer field = G_STRUCT_MEMBER_P (settings, table[id].offset);

  switch (G_TYPE_FUNDAMENTAL (G_VALUE_TYPE (value))) {
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar * const *) field);
      break;
    case G_TYPE_UINT:
      g_value_set_uint (value, *(const guint *) field);
      break;
    case G_TYPE_BOOLEAN:
      g_value_set_boolean (value, *(const gboolean *) field);
      break;
    case G_TYPE_ENUM:
      g_value_set_enum (value, *(const gint *) field);
      break;
    case G_TYPE_FLAGS:
      g_value_set_flags (value, *(const guint *) field);
      break;
    case G_TYPE_BOXED:
      g_value_set_boxed (value, *(GstCaps * const *) field);
      break;
    default:
      g_assert_not_reached ();
  }
}
