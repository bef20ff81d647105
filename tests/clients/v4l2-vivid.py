#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Proves that a V4L2 camera ends in an RTSP endpoint by naming rtspserversink.

    v4l2src ! video/x-raw,... ! videoconvert ! rtspserversink port=8554 mount=/test

The camera is the kernel's vivid driver. Few machines that run tests have it or may
load it, so it runs in a virtual machine (QEMU, emulated, no KVM) with Debian's
kernel, whose root file system is this machine's, read-only. v4l2src there meets a
real /dev/video0: the driver's buffer pool, its formats, its pace. The
viewers are ffprobe and ffmpeg on this side, over TCP: the stream is H.264 4:2:0 of
the camera's size, the pictures show vivid's colour bars and counters, they move, and
they are clean from the first one on.

Usage: v4l2-vivid.py DIRECTORY-OF-THE-PLUGIN

The kernel package is fetched once, into $VIVID_KERNEL_CACHE or else the user's
cache directory. Exit status 0: proven; 1: not, and the reason stands on stderr.
"""

import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

WIDTH, HEIGHT = 640, 360
FRAMES = 30
MOUNT = "/test"
GUEST_PORT = 8554

PIPELINE = (
    f"v4l2src ! video/x-raw,width={WIDTH},height={HEIGHT} ! videoconvert "
    f"! rtspserversink port={GUEST_PORT} mount={MOUNT}"
)

LAUNCH = ["gst-launch-1.0", "--no-position"]

# Deadlines in seconds. An emulated machine on a busy host is slow; a good run needs
# a tenth of each.
FETCH_DEADLINE = 300
TOOL_DEADLINE = 120
BOOT_DEADLINE = 180
SERVE_DEADLINE = 120
VIEWER_DEADLINE = 120

PACKAGE_OF_TOOL = {
    "apt-cache": "apt",
    "apt-get": "apt",
    "busybox": "busybox-static",
    "depmod": "kmod",
    "dpkg": "dpkg",
    "ffmpeg": "ffmpeg",
    "ffprobe": "ffmpeg",
    "gst-inspect-1.0": "gstreamer1.0-tools",
    "gst-launch-1.0": "gstreamer1.0-tools",
    "modprobe": "kmod",
    "qemu-system-x86_64": "qemu-system-x86",
    "setpriv": "util-linux",
}

# One camera with one input of type webcam, no other vivid device.
MODULES = {
    "virtio_pci": "",
    "9pnet_virtio": "",
    "9p": "",
    "overlay": "",
    "virtio_net": "",
    "vivid": "n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0",
}

GUEST_ENVIRONMENT = {
    "G_DEBUG": "fatal-criticals",
    "GST_DEBUG": "1,rtspserversink*:4",
    "GST_DEBUG_NO_COLOR": "1",
    "GST_REGISTRY": "/vivid-registry.bin",
    "GST_REGISTRY_UPDATE": "no",
    "HOME": "/root",
    "LC_ALL": "C",
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
}

TERMINAL_CODE = re.compile(r"\x1b(\[[0-9;=?]*[A-Za-z]|c)")
STARTED = time.monotonic()


class Failure(Exception):
    """What went wrong, as a sentence for the person who reads the test's log."""


def say(text):
    print(f"[{time.monotonic() - STARTED:5.1f} s] {text}", flush=True)


def run(command, deadline=TOOL_DEADLINE, must_be_silent=False, **options):
    """Run a tool to its end and return what it wrote, bytes."""
    try:
        done = subprocess.run(
            command, timeout=deadline, check=True, capture_output=True, **options
        )
    except subprocess.TimeoutExpired as late:
        raise Failure(
            f"'{shlex.join(command)}' did not end within {deadline} s; "
            f"stderr: {text_of(late.stderr)}"
        ) from None
    except subprocess.CalledProcessError as failed:
        raise Failure(
            f"'{shlex.join(command)}' failed with status {failed.returncode}; "
            f"stderr: {text_of(failed.stderr)}"
        ) from None
    if must_be_silent and done.stderr:
        raise Failure(f"'{shlex.join(command)}' complained: {text_of(done.stderr)}")
    return done.stdout


def text_of(output):
    return (output or b"").decode(errors="replace").strip() or "(empty)"


