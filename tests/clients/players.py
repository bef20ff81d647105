#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""The players that people use see whole, moving pictures, soon, again and again.

GStreamer's rtspsrc, ffmpeg, ffprobe and mpv; OpenCV has its own file. Pictures are
numbered by their grey, so each player's order and losses can be counted.
"""

import concurrent.futures
import re
import statistics
import time

import cv2
import numpy

from gstfeed import Feed, Gst, Pipeline, Watcher, picture_code, planes_of, video_info
from rtspsinktest import (
    CODES,
    LONG,
    RTP_RATE,
    SinkTestCase,
    code_level,
    code_nearest,
    ffmpeg,
    ffmpeg_pictures,
    ffprobe,
    main,
    mpv_images,
    need_elements,
    rtspview,
)

RATE = 25
FRAME_TICKS = RTP_RATE // RATE
VGA = f"video/x-raw,format=BGR,width=640,height=480,framerate={RATE}/1"
COLOURS = numpy.array(
    [(255, 255, 255), (255, 255, 0), (0, 255, 255), (0, 255, 0)]
    + [(255, 0, 255), (255, 0, 0), (0, 0, 255), (0, 0, 0)]
)
GREYS = numpy.repeat(numpy.arange(16, 256, 32), 3).reshape(-1, 3)
DECODER_WARNING = re.compile(
    r"non-existing|no frame|concealing|error while decoding|missing|corrupt", re.I
)


def source(width, height, pixels="I420", rate=RATE, pattern="smpte", more=""):
    return (
        f"videotestsrc is-live=true pattern={pattern} ! video/x-raw,format={pixels},"
        f"width={width},height={height},framerate={rate}/1{more}"
    )


def code_frame(number):
    return numpy.full((480, 640, 3), code_level(number), numpy.uint8)


def codes_of(pictures):
    return [code_nearest(picture[120:360, 160:480].mean()) for picture in pictures]


def count_lost(codes):
    return sum((after - before - 1) % CODES for before, after in zip(codes, codes[1:]))


def smpte_picture(pixels, width, height):
    """One picture of videotestsrc's bars, as an array."""
    caps = f"video/x-raw,format={pixels},width={width},height={height},framerate=25/1"
    line = f"videotestsrc num-buffers=1 ! {caps} ! appsink name=sink"
    with Pipeline(line) as making:
        sample = making["sink"].try_pull_sample(20 * Gst.SECOND)
        return planes_of(sample.get_buffer(), video_info(caps))[0]


def interlaced_frame(number):
    """An upright bar that moves 16 pixels to the right from field to field."""
    frame = numpy.zeros((480, 640, 3), numpy.uint8)
    for field in 0, 1:
        left = (32 * number + 16 * field) % 608
        frame[field::2, left : left + 32] = 255
    return frame


def comb(picture):
    """How much neighbouring rows differ."""
    return numpy.abs(numpy.diff(picture[8:-8].astype(int), axis=0)).mean()


def psnr(picture, ideal):
    error = numpy.square(picture.astype(float) - ideal).mean()
    return 10 * numpy.log10(255**2 / error)


