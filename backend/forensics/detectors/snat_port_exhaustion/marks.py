"""What a chart draws of a used-up range: the times without a free port, and the SYNs lost in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.forensics.detectors.snat_port_exhaustion.thresholds import DEFAULT
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.evidence.nat.port_pools import FULL_RATIO, PortPool
from backend.forensics.findings import frame_evidence, line_evidence, rfc3339
from backend.forensics.report import ColumnPart, MarkPart, TablePart

ROWS_SHOWN = 1_000
INTERVALS_SHOWN = 1_000
MERGED_NS = 100_000_000
"""Two full times less than this apart are one: a port that is free for less is taken at once."""
_COLUMNS = (
    ("instance", ""),
    ("source", ""),
    ("SYN", "UTC"),
    ("ports in use", ""),
    ("input", ""),
    ("frame", ""),
)


def full_intervals(pool: PortPool) -> list[dict[str, Any]]:
    """When the range was used up, by the source that shows most ports in use."""
    usage = max(pool.usages, key=lambda u: u.most)
    limit = FULL_RATIO * pool.range.ports
    spans: list[list[int]] = []
    for at_ns, ports in zip(usage.times_ns.tolist(), usage.ports.tolist(), strict=True):
        if ports >= limit and at_ns > 0:
            if spans and (spans[-1][1] < 0 or at_ns - spans[-1][1] <= MERGED_NS):
                spans[-1][1] = -1
            else:
                spans.append([at_ns, -1])
        elif spans and spans[-1][1] < 0:
            spans[-1][1] = at_ns
    return [
        {"start": rfc3339(start), "end": rfc3339(max(start, end)), "ports_available": pool.range.ports}
        for start, end in spans[:INTERVALS_SHOWN]
    ]


def draw_marks(pool: PortPool, losses: Sequence[Loss], places: Sequence[Place]) -> list[MarkPart]:
    """A band for each time without a free port, an instant for each lost SYN."""
    marks = []
    rules = line_evidence((name, line) for name, line, _ in pool.range.rules)
    holders = rules or line_evidence(pool.lines[:1]) or frame_evidence(pool.frames[:1])
    for event in full_intervals(pool)[: DEFAULT.marked_instances]:
        marks.append(
            MarkPart(
                glyph="band",
                role="collision",
                basis="seen",
                start=str(event["start"]),
                end=str(event["end"]),
                lanes=["nat"] if len(places) > 1 else [p.id for p in places],
                evidence=holders,
                label=f"no free port of {pool.range.ports} to {pool.destination}",
            )
        )
    for instance, loss in enumerate(losses[: DEFAULT.marked_instances], start=1):
        first, in_use = loss.transmission.first, pool.in_use_at(loss.transmission.time_ns)
        marks.append(
            MarkPart(
                glyph="instant",
                role="loss",
                basis="seen",
                start=rfc3339(first.time_ns),
                lanes=[first.place.id],
                evidence=frame_evidence([(first.place.input, first.frame)]),
                label=f"SYN {first.source}: {in_use} of {pool.range.ports} ports in use",
                instance=instance,
            )
        )
    return marks


def loss_table(pool: PortPool, losses: Sequence[Loss]) -> TablePart:
    """One row per lost SYN, by time."""
    rows: list[list[Any]] = []
    for instance, loss in enumerate(losses[:ROWS_SHOWN], start=1):
        first = loss.transmission.first
        at_ns = loss.transmission.time_ns
        rows.append(
            [
                instance,
                str(first.source),
                rfc3339(at_ns),
                pool.in_use_at(at_ns),
                first.place.input,
                first.frame,
            ]
        )
    columns = [ColumnPart(name=name, unit=unit) for name, unit in _COLUMNS]
    return TablePart(name="SYNs lost without a free port", columns=columns, rows=rows, rows_total=len(losses))
