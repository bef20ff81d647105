/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Where audio leaves the user's pipeline: a sink whose render gives a buffer its
 * time, waits for that if the input is not live, makes packets of it and hands
 * them to the fan-out. What nobody listens to ends here, before it costs
 * anything.
 *
 * It does not hold up the pipeline's start: a microphone that gives nothing
 * shall not silence the video. */

#include "audio/audiosink.h"

#include <gst/audio/audio.h>

#include "time/samplecount.h"
#include "audio/audiochain.h"
#include "base/errors.h"
#include "base/flushing.h"
#include "time/pacing.h"
#include "time/timeline.h"

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_audio_sink_debug);
#define GST_CAT_DEFAULT rtsp_sink_audio_sink_debug

/* Samples follow each other, and time stamps tremble: they are followed only
 * when they say that this much is missing or too much. */
#define MAX_ERROR (20 * GST_MSECOND)

/* More than this is not too many samples, but a wrong duration before. */
#define MAX_OVERLAP (1 * GST_SECOND)

#define MAX_DURATION (3600 * GST_SECOND)

/* audioresample counts in 32 bits: 64 times more than this overflow. Then it asks for
 * many gigabytes, which may end the process. */
#define MAX_RATE 30000000

struct _RtspSinkAudioSink
{
  GstBaseSink parent;

  /* Constant after construction. */
  RtspSinkFanout *fanout;
  RtspSinkAudioSinkFunc source_known_func;
  gpointer user_data;
  RtspSinkPacing *pacing;
  RtspSinkAudioChainIds ids;
  GstPadEventFunction base_event;       /* GstBaseSink's */
  RtspSinkFlushing flushing;
  RtspSinkStats *stats;         /* no reference: it outlives this */

  /* Constant while not in NULL. */
  GstRtspServerSinkAudioCodec codec;
  GstRtspServerSinkSync sync;
  GstRtspServerSinkTimestampMode mode;

  /* Streaming thread only. */
  RtspSinkTimeline timeline;
  RtspSinkSampleCount arrival;
  gboolean source_known;
  GstAudioInfo info;            /* of raw audio; else without format */
  RtspSinkAudioChain *chain;    /* NULL: no caps yet */
  const gchar *codec_name;      /* of what is sent */
  gboolean broken;              /* the buffer before was not sent */
  gboolean damaged;             /* any buffer of these caps */
  gboolean ended;               /* the stream, until another begins */
  gboolean refused;             /* it was told so; sources go on for a while */
  GstClockTime next;            /* media time where it ended, NONE: unknown */
};

G_DEFINE_FINAL_TYPE (RtspSinkAudioSink, rtsp_sink_audio_sink,
    GST_TYPE_BASE_SINK);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static GstCaps *
rtsp_sink_audio_sink_get_caps (GstBaseSink * sink, GstCaps * filter)
{
  RtspSinkAudioSink *self = RTSP_SINK_AUDIO_SINK (sink);
  GstCaps *caps = rtsp_sink_audio_codecs_get_caps (self->codec);

  if (filter != NULL)
    gst_caps_take (&caps, gst_caps_intersect_full (filter, caps,
            GST_CAPS_INTERSECT_FIRST));
  return caps;
}

static const RtspSinkAudioCodec *
choose_codec (RtspSinkAudioSink * self, const GstCaps * caps, GError ** error)
{
  const RtspSinkAudioCodec *codec = rtsp_sink_audio_codecs_choose (self->codec,
      caps);
  g_autofree gchar *text = gst_caps_to_string (caps);

  if (codec == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_CODEC_NOT_FOUND,
        "Audio of the caps %s cannot be sent as it comes: set "
        "audio-codec=auto, or decode it before", text);
  return codec;
}

static gboolean
use_chain (RtspSinkAudioSink * self, const RtspSinkAudioCodec * codec,
    gboolean raw, GError ** error)
{
  RtspSinkAudioChain *chain;

  if (self->chain != NULL
      && rtsp_sink_audio_chain_fits (self->chain, codec, raw))
    return TRUE;
  /* If it fails, the pad keeps the caps before, and buffers may come again that
   * have them: they are the old chain's. */
  chain = rtsp_sink_audio_chain_new (codec, raw, &self->ids, error);
  if (chain == NULL)
    return FALSE;
  rtsp_sink_audio_chain_free (self->chain);
  self->chain = chain;
  return TRUE;
}

