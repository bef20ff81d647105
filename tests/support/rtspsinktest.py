# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Helpers for tests in which real programs feed and watch rtspserversink.

Everything started here is a Program: it has a deadline for every wait, its output
is kept and shown when a test fails, a CRITICAL in it fails the test, and it is ended
by its process id whatever happens to the test (the kernel ends it if the test itself
is killed). Nothing here writes RTSP: rtspview, ffmpeg, mpv and GStreamer do.

    class Reconnect(SinkTestCase):
        def test_second_viewer_plays(self):
            server = self.serve("videotestsrc is-live=1 ! " + SMALL_VIDEO)
            self.assertEqual(rtspview(server.uri, frames=10).status["play"], 200)

    if __name__ == "__main__":
        main()

The environment that `meson test` gives: GST_PLUGIN_PATH, GST_REGISTRY, G_DEBUG, and
RTSPVIEW, the viewer program.
"""

import atexit
import collections
import ctypes
import faulthandler
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

SMALL_VIDEO = "video/x-raw,format=I420,width=64,height=48,framerate=25/1"
MOUNT = "/test"
RTP_RATE = 90000

START_DEADLINE = 20.0
END_DEADLINE = 10.0
VIEWER_DEADLINE = 30.0

# A run of all in full length: tools/check --long.
LONG = "LONG_TESTS" in os.environ

CODES = 14
SKIPPED = 77  # what meson takes for "skipped"

_TROUBLE = re.compile(
    r"CRITICAL \*\*|-CRITICAL|Segmentation fault|Caught SIG|AddressSanitizer|"
    r"ThreadSanitizer|LeakSanitizer|runtime error:|assertion .* failed"
)
_LISTENING = re.compile(
    r'rtspserversink-listening,.*?\buri=\(string\)"?(rtsps?:[^";,\s]+)'
)
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)
_running = set()


def code_level(n):
    """The grey level of frame n of a CODE feed."""
    return 16 + 16 * (n % CODES)


def code_nearest(grey):
    """n mod 14 of the level nearest to a grey value."""
    return min(max(int((grey - 16) / 16 + 0.5), 0), CODES - 1)


def wait_until(predicate, timeout, what):
    """Asks a predicate until it holds; for what nothing announces."""
    deadline = time.monotonic() + timeout
    while not predicate():
        if time.monotonic() >= deadline:
            raise AssertionError(f"waited {timeout} s for {what}")
        time.sleep(0.02)


def free_port():
    """A TCP port of 127.0.0.1 that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def need(*programs):
    """Skips the test if a program is not installed."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        raise unittest.SkipTest("not installed: " + ", ".join(missing))


def need_elements(*names):
    """Skips the test if a GStreamer element is not installed."""
    for name in names:
        if subprocess.run(
            ["gst-inspect-1.0", "--exists", name], timeout=START_DEADLINE
        ).returncode:
            raise unittest.SkipTest("no GStreamer element " + name)


def proc_cpu_seconds(pid):
    """User and system time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def proc_rss_kb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))


