#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Any raw format goes straight into the element; viewers see its colours.

Colour bars may be 12 off, greys 4. Whatever comes in, the stream is 4:2:0 with 8 bits
in a profile that every decoder knows.
"""

import concurrent.futures
import itertools
import tempfile

import numpy

from gstfeed import Feed, Server, View, videoconvert_formats
from rtspsinktest import LONG, SinkTestCase, ffmpeg_pictures, ffprobe, main, need_elements

WIDTH, HEIGHT = 384, 96
BARS = numpy.array(
    [(255,) * 3, (255, 255, 0), (0, 255, 255), (0, 255, 0)]
    + [(255, 0, 255), (255, 0, 0), (0, 0, 255), (0,) * 3]
)
GREYS = numpy.arange(0, 256, 17)
BAR_TOLERANCE = 12
GREY_TOLERANCE = 4
GREY16 = {"GRAY16_LE": "<u2", "GRAY16_BE": ">u2"}
PROFILES = ("constrained-baseline", "baseline", "main", "high")

# Every codec, with every encoder of it that Debian 12 has, and what it is fed with: RGB,
# and YUV with levels of 0 to 255. ffmpeg knows of no range in raw video.
ENCODERS = [("h264", "x264enc"), ("h264", "openh264enc"), ("h265", "x265enc")]
ENCODERS += [("vp8", "vp8enc"), ("vp9", "vp9enc"), ("jpeg", "jpegenc")]
ENCODINGS = [(*encoder, name) for encoder in ENCODERS for name in ("RGB", "I420", "Y444")]
ENCODINGS += [("raw", "", "RGB")]
LEVEL_TOLERANCE = 6
N_AT_A_TIME = 4
# An encoder starts coarsely and refines a still picture.
N_REFINED = 25

# What these hold of a grey level: 5 or 6 bits.
COARSE = {"RGB16", "BGR16", "RGB15", "BGR15"}
COARSE_STEP = 8
# The 216 colours of its palette have six greys.
PALETTE_STEP = 51


def columns(colours):
    """A picture of upright bars."""
    row = numpy.repeat(numpy.asarray(colours), WIDTH // len(colours), axis=0)
    return numpy.repeat(row[numpy.newaxis], HEIGHT // 2, axis=0)


def test_picture():
    """Bars above, greys below, RGB."""
    greys = numpy.repeat(GREYS[:, numpy.newaxis], 3, axis=1)
    return numpy.vstack((columns(BARS), columns(greys))).astype(numpy.uint8)


def grey_picture():
    return numpy.vstack((columns(GREYS), columns(GREYS)))


def pack_gray10(levels):
    """GRAY10_LE32: three levels of 10 bits in 32 bits."""
    levels = (levels * 1023 // 255).astype(numpy.uint32).reshape(HEIGHT, WIDTH // 3, 3)
    return (levels[..., 0] | levels[..., 1] << 10 | levels[..., 2] << 20).astype("<u4")


def full_range(name, red_weight):
    """The test picture in YUV whose samples use all of 0 to 255."""
    blue_weight = 0.114 if red_weight == 0.299 else 0.0722
    red, green, blue = numpy.moveaxis(test_picture().astype(float), 2, 0)
    luma = red_weight * red + blue_weight * blue + (1 - red_weight - blue_weight) * green
    chroma = numpy.stack(
        (
            128 + (blue - luma) / 2 / (1 - blue_weight),
            128 + (red - luma) / 2 / (1 - red_weight),
        )
    )
    if name != "Y444":
        chroma = chroma[..., ::2]
    if name in ("I420", "NV12"):
        chroma = chroma[:, ::2]
    if name == "NV12":
        chroma = numpy.moveaxis(chroma, 0, 2)
    samples = numpy.concatenate((luma.ravel(), chroma.ravel()))
    return numpy.clip(samples + 0.5, 0, 255).astype(numpy.uint8)


def centres(row, count):
    step = len(row) // count
    return row[step // 2 :: step][:count]


def grey_error(picture, row):
    """How far the greys in a row of the decoded picture are from what was fed."""
    seen = centres(picture.rgb()[row], len(GREYS))
    return numpy.abs(seen - GREYS[:, numpy.newaxis]).max()


def caps_of(pixels, more=""):
    return f"video/x-raw,format={pixels},width={WIDTH},height={HEIGHT},framerate=25/1{more}"


def watch(frame, caps, convert="", **options):
    """Feeds a still picture; returns a decoded one, and what the stream says of itself."""
    with Feed(caps, convert=convert, **options) as feed:
        with feed.keep_pushing(frame), View(feed.uri) as view:
            picture = view.picture()
            return picture, view.stream_caps


def watch_format(pixels, **options):
    """The test picture, made that format by videoconvert."""
    convert = f"! videoconvert dither=none ! video/x-raw,format={pixels}"
    return watch(test_picture(), caps_of("RGB"), convert, **options)


def see_encoded(codec, encoder, name):
    """The test picture as ffmpeg shows it, from 0 to 255."""
    if encoder:
        need_elements(encoder)
    frame, more = test_picture(), ""
    if name != "RGB":
        frame, more = full_range(name, 0.299), ",colorimetry=1:4:0:0"
    with Feed(caps_of(name, more), codec=codec, encoder=encoder) as feed:
        with feed.keep_pushing(frame), tempfile.TemporaryDirectory() as directory:
            return ffmpeg_pictures(feed.uri, N_REFINED, directory)[-1]


class Colours(SinkTestCase):
    def check_stream(self, picture, stream):
        self.assertEqual(picture.format, "I420")
        self.assertIn(stream["profile"], PROFILES)
        self.assertEqual(stream["chroma-format"], "4:2:0")
        self.assertEqual(stream["bit-depth-luma"], 8)

    def check_bars(self, picture):
        seen = centres(picture.rgb()[HEIGHT // 4], len(BARS))
        self.assertLessEqual(numpy.abs(seen - BARS).max(), BAR_TOLERANCE, seen)

    def check_greys(self, picture, row=HEIGHT * 3 // 4, tolerance=GREY_TOLERANCE):
        seen = centres(picture.rgb()[row], len(GREYS))
        self.assertLessEqual(grey_error(picture, row), tolerance, seen[:, 0])

    def test_every_colour_format_is_seen_right(self):
        formats = [name for name in videoconvert_formats() if "GRAY" not in name]
        self.assertGreater(len(formats), 80)
        for name in formats if LONG else formats[::3]:
            with self.subTest(name):
                picture, stream = watch_format(name)
                self.check_stream(picture, stream)
                self.check_bars(picture)
                step = PALETTE_STEP if name == "RGB8P" else COARSE_STEP
                coarse = name in COARSE or name == "RGB8P"
                self.check_greys(
                    picture, tolerance=GREY_TOLERANCE + (step if coarse else 0)
                )

    def test_every_grey_format_keeps_its_levels(self):
        levels = grey_picture()
        frames = {
            "GRAY8": levels.astype(numpy.uint8),
            "GRAY16_LE": (levels * 257).astype("<u2"),
            "GRAY16_BE": (levels * 257).astype(">u2"),
            "GRAY10_LE32": pack_gray10(levels),
        }
        self.assertEqual(
            set(frames), {name for name in videoconvert_formats() if "GRAY" in name}
        )
        for name, frame in frames.items():
            with self.subTest(name):
                picture, stream = watch(frame, caps_of(name))
                self.check_stream(picture, stream)
                self.check_greys(picture)

    def test_16_bit_grey_shows_its_high_byte(self):
        """Reported: 16-bit grey is refused, or very dark."""
        levels = (0x0000, 0), (0x4000, 64), (0x8000, 128), (0xFFFF, 255)
        for (name, kind), (level, seen) in itertools.product(GREY16.items(), levels):
            with self.subTest(name, level=hex(level)):
                frame = numpy.full((HEIGHT, WIDTH), level, kind)
                picture, _ = watch(frame, caps_of(name))
                error = numpy.abs(picture.rgb()[8:-8, 8:-8] - seen).max()
                self.assertLessEqual(error, GREY_TOLERANCE)

    def test_full_range_yuv_keeps_its_colours(self):
        """As decoders of JPEG give it: what most webcams end in."""
        for name in "Y444", "I420", "NV12", "Y42B":
            for colorimetry in "1:4:0:0", "1:4:7:1", "1:3:5:1":
                with self.subTest(name, colorimetry=colorimetry):
                    bt709 = colorimetry.startswith("1:3")
                    frame = full_range(name, 0.2126 if bt709 else 0.299)
                    caps = caps_of(name, f",colorimetry={colorimetry}")
                    picture, _ = watch(frame, caps)
                    self.check_bars(picture)
                    self.check_greys(picture)

    def test_other_encoder_gives_the_same_kind_of_stream(self):
        need_elements("openh264enc")
        for name in "BGR", "RGBA", "YUY2", "UYVY", "Y444", "I420", "GRAY16_LE":
            with self.subTest(name):
                picture, stream = watch_format(name, encoder="openh264enc")
                self.check_stream(picture, stream)
                if name != "GRAY16_LE":
                    self.check_bars(picture)

    def test_every_encoder_keeps_red_and_greys(self):
        with concurrent.futures.ThreadPoolExecutor(N_AT_A_TIME) as pool:
            for line, seeing in [(e, pool.submit(see_encoded, *e)) for e in ENCODINGS]:
                with self.subTest(line):
                    seen = seeing.result()
                    red = centres(seen[HEIGHT // 4], len(BARS))[5].astype(int)
                    off = numpy.abs(red - BARS[5]).max()
                    self.assertLessEqual(off, LEVEL_TOLERANCE, red)
                    greys = centres(seen[HEIGHT * 3 // 4], len(GREYS)).astype(int)
                    off = numpy.abs(greys - GREYS[:, numpy.newaxis]).max()
                    self.assertLessEqual(off, LEVEL_TOLERANCE, greys)

    def test_ffprobe_sees_plain_h264(self):
        """Reported: 4:4:4 from RGB, which phones refuse; YUY2 not known; BGR not taken. Whatever
        comes in, a phone can play it."""
        for encoder in "x264enc", "openh264enc":
            for name in "RGB", "BGR", "YUY2", "GRAY8", "I420_10LE":
                with self.subTest(name, encoder=encoder):
                    need_elements(encoder)
                    options = {"encoder": encoder} if encoder != "x264enc" else {}
                    source = f"videotestsrc is-live=true ! {caps_of(name)}"
                    with Server(source, **options) as server:
                        seen = ffprobe(server.uri)
                    self.assertEqual(seen["codec_name"], "h264")
                    self.assertEqual(seen["pix_fmt"], "yuv420p")
                    self.assertIn(
                        seen["profile"].lower().replace(" ", "-"), PROFILES
                    )
                    self.assertEqual((seen["width"], seen["height"]), (WIDTH, HEIGHT))
                    self.assertEqual(seen["has_b_frames"], 0)


if __name__ == "__main__":
    main()