/* Nobody knows how to mix channels to two whose places are not told. */
static void
set_unfit_error (RtspSinkAudioSink * self, const GstCaps * caps,
    GError ** error)
{
  g_autofree gchar *text = gst_caps_to_string (caps);
  gboolean unplaced = GST_AUDIO_INFO_IS_VALID (&self->info)
      && GST_AUDIO_INFO_IS_UNPOSITIONED (&self->info);

  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "Audio of the caps %s cannot be sent as %s: %s", text, self->codec_name,
      unplaced ?
      "say in channel-mask where each channel is, or mix them to two "
      "before (mix-matrix of audioconvert)" : "convert or decode it before "
      "(audioconvert, decodebin)");
}

static gboolean
refuse (RtspSinkAudioSink * self, const GError * error)
{
  if (!self->refused)
    rtsp_sink_errors_post (GST_ELEMENT (self), error);
  self->refused = TRUE;
  return FALSE;
}

static gboolean
rtsp_sink_audio_sink_set_caps (GstBaseSink * sink, GstCaps * caps)
{
  RtspSinkAudioSink *self = RTSP_SINK_AUDIO_SINK (sink);
  gboolean raw = rtsp_sink_audio_codecs_is_raw (caps);
  g_autoptr (GError) error = NULL;
  const RtspSinkAudioCodec *codec = choose_codec (self, caps, &error);

  if (codec == NULL || !use_chain (self, codec, raw, &error))
    return refuse (self, error);

  GST_INFO_OBJECT (self, "sending %" GST_PTR_FORMAT " as %s", caps,
      codec->name);
  self->codec_name = codec->name;
  gst_audio_info_init (&self->info);
  self->broken = TRUE;
  self->damaged = FALSE;
  if ((raw && (!gst_audio_info_from_caps (&self->info, caps)
              || GST_AUDIO_INFO_RATE (&self->info) > MAX_RATE))
      || !rtsp_sink_audio_chain_set_caps (self->chain, caps)) {
    set_unfit_error (self, caps, &error);
    return refuse (self, error);
  }
  return TRUE;
}

/* Buffers wait for the time that they are given, not for the one that they
 * come with. */
static void
rtsp_sink_audio_sink_get_times (GstBaseSink * sink, GstBuffer * buffer,
    GstClockTime * start, GstClockTime * end)
{
  *start = *end = GST_CLOCK_TIME_NONE;
}

static void
get_to_know_source (RtspSinkAudioSink * self)
{
  gboolean live = rtsp_sink_pacing_ask_source (GST_BASE_SINK_PAD (self),
      self->sync, &self->timeline);

  self->source_known = TRUE;
  /* Else there would be no waiting for the clock. */
  gst_base_sink_set_sync (GST_BASE_SINK (self), self->timeline.paced);

  GST_INFO_OBJECT (self, "audio is %s, %s", live ? "live" : "not live",
      self->timeline.paced ? "paced" : "served as it comes");
  self->source_known_func (live, self->user_data);
}

static gboolean
has_samples (RtspSinkAudioSink * self)
{
  return GST_AUDIO_INFO_IS_VALID (&self->info)
      && GST_AUDIO_INFO_BPF (&self->info) > 0;
}

static gboolean
is_planar (RtspSinkAudioSink * self)
{
  return has_samples (self) && GST_AUDIO_INFO_LAYOUT (&self->info)
      == GST_AUDIO_LAYOUT_NON_INTERLEAVED;
}

/* Plane @i is within the buffer, and apart from those before. */
static gboolean
has_plane (const GstAudioMeta * meta, guint i, gsize plane, gsize size)
{
  gsize begin = meta->offsets[i];

  if (begin > size || plane > size - begin)
    return FALSE;
  for (guint k = 0; k < i; k++)
    if (begin < meta->offsets[k] + plane && meta->offsets[k] < begin + plane)
      return FALSE;
  return TRUE;
}

static gboolean
has_planes (RtspSinkAudioSink * self, GstBuffer * buffer)
{
  const GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);
  const GstAudioInfo *info = &self->info;
  gsize size = gst_buffer_get_size (buffer);
  guint i = 0;

  if (meta == NULL || meta->info.finfo != info->finfo
      || meta->info.channels != info->channels
      || meta->info.layout != info->layout
      || meta->samples > size / GST_AUDIO_INFO_BPF (info))
    return FALSE;
  while (i < (guint) info->channels
      && has_plane (meta, i, meta->samples * GST_AUDIO_INFO_BPS (info), size))
    i++;
  return i == (guint) info->channels;
}

