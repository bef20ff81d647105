/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The properties: names, ranges, defaults, and their documentation. A leaf. */

#include "element/properties.h"

#include <gst/rtsp/rtsp.h>

#include "base/enums.h"

#define DEFAULT_ADDRESS "0.0.0.0"
#define DEFAULT_PORT 8554
#define DEFAULT_MOUNT "/test"
#define DEFAULT_CODEC GST_RTSP_SERVER_SINK_CODEC_AUTO
#define DEFAULT_BITRATE 0
#define DEFAULT_KEY_UNIT_INTERVAL 2000
#define DEFAULT_GOP_CACHE FALSE
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
      "read at NULL to READY", DEFAULT_ADDRESS, AT_START);
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
      "share it; read at NULL to READY", 0, 65535, DEFAULT_PORT, AT_START);
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
      DEFAULT_MOUNT, AT_START);
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
      GST_TYPE_RTSP_SERVER_SINK_CODEC, DEFAULT_CODEC, AT_START);
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
      "pixel, at least 400000)", 0, G_MAXINT, DEFAULT_BITRATE, ANY_TIME);
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
      1, 3600000, DEFAULT_KEY_UNIT_INTERVAL, ANY_TIME);
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
      DEFAULT_GOP_CACHE, AT_START);
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
      "read at NULL to READY", DEFAULT_ENCODER, AT_START);
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
      GST_TYPE_RTSP_SERVER_SINK_AUDIO_CODEC, DEFAULT_AUDIO_CODEC, AT_START);
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
      GST_TYPE_RTSP_SERVER_SINK_SYNC, DEFAULT_SYNC, AT_START);
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
      GST_TYPE_RTSP_SERVER_SINK_TIMESTAMP_MODE, DEFAULT_TIMESTAMP_MODE,
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
      GST_TYPE_RTSP_SERVER_SINK_SHARED, DEFAULT_SHARED, AT_START);
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
      "read at NULL to READY", 0, G_MAXUINT, DEFAULT_MAX_VIEWERS, AT_START);
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
      DEFAULT_VIEWER_MAX_DELAY, AT_START);
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
      DEFAULT_VIEWER_STALL_TIMEOUT, AT_START);
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
      "read at NULL to READY", 1, 86400, DEFAULT_SESSION_TIMEOUT, AT_START);
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
      GST_TYPE_RTSP_LOWER_TRANS, DEFAULT_PROTOCOLS, AT_START);
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
      GST_TYPE_RTSP_PROFILE, DEFAULT_PROFILES, AT_START);
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
      "read at NULL to READY", DEFAULT_MULTICAST_ADDRESS_RANGE, AT_START);
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
      "read at NULL to READY", DEFAULT_MULTICAST_PORT_RANGE, AT_START);
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
      "read at NULL to READY", 1, 255, DEFAULT_MULTICAST_TTL, AT_START);
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
      "read at NULL to READY", DEFAULT_MULTICAST_IFACE, AT_START);
}

static GParamSpec *(*const params[]) (void) = {
  address_param,
  port_param,
  mount_param,
  codec_param,
  bitrate_param,
  key_unit_interval_param,
  gop_cache_param,
  encoder_param,
  audio_codec_param,
  output_caps_param,
  sync_param,
  timestamp_mode_param,
  shared_param,
  max_viewers_param,
  viewer_max_delay_param,
  viewer_stall_timeout_param,
  session_timeout_param,
  protocols_param,
  profiles_param,
  multicast_address_range_param,
  multicast_port_range_param,
  multicast_ttl_param,
  multicast_iface_param,
};

/**
 * rtsp_sink_properties_make:
 * @i: from 0 on
 *
 * Returns: (transfer floating) (nullable): the parameter of a setting; NULL:
 *   there are not so many
 */
GParamSpec *
rtsp_sink_properties_make (guint i)
{
  return i < G_N_ELEMENTS (params) ? params[i] () : NULL;
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

/* In the order of their ids. */
static GParamSpec *(*const status_params[]) (void) = {
  bound_port_param,
  uri_param,
  num_viewers_param,
  active_encoder_param,
  stats_param,
};

/**
 * rtsp_sink_properties_install_status:
 *
 * What can only be read: bound-port, uri, num-viewers, active-encoder, stats,
 * with ids from @first_id on.
 */
void
rtsp_sink_properties_install_status (GObjectClass * klass, guint first_id)
{
  for (guint i = 0; i < G_N_ELEMENTS (status_params); i++)
    g_object_class_install_property (klass, first_id + i, status_params[i] ());
}
