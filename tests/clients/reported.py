#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""What people have reported about formats, JPEG and sound, as real clients see it.

What a test in C can see of them stands in tests/check.
"""

import concurrent.futures
import pathlib
import re
import struct

import cv2
import numpy

from gstfeed import Feed, Gst, Pipeline, Server
from rtspsinktest import (
    CODES,
    Program,
    SinkTestCase,
    code_level,
    ffmpeg_pictures,
    ffprobe,
    main,
    need_elements,
    rtspview,
)

RATE = 25
N_AT_A_TIME = 3
# dB, of bars whose edges 4:2:0 makes soft.
PSNR = 28

# Markers of JPEG.
SOF, SOS, DQT = 0xC0, 0xDA, 0xDB


def bars(width, height):
    """Eight upright bars, greys below, BGR."""
    colours = [(255,) * 3, (0, 255, 255), (255, 255, 0), (0, 255, 0)]
    colours += [(255, 0, 255), (0, 0, 255), (255, 0, 0), (0,) * 3]
    above = numpy.array(colours)[numpy.arange(width) * 8 // width]
    below = numpy.repeat(numpy.linspace(0, 255, width).astype(int)[:, None], 3, axis=1)
    picture = numpy.repeat(above[None], height, axis=0)
    picture[height // 2 :] = below
    return picture.astype(numpy.uint8)


def psnr(picture, ideal):
    height, width = (min(a, b) for a, b in zip(picture.shape, ideal.shape[:2]))
    error = picture[:height, :width].astype(float) - ideal[:height, :width]
    return 10 * numpy.log10(255**2 / max(numpy.square(error).mean(), 1e-9))


def segments(jpeg):
    """The marker and the bytes of each segment of the header, and what follows."""
    found, at = [], 2
    while not found or found[-1][0] != SOS:
        size = 2 + struct.unpack(">H", jpeg[at + 2 : at + 4])[0]
        found.append((jpeg[at + 1], bytearray(jpeg[at : at + size])))
        at += size
    return found, jpeg[at:]


def with_three_tables(jpeg):
    """As webcams write it: Cr has a table of quantisation, a copy of that of Cb."""
    header, scan = segments(jpeg)
    result = bytearray(b"\xff\xd8")
    for marker, segment in header:
        if marker == SOF:
            segment[10 + 3 * 2 + 2] = 2
        result += segment
        if marker == DQT and segment[4] == 1:
            result += segment[:4] + b"\x02" + segment[5:]
    return bytes(result + scan)


def jpeg_source(directory, pictures):
    for number, picture in enumerate(pictures):
        (directory / f"{number:02d}.jpg").write_bytes(picture)
    return (
        f"multifilesrc location={directory}/%02d.jpg loop=true "
        f'stop-index={len(pictures) - 1} caps="image/jpeg,framerate={RATE}/1" ! jpegparse'
    )


def encode(source, count=1):
    """Buffers of an encoder, as bytes."""
    with Pipeline(f"{source} ! appsink name=sink sync=false max-buffers=0") as making:
        buffers = []
        while len(buffers) < count:
            sample = making["sink"].try_pull_sample(20 * Gst.SECOND)
            buffer = sample.get_buffer()
            buffers.append(buffer.extract_dup(0, buffer.get_size()))
        return buffers


class Formats(SinkTestCase):
    def see_size(self, options, size):
        width, height = size
        ideal = bars(width, height)
        caps = f"video/x-raw,format=BGR,width={width},height={height},framerate=10/1"
        rows = numpy.zeros((height, -(-width * 3 // 4) * 4), numpy.uint8)
        rows[:, : width * 3] = ideal.reshape(height, -1)
        with Feed(caps, **options) as feed, feed.keep_pushing(rows, 10):
            pictures = ffmpeg_pictures(
                feed.uri, 8, self.temporary_directory(), pix_fmt="bgr24"
            )
        return pictures[-1].shape[1::-1], psnr(pictures[-1], ideal)

    def test_size_that_is_no_multiple_of_8_is_clean_in_every_codec(self):
        """Reported: garbage in a picture of 630x474. RFC 2435 has sizes in steps of 8 only."""
        need_elements("openh264enc")
        codecs = [{"encoder": "openh264enc"}]
        codecs += [{"codec": codec} for codec in ("h265", "vp8", "vp9", "jpeg", "raw")]
        with concurrent.futures.ThreadPoolExecutor(N_AT_A_TIME) as pool:
            tasks = [(c, pool.submit(self.see_size, c, (630, 474))) for c in codecs]
            for options, seeing in tasks:
                with self.subTest(**options):
                    size, quality = seeing.result()
                    jpeg = options.get("codec") == "jpeg"
                    self.assertEqual(size, (632, 480) if jpeg else (630, 474))
                    self.assertGreaterEqual(quality, PSNR)

    def test_rate_is_told_to_ffprobe(self):
        """Reported: the SDP lacks the frame rate, which a client needs."""
        for rate in "25/1", "30000/1001", "10000000/333333":
            for codec in "h264", "jpeg":
                with self.subTest(rate, codec=codec):
                    caps = f"video/x-raw,width=160,height=120,framerate={rate}"
                    source = f"videotestsrc is-live=true ! {caps}"
                    with Server(source, codec=codec) as server:
                        seen = ffprobe(server.uri)["r_frame_rate"]
                    numerator, denominator = map(int, rate.split("/"))
                    seen_numerator, seen_denominator = map(int, seen.split("/"))
                    self.assertAlmostEqual(
                        seen_numerator / seen_denominator, numerator / denominator, 3
                    )


class Jpeg(SinkTestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.temporary_directory())

    def test_three_tables_are_sent_as_they_come(self):
        """Reported: a depayloader refuses a webcam's JPEG with three tables."""
        for pixels in "I420", "Y42B":
            for number in range(CODES):
                picture = numpy.full((480, 640, 3), code_level(number), numpy.uint8)
                picture.tofile(self.directory / f"{number:02d}.rgb")
            frames = encode(
                f"multifilesrc location={self.directory}/%02d.rgb stop-index={CODES - 1} "
                'caps="video/x-raw,format=RGB,width=640,height=480,framerate=25/1" ! '
                f"videoconvert ! video/x-raw,format={pixels},colorimetry=1:4:0:0 ! jpegenc",
                CODES,
            )
            frames = [with_three_tables(frame) for frame in frames]
            source = jpeg_source(self.directory, frames)
            for protocols in "tcp", "udp":
                with self.subTest(pixels, protocols=protocols):
                    with Server(source) as server:
                        codes = self.watch(server.uri, protocols)
                        self.assertIsNone(server["sink"].props.active_encoder)
                    lost = sum((b - a - 1) % CODES for a, b in zip(codes, codes[1:]))
                    self.assertLessEqual(lost, len(codes) // 5, codes)

    def watch(self, uri, protocols):
        line = (
            f"rtspsrc location={uri} protocols={protocols} latency=0 ! rtpjpegdepay ! "
            "jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! "
            "appsink name=sink sync=false max-buffers=0"
        )
        codes = []
        with Pipeline(line) as viewer:
            while len(codes) < RATE:
                sample = viewer["sink"].try_pull_sample(20 * Gst.SECOND)
                buffer = sample.get_buffer()
                data = buffer.extract_dup(0, buffer.get_size())
                grey = numpy.frombuffer(data, numpy.uint8).mean()
                codes.append(min(max(round((grey - 16) / 16), 0), CODES - 1))
        return codes

    def test_what_rtp_cannot_carry_is_encoded_again(self):
        """JPEG with tables of its own, as from cv2.IMWRITE_JPEG_OPTIMIZE, and progressive."""
        ideal = bars(320, 240)
        for name, options in {
            "usual": [],
            "optimized": [cv2.IMWRITE_JPEG_OPTIMIZE, 1],
            "progressive": [cv2.IMWRITE_JPEG_PROGRESSIVE, 1],
            "restarts": [cv2.IMWRITE_JPEG_RST_INTERVAL, 4],
        }.items():
            with self.subTest(name):
                picture = cv2.imencode(".jpg", ideal, options)[1].tobytes()
                with Server(jpeg_source(self.directory, [picture] * 2)) as server:
                    seen = ffmpeg_pictures(
                        server.uri, 8, self.directory, pix_fmt="bgr24"
                    )[-1]
                    encoder = server["sink"].props.active_encoder
                self.assertGreaterEqual(psnr(seen, ideal), PSNR)
                passed = name in ("usual", "restarts")
                self.assertEqual(encoder is None, passed, encoder)

    def test_high_rate_comes_through(self):
        """Reported: JPEG of 150 Mbit/s breaks up over UDP. 0.9 MB per frame; how many frames
        there are is up to the machine."""
        frames = encode(
            "videotestsrc pattern=snow num-buffers=8 ! "
            "video/x-raw,format=I420,width=1280,height=720,framerate=30/1 ! "
            "jpegenc quality=95",
            8,
        )
        source = jpeg_source(self.directory, frames).replace("25/1", "30/1")
        with Server(source) as server:
            for udp in False, True:
                with self.subTest(udp=udp):
                    view = rtspview(server.uri, frames=60, udp=udp)
                    damaged = sum(unit.damaged for unit in view.units)
                    self.assertLessEqual(damaged, len(view.units) // 20 if udp else 0)
                    if not udp:
                        self.assertEqual(view.end["lost"], 0)


class Sound(SinkTestCase):
    VIDEO = "videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=25/1"
    SINK = "rtspserversink name=s address=127.0.0.1 port=0"

    def test_both_streams_are_listed(self):
        """Reported: a stream with video alone, without its sound."""
        need_elements("opusenc")
        server = self.serve(
            f"{self.VIDEO} ! {self.SINK} audiotestsrc is-live=true ! opusenc ! s.audio_0"
        )
        args = "ffprobe -v error -show_entries stream=codec_type -of csv=p=0"
        with Program([*args.split(), "-rtsp_transport", "tcp", server.uri]) as probe:
            probe.check()
            kinds = re.findall("audio|video", probe.out.text())
        self.assertEqual(sorted(kinds), ["audio", "video"])

    def test_sound_that_cannot_be_sent_is_refused_at_the_link(self):
        """Sound that is left out must not be left out silently."""
        for encoder in "vorbisenc", "lamemp3enc":
            with self.subTest(encoder):
                need_elements(encoder)
                line = f"{self.SINK} audiotestsrc ! {encoder} ! s.audio_0"
                server = self.serve(line, wait=False)
                self.assertNotEqual(server.wait(), 0)
                self.assertIn("could not link", server.err.text())


if __name__ == "__main__":
    main()
