# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""A network, a table of mounts and a table of processes that only this test has.

Whatever the test does to them is gone with its process, even if that is killed: links,
addresses, routes, mounts, and programs that its programs have left behind. The machine's
own interfaces are not even visible. So a test can use the addresses, the ports and the
directories of a guide as they stand there.

    class Relay(PrivateNetTestCase): ...

    if __name__ == "__main__":
        enter_private_net()
        main()

Where the kernel does not allow it, the whole test is skipped. Root needs nothing more;
other users need unprivileged user namespaces, which Debian's kernel has.
"""

import contextlib
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from rtspsinktest import SKIPPED, SinkTestCase

_INSIDE = "RTSPSERVERSINK_PRIVATE_NET"
_UNSHARE = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
_DEADLINE = 20
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def enter_private_net():
    """Starts this program anew with namespaces of its own, once."""
    # nginx is there, and ip in older systems.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.environ.get(_INSIDE):
        # ip(8) keeps the names of network namespaces below /run.
        mount_empty("/run")
        ip("link set lo up")
        return
    command = list(_UNSHARE)
    if os.geteuid() != 0:
        command += ["--user", "--map-root-user"]
    # It makes a veth pair, since a kernel may have namespaces and no such interfaces.
    trial = "mount -t tmpfs tmpfs /run && ip link add veth0 type veth peer name veth1"
    tried = subprocess.run(
        [*command, "sh", "-c", trial], capture_output=True, text=True, timeout=_DEADLINE
    )
    if tried.returncode:
        print("skipped: no private network here:", tried.stderr.strip(), file=sys.stderr)
        sys.exit(SKIPPED)
    os.environ[_INSIDE] = "1"
    os.execvp(command[0], [*command, sys.executable, *sys.argv])


def _run(*words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=_DEADLINE)
    if done.returncode:
        raise AssertionError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def mount_empty(directory):
    """Hides a directory of the machine behind an empty one."""
    _run("mount", "-t", "tmpfs", "tmpfs", directory)


def mount_copy(directory):
    """Hides a directory of the machine behind a copy that may be changed."""
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(directory, copy, dirs_exist_ok=True)
        mount_empty(directory)
        shutil.copytree(copy, directory, dirs_exist_ok=True)
    return pathlib.Path(directory)


def ip(command):
    """`ip COMMAND`; returns what it prints."""
    return _run("ip", *command.split())


@contextlib.contextmanager
def on(host):
    """What this thread starts and opens within is on that host."""
    with open("/proc/thread-self/ns/net") as here, open("/run/netns/" + host) as there:
        _enter(there)
        try:
            yield
        finally:
            _enter(here)


def _enter(namespace):
    if _libc.setns(namespace.fileno(), _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


class PrivateNetTestCase(SinkTestCase):
    def add_network(self, *addresses):
        """One interface, joined to nothing, that has these addresses (with prefixes)."""
        ip("link add veth0 type veth peer name veth1")
        self.addCleanup(ip, "link delete veth0")
        for address in addresses:
            ip(f"address add {address} dev veth0")
        for name in "veth0", "veth1":
            ip(f"link set {name} up")

    def add_bridge(self, name):
        ip(f"link add {name} up type bridge")
        self.addCleanup(ip, f"link delete {name}")

    def add_host(self, name, address, bridge):
        """A network namespace whose first interface, eth0, is joined to the bridge.

        The bridge's end of the cable has the host's name.
        """
        ip(f"netns add {name}")
        self.addCleanup(ip, f"netns delete {name}")
        ip(f"-netns {name} link set lo up")
        self.add_cable(name, name, "eth0", address, bridge)
        ip(f"-netns {name} route add default dev eth0")

    def add_cable(self, name, host, interface, address, bridge):
        """One from a host to a bridge; the bridge's end has the name."""
        ip(f"link add {name} type veth peer name {interface} netns {host}")
        # A namespace does it too, some time after it was deleted.
        self.addCleanup(ip, f"link delete {name}")
        ip(f"link set {name} up master {bridge}")
        ip(f"-netns {host} address add {address} dev {interface}")
        ip(f"-netns {host} link set {interface} up")
