/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Frames of all kinds get their time: from the source's time stamps to running
 * times that rise (time/timeline.h), in one segment from 0.
 *
 * The upstream thread. */

#include "video/timestamper.h"

/* No frame lasts as long. */
#define MAX_DURATION (24 * 3600 * GST_SECOND)

void
rtsp_sink_timestamper_init (RtspSinkTimestamper * self,
    GstRtspServerSinkTimestampMode mode)
{
  rtsp_sink_timeline_init (&self->timeline, mode);
}

/**
 * rtsp_sink_timestamper_restart:
 *
 * Running time begins anew.
 */
void
rtsp_sink_timestamper_restart (RtspSinkTimestamper * self)
{
  rtsp_sink_timeline_restart (&self->timeline);
  rtsp_sink_source_time_init (&self->source_time, NULL);
  self->segment_sent = FALSE;
}

gboolean
rtsp_sink_timestamper_is_raw (const RtspSinkTimestamper * self)
{
  return self->codec->codec == GST_RTSP_SERVER_SINK_CODEC_RAW;
}

/**
 * rtsp_sink_timestamper_is_intra_only:
 *
 * Returns: whether no frame needs another
 */
gboolean
rtsp_sink_timestamper_is_intra_only (const RtspSinkTimestamper * self)
{
  return rtsp_sink_timestamper_is_raw (self)
      || self->codec->codec == GST_RTSP_SERVER_SINK_CODEC_JPEG;
}

/**
 * rtsp_sink_timestamper_set_caps:
 * @caps: of the frames that follow
 */
void
rtsp_sink_timestamper_set_caps (RtspSinkTimestamper * self,
    const GstCaps * caps)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);

  if (!gst_structure_get_fraction (s, "framerate", &self->fps_n, &self->fps_d))
    self->fps_n = 0;
}

/**
 * rtsp_sink_timestamper_take_segment:
 * @event: (transfer full): the segment of the frames that follow
 *
 * Returns: (transfer full) (nullable): the segment to send in its place, in which
 *   time stamps are running times; NULL: it was sent
 */
GstEvent *
rtsp_sink_timestamper_take_segment (RtspSinkTimestamper * self,
    GstEvent * event)
{
  GstEvent *own = NULL;
  GstSegment segment;

  rtsp_sink_source_time_init (&self->source_time, event);
  if (!self->segment_sent) {
    gst_segment_init (&segment, GST_FORMAT_TIME);
    own = gst_event_new_segment (&segment);
    gst_event_set_seqnum (own, gst_event_get_seqnum (event));
    self->segment_sent = TRUE;
  }
  gst_event_unref (event);
  return own;
}

/* The end of the stream waits for the end of its last frame. */
static void
drop_endless_duration (GstBuffer ** buffer)
{
  if (!GST_BUFFER_DURATION_IS_VALID (*buffer)
      || GST_BUFFER_DURATION (*buffer) < MAX_DURATION)
    return;
  *buffer = gst_buffer_make_writable (*buffer);
  GST_BUFFER_DURATION (*buffer) = GST_CLOCK_TIME_NONE;
}

static GstClockTime
frame_duration (RtspSinkTimestamper * self, GstBuffer * buffer)
{
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    return GST_BUFFER_DURATION (buffer);
  if (self->fps_n > 0)
    return gst_util_uint64_scale_int (GST_SECOND, self->fps_d, self->fps_n);
  return GST_CLOCK_TIME_NONE;
}

static void
set_times (GstBuffer ** buffer, GstClockTime pts, GstClockTime dts)
{
  /* Only a frame whose time changes pays for a new buffer. */
  if (pts == GST_BUFFER_PTS (*buffer) && dts == GST_BUFFER_DTS (*buffer))
    return;
  *buffer = gst_buffer_make_writable (*buffer);
  GST_BUFFER_PTS (*buffer) = pts;
  GST_BUFFER_DTS (*buffer) = dts;
}

/**
 * rtsp_sink_timestamper_stamp:
 * @buffer: (inout): gets its running time
 * @now: running time, NONE if there is no clock
 *
 * Returns: FALSE if it is outside of the segment
 */
gboolean
rtsp_sink_timestamper_stamp (RtspSinkTimestamper * self, GstBuffer ** buffer,
    GstClockTime now)
{
  gboolean reordered = !rtsp_sink_timestamper_is_intra_only (self);
  GstClockTime dts = GST_CLOCK_TIME_NONE;
  GstClockTime duration, pts;

  drop_endless_duration (buffer);
  duration = frame_duration (self, *buffer);
  rtsp_sink_source_time_begin (&self->source_time, GST_BUFFER_PTS (*buffer),
      self->timeline.paced && reordered);
  pts = rtsp_sink_source_time_convert (&self->source_time,
      GST_BUFFER_PTS (*buffer), reordered);
  if (GST_BUFFER_PTS_IS_VALID (*buffer)
      && self->source_time.segment.format == GST_FORMAT_TIME
      && !GST_CLOCK_TIME_IS_VALID (pts))
    return FALSE;

  if (rtsp_sink_timestamper_is_raw (self)) {
    pts = rtsp_sink_timeline_stamp (&self->timeline, pts, duration, now);
  } else {
    dts = rtsp_sink_source_time_convert (&self->source_time,
        GST_BUFFER_DTS (*buffer), TRUE);
    rtsp_sink_timeline_stamp_encoded (&self->timeline, &pts, &dts,
        !GST_BUFFER_FLAG_IS_SET (*buffer, GST_BUFFER_FLAG_DELTA_UNIT),
        duration, now);
  }
  set_times (buffer, pts, dts);
  return TRUE;
}
