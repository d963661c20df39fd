"""Counts what passed and was not captured, per vantage point."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.capture_loss.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.clocks.capture_quality import count_holes
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence
from backend.forensics.packets import TCP
from backend.forensics.report import ColumnPart, FindingPart, Severity, TablePart

KIND = "capture-loss"


@dataclass(frozen=True)
class Holes:
    """One vantage point: ACKs of data it never saw beside the data it saw, and what its kernel counted."""

    place: Place
    lost_segments: int
    data_segments: int
    dropped: int | None
    frames: tuple[int, ...]

    @property
    def ratio(self) -> float:
        return self.lost_segments / max(1, self.lost_segments + self.data_segments)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureLoss(Case):
    """Of all vantage points with holes."""

    kind: str = KIND
    lost_segments: int
    dropped_by_capture: int | None
    lost_ratio: float


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding for all vantage points together: it is about the evidence, not about the network."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    holes = [_holes(facts, place) for place in facts.attempts.places]
    bad = [h for h in holes if h.lost_segments or h.dropped]
    if not bad:
        reporting = facts.quality.interfaces_reporting
        return Detection(
            "clear",
            f"no ACK for uncaptured data; {reporting:,} of {len(holes):,} vantage points report drop counters, 0 drops",
        )
    case = _case(facts, bad, thresholds)
    return Detection.of(case.summary, [case], partial(_present, bad))


def _holes(facts: Facts, place: Place) -> Holes:
    table = facts.captures[place.capture].connections
    here = (table["vantage"] == place.index) & (table["protocol"] == TCP)
    lost = count_holes(facts.captures[place.capture])[here]
    frames = table["first_frame"][here][lost > 0]
    return Holes(
        place,
        int(lost.sum()),
        int(table["data_segments"][here].sum()),
        place.point.dropped_by_capture,
        tuple(int(frame) for frame in np.sort(frames)[:100]),
    )


def _severity(bad: list[Holes], thresholds: Thresholds) -> Severity:
    holes = any(
        h.lost_segments > thresholds.notable_segments and h.ratio > thresholds.notable_ratio for h in bad
    )
    dropped = any((h.dropped or 0) > thresholds.notable_dropped for h in bad)
    return "warning" if holes or dropped else "info"


def _case(facts: Facts, bad: list[Holes], thresholds: Thresholds) -> CaptureLoss:
    lost, dropped = sum(h.lost_segments for h in bad), sum(h.dropped or 0 for h in bad)
    number = bad[0].place.capture
    first = facts.captures[number]
    frames = [(h.place.input, frame) for h in bad for frame in (h.frames or (1,))]
    return CaptureLoss(
        severity=_severity(bad, thresholds),
        confidence=0.95,
        summary=(
            f"{lost:,} data segments were acknowledged but not captured; the capture reports {dropped:,} "
            "dropped packets. "
            "A packet absent from the capture may still have been sent."
        ),
        count=lost + dropped,
        first_ns=facts.clocks.at_reference(number, first.first_ns),
        last_ns=facts.clocks.at_reference(number, first.last_ns),
        evidence=tuple(frame_evidence(frames, "first frames of connections with uncaptured data")),
        lost_segments=lost,
        dropped_by_capture=dropped if any(h.dropped is not None for h in bad) else None,
        lost_ratio=round(max(h.ratio for h in bad), 6),
    )


def _present(bad: list[Holes], case: CaptureLoss) -> FindingPart:
    affected = [{"vantage_point": h.place.id} for h in bad]
    return present_case(case, "Packets missing from the capture", affected=affected, tables=[_table(bad)])


def _table(bad: list[Holes]) -> TablePart:
    names = ("vantage point", "acknowledged, not captured", "data segments", "dropped before capture")
    rows: list[list[object]] = [[h.place.name, h.lost_segments, h.data_segments, h.dropped] for h in bad]
    columns = [ColumnPart(name=name) for name in names]
    return TablePart(name="vantage points", columns=columns, rows=rows, rows_total=len(rows))
