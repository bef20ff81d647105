/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Frames in the memory of a device that is not there, and an encoder that takes
 * them. What else touches them fails: they cannot be mapped.
 *
 *   device_encoder_register ("vatesth264enc", 0,
 *       "video/x-raw(memory:VAMemory), format=NV12; video/x-raw, format=NV12");
 *   ... encoder=vatesth264enc ...
 *   frame = device_frame_new (frame);
 */

#ifndef __DEVICEENCODER_H__
#define __DEVICEENCODER_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* An x264enc that holds no frame back and takes these caps, which it keeps. With
 * a rank of 0 only who names it gets it. */
void device_encoder_register (const gchar * factory, guint rank,
    const gchar * caps);

/* In the pools that it proposes. */
#define DEVICE_ENCODER_MIN_BUFFERS 7

/* Takes a frame in the machine's memory. */
GstBuffer *device_frame_new (GstBuffer * frame);

gboolean device_frame_is (GstBuffer * frame);

G_END_DECLS

#endif
