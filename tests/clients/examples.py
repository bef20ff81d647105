#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Every file of examples/ runs as it stands there, and its pictures are seen."""

import os
import pathlib
import shlex
import unittest

import numpy

from gstfeed import Gst, Pipeline, View
from rtspsinktest import (
    SinkTestCase,
    ffmpeg_pictures,
    free_port,
    main,
    rtspview,
    wait_until,
)

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
N_PICTURES = 10
N_LINES = 11


def built_example(name):
    """A program of examples/, in the build directory of the plugin that is tested."""
    plugins = pathlib.Path(os.environ["GST_PLUGIN_PATH"].partition(":")[0])
    program = plugins.parent / "examples" / name
    if not program.is_file():
        raise unittest.SkipTest("examples are not built")
    return program


def launch_lines():
    text = (EXAMPLES / "launch-lines").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def make_film(path):
    line = "videotestsrc num-buffers=250 ! video/x-raw,framerate=25/1 ! x264enc ! mp4mux"
    with Pipeline(f"{line} ! filesink location={path}") as making:
        making.wait_eos()


def make_pictures(pattern):
    with Pipeline(
        f"videotestsrc num-buffers=5 pattern=ball ! pngenc ! multifilesink location={pattern}"
    ) as making:
        making.wait_eos()


class Programs(SinkTestCase):
    def check_moving(self, uri, size):
        pictures = ffmpeg_pictures(uri, N_PICTURES, self.temporary_directory())
        self.assertEqual(pictures.shape[:3], (N_PICTURES, *reversed(size)))
        changes = [
            numpy.abs(after.astype(int) - before).max()
            for before, after in zip(pictures, pictures[1:])
        ]
        self.assertGreater(min(changes), 50)

    def start(self, *args):
        return self.run_program([*args, "address=127.0.0.1", "port=0"])

    def start_and_find(self, *args):
        program = self.start(*args)
        return program, program.wait_line(r"^serving at (rtsp://\S+)$").group(1)

    def test_c_program_is_seen(self):
        _, uri = self.start_and_find(built_example("serve"))
        self.check_moving(uri, (320, 240))

    def test_numpy_program_is_seen_and_ends_on_interrupt(self):
        program, uri = self.start_and_find(EXAMPLES / "numpy_h264.py")
        self.check_moving(uri, (640, 480))
        self.assertEqual(program.interrupt(), 0)

    def test_raw_numpy_program_is_seen_and_ends_on_interrupt(self):
        program, uri = self.start_and_find(EXAMPLES / "numpy_raw.py")
        self.assertTrue(uri.endswith("/stream.rtp"))
        with View(uri, codec="raw") as view:
            first, second = view.picture(), view.picture()
        self.assertEqual((first.format, first.size), ("RGB", (320, 240)))
        self.assertFalse(numpy.array_equal(first.planes[0], second.planes[0]))
        self.assertEqual(program.interrupt(), 0)

    def test_opencv_program_is_seen_and_ends_on_interrupt(self):
        port = free_port()
        program = self.run_program(
            [EXAMPLES / "opencv_writer.py", "address=127.0.0.1", f"port={port}"]
        )
        program.wait_line("^serving")
        self.check_moving(f"rtsp://127.0.0.1:{port}/test", (640, 480))
        self.assertEqual(program.interrupt(), 0)

    def test_programs_say_what_is_wrong(self):
        programs = [built_example("serve"), EXAMPLES / "numpy_h264.py"]
        programs += [EXAMPLES / "numpy_raw.py", EXAMPLES / "opencv_writer.py"]
        for path in programs:
            with self.subTest(path.name):
                program = self.run_program([path, "address=192.0.2.1"])
                self.assertNotEqual(program.wait(), 0)
                self.assertIn("192.0.2.1", program.err.text())


class LaunchLines(SinkTestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.temporary_directory())

    def run_line(self, line):
        """On a free port of the loopback interface; returns where it serves."""
        port = free_port()
        words = shlex.split(line)
        mounts = [w.partition("=")[2] for w in words if w.startswith("mount=")]
        for number in reversed([n for n, w in enumerate(words) if w == "rtspserversink"]):
            words[number + 1 : number + 1] = ["address=127.0.0.1", f"port={port}"]
        program = self.run_program(w for w in words if w != "port=0")
        wait_until(lambda: self.listens(program), 20, "the line to serve")
        return [f"rtsp://127.0.0.1:{port}{mount}" for mount in mounts or ["/test"]]

    def listens(self, program):
        if not program.alive():
            program.fail("it has ended")
        return "Setting pipeline to PLAYING" in program.out.text()

    def test_each_line_serves(self):
        film, pictures = self.directory / "film.mp4", self.directory / "picture%02d.png"
        make_film(film)
        make_pictures(pictures)
        lines = launch_lines()
        self.assertEqual(len(lines), N_LINES)
        for line in lines:
            line = line.replace("film.mp4", str(film))
            line = line.replace("picture%02d.png", str(pictures))
            with self.subTest(line):
                if "v4l2src" in line:
                    # The camera is another test's; here none may be there.
                    Gst.parse_launch(line.partition(" ")[2])
                    continue
                for uri in self.run_line(line):
                    view = rtspview(uri, frames=N_PICTURES)
                    self.assertEqual(view.end["units"], N_PICTURES)


if __name__ == "__main__":
    main()
