#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""HLS by ffmpeg and nginx with an edge cache, as docs/scaling.md tells."""

import json
import pathlib
import re
import time
import urllib.error
import urllib.request

from guide import Guide
from privatenet import PrivateNetTestCase, enter_private_net, mount_empty
from rtspsinktest import START_DEADLINE, Program, main, need, wait_until

SECTION = Guide("scaling.md").section("HLS and an edge cache")
ADDRESSES = "192.0.2.10/24", "192.0.2.20/24"
LISTS_DEADLINE = 30.0
RATE = 30
# nginx.conf as far as hls.conf needs it; Debian's reads all that a machine serves.
NGINX = """
daemon off;
user root;
pid /run/nginx.pid;
error_log stderr;
events {{ }}
http {{
  include /etc/nginx/mime.types;
  access_log off;
  {0}
}}
"""


def get(url):
    """Body and headers; None before there is anything."""
    try:
        with urllib.request.urlopen(url, timeout=START_DEADLINE) as response:
            return response.read(), response.headers
    except urllib.error.URLError:
        return None


def media_files(playlist):
    return [line for line in playlist.decode().splitlines() if line and line[0] != "#"]


class Hls(PrivateNetTestCase):
    def setUp(self):
        need("nginx", "ffmpeg", "ffprobe", "ffplay")
        self.add_network(*ADDRESSES)
        # nginx gives it to the user that it runs as.
        mount_empty("/var/lib/nginx")

    def serve_web(self):
        conf = pathlib.Path(self.temporary_directory()) / "nginx.conf"
        conf.write_text(NGINX.format("".join(SECTION.blocks("nginx"))))
        nginx = self.run_program(["nginx", "-e", "stderr", "-c", conf])
        # Killed it would leave its workers behind.
        self.addCleanup(nginx.interrupt)

    def count_frames(self, url):
        entries = "stream=codec_name,nb_read_frames"
        args = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", entries]
        with Program([*args, "-of", "json", url]) as program:
            program.check()
            stream = json.loads(program.out.text())["streams"][0]
            self.assertEqual(stream["codec_name"], "h264")
            return int(stream["nb_read_frames"])

    def expect_new_name(self, url):
        """No run of ffmpeg gives its files the names that an earlier one gave."""
        self.assertAlmostEqual(int(re.search(r"(\d+)\.ts$", url)[1]), time.time(), delta=60)

    def expect_shown(self, command):
        """Its clock runs once it shows pictures."""
        player = self.run_program(
            command, env={"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
        )
        player.wait_line(r"^\s*\d+\.\d+ M-V:", stream="err")

    def test_edge_delivers_each_file_from_its_cache(self):
        serve, make, hls, play = SECTION.commands()
        url = play.split()[-1]
        base = url.rpartition("/")[0] + "/"

        program, _, line = serve.partition(" ")
        self.assertEqual(program, "gst-launch-1.0")
        server = self.serve(line)
        self.run_program(make).check()
        self.serve_web()
        self.run_program(hls)
        wait_until(lambda: get(url), LISTS_DEADLINE, "the list of files")

        first = base + media_files(get(url)[0])[0]
        self.expect_new_name(first)
        status = [get(first)[1]["X-Cache-Status"] for _ in range(3)]
        self.assertEqual(status, ["MISS", "HIT", "HIT"])
        self.assertGreaterEqual(self.count_frames(first), RATE)
        wait_until(
            lambda: len(media_files(get(url)[0])) >= 2, LISTS_DEADLINE, "a second file"
        )
        self.expect_shown(play)
        self.assertEqual(server.message_count("rtspserversink-viewer-added"), 1)
        self.assertEqual(server.message_count("rtspserversink-viewer-removed"), 0)


if __name__ == "__main__":
    enter_private_net()
    main()