/* GStreamer's elements drop such a buffer without a word, or complain of it as of
 * a fault in the program. */
static const gchar *
find_misfit (RtspSinkAudioSink * self, GstBuffer * buffer)
{
  if (!has_samples (self))
    return NULL;
  if (gst_buffer_get_size (buffer) % GST_AUDIO_INFO_BPF (&self->info) != 0)
    return "no whole number of samples";
  return is_planar (self) && !has_planes (self, buffer) ?
      "no GstAudioMeta that says where each channel is" : NULL;
}

static gsize
count_samples (RtspSinkAudioSink * self, GstBuffer * buffer)
{
  return is_planar (self) ? gst_buffer_get_audio_meta (buffer)->samples :
      gst_buffer_get_size (buffer) / GST_AUDIO_INFO_BPF (&self->info);
}

/* Without metas but the one that planes need: the chain has no use for others,
 * and one that does not fit makes its elements complain. */
static GstBuffer *
copy_samples (RtspSinkAudioSink * self, GstBuffer * buffer)
{
  GstBuffer *own = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_FLAGS
      | GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_MEMORY, 0, -1);

  if (is_planar (self)) {
    GstAudioMeta *meta = gst_buffer_get_audio_meta (buffer);

    gst_buffer_add_audio_meta (own, &self->info, meta->samples, meta->offsets);
  }
  return own;
}

static GstClockTime
duration_of (RtspSinkAudioSink * self, GstBuffer * buffer)
{
  if (has_samples (self))
    return gst_util_uint64_scale_int (count_samples (self, buffer), GST_SECOND,
        GST_AUDIO_INFO_RATE (&self->info));
  /* Nothing lasts as long as what is no duration at all. */
  return GST_BUFFER_DURATION_IS_VALID (buffer)
      && GST_BUFFER_DURATION (buffer) < MAX_DURATION ?
      GST_BUFFER_DURATION (buffer) : GST_CLOCK_TIME_NONE;
}

static gboolean
goes_by_arrival (RtspSinkAudioSink * self, GstClockTime pts,
    GstClockTime duration, GstClockTime now)
{
  return !self->timeline.paced && GST_CLOCK_TIME_IS_VALID (duration)
      && GST_CLOCK_TIME_IS_VALID (now) && (!GST_CLOCK_TIME_IS_VALID (pts)
      || self->timeline.drifting
      || self->mode == GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_ARRIVAL);
}

/* As rtsp_sink_pacing_now(). */
static GstClockTime
get_now (RtspSinkAudioSink * self)
{
  GstClockTime now = rtsp_sink_pacing_running_time (GST_ELEMENT (self));

  return self->timeline.paced ? rtsp_sink_pacing_due (now,
      gst_base_sink_get_latency (GST_BASE_SINK (self))) : now;
}

/* The running time of @buffer's first sample. */
static GstClockTime
stamp (RtspSinkAudioSink * self, GstBuffer * buffer, GstClockTime duration)
{
  GstSegment *segment = &GST_BASE_SINK (self)->segment;
  GstClockTime now = get_now (self);
  GstClockTime pts = GST_CLOCK_TIME_NONE, time;

  if (GST_BUFFER_PTS_IS_VALID (buffer) && segment->format == GST_FORMAT_TIME)
    pts = gst_segment_to_running_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));

  time = rtsp_sink_timeline_stamp (&self->timeline, pts, duration, now);
  if (goes_by_arrival (self, pts, duration, now))
    return rtsp_sink_sample_count_stamp (&self->arrival, duration, now);
  rtsp_sink_sample_count_restart (&self->arrival);
  return time;
}

/* By how much @time is before the end of what was sent; RTP times may not go
 * back. */
static GstClockTime
overlap (RtspSinkAudioSink * self, GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (self->next) && time < self->next ?
      self->next - time : 0;
}

/* Where @time is about where the buffer before ended, that is the buffer's
 * time. */
static GstClockTime
follow (RtspSinkAudioSink * self, GstClockTime time)
{
  if (!self->broken && !GST_CLOCK_TIME_IS_VALID (self->next))
    return time;
  if (!self->broken && ABS (GST_CLOCK_DIFF (self->next, time)) <=
      (GstClockTimeDiff) MAX_ERROR)
    return self->next;

  GST_DEBUG_OBJECT (self, "audio goes on at %" GST_TIME_FORMAT ", not at %"
      GST_TIME_FORMAT, GST_TIME_ARGS (time), GST_TIME_ARGS (self->next));
  rtsp_sink_audio_chain_restart (self->chain);
  self->broken = FALSE;
  return time;
}

