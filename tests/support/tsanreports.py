#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Runs a test program built with -Db_sanitize=thread and judges the reports.

GLib and GStreamer are not built for ThreadSanitizer: it does not see their atomic
counters and their inner locks, and reports them. Suppressions cannot tell these from
ours (they match any frame of a stack, and each thread's stack goes through GLib).
A report counts here if

  - data race: both accesses are made by this project's code itself, and none of
    them frees a buffer, for GStreamer drops references unseen;
  - lock order: one of the locks is taken by this project's code itself;
  - anything else: one of the stacks begins in this project's code.

"Itself" is the first frame below ThreadSanitizer's and tsanlocks.c. Counted reports
go to stderr and make the exit status 66; the others are only numbered.

Usage: tsanreports.py PROGRAM [ARGUMENT...]
"""

import os
import re
import subprocess
import sys

BORDER = "=================="
COUNTED = 66

FRAME = re.compile(r"^\s+#\d+ (\S+) (\S+)")
STACK_OF_ACCESS = re.compile(
    r"^  (Previous |Atomic |Previous atomic )?(Write|Read|write|read) of size"
)
STACK_OF_LOCK = re.compile(r"^  Mutex \S+ (acquired here|previously acquired)")
NOT_OURS = re.compile(r"tsanlocks\.c|libsanitizer|libtsan|/usr/include/")
FREED_BUFFER = re.compile(r"^\s+#1 gst_mini_object_unref \S*tsanlocks\.c")
OURS = re.compile(r"(^|/)(gst|tests)/[^ ]*\.[ch]:\d+")


def first_frames(report, heading=None):
    """The first telling frame of each stack whose heading matches."""
    frames = []
    wanted = heading is None
    for line in report:
        match = FRAME.match(line)
        if not match:
            wanted = heading is None or bool(heading.match(line))
            searching = True
        elif wanted and searching and not NOT_OURS.search(line):
            frames.append(match.group(2))
            searching = False
    return frames


def is_ours(place):
    return bool(OURS.search(place))


def counts(report):
    title = report[0]
    if "data race" in title and any(map(FREED_BUFFER.match, report)):
        return False
    if "data race" in title or "heap-use-after-free" in title:
        places = first_frames(report, STACK_OF_ACCESS)
        return len(places) > 1 and all(map(is_ours, places))
    if "lock-order-inversion" in title:
        return any(map(is_ours, first_frames(report, STACK_OF_LOCK)))
    return any(map(is_ours, first_frames(report)))


def split(text):
    """The reports (lists of lines) and the lines that are none."""
    reports, rest, report = [], [], None
    for line in text.splitlines():
        if line == BORDER:
            if report:
                reports.append(report)
                report = None
            else:
                report = []
        elif report is not None:
            report.append(line)
        else:
            rest.append(line)
    return [r for r in reports if "ThreadSanitizer" in r[0]], rest


def main(program):
    options = os.environ.get("TSAN_OPTIONS", "")
    environment = {**os.environ, "TSAN_OPTIONS": options + ":exitcode=0"}
    run = subprocess.run(
        program, env=environment, stderr=subprocess.PIPE, text=True, errors="replace"
    )
    reports, rest = split(run.stderr)
    counted = [report for report in reports if counts(report)]
    for line in rest:
        print(line, file=sys.stderr)
    for report in counted:
        print(BORDER, *report, BORDER, sep="\n", file=sys.stderr)
    print(
        f"ThreadSanitizer: {len(counted)} reports count,"
        f" {len(reports) - len(counted)} are of libraries alone",
        file=sys.stderr,
    )
    # With exitcode=0 a crash that ThreadSanitizer catches would be a success.
    if any("ERROR: ThreadSanitizer" in line for line in rest):
        return COUNTED
    if run.returncode < 0:
        return 128 - run.returncode
    return run.returncode or (COUNTED if counted else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