# --- what must be there -------------------------------------------------------------


def check_tools():
    missing = sorted(tool for tool in PACKAGE_OF_TOOL if not shutil.which(tool))
    if missing:
        packages = sorted({PACKAGE_OF_TOOL[tool] for tool in missing})
        raise Failure(
            f"{', '.join(missing)} not found: install {' '.join(packages)}"
        )
    # ldd fails on a static program, and only a static one runs before any library.
    busybox = shutil.which("busybox")
    if subprocess.run(["ldd", busybox], capture_output=True).returncode == 0:
        raise Failure("busybox is not static: install busybox-static")


def write_registry(plugins, registry):
    """Let GStreamer scan here: in the emulated machine it takes 40 s."""
    if not (plugins / "libgstrtspserversink.so").is_file():
        raise Failure(f"no libgstrtspserversink.so in '{plugins}': build it first")
    env = {**os.environ, "GST_PLUGIN_PATH": str(plugins), "GST_REGISTRY": str(registry)}
    for element in "rtspserversink", "v4l2src", "videoconvert":
        run(["gst-inspect-1.0", element], env=env)


# --- kernel -------------------------------------------------------------------------


def cache_directory():
    user_cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    default = pathlib.Path(user_cache) / "rtspserversink-vivid"
    return pathlib.Path(os.environ.get("VIVID_KERNEL_CACHE") or default)


def kernel_package():
    listed = run(
        ["apt-cache", "depends", "linux-image-amd64"], env={**os.environ, "LC_ALL": "C"}
    )
    found = re.search(r"Depends: (linux-image-\S+)", listed.decode())
    if not found:
        raise Failure("apt knows no kernel for linux-image-amd64: run apt-get update")
    return found[1]


def cached_kernel():
    """Directory with `vmlinuz` and `modules/`, fetched if it is not there yet."""
    package = kernel_package()
    cache = cache_directory()
    cache.mkdir(parents=True, exist_ok=True)
    # Part of the name, so that a changed list of modules finds no old directory.
    modules = hashlib.sha256(repr(MODULES).encode()).hexdigest()[:8]
    kernel = cache / f"{package}-{modules}"
    if not kernel.is_dir():
        say(f"fetching {package}")
        with tempfile.TemporaryDirectory(dir=cache, prefix="fetch-") as scratch:
            keep(fetch_kernel(package, pathlib.Path(scratch)), kernel)
    say(f"kernel: {package}")
    return kernel


def keep(fetched, kernel):
    """Rename, so that an interrupted or a second run never sees half a kernel."""
    try:
        fetched.rename(kernel)
    except OSError:
        if not kernel.is_dir():
            raise


def fetch_kernel(package, scratch):
    as_root = ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []
    run(["apt-get", *as_root, "download", package], FETCH_DEADLINE, cwd=scratch)
    tree = scratch / "tree"
    run(["dpkg", "-x", str(next(scratch.glob("*.deb"))), str(tree)])
    version = package.removeprefix("linux-image-")
    run(["depmod", "-b", str(tree), version])
    kernel = scratch / "kernel"
    (kernel / "modules").mkdir(parents=True)
    shutil.copy(tree / "boot" / f"vmlinuz-{version}", kernel / "vmlinuz")
    copy_modules(tree, version, kernel / "modules")
    return kernel


def copy_modules(tree, version, modules):
    """Copy what vivid and the mounts need; `order` lists it as insmod wants it."""
    order = {}
    for module, options in MODULES.items():
        command = ["modprobe", "-d", str(tree), "-S", version, "--show-depends", module]
        for line in run(command).decode().splitlines():
            if line.startswith("insmod "):
                order.setdefault(line.split()[1])
        order[line.split()[1]] = options
    for file in order:
        shutil.copy(file, modules)
    with open(modules / "order", "w", encoding="utf-8") as lines:
        for file, options in order.items():
            lines.write(f"{os.path.basename(file)} {options or ''}\n")


# --- guest --------------------------------------------------------------------------


def guest_command(plugins):
    variables = {**GUEST_ENVIRONMENT, "GST_PLUGIN_PATH": str(plugins)}
    settings = [f"{name}={value}" for name, value in variables.items()]
    return shlex.join(["env", "-i", *settings, *LAUNCH, *PIPELINE.split()])