static void
send (RtspSinkAudioSink * self, GstBufferList * packets)
{
  g_autoptr (GstCaps) caps = rtsp_sink_audio_chain_get_caps (self->chain);

  if (gst_buffer_list_length (packets) == 0 || caps == NULL)
    return;
  /* What encoder and payloader still hold is older than the buffer that came
   * last, but not older than this. */
  rtsp_sink_media_clock_hold (rtsp_sink_fanout_get_media_clock (self->fanout),
      GST_BUFFER_PTS (gst_buffer_list_get (packets, 0)));
  rtsp_sink_fanout_set_caps (self->fanout, caps);
  rtsp_sink_fanout_send (self->fanout, packets, TRUE);
}

static GstFlowReturn
drop_damaged (RtspSinkAudioSink * self, const gchar * problem)
{
  rtsp_sink_stats_add (self->stats, RTSP_SINK_STATS_DAMAGED);
  if (!self->damaged)
    rtsp_sink_errors_warn_of_damage (GST_ELEMENT (self), self->codec_name,
        problem);
  self->damaged = TRUE;
  self->broken = TRUE;
  return GST_FLOW_OK;
}

/* Damage is a parser's to find; raw audio has none that an encoder could fail at.
 * Caps that none of the elements takes are no damage either. */
static GstFlowReturn
handle_refused (RtspSinkAudioSink * self)
{
  g_autofree gchar *problem = rtsp_sink_audio_chain_take_problem (self->chain);
  g_autoptr (GstCaps) packets = rtsp_sink_audio_chain_get_caps (self->chain);

  if (!GST_AUDIO_INFO_IS_VALID (&self->info) && packets != NULL)
    return drop_damaged (self, problem);
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("The audio cannot be sent as %s: %s. Convert it before the pad (decodebin, "
          "audioconvert, audioresample), or set another audio-codec.",
          self->codec_name,
          problem != NULL ? problem : "its caps do not fit"), (NULL));
  return GST_FLOW_ERROR;
}

static GstFlowReturn
take (RtspSinkAudioSink * self, GstBuffer * buffer, GstClockTime time,
    GstClockTime duration)
{
  g_autoptr (GstBufferList) packets = NULL;
  GstBuffer *own;

  time = rtsp_sink_media_clock_convert_of (rtsp_sink_fanout_get_media_clock
      (self->fanout), GST_ELEMENT (self), time);
  /* More samples than time: these are too many. */
  if (overlap (self, time) > (self->broken ? 0 : MAX_ERROR)
      && overlap (self, time) < MAX_OVERLAP) {
    self->broken = TRUE;
    return GST_FLOW_OK;
  }
  time = follow (self, time);
  own = copy_samples (self, buffer);
  self->next = GST_CLOCK_TIME_IS_VALID (duration) ? time + duration :
      GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (own) = time;
  GST_BUFFER_DTS (own) = GST_CLOCK_TIME_NONE;

  packets = rtsp_sink_audio_chain_push (self->chain, own);
  if (packets == NULL)
    return handle_refused (self);
  send (self, packets);
  return GST_FLOW_OK;
}

/* Sources go on for a while. */
static GstFlowReturn
refuse_without_caps (RtspSinkAudioSink * self)
{
  if (!self->refused)
    rtsp_sink_errors_post_no_audio_caps (GST_ELEMENT (self));
  self->refused = TRUE;
  return GST_FLOW_NOT_NEGOTIATED;
}

static GstFlowReturn
rtsp_sink_audio_sink_render (GstBaseSink * sink, GstBuffer * buffer)
{
  RtspSinkAudioSink *self = RTSP_SINK_AUDIO_SINK (sink);
  GstClockTime duration, time;
  const gchar *misfit;
  GstFlowReturn ret;

  if (self->chain == NULL)
    return refuse_without_caps (self);
  if (!rtsp_sink_audio_chain_takes (self->chain, buffer))
    return drop_damaged (self, "more bytes than a packet can have");
  misfit = find_misfit (self, buffer);
  if (misfit != NULL)
    return drop_damaged (self, misfit);
  duration = duration_of (self, buffer);
  if (!self->source_known)
    get_to_know_source (self);
  if (self->timeline.paced) {
    ret = rtsp_sink_pacing_wait_restarted (self->pacing);
    if (ret != GST_FLOW_OK)
      return ret;
  }
  time = stamp (self, buffer, duration);

  if (self->timeline.paced) {
    ret = gst_base_sink_wait (sink, time, NULL);
    if (ret != GST_FLOW_OK)
      return ret;
  }
  /* The first makes known what can be sent. */
  if (!rtsp_sink_fanout_has_viewers (self->fanout)
      && rtsp_sink_fanout_is_ready (self->fanout)) {
    self->broken = TRUE;
    return GST_FLOW_OK;
  }
  return take (self, buffer, time, duration);
}

