/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */

#pragma once

#include "server/client.h"

/* Guarded by a lock of its owner, which is held for each call. */
typedef struct
{
  GHashTable *viewers;          /* RtspSinkClient → GPtrArray of the mounts
                                 * that it entered */
} RtspSinkRoster;

void rtsp_sink_roster_init (RtspSinkRoster * self);

void rtsp_sink_roster_clear (RtspSinkRoster * self);

void rtsp_sink_roster_add (RtspSinkRoster * self, RtspSinkClient * viewer);

void rtsp_sink_roster_remove (RtspSinkRoster * self, RtspSinkClient * viewer);

void rtsp_sink_roster_enter (RtspSinkRoster * self, RtspSinkClient * viewer,
    RtspSinkMount * mount);

void rtsp_sink_roster_forget (RtspSinkRoster * self, RtspSinkMount * mount);

gboolean rtsp_sink_roster_has (RtspSinkRoster * self, RtspSinkMount * mount);

GPtrArray *rtsp_sink_roster_list (RtspSinkRoster * self,
    RtspSinkMount * mount);

gboolean rtsp_sink_roster_shares_thread (RtspSinkRoster * self,
    RtspSinkClient * viewer);
