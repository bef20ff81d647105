/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Turns received access units (with RtspRecord.keep_packets) into pictures, with
 * GStreamer's own depayloader and decoder, to see what a viewer sees. Synchronous;
 * one thread at a time.
 */

#ifndef __PICTUREDECODER_H__
#define __PICTUREDECODER_H__

#include <gst/gst.h>
#include <gst/sdp/sdp.h>

#include "rtsprecord.h"

G_BEGIN_DECLS

typedef struct _PictureDecoder PictureDecoder;

/* A decoder of the SDP's first video, with pictures in the given raw format. Not
 * GRAY8 for levels: videoconvert then copies the luma, 16 to 235. NULL if the SDP has none that can be decoded.
 * Transfer full. */
PictureDecoder *picture_decoder_new (const GstSDPMessage * sdp,
    const gchar * format);

/* Takes NULL. */
void picture_decoder_free (PictureDecoder * decoder);

/* Decodes one unit; units must be given in order. NULL if no picture came of it
 * within the timeout (µs). Transfer full. */
GstSample *picture_decoder_decode (PictureDecoder * decoder,
    const RtspUnit * unit, gint64 timeout);

/* Mean of the centre 32x32 pixels (or fewer) of an RGB picture's
 * first component. */
guint picture_grey (GstSample * sample);

G_END_DECLS

#endif
