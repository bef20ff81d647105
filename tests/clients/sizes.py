#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Pictures of any size: seen right, at most one pixel smaller, or refused clearly."""

import numpy

from gstfeed import Feed, PipelineError, View
from rtspsinktest import SinkTestCase, main

TOLERANCE = 12
RATE = 10

# Sizes from nothing to 4K: odd, below a macroblock, one pixel wide.
SIZES = [(1, 1), (1, 240), (320, 1), (2, 2), (3, 3), (2, 4), (4, 2), (5, 5), (8, 8)]
SIZES += [(15, 9), (16, 16), (17, 33), (33, 17), (2, 240), (320, 2), (321, 241)]
SIZES += [(630, 474), (641, 481), (1919, 1079), (3840, 2160)]


def ramp(width, height):
    """Darker above, lighter to the right: any slip of rows or columns shows."""
    across = numpy.linspace(0, 120, width)[numpy.newaxis]
    down = numpy.linspace(0, 120, height)[:, numpy.newaxis]
    return (across + down).astype(numpy.uint8)


def studio(levels):
    return (16 + levels.astype(int) * 219 // 255).astype(numpy.uint8)


def halved(length):
    return (length + 1) // 2


def planar(levels, subsample=True):
    """Luma, and two planes of no colour."""
    height, width = levels.shape
    chroma = halved(width) * halved(height) if subsample else width * height
    grey = numpy.full(2 * chroma, 128, numpy.uint8)
    return numpy.concatenate((studio(levels).ravel(), grey))


def yuy2(levels):
    height, width = levels.shape
    pixels = numpy.full((height, 2 * halved(width), 2), 128, numpy.uint8)
    pixels[:, :width, 0] = studio(levels)
    return pixels


def threefold(levels):
    return numpy.repeat(levels[..., numpy.newaxis], 3, axis=2)


# Rows that follow each other without GStreamer's padding, as numpy and OpenCV have them.
UNPADDED = {
    "BGR": threefold,
    "GRAY8": lambda levels: levels,
    "GRAY16_LE": lambda levels: (levels.astype(int) * 257).astype("<u2"),
    "I420": planar,
    "YV12": planar,
    "NV12": planar,
    "Y444": lambda levels: planar(levels, subsample=False),
    "YUY2": yuy2,
    "v308": lambda levels: numpy.dstack(
        (studio(levels), numpy.full((*levels.shape, 2), 128, numpy.uint8))
    ),
}


class Sizes(SinkTestCase):
    def check_seen(self, picture, levels):
        width, height = picture.size
        self.assertLessEqual(levels.shape[1] - width, 1)
        self.assertLessEqual(levels.shape[0] - height, 1)
        seen = picture.rgb()
        error = numpy.abs(seen - levels[:height, :width, numpy.newaxis]).max()
        self.assertLessEqual(error, TOLERANCE, picture.size)

    def watch(self, pixels, frame, size):
        """The first decoded picture, or None and an error that names the size."""
        width, height = size
        caps = f"video/x-raw,format={pixels},width={width},height={height}"
        with Feed(f"{caps},framerate={RATE}/1") as feed:
            with feed.keep_pushing(frame, RATE), View(feed.uri) as view:
                try:
                    return view.picture(feed=feed)
                except PipelineError as error:
                    self.assertIn(f"{width}x{height}", error.text)
                    return None

    def test_any_size_is_seen_right_or_refused(self):
        for size in SIZES:
            with self.subTest(size=size):
                levels = ramp(*size)
                picture = self.watch("RGB", threefold(levels), size)
                if picture:
                    self.check_seen(picture, levels)
                else:
                    self.assertLess(min(size), 2)

    def test_rows_without_padding_are_seen_right(self):
        for size in (321, 241), (17, 33), (15, 9), (3, 3):
            for name, pack in UNPADDED.items():
                with self.subTest(name, size=size):
                    levels = ramp(*size)
                    picture = self.watch(name, pack(levels), size)
                    self.assertIsNotNone(picture)
                    self.check_seen(picture, levels)


if __name__ == "__main__":
    main()
