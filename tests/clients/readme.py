#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""What README.md says is so: every command in it runs, in its order, in a copy of the
checkout, as a user runs it. Its tables, and those of docs/reference.md that are written
by hand, are those of the element; links of all pages lead somewhere.

Only this differs from what stands there: a free port of the loopback interface for 8554,
a test picture for the camera, no window for players, and a directory of the test's own
for HOME and for `meson install`. Blocks of `shell`, not `sh`, need hardware: they do
not run.
"""

import contextlib
import io
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from gstfeed import Server
from rtspsinktest import LONG, SMALL_VIDEO, SinkTestCase, ffmpeg, free_port, main, rtspview

TOP = pathlib.Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")
REFERENCE = (TOP / "docs" / "reference.md").read_text(encoding="utf-8")
N_UNITS = 10
LIVE = "videotestsrc is-live=true ! " + SMALL_VIDEO
BUILD_DEADLINE = 300.0

# The longest first.
CAMERAS = {
    "v4l2src ! image/jpeg,width=1280,height=720": "videotestsrc is-live=true "
    "! video/x-raw,width=1280,height=720,framerate=15/1 ! jpegenc",
    "v4l2src": "videotestsrc is-live=true",
}

# Not v4l2src: what stands for it is one of these.
VIDEO_SOURCES = "videotestsrc", "filesrc", "rtspsrc", "udpsrc"

NUMPY_PROGRAM = """
import time, gi, numpy
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
frame = numpy.zeros((480, 640, 3), numpy.uint8)
{0}
print("ready", flush=True)
while True:
{1}
    time.sleep(1 / 30)
"""

# What the system says, not this project.
FOREIGN_MESSAGES = "Address already in use", "Cannot assign requested address", "Permission"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands():
    lines = "".join(blocks("sh")).replace("\\\n", "").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def section(page, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)[1]


def tables(page, title):
    """The cells of a section's tables, line by line, without their heads."""
    found = []
    lines = section(page, title).splitlines()
    for is_table, rows in itertools.groupby(lines, lambda line: line.startswith("|")):
        if is_table:
            cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
            found.append(cells[2:])
    return found


def names(rows):
    """What stands in backquotes in the first column."""
    return [name for row in rows for name in row[0].split("`")[1::2]]


def structures():
    """The fields of messages and structures, which tools/reference has seen."""
    found = re.findall(r"^([\w/-]+): (\w+ \(\w+\).*)$", REFERENCE, re.MULTILINE)
    return {name: set(re.findall(r"(\w+) \(", fields)) for name, fields in found}


def defaults():
    """Of the properties, by their names."""
    return dict(re.findall(r"^### (\S+)\n\n[^\n]*default `(.*?)`", REFERENCE, re.MULTILINE))


def anchor_of(head):
    """As GitHub makes it."""
    return re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-")


