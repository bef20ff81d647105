/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* From the time stamps of the source to running time, by its segment. What comes
 * before the segment counts where frames refer to each other. A pure value: one
 * owner, no lock. */

#include "time/sourcetime.h"

/**
 * rtsp_sink_source_time_has_running_time:
 *
 * Returns: whether a time of @segment has a running time. Backwards, without a
 *   stop: it has none, and GStreamer fails an assertion when it is asked for it
 */
gboolean
rtsp_sink_source_time_has_running_time (const GstSegment * segment)
{
  return segment->format == GST_FORMAT_TIME
      && (segment->rate > 0 || GST_CLOCK_TIME_IS_VALID (segment->stop));
}

/**
 * rtsp_sink_source_time_init:
 * @event: (nullable): the segment; NULL: none has come
 */
void
rtsp_sink_source_time_init (RtspSinkSourceTime * self, GstEvent * event)
{
  if (event != NULL)
    gst_event_copy_segment (event, &self->segment);
  if (event == NULL || !rtsp_sink_source_time_has_running_time (&self->segment))
    gst_segment_init (&self->segment, GST_FORMAT_UNDEFINED);
  self->begun = FALSE;
  self->shift = 0;
}

/* How far @time is ahead of the segment; 0: it is not. */
static GstClockTime
ahead_of_segment (const RtspSinkSourceTime * self, GstClockTime time)
{
  guint64 ahead;

  return gst_segment_to_running_time_full (&self->segment, GST_FORMAT_TIME,
      time, &ahead) < 0 ? ahead : 0;
}

/**
 * rtsp_sink_source_time_begin:
 * @first: time stamp of a frame, maybe the first of the segment; or NONE
 * @shifted: if that is ahead of the segment, all of it is later by as much
 *
 * A seek in a file begins with the key unit before: so does what is served.
 */
void
rtsp_sink_source_time_begin (RtspSinkSourceTime * self, GstClockTime first,
    gboolean shifted)
{
  if (self->begun || self->segment.format != GST_FORMAT_TIME)
    return;
  self->begun = TRUE;
  if (shifted && GST_CLOCK_TIME_IS_VALID (first))
    self->shift = ahead_of_segment (self, first);
}

/**
 * rtsp_sink_source_time_convert:
 * @time: a time stamp of the source, or NONE
 * @early: it may be ahead of the segment
 *
 * Returns: the running time; NONE if there is none, or outside of the segment
 */
GstClockTime
rtsp_sink_source_time_convert (const RtspSinkSourceTime * self,
    GstClockTime time, gboolean early)
{
  GstClockTime ahead;

  if (!GST_CLOCK_TIME_IS_VALID (time)
      || self->segment.format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  ahead = ahead_of_segment (self, time);
  if (early && ahead > 0)
    return ahead < self->shift ? self->shift - ahead : 0;
  time = gst_segment_to_running_time (&self->segment, GST_FORMAT_TIME, time);
  return GST_CLOCK_TIME_IS_VALID (time) ? time + self->shift : time;
}
