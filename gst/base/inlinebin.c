/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* Elements that are called like a function: what is pushed in at one end comes
 * out at the other before the push returns. One element or a row of them, which
 * have no thread of their own. They are in a bin that is in no pipeline, and
 * its ends are linked to our pads. Nobody else reads their bus: the newest error or
 * warning is kept for our messages. Everything runs on the thread
 * that pushes; no locks. */

#include "base/inlinebin.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (rtsp_sink_inline_bin_debug);
#define GST_CAT_DEFAULT rtsp_sink_inline_bin_debug

struct _RtspSinkInlineBin
{
  /* Constant after construction. */
  RtspSinkInlineBinFuncs funcs; /* none: what comes out is collected */
  gpointer user_data;
  GstElement *bin;
  GstElement *last;             /* of the row */
  gboolean unlinked;            /* two of them do not fit */
  GstPad *feed;                 /* linked to the first */
  GstPad *collect;              /* linked to the last */
  GstBus *bus;                  /* what they say */

  GstMessage *problem;          /* atomic: the newest error or warning, or NULL */
  GstBufferList *collected;     /* NULL: what comes out is not wanted */
  gboolean begun;
};

static GstFlowReturn
collect_buffer (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  RtspSinkInlineBin *self = gst_pad_get_element_private (pad);

  if (self->funcs.buffer != NULL)
    return self->funcs.buffer (buffer, self->user_data);
  if (self->collected != NULL) {
    gst_buffer_list_add (self->collected, buffer);
  } else {
    gst_buffer_unref (buffer);
  }
  return GST_FLOW_OK;
}

static GstFlowReturn
collect_list (GstPad * pad, GstObject * parent, GstBufferList * list)
{
  guint n = gst_buffer_list_length (list);
  GstFlowReturn ret = GST_FLOW_OK;

  for (guint i = 0; i < n && ret == GST_FLOW_OK; i++)
    ret = collect_buffer (pad, parent,
        gst_buffer_ref (gst_buffer_list_get (list, i)));
  gst_buffer_list_unref (list);
  return ret;
}

static gboolean
collect_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  RtspSinkInlineBin *self = gst_pad_get_element_private (pad);

  if (self->funcs.event != NULL)
    return self->funcs.event (event, self->user_data);
  return gst_pad_event_default (pad, parent, event);
}

/* Any thread of theirs. */
static GstBusSyncReply
keep_problem (GstBus * bus, GstMessage * message, gpointer user_data)
{
  RtspSinkInlineBin *self = user_data;

  if (GST_MESSAGE_TYPE (message) & (GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))
    message = g_atomic_pointer_exchange (&self->problem, message);
  if (message != NULL)
    gst_message_unref (message);
  return GST_BUS_DROP;
}

static void
forget_problem (RtspSinkInlineBin * self)
{
  GstMessage *problem = g_atomic_pointer_exchange (&self->problem, NULL);

  if (problem != NULL)
    gst_message_unref (problem);
}

/**
 * rtsp_sink_inline_bin_new:
 * @funcs: (nullable): told of all that comes out; NULL: it is collected
 *
 * Returns: (transfer full): an inline bin without elements
 */
RtspSinkInlineBin *
rtsp_sink_inline_bin_new (const RtspSinkInlineBinFuncs * funcs,
    gpointer user_data)
{
  RtspSinkInlineBin *self = g_new0 (RtspSinkInlineBin, 1);

  GST_DEBUG_CATEGORY_INIT (rtsp_sink_inline_bin_debug,
      "rtspserversink-inlinebin", 0, "rtspserversink: elements as functions");

  if (funcs != NULL)
    self->funcs = *funcs;
  self->user_data = user_data;
  self->bin = gst_object_ref_sink (gst_bin_new (NULL));
  self->feed = gst_object_ref_sink (gst_pad_new ("feed", GST_PAD_SRC));
  /* Nobody takes messages off it: it needs no file descriptors. */
  self->bus = g_object_new (GST_TYPE_BUS, "enable-async", FALSE, NULL);
  gst_bus_set_sync_handler (self->bus, keep_problem, self, NULL);
  gst_element_set_bus (self->bin, self->bus);
  return self;
}

