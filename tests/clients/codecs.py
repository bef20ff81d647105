#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Which input becomes what, and which player shows it: the table of docs/codecs.md.

For each line of the table a server is started, and every player has to show its picture:
red to the left, grey in the middle, and to the right a grey that changes with each frame.
Only a long run takes every line; others take one of three.

Usage: codecs.py [--write FILE] [ARGUMENT-OF-UNITTEST ...]

--write: puts the table that was found into FILE, between its two marks.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import functools
import pathlib
import re
import sys
import tempfile
import threading
import typing

import cv2
import numpy

from guide import TOP
from gstfeed import Gst, PipelineError, Server
from rtspsinktest import (
    CODES,
    LONG,
    Program,
    SinkTestCase,
    code_level,
    code_nearest,
    main,
    need,
    need_elements,
)

GUIDE = TOP / "docs" / "codecs.md"
MARKS = "<!-- by tests/clients/codecs.py -->\n", "<!-- end -->\n"
CVFRAMES = TOP / "tests" / "support" / "cvframes.py"
SIZE = 320, 240
N_PICTURES = 10
DEADLINE = 30.0
# So many lines of the table are served at a time.
N_AT_A_TIME = 3
N_GONE_BY = 15

# Of 0 to 255, for whatever a codec and two conversions do to a colour.
TOLERANCE = 12
# A dull red: mpv also converts the primaries, which moves a bright one further.
RED, GREY = (200, 60, 60), (128, 128, 128)
# What is left of it where there is no colour, by the weights of BT.601.
GREY_OF_RED = (102, 102, 102)

INTERLACED = ",interlace-mode=interleaved,field-order=top-field-first"
X264 = "x264enc speed-preset=ultrafast key-int-max=25"
X265 = "x265enc speed-preset=ultrafast tune=zerolatency key-int-max=25"
VP8 = "vp8enc deadline=1 cpu-used=8 keyframe-max-dist=250 max-quantizer=16"
VP9 = "vp9enc deadline=1 cpu-used=8 keyframe-max-dist=250 max-quantizer=16"
# It is deaf to requests of key units, in GStreamer 1.22.
AV1 = "av1enc usage-profile=realtime cpu-used=8 keyframe-max-dist=25"


@dataclasses.dataclass
class Line:
    """What is fed. `source` stands between the pictures and the element."""

    title: str
    source: str
    codec: str = "auto"
    encoder: str = ""
    size: tuple = SIZE
    red: tuple = RED
    mid_stream: bool = False


def raw(pixels, codec="auto", more="", title="", **options):
    source = f"videoconvert ! video/x-raw,format={pixels}{more}"
    # A frame of 4:4:4 fits into any player's socket.
    size = (160, 120) if codec == "raw" else SIZE
    return Line(title or "raw " + pixels, source, codec, size=size, **options)


def encoded(title, encoder, caps="", pixels="I420", more="", **options):
    words = [f"videoconvert ! video/x-raw,format={pixels}{more}", encoder, caps]
    return Line(title, " ! ".join(word for word in words if word), **options)


def h264(title, more="", caps="stream-format=byte-stream,alignment=au", **options):
    return encoded(f"H.264, {title}", X264 + more, "video/x-h264," + caps, **options)


def h265(form, **options):
    caps = f"h265parse ! video/x-h265,stream-format={form},alignment=au"
    return encoded(f"H.265, {form}", X265, caps, **options)


def jpeg(title, pixels, **options):
    """Its levels go from 0 to 255, which its encoder takes for granted."""
    full_range = "" if pixels == "GRAY8" else ",colorimetry=1:4:0:0"
    return encoded(f"JPEG, {title}", "jpegenc", "", pixels, full_range, **options)


LIVE = " tune=zerolatency"