class Commands(SinkTestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.temporary_directory())
        self.checkout = self.directory / "checkout"
        ignore = shutil.ignore_patterns("build*", ".git", "__pycache__")
        shutil.copytree(TOP, self.checkout, ignore=ignore)
        home = self.directory / "home"
        home.mkdir()
        # What `meson test` sets for GStreamer is not there for a user.
        self.env = {
            name: os.environ[name] for name in ("PATH", "LANG", "G_DEBUG") if name in os.environ
        }
        self.env |= {"HOME": str(home), "DESTDIR": str(self.directory / "root")}
        self.env |= self.compiler_cache()

    def compiler_cache(self):
        """What is compiled once, in whatever directory, is not compiled again."""
        if shutil.which("ccache") is None:
            return {}
        directory = subprocess.check_output(["ccache", "--get-config=cache_dir"], text=True)
        return {
            "CCACHE_DIR": directory.strip(),
            "CCACHE_BASEDIR": str(self.directory),
            "CCACHE_NOHASHDIR": "1",
        }

    def start(self, words, **env):
        """Starts a program in the checkout, with the environment of the reader."""
        settings = [f"{name}={value}" for name, value in (self.env | env).items()]
        return self.run_program(["env", "-i", "-C", self.checkout, *settings, *words])

    def expect_units(self, uri, program):
        view = rtspview(uri, frames=N_UNITS, check=False)
        if view.end.get("units") != N_UNITS:
            program.fail(f"{uri}: {view.end}")
        self.assertTrue(view.units[0].key)

    # --- kinds of commands

    def run_tools_run(self, words):
        program = self.start(["tools/run", free_port()])
        uri = program.wait_line(r"^Live at (\S+)$", BUILD_DEADLINE)[1]
        self.expect_units(uri, program)
        self.assertEqual(program.interrupt(20), 0)

    def run_nothing(self, words):
        """tools/check is what runs this test; a udpsink is run with its udpsrc."""

    def run_export(self, words):
        program = self.start(["bash", "-c", f"{self.line} && env -0"])
        program.check()
        for line in program.out.text().split("\0"):
            name, _, value = line.partition("=")
            if name == words[1].partition("=")[0]:
                self.env[name] = value.rstrip("\0")

    def run_sound(self, words):
        server = self.start([*words, "address=127.0.0.1", f"port={free_port()}", "-m"])
        uri = server.wait_line(r'rtspserversink-listening, uri=\(string\)"?([^";]+)')[1]
        ffmpeg(uri, "-map", "0:a", "-t", "1", "-f", "null", "-", level="error")
        self.assertEqual(server.interrupt(), 0)

    def run_restream(self, words):
        self.run_server(self.serve_for(words))

    def run_udpsrc(self, words):
        port = f"port={free_port()}"
        (sender,) = [line for line in commands() if "udpsink" in line]
        self.start(sender.replace("port=5004", port).split())
        self.run_server([word.replace("port=5004", port) for word in words])

    def run_server(self, words):
        port = free_port()
        words = [word for word in words if word not in ("port=8554", "port=8555")]
        mounts = [w.partition("=")[2] for w in words if w.startswith("mount=")]
        for number in reversed([n for n, w in enumerate(words) if w == "rtspserversink"]):
            words[number + 1 : number + 1] = ["address=127.0.0.1", f"port={port}"]
        program = self.start(words)
        program.wait_line("Setting pipeline to PLAYING")
        for mount in mounts or ["/test"]:
            uri = f"rtsp://127.0.0.1:{port}{mount}"
            if any(word.startswith(VIDEO_SOURCES) for word in words):
                self.expect_units(uri, program)
            if any(word.startswith(("audiotestsrc", "s.audio_0")) for word in words):
                ffmpeg(uri, "-map", "0:a", "-t", "1", "-f", "null", "-", transport="tcp")
        if "-m" in words:
            self.expect_messages(program)
        self.assertEqual(program.interrupt(), 0)

    def expect_messages(self, program):
        """Those that stand there, but for the numbers of messages and ports."""
        for line in "".join(blocks("text")).splitlines():
            pattern = re.sub(r"(#|:)\d+", r"\1\\d+", re.escape(line).replace(r"\#", "#"))
            program.wait_line(f"^{pattern}$")

    def run_example(self, words):
        port = free_port()
        self.assertEqual(words[1:], ["port=8554"])
        program = self.start([words[0], f"port={port}", "address=127.0.0.1"])
        program.wait_line("^serving")
        mount = "/stream.rtp" if "raw" in words[0] else "/test"
        self.expect_units(f"rtsp://127.0.0.1:{port}{mount}", program)
        self.assertEqual(program.interrupt(), 0)

    def serve_for(self, words):
        server = self.serve(LIVE)
        url = "rtsp://127.0.0.1:8554/test"
        self.assertTrue(any(url in word for word in words))
        return [word.replace(url, server.uri) for word in words]

    def run_mpv(self, words):
        words = self.serve_for(words)
        words[1:1] = ["--vo=null", "--no-terminal", "--frames=25"]
        self.start(words).check()

    def run_ffplay(self, words):
        player = self.start(
            self.serve_for(words), SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy"
        )
        # Its clock runs once it shows pictures.
        player.wait_line(r"^\s*\d+\.\d+ M-V:", stream="err")
        player.kill()

    def run_rtspsrc(self, words):
        words = self.serve_for(words)
        words[words.index("autovideosink") :] = ["fakesink", "num-buffers=25"]
        self.start(words).check()

    def run_to_end(self, words):
        program = self.start(["bash", "-o", "pipefail", "-c", self.line])
        program.check(BUILD_DEADLINE)
        if "Filename" in words:
            self.assertIn("build/gst/libgstrtspserversink.so", program.out.text())

    KINDS = [
        (r"tools/run\b", run_tools_run),
        (r"tools/check\b", run_nothing),
        (r"gst-launch-1.0 .*udpsink", run_nothing),
        (r"export ", run_export),
        (r"gst-launch-1.0 rtspsrc .*rtspserversink", run_restream),
        (r"gst-launch-1.0 rtspsrc ", run_rtspsrc),
        (r"gst-launch-1.0 udpsrc ", run_udpsrc),
        (r"gst-launch-1.0 audiotestsrc .*rtspserversink", run_sound),
        (r"gst-launch-1.0 .*rtspserversink", run_server),
        (r"examples/", run_example),
        (r"mpv ", run_mpv),
        (r"ffplay ", run_ffplay),
        (r"(meson|gst-inspect-1.0|rm|ss|ulimit) ", run_to_end),
    ]

    def run_command(self, line):
        for pattern, run in self.KINDS:
            if re.match(pattern, line):
                self.line = line
                run(self, shlex.split(line, comments=True))
                return
        self.fail("this test does not know what to do with: " + line)

    def prepare(self, line):
        for camera, picture in CAMERAS.items():
            if camera in line:
                return line.replace(camera, picture)
        # So that both builds have the same objects.
        return line if LONG else line.replace(" --buildtype=release", "")

    def make_film(self):
        """With sound, as films are."""
        self.start(
            "ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=25 -f lavfi -i sine "
            "-t 20 -c:v libx264 -preset ultrafast -c:a aac film.mp4".split()
        ).check(60)

    def test_each_command_works(self):
        self.make_film()
        lines = commands()
        self.assertGreater(len(lines), 15)
        for line in lines:
            with self.subTest(line):
                self.run_command(self.prepare(line))


