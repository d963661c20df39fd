"""Where a segment that had to be retransmitted was lost, as far as a second vantage point shows.

Each vantage point judges by what it saw itself: a segment that a place nearer to the receiver saw as often as the
sender's side had passed that place each time; one that it saw less often was lost in between: behind the last place
that saw all copies, and before the next. A place that did not record when the segment was sent shows nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.absence.loss_places import recorded_at
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.nodes import same_node
from backend.forensics.evidence.clocks.sightings import Ints, Place, join_rows
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.packets import MARK_SPURIOUS_RETRANSMISSION
from backend.forensics.signals import FILLED, SENT_AGAIN, SIGNAL_DTYPE

Fate = Literal["lost between", "in node", "arrived", "answer lost", "late", "beyond", "one place", "counted"]
"""Of the place nearest to the receiver: `lost between`, it saw the segment less often than the sender's side, `in node`
the same where the places around the loss are of one machine;
`answer lost`, it saw each copy and an acknowledgement; `arrived`, each copy and no acknowledgement, and it is at the
receiver's; `late`, it saw the first copy so late that both came together: nothing was lost;
`beyond`, as `arrived` somewhere on the path; `counted` is for those whose receiver's own counters show it."""
THERE_RATIO = 0.25
"""A place is at the receiver's end where the round trip beyond it is at most this share of the whole one."""
TOGETHER_SHARE = 0.5
"""Copies that come closer to one another than this share of the time between which they were sent: the first was
delayed. A receiver that dropped it saw them that time apart."""
WAY_LEAST_NS = 200_000
"""Shorter round trips do not distinguish two hosts from two interfaces of one."""


@dataclass(frozen=True)
class SegmentFate:
    """What became of the first copy of a segment. `near` and `far` are the places around its loss; where it was not
    lost between two places, those nearest to its sender and to its receiver, equal where there is one only."""

    fate: Fate
    near: Place
    far: Place
    frames: tuple[Frame, ...]
    """Of the retransmitted segment, at both places where both saw it."""


@dataclass(frozen=True)
class _Copy:
    """A retransmission as one vantage point saw it; `silence_ns` since its connection's packet before."""

    silence_ns: int
    marks: int
    frame: Frame


