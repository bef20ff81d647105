/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * For tests of a viewer's sender: hands it units as its media does, and looks at
 * what it tells of itself.
 */

#ifndef __SENDERTEST_H__
#define __SENDERTEST_H__

#include "media/sender.h"

G_BEGIN_DECLS

#define UNIT_DURATION (100 * GST_MSECOND)

/* What comes next; both run on with each unit. */
typedef struct
{
  guint16 seqnum;
  GstClockTime pts;             /* and the time at which it comes, unless ... */
  GstClockTime came;            /* ... this is set */
} UnitSource;

/* A unit of n packets of so many bytes of payload each. Returns the gate. */
RtspSinkSenderGate unit_source_push (UnitSource * self,
    RtspSinkSender * sender, guint n, gsize payload, gboolean key);

/* These packets, which the caller has numbered. */
RtspSinkSenderGate unit_source_push_list (UnitSource * self,
    RtspSinkSender * sender, GstBufferList * packets, gboolean key);

/* What it tells of itself. */
RtspSinkSenderStats sender_stats (RtspSinkSender * sender);

/* Fails the test unless it says so. */
void sender_expect_state (RtspSinkSender * sender, gboolean open,
    gboolean slow);

G_END_DECLS

#endif
