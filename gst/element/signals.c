/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* The element's signals and actions, and their documentation. */

#include "element/signals.h"

static void
install_action (GType type, const gchar * name, GCallback func, GType ret,
    guint n_params, GType param)
{
  g_signal_new_class_handler (name, type, G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      func, NULL, NULL, NULL, ret, n_params, param);
}

static void
install_actions (GType type, const RtspSinkActions * actions)
{
  /**
   * GstRtspServerSink::get-viewers:
   * @element: the element
   *
   * An action: who watches. The structure
   * `application/x-rtspserversink-viewers` has an array `viewers` with one
   * structure for each: its number `id` (uint), its address `peer` (string),
   * `transport` ("udp", "tcp" or "udp-mcast"), `state` ("playing", "paused",
   * or "skipping" while it is too slow), since when as its `age` (uint64, ns),
   * what was sent to it as `units`, `packets` and `bytes` of RTP of all streams
   * (uint64), UDP packets that the system did not take as `lost` (uint64), how
   * often it skipped as `skips` (uint), and how far it is behind as `delay`
   * (uint64, ns; TCP only).
   *
   * Returns: (transfer full): the viewers
   *
   * Since: 0.1
   */
  install_action (type, "get-viewers", G_CALLBACK (actions->get_viewers),
      GST_TYPE_STRUCTURE, 0, G_TYPE_NONE);

  /**
   * GstRtspServerSink::remove-viewer:
   * @element: the element
   * @id: the viewer's number, as messages and get-viewers tell it
   *
   * An action: closes the viewer's connection soon. The message
   * `rtspserversink-viewer-removed` with the reason "removed" follows.
   *
   * Returns: FALSE if there is no such viewer
   *
   * Since: 0.1
   */
  install_action (type, "remove-viewer", G_CALLBACK (actions->remove_viewer),
      G_TYPE_BOOLEAN, 1, G_TYPE_UINT);

  /**
   * GstRtspServerSink::force-key-unit:
   * @element: the element
   *
   * An action: asks the encoder to make the next frame a key unit, unless that
   * was asked for in the last 100 ms.
   *
   * Returns: FALSE if the element does not serve
   *
   * Since: 0.1
   */
  install_action (type, "force-key-unit", G_CALLBACK (actions->force_key_unit),
      G_TYPE_BOOLEAN, 0, G_TYPE_NONE);
}

static void
install_setup (GType type, const gchar * name)
{
  g_signal_new (name, type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
      G_TYPE_NONE, 1, GST_TYPE_ELEMENT);
}

/**
 * rtsp_sink_signals_install:
 * @type: the element's
 */
void
rtsp_sink_signals_install (GType type, const RtspSinkActions * actions)
{
  install_actions (type, actions);

  /**
   * GstRtspServerSink::encoder-setup:
   * @element: the element
   * @encoder: the encoder
   *
   * An encoder was made: the time to set what no property of this element does.
   * It is opened, and has no caps yet. Its bit rate is set later, by
   * #GstRtspServerSink:bitrate.
   *
   * On the thread that goes from NULL to READY; for an encoder that is made
   * because the input turns out to be of another kind, on a streaming thread.
   *
   * Since: 0.1
   */
  install_setup (type, "encoder-setup");

  /**
   * GstRtspServerSink::payloader-setup:
   * @element: the element
   * @payloader: the payloader
   *
   * The payloader was made. It is in NULL, on the same threads as encoders are
   * made. All viewers get the packets that it makes.
   *
   * Since: 0.1
   */
  install_setup (type, "payloader-setup");
}
