"""Signs of life: when hosts were heard, whatever they said and to whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.attempts import Attempts
from backend.forensics.packets import ICMP, ICMPV6

Frame = tuple[str, int]
"""(input, 1-based frame number)."""
Host = tuple[int, int]
"""(address high, address low)."""

FRAMES_KEPT = 20
"""Frames that prove a sign of life: a few are enough."""
_MOST_ERRORS = 1_000


@dataclass(frozen=True)
class Life:
    """By host, only those that were heard: (last time heard, a frame of it), the latest first."""

    heard: dict[Host, list[tuple[int, Frame]]]

    def frames(self, host: Host) -> list[Frame]:
        return [frame for _, frame in self.heard.get(host, [])]

    def last_ns(self, host: Host) -> int | None:
        """When it was heard last, None for never."""
        return self.heard[host][0][0] if host in self.heard else None


def find_life(captures: Sequence[Capture], attempts: Attempts, lows: NDArray[np.uint64]) -> Life:
    """Of hosts whose lower address halves are among `lows`."""
    life: dict[Host, list[tuple[int, Frame]]] = {}
    for capture in captures:
        table = capture.connections
        for end, count in (("server", "server_packets"), ("client", "client_packets")):
            heard = np.flatnonzero(np.isin(table[f"{end}_low"], lows) & (table[count] > 0))
            _add_latest(life, table[heard], end, capture.name)
    seen = attempts.sightings
    protocol = seen.rows["protocol"]
    errors = np.flatnonzero(
        ((protocol == ICMP) | (protocol == ICMPV6)) & np.isin(seen.rows["source_low"], lows)
    )
    for row in errors[:: max(1, len(errors) // _MOST_ERRORS)].tolist():
        packet, place = seen.rows[row], seen.places[int(seen.place[row])]
        host = (int(packet["source_high"]), int(packet["source_low"]))
        life.setdefault(host, []).append((int(packet["time_ns"]), (place.input, int(packet["frame"]))))
    return Life({host: sorted(frames, reverse=True)[:FRAMES_KEPT] for host, frames in life.items()})


def _add_latest(
    life: dict[Host, list[tuple[int, Frame]]], rows: NDArray[np.void], end: str, name: str
) -> None:
    """The latest few of each host are enough to prove life, whatever number of connections it has."""
    rows = rows[np.argsort(-rows["last_ns"], kind="stable")]
    keys = [rows[f"{end}_high"], rows[f"{end}_low"]]
    order = np.lexsort((np.arange(len(rows)), *keys))
    new = np.ones(len(rows), np.bool_)
    if len(rows) > 1:
        new[1:] = (keys[0][order][1:] != keys[0][order][:-1]) | (keys[1][order][1:] != keys[1][order][:-1])
    start = np.flatnonzero(new)
    position = np.arange(len(rows)) - np.repeat(start, np.diff(np.append(start, len(rows))))
    kept = rows[order[position < FRAMES_KEPT]]
    names = (f"{end}_high", f"{end}_low", "last_ns", "first_frame")
    for high, low, last_ns, frame in zip(*(kept[n].tolist() for n in names), strict=True):
        life.setdefault((high, low), []).append((last_ns, (name, frame)))
