#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Serves what OpenCV draws, as H.264 over RTSP: a VideoWriter is all it takes.

    opencv_writer.py [PROPERTY=VALUE ...]     of rtspserversink, for example port=8600

Watch it with any player (ffplay rtsp://127.0.0.1:8554/test), or in OpenCV:

    cv2.VideoCapture("rtsp://127.0.0.1:8554/test")
"""

import sys
import time

import cv2
import numpy

WIDTH, HEIGHT, RATE = 640, 480, 25

# BGR as OpenCV has it, no videoconvert, any size.
writer = cv2.VideoWriter(
    "appsrc ! rtspserversink mount=/test " + " ".join(sys.argv[1:]),
    cv2.CAP_GSTREAMER,
    0,
    float(RATE),
    (WIDTH, HEIGHT),
)
if not writer.isOpened():
    sys.exit("The writer does not open; GST_DEBUG=2 in the environment says why.")
print("serving", flush=True)

number = 0
try:
    while True:
        frame = numpy.full((HEIGHT, WIDTH, 3), (60, 60, 60), numpy.uint8)
        centre = (WIDTH // 2 + int(200 * numpy.sin(number / 20)), HEIGHT // 2)
        cv2.circle(frame, centre, 60, (0, 160, 255), thickness=-1)
        cv2.putText(frame, str(number), (20, 50), 0, 1.5, (255, 255, 255), 2)
        writer.write(frame)
        number += 1
        time.sleep(1 / RATE)
except KeyboardInterrupt:
    writer.release()
