"""Attempts whose SYN was sent again: columns side by side, packets as objects only where somebody looks at them.

A scan of silent addresses sends a million SYNs of which nobody looks at more than a few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, overload

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves, address_text, endpoint_text
from backend.forensics.evidence.attempts.sent_syns import Bools, Followers, SentSyns
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place, Sightings
from backend.forensics.evidence.clocks.sorted_rows import distinct

Outcome = Literal["established", "refused", "unreachable", "unanswered"]
"""``refused``: RST; ``unreachable``: ICMP."""
OUTCOMES: Final[tuple[Outcome, ...]] = ("established", "refused", "unreachable", "unanswered")


@dataclass(frozen=True)
class Endpoint:
    """An address and a port, as the packet table holds them."""

    high: int
    low: int
    port: int

    def __str__(self) -> str:
        return endpoint_text(self.high, self.low, self.port)

    @property
    def words(self) -> tuple[int, int, int]:
        """As tables hold them: high, low, port."""
        return self.high, self.low, self.port

    @property
    def address(self) -> str:
        """Without the port."""
        return address_text(self.high, self.low)

    @property
    def host(self) -> str:
        """As it is printed before a port: ``192.0.2.1`` or ``[2001:db8::1]``."""
        address = self.address
        return f"[{address}]" if ":" in address else address

    @classmethod
    def of(cls, text: str) -> Endpoint:
        """From ``192.0.2.1:80`` or ``[2001:db8::1]:80``."""
        address, _, port = text.rpartition(":")
        return cls(*address_halves(address.strip("[]")), int(port))


@dataclass(frozen=True)
class Sighting:
    """One packet at one vantage point. `time_ns` is on the reference clock."""

    place: Place
    time_ns: int
    frame: int
    source: Endpoint
    destination: Endpoint
    ip_id: int
    timestamp_value: int
    network: int = 0
    """`Tunnel.network` of the packet there."""


@dataclass(frozen=True)
class Transmission:
    """One SYN put on the wire, at every vantage point that saw it, in path order."""

    sightings: tuple[Sighting, ...]

    @property
    def time_ns(self) -> int:
        return min(s.time_ns for s in self.sightings)

    @property
    def first(self) -> Sighting:
        return self.sightings[0]

    @property
    def last(self) -> Sighting:
        return self.sightings[-1]


class RetriedAttempt:
    """An attempt whose SYN was sent more than once: a row of `Retried`."""

    __slots__ = ("_all", "position")

    def __init__(self, retried: Retried, position: int) -> None:
        self._all = retried
        self.position = position

    @property
    def link(self) -> int:
        return int(self._all.link[self.position])

    @property
    def transmissions(self) -> tuple[Transmission, ...]:
        sent = self._all.sent
        numbers = range(int(sent.start[self.position]), int(sent.start[self.position + 1]))
        return tuple(self._all.transmission(number) for number in numbers)

    @property
    def answers(self) -> tuple[Sighting, ...]:
        """SYN-ACKs at every vantage point, by time."""
        return tuple(map(self._all.sighting, self._all.answers.of(self.position)))

    @property
    def replies(self) -> tuple[Sighting, ...]:
        """Bare ACKs and RSTs from the server before the connection opened, by time."""
        return tuple(map(self._all.sighting, self._all.replies.of(self.position)))

    @property
    def outcome(self) -> Outcome:
        return OUTCOMES[int(self._all.outcome[self.position])]

    @property
    def connect_delay_s(self) -> float | None:
        """Time of the SYN-ACK that was accepted minus the first SYN, None without one."""
        delay_s = float(self._all.connect_delay_s[self.position])
        return None if np.isnan(delay_s) else delay_s

    @property
    def client(self) -> Endpoint:
        return self._all.sighting(int(self._all.first_row[self.position])).source

    @property
    def server(self) -> Endpoint:
        return self._all.sighting(int(self._all.first_row[self.position])).destination

    @property
    def start_ns(self) -> int:
        return int(self._all.start_ns[self.position])

    @property
    def last_ns(self) -> int:
        """When its SYN was sent for the last time."""
        return int(self._all.last_ns[self.position])

    @property
    def waited_s(self) -> float:
        """Until the answer that was accepted; without one until the last SYN, which is the least it can have been."""
        delay_s = self.connect_delay_s
        return (self.last_ns - self.start_ns) / 1e9 if delay_s is None else delay_s


@dataclass(frozen=True, eq=False)
class Retried(Sequence[RetriedAttempt]):
    """All of them by start. Columns run beside one another; `row` is that of `Attempts.table`, `outcome` an index into
    OUTCOMES, `connect_delay_s` NaN without an accepted answer."""

    sightings: Sightings
    row: Ints
    link: Ints
    sent: SentSyns
    answers: Followers
    replies: Followers
    outcome: NDArray[np.int8]
    connect_delay_s: NDArray[np.float64]
    position_of_link: Ints
    """-1 for connections whose SYN was sent once."""
    _built: dict[int, Transmission] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.link)

    @overload
    def __getitem__(self, index: int) -> RetriedAttempt: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RetriedAttempt]: ...
    def __getitem__(self, index: int | slice) -> RetriedAttempt | Sequence[RetriedAttempt]:
        if isinstance(index, slice):
            return [RetriedAttempt(self, position) for position in range(len(self))[index]]
        return RetriedAttempt(self, range(len(self))[index])

    def __iter__(self) -> Iterator[RetriedAttempt]:
        return (RetriedAttempt(self, position) for position in range(len(self)))

    @cached_property
    def first_row(self) -> Ints:
        """Of `sightings.rows`: where the first SYN was seen first."""
        rows: Ints = self.sent.first_row[self.sent.start[:-1]]
        return rows

    @cached_property
    def start_ns(self) -> Ints:
        times: Ints = self.sent.time_ns[self.sent.start[:-1]]
        return times

    @cached_property
    def last_ns(self) -> Ints:
        times: Ints = self.sent.time_ns[self.sent.start[1:] - 1]
        return times

    @cached_property
    def syns(self) -> Ints:
        """Times that the SYN was sent."""
        return np.diff(self.sent.start)

    @cached_property
    def waited_s(self) -> NDArray[np.float64]:
        """`RetriedAttempt.waited_s` of each."""
        unanswered_s = (self.last_ns - self.start_ns) / 1e9
        return np.where(np.isnan(self.connect_delay_s), unanswered_s, self.connect_delay_s)

    def is_outcome(self, *outcomes: Outcome) -> Bools:
        """Which of them ended so."""
        return np.isin(self.outcome, [OUTCOMES.index(outcome) for outcome in outcomes])

    def of_link(self, link: int) -> RetriedAttempt | None:
        """The attempt of this connection, None when its SYN was sent once."""
        position = int(self.position_of_link[link]) if 0 <= link < len(self.position_of_link) else -1
        return self[position] if position >= 0 else None

    def transmission(self, number: int) -> Transmission:
        """One of `sent` with its packets."""
        if number not in self._built:
            rows = self.sent.rows[self.sent.row_start[number] : self.sent.row_start[number + 1]]
            self._built[number] = Transmission(tuple(self.sighting(row) for row in rows.tolist()))
        return self._built[number]

    def sighting(self, row: int) -> Sighting:
        """A row of `sightings` as an object."""
        seen = self.sightings
        high, low, port, to_high, to_low, to_port, frame, ip_id, stamp = (
            column.item(row) for column in self._packets
        )
        ends = Endpoint(high, low, port), Endpoint(to_high, to_low, to_port)
        place, network = seen.places[int(seen.place[row])], int(seen.network[row])
        return Sighting(place, int(seen.time_ns[row]), frame, *ends, ip_id, stamp, network)

    @cached_property
    def _packets(self) -> tuple[NDArray[Any], ...]:
        """The columns of packets that objects are made of. Records are not read for them: each read of one maps 64 KiB
        of their file, and some thousand packets all of it."""
        ends = [f"{end}_{part}" for end in ("source", "destination") for part in ("high", "low", "port")]
        return tuple(self.sightings.rows[name] for name in (*ends, "frame", "ip_id", "timestamp_value"))


@dataclass(frozen=True, eq=False)
class AttemptGroup(Sequence[RetriedAttempt]):
    """Some of them, by position."""

    retried: Retried
    positions: Ints

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, index: int) -> RetriedAttempt: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RetriedAttempt]: ...
    def __getitem__(self, index: int | slice) -> RetriedAttempt | Sequence[RetriedAttempt]:
        if isinstance(index, slice):
            return AttemptGroup(self.retried, self.positions[index])
        return self.retried[int(self.positions[index])]

    def __iter__(self) -> Iterator[RetriedAttempt]:
        return (RetriedAttempt(self.retried, position) for position in self.positions.tolist())

    @property
    def links(self) -> tuple[int, ...]:
        return tuple(np.sort(self.retried.link[self.positions]).tolist())

    @property
    def waited_s(self) -> NDArray[np.float64]:
        """`RetriedAttempt.waited_s` of each."""
        return self.retried.waited_s[self.positions]

    @property
    def span_s(self) -> NDArray[np.float64]:
        """From the first SYN of each to its last."""
        first_ns, last_ns = self.retried.start_ns[self.positions], self.retried.last_ns[self.positions]
        spans: NDArray[np.float64] = (last_ns - first_ns) / 1e9
        return spans

    @property
    def syns(self) -> int:
        return int(self.retried.syns[self.positions].sum())

    @property
    def clients(self) -> int:
        """Different source addresses."""
        return len(distinct(mix(*self._first_syns("source_high", "source_low"))))

    @property
    def servers(self) -> frozenset[str]:
        """The addresses and ports that clients named."""
        ends = set(zip(*(column.tolist() for column in self.asked), strict=True))
        return frozenset(endpoint_text(*end) for end in ends)

    @property
    def asked(self) -> list[NDArray[np.uint64]]:
        """Of each the server that the client named: address (high, low) and port, side by side."""
        return self._first_syns("destination_high", "destination_low", "destination_port")

    def _first_syns(self, *names: str) -> list[NDArray[np.uint64]]:
        """Columns of the packet that began each."""
        packets = self.retried.first_row[self.positions]
        return [self.retried.sightings.rows[name][packets] for name in names]
