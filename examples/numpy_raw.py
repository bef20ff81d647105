#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Serves numpy arrays uncompressed: viewers get the very pixels (RTP of RFC 4175).

    numpy_raw.py [PROPERTY=VALUE ...]     of rtspserversink, for example port=8600

Few players show this; GStreamer does:

    gst-launch-1.0 rtspsrc location=rtsp://127.0.0.1:8554/stream.rtp latency=0 \
        ! rtpvrawdepay ! videoconvert ! autovideosink

It takes width x height x 3 bytes a frame, here 18 Mbit/s: for a fast network only.
"""

import sys
import time

import gi
import numpy

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

WIDTH, HEIGHT, RATE = 320, 240, 10


def check():
    """What is wrong stands on the bus, with its cure."""
    message = pipeline.bus.pop_filtered(Gst.MessageType.ERROR)
    if message:
        error, _ = message.parse_error()
        sys.exit(error.message)


Gst.init(None)

pipeline = Gst.parse_launch(
    "appsrc name=source format=time is-live=true do-timestamp=true "
    f"caps=video/x-raw,format=RGB,width={WIDTH},height={HEIGHT},framerate={RATE}/1 "
    "! rtspserversink name=sink codec=raw mount=/stream.rtp " + " ".join(sys.argv[1:])
)
source = pipeline.get_by_name("source")
pipeline.set_state(Gst.State.PLAYING)
check()
print("serving at", pipeline.get_by_name("sink").props.uri, flush=True)

random = numpy.random.default_rng()
try:
    while True:
        frame = random.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=numpy.uint8)
        source.emit("push-buffer", Gst.Buffer.new_wrapped(frame.tobytes()))
        time.sleep(1 / RATE)
        check()
except KeyboardInterrupt:
    pass
finally:
    pipeline.set_state(Gst.State.NULL)