class EachPlayer(SinkTestCase):
    def setUp(self):
        feed = Feed(VGA)
        feed.__enter__()
        self.addCleanup(feed.stop)
        pushing = feed.keep_pushing(code_frame, RATE)
        pushing.__enter__()
        self.addCleanup(pushing.__exit__, None, None, None)
        self.uri = feed.uri

    def check_codes(self, codes, count):
        self.assertEqual(len(codes), count)
        self.assertLessEqual(count_lost(codes), count // 10, codes)

    def test_rtspsrc_sees_every_picture(self):
        for protocols in "udp", "tcp":
            with self.subTest(protocols):
                watcher = Watcher(self.uri, 2 * RATE, picture_code, protocols=protocols)
                self.check_codes(watcher.result(), 2 * RATE)

    def test_ffmpeg_sees_every_picture(self):
        for transport in "udp", "tcp":
            with self.subTest(transport):
                pictures = ffmpeg_pictures(
                    self.uri, 2 * RATE, self.temporary_directory(), transport=transport
                )
                self.check_codes(codes_of(pictures), 2 * RATE)

    def test_ffprobe_tells_size_and_format(self):
        for transport in "udp", "tcp":
            with self.subTest(transport):
                seen = ffprobe(self.uri, transport)
                self.assertEqual((seen["width"], seen["height"]), (640, 480))
                self.assertEqual(seen["pix_fmt"], "yuv420p")

    def test_mpv_shows_moving_pictures(self):
        for transport in "udp", "tcp":
            with self.subTest(transport):
                paths = mpv_images(
                    self.uri, RATE, self.temporary_directory(), transport=transport
                )
                codes = codes_of([cv2.imread(str(path)) for path in paths])
                self.assertGreaterEqual(len(codes), RATE // 2)
                # What it shows is in order; it may leave pictures out to keep time.
                self.assertLess(count_lost(codes), 2 * len(codes), codes)
                self.assertGreater(len(set(codes)), CODES // 2)


class Joining(SinkTestCase):
    def test_thirty_viewers_in_a_row_begin_at_once(self):
        """Reported: after a viewer left no other one was served. The thirtieth is like the
        first."""
        server = self.serve(source(1280, 720))
        delays = []
        for _ in range(30):
            start = time.monotonic()
            view = rtspview(server.uri, frames=5)
            self.assertTrue(view.units[0].key)
            delays.append(view.units[0].time - start)
        self.assertLess(max(delays), 3, delays)
        first, last = statistics.median(delays[:10]), statistics.median(delays[-10:])
        self.assertLess(last, 1.5 * first + 0.1, delays)

    def test_ffmpeg_comes_and_goes(self):
        """Reported: the URL cannot be opened again after a disconnect."""
        server = self.serve(source(320, 240))
        for transport in ["udp", "tcp"] * (5 if LONG else 2):
            with self.subTest(transport):
                outputs = ["-t", "1", "-fps_mode", "passthrough", "-f", "framemd5", "-"]
                done = ffmpeg(server.uri, *outputs, transport=transport)
                frames = [
                    line for line in done.out.lines if line and not line.startswith("#")
                ]
                self.assertGreaterEqual(len(frames), RATE * 4 // 5)

    def test_ffprobe_beside_a_viewer_is_done_soon(self):
        """Reported: a second player needs seconds to open while another one plays."""
        server = self.serve(source(640, 480), key_unit_interval=60000)
        self.start_viewer(server.uri).wait_line("^au ")
        seconds = []
        for _ in range(10 if LONG else 5):
            start = time.monotonic()
            ffprobe(server.uri)
            seconds.append(time.monotonic() - start)
        self.assertLessEqual(statistics.median(seconds), 3, seconds)
        self.assertLessEqual(max(seconds), 6, seconds)

    def test_ffmpeg_that_joins_late_has_no_decoder_warning(self):
        """Reported: the first frames of a joiner cannot be decoded, and some players give up."""
        server = self.serve(source(640, 480), key_unit_interval=60000)
        self.start_viewer(server.uri).wait_line("^au ")
        for transport in ["tcp"] * (7 if LONG else 3) + ["udp"] * (3 if LONG else 2):
            done = ffmpeg(
                server.uri, "-frames:v", "15", "-f", "null", "-", transport=transport
            )
            self.assertNotRegex(done.err.text(), DECODER_WARNING)

    def test_pictures_are_seen_before_the_next_but_one_is_fed(self):
        """Reported: half a second of delay, by look-ahead and queues."""
        fed = []

        def frame(number):
            fed.append(number)
            return code_frame(number)

        def lag(picture):
            return (fed[-1] - picture_code(picture)) % CODES

        with Feed(VGA) as feed, feed.keep_pushing(frame, RATE):
            lags = Watcher(feed.uri, 2 * RATE, lag).result()
        # What waits by design waits for every picture; what a busy machine holds up,
        # only for some.
        self.assertLessEqual(sorted(lags)[len(lags) // 4], 2, lags)

    def test_no_frame_is_lost_while_the_encoder_keeps_up(self):
        """Reported: the server skips every second frame."""
        server = self.serve(source(640, 480, rate=30))
        view = rtspview(server.uri, frames=300 if LONG else 100)
        steps = view.rtp_steps()
        lost = sum(round(step * 30 / RTP_RATE) - 1 for step in steps)
        self.assertLessEqual(lost, 2, steps)
        self.assertEqual(view.end["lost"], 0)


class Pictures(SinkTestCase):
    def test_size_that_is_no_multiple_of_16_is_clean(self):
        """Reported: garbage in a picture of 630x474."""
        ideal = smpte_picture("BGR", 630, 474)
        caps = "video/x-raw,format=BGR,width=630,height=474,framerate=25/1"
        with Feed(caps) as feed, feed.keep_pushing(ideal):
            directory = self.temporary_directory()
            seen = ffmpeg_pictures(feed.uri, 10, directory, pix_fmt="bgr24")[-1]
        self.assertEqual(seen.shape, ideal.shape)
        self.assertGreaterEqual(psnr(seen, ideal), 28)

    def check_colours(self, width, height, codec):
        """What ffmpeg and mpv make of eight bars, and greys below, fed as RGB."""
        step = width // len(COLOURS)
        rows = numpy.stack((COLOURS, GREYS)).repeat(step, axis=1)
        frame = rows.repeat(height // 2, axis=0).astype(numpy.uint8)
        caps = f"video/x-raw,format=RGB,width={width},height={height},framerate=10/1"
        directory, count = self.temporary_directory(), 5
        with Feed(caps, codec=codec) as feed, feed.keep_pushing(frame, 10):
            with concurrent.futures.ThreadPoolExecutor() as pool:
                images = pool.submit(mpv_images, feed.uri, count, directory)
                seen = ffmpeg_pictures(feed.uri, count, self.temporary_directory())[-1]
                shown = cv2.imread(str(images.result()[-1]))[..., ::-1]
        for player, picture in ("ffmpeg", seen), ("mpv", shown):
            with self.subTest(player, codec=codec):
                seen = picture[height // 4 :: height // 2, step // 2 :: step].astype(int)
                self.assertLessEqual(numpy.abs(seen[0] - COLOURS).max(), 12, seen[0])
                self.assertLessEqual(numpy.abs(seen[1] - GREYS).max(), 6, seen[1])

    def test_sd_has_the_right_colours(self):
        """BT.601, but the primaries of RGB, and the stream says so. Of the transfer it
        says what is usual, for players that know of others would convert it."""
        for codec in "h264", "h265":
            self.check_colours(640, 480, codec)

    def test_hd_has_the_right_colours(self):
        """BT.709 in place of BT.601 where the stream can say so."""
        for codec in "h264", "h265", "vp8", "vp9", "jpeg":
            self.check_colours(1280, 720, codec)

    def test_interlaced_input_is_flagged_or_without_comb(self):
        """Reported: interlaced video gets a comb. Fields of different moments are never woven
        into one picture."""
        for encoder in "x264enc", "openh264enc":
            with self.subTest(encoder):
                need_elements(encoder)
                options = {"encoder": encoder} if encoder != "x264enc" else {}
                caps = VGA + ",interlace-mode=interleaved,field-order=top-field-first"
                with Feed(caps, **options) as feed:
                    with feed.keep_pushing(interlaced_frame, RATE):
                        order = ffprobe(feed.uri)["field_order"]
                        directory = self.temporary_directory()
                        seen = ffmpeg_pictures(feed.uri, RATE, directory)
                if order != "tt":
                    self.assertEqual(order, "progressive")
                    fed = comb(interlaced_frame(0))
                    self.assertLess(max(comb(picture) for picture in seen), fed / 10)


if __name__ == "__main__":
    main()
