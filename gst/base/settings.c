/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

/* What the user can set, and its defaults: a value, without thread and lock. */

#include "base/settings.h"

#include <stddef.h>

const RtspSinkSettings rtsp_sink_settings_defaults = {
  .address = "0.0.0.0",
  .port = 8554,
  .mount = "/test",
  .codec = GST_RTSP_SERVER_SINK_CODEC_AUTO,
  .bitrate = 0,
  .key_unit_interval = 2000,
  .gop_cache = FALSE,
  .encoder = NULL,
  .output_caps = NULL,
  .audio_codec = GST_RTSP_SERVER_SINK_AUDIO_CODEC_AUTO,
  .sync = GST_RTSP_SERVER_SINK_SYNC_AUTO,
  .timestamp_mode = GST_RTSP_SERVER_SINK_TIMESTAMP_MODE_AUTO,
  .shared = GST_RTSP_SERVER_SINK_SHARED_AUTO,
  .max_viewers = 0,
  .viewer_max_delay = 1000,
  .viewer_stall_timeout = 10000,
  .session_timeout = 60,
  .protocols = GST_RTSP_LOWER_TRANS_UDP | GST_RTSP_LOWER_TRANS_TCP,
  .profiles = GST_RTSP_PROFILE_AVP,
  .multicast_address_range = "239.255.42.42",
  .multicast_port_range = "5000-5009",
  .multicast_ttl = 1,
  .multicast_iface = NULL,
};

static const gsize strings[] = {
  offsetof (RtspSinkSettings, address),
  offsetof (RtspSinkSettings, mount),
  offsetof (RtspSinkSettings, encoder),
  offsetof (RtspSinkSettings, multicast_address_range),
  offsetof (RtspSinkSettings, multicast_port_range),
  offsetof (RtspSinkSettings, multicast_iface),
};

void
rtsp_sink_settings_init (RtspSinkSettings * self)
{
  rtsp_sink_settings_copy (self, &rtsp_sink_settings_defaults);
}

/* Fills the uninitialised @self. */
void
rtsp_sink_settings_copy (RtspSinkSettings * self, const RtspSinkSettings * from)
{
  *self = *from;
  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++) {
    gchar **string = G_STRUCT_MEMBER_P (self, strings[i]);

    *string = g_strdup (*string);
  }
  if (self->output_caps != NULL)
    gst_caps_ref (self->output_caps);
}

void
rtsp_sink_settings_clear (RtspSinkSettings * self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    g_clear_pointer ((gchar **) G_STRUCT_MEMBER_P (self, strings[i]), g_free);
  gst_clear_caps (&self->output_caps);
}
