#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Players hear what was fed, in each codec, beside the video and alone.

What is fed is a tone; its pitch tells that rate, channels and order are right.
"""

import pathlib

import numpy

from rtspsinktest import (
    Program,
    SinkTestCase,
    ffmpeg,
    main,
    need,
    need_elements,
    wait_until,
)

RATE = 48000
SECONDS = 2
PITCH = 1000  # Hz
FRAME_SIZE = 160 * 120 * 3 // 2
VIDEO = "videotestsrc is-live=true ! video/x-raw,format=I420,width=160,height=120,framerate=25/1"
TONE = f"audiotestsrc is-live=true freq={PITCH} ! audio/x-raw,rate={RATE},channels=2"
SINK = "rtspserversink name=s address=127.0.0.1 port=0"
CODECS = "opus aac pcmu pcma l16".split()

# What a user may have encoded already.
ENCODED = {
    "opus": "opusenc",
    "aac": "avenc_aac",
    "adts": "avenc_aac ! aacparse ! audio/mpeg,stream-format=adts",
    "pcmu": "audioconvert ! audioresample ! mulawenc ! audio/x-mulaw,rate=8000,channels=1",
}


def pitch_of(path, rate):
    """Of the loudest tone in 16-bit samples of one channel, after the first 0.2 s."""
    samples = numpy.fromfile(path, "<i2")[rate // 5 :].astype(float)
    if len(samples) < rate // 2:
        raise AssertionError(f"only {len(samples)} samples of sound")
    spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples))))
    return numpy.argmax(spectrum[1:]) * rate / len(samples)


def has_sound(path):
    return path.exists() and path.stat().st_size >= 2 * SECONDS * RATE


class Audio(SinkTestCase):
    def setUp(self):
        need_elements("opusenc", "avenc_aac", "rtpopuspay")
        self.directory = pathlib.Path(self.temporary_directory())

    def serve_tone(self, chain="", video=True, **options):
        words = " ".join(f"{k.replace('_', '-')}={v}" for k, v in options.items())
        line = f"{SINK} {words} {TONE} ! audioconvert ! {chain} s.audio_0"
        return self.serve(f"{VIDEO} ! s.sink {line}" if video else line)

    def assert_tone(self, path, rate):
        self.assertAlmostEqual(pitch_of(path, rate), PITCH, delta=5)

    def check_ffmpeg(self, uri, transport="tcp", video=True):
        """ffmpeg decodes both streams without a warning."""
        path = self.directory / "sound.raw"
        sound = ["-map", "0:a", "-t", str(SECONDS), "-ac", "1", "-ar", str(RATE)]
        sound += ["-f", "s16le", "-y", str(path)]
        frames = self.directory / "pictures.raw"
        pictures = ["-map", "0:v", "-t", str(SECONDS), "-f", "rawvideo", "-y", str(frames)]
        ffmpeg(uri, *sound, *(pictures if video else []), transport=transport, level="error")
        self.assert_tone(path, RATE)
        if video:
            self.assertGreater(frames.stat().st_size, FRAME_SIZE * 20)

    def check_rtspsrc(self, uri, protocols="tcp"):
        """Plays until it has enough, and is killed: if rtspsrc (1.22) ends by itself, its TEARDOWN
        may interrupt its PAUSE, which it takes for an error. The video is linked, too: without that
        it sometimes ended at once, as not linked."""
        path = self.directory / "rtspsrc.raw"
        path.unlink(missing_ok=True)
        line = f"""rtspsrc location={uri} latency=0 protocols={protocols} name=r
            r. ! application/x-rtp,media=video ! fakesink sync=false async=false
            r. ! application/x-rtp,media=audio ! decodebin ! audioconvert !
            audioresample ! audio/x-raw,format=S16LE,channels=1,rate={RATE} !
            filesink async=false location={path}"""
        with Program(["gst-launch-1.0", "-q", *line.split()]) as program:
            wait_until(lambda: has_sound(path) or not program.alive(), 30, "sound from rtspsrc")
            if not program.alive():
                program.fail("gst-launch-1.0 has ended")
            program.kill()
            program.check_clean()
        self.assert_tone(path, RATE)

    def test_each_codec_beside_video(self):
        for codec in CODECS:
            with self.subTest(codec):
                server = self.serve_tone("", audio_codec=codec)
                self.check_ffmpeg(server.uri, "udp")
                self.check_rtspsrc(server.uri)

    def test_each_codec_alone(self):
        for codec in CODECS:
            with self.subTest(codec):
                server = self.serve_tone("", video=False, audio_codec=codec)
                self.check_ffmpeg(server.uri, video=False)

    def test_encoded_audio_as_it_comes(self):
        for name, chain in ENCODED.items():
            with self.subTest(name):
                server = self.serve_tone(chain + " !")
                self.check_ffmpeg(server.uri)
                self.check_rtspsrc(server.uri, "udp")

    def test_mpv_plays_both(self):
        need("mpv")
        server = self.serve_tone("")
        path = self.directory / "mpv.wav"
        args = ["mpv", "--no-config", "--no-terminal", "--msg-level=all=warn"]
        args += ["--rtsp-transport=tcp", "--vo=null", "--ao=pcm", f"--ao-pcm-file={path}"]
        with Program([*args, f"--length={SECONDS}", server.uri]) as program:
            program.check(30)
        self.assertGreater(path.stat().st_size, RATE)


if __name__ == "__main__":
    main()
