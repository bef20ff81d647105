#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""A gst-python program that looks after its viewers: actions and messages."""

import threading

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

from gstfeed import DEADLINE, Server
from rtspsinktest import SMALL_VIDEO, SinkTestCase, main, wait_until

LIVE = f"videotestsrc is-live=true ! {SMALL_VIDEO}"
MESSAGE = "rtspserversink-viewer-"

# What get-viewers tells of each, with the Python type of it.
FIELDS = {
    "id": int,
    "peer": str,
    "transport": str,
    "state": str,
    "age": int,
    "units": int,
    "packets": int,
    "bytes": int,
    "lost": int,
    "skips": int,
    "delay": int,
}


class Control(SinkTestCase):
    def start(self, **options):
        self.server = Server(LIVE, **options).start()
        self.addCleanup(self.server.stop)
        self.sink = self.server["sink"]

    def listed(self):
        """The viewers as dicts."""
        answer = self.sink.emit("get-viewers")
        self.assertEqual(answer.get_name(), "application/x-rtspserversink-viewers")
        return [
            {name: viewer[name] for name in viewer.keys()} for viewer in answer["viewers"]
        ]

    def wait_message(self, kind):
        """The next message of that kind as a dict."""
        while True:
            message = self.server.pop(Gst.MessageType.ELEMENT, DEADLINE)
            self.assertIsNotNone(message, f"no message {MESSAGE}{kind}")
            structure = message.get_structure()
            if structure.get_name() == MESSAGE + kind:
                return {name: structure[name] for name in structure.keys()}

    def watch(self, **options):
        """A viewer in a process of its own, that has got its first unit."""
        viewer = self.start_viewer(self.server.uri, **options)
        viewer.wait_line("^au ")
        return viewer

    def test_viewers_are_listed(self):
        self.start()
        self.assertEqual(self.listed(), [])
        viewers = [self.watch(udp=udp, seconds=DEADLINE) for udp in (False, True)]
        listed = sorted(self.listed(), key=lambda viewer: viewer["id"])
        for viewer, transport in zip(listed, ("tcp", "udp"), strict=True):
            self.assertEqual({k: type(v) for k, v in viewer.items()}, FIELDS)
            self.assertEqual(viewer["peer"], "127.0.0.1")
            self.assertEqual(viewer["transport"], transport)
            self.assertEqual(viewer["state"], "playing")
            self.assertGreaterEqual(viewer["units"], 1)
            self.assertGreaterEqual(viewer["packets"], viewer["units"])
            self.assertGreater(viewer["bytes"], 12 * viewer["packets"])
        self.assertEqual(self.server.num_viewers, 2)
        for viewer in viewers:
            viewer.kill()
        wait_until(lambda: self.listed() == [], DEADLINE, "nobody to be listed")

    def test_viewer_that_comes_and_goes_is_told_of(self):
        self.start()
        self.watch(frames=5, teardown=True).check()
        added, removed = self.wait_message("added"), self.wait_message("removed")
        self.assertEqual(removed.pop("reason"), "torn-down")
        self.assertEqual(added, removed)
        self.assertEqual(
            added, {"id": added["id"], "peer": "127.0.0.1", "transport": "tcp"}
        )

    def test_viewer_can_be_removed(self):
        self.start()
        others = self.watch(frames=100)
        viewer = self.watch(seconds=DEADLINE)
        self.wait_message("added")
        number = self.wait_message("added")["id"]
        self.assertIs(self.sink.emit("remove-viewer", number), True)
        removed = self.wait_message("removed")
        self.assertEqual((removed["id"], removed["reason"]), (number, "removed"))
        viewer.wait_line("^eof")
        viewer.wait()
        self.assertIs(self.sink.emit("remove-viewer", number), False)
        others.check()
        self.assertEqual(others.view().end["gaps"], 0)

    def test_viewer_too_many_is_told_of(self):
        self.start(max_viewers=1)
        viewer = self.watch(seconds=DEADLINE)
        refused = self.start_viewer(self.server.uri, frames=1)
        refused.wait()
        self.assertEqual(refused.view().status, {"describe": 503})
        self.assertEqual(
            self.wait_message("refused"),
            {
                "peer": "127.0.0.1",
                "reason": "max-viewers",
                "text": "Too Many Viewers",
                "count": 1,
            },
        )
        viewer.kill()

    def test_key_unit_can_be_forced(self):
        self.start(key_unit_interval=3600000)
        viewer = self.watch(seconds=DEADLINE)
        wait_until(lambda: len(viewer.view().units) > 10, DEADLINE, "units")
        self.assertEqual(sum(unit.key for unit in viewer.view().units), 1)
        self.assertIs(self.sink.emit("force-key-unit"), True)
        wait_until(
            lambda: sum(unit.key for unit in viewer.view().units) == 2,
            DEADLINE,
            "the key unit that was forced",
        )
        self.server.stop()
        self.assertIs(self.sink.emit("force-key-unit"), False)
        self.assertEqual(self.listed(), [])
        viewer.wait()

    def test_handler_may_remove_whom_it_is_told_of(self):
        """From the thread that tells, before anything else sees the message."""
        self.start()
        answers = []
        removed = threading.Event()

        def handle(unused, message):
            structure = message.get_structure()
            name = structure.get_name() if structure else ""
            if name == MESSAGE + "added":
                answers.append(len(self.listed()))
                answers.append(self.sink.emit("force-key-unit"))
                answers.append(self.sink.emit("remove-viewer", structure["id"]))
            elif name == MESSAGE + "removed":
                answers.append(structure["reason"])
                removed.set()
            return Gst.BusSyncReply.PASS

        self.server.bus.set_sync_handler(handle)
        viewer = self.start_viewer(self.server.uri, seconds=DEADLINE)
        self.assertTrue(removed.wait(DEADLINE), "the viewer is not removed")
        viewer.wait()
        self.server.bus.set_sync_handler(None)
        self.assertEqual(answers, [1, True, True, "removed"])


if __name__ == "__main__":
    main()
