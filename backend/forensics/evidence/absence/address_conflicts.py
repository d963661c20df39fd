"""Addresses for which two MAC addresses answer: two hosts have one address, and packets go to either (RFC 5227)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.neighbor_answers import links_of_several
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.messages import NEIGHBOR_ANSWER

SAME_QUESTION_NS: Final = 1_000_000_000
"""A neighbor is asked again after a second (`retrans_time_ms`): both answers are to one question."""
QUESTIONS_LEAST: Final = 2
"""One may be answered twice while an address moves from one host to another."""
FRAMES_KEPT: Final = 20
_COLUMNS = (
    "frame", "time_ns", "kind", "link_address", "sender_high", "sender_low", "target_high", "target_low",
)  # fmt: skip


@dataclass(frozen=True)
class AddressConflict:
    """`links` are the MAC addresses that answered for one network address, in ascending order."""

    host: int
    """Key of the address (`matched_packets.mix`)."""
    address: str
    links: tuple[str, ...]
    questions: int
    frames: tuple[Frame, ...]
    """Answers, the two of a question beside each other."""


def find_address_conflicts(captures: Sequence[Capture]) -> tuple[AddressConflict, ...]:
    """By address. Linear in ARP packets and neighbor advertisements, sorted once a capture. A router that answers for
    several addresses is no conflict."""
    best: dict[int, AddressConflict] = {}
    for capture in captures:
        for found in _of_capture(capture):
            known = best.get(found.host)
            if known is None or found.questions > known.questions:
                best[found.host] = found
    return tuple(sorted(best.values(), key=lambda each: each.address))


def _of_capture(capture: Capture) -> list[AddressConflict]:
    table = capture.messages.neighbors
    if not table.rows:
        return []
    rows = {name: column.to_numpy() for name, column in zip(_COLUMNS, table.read(_COLUMNS), strict=True)}
    host = mix(rows["sender_high"], rows["sender_low"])
    own = (rows["kind"] == NEIGHBOR_ANSWER) & ~np.isin(
        rows["link_address"], links_of_several(host, rows["link_address"])
    )
    chosen = np.flatnonzero(own)
    asker = mix(rows["target_high"], rows["target_low"])
    order = chosen[lexsort((rows["time_ns"][chosen], asker[chosen], host[chosen]))]
    second = np.flatnonzero(
        (np.diff(host[order]) == 0)
        & (np.diff(asker[order]) == 0)
        & (np.diff(rows["time_ns"][order]) < SAME_QUESTION_NS)
        & (rows["link_address"][order][1:] != rows["link_address"][order][:-1])
    )
    return _by_host(capture.name, rows, host, order[second], order[second + 1])


def _by_host(
    name: str, rows: dict[str, NDArray[np.generic]], host: NDArray[np.uint64], first: Ints, second: Ints
) -> list[AddressConflict]:
    """`first` and `second` are the rows of both answers, sorted by host."""
    found = []
    bounds = [0, *(np.flatnonzero(np.diff(host[first])) + 1).tolist(), len(first)]
    for begin, end in pairwise(bounds):
        both = np.stack([first[begin:end], second[begin:end]], axis=1)
        questions = _questions(rows["time_ns"][both[:, 0]].astype(np.int64)) if len(both) else 0
        if questions < QUESTIONS_LEAST:
            continue
        row = int(both[0, 0])
        links = np.unique(rows["link_address"][both.ravel()]).tolist()
        frames = rows["frame"][both.ravel()][:FRAMES_KEPT].tolist()
        address = address_text(int(rows["sender_high"][row]), int(rows["sender_low"][row]))
        texts = tuple(_mac(link) for link in links)
        found.append(
            AddressConflict(int(host[row]), address, texts, questions, tuple((name, f) for f in frames))
        )
    return found


def _questions(times_ns: Ints) -> int:
    """Times, in order, that lie further apart than one question and its answers."""
    return 1 + int((np.diff(times_ns) >= SAME_QUESTION_NS // 2).sum())


def _mac(link: int) -> str:
    return ":".join(f"{link >> shift & 255:02x}" for shift in range(40, -1, -8))
