# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Feeds and viewers in the test's own process, as a gst-python program has them.

    with Feed("video/x-raw,format=BGR,width=64,height=48,framerate=25/1") as feed:
        with feed.keep_pushing(array), View(feed.uri) as view:
            picture = view.picture()

No main loop runs here: the bus is asked. All waits have deadlines.
"""

import contextlib
import re
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstVideo", "1.0")
# pylint: disable=wrong-import-position
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402,F401

import numpy  # noqa: E402

from rtspsinktest import code_nearest  # noqa: E402

Gst.init(None)

DEADLINE = 20.0


class PipelineError(AssertionError):
    """What the bus said: `text` for the user, `debug` for the developer."""

    def __init__(self, message):
        error, self.debug = message.parse_error()
        self.domain, self.code, self.text = error.domain, error.code, error.message
        super().__init__(f"{self.text} [{self.debug}]")


class Pipeline:
    """A launch line that plays from start() to stop()."""

    def __init__(self, line):
        self.pipeline = Gst.parse_launch(line)
        self.bus = self.pipeline.get_bus()

    def __enter__(self):
        return self.start()

    def __exit__(self, *unused):
        self.stop()

    def __getitem__(self, name):
        return self.pipeline.get_by_name(name)

    def start(self):
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            try:
                self.check()
                raise AssertionError("the pipeline does not play and does not say why")
            finally:
                self.stop()
        return self

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)

    def pop(self, types, timeout=0.0):
        """The next message of these types, or None."""
        return self.bus.timed_pop_filtered(int(timeout * Gst.SECOND), types)

    def check(self, timeout=0.0):
        """Raises what the bus has as an error."""
        message = self.pop(Gst.MessageType.ERROR, timeout)
        if message:
            raise PipelineError(message)

    def wait_error(self, timeout=DEADLINE):
        """Waits for an error and returns it."""
        message = self.pop(Gst.MessageType.ERROR, timeout)
        if message is None:
            raise AssertionError(f"no error on the bus in {timeout} s")
        return PipelineError(message)

    def wait_eos(self, timeout=DEADLINE):
        message = self.pop(Gst.MessageType.EOS | Gst.MessageType.ERROR, timeout)
        if message is None:
            raise AssertionError(f"no end of stream in {timeout} s")
        if message.type == Gst.MessageType.ERROR:
            raise PipelineError(message)


def sink_words(options):
    options = {"address": "127.0.0.1", "port": 0, "mount": "/test", **options}
    words = ["rtspserversink name=sink"]
    for key, value in options.items():
        value = str(value).lower() if isinstance(value, bool) else value
        words.append(f'{key.replace("_", "-")}="{value}"')
    return " ".join(words)


class Server(Pipeline):
    """`line ! rtspserversink`; options are the sink's properties, with _ for -."""

    def __init__(self, line, **options):
        super().__init__(f"{line} ! {sink_words(options)}")

    @property
    def uri(self):
        return self["sink"].props.uri

    @property
    def num_viewers(self):
        return self["sink"].props.num_viewers


class Feed(Server):
    """`appsrc ! rtspserversink`, pushed to from the test's threads."""

    def __init__(
        self, caps, source="is-live=true do-timestamp=true", convert="", **options
    ):
        words = f'appsrc name=source format=time {source} caps="{caps}" {convert}'
        super().__init__(words, **options)
        self.source = self["source"]

    def push(self, picture):
        """Pushes an array, or bytes, as one frame."""
        data = picture if isinstance(picture, bytes) else picture.tobytes()
        return self.source.push_buffer(Gst.Buffer.new_wrapped(data))

    @contextlib.contextmanager
    def keep_pushing(self, picture, rate=25):
        """Pushes the same picture, or what a function of its number makes, on and on."""
        ended = threading.Event()

        def push():
            number, start = 0, time.monotonic()
            while not ended.wait(max(0.0, start + number / rate - time.monotonic())):
                frame = picture(number) if callable(picture) else picture
                if self.push(frame) != Gst.FlowReturn.OK:
                    break
                number += 1

        thread = threading.Thread(target=push, name="push")
        thread.start()
        try:
            yield self
        finally:
            ended.set()
            thread.join()


DEPAYLOADERS = {
    "h264": "rtph264depay ! h264parse name=parser ! avdec_h264",
    "raw": "rtpvrawdepay name=parser",
}