class PythonLines(SinkTestCase):
    def expect_program_serves(self, program):
        port = free_port()
        program = program.replace("port=8554", f"address=127.0.0.1 port={port}")
        running = self.run_program([sys.executable, "-c", program])
        running.wait_line("^ready")
        view = rtspview(f"rtsp://127.0.0.1:{port}/test", frames=N_UNITS)
        self.assertEqual(view.end["units"], N_UNITS)
        self.assertTrue(running.alive())

    def test_opencv_program_serves(self):
        loop = "while True:"
        self.expect_program_serves(
            blocks("python")[0].replace(loop, 'print("ready", flush=True)\n' + loop)
        )

    def test_numpy_lines_serve(self):
        _, making, pushing, _ = blocks("python")
        self.expect_program_serves(NUMPY_PROGRAM.format(making, "    " + pushing))

    def test_viewers_are_listed_and_removed(self):
        printed = io.StringIO()
        with Server(LIVE) as server:
            viewer = self.start_viewer(server.uri)
            viewer.wait_line("^au ")
            with contextlib.redirect_stdout(printed):
                exec(blocks("python")[-1], {"server": server["sink"], "allowed": set()})
            viewer.wait_line("^eof")
            viewer.wait()
        self.assertEqual(printed.getvalue(), "1 127.0.0.1 tcp playing\n")


class Tables(unittest.TestCase):
    def test_properties_have_their_defaults(self):
        rows = {row[0].strip("`"): row[1].strip("`") for row in tables(README, "Properties")[0]}
        self.assertGreater(len(rows), 5)
        self.assertEqual(rows, {name: defaults().get(name) for name in rows})

    def test_messages_are_those_of_the_element(self):
        messages, fields, _ = map(names, tables(REFERENCE, "Messages"))
        found = {n: f for n, f in structures().items() if n.startswith("rtspserversink-")}
        self.assertCountEqual(messages, found)
        self.assertCountEqual(fields, set().union(*found.values()) | {"missed"})

    def test_fields_are_those_of_the_element(self):
        viewer, stats = map(names, tables(REFERENCE, "Viewers and counts"))
        self.assertCountEqual(viewer, structures()["viewer"])
        found = structures()["application/x-rtspserversink-stats"]
        self.assertCountEqual(stats, found - {"viewers"})

    def test_messages_are_in_the_code(self):
        code = "".join(path.read_text(encoding="utf-8") for path in TOP.glob("gst/**/*.c"))
        # Literals that follow each other are one; so are those with a macro between.
        code = re.sub(r'"\s*"', "", code).replace('\\"', '"')
        messages, _, reasons = tables(REFERENCE, "Messages")
        quoted = names(tables(REFERENCE, "Errors and their cures")[0] + messages)
        quoted += [f'"{reason}"' for reason in names(reasons)]
        for message in quoted:
            for part in message.split("…"):
                part = part.strip(' ":')
                if len(part) > 3 and not part.startswith(FOREIGN_MESSAGES):
                    with self.subTest(part):
                        self.assertIn(part, code)

    def test_links_lead_somewhere(self):
        for page in [*TOP.glob("*.md"), *TOP.glob("docs/*.md")]:
            for target in re.findall(r"\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
                if not target.startswith("http"):
                    with self.subTest(page=page.name, target=target):
                        self.expect_link(page, target)

    def expect_link(self, page, target):
        name, _, anchor = target.partition("#")
        text = (page.parent / name if name else page).read_text(encoding="utf-8")
        heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        if anchor:
            self.assertIn(anchor, map(anchor_of, heads))

    def test_workarounds_name_what_is_there(self):
        text = (TOP / "docs" / "workarounds.md").read_text(encoding="utf-8")
        rows = [row.split(" | ") for row in re.findall(r"^\| (.*) \|$", text, re.MULTILINE)]
        for top, column in ("gst", 2), ("tests/check", 3):
            code = "".join(path.read_text(encoding="utf-8") for path in TOP.glob(top + "/**/*.c"))
            for row in rows:
                for name in row[column].split("`")[1::2]:
                    with self.subTest(name):
                        there = (TOP / top / name).is_file() if "/" in name else name in code
                        self.assertTrue(there)

    def test_architecture_names_every_file(self):
        text = (TOP / "docs" / "architecture.md").read_text(encoding="utf-8")
        named = set(re.findall(r"^\| `(\w+/\w+)` \|", text, re.MULTILINE))
        files = TOP.glob("gst/*/*.c")
        self.assertEqual(named, {f"{path.parent.name}/{path.stem}" for path in files})


if __name__ == "__main__":
    main()
