"""Can the captures be trusted? Losses of the capture itself, vantage points that are missing, clocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.packets import TCP

_TUPLE = ("client_high", "client_low", "client_port", "server_high", "server_low", "server_port")


@dataclass(frozen=True)
class CaptureQuality:
    """`dropped`: packets the kernel says it dropped, None when no file shows. `lost_segments`: ACKs for data
    that a vantage point never saw. `data_retransmission_ratio`: of data segments, over the vantage point with
    most of them."""

    dropped: int | None
    interfaces_reporting: int
    lost_segments: int
    data_segments: int
    data_retransmissions: int

    @property
    def lossy(self) -> bool:
        """More than one packet in a thousand is missing: absence proves little then."""
        return self.lost_segments > max(3, self.data_segments // 1000)

    @property
    def lost_ratio(self) -> float:
        """Segments that passed and were not captured, of all that passed with data."""
        return self.lost_segments / max(1, self.lost_segments + self.data_segments)

    @property
    def data_retransmission_ratio(self) -> float:
        return self.data_retransmissions / self.data_segments if self.data_segments else 0.0


def count_holes(capture: Capture) -> NDArray[np.int64]:
    """`lost_segments` of each connection, without those of which this interface saw one direction and another one the
    other: with several uplinks data leaves by one and is acknowledged by the other."""
    table = capture.connections
    holes: NDArray[np.int64] = table["lost_segments"].astype(np.int64)
    for own, other in (("client_bytes", "server_bytes"), ("server_bytes", "client_bytes")):
        halved = np.flatnonzero((holes > 0) & (table[own] == 0))
        if len(halved):
            rest = table[(table[own] > 0) & (table[other] == 0)]
            key, seen = (mix(*(rows[name] for name in _TUPLE)) for rows in (table[halved], rest))
            holes[halved[np.isin(key, seen)]] = 0
    return holes


def judge_quality(captures: Sequence[Capture]) -> CaptureQuality:
    """Add up what the decoder counted. Several vantage points show the same segment: the largest count is
    taken."""
    reported = [
        p.dropped_by_capture for c in captures for p in c.vantage_points if p.dropped_by_capture is not None
    ]
    lost = segments = again = 0
    for capture in captures:
        table, holes = capture.connections, count_holes(capture)
        is_tcp = table["protocol"] == TCP
        for vantage in range(len(capture.vantage_points)):
            here = is_tcp & (table["vantage"] == vantage)
            lost += int(holes[here].sum())
            sent = int(table["data_segments"][here].sum())
            if sent > segments:
                segments, again = sent, int(table["data_retransmissions"][here].sum())
    return CaptureQuality(sum(reported) if reported else None, len(reported), lost, segments, again)
