"""Signs of life: when hosts were heard, whatever they said, by somebody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.neighbor_answers import find_neighbor_answers
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.one_way import to_itself
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, taken

Frame = tuple[str, int]
"""(input, 1-based frame number)."""
Words = NDArray[np.uint64]

FRAMES_KEPT = 20
"""Frames that prove a sign of life: a few are enough."""
NEAR_NS = 10_000_000_000
"""A host that spoke longer afterwards may have come back meanwhile."""


@dataclass(frozen=True)
class Heard:
    """Frames in which one host was heard at some time."""

    frames: tuple[Frame, ...] = ()
    to_neighbors_only: bool = False
    """All of them are ARP replies or neighbor advertisements."""


@dataclass(frozen=True, eq=False)
class Life:
    """Signs of life by host and time; columns run beside one another. Times are on the reference clock."""

    host: Words
    """Keys of addresses (`matched_packets.mix`), sorted."""
    time_ns: Ints
    capture: Ints
    frame: Ints
    to_neighbor: Bools
    """An ARP reply or neighbor advertisement: its link is up, and no more is known."""
    names: tuple[str, ...]

    def near(self, host: int, first_ns: int, last_ns: int) -> Heard:
        """Frames of a host, by its key, from the first of these times until `NEAR_NS` after the second: what it said
        before it fell silent proves nothing."""
        key = np.uint64(host)
        low, end = int(np.searchsorted(self.host, key)), int(np.searchsorted(self.host, key, side="right"))
        times = self.time_ns[low:end]
        first, last = (
            int(np.searchsorted(times, first_ns)),
            int(np.searchsorted(times, last_ns + NEAR_NS, side="right")),
        )
        near = np.arange(low + first, low + last)
        packets = near[~self.to_neighbor[near]]
        chosen = (packets if len(packets) else near)[:FRAMES_KEPT].tolist()
        frames = tuple((self.names[int(self.capture[n])], int(self.frame[n])) for n in chosen)
        return Heard(frames, to_neighbors_only=bool(frames) and not len(packets))


def find_life(captures: Sequence[Capture], attempts: Attempts, lows: Words) -> Life:
    """Of hosts whose lower address halves are among `lows`: packets whose time is known (SYN, SYN-ACK, RST, ICMP
    error), the ends of connections in which nothing had to be sent again, and what hosts answered their neighbors."""
    seen = attempts.sightings
    of_place = np.array([place.capture for place in seen.places], np.int64)
    own = np.flatnonzero(
        np.isin(seen.rows["source_low"], lows) & ~to_itself(seen.rows, "source", "destination")
    )
    high, low, its_frame = (taken(seen.rows[name], own) for name in ("source_high", "source_low", "frame"))
    parts = [(mix(high, low), seen.time_ns[own], of_place[seen.place[own]], its_frame.astype(np.int64))]
    for number, capture in enumerate(captures):
        parts += _of_connections(number, capture, attempts, lows)
    answers = find_neighbor_answers(captures, attempts.clocks)
    parts.append((answers.host, answers.time_ns, answers.capture, answers.frame))
    host, time_ns, of, frame = (np.concatenate([part[n] for part in parts]) for n in range(4))
    to_neighbor = np.arange(len(host)) >= len(host) - len(answers.host)
    order = lexsort((time_ns, host))
    names = tuple(c.name for c in captures)
    return Life(host[order], time_ns[order], of[order], frame[order], to_neighbor[order], names)


def _of_connections(
    number: int, capture: Capture, attempts: Attempts, lows: Words
) -> list[tuple[Words, Ints, Ints, Ints]]:
    table, parts = capture.connections, []
    sound = (
        (table["data_retransmissions"] == 0) & (table["client_packets"] > 0) & (table["server_packets"] > 0)
    )
    sound &= ~to_itself(table, "client", "server")
    for end in ("server", "client"):
        its = np.flatnonzero(sound & np.isin(table[f"{end}_low"], lows))
        high, low, frame = (taken(table[name], its) for name in (f"{end}_high", f"{end}_low", "first_frame"))
        host, where = mix(high, low), np.full(len(its), number, np.int64)
        for time in ("first_ns", "last_ns"):
            common = attempts.clocks.on_reference(number, taken(table[time], its).astype(np.int64))
            parts.append((host, common, where, frame.astype(np.int64)))
    return parts
