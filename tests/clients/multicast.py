#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The rtspserversink developers
"""Multicast, as docs/scaling.md tells: a server and readers on machines of their own.

The machines are network namespaces, joined by a bridge that the test looks at.
"""

import collections
import json
import shlex
import socket
import threading
import time
import unittest

from guide import Guide
from privatenet import PrivateNetTestCase, enter_private_net, ip, on
from rtspsinktest import RTP_RATE, SMALL_VIDEO, Program, main, need, wait_until

SECTION = Guide("scaling.md").section("Multicast")
SERVER = "192.0.2.10"
URI = f"rtsp://{SERVER}:8554/test"
GROUP = "239.192.0.1"
PORT = 5000
TTL = 1
HOSTS = [f"reader{n}" for n in range(4)]
READERS_PER_HOST = 3
N_READERS = READERS_PER_HOST * len(HOSTS)
RATE = 30
N_UNITS = 4 * RATE
SILENCE = 1.0
DEADLINE = 60.0
ETH_P_ALL, ETH_P_IP = 0x0003, 0x0800
MAX_PACKET = 65536

Datagram = collections.namedtuple("Datagram", "ttl destination port payload")


class Wire(threading.Thread):
    """All UDP that a machine sends, seen at the bridge's end of its cable."""

    def __init__(self, interface):
        super().__init__(daemon=True)
        self.datagrams = []
        self.last_time = time.monotonic()
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
        # What the bridge takes is seen only by who wants all protocols.
        self._socket.bind((interface, ETH_P_ALL))
        self.start()

    def run(self):
        with self._socket:
            while True:
                try:
                    packet, (_, protocol, kind, *_) = self._socket.recvfrom(MAX_PACKET)
                except OSError:  # the cable is gone
                    return
                if protocol == ETH_P_IP and kind != socket.PACKET_OUTGOING:
                    self._take(packet)

    def _take(self, packet):
        """An IPv4 packet without options."""
        if packet[9] == socket.IPPROTO_UDP:
            destination = socket.inet_ntoa(packet[16:20])
            port = int.from_bytes(packet[22:24], "big")
            self.datagrams.append(Datagram(packet[8], destination, port, packet[28:]))
            self.last_time = time.monotonic()

    def rtp(self):
        return [d for d in self.datagrams if (d.destination, d.port) == (GROUP, PORT)]

    def is_silent(self):
        return time.monotonic() - self.last_time > SILENCE


