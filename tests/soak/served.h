/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/* The pipeline that visitors come to. For the main thread. */

#ifndef __SERVED_H__
#define __SERVED_H__

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *pipeline;
  GstElement *sink;
  GstBus *bus;
  gchar *uri;                   /* from served_play() on */
} Served;

/* source: the line before the element; properties: of the element, or NULL. Ends
 * the program if there can be no such pipeline. Transfer full. */
Served *served_new (const gchar * source, const gchar * properties);

/* To NULL, and frees. */
void served_free (Served * served);

/* That the state is not reached breaks a rule. */
void served_set_state (Served * served, GstState state);

/* To PLAYING; the uri is known then. */
void served_play (Served * served);

guint served_get_number (Served * served, const gchar * property);

G_END_DECLS

#endif
