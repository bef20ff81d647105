#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""numpy frames in a gst-python program without any main loop, and looped files."""

import pathlib
import time

import numpy

from gstfeed import (
    DEADLINE,
    Feed,
    Gst,
    Pipeline,
    Server,
    View,
    Watcher,
    picture_code,
    picture_grey,
)
from rtspsinktest import CODES, SinkTestCase, code_level, main

WIDTH, HEIGHT, RATE = 160, 120, 25
BGR = f"video/x-raw,format=BGR,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
I420 = BGR.replace("BGR", "I420")
N_VIEWERS = 4
N_WATCHED = 50
# Live input never waits: when this machine is busy, frames give way to newer ones.
HELD_UP = N_WATCHED // 10


def code_frame(number):
    """A flat grey picture that tells its number."""
    return numpy.full((HEIGHT, WIDTH, 3), code_level(number), numpy.uint8)


def following(codes):
    """The codes that should come, by the first one."""
    return [(codes[0] + number) % CODES for number in range(len(codes))]


class Puller:
    """need-data: the appsrc asks for the next frame from a thread of its own."""

    def __init__(self, feed):
        self.number = 0
        self.feed = feed
        feed.source.props.emit_signals = True
        feed.source.connect("need-data", self.push_next)

    def push_next(self, source, length):
        buffer = Gst.Buffer.new_wrapped(code_frame(self.number).tobytes())
        buffer.pts = self.number * Gst.SECOND // RATE
        buffer.duration = Gst.SECOND // RATE
        self.number += 1
        source.push_buffer(buffer)


def count_lost(codes):
    """Frames that did not come; up to CODES at once."""
    return sum((after - before - 1) % CODES for before, after in zip(codes, codes[1:]))