class Multicast(PrivateNetTestCase):
    def setUp(self):
        self.add_bridge("bridge")
        self.add_host("server", SERVER + "/24", "bridge")
        for number, host in enumerate(HOSTS):
            self.add_host(host, f"192.0.2.{101 + number}/24", "bridge")
        self.serve_line, self.record, self.show = SECTION.commands()

    def start_server(self, more=""):
        program, _, line = self.serve_line.partition(" ")
        self.assertEqual(program, "gst-launch-1.0")
        with on("server"):
            self.server = self.serve(f"{line} {more}")

    def start_reader(self, host, **options):
        with on(host):
            return self.start_viewer(URI, **options)

    def check_view(self, view):
        """Units by their number and by the time that they are of."""
        span = (view.units[-1].rtp - view.units[0].rtp) % 2**32
        expected = span * RATE / RTP_RATE + 1
        whole = [unit for unit in view.units if not unit.damaged]
        self.assertGreaterEqual(len(whole), 0.95 * expected)
        self.assertEqual(view.transport["destination"], GROUP)
        self.assertEqual(view.transport["port"], f"{PORT}-{PORT + 1}")
        self.assertEqual(view.transport["ttl"], str(TTL))

    def check_wire(self, wire, views):
        self.assertEqual({d.destination for d in wire.datagrams}, {GROUP})
        self.assertEqual({d.ttl for d in wire.datagrams}, {TTL})
        sent = [d.payload for d in wire.rtp()]
        self.assertGreaterEqual(len(sent), max(view.end["packets"] for view in views))
        # Each packet has a number of its own: equal ones are copies.
        self.assertEqual(len(set(sent)), len(sent))

    def test_readers_share_one_copy(self):
        self.start_server()
        wire = Wire("server")
        readers = [
            self.start_reader(host, multicast=True, frames=N_UNITS, teardown=True)
            for host in HOSTS
            for _ in range(READERS_PER_HOST)
        ]
        views = [reader.check(DEADLINE).view() for reader in readers]
        for view in views:
            self.check_view(view)
        self.check_wire(wire, views)
        self.assertEqual(self.server.message_count("rtspserversink-viewer-added"), N_READERS)
        wait_until(wire.is_silent, DEADLINE, "the server to be silent when all have left")

    def test_readers_come_and_go_beside_one_that_stays(self):
        self.start_server()
        steady = self.start_reader(HOSTS[0], multicast=True)
        steady.wait_line("^au ")
        for number in range(6):
            teardown = number % 3 == 0
            self.start_reader(
                HOSTS[number % 2], multicast=True, frames=10, teardown=teardown
            ).check()
        self.check_view(steady.view())
        self.assertLess(steady.view().longest_gap(), 1)
        self.assertTrue(steady.alive())

    def test_readers_that_join_soon_one_after_another_see_a_key_unit(self):
        self.start_server("key-unit-interval=60000")
        for host in 2 * HOSTS:
            self.start_reader(host, multicast=True).wait_line("^au .*key=1")

    def test_reader_pauses_and_plays(self):
        self.start_server()
        reader = self.start_reader(HOSTS[0], multicast=True, pause="0.5:0.5", frames=2 * RATE)
        self.assertEqual(len(reader.check().view().units), 2 * RATE)

    def test_reader_that_reports_stays_silent_one_goes(self):
        self.start_server("session-timeout=1")
        reporting = self.start_reader(HOSTS[0], multicast=True, reports=1)
        silent = self.start_reader(HOSTS[1], multicast=True)
        silent.wait_line("^eof", DEADLINE)
        self.server.wait_line("viewer-removed, .*192.0.2.102.*reason=.*timeout")
        n_units = len(reporting.view().units)
        reporting.wait_line("^au ", start=n_units + RATE)
        self.assertEqual(self.server.message_count("rtspserversink-viewer-removed"), 1)

    def test_reader_may_choose_unicast(self):
        self.start_server()
        readers = [
            self.start_reader(HOSTS[0], frames=RATE, **options)
            for options in ({"multicast": True}, {"udp": True}, {})
        ]
        for reader in readers:
            self.assertEqual(len(reader.check().view().units), RATE)

    def test_ffmpeg_records(self):
        need("ffmpeg", "ffprobe")
        self.start_server()
        directory = self.temporary_directory()
        words = shlex.split(self.record)
        with on(HOSTS[0]):
            self.run_program(["env", "-C", directory, *words]).check()
        entries = ["-count_packets", "-show_entries", "stream=nb_read_packets,duration"]
        with Program(
            ["ffprobe", "-v", "error", "-of", "json", *entries, f"{directory}/{words[-1]}"]
        ) as probe:
            probe.check()
            stream = json.loads(probe.out.text())["streams"][0]
        expected = float(stream["duration"]) * RATE
        self.assertGreater(expected, 2 * RATE)
        self.assertGreaterEqual(int(stream["nb_read_packets"]), 0.95 * expected)

    def test_rtspsrc_shows(self):
        self.start_server()
        words = shlex.split(self.show)
        words[words.index("autovideosink") :] = ["fakesink", f"num-buffers={RATE}"]
        with on(HOSTS[0]):
            self.run_program(words).check()

    def test_interface_is_chosen(self):
        """On a machine whose routes lead elsewhere."""
        self.add_bridge("elsewhere")
        self.add_cable("spare", "server", "eth1", "198.51.100.10/24", "elsewhere")
        ip("-netns server route change default dev eth1")
        self.start_server("multicast-iface=eth0")
        wire, other = Wire("server"), Wire("spare")
        reader = self.start_reader(HOSTS[0], multicast=True, frames=RATE)
        self.check_view(reader.check().view())
        self.assertGreater(len(wire.rtp()), RATE)
        self.assertEqual(other.datagrams, [])


    def test_ipv6_group_is_joined(self):
        for host, number in ("server", 10), (HOSTS[0], 101):
            ip(f"-netns {host} address add fd00::{number}/64 dev eth0 nodad")
        self.start_server("address=:: multicast-address-range=ff15::42")
        with on(HOSTS[0]):
            reader = self.start_viewer(
                "rtsp://[fd00::10]:8554/test", multicast=True, frames=RATE
            )
        self.assertEqual(reader.check().view().transport["destination"], "ff15::42")


class Off(PrivateNetTestCase):
    def test_multicast_not_asked_for_is_refused(self):
        """Reported: settings of multicast that have no effect. Off, it is refused."""
        server = self.serve("videotestsrc is-live=true ! " + SMALL_VIDEO)
        viewer = self.start_viewer(server.uri, multicast=True)
        self.assertEqual(viewer.wait(), 1)
        self.assertEqual(viewer.view().status["setup"], 461)

    def test_unknown_interface_is_an_error(self):
        line = "videotestsrc is-live=true ! rtspserversink protocols=udp-mcast+tcp port=0"
        server = self.serve(line + " multicast-iface=nowhere0", wait=False)
        server.wait_line("multicast-iface.*nowhere0", stream="err")


if __name__ == "__main__":
    enter_private_net()
    main()
