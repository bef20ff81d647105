/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The rtspserversink developers */
/*
 * A program of C tests is made of many files. The last line of each adds its suite:
 *
 *   static Suite *
 *   timeline_suite (void)
 *   ...
 *   CHECK_SUITE (timeline);
 *
 * main() is in checkmain.c. It runs the suites that its arguments name, or all.
 */

#ifndef __CHECKSUITE_H__
#define __CHECKSUITE_H__

#include <gst/check/gstcheck.h>

G_BEGIN_DECLS

#define CHECK_SUITE(name)                                       \
static void __attribute__ ((constructor))                       \
add_suite (void)                                                \
{                                                               \
  check_suite_add (#name, name ## _suite, __FILE__);            \
}

/* Before main(). */
void check_suite_add (const gchar * name, Suite * (*make) (void),
    const gchar * file);

G_END_DECLS

#endif
