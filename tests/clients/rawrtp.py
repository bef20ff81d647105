#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Uncompressed video (codec=raw, RFC 4175): viewers get the very samples that were fed.

RGB 320x240 at 10 frames per second on the mount /stream.rtp is what numpy users build by
hand; here it comes from numpy and from another pipeline that loops a file.
"""

import pathlib
import threading

import numpy

from gstfeed import (
    DEADLINE,
    Feed,
    Gst,
    Pipeline,
    PipelineError,
    View,
    Watcher,
    planes_of,
    video_info,
    videoconvert_formats,
)
from rtspsinktest import SinkTestCase, main

RATE = 10
SIZE = 320, 240
RGB = f"video/x-raw,format=RGB,width=320,height=240,framerate={RATE}/1"
MOUNT = "/stream.rtp"
# So many different random frames are fed in turn.
N_FRAMES = 16
N_WATCHED = 20

# A size without rests in any format: a multiple of all groups of pixels and tiles.
WHOLE_GROUPS = 192, 128

# Those that RFC 4175 has, and those whose samples fit into one of them.
SENT = set("RGB BGR RGBA BGRA UYVY UYVP I420 Y41B".split())
FITTING = set("RGBx xRGB BGRx xBGR GBR ARGB ABGR GBRA YUY2 YVYU VYUY Y42B NV16".split())
FITTING |= set("NV61 v210 YV12 NV12 NV21 GRAY8 Y444 v308 IYU2".split())
# More bits, or alpha beside luma, than it can carry.
UNFIT = set("GRAY16_LE GRAY16_BE I420_10LE P010_10LE RGB16 BGR15 ARGB64 AYUV VUYA".split())
UNFIT |= set("A420 Y444_10LE RGB10A2_LE".split())

# Formats of 10 bits: the words, and which of their bits hold samples.
UNUSED_BITS = {
    "v210": ("<u4", 0x3FFFFFFF),
    "NV16_10LE32": ("<u4", 0x3FFFFFFF),
    "I422_10LE": ("<u2", 0x03FF),
    "I422_10BE": (">u2", 0x03FF),
    "Y210": ("<u2", 0xFFC0),
}


def random_frame(number):
    """One of N_FRAMES pictures of noise; any slip of a byte shows."""
    width, height = SIZE
    noise = numpy.random.default_rng(number % N_FRAMES)
    return noise.integers(0, 256, (height, width, 3), dtype=numpy.uint8)


def random_samples(pixels, info):
    samples = numpy.random.default_rng(1).integers(0, 256, info.size, dtype=numpy.uint8)
    if pixels in UNUSED_BITS:
        word, mask = UNUSED_BITS[pixels]
        samples = (samples.view(word) & mask).astype(word).view(numpy.uint8)
    return samples


def frame_number(picture, frames):
    """Which of the frames it is, bit for bit."""
    for number, frame in enumerate(frames):
        if numpy.array_equal(picture.planes[0], frame):
            return number
    raise AssertionError("a picture is none of those that were fed")


class RawRtp(SinkTestCase):
    def check_viewers(self, uri, frames, protocols):
        """Viewers at once; each gets every frame, in order, unchanged."""
        watchers = [
            Watcher(
                uri,
                N_WATCHED,
                lambda picture: frame_number(picture, frames),
                codec="raw",
                protocols=protocol,
            )
            for protocol in protocols
        ]
        for watcher in watchers:
            numbers = watcher.result()
            following = [(numbers[0] + n) % len(frames) for n in range(N_WATCHED)]
            self.assertEqual(numbers, following)

    def test_numpy_frames_arrive_unchanged(self):
        frames = [random_frame(number) for number in range(N_FRAMES)]
        with Feed(RGB, codec="raw", mount=MOUNT) as feed:
            self.assertTrue(feed.uri.endswith(MOUNT))
            with feed.keep_pushing(random_frame, RATE):
                self.check_viewers(feed.uri, frames, ["tcp"])
                self.check_viewers(feed.uri, frames, ["udp"])
                self.check_viewers(feed.uri, frames, ["udp", "tcp", "udp", "tcp"])

    def test_file_looped_by_another_pipeline_arrives_unchanged(self):
        clip = pathlib.Path(self.temporary_directory()) / "clip.mkv"
        source = f"videotestsrc pattern=snow num-buffers={N_FRAMES} ! {RGB}"
        with Pipeline(f"{source} ! matroskamux ! filesink location={clip}") as making:
            making.wait_eos()
        decoding = f"filesrc location={clip} ! matroskademux ! appsink name=sink sync=false"
        with Pipeline(decoding) as reading:
            frames = [self.read_frame(reading) for number in range(N_FRAMES)]
        with Feed(RGB, codec="raw", mount=MOUNT) as feed:
            with Loop(decoding.replace("sync=false", "sync=true"), feed):
                self.check_viewers(feed.uri, frames, ["tcp"])
                self.check_viewers(feed.uri, frames, ["tcp", "udp", "tcp"])

    def read_frame(self, pipeline):
        sample = pipeline["sink"].try_pull_sample(int(DEADLINE * Gst.SECOND))
        self.assertIsNotNone(sample)
        return planes_of(sample.get_buffer(), video_info(RGB))[0]

    def watch_format(self, pixels, size, protocols="tcp"):
        """Feeds random samples; returns what was fed and what came, or None if refused."""
        width, height = size
        caps = f"video/x-raw,format={pixels},width={width},height={height},framerate=25/1"
        info = video_info(caps)
        frame = random_samples(pixels, info).tobytes()
        # Without these two, the test's own conversion would lose something.
        back = "videoconvert dither=none chroma-mode=none"
        back += f" ! video/x-raw,format={pixels}"
        with Feed(caps, codec="raw") as feed:
            with feed.keep_pushing(frame), View(
                feed.uri, codec="raw", protocols=protocols, convert=back
            ) as view:
                try:
                    seen = view.picture(feed=feed).planes
                except PipelineError as error:
                    return None, error
        return planes_of(Gst.Buffer.new_wrapped(frame), info), seen

    def check_same(self, fed, seen):
        for before, after in zip(fed, seen, strict=True):
            height, width = after.shape[:2]
            # A pixel of a group (two rows, two columns) may be cut off.
            self.assertLessEqual(before.shape[0] - height, 1)
            self.assertLessEqual(before.shape[1] - width, 5 if before.ndim == 2 else 1)
            wrong = numpy.count_nonzero(before[:height, :width] != after)
            self.assertEqual(wrong, 0, f"of {after.size} samples")

    def test_every_format_arrives_unchanged_or_is_refused(self):
        for name in videoconvert_formats():
            with self.subTest(name):
                fed, seen = self.watch_format(name, WHOLE_GROUPS)
                if fed:
                    self.assertNotIn(name, UNFIT)
                    self.check_same(fed, seen)
                else:
                    self.assertNotIn(name, SENT | FITTING)
                    for word in "codec=raw", name, "videoconvert":
                        self.assertIn(word, seen.text)

    def test_formats_of_the_standard_arrive_unchanged_over_udp(self):
        for name in sorted(SENT):
            with self.subTest(name):
                self.check_same(*self.watch_format(name, WHOLE_GROUPS, "udp"))

    def test_odd_sizes_arrive_unchanged_or_are_refused(self):
        for size in (321, 241), (17, 33), (3, 3), (2, 2):
            for name in sorted(SENT | FITTING):
                with self.subTest(name, size=size):
                    fed, seen = self.watch_format(name, size)
                    if fed:
                        self.check_same(fed, seen)
                    else:
                        self.assertIn("{}x{}".format(*size), seen.text)
                        self.assertNotIn(name, ("RGB", "BGR", "RGBA", "BGRA", "GRAY8"))


class Loop:
    """Another pipeline of the program that plays a file again and again into a feed."""

    def __init__(self, line, feed):
        self.pipeline = Pipeline(line)
        self.feed = feed
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, name="loop")

    def __enter__(self):
        self.pipeline.start()
        self.thread.start()

    def __exit__(self, *unused):
        self.ended.set()
        self.thread.join()
        self.pipeline.stop()

    def run(self):
        sink = self.pipeline["sink"]
        while not self.ended.is_set():
            sample = sink.try_pull_sample(Gst.SECOND // 10)
            if sample:
                pixels = planes_of(sample.get_buffer(), video_info(RGB))[0]
                self.feed.push(pixels)
            elif sink.props.eos:
                self.pipeline.pipeline.seek_simple(
                    Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0
                )


if __name__ == "__main__":
    main()