static void
restart (RtspSinkAudioSink * self)
{
  rtsp_sink_timeline_init (&self->timeline, self->mode);
  rtsp_sink_timeline_restart (&self->timeline);
  rtsp_sink_sample_count_restart (&self->arrival);
  self->source_known = FALSE;
  self->broken = TRUE;
  self->ended = FALSE;
}

/* The last samples, too. The chain stays: caps are sticky, and what comes after a
 * flush comes without them. */
static void
send_rest (RtspSinkAudioSink * self)
{
  g_autoptr (GstBufferList) packets = NULL;

  if (self->chain == NULL)
    return;
  packets = rtsp_sink_audio_chain_end (self->chain);
  send (self, packets);
  self->broken = TRUE;
}

static gboolean
rtsp_sink_audio_sink_event (GstBaseSink * sink, GstEvent * event)
{
  RtspSinkAudioSink *self = RTSP_SINK_AUDIO_SINK (sink);
  gboolean begins_anew;         /* running time */

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_SEGMENT:
      /* Another source may feed us now. */
      self->source_known = FALSE;
      break;
    case GST_EVENT_GAP:
      /* There is nothing to be sent, and so nothing to wait for. */
    case GST_EVENT_INSTANT_RATE_CHANGE:
      /* Its time is that of the pictures, which do not follow this. */
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &begins_anew);
      restart (self);
      if (begins_anew)
        rtsp_sink_pacing_restart (self->pacing);
      break;
    case GST_EVENT_EOS:
      send_rest (self);
      self->ended = TRUE;
      break;
    default:
      break;
  }
  rtsp_sink_fanout_handle_event (self->fanout, event);
  return GST_BASE_SINK_CLASS (rtsp_sink_audio_sink_parent_class)->event (sink,
      event);
}

/* A stream that begins behind the end, without a flush: GstBaseSink would drop all
 * of it. Running time goes on. */
static gboolean
pad_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkAudioSink *self = RTSP_SINK_AUDIO_SINK (parent);
  gboolean handled;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      if (!self->ended || !rtsp_sink_flushing_begin_own (&self->flushing))
        break;
      self->base_event (pad, parent, gst_event_new_flush_start ());
      self->base_event (pad, parent, gst_event_new_flush_stop (FALSE));
      rtsp_sink_flushing_end_own (&self->flushing);
      break;
    case GST_EVENT_FLUSH_START:
      rtsp_sink_flushing_start (&self->flushing);
      break;
    case GST_EVENT_FLUSH_STOP:
      handled = self->base_event (pad, parent, event);
      rtsp_sink_flushing_stop (&self->flushing);
      return handled;
    default:
      break;
  }
  return self->base_event (pad, parent, event);
}

static gboolean
rtsp_sink_audio_sink_unlock (GstBaseSink * sink)
{
  rtsp_sink_pacing_set_flushing (RTSP_SINK_AUDIO_SINK (sink)->pacing, TRUE);
  rtsp_sink_fanout_set_flushing (RTSP_SINK_AUDIO_SINK (sink)->fanout, TRUE);
  return TRUE;
}

static gboolean
rtsp_sink_audio_sink_unlock_stop (GstBaseSink * sink)
{
  rtsp_sink_pacing_set_flushing (RTSP_SINK_AUDIO_SINK (sink)->pacing, FALSE);
  rtsp_sink_fanout_set_flushing (RTSP_SINK_AUDIO_SINK (sink)->fanout, FALSE);
  return TRUE;
}

static gboolean
rtsp_sink_audio_sink_start (GstBaseSink * sink)
{
  RTSP_SINK_AUDIO_SINK (sink)->refused = FALSE;
  rtsp_sink_flushing_stop (&RTSP_SINK_AUDIO_SINK (sink)->flushing);
  restart (RTSP_SINK_AUDIO_SINK (sink));
  rtsp_sink_fanout_restart (RTSP_SINK_AUDIO_SINK (sink)->fanout);
  return TRUE;
}