def proc_fds(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def proc_threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def close_wait_count(port):
    """Sockets of this machine on a local TCP port that wait in CLOSE-WAIT."""
    count = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if int(fields[1].rpartition(":")[2], 16) == port and fields[3] == "08":
                count += 1
    return count


class Output:
    """Lines of a stream, gathered by a thread."""

    def __init__(self, stream):
        self.lines = []
        self._news = threading.Condition()
        self._ended = False
        self._thread = threading.Thread(target=self._gather, args=(stream,), daemon=True)
        self._thread.start()

    def _gather(self, stream):
        for line in stream:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        stream.close()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def join(self):
        self._thread.join(END_DEADLINE)

    def text(self):
        with self._news:
            return "\n".join(self.lines)

    def find(self, pattern, timeout, start=0):
        """The first match in the lines from start on, waiting for it; or None."""
        deadline = time.monotonic() + timeout
        at = start
        with self._news:
            while True:
                while at < len(self.lines):
                    match = re.search(pattern, self.lines[at])
                    if match:
                        return match
                    at += 1
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    return None
                self._news.wait(left)


def _die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    """A child process. Use as a context manager, or SinkTestCase.run_program()."""

    def __init__(self, args, env=None, stdin=None):
        self.args = shlex.split(args) if isinstance(args, str) else list(map(str, args))
        self.name = os.path.basename(self.args[0])
        self._process = subprocess.Popen(
            self.args,
            stdin=stdin or subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **(env or {})},
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
        _running.add(self)
        self.pid = self._process.pid
        self.stdin = self._process.stdin
        self.out = Output(self._process.stdout)
        self.err = Output(self._process.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.kill()

    @property
    def returncode(self):
        return self._process.poll()

    def describe(self):
        lines = [f"$ {shlex.join(self.args)}", f"exit status: {self.returncode}"]
        for name, output in (("stdout", self.out), ("stderr", self.err)):
            tail = output.text().splitlines()[-60:]
            lines += [f"{name}:"] + ["  " + line for line in tail]
        return "\n".join(lines)

    def fail(self, reason):
        raise AssertionError(f"{reason}\n{self.describe()}")

    def wait_line(self, pattern, timeout=START_DEADLINE, stream="out", start=0):
        """Waits for a line of its output; returns the match."""
        output = self.err if stream == "err" else self.out
        match = output.find(pattern, timeout, start)
        if match is None:
            self.fail(f"no line /{pattern}/ in {timeout} s from {self.name}")
        return match

    def wait(self, timeout=VIEWER_DEADLINE):
        """Waits for its end; returns the exit status."""
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.fail(f"{self.name} still runs after {timeout} s")
        self._reap()
        return self.returncode

    def check(self, timeout=VIEWER_DEADLINE):
        """Waits for its end and wants exit status 0 without any trouble."""
        if self.wait(timeout) != 0:
            self.fail(f"{self.name} failed")
        self.check_clean()
        return self

    def check_clean(self):
        """Fails on a CRITICAL, a sanitizer's report or a crash."""
        match = _TROUBLE.search(self.err.text()) or _TROUBLE.search(self.out.text())
        if match:
            self.fail(f"'{match.group(0)}' from {self.name}")
        crashes = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGTRAP, -signal.SIGBUS)
        if self.returncode in crashes:
            self.fail(f"{self.name} crashed")

    def interrupt(self, timeout=END_DEADLINE):
        """Ctrl-C; returns the exit status."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGINT)
        return self.wait(timeout)

    def signal(self, number):
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self):
        """Ends it without a word, at once; harmless if it has ended."""
        if self.returncode is None:
            self._process.kill()
            self._process.wait()
        self._reap()

    def _reap(self):
        _running.discard(self)
        self.out.join()
        self.err.join()

    # what it uses
    def cpu_seconds(self):
        return proc_cpu_seconds(self.pid)

    def rss_kb(self):
        return proc_rss_kb(self.pid)

    def fds(self):
        return proc_fds(self.pid)

    def threads(self):
        return proc_threads(self.pid)

    def alive(self):
        return self.returncode is None


class Server(Program):
    """gst-launch-1.0 with a pipeline that ends in rtspserversink.

    `line` is the pipeline without the sink; `options` are the sink's properties,
    with _ for -. A line that names rtspserversink itself is taken as it is.
    """

    def __init__(self, line, env=None, launch_options=(), wait=True, **options):
        if "rtspserversink" not in line:
            options = {"address": "127.0.0.1", "port": 0, "mount": MOUNT, **options}
            words = [f"{k.replace('_', '-')}={_quote(v)}" for k, v in options.items()]
            line = " ".join([line, "!", "rtspserversink", *words])
        super().__init__(
            ["gst-launch-1.0", "-m", *launch_options, *shlex.split(line)], env=env
        )
        self.uri = self.wait_listening() if wait else None

    def wait_listening(self, timeout=START_DEADLINE):
        """Waits until it listens; returns the URL."""
        return self.wait_line(_LISTENING, timeout).group(1)

    @property
    def port(self):
        return int(re.match(r"rtsps?://[^/]*:(\d+)", self.uri).group(1))

    def message_count(self, name):
        """How many element messages of that name were posted so far."""
        return sum(f"{name}," in line or f"{name};" in line for line in self.out.lines)


def _quote(value):
    if isinstance(value, bool):
        return str(value).lower()
    return shlex.quote(str(value))


Unit = collections.namedtuple(
    "Unit", "time rtp first_seq last_seq packets bytes nals key damaged"
)
Report = collections.namedtuple("Report", "time ntp rtp")


def _fields(words):
    return dict(word.split("=", 1) for word in words)


class View:
    """What rtspview saw."""

    def __init__(self, text):
        self.status = {}
        self.sdp = {}
        self.sdp_lines = []
        self.transport = {}
        self.rtpinfo = None
        self.units = []
        self.reports = []
        self.bye = self.eof = False
        self.end = {}
        for line in text.splitlines():
            kind, *words = line.split(" ")
            getattr(self, "_take_" + kind, lambda words: None)(words)

    def _take_status(self, words):
        self.status[words[0]] = int(words[1])

    def _take_sdp(self, words):
        self.sdp = _fields(words)

    def _take_transport(self, words):
        self.transport = _fields(words)

    def _take_line(self, words):
        self.sdp_lines.append(" ".join(words))

    def _take_rtpinfo(self, words):
        self.rtpinfo = {k: int(v) for k, v in _fields(words).items()}

    def _take_au(self, words):
        fields = _fields(words)
        first, last = map(int, fields["seq"].split("-"))
        nals = [int(nal) for nal in fields["nals"].split(",") if nal]
        self.units.append(
            Unit(
                float(fields["time"]),
                int(fields["rtp"]),
                first,
                last,
                int(fields["packets"]),
                int(fields["bytes"]),
                nals,
                fields["key"] == "1",
                "damaged" in fields,
            )
        )

    def _take_sr(self, words):
        fields = _fields(words)
        self.reports.append(
            Report(float(fields["time"]), int(fields["ntp"]), int(fields["rtp"]))
        )

    def _take_bye(self, words):
        self.bye = True

    def _take_eof(self, words):
        self.eof = True

    def _take_end(self, words):
        self.end = {k: int(v) for k, v in _fields(words).items()}

    def rtp_steps(self):
        """Ticks from each unit to the next."""
        return [
            ((b.rtp - a.rtp + 2**31) % 2**32) - 2**31
            for a, b in zip(self.units, self.units[1:])
        ]

    def longest_gap(self):
        """Seconds between the arrivals of neighbouring units, the longest."""
        return max((b.time - a.time for a, b in zip(self.units, self.units[1:])), default=0)


class Viewer(Program):
    """rtspview, running; options are its long options, with _ for -."""

    def __init__(self, uri, **options):
        args = [os.environ.get("RTSPVIEW", "rtspview")]
        for key, value in options.items():
            key = "--" + key.replace("_", "-")
            if value is True:
                args.append(key)
            elif value is not False and value is not None:
                args.append(f"{key}={value}")
        super().__init__([*args, uri])

    def view(self):
        """What it has seen so far."""
        return View(self.out.text())


def rtspview(uri, deadline=VIEWER_DEADLINE, check=True, **options):
    """Runs rtspview to its end; returns the View."""
    with Viewer(uri, **options) as viewer:
        if check:
            viewer.check(deadline)
        else:
            viewer.wait(deadline)
        return viewer.view()


def ffprobe(uri, transport="tcp", timeout=VIEWER_DEADLINE):
    """ffprobe's entry of the video stream, as a dict."""
    need("ffprobe")
    entries = (
        "codec_name,profile,pix_fmt,width,height,r_frame_rate,field_order,has_b_frames"
    )
    args = ["ffprobe", "-v", "error", "-rtsp_transport", transport]
    args += ["-select_streams", "v", "-show_entries", "stream=" + entries]
    with Program([*args, "-of", "json", uri]) as program:
        program.check(timeout)
        streams = json.loads(program.out.text())["streams"]
        if len(streams) != 1:
            program.fail(f"{len(streams)} video streams")
        return streams[0]


def ffmpeg(uri, *outputs, transport="tcp", timeout=VIEWER_DEADLINE, level="warning"):
    """Runs `ffmpeg -i URI OUTPUTS...` to its end; returns the Program."""
    need("ffmpeg")
    args = ["ffmpeg", "-hide_banner", "-nostdin", "-v", level]
    args += ["-rtsp_transport", transport, "-i", uri, *outputs]
    with Program(args) as program:
        return program.check(timeout)


def ffmpeg_pictures(uri, count, directory, pix_fmt="rgb24", **options):
    """The first decoded pictures, as numpy arrays of height x width (x channels)."""
    import numpy

    size = ffprobe(uri, options.get("transport", "tcp"))
    width, height = size["width"], size["height"]
    path = pathlib.Path(directory) / "pictures.raw"
    # Each picture as it comes: by default ffmpeg doubles and drops to keep a rate.
    outputs = ["-fps_mode", "passthrough", "-frames:v", str(count)]
    outputs += ["-pix_fmt", pix_fmt, "-f", "rawvideo"]
    ffmpeg(uri, *outputs, "-y", str(path), **options)
    shape = {"gray": (height, width)}.get(pix_fmt, (height, width, 3))
    pictures = numpy.fromfile(path, numpy.uint8).reshape((-1, *shape))
    path.unlink()
    return pictures


def mpv_images(uri, count, directory, timeout=VIEWER_DEADLINE, transport="tcp"):
    """Has mpv decode and write pictures; returns the paths of the PNG files."""
    need("mpv")
    args = ["mpv", "--no-config", "--no-terminal", "--msg-level=all=warn", "--no-audio"]
    args += ["--vo=image", "--vo-image-format=png", f"--vo-image-outdir={directory}"]
    args += [f"--rtsp-transport={transport}", f"--frames={count}", uri]
    with Program(args) as program:
        program.check(timeout)
    return sorted(pathlib.Path(directory).glob("*.png"))


class SinkTestCase(unittest.TestCase):
    """Ends what its tests started, servers by Ctrl-C; a CRITICAL fails the test."""

    longMessage = True

    def run_program(self, args, **options):
        return self._adopt(Program(args, **options))

    def serve(self, line, **options):
        return self._adopt(Server(line, **options))

    def start_viewer(self, uri, **options):
        return self._adopt(Viewer(uri, **options))

    def temporary_directory(self):
        import tempfile

        directory = tempfile.TemporaryDirectory(prefix="rtspserversink-")
        self.addCleanup(directory.cleanup)
        return directory.name

    def _adopt(self, program):
        self.addCleanup(self._end, program)
        return program

    def _end(self, program):
        if isinstance(program, Server) and program.alive():
            program.interrupt()
        program.kill()
        program.check_clean()


@atexit.register
def _kill_all():
    for program in list(_running):
        program.kill()


def main():
    """Runs the test file. Exit status 77 if every test was skipped."""
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(1))
    faulthandler.enable()
    result = unittest.main(verbosity=2, exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun and len(result.skipped) == result.testsRun:
        sys.exit(SKIPPED)
