#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""What ffmpeg and gst-launch make of the end of the input, and of a change of it."""

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

import gstfeed
from rtspsinktest import Program, SinkTestCase, ffmpeg, main, wait_until

RATE = 25


def packets_of(program):
    """The packets that ffmpeg copied: its format framecrc prints a line for each."""
    lines = program.out.text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


class Ends(SinkTestCase):
    def test_file_ends_for_both_sides(self):
        """Reported: nobody knew what happens at the end of a file. gst-launch exits 0 after its
        duration, ffmpeg soon after."""
        frames = 4 * RATE
        file = f"videotestsrc num-buffers={frames} ! video/x-raw,framerate={RATE}/1"
        for transport in "tcp", "udp":
            with self.subTest(transport):
                server = self.serve(file)
                viewer = ffmpeg(
                    server.uri,
                    *("-c", "copy", "-f", "framecrc", "-"),
                    transport=transport,
                )
                server.check()
                # All but what was played before ffmpeg had joined.
                self.assertGreaterEqual(len(packets_of(viewer)), frames * 3 // 4)


class Changes(SinkTestCase):
    def test_ffmpeg_goes_on_when_the_size_changes(self):
        """H13: the same connection, the new size in the stream."""
        line = (
            "videotestsrc is-live=true ! capsfilter name=size"
            f" caps=video/x-raw,width=320,height=240,framerate={RATE}/1"
        )
        with gstfeed.Server(line) as server:
            args = ["ffmpeg", "-hide_banner", "-nostdin", "-v", "error"]
            args += ["-rtsp_transport", "tcp", "-i", server.uri, "-frames:v", "100"]
            args += ["-vf", "showinfo=checksum=0", "-loglevel", "info", "-f", "null", "-"]
            viewer = self.run_program(args)
            viewer.wait_line(r"showinfo.* n: *20 .* s:320x240 ", stream="err")
            server["size"].set_property(
                "caps",
                Gst.Caps(f"video/x-raw,width=640,height=360,framerate={RATE}/1"),
            )
            viewer.wait_line(r"showinfo.* s:640x360 ", stream="err")
            viewer.check()
            wait_until(lambda: server.num_viewers == 0, 10, "the viewer is gone")


if __name__ == "__main__":
    main()
