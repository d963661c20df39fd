"""Can the captures be trusted? Losses of the capture itself, vantage points that are missing, clocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.captures import Capture
from backend.forensics.packets import TCP


@dataclass(frozen=True)
class CaptureQuality:
    """`dropped`: packets the kernel says it dropped, None when no file tells. `lost_segments`: ACKs for data
    that a vantage point never saw. `data_retransmission_ratio`: of data segments, over the vantage point with
    most of them."""

    dropped: int | None
    places_that_tell: int
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


def judge_quality(captures: Sequence[Capture]) -> CaptureQuality:
    """Add up what the decoder counted. Several vantage points show the same segment: the largest count is
    taken."""
    told = [
        p.dropped_by_capture for c in captures for p in c.vantage_points if p.dropped_by_capture is not None
    ]
    lost = segments = again = 0
    for capture in captures:
        table = capture.connections
        is_tcp = table["protocol"] == TCP
        for vantage in range(len(capture.vantage_points)):
            here = is_tcp & (table["vantage"] == vantage)
            lost += int(table["lost_segments"][here].sum())
            sent = int(table["data_segments"][here].sum())
            if sent > segments:
                segments, again = sent, int(table["data_retransmissions"][here].sum())
    return CaptureQuality(sum(told) if told else None, len(told), lost, segments, again)