LINES = [
    raw("I420"),
    raw("RGB"),
    raw("YUY2"),
    raw("GRAY8", red=GREY_OF_RED),
    raw("I420", more=INTERLACED, title="raw, interlaced"),
    raw("I420", "vp8", more=INTERLACED, title="raw, interlaced"),
    raw("I420", "h264"),
    raw("I420", "h264", encoder="openh264enc"),
    raw("I420", "h265"),
    raw("I420", "vp8"),
    raw("I420", "vp9"),
    raw("I420", "jpeg"),
    raw("I420", "av1"),
    raw("RGB", "raw"),
    raw("BGR", "raw"),
    raw("RGBA", "raw"),
    raw("BGRA", "raw"),
    raw("YUY2", "raw"),
    raw("UYVY", "raw"),
    raw("I420", "raw"),
    raw("GRAY8", "raw", red=GREY_OF_RED),
    h264("byte-stream, whole access units", LIVE),
    h264(
        "byte-stream, single NAL units",
        LIVE,
        "stream-format=byte-stream ! h264parse ! "
        "video/x-h264,stream-format=byte-stream,alignment=nal",
    ),
    h264("avc", LIVE, "stream-format=avc"),
    h264("B frames", " bframes=2 b-adapt=false rc-lookahead=5", "stream-format=byte-stream,profile=high"),
    h264("from the middle of a group", LIVE, mid_stream=True),
    h264("in RTP", LIVE, "stream-format=avc ! rtph264pay mtu=600"),
    h265("byte-stream"),
    h265("hvc1"),
    h265("hev1"),
    encoded("VP8", VP8),
    encoded("VP8, in RTP", VP8, "rtpvp8pay"),
    encoded("VP9", VP9),
    jpeg("4:2:0", "I420"),
    jpeg("4:2:2", "Y42B"),
    jpeg("4:4:4", "Y444"),
    jpeg("grey", "GRAY8", red=GREY_OF_RED),
    jpeg("2064x64", "I420", size=(2064, 64)),
    encoded("AV1", AV1),
    encoded("AV1", AV1, codec="h264"),
    encoded("VP8", VP8, codec="h264"),
    jpeg("4:2:0", "I420", codec="h264"),
    h264("avc", LIVE, "stream-format=avc", codec="vp8"),
]


def lines():
    """Those that this run looks at."""
    return LINES if LONG else LINES[::3]