class SegmentLosses:
    """Joins the signals of all vantage points; asked for single rows of `TcpAnomalies`. Linear in the signals."""

    def __init__(self, captures: Sequence[Capture], attempts: Attempts, anomalies: TcpAnomalies) -> None:
        self._anomalies = anomalies
        self._captures, self._attempts = captures, attempts
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
        # The first sight of bytes that fill a hole is no second copy: the first one had not come as far as here.
        again = np.flatnonzero((rows["kind"] & (SENT_AGAIN | FILLED)) == SENT_AGAIN)
        self._fates: dict[int, SegmentFate] = {}
        self._paths: dict[tuple[int, int], list[int]] = {}
        self._again: dict[tuple[int, int, int], list[_Copy]] = {}
        """By node, side and sequence number: each copy."""
        names = [captures[n].name for n in capture[again].tolist()]
        columns = ("from_client", "sequence", "silence_ns", "marks", "frame")
        values = (rows[column][again].tolist() for column in columns)
        for n, name, side, sequence, silence_ns, marks, frame in zip(
            node[again].tolist(), names, *values, strict=True
        ):
            key = (n, side, sequence)
            self._again.setdefault(key, []).append(_Copy(silence_ns, marks, (name, frame)))

    def fate_of(self, at: int) -> SegmentFate:
        """Of the row `at` of `TcpAnomalies.rows`, a retransmitted segment. Kept: several causes ask for it."""
        fate = self._fates.get(at)
        if fate is None:
            fate = self._fates[at] = self._follow(at)
        return fate

    def _follow(self, at: int) -> SegmentFate:
        rows, node = self._anomalies.rows, int(self._anomalies.node[at])
        side, sequence = int(rows["from_client"][at]), int(rows["sequence"][at])
        places = self._anomalies.places
        if (node, side) not in self._paths:
            self._paths[node, side] = self._path(node, side)
        path = self._recording(self._paths[node, side], at)
        near, far = path[0], path[-1]
        here, there = (places[int(self._place_of_node[n])] for n in (near, far))
        frames = tuple(self._anomalies.frames([at]))
        twice = any((place, side, sequence) in self._again for place in path)
        if here == there or not twice:
            return SegmentFate("one place", here, there, frames)
        copies = self._again.get((far, side, sequence), [])
        if len(copies) < self._sent_again(near, side, sequence):
            here, there = self._around(path, side, sequence)
            fate: Fate = "in node" if same_node(self._captures, here, there) else "lost between"
            return SegmentFate(fate, here, there, frames)
        shown = tuple(dict.fromkeys((*frames, *(copy.frame for copy in copies))))
        if any(copy.marks & MARK_SPURIOUS_RETRANSMISSION for copy in copies):
            return SegmentFate("answer lost", here, there, shown)
        if min(copy.silence_ns for copy in copies) < TOGETHER_SHARE * int(rows["silence_ns"][at]):
            return SegmentFate("late", here, there, shown)
        return SegmentFate("arrived" if self._is_there(near, far, side) else "beyond", here, there, shown)

    def _is_there(self, near: int, far: int, side: int) -> bool:
        """Whether nearly all of the path lies between the two vantage points, by the handshake."""
        begin, end = ("syn_ns", "syn_ack_ns") if side else ("syn_ack_ns", "established_ns")
        times = [(int(self._nodes[begin][n]), int(self._nodes[end][n])) for n in (near, far)]
        if any(NEVER in pair for pair in times):
            return False
        whole_ns, beyond_ns = (last - first for first, last in times)
        return whole_ns >= WAY_LEAST_NS and beyond_ns <= THERE_RATIO * whole_ns

    def _recording(self, path: list[int], at: int) -> list[int]:
        """Of the path, the nodes whose vantage points recorded when the first copy of the row `at` was sent and when it
        was retransmitted; the whole path where that is none."""
        again_ns = int(self._anomalies.common_ns[at])
        times = np.array([again_ns - int(self._anomalies.rows["silence_ns"][at]), again_ns])
        places = self._anomalies.places
        kept = [
            node
            for node in path
            if recorded_at(self._attempts, places[int(self._place_of_node[node])], times).all()
        ]
        return kept or path

    def _sent_again(self, near: int, side: int, sequence: int) -> int:
        """How often the sender's side saw the segment after the first time: at least once, or nobody would ask."""
        return max(1, len(self._again.get((near, side, sequence), ())))

    def _around(self, path: Sequence[int], side: int, sequence: int) -> tuple[Place, Place]:
        """The last place on the path that saw every copy of the segment, and the next one."""
        every = self._sent_again(path[0], side, sequence)
        seen = [
            at
            for at, node in enumerate(path[:-1])
            if len(self._again.get((node, side, sequence), ())) >= every
        ]
        last = seen[-1] if seen else 0
        here, there = (self._anomalies.places[int(self._place_of_node[path[at]])] for at in (last, last + 1))
        return here, there

    def _path(self, node: int, side: int) -> list[int]:
        """The nodes of the same connection from the sender of what `side` sends to its receiver, of those that saw such
        packets."""
        if not len(self._link):
            return [node]
        packets = self._nodes["client_packets" if side else "server_packets"]
        link = int(self._link[node])
        first, last = np.searchsorted(self._sorted_link, (link, link + 1))
        same = self._by_link[first:last]
        same = same[packets[same] > 0]
        if not len(same):
            return [node]
        rank = np.array([self._rank[int(p)] for p in self._place_of_node[same]])
        order: list[int] = same[np.argsort(rank if side else -rank, kind="stable")].tolist()
        return order
