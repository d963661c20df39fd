"""Where a segment that had to be sent again was lost, as far as a second vantage point tells.

Each vantage point judges by what it saw itself: a segment that a place nearer to the receiver also saw twice had passed
that place the first time; one that it saw once, although the sender's side saw it twice, was lost in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts import Attempts
from backend.forensics.evidence.delays import Frame
from backend.forensics.evidence.sightings import Ints, Place, join_rows
from backend.forensics.evidence.stumbles import Stumbles
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.signals import SENT_AGAIN, SIGNAL_DTYPE

Fate = Literal["lost between", "arrived", "answer lost", "beyond", "one place"]
"""Of the place nearest to the receiver: `lost between`, it saw the segment once less than the sender's side;
`answer lost`, it saw each copy and an acknowledgement; `arrived`, each copy and no acknowledgement, and it is at the
receiver's; `beyond`, the same somewhere on the way."""
THERE_RATIO = 0.25
"""A place is at the receiver's end where the round trip beyond it is at most this share of the whole one."""
WAY_LEAST_NS = 200_000
"""Shorter round trips do not tell two hosts from two interfaces of one."""


@dataclass(frozen=True)
class SegmentFate:
    """What became of the first copy of a segment. `near` and `far` are the places nearest to its sender and to its
    receiver that saw the connection; equal where there is one only."""

    fate: Fate
    near: Place
    far: Place
    frames: tuple[Frame, ...]
    """Of the segment sent again, at both places where both saw it again."""


class SegmentLosses:
    """Joins the signals of all vantage points; asked for single rows of `Stumbles`. Linear in the signals."""

    def __init__(self, captures: Sequence[Capture], attempts: Attempts, stumbles: Stumbles) -> None:
        self._stumbles = stumbles
        self._rank = attempts.order.rank
        self._link = attempts.sightings.link_of_node
        self._by_link = np.argsort(self._link, kind="stable")
        self._sorted_link = self._link[self._by_link]
        nodes = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
        self._nodes = nodes
        first_node = np.cumsum([0, *(len(c.connections) for c in captures)])
        first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
        of_node = np.repeat(np.arange(len(captures)), [len(c.connections) for c in captures]).astype(np.int64)
        self._place_of_node: Ints = first_place[of_node] + nodes["vantage"].astype(np.int64)
        rows = join_rows([c.signals for c in captures], SIGNAL_DTYPE)
        capture = np.repeat(np.arange(len(captures)), [len(c.signals) for c in captures]).astype(np.int64)
        node = first_node[capture] + rows["connection"].astype(np.int64)
        again = np.flatnonzero((rows["kind"] & SENT_AGAIN) != 0)
        self._again: dict[tuple[int, int, int], list[tuple[int, int, Frame]]] = {}
        names = [captures[n].name for n in capture[again].tolist()]
        for at, n, name in zip(again.tolist(), node[again].tolist(), names, strict=True):
            key = (n, int(rows["from_client"][at]), int(rows["sequence"][at]))
            seen = (int(rows["time_ns"][at]), int(rows["marks"][at]), (name, int(rows["frame"][at])))
            self._again.setdefault(key, []).append(seen)

    def fate_of(self, at: int) -> SegmentFate:
        """Of the row `at` of `Stumbles.rows`, a segment sent again."""
        rows, node = self._stumbles.rows, int(self._stumbles.node[at])
        side, sequence = int(rows["from_client"][at]), int(rows["sequence"][at])
        places = self._stumbles.places
        near, far = self._ends(node, side)
        here, there = (places[int(self._place_of_node[n])] for n in (near, far))
        frames = tuple(self._stumbles.frames([at]))
        if here == there:
            return SegmentFate("one place", here, there, frames)
        copies = self._again.get((far, side, sequence), [])
        if not copies:
            return SegmentFate("lost between", here, there, frames)
        shown = tuple(dict.fromkeys((*frames, *(frame for _, _, frame in copies))))
        if any(marks & MARK_SPURIOUS_RETRANSMISSION for _, marks, _ in copies):
            return SegmentFate("answer lost", here, there, shown)
        return SegmentFate("arrived" if self._is_there(near, far, side) else "beyond", here, there, shown)

    def _is_there(self, near: int, far: int, side: int) -> bool:
        """Whether nearly all of the way lies between the two places: the handshake tells."""
        begin, end = ("syn_ns", "syn_ack_ns") if side else ("syn_ack_ns", "established_ns")
        times = [(int(self._nodes[begin][n]), int(self._nodes[end][n])) for n in (near, far)]
        if any(NEVER in pair for pair in times):
            return False
        whole_ns, beyond_ns = (last - first for first, last in times)
        return whole_ns >= WAY_LEAST_NS and beyond_ns <= THERE_RATIO * whole_ns

    def _ends(self, node: int, side: int) -> tuple[int, int]:
        """The nodes of the same connection nearest to the sender and to the receiver of what `side` sends, of those
        that saw such packets."""
        if not len(self._link):
            return node, node
        packets = self._nodes["client_packets" if side else "server_packets"]
        link = int(self._link[node])
        first, last = np.searchsorted(self._sorted_link, (link, link + 1))
        same = self._by_link[first:last]
        same = same[packets[same] > 0]
        if not len(same):
            return node, node
        rank = np.array([self._rank[int(p)] for p in self._place_of_node[same]])
        least, most = int(same[int(np.argmin(rank))]), int(same[int(np.argmax(rank))])
        return (least, most) if side else (most, least)