/* No push may be under way. */
void
rtsp_sink_inline_bin_free (RtspSinkInlineBin * self)
{
  if (self == NULL)
    return;

  gst_pad_set_active (self->feed, FALSE);
  gst_element_set_state (self->bin, GST_STATE_NULL);
  if (self->collect != NULL)
    gst_pad_set_active (self->collect, FALSE);
  gst_element_set_bus (self->bin, NULL);
  gst_object_unref (self->bin);
  gst_object_unref (self->bus);
  forget_problem (self);
  gst_object_unref (self->feed);
  gst_clear_object (&self->collect);
  g_free (self);
}

/**
 * rtsp_sink_inline_bin_append:
 * @element: (transfer floating): one with the pads sink and src, in NULL
 *
 * Puts it behind those that are there. Before the start.
 */
void
rtsp_sink_inline_bin_append (RtspSinkInlineBin * self, GstElement * element)
{
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  g_autoptr (GstPad) src = self->last != NULL ?
      gst_element_get_static_pad (self->last, "src")
      : gst_object_ref (self->feed);

  gst_bin_add (GST_BIN (self->bin), element);
  if (gst_pad_link (src, sink) != GST_PAD_LINK_OK)
    self->unlinked = TRUE;
  self->last = element;
}

/**
 * rtsp_sink_inline_bin_take_problem:
 *
 * Returns: (transfer full) (nullable): what an element said was wrong, since it
 *   was pushed to last
 */
gchar *
rtsp_sink_inline_bin_take_problem (RtspSinkInlineBin * self)
{
  g_autoptr (GstMessage) message = g_atomic_pointer_exchange (&self->problem,
      NULL);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;
  const gchar *detail;

  if (message == NULL)
    return NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  /* Behind where in its source stands what it has to add. */
  detail = debug != NULL ? strchr (debug, '\n') : NULL;
  return g_strdup_printf ("%s: %s%s%s", GST_MESSAGE_SRC_NAME (message),
      error->message, detail != NULL ? " " : "", detail != NULL ? detail + 1 :
      "");
}

