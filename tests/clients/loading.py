#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""The plugin on systems that lack something: what works, what is said; and its log.

A system is a directory of links to GStreamer's plugins, some left out, and a registry of
its own.
"""

import os
import pathlib
import re
import sys

from gstfeed import Gst
from rtspsinktest import Program, SinkTestCase, main, rtspview

PLUGIN = "libgstrtspserversink.so"
SMALL = "video/x-raw,format=I420,width=64,height=48,framerate=25/1"

# What an element of the chain is missing by, and the words that must be said.
MISSING = {
    "videoparsersbad": ("h264parse", "gstreamer1.0-plugins-bad"),
    "videofilter": ("videobalance", "gstreamer1.0-plugins-good"),
    "rtp": ("rtph264pay", "gstreamer1.0-plugins-good"),
    "rtpmanager": ("rtpbin", "gstreamer1.0-plugins-good"),
    "udp": ("udpsrc", "gstreamer1.0-plugins-good"),
}

# What has to lose its rank, and what must be said then.
WITHOUT_RANK = {
    "h264": (
        ["x264enc", "openh264enc"],
        ["x264enc", "gstreamer1.0-plugins-ugly", "openh264enc", "gstreamer1.0-plugins-bad"],
    ),
    "h265": (["x265enc"], ["x265enc", "gstreamer1.0-plugins-bad"]),
    "vp8": (["vp8enc"], ["vp8enc", "gstreamer1.0-plugins-good"]),
    "vp9": (["vp9enc"], ["vp9enc", "gstreamer1.0-plugins-good"]),
    "jpeg": (["jpegenc", "avenc_mjpeg"], ["jpegenc", "gstreamer1.0-plugins-good"]),
}

PRINT_MESSAGES = """
from gstfeed import Gst, Server
server = Server("videotestsrc is-live=true")
assert server.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE
while message := server.bus.pop():
    if message.get_structure():
        print(message.get_structure().to_string())