class NumpyFeed(SinkTestCase):
    def check_every_frame(self, uri, protocols, allowed=0):
        watchers = [
            Watcher(uri, N_WATCHED, picture_code, protocols=protocol)
            for protocol in protocols
        ]
        for codes in [watcher.result() for watcher in watchers]:
            self.assertLessEqual(count_lost(codes), allowed, codes)

    def test_frames_from_the_main_thread_are_seen(self):
        """Reported: frames pushed from the main thread, without a main loop, never appear."""
        with Feed(BGR) as feed:
            viewer = Watcher(feed.uri, N_WATCHED, picture_code)
            start, number = time.monotonic(), 0
            while viewer.is_alive() and time.monotonic() - start < DEADLINE:
                self.assertEqual(feed.push(code_frame(number)), Gst.FlowReturn.OK)
                number += 1
                time.sleep(max(0, start + number / RATE - time.monotonic()))
            codes = viewer.result()
        self.assertLessEqual(count_lost(codes), HELD_UP, codes)

    def test_each_of_four_viewers_gets_every_pushed_frame(self):
        with Feed(BGR) as feed, feed.keep_pushing(code_frame, RATE):
            self.check_every_frame(feed.uri, ["tcp", "udp"] * (N_VIEWERS // 2), HELD_UP)

    def test_each_of_four_viewers_gets_every_frame_of_need_data(self):
        """As most examples on the web feed an appsrc; there the viewers share them."""
        feed = Feed(BGR, source="is-live=false block=false max-buffers=2 max-bytes=0")
        puller = Puller(feed)
        with feed:
            self.check_every_frame(feed.uri, ["tcp", "udp"] * (N_VIEWERS // 2))
            fed = puller.number
        # Not faster than real time, whatever it was asked for.
        self.assertLess(fed, 4 * N_WATCHED)

    def test_rgba_keeps_its_colours_and_loses_its_alpha(self):
        """Reported: a writer that takes 8-bit BGR and grey only."""
        colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (200, 120, 40)]
        frame = numpy.random.default_rng(1).integers(
            0, 256, (240, 320, 4), dtype=numpy.uint8
        )
        for number, colour in enumerate(colours):
            frame[:, number * 80 : (number + 1) * 80, :3] = colour
        caps = "video/x-raw,format=RGBA,width=320,height=240,framerate=25/1"
        with Feed(caps) as feed, feed.keep_pushing(frame), View(feed.uri) as view:
            seen = view.picture().rgb()[120, 40::80]
        self.assertLessEqual(numpy.abs(seen - colours).max(), 12, seen)

    def test_frames_of_another_size_are_dropped_with_one_warning(self):
        """Reported: frames smaller than the caps say made CRITICALs, and nothing was sent."""
        small = numpy.zeros((HEIGHT // 2, WIDTH // 2, 3), numpy.uint8)

        def frame(number):
            return small if number % 10 == 9 else code_frame(number - number // 10)

        with Feed(BGR) as feed, feed.keep_pushing(frame, RATE):
            codes = Watcher(feed.uri, 2 * N_WATCHED, picture_code).result()
            self.assertLessEqual(count_lost(codes), HELD_UP, codes)
            warning = feed.pop(Gst.MessageType.WARNING)
            error, _ = warning.parse_warning()
            for word in str(small.nbytes), str(code_frame(0).nbytes), "160x120":
                self.assertIn(word, error.message)
            self.assertIsNone(feed.pop(Gst.MessageType.WARNING))
            feed.check()


class LoopedFiles(SinkTestCase):
    def make_clip(self):
        """A film of CODES frames, H.264 in Matroska."""
        clip = pathlib.Path(self.temporary_directory()) / "clip.mkv"
        line = (
            f'appsrc name=source format=time caps="{BGR}" ! videoconvert ! x264enc '
            f"key-int-max=1 quantizer=10 pass=qual ! matroskamux ! filesink location={clip}"
        )
        with Pipeline(line) as making:
            for number in range(CODES):
                buffer = Gst.Buffer.new_wrapped(code_frame(number).tobytes())
                buffer.pts = number * Gst.SECOND // RATE
                buffer.duration = Gst.SECOND // RATE
                making["source"].push_buffer(buffer)
            making["source"].end_of_stream()
            making.wait_eos()
        return clip

    def test_film_looped_by_segments_goes_on_without_a_break(self):
        clip = self.make_clip()
        segment = Gst.SeekFlags.SEGMENT
        server = Server(f"filesrc location={clip} ! decodebin")
        server.pipeline.set_state(Gst.State.PAUSED)
        server.pipeline.get_state(int(DEADLINE * Gst.SECOND))
        server.pipeline.seek_simple(
            Gst.Format.TIME, segment | Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, 0
        )
        with server:
            viewer = Watcher(server.uri, 5 * CODES, picture_code)
            while viewer.is_alive():
                if server.pop(Gst.MessageType.SEGMENT_DONE, 0.1):
                    server.pipeline.seek_simple(Gst.Format.TIME, segment, 0)
                server.check()
            codes = viewer.result()
        self.assertEqual(codes, following(codes))

    def test_film_started_again_at_its_end_serves_new_viewers(self):
        """A flushing seek after EOS: viewers of the first run are told that it ended."""
        clip = self.make_clip()
        with Server(f"filesrc location={clip} ! decodebin") as server:
            for _ in range(3):
                server.wait_eos()
                server.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, 0)
                with View(server.uri) as view:
                    self.assertEqual(view.picture().size, (WIDTH, HEIGHT))

    def test_pictures_looped_by_multifilesrc_are_seen(self):
        directory = pathlib.Path(self.temporary_directory())
        pattern = directory / "frame%02d.png"
        line = (
            f'appsrc name=source format=time caps="{BGR}" ! videoconvert ! pngenc ! '
            f"multifilesink location={pattern}"
        )
        with Pipeline(line) as making:
            for number in range(CODES):
                data = code_frame(number).tobytes()
                making["source"].push_buffer(Gst.Buffer.new_wrapped(data))
            making["source"].end_of_stream()
            making.wait_eos()
        source = (
            f"multifilesrc location={pattern} loop=true "
            f'caps="image/png,framerate={RATE}/1" ! pngdec'
        )
        with Server(source) as server:
            codes = Watcher(server.uri, 3 * CODES, picture_code).result()
        self.assertEqual(codes, following(codes))


if __name__ == "__main__":
    main()