def write_initramfs(kernel, plugins, work):
    """Pack init, busybox, modules, registry and the pipeline's command line."""
    tree = work / "initramfs"
    (tree / "bin").mkdir(parents=True)
    shutil.copy(pathlib.Path(__file__).with_name("v4l2-vivid-init.sh"), tree / "init")
    shutil.copy(shutil.which("busybox"), tree / "bin" / "busybox")
    (tree / "init").chmod(0o755)
    shutil.copytree(kernel / "modules", tree / "modules")
    write_registry(plugins, tree / "registry.bin")
    (tree / "pipeline").write_text(guest_command(plugins))
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    command = ["busybox", "cpio", "-o", "-H", "newc", "-R", "0:0"]
    packed = run(command, cwd=tree, input=names.encode())
    (work / "initramfs.cpio").write_bytes(packed)
    return work / "initramfs.cpio"


def free_port():
    """A port that is free now, below those that the kernel gives to others."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def qemu_command(kernel, initramfs, port):
    share = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
    forward = f"hostfwd=tcp:127.0.0.1:{port}-:{GUEST_PORT}"
    return [
        # QEMU dies with this process, however that ends.
        *["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64"],
        *["-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024"],
        *["-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio"],
        *["-virtfs", share],
        *["-nic", f"user,model=virtio-net-pci,restrict=on,{forward}"],
        *["-kernel", str(kernel / "vmlinuz"), "-initrd", str(initramfs)],
        *["-append", "console=ttyS0 loglevel=4 panic=-1 mitigations=off"],
    ]


class Guest:
    """The virtual machine: its process, and its console line by line."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        # Guards `lines` and `ended`.
        self.changed = threading.Condition()
        self.lines = []
        self.ended = False
        self.reader = threading.Thread(target=self._read_console, name="console")
        self.reader.start()

    def _read_console(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(TERMINAL_CODE.sub("", line.rstrip()))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def wait_for_line(self, text, deadline):
        def seen():
            return any(text in line for line in self.lines)

        with self.changed:
            self.changed.wait_for(lambda: seen() or self.ended, deadline)
            if seen():
                return
            if self.ended:
                raise Failure(f"the guest ended before its console said '{text}'")
        raise Failure(f"the guest's console did not say '{text}' within {deadline} s")

    def check_running(self, pause=0):
        """Fail if the guest has ended, or ends within the pause."""
        with self.changed:
            if self.changed.wait_for(lambda: self.ended, pause):
                raise Failure("the guest ended: its pipeline or its kernel failed")

    def tail(self, count=40):
        with self.changed:
            return "\n".join(self.lines[-count:]) or "(it said nothing)"

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()


# --- viewers ------------------------------------------------------------------------


def rtsp_status(port, method):
    """Status line of the answer, or why there is none."""
    request = f"{method} rtsp://127.0.0.1:{port}{MOUNT} RTSP/1.0\r\nCSeq: 1\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.sendall(request.encode())
            with connection.makefile("rb") as answer:
                return answer.readline(200).decode(errors="replace").strip() or "hang-up"
    except OSError as error:
        return f"no answer ({error})"


def wait_until_served(guest, port, method):
    """Ask until the answer is 200.

    QEMU takes the connection before anybody listens in the guest, and 503 is the
    server's right answer to DESCRIBE as long as no frame came.
    """
    deadline = time.monotonic() + SERVE_DEADLINE
    while not (status := rtsp_status(port, method)).startswith("RTSP/1.0 200 "):
        if status.startswith("RTSP/1.0 ") and " 503 " not in status:
            raise Failure(f"{method} was answered '{status}'")
        if time.monotonic() > deadline:
            raise Failure(f"{method} got no 200 in {SERVE_DEADLINE} s, last: '{status}'")
        guest.check_running(pause=0.2)
    say(f"{method}: {status}")


def check_format(url):
    printed = run(
        [
            *["ffprobe", "-v", "error", "-rtsp_transport", "tcp", "-of", "json"],
            *["-show_entries", "stream=codec_name,width,height,pix_fmt", url],
        ],
        VIEWER_DEADLINE,
        must_be_silent=True,
    )
    streams = json.loads(printed)["streams"]
    expected = dict(codec_name="h264", width=WIDTH, height=HEIGHT, pix_fmt="yuv420p")
    if streams != [expected]:
        raise Failure(f"ffprobe saw {streams}, expected [{expected}]")
    say(f"ffprobe: {streams[0]}")


def read_lumas(url):
    """Let ffmpeg decode frames; return the luma plane of each."""
    pixels = run(
        [
            *["ffmpeg", "-nostdin", "-v", "error", "-rtsp_transport", "tcp", "-i", url],
            *["-frames:v", str(FRAMES), "-fps_mode", "passthrough"],
            # Any regular times: else the output complains of two in one 25th second.
            *["-vf", "setpts=N/TB"],
            *["-pix_fmt", "yuv420p", "-f", "rawvideo", "-"],
        ],
        VIEWER_DEADLINE,
        must_be_silent=True,
    )
    size = WIDTH * HEIGHT * 3 // 2
    if len(pixels) != FRAMES * size:
        raise Failure(f"ffmpeg gave {len(pixels) / size:.2f} frames, expected {FRAMES}")
    return [pixels[at : at + WIDTH * HEIGHT] for at in range(0, len(pixels), size)]


def check_moving(lumas):
    """vivid counts its pictures in the upper left corner, so no two are alike."""
    still = [at for at in range(1, FRAMES) if lumas[at] == lumas[at - 1]]
    distinct = len(set(lumas))
    if still or distinct < FRAMES:
        raise Failure(
            f"{distinct} of {FRAMES} pictures are distinct; "
            f"those that repeat the one before: {still}"
        )
    say(f"ffmpeg: {distinct} of {FRAMES} pictures are distinct")


def check_clean(lumas):
    """Only the digits change: a broken picture or a late clean one changes more."""
    changed = [
        sum(abs(before - after) > 32 for before, after in zip(*pair))
        for pair in zip(lumas, lumas[1:])
    ]
    allowed = WIDTH * HEIGHT // 50
    if max(changed) > allowed:
        raise Failure(
            f"more than the digits changes from picture to picture: {changed} pixels, "
            f"allowed {allowed}"
        )
    say(f"pixels that change from picture to picture: {min(changed)} to {max(changed)}")


def check_bars(luma):
    """vivid's picture: eight upright bars, each darker than the one to its left."""
    row = luma[(HEIGHT * 3 // 4) * WIDTH :][:WIDTH]
    bars = [row[WIDTH * (2 * bar + 1) // 16] for bar in range(8)]
    if any(left <= right for left, right in zip(bars, bars[1:])):
        raise Failure(f"the picture is not vivid's colour bars: luma of the bars {bars}")
    say(f"luma of the eight bars: {bars}")


# --- test ---------------------------------------------------------------------------


def watch(guest, port):
    guest.wait_for_line("vivid-guest: pipeline starts", BOOT_DEADLINE)
    say("guest: pipeline starts")
    wait_until_served(guest, port, "OPTIONS")
    wait_until_served(guest, port, "DESCRIBE")
    url = f"rtsp://127.0.0.1:{port}{MOUNT}"
    check_format(url)
    lumas = read_lumas(url)
    check_moving(lumas)
    check_clean(lumas)
    check_bars(lumas[-1])
    guest.check_running()


def test(plugins, work):
    check_tools()
    kernel = cached_kernel()
    initramfs = write_initramfs(kernel, plugins, work)
    port = free_port()
    say(f"guest boots, its port {GUEST_PORT} is 127.0.0.1:{port}")
    guest = Guest(qemu_command(kernel, initramfs, port))
    try:
        watch(guest, port)
    except Failure as failure:
        console = f"--- end of the guest's console\n{guest.tail()}"
        raise Failure(f"{failure}\n{console}") from None
    finally:
        guest.end()


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} DIRECTORY-OF-THE-PLUGIN")
    # meson ends a late test with SIGTERM: leave by the finally clauses.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    # depmod and modprobe stand where a user's PATH often does not lead.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    with tempfile.TemporaryDirectory(prefix="v4l2-vivid-") as work:
        try:
            test(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(work))
        except (Failure, OSError) as failure:
            sys.exit(f"v4l2-vivid: FAILED: {failure}")
    say("passed")


if __name__ == "__main__":
    main()
