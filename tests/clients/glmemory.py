#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Pictures in a real device's memory, OpenGL's: what cannot be served is an error that
names its cure, and the cure works."""

import shlex

from rtspsinktest import Program, SinkTestCase, main, need_elements, rtspview

# Mesa's own renderer, without a display.
HEADLESS = {"GST_GL_PLATFORM": "egl", "GST_GL_WINDOW": "egl-device"}
SINK = "rtspserversink address=127.0.0.1 port=0"
N_UNITS = 10


class GLMemory(SinkTestCase):
    def setUp(self):
        need_elements("gltestsrc", "gldownload")
        with self.launch("gltestsrc num-buffers=1 ! gldownload ! fakesink") as program:
            if program.wait():
                self.skipTest("no OpenGL without a display")

    def launch(self, line):
        return Program(["gst-launch-1.0", *shlex.split(line)], env=HEADLESS)

    def test_it_cannot_be_encoded_and_the_error_says_what_to_do(self):
        with self.launch(f"gltestsrc ! {SINK} encoder=x264enc") as program:
            self.assertNotEqual(program.wait(), 0)
            errors = [line for line in program.err.lines if "ERROR: from" in line]
            self.assertEqual(len(errors), 1, program.describe())
            self.assertIn('"gldownload ! video/x-raw"', errors[0])

    def test_what_the_error_says_works(self):
        server = self.serve(
            f"gltestsrc is-live=true ! gldownload ! video/x-raw ! {SINK}", env=HEADLESS
        )
        self.assertEqual(len(rtspview(server.uri, frames=N_UNITS).units), N_UNITS)

    def test_an_encoder_that_takes_it_gets_it(self):
        server = self.serve(
            "videotestsrc is-live=true ! video/x-raw,format=NV12 ! glupload "
            f"! video/x-raw(memory:GLMemory) ! {SINK} "
            "encoder='gldownload ! x264enc tune=zerolatency'",
            env=HEADLESS,
        )
        self.assertEqual(len(rtspview(server.uri, frames=N_UNITS).units), N_UNITS)

    def test_an_element_that_can_do_both_negotiates(self):
        server = self.serve(
            "videotestsrc is-live=true ! glupload ! glcolorconvert ! gldownload "
            f"! {SINK}",
            env=HEADLESS,
        )
        self.assertEqual(len(rtspview(server.uri, frames=N_UNITS).units), N_UNITS)


if __name__ == "__main__":
    main()
