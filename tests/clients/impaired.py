#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Viewers behind bad networks, and ones whose machine is gone: nobody else feels it.

The machines are network namespaces, joined by a bridge.
"""

import collections
import contextlib
import pathlib
import random
import re
import select
import socket
import threading
import time

from privatenet import PrivateNetTestCase, enter_private_net, ip, on
from rtspsinktest import RTP_RATE, main, wait_until

SERVER = "192.0.2.10"
URI = f"rtsp://{SERVER}:8554/test"
RATE = 25
# Noise does not compress: the encoder sends what it may.
SOURCE = (
    "videotestsrc is-live=true pattern=snow "
    f"! video/x-raw,format=I420,width=320,height=240,framerate={RATE}/1"
)
LINE = SOURCE + " ! rtspserversink key-unit-interval=600000 bitrate=8000000"
RAW_LINE = (
    f"videotestsrc is-live=true ! video/x-raw,format=I420,width=160,height=120,"
    f"framerate={RATE}/1 ! rtspserversink codec=raw"
)
FRAME = 1 / RATE
# Other programs use the machine, too.
NOISE = 0.25
DEADLINE = 60.0
ETH_P_ALL = 0x0003


class BadCable(threading.Thread):
    """Carries frames from one interface to another, late, and loses some.

    A kernel may have no netem; this needs nothing of it.
    """

    SOL_PACKET = 263
    PACKET_VNET_HDR = 15
    MAX_FRAME = 2**17
    # Of a burst nothing is lost but what is meant to be.
    BUFFER = 2**24
    SO_RCVBUFFORCE = 33

    def __init__(self, source, destination, delay, loss):
        super().__init__(daemon=True)
        self._source = self._open(source)
        self._destination = self._open(destination)
        self._delay = delay
        self._loss = loss
        self._chance = random.Random(1)
        self.start()

    def _open(self, interface):
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        # With each frame comes what the kernel leaves to a network card: sums, cutting.
        opened.setsockopt(self.SOL_PACKET, self.PACKET_VNET_HDR, 1)
        opened.setsockopt(socket.SOL_SOCKET, self.SO_RCVBUFFORCE, self.BUFFER)
        opened.bind((interface, ETH_P_ALL))
        return opened

    def run(self):
        waiting = collections.deque()
        with self._source, self._destination, contextlib.suppress(OSError):
            # Until the interface is gone.
            while True:
                self._take(waiting)
                while waiting and waiting[0][0] <= time.monotonic():
                    self._destination.send(waiting.popleft()[1])

    def _take(self, waiting):
        left = waiting[0][0] - time.monotonic() if waiting else 1
        if not select.select([self._source], [], [], max(left, 0))[0]:
            return
        frame, (_, _, kind, *_) = self._source.recvfrom(self.MAX_FRAME)
        if kind != socket.PACKET_OUTGOING and self._chance.random() >= self._loss:
            waiting.append((time.monotonic() + self._delay, frame))


class Impaired(PrivateNetTestCase):
    def setUp(self):
        self.add_bridge("bridge")
        self.add_host("server", SERVER + "/24", "bridge")
        self.add_host("near", "192.0.2.20/24", "bridge")

    def add_far_host(self, number, mtu=None):
        name = f"far{number}"
        self.add_host(name, f"192.0.2.{100 + number}/24", "bridge")
        return name

    def start_server(self, options, line=LINE):
        with on("server"):
            self.server = self.serve(f"{line} {options}")

    def start_reader(self, host, **options):
        with on(host):
            return self.start_viewer(URI, reports=1, **options)

    def start_steady_readers(self):
        readers = [self.start_reader("near", udp=udp) for udp in (True, False)]
        for reader in readers:
            reader.wait_line("^au ")
        return readers

    def check_steady(self, readers, least):
        for reader in readers:
            self.assertTrue(reader.alive(), reader.describe())
            view = reader.view()
            self.check_whole(view, reader)
            self.assertGreater(len(view.units), least)
            self.assertLess(view.longest_gap(), 3 * FRAME + NOISE, reader.args)
            missing = sum(view.rtp_steps()) / (RTP_RATE / RATE) + 1 - len(view.units)
            self.assertLessEqual(missing, 2 + 0.01 * len(view.units), reader.args)

    def check_whole(self, view, reader):
        """All sequence numbers, one after the other."""
        for before, after in zip(view.units, view.units[1:]):
            self.assertEqual(after.first_seq, (before.last_seq + 1) % 2**16, reader.args)
        self.assertEqual([unit for unit in view.units if unit.damaged], [])

    def add_bad_host(self, delay, loss):
        """A host that is reached through cables that are bad in both directions."""
        self.add_bridge("badbridge")
        for here, there, bridge in ("left", "leftend", "bridge"), ("right", "rightend", "badbridge"):
            ip(f"link add {here} type veth peer name {there}")
            self.addCleanup(ip, f"link delete {here}")
            # A cable carries packets, not the runs that a network card would cut.
            ip(f"link set {here} gso_max_segs 1 up master {bridge}")
            ip(f"link set {there} up")
        self.add_host("bad", "192.0.2.30/24", "badbridge")
        BadCable("leftend", "rightend", delay, loss)
        BadCable("rightend", "leftend", delay, loss)
        return "bad"


class BadNetwork(Impaired):
    def watch_beside(self, options, line=LINE):
        self.start_server(options, line)
        steady = self.start_steady_readers()
        far = self.add_bad_host(0.1, 0.05)
        bad = [self.start_reader(far, udp=udp, timeout=30) for udp in (True, False)]
        for reader in bad:
            reader.wait_line("^au ", DEADLINE)
        for reader in steady:
            reader.wait_line("^au ", DEADLINE, start=len(reader.out.lines) + 5 * RATE)
        self.check_steady(steady, 5 * RATE)
        for reader in bad:
            self.assertTrue(reader.alive(), reader.describe())
        return [reader.view() for reader in bad]

    def check_lossy(self, udp, tcp):
        self.assertTrue(udp.units[0].key or udp.units[0].damaged)
        self.assertTrue(tcp.units[0].key)
        for before, after in zip(tcp.units, tcp.units[1:]):
            self.assertEqual(after.first_seq, (before.last_seq + 1) % 2**16)
        self.assertEqual([step for step in tcp.rtp_steps() if step <= 0], [])

    def test_slow_lossy_viewers_beside_others(self):
        self.check_lossy(*self.watch_beside("shared=false"))

    def test_slow_lossy_viewers_of_the_same_media(self):
        self.check_lossy(*self.watch_beside("shared=true"))

    def test_slow_lossy_viewers_of_the_same_raw_media(self):
        self.check_lossy(*self.watch_beside("shared=true", RAW_LINE))


class Vanished(Impaired):
    """A cable is pulled: no FIN, no answer to who asks for the address."""

    def vanish(self, options, n_hosts, line=LINE):
        self.set_unresolved_queue()
        self.start_server(options, line)
        hosts = [self.add_far_host(1 + number) for number in range(n_hosts)]
        steady = self.start_steady_readers()
        gone = [self.start_reader(h, udp=udp) for h in hosts for udp in (True, False)]
        # Until all answers are acknowledged.
        for reader in gone:
            reader.wait_line("^au ", start=RATE)
        for host in hosts:
            ip(f"link set {host} down")
        # The server forgets at once, as it does by itself after a minute.
        ip("-netns server neighbour flush dev eth0 to 192.0.2.96/28")
        self.time = time.monotonic()
        return steady

    def set_unresolved_queue(self):
        """What waits for a neighbour's address may fill half of a send buffer.

        So it is with the kernel's defaults, but a machine may allow larger buffers.
        """
        largest = int(pathlib.Path("/proc/sys/net/core/wmem_max").read_text())
        queue = "net.ipv4.neigh.eth0.unres_qlen_bytes"
        ip(f"netns exec server sysctl -q -w {queue}={largest}")

    def wait_removed(self, n, reason, timeout):
        pattern = re.compile(rf"viewer-removed, .*reason=.*{reason}")

        def all_are():
            return sum(bool(pattern.search(line)) for line in self.server.out.lines) >= n

        try:
            wait_until(all_are, timeout, f"{n} viewers to be removed: {reason}")
        except AssertionError as error:
            self.server.fail(error)

    def check_vanished(self, options, n_hosts, line=LINE):
        more = " session-timeout=2 viewer-stall-timeout=3000"
        steady = self.vanish(options + more, n_hosts, line)
        self.wait_removed(n_hosts, "slow", 3 + 5)
        self.wait_removed(n_hosts, "timeout", 2 + 15 + 3 - (time.monotonic() - self.time))
        self.check_steady(steady, 10 * RATE)
        self.assertEqual(
            self.server.message_count("rtspserversink-viewer-removed"), 2 * n_hosts
        )

    def test_machine_vanishes_beside_others(self):
        self.check_vanished("shared=false", 1)

    def test_machines_vanish_with_viewers_of_the_same_media(self):
        self.check_vanished("shared=true", 4)

    def test_machines_vanish_with_viewers_of_the_same_raw_media(self):
        self.check_vanished("shared=true", 3, RAW_LINE)


class SmallPackets(Impaired):
    def test_path_that_takes_only_small_packets(self):
        """The kernel can not cut there what is handed to it in one piece."""
        self.start_server("shared=true")
        ip("-netns server link set eth0 mtu 1280")
        steady = self.start_steady_readers()
        steady[0].wait_line("^au ", start=3 * RATE)
        self.check_steady(steady, 2 * RATE)


if __name__ == "__main__":
    enter_private_net()
    main()
