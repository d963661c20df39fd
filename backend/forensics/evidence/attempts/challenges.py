"""SYNs answered by a bare ACK of another connection: the server still holds the tuple.

A host in TIME-WAIT, or with the connection still open, answers a SYN on that tuple with an ACK of *its* numbers
(RFC 9293 sections 3.10.7.4 and 3.6.1); the client, which knows nothing of them, resets (section 3.10.7.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.evidence.attempts.attempts import Attempts, RetriedAttempt
from backend.forensics.evidence.clocks.grouped_rows import is_among
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.packets import ACK, FIN, RST, SYN, TCP

SYN_DATA_BYTES: Final = 9_000
"""A SYN carries data of one packet at most (RFC 7413): an ACK of so much behind it is of this connection, whose SYN-ACK
was lost. One of another connection is so near by one chance in 500,000."""


@dataclass(frozen=True)
class Challenge:
    """The answer to one attempt's first SYN, at every vantage point that saw it, and the client's RST."""

    attempt: RetriedAttempt
    acks: tuple[tuple[Place, int], ...]
    """(vantage point, frame)."""
    resets: tuple[tuple[Place, int], ...]
    time_ns: int
    """Of the earliest ACK, on its vantage point's own clock."""


def find_challenges(attempts: Attempts) -> dict[int, Challenge]:
    """By link: retried attempts whose SYN was answered by an ACK that does not acknowledge it."""
    rows, link = attempts.sightings.rows, attempts.sightings.link
    near = (link >= 0) & (rows["protocol"] == TCP)
    near[near] = attempts.retried.position_of_link[link[near]] >= 0
    flags = rows["tcp_flags"]
    syns = np.flatnonzero(near & (attempts.sightings.transmission >= 0))
    isn = np.zeros(len(attempts.retried.position_of_link), np.int64)
    isn[link[syns]] = rows["sequence"][syns]
    acks_at = np.flatnonzero(near & ((flags & (SYN | ACK | RST | FIN)) == ACK))
    # Nearly every ACK is that of the connection itself, or the client's.
    beyond_syn = (rows["acknowledgement"][acks_at].astype(np.int64) - isn[link[acks_at]] - 1) % 2**32
    acks_at = acks_at[beyond_syn > SYN_DATA_BYTES]
    place = attempts.sightings.place
    asked = distinct(mix(link[syns], place[syns], rows["source_port"][syns]))
    acks_at = acks_at[is_among(mix(link[acks_at], place[acks_at], rows["destination_port"][acks_at]), asked)]
    acks = _by_link(acks_at, link)
    near[near] = np.isin(link[near], np.array(sorted(acks), np.int64))
    resets = _by_link(np.flatnonzero(near & ((flags & (SYN | RST)) == RST)), link)
    found: dict[int, Challenge] = {}
    for number, its in acks.items():
        attempt = attempts.retried.of_link(number)
        assert attempt is not None
        challenge = _challenge(attempts, attempt, its, resets.get(number, []))
        if challenge is not None:
            found[number] = challenge
    return found


def _by_link(chosen: Ints, link: Ints) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for row in chosen.tolist():
        groups.setdefault(int(link[row]), []).append(row)
    return groups


def _challenge(
    attempts: Attempts, attempt: RetriedAttempt, acks: Sequence[int], resets: Sequence[int]
) -> Challenge | None:
    sightings, rows = attempts.sightings, attempts.sightings.rows
    client_ports = {(s.place.number, s.source.port) for t in attempt.transmissions for s in t.sightings}
    opened = {a.place.number: a.time_ns for a in reversed(attempt.answers)}
    strange: list[int] = []
    for row in acks:
        place = int(sightings.place[row])
        to_client = (place, int(rows["destination_port"][row])) in client_ports
        early = place not in opened or int(sightings.time_ns[row]) < opened[place]
        if to_client and early:
            strange.append(row)
    if not strange:
        return None
    ours = [r for r in resets if (int(sightings.place[r]), int(rows["source_port"][r])) in client_ports]
    return Challenge(
        attempt,
        tuple((attempts.places[int(sightings.place[r])], int(rows["frame"][r])) for r in strange),
        tuple((attempts.places[int(sightings.place[r])], int(rows["frame"][r])) for r in ours),
        int(sightings.time_ns[strange].min()),
    )
