#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""OpenCV on both ends: cv2.VideoWriter feeds, cv2.VideoCapture watches, each its way.

The writer's pipeline is 'appsrc ! rtspserversink' with no videoconvert. A captured
picture tells the number of the written one by its grey.
"""

import contextlib
import os
import threading
import time

# FFmpeg's own choice is UDP; the tests choose. Read when a capture is opened.
FFMPEG_OPTIONS = "OPENCV_FFMPEG_CAPTURE_OPTIONS"

import cv2  # noqa: E402
import numpy  # noqa: E402

from rtspsinktest import (  # noqa: E402
    CODES,
    SinkTestCase,
    code_level,
    code_nearest,
    ffprobe,
    free_port,
    main,
    wait_until,
)

SIZE = 640, 480
RATE = 25
N_READ = 50
BACKENDS = {"FFmpeg": cv2.CAP_FFMPEG, "GStreamer": cv2.CAP_GSTREAMER}


def code_frame(number):
    width, height = SIZE
    return numpy.full((height, width, 3), code_level(number), numpy.uint8)


class Writer:
    """cv2.VideoWriter, written to from a thread at its rate until it is closed."""

    def __init__(self, frame=code_frame, declared_rate=RATE, size=SIZE):
        self.port = free_port()
        self.uri = f"rtsp://127.0.0.1:{self.port}/test"
        self.frame = frame
        self.times = []
        self.writer = cv2.VideoWriter(
            f"appsrc ! rtspserversink address=127.0.0.1 port={self.port} mount=/test",
            cv2.CAP_GSTREAMER,
            0,
            float(declared_rate),
            size,
        )
        assert self.writer.isOpened()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.write, name="write")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.ended.set()
        self.thread.join()
        self.writer.release()

    def write(self):
        start = time.monotonic()
        while not self.ended.is_set():
            number = len(self.times)
            self.times.append(time.monotonic())
            self.writer.write(self.frame(number))
            time.sleep(max(0, start + (number + 1) / RATE - time.monotonic()))

    def newest_with_code(self, code):
        """When the newest frame of that code was written."""
        newest = len(self.times) - 1
        return self.times[newest - (newest - code) % CODES]


@contextlib.contextmanager
def capture(uri, backend, transport="tcp"):
    os.environ[FFMPEG_OPTIONS] = f"rtsp_transport;{transport}"
    source = uri
    if backend == cv2.CAP_GSTREAMER:
        source = (
            f"rtspsrc location={uri} protocols={transport} latency=0 ! decodebin ! "
            "videoconvert ! video/x-raw,format=BGR ! appsink"
        )
    reader = cv2.VideoCapture(source, backend)
    try:
        if not reader.isOpened():
            raise AssertionError(f"VideoCapture does not open '{source}'")
        yield reader
    finally:
        reader.release()


def read(reader):
    ok, picture = reader.read()
    if not ok:
        raise AssertionError("VideoCapture reads no picture")
    return picture


def grey_of(picture):
    height, width = picture.shape[:2]
    return picture[height // 4 : -height // 4, width // 4 : -width // 4].mean()


def code_of(picture):
    return code_nearest(grey_of(picture))


class Reader(threading.Thread):
    """One of several captures."""

    def __init__(self, uri, backend):
        super().__init__(name="read")
        self.uri, self.backend = uri, backend
        self.codes = []
        self.seconds = None
        self.error = None
        self.start()

    def run(self):
        try:
            with capture(self.uri, self.backend) as reader:
                start = time.monotonic()
                self.codes = [code_of(read(reader)) for _ in range(N_READ)]
                self.seconds = time.monotonic() - start
        except AssertionError as error:
            self.error = error


class OpenCv(SinkTestCase):
    def check_in_order(self, codes):
        """No picture twice or out of order, hardly any lost on a busy machine."""
        lost = sum((after - before - 1) % CODES for before, after in zip(codes, codes[1:]))
        self.assertLessEqual(lost, len(codes) // 10, codes)

    def test_writer_without_videoconvert_is_read_by_each_backend(self):
        """Reported: OpenCV pushes BGR, the pipeline wants YUY2, nothing is shown."""
        with Writer() as writer:
            seen = ffprobe(writer.uri)
            self.assertEqual(seen["pix_fmt"], "yuv420p")
            self.assertEqual((seen["width"], seen["height"]), SIZE)
            for name, backend in BACKENDS.items():
                for transport in "tcp", "udp":
                    with self.subTest(name, transport=transport):
                        with capture(writer.uri, backend, transport) as reader:
                            codes = [code_of(read(reader)) for _ in range(N_READ)]
                        self.check_in_order(codes)

    def test_three_captures_read_the_same_frames_together(self):
        """Reported: only one viewer sees what OpenCV writes."""
        with Writer() as writer:
            readers = [
                Reader(writer.uri, backend)
                for backend in (cv2.CAP_FFMPEG, cv2.CAP_GSTREAMER, cv2.CAP_FFMPEG)
            ]
            for reader in readers:
                reader.join()
            for reader in readers:
                if reader.error:
                    raise reader.error
                self.check_in_order(reader.codes)
                self.assertLess(reader.seconds, 2 * N_READ / RATE)

    def test_late_capture_begins_with_a_fresh_clean_picture(self):
        """Reported: a late viewer begins with a grey or broken picture."""
        with Writer() as writer:
            wait_until(lambda: len(writer.times) > 5 * RATE, 20, "5 s of frames")
            for name, backend in BACKENDS.items():
                with self.subTest(name), capture(writer.uri, backend) as reader:
                    picture = read(reader)
                    age = time.monotonic() - writer.newest_with_code(code_of(picture))
                    nearest = code_level(code_of(picture))
                    self.assertLessEqual(numpy.abs(picture - float(nearest)).mean(), 4)
                    self.assertLess(age, 1.5)

    def test_colours_come_through(self):
        colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (40, 120, 200)]
        frame = numpy.repeat(
            numpy.repeat(numpy.array([colours], numpy.uint8), 128, axis=1), 480, axis=0
        )
        with Writer(lambda number: frame) as writer:
            for name, backend in BACKENDS.items():
                with self.subTest(name), capture(writer.uri, backend) as reader:
                    seen = read(reader)[240, 64::128].astype(int)
                    self.assertLessEqual(numpy.abs(seen - colours).max(), 12, seen)

    def test_odd_width_without_padding_is_read_right(self):
        """OpenCV's rows have no padding: 321 pixels are 963 bytes."""
        across = numpy.linspace(0, 240, 321)[numpy.newaxis, :, numpy.newaxis]
        frame = numpy.broadcast_to(across, (241, 321, 3)).astype(numpy.uint8)
        with Writer(lambda number: frame, size=(321, 241)) as writer:
            with capture(writer.uri, cv2.CAP_FFMPEG) as reader:
                seen = read(reader)
        self.assertEqual(seen.shape, (240, 320, 3))
        self.assertLessEqual(numpy.abs(seen - frame[:240, :320].astype(int)).max(), 12)

    def test_film_read_and_written_in_a_loop_is_seen(self):
        """A file is decoded by VideoCapture, again and again, and served."""
        path = os.path.join(self.temporary_directory(), "film.avi")
        film = cv2.VideoWriter(path, cv2.VideoWriter_fourcc(*"MJPG"), RATE, SIZE)
        for number in range(CODES):
            film.write(code_frame(number))
        film.release()
        source = cv2.VideoCapture(path, cv2.CAP_FFMPEG)

        def next_frame(number):
            ok, frame = source.read()
            if not ok:
                source.set(cv2.CAP_PROP_POS_FRAMES, 0)
                ok, frame = source.read()
            return frame

        with Writer(next_frame) as writer, capture(writer.uri, cv2.CAP_FFMPEG) as reader:
            self.check_in_order([code_of(read(reader)) for _ in range(N_READ)])

    def test_release_ends_the_viewers_and_frees_the_port(self):
        with Writer() as writer:
            reader = Reader(writer.uri, cv2.CAP_FFMPEG)
            reader.join()
            with capture(writer.uri, cv2.CAP_FFMPEG) as still_open:
                read(still_open)
                writer.__exit__()
                start = time.monotonic()
                while still_open.read()[0]:
                    self.assertLess(time.monotonic() - start, 5)
            again = cv2.VideoWriter(
                f"appsrc ! rtspserversink address=127.0.0.1 port={writer.port}",
                cv2.CAP_GSTREAMER,
                0,
                float(RATE),
                SIZE,
            )
            self.assertTrue(again.isOpened())
            again.release()


if __name__ == "__main__":
    main()
