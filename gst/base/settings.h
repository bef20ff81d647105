/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include <gst/rtsp/rtsp.h>

#include "base/enums.h"

/* What the user set. A plain value: who holds it rules its thread. */
typedef struct
{
  gchar *address;
  guint port;                   /* 0: any free one */
  gchar *mount;
  GstRtspServerSinkCodec codec;
  guint bitrate;                /* bit/s, 0: from size and rate */
  guint key_unit_interval;      /* ms */
  gboolean gop_cache;
  gchar *encoder;               /* launch description or NULL */
  GstCaps *output_caps;         /* size and rate of what is served, or NULL */
  GstRtspServerSinkAudioCodec audio_codec;
  GstRtspServerSinkSync sync;
  GstRtspServerSinkTimestampMode timestamp_mode;
  GstRtspServerSinkShared shared;
  guint max_viewers;            /* 0: any number */
  guint viewer_max_delay;       /* ms */
  guint viewer_stall_timeout;   /* ms */
  guint session_timeout;        /* s */
  GstRTSPLowerTrans protocols;
  GstRTSPProfile profiles;
  gchar *multicast_address_range;
  gchar *multicast_port_range;
  guint multicast_ttl;
  gchar *multicast_iface;       /* or NULL: the system's choice */
} RtspSinkSettings;

extern const RtspSinkSettings rtsp_sink_settings_defaults;

void rtsp_sink_settings_init (RtspSinkSettings * self);

void rtsp_sink_settings_copy (RtspSinkSettings * self,
    const RtspSinkSettings * from);

void rtsp_sink_settings_clear (RtspSinkSettings * self);
