# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""A program that reads pictures with OpenCV and writes them as raw RGB.

Usage: cvframes.py ffmpeg|gstreamer SOURCE COUNT FILE

OpenCV is told how to pull by the environment (OPENCV_FFMPEG_CAPTURE_OPTIONS), and waits
without end for some streams: hence a process of its own.
"""

import sys

import cv2

BACKENDS = {"ffmpeg": cv2.CAP_FFMPEG, "gstreamer": cv2.CAP_GSTREAMER}

backend, source, count, path = sys.argv[1:]
reader = cv2.VideoCapture(source, BACKENDS[backend])
if not reader.isOpened():
    sys.exit(f"VideoCapture does not open '{source}'")
with open(path, "wb") as output:
    for _ in range(int(count)):
        ok, picture = reader.read()
        if not ok:
            sys.exit("VideoCapture reads no picture")
        output.write(picture[..., ::-1].tobytes())