static gboolean
rtsp_sink_audio_sink_stop (GstBaseSink * sink)
{
  g_clear_pointer (&RTSP_SINK_AUDIO_SINK (sink)->chain,
      rtsp_sink_audio_chain_free);
  return TRUE;
}

static GstStateChangeReturn
rtsp_sink_audio_sink_change_state (GstElement * element,
    GstStateChange transition)
{
  RtspSinkAudioSink *self = RTSP_SINK_AUDIO_SINK (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    rtsp_sink_pacing_set_playing (self->pacing, TRUE);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    rtsp_sink_pacing_set_playing (self->pacing, FALSE);
  return GST_ELEMENT_CLASS (rtsp_sink_audio_sink_parent_class)->change_state
      (element, transition);
}

static void
rtsp_sink_audio_sink_finalize (GObject * object)
{
  rtsp_sink_pacing_free (RTSP_SINK_AUDIO_SINK (object)->pacing);
  rtsp_sink_fanout_unref (RTSP_SINK_AUDIO_SINK (object)->fanout);
  rtsp_sink_flushing_clear (&RTSP_SINK_AUDIO_SINK (object)->flushing);
  G_OBJECT_CLASS (rtsp_sink_audio_sink_parent_class)->finalize (object);
}

static void
rtsp_sink_audio_sink_class_init (RtspSinkAudioSinkClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseSinkClass *sink_class = GST_BASE_SINK_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_audio_sink_debug,
      "rtspserversink-audiosink", 0, "rtspserversink: audio");

  G_OBJECT_CLASS (klass)->finalize = rtsp_sink_audio_sink_finalize;
  element_class->change_state = rtsp_sink_audio_sink_change_state;
  sink_class->get_caps = rtsp_sink_audio_sink_get_caps;
  sink_class->set_caps = rtsp_sink_audio_sink_set_caps;
  sink_class->get_times = rtsp_sink_audio_sink_get_times;
  sink_class->event = rtsp_sink_audio_sink_event;
  sink_class->render = rtsp_sink_audio_sink_render;
  sink_class->unlock = rtsp_sink_audio_sink_unlock;
  sink_class->unlock_stop = rtsp_sink_audio_sink_unlock_stop;
  sink_class->start = rtsp_sink_audio_sink_start;
  sink_class->stop = rtsp_sink_audio_sink_stop;

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_set_static_metadata (element_class,
      "RTSP sink audio", "Sink/Network",
      "Makes packets of audio and hands them to the viewers",
      "The rtspserversink developers");
}

static void
rtsp_sink_audio_sink_init (RtspSinkAudioSink * self)
{
  GstPad *pad = GST_BASE_SINK_PAD (self);

  self->pacing = rtsp_sink_pacing_new (GST_ELEMENT (self));
  rtsp_sink_flushing_init (&self->flushing);
  self->base_event = GST_PAD_EVENTFUNC (pad);
  gst_pad_set_event_function (pad, pad_event);
  gst_base_sink_set_sync (GST_BASE_SINK (self), FALSE);
  gst_base_sink_set_async_enabled (GST_BASE_SINK (self), FALSE);
  gst_audio_info_init (&self->info);
  self->ids.ssrc = g_random_int ();
  self->ids.rtp_offset = g_random_int ();
}

/**
 * rtsp_sink_audio_sink_new:
 * @source_known: told before the first buffer of a source
 * @counts: outlives the sink
 *
 * Returns: (transfer floating): the sink
 */
RtspSinkAudioSink *
rtsp_sink_audio_sink_new (RtspSinkFanout * fanout,
    RtspSinkAudioSinkFunc source_known, gpointer user_data,
    RtspSinkStats * stats)
{
  RtspSinkAudioSink *self = g_object_new (RTSP_SINK_TYPE_AUDIO_SINK, NULL);

  self->fanout = rtsp_sink_fanout_ref (fanout);
  self->source_known_func = source_known;
  self->user_data = user_data;
  self->stats = stats;
  return self;
}

/**
 * rtsp_sink_audio_sink_configure:
 *
 * In NULL or READY.
 */
void
rtsp_sink_audio_sink_configure (RtspSinkAudioSink * self,
    const RtspSinkSettings * settings)
{
  self->codec = settings->audio_codec;
  self->sync = settings->sync;
  /* Live input that is to wait adds its latency to the pipeline's, which is
   * asked before the first buffer. */
  gst_base_sink_set_sync (GST_BASE_SINK (self),
      self->sync == GST_RTSP_SERVER_SINK_SYNC_TRUE);
  self->mode = settings->timestamp_mode;
}