def write_pictures(size, directory):
    """One of each code, as files of raw RGB; returns their names' pattern."""
    width, height = size
    for number in range(CODES):
        picture = numpy.empty((height, width, 3), numpy.uint8)
        picture[:, : width // 3] = RED
        picture[:, width // 3 : 2 * width // 3] = GREY
        picture[:, 2 * width // 3 :] = code_level(number)
        picture.tofile(directory / f"{number:02d}.rgb")
    return f"{directory}/%02d.rgb"


def pictures_source(size, directory):
    caps = "video/x-raw,format=RGB,width={},height={},framerate=25/1".format(*size)
    return (
        f"multifilesrc location={write_pictures(size, directory)} loop=true "
        f'stop-index={CODES - 1} caps="{caps}"'
    )


def after_frames(pad, count):
    """An event that is set when so many frames came by."""

    def see(*unused):
        seen.append(None)
        if len(seen) < count:
            return Gst.PadProbeReturn.OK
        event.set()
        return Gst.PadProbeReturn.REMOVE

    seen, event = [], threading.Event()
    pad.add_probe(Gst.PadProbeType.BUFFER, see)
    return event


def begin_mid_stream(pad):
    """Drops the first key unit, and what asks for another: as from a camera that has
    been sending for long."""

    def drop(unused, info):
        if info.type & Gst.PadProbeType.EVENT_UPSTREAM:
            name = info.get_event().get_structure()
            asks = name and name.get_name() == "GstForceKeyUnit"
            return Gst.PadProbeReturn.DROP if asks else Gst.PadProbeReturn.OK
        seen.append(None)
        keep = len(seen) > 5
        return Gst.PadProbeReturn.OK if keep else Gst.PadProbeReturn.DROP

    seen = []
    pad.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_UPSTREAM, drop)


# --- players


def ffmpeg_words(transport, uri, path):
    outputs = f"-an -fps_mode passthrough -frames:v {N_PICTURES} -pix_fmt rgb24"
    return [
        *f"ffmpeg -v error -nostdin -rtsp_transport {transport} -i {uri}".split(),
        *f"{outputs} -f rawvideo -y {path}".split(),
    ]


def rtspsrc_words(transport, uri, path):
    return (
        f"gst-launch-1.0 -v rtspsrc location={uri} protocols={transport} latency=200 ! "
        "decodebin ! videoconvert ! video/x-raw,format=RGB ! "
        f"identity eos-after={N_PICTURES + 1} ! filesink location={path}"
    ).split()


def mpv_words(transport, uri, path):
    return [
        *"mpv --no-config --no-terminal --msg-level=all=error --no-audio".split(),
        *"--ao=null --untimed --vo=image --vo-image-format=png".split(),
        f"--vo-image-outdir={path}",
        f"--frames={N_PICTURES}",
        f"--rtsp-transport={transport}",
        uri,
    ]


def opencv_words(backend, uri, path):
    source = uri
    if backend == "gstreamer":
        source = (
            f"rtspsrc location={uri} protocols=udp latency=200 ! decodebin ! "
            "videoconvert ! video/x-raw,format=BGR ! appsink"
        )
    return [sys.executable, CVFRAMES, backend, source, N_PICTURES, path]


@dataclasses.dataclass
class Player:
    """`words(what, uri, path)`: the command that writes the pictures to a path."""

    title: str
    words: typing.Callable
    what: str
    program: str


PLAYERS = [
    Player("ffmpeg", ffmpeg_words, "udp", "ffmpeg"),
    Player("ffmpeg, TCP", ffmpeg_words, "tcp", "ffmpeg"),
    Player("mpv", mpv_words, "udp", "mpv"),
    Player("rtspsrc", rtspsrc_words, "udp", "gst-launch-1.0"),
    Player("OpenCV (FFmpeg)", opencv_words, "ffmpeg", "gst-launch-1.0"),
    Player("OpenCV (GStreamer)", opencv_words, "gstreamer", "gst-launch-1.0"),
]
# OpenCV's own choice is TCP; and where there is no picture it frees what still plays.
PLAYER_ENV = {"OPENCV_FFMPEG_CAPTURE_OPTIONS": "rtsp_transport;udp", "G_DEBUG": ""}


def read_pictures(path, size):
    """What a player wrote: a file of raw RGB, or a directory of PNG."""
    width, height = size
    if path.is_dir():
        images = sorted(path.glob("*.png"))
        return [cv2.imread(str(image))[..., ::-1] for image in images]
    if not path.exists():
        return []
    samples = numpy.fromfile(path, numpy.uint8)
    whole = len(samples) // (width * height * 3) * (width * height * 3)
    return list(samples[:whole].reshape(-1, height, width, 3))


def patch(picture, third):
    """The mean colour in the middle of a third."""
    height, width = picture.shape[:2]
    left = width * third // 3 + width // 12
    rows = slice(height // 4, height - height // 4)
    return picture[rows, left : left + width // 6].mean((0, 1))


def judge(pictures, line):
    """What a player made of it, in a word."""
    width, height = line.size
    if len(pictures) < N_PICTURES:
        return "no"
    for picture in pictures:
        if picture.shape != (height, width, 3):
            return "other size"
        for third, colour in enumerate((line.red, GREY)):
            if numpy.abs(patch(picture, third) - colour).max() > TOLERANCE:
                return "wrong colours"
    codes = [code_nearest(patch(picture, 2).mean()) for picture in pictures]
    # One that is late may leave pictures out; one that goes back is 13 ahead.
    steps = [(after - before) % CODES for before, after in zip(codes, codes[1:])]
    return "yes" if sum(steps) < 3 * len(steps) and 0 not in steps else "wrong order"


# --- lines

NAMES = {"H264": "H.264", "H265": "H.265", "RAW": "raw"}
# What Janus hands on to browsers, which tests/clients/janus.py looks at.
OF_JANUS = {"H264", "VP8", "VP9"}


@dataclasses.dataclass
class Found:
    """What became of a line: what is sent, and what each player makes of it."""

    sent: str
    words: dict
    janus: str = ""
    error: str = ""

    def cells(self):
        """Those of the table, without the first two."""
        if self.error:
            return [f"nothing: [error](#{self.sent})"] + ["–"] * len(PLAYERS)
        words = dict(self.words)
        over_tcp = words.pop("ffmpeg, TCP")
        if over_tcp != words["ffmpeg"]:
            words["ffmpeg"] += f"; TCP: {over_tcp}"
        return [self.sent, *words.values(), self.janus]


def say_stream(text):
    """The RTP format in the caps that rtspsrc printed, and how the table says it."""
    caps = re.search(r"application/x-rtp,.*media=\(string\)video.*", text)
    if caps is None:
        return "", "?"
    name = re.search(r"encoding-name=\(string\)([\w-]+)", caps[0])[1]
    sampling = re.search(r"sampling=\(string\)([\w:-]+)", caps[0])
    return name, NAMES.get(name, name) + (f", {sampling[1]}" if sampling else "")


def play(player, uri, line, directory):
    """Runs a player; returns its word, and what it said."""
    path = directory / re.sub(r"\W+", "-", player.title)
    if player.program == "mpv":
        path.mkdir()
    with Program(player.words(player.what, uri, path), env=PLAYER_ENV) as program:
        # One that finds no picture may wait for it until it is ended.
        with contextlib.suppress(AssertionError):
            program.wait(DEADLINE)
        program.kill()
        pictures = read_pictures(path, line.size)[:N_PICTURES]
        return judge(pictures, line), program.out.text()


def make_server(line, directory):
    options = {"codec": line.codec}
    if line.encoder:
        options["encoder"] = line.encoder
    source = f"{pictures_source(line.size, directory)} ! {line.source}"
    server = Server(f"{source} ! identity name=last", **options)
    if line.mid_stream:
        begin_mid_stream(server["last"].get_static_pad("src"))
    return server


def watch(line):
    """Serves a line to all players at a time; returns what was Found."""
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        directory = pathlib.Path(directory)
        try:
            server = make_server(line, directory)
            # What nobody watches goes by, so that they do not see the first key unit.
            gone_by = after_frames(server["last"].get_static_pad("src"), N_GONE_BY)
            stack.enter_context(server)
            gone_by.wait(DEADLINE)
            pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor())
            playing = [
                pool.submit(play, player, server.uri, line, directory)
                for player in PLAYERS
            ]
            played = [one.result() for one in playing]
            server.check()
            encodes = server["sink"].props.active_encoder
        except PipelineError as error:
            return Found(line.codec, {}, error=error.text)
    name, sent = say_stream("\n".join(said for _, said in played))
    if name != "RAW":
        sent += ", encoded" if encodes else ", as it is"
    words = {player.title: word for player, (word, _) in zip(PLAYERS, played)}
    shown = name in OF_JANUS and "B frames" not in line.title
    return Found(sent, words, "yes" if shown else "no")


@functools.cache
def find_all():
    """The lines, each with what was Found."""
    with concurrent.futures.ThreadPoolExecutor(N_AT_A_TIME) as pool:
        return list(zip(lines(), pool.map(watch, lines())))


def row(line, found):
    codec = f"`{line.codec}`"
    if line.encoder:
        codec += f", `encoder={line.encoder}`"
    return "| " + " | ".join([line.title, codec, *found.cells()]) + " |\n"


def table():
    titles = ["input", "`codec`", "sent"]
    titles += [player.title for player in PLAYERS if "TCP" not in player.title]
    titles += ["Janus"]
    head = "| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|\n"
    return head + "".join(row(*both) for both in find_all())


def write_table(path):
    before, rest = path.read_text(encoding="utf-8").split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    text = before + MARKS[0] + table() + MARKS[1] + after
    path.write_text(text, encoding="utf-8")


class Codecs(SinkTestCase):
    @classmethod
    def setUpClass(cls):
        need("ffmpeg", "mpv")
        need_elements("x264enc", "openh264enc", "x265enc", "av1enc", "av1dec")
        cls.found = find_all()

    def of_codecs(self, wanted):
        return [both for both in self.found if wanted(both[0].codec)]

    def test_encoded_video_is_shown_by_every_player(self):
        for line, found in self.of_codecs(lambda codec: codec not in ("raw", "av1")):
            with self.subTest(line.title, codec=line.codec, encoder=line.encoder):
                self.assertEqual(found.error, "")
                self.assertEqual(set(found.words.values()), {"yes"}, found.words)

    def test_raw_video_is_shown_by_gstreamer(self):
        for line, found in self.of_codecs(lambda codec: codec == "raw"):
            with self.subTest(line.title):
                for title in "rtspsrc", "OpenCV (GStreamer)":
                    self.assertEqual(found.words[title], "yes")

    def test_av1_without_its_payloader_is_refused(self):
        if Gst.ElementFactory.find("rtpav1pay"):
            self.skipTest("rtpav1pay is installed")
        for _, found in self.of_codecs(lambda codec: codec == "av1"):
            self.assertIn("rtpav1pay", found.error)
            self.assertIn(f"`{found.error}`", GUIDE.read_text(encoding="utf-8"))

    def test_guide_has_what_was_found(self):
        guide = GUIDE.read_text(encoding="utf-8")
        rows = guide.split(MARKS[0])[1].split(MARKS[1])[0].splitlines(keepends=True)[2:]
        self.assertEqual(len(rows), len(LINES))
        for line, found in self.found:
            with self.subTest(line.title, codec=line.codec):
                written = rows[LINES.index(line)]
                self.assertEqual(written, row(line, found), "see --write")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--write", metavar="FILE")
    options, sys.argv[1:] = parser.parse_known_args()
    if options.write:
        LONG = True
        write_table(TOP / options.write)
    else:
        main()
