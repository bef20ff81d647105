#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Viewers that are killed are gone soon, and nobody else feels it.

Reported: the number of clients only rises, vanished viewers are never dropped."""

import signal

from gstfeed import Server
from rtspsinktest import SMALL_VIDEO, SinkTestCase, main, wait_until

LINE = "videotestsrc is-live=true ! " + SMALL_VIDEO
RATE = 25
N_VIEWERS = 10
# A killed process closes its connection, so that no timeout is needed.
LIMIT = 5.0
TIMEOUT = 600


class Killed(SinkTestCase):
    def wait_num_viewers(self, number, timeout):
        what = f"{number} viewers"
        wait_until(lambda: self.server.num_viewers == number, timeout, what)

    def kill_ten(self, shared, *transports):
        self.server = Server(
            LINE,
            shared=shared,
            session_timeout=TIMEOUT,
            viewer_stall_timeout=TIMEOUT * 1000,
        ).start()
        self.addCleanup(self.server.stop)
        steady = self.start_viewer(self.server.uri, udp=True)
        viewers = [
            self.start_viewer(self.server.uri, **transports[number % len(transports)])
            for number in range(N_VIEWERS)
        ]
        for viewer in [steady, *viewers]:
            viewer.wait_line("^au ")
        self.wait_num_viewers(1 + N_VIEWERS, LIMIT)
        for viewer in viewers:
            viewer.signal(signal.SIGKILL)
        self.wait_num_viewers(1, LIMIT)
        steady.wait_line("^au ", start=len(steady.out.lines) + RATE)
        self.assertEqual([unit for unit in steady.view().units if unit.damaged], [])
        self.assertLess(steady.view().longest_gap(), 0.5)
        steady.signal(signal.SIGKILL)
        self.wait_num_viewers(0, LIMIT)

    def test_ten_udp_viewers_with_their_own_media(self):
        self.kill_ten("false", {"udp": True})

    def test_ten_udp_viewers_of_one_media(self):
        self.kill_ten("true", {"udp": True})

    def test_ten_viewers_of_all_kinds(self):
        self.kill_ten("auto", {"udp": True}, {}, {"http": True})


if __name__ == "__main__":
    main()