/* Without a template the pad would hold the elements to the caps that it has. */
static GstPad *
make_collect (RtspSinkInlineBin * self, GstCaps * output)
{
  g_autoptr (GstCaps) caps = output != NULL ? gst_caps_ref (output)
      : gst_caps_new_any ();
  g_autoptr (GstPadTemplate) template = gst_object_ref_sink
      (gst_pad_template_new ("collect", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  GstPad *pad = gst_pad_new_from_template (template, "collect");

  gst_pad_set_element_private (pad, self);
  gst_pad_set_chain_function (pad, collect_buffer);
  gst_pad_set_chain_list_function (pad, collect_list);
  gst_pad_set_event_function (pad, collect_event);
  return gst_object_ref_sink (pad);
}

/**
 * rtsp_sink_inline_bin_start:
 * @output: (nullable): what the last element shall make; NULL: anything
 * @error: says which elements do not fit, or why one does not start
 *
 * All elements are there: from now on it can be pushed to.
 */
gboolean
rtsp_sink_inline_bin_start (RtspSinkInlineBin * self, GstCaps * output,
    GError ** error)
{
  g_autoptr (GstPad) src = gst_element_get_static_pad (self->last, "src");
  g_autofree gchar *problem = NULL;

  self->collect = make_collect (self, output);
  gst_pad_set_active (self->collect, TRUE);
  if (!self->unlinked && gst_pad_link (src, self->collect) == GST_PAD_LINK_OK
      && gst_element_set_state (self->bin, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE) {
    gst_pad_set_active (self->feed, TRUE);
    return TRUE;
  }
  problem = rtsp_sink_inline_bin_take_problem (self);
  g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
      "The elements around \"%s\" cannot be used: %s. Install all of GStreamer's "
      "plugins in one version",
      GST_OBJECT_NAME (self->last), problem != NULL ? problem :
      "they cannot be linked");
  return FALSE;
}

/* The push itself does not tell whether the first element took them. */
static gboolean
push_caps (RtspSinkInlineBin * self, GstEvent * event)
{
  g_autoptr (GstPad) first = gst_pad_get_peer (self->feed);
  g_autoptr (GstCaps) pushed = NULL;
  g_autoptr (GstCaps) taken = NULL;
  gboolean ok = gst_pad_push_event (self->feed, event);

  pushed = gst_pad_get_current_caps (self->feed);
  taken = gst_pad_get_current_caps (first);
  return ok && taken != NULL && gst_caps_is_equal (pushed, taken);
}

/**
 * rtsp_sink_inline_bin_push_event:
 * @event: (transfer full): of a stream: its start, caps and segment come first
 *
 * Returns: FALSE if the first element cannot take it
 */
gboolean
rtsp_sink_inline_bin_push_event (RtspSinkInlineBin * self, GstEvent * event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_CAPS ? push_caps (self, event)
      : gst_pad_push_event (self->feed, event);
}

/**
 * rtsp_sink_inline_bin_set_caps:
 * @caps: of the buffers that follow
 *
 * Where no other event is pushed: the first call begins the stream, with a
 * segment from 0.
 *
 * Returns: FALSE if the first element cannot take them
 */
gboolean
rtsp_sink_inline_bin_set_caps (RtspSinkInlineBin * self, GstCaps * caps)
{
  GstSegment segment;
  gboolean ok;

  if (self->begun)
    return push_caps (self, gst_event_new_caps (caps));

  self->begun = TRUE;
  gst_pad_push_event (self->feed, gst_event_new_stream_start ("rtspsink"));
  ok = push_caps (self, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (self->feed, gst_event_new_segment (&segment));
  return ok;
}

/**
 * rtsp_sink_inline_bin_push:
 * @buffer: (transfer full): what goes in
 *
 * Returns: what the elements say, or whoever gets what they make
 */
GstFlowReturn
rtsp_sink_inline_bin_push (RtspSinkInlineBin * self, GstBuffer * buffer)
{
  forget_problem (self);
  return gst_pad_push (self->feed, buffer);
}

/**
 * rtsp_sink_inline_bin_call:
 * @buffer: (transfer full): what goes in
 *
 * Returns: (transfer full) (nullable): what comes out, maybe no buffer; NULL if
 *   the elements refuse @buffer
 */
GstBufferList *
rtsp_sink_inline_bin_call (RtspSinkInlineBin * self, GstBuffer * buffer)
{
  g_autoptr (GstBufferList) out = NULL;
  GstFlowReturn ret;

  self->collected = gst_buffer_list_new ();
  ret = rtsp_sink_inline_bin_push (self, buffer);
  out = g_steal_pointer (&self->collected);
  if (ret == GST_FLOW_OK)
    return g_steal_pointer (&out);

  GST_WARNING_OBJECT (self->last, "a buffer was refused: %s",
      gst_flow_get_name (ret));
  return NULL;
}

/**
 * rtsp_sink_inline_bin_end:
 *
 * Nothing follows.
 *
 * Returns: (transfer full): what was left comes out
 */
GstBufferList *
rtsp_sink_inline_bin_end (RtspSinkInlineBin * self)
{
  self->collected = gst_buffer_list_new ();
  if (self->begun)
    gst_pad_push_event (self->feed, gst_event_new_eos ());
  return g_steal_pointer (&self->collected);
}

/**
 * rtsp_sink_inline_bin_restart:
 *
 * Drops what the elements hold, and their fault. They go on with the same caps
 * and segment.
 */
void
rtsp_sink_inline_bin_restart (RtspSinkInlineBin * self)
{
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (self->feed,
      GST_EVENT_SEGMENT, 0);

  gst_pad_push_event (self->feed, gst_event_new_flush_start ());
  gst_pad_push_event (self->feed, gst_event_new_flush_stop (TRUE));
  if (segment != NULL)
    gst_pad_push_event (self->feed, gst_event_ref (segment));
}

/**
 * rtsp_sink_inline_bin_go_on:
 * @old: what follows would have been pushed to it
 *
 * Caps and segment are those of @old.
 */
void
rtsp_sink_inline_bin_go_on (RtspSinkInlineBin * self, RtspSinkInlineBin * old)
{
  static const GstEventType types[] = { GST_EVENT_CAPS, GST_EVENT_SEGMENT };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++) {
    GstEvent *event = gst_pad_get_sticky_event (old->feed, types[i], 0);

    if (event != NULL)
      gst_pad_push_event (self->feed, event);
  }
}

/**
 * rtsp_sink_inline_bin_get_caps:
 *
 * Returns: (transfer full) (nullable): the caps of what comes out, NULL while
 *   they are not known
 */
GstCaps *
rtsp_sink_inline_bin_get_caps (RtspSinkInlineBin * self)
{
  return gst_pad_get_current_caps (self->collect);
}