class View(Pipeline):
    """GStreamer's client: `rtspsrc ! depayloader ! decoder ! appsink`.

    `convert` is what stands behind the decoder, for example
    "videoconvert ! video/x-raw,format=RGB".
    """

    def __init__(self, uri, codec="h264", protocols="tcp", convert="identity"):
        super().__init__(
            f"rtspsrc location={uri} protocols={protocols} latency=0 ! "
            f"{DEPAYLOADERS[codec]} ! {convert} ! "
            "appsink name=sink sync=false max-buffers=0"
        )
        self.sink = self["sink"]

    def picture(self, timeout=DEADLINE, feed=None):
        """The next picture. Raises what the feed has as an error meanwhile."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            sample = self.sink.try_pull_sample(Gst.SECOND // 10)
            if sample:
                return Picture(sample)
            self.check()
            if feed:
                feed.check()
        raise AssertionError(f"no picture in {timeout} s")

    def pictures(self, count):
        return [self.picture() for number in range(count)]

    @property
    def stream_caps(self):
        """What came over the network, before the decoder."""
        return self["parser"].get_static_pad("src").get_current_caps().get_structure(0)


class Picture:
    """A picture that a viewer got: its caps, and its samples as arrays."""

    def __init__(self, sample):
        self.info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
        self.caps = sample.get_caps().get_structure(0)
        self.planes = planes_of(sample.get_buffer(), self.info)

    @property
    def format(self):
        return self.info.finfo.name

    @property
    def size(self):
        return self.info.width, self.info.height

    def rgb(self):
        """Of 4:2:0: what a decoder shows that trusts the stream's matrix and knows
        of the studio range only."""
        red_weight, blue_weight = 0.299, 0.114
        if self.info.colorimetry.matrix == GstVideo.VideoColorMatrix.BT709:
            red_weight, blue_weight = 0.2126, 0.0722
        height, width = self.planes[0].shape
        luma = (self.planes[0].astype(float) - 16) / 219
        blue, red = (
            (plane.repeat(2, 0).repeat(2, 1)[:height, :width].astype(float) - 128) / 112
            for plane in self.planes[1:]
        )
        red = luma + (1 - red_weight) * red
        blue = luma + (1 - blue_weight) * blue
        green = (luma - red_weight * red - blue_weight * blue) / (
            1 - red_weight - blue_weight
        )
        return numpy.clip(numpy.dstack((red, green, blue)) * 255 + 0.5, 0, 255).astype(int)


class Watcher(threading.Thread):
    """One of several viewers: gathers what `look` makes of each of `count` pictures."""

    def __init__(self, uri, count, look, **options):
        super().__init__(name="watch")
        self.uri, self.count, self.look, self.options = uri, count, look, options
        self.seen = []
        self.error = None
        self.start()

    def run(self):
        try:
            with View(self.uri, **self.options) as view:
                for _ in range(self.count):
                    self.seen.append(self.look(view.picture()))
        # Whatever it is, it is raised where the test sees it.
        except Exception as error:  # pylint: disable=broad-except
            self.error = error

    def result(self):
        self.join()
        if self.error:
            raise self.error
        return self.seen


def picture_grey(picture):
    """The mean grey of the middle of a decoded picture."""
    width, height = picture.size
    rows = slice(height // 2 - height // 8, height // 2 + height // 8)
    columns = slice(width // 2 - width // 8, width // 2 + width // 8)
    return (picture.planes[0][rows, columns].mean() - 16) * 255 / 219


def picture_code(picture):
    """n mod 14 of a CODE picture."""
    return code_nearest(picture_grey(picture))


def planes_of(buffer, info):
    """The samples of each plane without any padding: height x width x bytes of a pixel.

    A format whose pixels are not whole bytes (v210, UYVP) is height x bytes of a row, of
    its whole groups of pixels. One in tiles is taken as it is.
    """
    data = numpy.frombuffer(buffer.extract_dup(0, buffer.get_size()), numpy.uint8)
    if info.finfo.flags & GstVideo.VideoFormatFlags.TILED:
        return [data.reshape(1, -1)]
    layout = GstVideo.buffer_get_video_meta(buffer) or info
    planes = []
    for number in range(info.finfo.n_planes):
        of_plane = info.finfo.plane[: info.finfo.n_components]
        first = of_plane.index(number)
        pixel = info.finfo.pixel_stride[first]
        width = -(-info.width >> info.finfo.w_sub[first])
        height = -(-info.height >> info.finfo.h_sub[first])
        stride, offset = layout.stride[number], layout.offset[number]
        length = width * pixel or GROUPS[info.finfo.name](width)
        rows = numpy.lib.stride_tricks.as_strided(
            data[offset:], (height, length), (stride, 1), writeable=False
        )
        planes.append(_without_fourth_byte(rows, pixel, info) if pixel > 1 else rows)
    return planes


GROUPS = {
    "IYU1": lambda width: width // 4 * 6,
    "UYVP": lambda width: width // 2 * 5,
    "v210": lambda width: width // 6 * 16,
    "NV16_10LE32": lambda width: width // 3 * 4,
}


def _without_fourth_byte(rows, pixel, info):
    """Of RGBx and the like: that byte says nothing."""
    rows = rows.reshape(rows.shape[0], -1, pixel)
    offsets = info.finfo.poffset[: info.finfo.n_components]
    if pixel == 4 and info.finfo.n_components == 3 and info.finfo.n_planes == 1:
        if info.finfo.w_sub[1] == 0:
            return rows[..., sorted(offsets)]
    return rows


def video_info(caps):
    return GstVideo.VideoInfo.new_from_caps(Gst.Caps.from_string(caps))


def videoconvert_formats():
    """The names of all formats that videoconvert takes, hence the element."""
    factory = Gst.ElementFactory.find("videoconvert")
    template = next(
        pad
        for pad in factory.get_static_pad_templates()
        if pad.direction == Gst.PadDirection.SINK
    )
    # PyGObject cannot read a GstValueList.
    listed = template.get_caps().get_structure(0).to_string()
    return re.search(r"format=\(string\)\{([^}]*)\}", listed).group(1).replace(",", " ").split()