server.stop()
"""


def plugin_path():
    directories = os.environ["GST_PLUGIN_PATH"].split(":")
    return next(
        path for path in (pathlib.Path(d) / PLUGIN for d in directories) if path.is_file()
    )


def system_plugins():
    core = Gst.Registry.get().find_plugin("coreelements").get_filename()
    return pathlib.Path(core).parent


def h264_encoder_plugins():
    """File names of the plugins that have an H.264 encoder."""
    kind = Gst.ELEMENT_FACTORY_TYPE_ENCODER | Gst.ELEMENT_FACTORY_TYPE_MEDIA_VIDEO
    encoders = Gst.ElementFactory.list_filter(
        Gst.ElementFactory.list_get_elements(kind, Gst.Rank.NONE),
        Gst.Caps.from_string("video/x-h264"),
        Gst.PadDirection.SRC,
        False,
    )
    return {pathlib.Path(e.get_plugin().get_filename()).name for e in encoders}


class Loading(SinkTestCase):
    def make_system(self, without=()):
        """The environment of a system without these plugin files."""
        directory = pathlib.Path(self.temporary_directory())
        for file in system_plugins().glob("*.so"):
            if file.name not in without:
                (directory / file.name).symlink_to(file)
        return {
            "GST_PLUGIN_SYSTEM_PATH_1_0": str(directory),
            "GST_REGISTRY": str(directory / "registry.bin"),
        }

    def failure(self, environment, **options):
        """What gst-launch-1.0 says when the pipeline cannot start."""
        line = f"videotestsrc is-live=true ! {SMALL}"
        server = self.serve(line, env=environment, wait=False, **options)
        self.assertNotEqual(server.wait(10), 0)
        error = server.err.text()
        self.assertEqual(error.count("ERROR: from element"), 1, error)
        return error

    def test_plugin_loads_with_an_empty_registry(self):
        """Reported: "no such element", although the file is there."""
        directory = self.temporary_directory()
        environments = {
            "whole system": {"GST_REGISTRY": f"{directory}/whole.bin"},
            "core library only": {
                "GST_REGISTRY": f"{directory}/core.bin",
                "GST_PLUGIN_SYSTEM_PATH_1_0": "",
            },
        }
        for name, environment in environments.items():
            with self.subTest(name):
                args = ["gst-inspect-1.0", "rtspserversink"]
                with Program(args, env=environment) as inspect:
                    inspect.check()
                    self.assertRegex(inspect.out.text(), r"Klass +Sink/Network")
                    self.assertIn(str(plugin_path()), inspect.out.text())

    def test_plugin_has_no_unresolved_symbol(self):
        """Reported: a library that is missing black-lists the plugin."""
        with Program(["ldd", "-r", plugin_path()]) as ldd:
            ldd.check()
            self.assertNotRegex(
                ldd.out.text() + ldd.err.text(), "undefined symbol|not found"
            )

    def test_serves_without_rtspclientsink(self):
        """Reported: rtspclientsink is in another package, and missing."""
        environment = self.make_system(without=["libgstrtspclientsink.so", "libgstrtsp.so"])
        server = self.serve(f"videotestsrc is-live=true ! {SMALL}", env=environment)
        self.assertTrue(rtspview(server.uri, frames=10).units[0].key)

    def test_second_encoder_serves_where_the_first_is_missing(self):
        environment = self.make_system(without=["libgstx264.so"])
        server = self.serve(f"videotestsrc is-live=true ! {SMALL}", env=environment)
        self.assertTrue(rtspview(server.uri, frames=10).units[0].key)

    def test_missing_encoder_is_named_with_its_package(self):
        """Reported: a player shows an error, and nothing says which encoder is missing."""
        environment = self.make_system(without=h264_encoder_plugins())
        error = self.failure(environment)
        for word in (
            "x264enc",
            "gstreamer1.0-plugins-ugly",
            "openh264enc",
            "gstreamer1.0-plugins-bad",
        ):
            self.assertIn(word, error)
        # gst-launch-1.0 keeps to itself what an application's installer looks for.
        with Program([sys.executable, "-c", PRINT_MESSAGES], env=environment) as program:
            program.check()
            self.assertRegex(program.out.text(), "missing-plugin.*encoder.*video/x-h264")

    def test_encoder_without_rank_is_as_good_as_missing(self):
        """The same in every codec."""
        for codec, (encoders, words) in WITHOUT_RANK.items():
            with self.subTest(codec):
                ranks = ",".join(f"{name}:NONE" for name in encoders)
                error = self.failure({"GST_PLUGIN_FEATURE_RANK": ranks}, codec=codec)
                for word in words:
                    self.assertIn(word, error)

    def test_raw_needs_no_encoder(self):
        environment = self.make_system(without=h264_encoder_plugins())
        server = self.serve(
            f"videotestsrc is-live=true ! {SMALL}", env=environment, codec="raw"
        )
        self.assertEqual(rtspview(server.uri, frames=5).end["units"], 5)

    def test_any_other_missing_element_is_named_with_its_package(self):
        for plugin, words in MISSING.items():
            with self.subTest(plugin):
                error = self.failure(self.make_system([f"libgst{plugin}.so"]))
                for word in words:
                    self.assertIn(word, error)

    def test_encoder_of_rank_none_is_not_chosen(self):
        log = {
            "GST_PLUGIN_FEATURE_RANK": "x264enc:NONE",
            "GST_DEBUG": "rtspserversink*:4",
            "GST_DEBUG_NO_COLOR": "1",
        }
        server = self.serve(f"videotestsrc is-live=true ! {SMALL}", env=log)
        chosen = server.wait_line(r"encoder is '(\w+)'", stream="err").group(1)
        self.assertNotEqual(chosen, "x264enc")

    def test_log_tells_address_caps_and_viewers(self):
        """Reported: nothing is seen, and nothing says why."""
        log = {"GST_DEBUG": "rtspserversink*:4", "GST_DEBUG_NO_COLOR": "1"}
        server = self.serve(f"videotestsrc is-live=true ! {SMALL}", env=log)
        server.wait_line(re.escape(server.uri), stream="err")
        server.wait_line(r"caps video/x-raw.*I420.*width=\(int\)64", stream="err")
        rtspview(server.uri, frames=5)
        server.wait_line(r"viewer 1 from '127\.0\.0\.1.*' plays", stream="err")
        server.wait_line(r"viewer 1 from '127\.0\.0\.1.*' is gone", stream="err")
        # Once per server or viewer, not per frame.
        self.assertLess(len(server.err.lines), 60, server.err.text())


if __name__ == "__main__":
    main()
