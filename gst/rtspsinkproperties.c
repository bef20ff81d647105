/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The properties: names, ranges, defaults, and their documentation. A leaf. */

#include "rtspsinkproperties.h"

#include <gst/rtsp/rtsp.h>

#include "rtspsinkenums.h"

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
   * What viewers get. With "auto" encoded video is sent as it came in, and raw
   * video as H.264. With any other value video of that codec is sent as it came
   * in, raw video is encoded, and video of another codec is decoded first.
   * JPEG that RTP cannot carry (RFC 2435: over 2040 pixels, or neither 4:2:0 nor
   * 4:2:2) is encoded anew with "auto", and an error with "jpeg". "raw" needs 1.5
   * Gbit/s for RGB 1920x1080 at 30 frames/s and few players take it; GStreamer
   * does. Read at NULL→READY.
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
   * The bit rate of the video in bit/s that is encoded here (x264enc's own
   * property is in kbit/s). 0: for H.264 and VP8 one bit for each ten pixels,
   * for H.265 and VP9 0.7, for AV1 0.6 of that; at least 400 kbit/s. H.264 of
   * 1280x720 at 30 frames/s gets 2.8 Mbit/s. Does nothing for raw video and
   * JPEG. Can be changed at any time.
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
   * The longest time between two key units in milliseconds, of video that is
   * encoded here. A viewer that joins does not wait for it: it gets a key unit
   * at once. Can be changed at any time.
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
   * Whether a viewer of video that comes in encoded begins with the newest group
   * of pictures, which is kept for that, and not with the next key unit. For
   * encoders that make no key unit when they are asked to: the picture is there
   * at once, but as late as that key unit was, unless the player catches up. The
   * group reaches the viewer at four times its speed, and is kept up to 16 MiB.
   * Viewers of a multicast group begin with the next key unit. Read at
   * NULL→READY.
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
   * The launch description of the encoder to use instead of the one that the
   * element would choose, for example
   * `x264enc speed-preset=superfast tune=zerolatency`; it may have elements
   * around it. With #GstRtspServerSink:codec=auto raw video is sent in the codec
   * that it makes. A description that does not parse, has no video encoder in
   * it, or one of another codec than the one that is set, is an error at
   * NULL→READY. Read at NULL→READY.
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
output_caps_param (void)
{
  /**
   * GstRtspServerSink:output-caps:
   *
   * Size and rate of what is served, for example
   * `video/x-raw,width=640,framerate=15/1`: one or more of width, height and
   * framerate. Of width and height alone the other follows from the shape of the
   * picture; of both the picture keeps its shape, between black bars. Frames
   * are left out where there are more than the rate, none are added. Encoded
   * input is decoded and encoded again. Nothing of that is done while nobody
   * watches. Read at NULL→READY.
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
   * The TCP port that is listened on, 0 in NULL.
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
   * The URL of the stream, NULL in NULL. Known from READY on. When all
   * addresses are listened on it names the loopback address.
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
   * How many viewers play now.
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
   * The name of the encoder in use, such as "x264enc"; NULL while nothing is
   * encoded: in NULL, with codec=raw, and while encoded video comes in that is
   * sent as it is.
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
   * counts of video (uint64) since READY and an array `viewers`, as
   * #GstRtspServerSink::get-viewers returns it. `frames` came whole and within
   * their segment, of which `unwatched` ended early, for nobody had a use for
   * them, and `late` were left out, for the source is live and the encoder too
   * slow. Dropped, with one warning: `misfits`, raw frames of another size than
   * the caps say, and `damaged`, pieces of encoded video that its parser or
   * payloader refused. Its changes are not notified.
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
