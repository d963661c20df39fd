"""A cable that a program carries frames over: late, or as they left their sender's kernel."""

from __future__ import annotations

import multiprocessing
import select
import socket
import time
from collections import deque
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from random import Random
from typing import TYPE_CHECKING

from workers.tests.lab import held
from workers.tests.lab.hosts import Host, add_host, connect
from workers.tests.lab.star import Star, cable_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ETH_P_ALL = 3
TCP = 6
PACKET_OUTGOING = 4
LONGEST_FRAME = 65_600
ATTACHED_S = 30
LEAF, HUB = "leaf", "hub"
"""Both ends of a wire."""


def wire_of_pod(star: Star, number: int) -> Host:
    """Put a host into a pod's cable; `carry` lets frames pass again."""
    return _cut(star.node, "cni0", cable_of(star.pod_addresses[number]))


def wire_of_server(star: Star, number: int) -> Host:
    """Put a host into a server's cable; `carry` lets frames pass again."""
    return _cut(star.router, "lan", cable_of(star.server_addresses[number]))


def _cut(hub: Host, bridge: str, cable: str) -> Host:
    wire = add_host(f"wire-{cable}", "wire")
    hub.ip(f"link set {cable} down", f"link set {cable} netns {wire.name} name {LEAF}")
    wire.ip(f"link set {LEAF} up")
    connect(wire, HUB, hub, cable)
    hub.ip(f"link set {cable} master {bridge}")
    return wire


def compute_checksums(hosts: Iterable[tuple[Host, str]]) -> None:
    """Let the kernel of each (host, interface) fill in its checksums, as what passes a wire needs it."""
    for host, interface in hosts:
        host.run("ethtool", "-K", interface, "tx", "off")


@dataclass(frozen=True)
class Pauses:
    """The wire stops again and again: nothing passes meanwhile, in either direction."""

    every_s: float
    """Half to one and a half of it from one pause to the next."""
    longest_s: float
    """A third of it to all of it."""


def carry(
    wire: Host,
    delay_s: float = 0,
    jitter_s: float = 0,
    seed: int = 0,
    pauses: Pauses | None = None,
    loss_ratio: float = 0,
    flips_every: int = 0,
) -> None:
    """Copy every frame between both ends, each so much later, in order; returns when it runs. It logs how long the
    machine held it. Of one TCP segment with data in `flips_every` from the hub a bit of the payload is flipped.

    Frames come from a packet socket, so that a checksum which the sender's kernel left to its card is not filled in:
    the receiver gets the sum over the pseudo header alone, as behind a virtual card that does not complete it."""
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    plan = _Plan((delay_s, jitter_s), seed, pauses, loss_ratio, flips_every)
    copier = context.Process(target=_copy, args=(wire, plan, ready), daemon=True)
    copier.start()
    if not ready.wait(ATTACHED_S):
        raise RuntimeError(f"nothing carries frames in {wire.name}")


@dataclass(frozen=True)
class _Plan:
    delay_s: tuple[float, float]
    seed: int
    pauses: Pauses | None
    loss_ratio: float
    """Of all frames, in either direction."""
    flips_every: int

    def pause_times(self) -> Iterator[tuple[float, float]]:
        """(when it begins by the monotonic clock, its length in seconds); the last begins never."""
        random, at = Random(self.seed + 1), time.monotonic()
        while self.pauses is not None:
            at += random.uniform(0.5, 1.5) * self.pauses.every_s
            yield at, random.uniform(1 / 3, 1) * self.pauses.longest_s
        yield float("inf"), 0.0


def _copy(wire: Host, plan: _Plan, ready: Event) -> None:
    wire.enter()
    sockets = [_attached(interface) for interface in (LEAF, HUB)]
    onward = {sockets[0]: sockets[1], sockets[1]: sockets[0]}
    waiting: dict[socket.socket, deque[tuple[float, bytes]]] = {each: deque() for each in sockets}
    random, pauses = Random(plan.seed), plan.pause_times()
    pause_at, pause_s = next(pauses)
    ready.set()
    beat = held.log.beat(wire.name)
    while True:  # until the namespaces end
        beat.around()
        if time.monotonic() >= pause_at:
            time.sleep(pause_s)
            beat.around(pause_s)
            pause_at, pause_s = next(pauses)
        due = min((queue[0][0] for queue in waiting.values() if queue), default=pause_at)
        due = min(due, pause_at, time.monotonic() + held.BEAT_S)
        readable, _, _ = select.select(sockets, [], [], max(0, due - time.monotonic()))
        for each in readable:
            frame, address = each.recvfrom(LONGEST_FRAME)
            if address[2] != PACKET_OUTGOING and random.random() >= plan.loss_ratio:
                if plan.flips_every and each is sockets[1]:
                    frame = _flipped(frame, random, plan.flips_every)
                queue = waiting[onward[each]]
                at = time.monotonic() + plan.delay_s[0] + random.uniform(0, plan.delay_s[1])
                # A later frame does not overtake.
                queue.append((max(at, queue[-1][0]) if queue else at, frame))
        now = time.monotonic()
        for out, queue in waiting.items():
            while queue and queue[0][0] <= now:
                out.send(queue.popleft()[1])


def _flipped(frame: bytes, random: Random, every: int) -> bytes:
    """The frame, or where it is a TCP segment over IPv4 with data sometimes one with another last bit."""
    header = 14 + 4 * (frame[14] & 15)
    if frame[12:14] != b"\x08\x00" or frame[23] != TCP or len(frame) < header + 20:
        return frame
    end, data = 14 + int.from_bytes(frame[16:18]), header + 4 * (frame[header + 12] >> 4)
    if end > len(frame) or end <= data or random.randrange(every):
        return frame
    return frame[: end - 1] + bytes([frame[end - 1] ^ 1]) + frame[end:]


def _attached(interface: str) -> socket.socket:
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    raw.bind((interface, 0))
    return raw
