/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * Stands in for an encoder that is not installed here: an element with its name
 * and its properties, that keeps what they are set to.
 *
 *   static const EncoderStandIn va = { "vah264enc", "video/x-h264",
 *     "bitrate:u rate-control:s", NULL };
 *   GstPluginFeature *feature = encoder_stand_in_register (&va);
 *   ... gst_registry_remove_feature (gst_registry_get (), feature);
 */

#ifndef __ENCODERSTANDIN_H__
#define __ENCODERSTANDIN_H__

#include <gst/gst.h>

G_BEGIN_DECLS

/* Of each number that nobody sets. */
#define ENCODER_STAND_IN_UNTOUCHED 7

typedef struct
{
  /* One that begins with nvv4l2 takes NVIDIA's memory only and has the action
   * force-IDR; one that does not end in enc is a converter. */
  const gchar *factory;
  const gchar *media_type;
  /* name:type; the types are u, i, U (64 bit), s (also for enums), b and c
   * (extra-controls). */
  const gchar *properties;
  /* For the test: name=value. */
  const gchar *expected;
} EncoderStandIn;

/* With a rank above all others. Transfer none. */
GstPluginFeature *encoder_stand_in_register (const EncoderStandIn * spec);

/* How often the action came. */
guint encoder_stand_in_count_requests (GstElement * element);

G_END_DECLS

#endif
