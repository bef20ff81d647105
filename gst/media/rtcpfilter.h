/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

/* What is asked and told of incoming RTCP. Its thread, no lock held. */
typedef struct
{
  /* The SSRC of what is sent; 0: nothing yet. */
  guint32 (*get_own_ssrc) (gpointer user_data);

  /* RTCP came from @address. Returns whether that is a viewer's; it lives. */
  gboolean (*alive) (GInetSocketAddress * address, gpointer user_data);

  /* The viewer at @address reports as @ssrc, or as nobody if that is 0. Returns
   * FALSE if it does so too often. */
  gboolean (*may_report) (GInetSocketAddress * address, guint32 ssrc,
      gpointer user_data);
} RtspSinkRtcpFilterFuncs;

gboolean rtsp_sink_rtcp_filter_is_bye (GstBuffer * buffer);

void rtsp_sink_rtcp_filter_watch (GstPad * pad, gboolean feedback,
    const RtspSinkRtcpFilterFuncs * funcs, gpointer user_data);
