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
   * Lists the viewers, as a structure `application/x-rtspserversink-viewers`
   * with an array `viewers`. The structure of a viewer has its number `id`
   * (uint), its address `peer` (string), `transport` ("udp", "tcp" or
   * "udp-mcast"), `state` ("playing", "paused", or "skipping" while it is too
   * slow), and `age`, the time since it played for the first time (uint64,
   * ns). What was sent to it, over all streams, is in `units`, `packets` and
   * `bytes` of RTP (uint64). `lost` counts UDP packets that the system did
   * not take (uint64), and `skips` how often it skipped (uint). `delay` is
   * how far it is behind (uint64, ns; TCP only).
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
   * Closes the viewer's connection soon. The message
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
   * Asks the encoder to make the next frame a key unit, unless that was asked
   * for in the last 100 ms. While nobody watches nothing is encoded.
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
   * An encoder was made and opened; it has no caps yet. A handler can set
   * what no property of this element sets. The bit rate is set later, by
   * #GstRtspServerSink:bitrate.
   *
   * It is emitted on the thread that goes from NULL to READY; or on a
   * streaming thread, if the input turns out to be of another kind and needs
   * another encoder.
   *
   * Since: 0.1
   */
  install_setup (type, "encoder-setup");

  /**
   * GstRtspServerSink::payloader-setup:
   * @element: the element
   * @payloader: the payloader
   *
   * The payloader was made; it is in NULL. All viewers get its packets. It is
   * emitted on the same threads as #GstRtspServerSink::encoder-setup.
   *
   * Since: 0.1
   */
  install_setup (type, "payloader-setup");
}
