#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Janus pulls the stream once and browsers watch it, as docs/scaling.md tells.

The browser is Chromium without a window; it runs examples/janus.html, once for each
viewer, and a script that looks at what the page shows.

Usage: janus.py [--watch SECONDS] [ARGUMENT-OF-UNITTEST ...]

--watch: for how long the browsers watch; 90 is longer than any session lasts that
nobody keeps alive.
"""

import argparse
import html
import http.server
import json
import sys
import threading
import time
import urllib.parse

from guide import TOP, Guide
from privatenet import PrivateNetTestCase, enter_private_net, mount_copy
from rtspsinktest import main, need

SECTION = Guide("scaling.md").section("Janus: browsers")
ADDRESSES = "192.0.2.10/24", "192.0.2.20/24"
N_BROWSERS = 2
N_CHANGES = 50
JANUS_DEADLINE = 20.0
CHROMIUM = (
    "chromium --headless --no-sandbox --disable-gpu --log-level=3 --user-data-dir={0} {1}"
)

# Every picture that is shown is made small and compared with the one before.
WATCHER = """
<script>
const small = new OffscreenCanvas(16, 12).getContext("2d", {willReadFrequently: true});
let before, changes = 0;
function look() {
  small.drawImage(video, 0, 0, 16, 12);
  const now = small.getImageData(0, 0, 16, 12).data;
  changes += Boolean(before && now.some((value, n) => Math.abs(value - before[n]) > 16));
  before = now;
  video.requestVideoFrameCallback(look);
}
video.requestVideoFrameCallback(look);
setInterval(() => {
  const {videoWidth: width, videoHeight: height} = video;
  const report = {changes, width, height, text: document.body.innerText};
  fetch("/report" + location.search, {method: "POST", body: JSON.stringify(report)});
}, 200);
</script>
"""


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        self.answer(self.server.pages.get(path, ""))

    def do_POST(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.take(query["browser"][0], json.loads(body))
        self.answer("")

    def log_message(self, *words):
        pass


class Site(http.server.ThreadingHTTPServer):
    """The pages, and what they report."""

    daemon_threads = True

    def __init__(self, address, pages):
        super().__init__((address, 80), Handler)
        self.pages = pages
        self.reports = {}
        self._news = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def changes(self):
        """How many pictures each browser has shown that were not like the last one."""
        return {name: report["changes"] for name, report in self.reports.items()}

    def take(self, browser, report):
        with self._news:
            self.reports[browser] = report
            self._news.notify_all()

    def wait(self, predicate, timeout):
        """Waits until it holds for the reports of all browsers."""
        with self._news:
            return self._news.wait_for(
                lambda: len(self.reports) == N_BROWSERS
                and all(predicate(*item) for item in self.reports.items()),
                timeout,
            )


class JanusTestCase(PrivateNetTestCase):
    """`codec` is set besides the guide's words."""

    codec = "auto"

    def setUp(self):
        need("janus", "chromium")
        self.add_network(*ADDRESSES)
        serve_line, janus = SECTION.commands()
        self.serve_line = f"{serve_line} codec={self.codec}"
        (mountpoint,), (url,) = SECTION.blocks("jcfg"), SECTION.blocks("text")
        self.start_server()
        self.start_janus(janus, mountpoint)
        self.wait_viewer()
        self.start_site(urllib.parse.urlsplit(url.strip()))

    def start_server(self):
        program, _, line = self.serve_line.partition(" ")
        self.assertEqual(program, "gst-launch-1.0")
        self.server = self.serve(line)

    def wait_viewer(self):
        self.server.wait_line("rtspserversink-viewer-added", JANUS_DEADLINE)

    def start_janus(self, command, mountpoint):
        directory = mount_copy("/etc/janus")
        (directory / "janus.plugin.streaming.jcfg").write_text(mountpoint)
        self.janus = self.run_program(command)

    def start_site(self, url):
        """The guide's page, once for each browser, in frames of one page."""
        frames = [f"{url.path}?{url.query}&browser={n}" for n in range(N_BROWSERS)]
        page = (TOP / "examples" / "janus.html").read_text(encoding="utf-8")
        self.site = Site(
            url.hostname,
            {
                "/": "".join(f'<iframe src="{html.escape(f)}"></iframe>' for f in frames),
                url.path: page + WATCHER,
            },
        )
        self.addCleanup(self.site.server_close)
        self.addCleanup(self.site.shutdown)
        home = self.temporary_directory()
        self.browser = self.run_program(
            CHROMIUM.format(home, f"http://{url.hostname}/"), env={"HOME": home}
        )
        # Killed it would leave its other processes behind.
        self.addCleanup(self.browser.interrupt)

    def expect_moving(self):
        """So many pictures more in each browser, at a tenth of their speed at least."""
        before = self.site.changes()

        def moved(name, report):
            return report["changes"] >= before.get(name, 0) + N_CHANGES

        if not self.site.wait(moved, JANUS_DEADLINE):
            said = "\n".join(p.describe() for p in (self.janus, self.browser))
            self.fail(f"at first {before}, now {self.site.reports}\n{said}")
        for report in self.site.reports.values():
            self.assertEqual((report["width"], report["height"]), (640, 480))

    def expect_one_viewer(self):
        self.assertEqual(self.server.message_count("rtspserversink-viewer-added"), 1)
        self.assertEqual(self.server.message_count("rtspserversink-viewer-removed"), 0)


class Browsers(JanusTestCase):
    watch_seconds = 0

    def test_browsers_watch_and_janus_is_one_viewer(self):
        end = time.monotonic() + self.watch_seconds
        self.expect_moving()
        while time.monotonic() < end:
            self.expect_moving()
        self.expect_one_viewer()

    def test_picture_comes_back_with_the_server(self):
        self.expect_moving()
        self.server.interrupt()
        self.start_server()
        self.wait_viewer()
        self.expect_moving()
        self.expect_one_viewer()


class Vp8(JanusTestCase):
    codec = "vp8"

    def test_browsers_watch(self):
        self.expect_moving()


class Vp9(JanusTestCase):
    codec = "vp9"

    def test_browsers_watch(self):
        self.expect_moving()


if __name__ == "__main__":
    enter_private_net()
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--watch", type=float, default=0)
    options, sys.argv[1:] = parser.parse_known_args()
    Browsers.watch_seconds = options.watch
    main()
