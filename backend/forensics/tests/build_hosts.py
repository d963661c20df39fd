"""Two hosts that capture the same traffic, each with a clock of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.packets import ACK, SYN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S

SERVER = "192.0.2.10:80"
WEAK = {"ip_id": 0, "timestamp_value": 0}


@dataclass(frozen=True)
class Link:
    """The way between the two hosts. Queues add up to `queue_ns` to the delay of a packet, most add little."""

    delay_ns: int = 200_000
    back_ns: int = 200_000
    queue_ns: int = 300_000
    nat: bool = False


@dataclass(frozen=True)
class Clock:
    """What the second host's clock shows: its time is ahead by `offset_ns` and gains `drift_ppm`; at `set_after_ns`
    it is set forward by `set_ns`."""

    offset_ns: int = 0
    drift_ppm: float = 0.0
    set_ns: int = 0
    set_after_ns: int = 0

    def shows(self, time_ns: int) -> int:
        """Its reading at a true time."""
        since = time_ns - T0_NS
        jump = self.set_ns if self.set_ns and since >= self.set_after_ns else 0
        return time_ns + self.offset_ns + round(self.drift_ppm * since / 1e6) + jump


class TwoHosts:
    """Connections from a client, seen in `client.pcap` at its host and in `server.pcap` at the server's."""

    def __init__(self, clock: Clock, link: Link | None = None, *, seed: int = 0, weak: bool = False) -> None:
        self.clock, self.link, self.weak = clock, link or Link(), weak
        self.near = CaptureBuilder("client.pcap", ("eth0",))
        self.far = CaptureBuilder("server.pcap", ("ens5",))
        self._random = np.random.default_rng(seed)
        self._isn = 1

    def captures(self) -> list[Capture]:
        """Both, decoded."""
        return [self.near.build(), self.far.build()]

    def traffic(self, connections: int, duration_ns: int = 60 * S, *, answered: bool = True) -> None:
        """Connections spread evenly over the time."""
        for number in range(connections):
            self.connect(T0_NS + number * duration_ns // connections, answered=answered)

    def connect(self, time_ns: int, *, answered: bool = True, held_ns: int = 0) -> None:
        """One connection; its SYN waits `held_ns` in a queue on the way."""
        isn = self._next_isn()
        arrival_ns = self.syn(time_ns, isn, held_ns=held_ns)
        if answered:
            self.answer(arrival_ns + 50_000, isn)

    def syn(self, time_ns: int, isn: int, *, held_ns: int = 0, arrives: bool = True, **columns: int) -> int:
        """One SYN at both ends; gives the time of its arrival."""
        marks = {"ip_id": isn % 60_000 + time_ns // MS % 5_000 + 1, "timestamp_value": time_ns // MS % 2**31}
        row = {"tcp_flags": SYN, "sequence": isn, "options_hash": 77} | marks | (WEAK if self.weak else {})
        source, outer = self._ends(isn)
        self.near.packet("eth0", time_ns, source, SERVER, **(row | columns))
        arrival_ns = time_ns + self.link.delay_ns + held_ns + self._queue()
        if arrives:
            self.far.packet("ens5", self.clock.shows(arrival_ns), outer, SERVER, **(row | columns))
        return arrival_ns

    def answer(self, time_ns: int, isn: int) -> None:
        """The SYN-ACK, and the ACK for it."""
        source, outer = self._ends(isn)
        row = {"tcp_flags": SYN | ACK, "sequence": isn + 7, "acknowledgement": isn + 1}
        self.far.packet("ens5", self.clock.shows(time_ns), SERVER, outer, **row)
        arrival_ns = time_ns + self.link.back_ns + self._queue()
        self.near.packet("eth0", arrival_ns, SERVER, source, **row)
        row = {"tcp_flags": ACK, "sequence": isn + 1}
        self.near.packet("eth0", arrival_ns + 20_000, source, SERVER, **row)
        self.far.packet(
            "ens5", self.clock.shows(arrival_ns + 40_000 + self.link.delay_ns), outer, SERVER, **row
        )

    def _next_isn(self) -> int:
        self._isn += 7_919
        return self._isn

    def _ends(self, isn: int) -> tuple[str, str]:
        port = 20_000 + isn % 40_000
        source = f"10.0.0.1:{port}"
        return source, f"198.51.100.1:{60_000 - isn % 39_000}" if self.link.nat else source

    def _queue(self) -> int:
        return int(self.link.queue_ns * self._random.random() ** 3)
