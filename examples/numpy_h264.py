#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Serves numpy arrays as H.264 over RTSP.

    numpy_h264.py [PROPERTY=VALUE ...]     of rtspserversink, for example port=8600

Watch it with any player: ffplay rtsp://127.0.0.1:8554/test

No main loop, no callback: make an array, push it. Frames that nobody watches cost
nothing, and nobody who watches can slow this program down.
"""

import sys
import time

import gi
import numpy

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

WIDTH, HEIGHT, RATE = 640, 480, 25


def make_frame(number):
    """A blue picture with a yellow square that moves, in OpenCV's order BGR."""
    frame = numpy.empty((HEIGHT, WIDTH, 3), numpy.uint8)
    frame[:] = 160, 40, 0
    left = 4 * number % (WIDTH - 100)
    frame[190:290, left : left + 100] = 0, 220, 255
    return frame


def check():
    """What is wrong stands on the bus, with its cure."""
    message = pipeline.bus.pop_filtered(Gst.MessageType.ERROR)
    if message:
        error, _ = message.parse_error()
        sys.exit(error.message)


Gst.init(None)

# is-live and do-timestamp: a frame is of the moment at which it is pushed.
pipeline = Gst.parse_launch(
    "appsrc name=source format=time is-live=true do-timestamp=true "
    f"caps=video/x-raw,format=BGR,width={WIDTH},height={HEIGHT},framerate={RATE}/1 "
    "! rtspserversink name=sink mount=/test " + " ".join(sys.argv[1:])
)
source = pipeline.get_by_name("source")
pipeline.set_state(Gst.State.PLAYING)
check()
print("serving at", pipeline.get_by_name("sink").props.uri, flush=True)

number = 0
try:
    while True:
        source.emit("push-buffer", Gst.Buffer.new_wrapped(make_frame(number).tobytes()))
        number += 1
        time.sleep(1 / RATE)
        check()
except KeyboardInterrupt:
    pass
finally:
    pipeline.set_state(Gst.State.NULL)
