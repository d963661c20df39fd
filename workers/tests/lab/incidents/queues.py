"""A shaper with a long queue, and what fills it."""

from __future__ import annotations

import socket
import struct
import threading
import time
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from workers.tests.lab.incident import EVERYTHING, Case, Lab, incident
from workers.tests.lab.programs import checksum, make_calls

if TYPE_CHECKING:
    from workers.tests.lab.hosts import Host

BURSTS = 4
BURST_EVERY_S = 2.0
DATAGRAM_BYTES = 1400
DISCARD_PORT = 9
RUN_S = 9.0
PING_EVERY_S = 0.01
ECHOES = round(RUN_S / PING_EVERY_S)
IDENT = 0x2A17


def _ping(host: Host, address: str) -> list[float]:
    """An echo every 10 ms, as `ping -i 0.01` sends them; the round trips in ms as the program measures them."""
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as raw:
        raw.settimeout(3)
        sending = host.start(_send_echoes, raw, address)
        found: list[float] = []
        while len(found) < ECHOES:
            try:
                packet = raw.recv(2048)
            except TimeoutError:
                break
            kind, _, _, ident, _, sent_s = struct.unpack_from("!BBHHHd", packet, 20)
            if (kind, ident) == (0, IDENT):
                found.append((time.monotonic() - sent_s) * 1000)
        sending.result()
    return found


def _send_echoes(raw: socket.socket, address: str) -> None:
    start = time.monotonic()
    for number in range(ECHOES):
        time.sleep(max(0, start + number * PING_EVERY_S - time.monotonic()))
        head = struct.pack("!BBHHHd", 8, 0, 0, IDENT, number, time.monotonic())
        raw.sendto(head[:2] + struct.pack("!H", checksum(head)) + head[4:], (address, 0))


def _send_bursts(address: str, rate_mbit: float, datagrams: int) -> None:
    """Every two seconds that many datagrams at this rate, as a camera or a log shipper sends them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        start = time.monotonic() + 0.7
        for burst in range(BURSTS):
            for number in range(datagrams):
                due = start + burst * BURST_EVERY_S + number * DATAGRAM_BYTES * 8 / (rate_mbit * 1e6)
                time.sleep(max(0, due - time.monotonic()))
                sender.sendto(b"b" * DATAGRAM_BYTES, (address, DISCARD_PORT))


def _receive(ready: threading.Event) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("", DISCARD_PORT))
        ready.set()
        while True:
            receiver.recv(2048)


def _run(lab: Lab, shaped: bool) -> None:
    """Bursts of one pod fill the queue while echoes and small calls of the other use the same link."""
    star = lab.star()
    star.serve()
    ready = threading.Event()
    star.servers[0].start(_receive, ready)
    ready.wait(30)
    rate_mbit, longest_s = lab.random.randrange(15, 40), lab.random.uniform(0.3, 0.6)
    queue_bytes = rate_mbit * 1e6 / 8 * longest_s
    if shaped:
        shaper = f"rate {rate_mbit}mbit burst 6kb limit {round(4 * queue_bytes)}"
        star.node.run("tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *shaper.split())
    # At twice the rate, half of what comes stays in the queue.
    burst = 2 * rate_mbit, round(2 * queue_bytes / DATAGRAM_BYTES)
    small = [replace(call, client=star.pods[0]) for call in star.calls(80, RUN_S - 1)]
    with lab.recorded(star):
        pinged = star.pods[0].start(_ping, star.pods[0], star.server_addresses[0])
        sent = star.pods[1].start(_send_bursts, star.server_addresses[0], *burst)
        lab.calls = make_calls(small)
        times = pinged.result()
        sent.result()
    lab.truth |= {
        "rate_mbit": rate_mbit,
        "burst_datagrams": burst[1],
        "echo_ms": {"max": max(times), "median": median(times), "answered": len(times)},
        "shaper": star.node.run("tc", "-s", "qdisc", "show", "dev", "eth0"),
    }


@incident(
    "queue-buildup",
    "queue-buildup",
    "bursts fill the long queue of a shaper; echoes and small calls wait behind",
)
def queue_buildup(lab: Lab) -> list[Case]:
    """tbf keeps what exceeds its rate: nothing is lost, everything is late."""
    _run(lab, shaped=True)
    queue = ("queue-buildup",)
    return [
        Case("all", EVERYTHING, queue, (), 0.5),
        Case("client", ("pod0.pcap",), queue, (), 0.5),
        Case("node", ("node.pcap",), allowed=queue),
        Case("server", ("server0.pcap",)),
    ]


@incident("queue-none", None, "twin of queue-buildup: the same bursts, calls and echoes without a shaper")
def queue_none(lab: Lab) -> list[Case]:
    """The link is faster than its senders."""
    _run(lab, shaped=False)
    return [Case("all", EVERYTHING), Case("client", ("pod0.pcap",)), Case("node", ("node.pcap",))]
