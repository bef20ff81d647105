/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* One stream of a media: a feed at its beginning, a delivery at its end, and the
 * fan-out that feeds it. What happens to a viewer in one stream.
 *
 * Viewers' threads, unless marked otherwise; the library holds its own locks
 * (docs/threads-and-locks.md). */

#include "media/mediastream.h"

#include <gst/video/video.h>

/* A viewer asks for a key unit by RTCP (PLI, RFC 4585, 6.3.1; FIR, RFC 5104,
 * 4.3.1): the RTP session made an event of it. The media's RTCP thread. */
static GstPadProbeReturn
feedback (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  if (gst_video_event_is_force_key_unit (GST_PAD_PROBE_INFO_EVENT (info)))
    rtsp_sink_fanout_request_key_unit (user_data, RTSP_SINK_FANOUT_RECOVERY);
  return GST_PAD_PROBE_OK;
}

/* The end comes behind what waits. Media's thread. */
static GstPadProbeReturn
finish (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    rtsp_sink_distributor_finish (user_data);
  return GST_PAD_PROBE_OK;
}

/**
 * rtsp_sink_media_stream_new:
 * @fanout: (transfer full): what feeds it
 * @feed: (transfer full): that joined @fanout
 * @i: its number in the media
 * @ask_by_rtcp: whether viewers may ask for key units by RTCP
 *
 * Returns: (transfer full): the stream
 */
RtspSinkMediaStream *
rtsp_sink_media_stream_new (RtspSinkFanout * fanout, RtspSinkFeed * feed,
    guint i, gboolean ask_by_rtcp)
{
  RtspSinkMediaStream *self = g_new (RtspSinkMediaStream, 1);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (GST_ELEMENT (feed), "src");

  self->fanout = fanout;
  self->feed = feed;
  self->distributor = rtsp_sink_distributor_new (i, ask_by_rtcp, fanout);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, feedback, fanout,
      NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, finish,
      self->distributor, NULL);
  return self;
}

void
rtsp_sink_media_stream_free (RtspSinkMediaStream * self)
{
  rtsp_sink_distributor_free (self->distributor);
  gst_object_unref (self->feed);
  rtsp_sink_fanout_unref (self->fanout);
  g_free (self);
}

/**
 * rtsp_sink_media_stream_dismiss:
 * @reason: a static string
 *
 * Closes the connections of all its viewers soon. Any thread.
 */
void
rtsp_sink_media_stream_dismiss (RtspSinkMediaStream * self,
    const gchar * reason)
{
  g_autoptr (GPtrArray) senders =
      rtsp_sink_distributor_ref_senders (self->distributor);

  for (guint i = 0; i < senders->len; i++)
    rtsp_sink_sender_dismiss (g_ptr_array_index (senders, i), reason);
}

/* Any thread. */
gboolean
rtsp_sink_media_stream_has_ended (RtspSinkMediaStream * self)
{
  return rtsp_sink_feed_get_gate (self->feed) == RTSP_SINK_FEED_ENDED;
}

/**
 * rtsp_sink_media_stream_get_next_time:
 *
 * Any thread.
 *
 * Returns: the lower bound of the media time of what a viewer gets first
 */
GstClockTime
rtsp_sink_media_stream_get_next_time (RtspSinkMediaStream * self)
{
  return MIN (rtsp_sink_feed_get_next_time (self->feed),
      rtsp_sink_fanout_get_kept_time (self->fanout));
}

/**
 * rtsp_sink_media_stream_update_gate:
 *
 * The feed is open while a viewer plays. With the media's lock held; it is not
 * gone.
 */
void
rtsp_sink_media_stream_update_gate (RtspSinkMediaStream * self)
{
  if (rtsp_sink_distributor_is_open (self->distributor))
    rtsp_sink_fanout_open (self->fanout, self->feed);
  else
    rtsp_sink_fanout_close (self->fanout, self->feed);
}

/**
 * rtsp_sink_media_stream_resume:
 *
 * A viewer that played asks to play again: its sequence numbers go on (RFC 2326,
 * B). With the media locked.
 */
void
rtsp_sink_media_stream_resume (RtspSinkMediaStream * self,
    RtspSinkSender * sender)
{
  rtsp_sink_sender_resume (sender);
  rtsp_sink_feed_announce_seqnum (self->feed,
      rtsp_sink_sender_get_next_seqnum (sender));
}

/* Does nothing for one that was added before. */
void
rtsp_sink_media_stream_add (RtspSinkMediaStream * self, RtspSinkSender * sender)
{
  g_autoptr (GPtrArray) senders =
      rtsp_sink_distributor_ref_senders (self->distributor);

  if (!g_ptr_array_find (senders, sender, NULL))
    rtsp_sink_distributor_add (self->distributor, sender);
}

/**
 * rtsp_sink_media_stream_open:
 *
 * The viewer is about to be told that it plays. The gate is to be updated. With
 * the media locked.
 *
 * Returns: FALSE if it plays already
 */
gboolean
rtsp_sink_media_stream_open (RtspSinkMediaStream * self,
    RtspSinkSender * sender)
{
  return rtsp_sink_sender_open (sender,
      rtsp_sink_feed_get_announced_seqnum (self->feed));
}

/**
 * rtsp_sink_media_stream_request_first:
 *
 * A viewer was just let in: it needs a key unit.
 */
void
rtsp_sink_media_stream_request_first (RtspSinkMediaStream * self,
    RtspSinkSender * sender)
{
  if (rtsp_sink_fanout_is_keeping (self->fanout))
    return;
  rtsp_sink_sender_set_costs (sender, rtsp_sink_fanout_request_first
      (self->fanout, rtsp_sink_sender_get_peer (sender)));
}

/**
 * rtsp_sink_media_stream_begin:
 *
 * The viewer was told that it plays: it begins with what was kept, if that is
 * wanted.
 */
void
rtsp_sink_media_stream_begin (RtspSinkMediaStream * self,
    RtspSinkSender * sender)
{
  g_autoptr (GPtrArray) group = NULL;

  if (!rtsp_sink_fanout_is_keeping (self->fanout)
      || !rtsp_sink_sender_hold (sender))
    return;
  group = rtsp_sink_fanout_begin (self->fanout, self->feed);
  rtsp_sink_sender_begin (sender, group, g_get_monotonic_time () * GST_USECOND);
}

static void
count_gone (RtspSinkMediaStream * self, RtspSinkSender * sender)
{
  if (rtsp_sink_sender_set_costs (sender, FALSE))
    rtsp_sink_fanout_viewer_gone (self->fanout,
        rtsp_sink_sender_get_peer (sender));
}

/**
 * rtsp_sink_media_stream_close:
 *
 * The viewer pauses. The gate is to be updated.
 */
void
rtsp_sink_media_stream_close (RtspSinkMediaStream * self,
    RtspSinkSender * sender)
{
  rtsp_sink_sender_close (sender);
  count_gone (self, sender);
}

/**
 * rtsp_sink_media_stream_remove:
 *
 * The viewer is gone. The gate is to be updated.
 */
void
rtsp_sink_media_stream_remove (RtspSinkMediaStream * self,
    RtspSinkSender * sender)
{
  rtsp_sink_distributor_remove (self->distributor, sender);
  rtsp_sink_sender_stop (sender);
  count_gone (self, sender);
}
