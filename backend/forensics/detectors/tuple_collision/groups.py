"""Without packets: conntrack entries of several sources that wanted one outgoing port, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from backend.forensics.cases.case import Case
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.tuple_collision.thresholds import Thresholds
from backend.forensics.dumps.conntrack import EVENT_NEW
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import line_evidence, plural
from backend.forensics.packets import TCP, UDP
from backend.forensics.report import FindingPart

KIND = "tuple-collision"
_GROUP = ("protocol", "original_source_port", "original_destination_high", "original_destination_low",
          "original_destination_port")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCollision(Case):
    """Of one listing: no distances in time."""

    kind: str = KIND
    rival_distance_median_us: None = None
    ports_rewritten: int
    ports_rewritten_ratio: float
    insert_failed_delta: int | None


@dataclass(frozen=True)
class Groups:
    """What one listing shows: groups, lines of their entries, entries with another port, all entries."""

    input: str
    groups: int
    lines: list[int]
    rewritten: int
    entries: int


def detect_in_dumps(facts: Facts, thresholds: Thresholds) -> Detection:
    """One finding per dump: groups of entries with one source port towards one destination from several sources, of
    which a reply tuple shows a rewritten port. `info` unless insert_failed rose with them."""
    listed = [d for d in facts.node.dumps if len(d.dump.entries)]
    if not listed:
        return Detection(
            "not-checkable", "needs a capture that holds connection attempts, or conntrack -L or -E"
        )
    delta = facts.node.delta
    rise = delta.deltas.get("insert_failed") if delta else None
    shown: list[Groups] = []
    for each in listed:
        rows = each.dump.entries.rows
        rows = rows[np.isin(rows["protocol"], (TCP, UDP)) & np.isin(rows["event"], (0, EVENT_NEW))]
        rewritten = (rows["reply_destination_port"] != rows["original_source_port"]) & _translated(rows)
        groups, lines = _groups(rows, rewritten, thresholds.listed_lines)
        if groups:
            shown.append(Groups(each.input, groups, lines, int(rewritten.sum()), len(rows)))
    total = sum(found.groups for found in shown)
    why = (
        f"{plural(total, 'group')} of conntrack entries compete for one SNAT port; only a capture shows "
        "whether a SYN was lost"
    )
    return Detection.of_groups(why, shown, partial(_case, rise, thresholds), _present)


def _translated(rows: NDArray[np.void]) -> NDArray[np.bool_]:
    other: NDArray[np.bool_] = (rows["reply_destination_low"] != rows["original_source_low"]) | (
        rows["reply_destination_high"] != rows["original_source_high"]
    )
    return other


def _groups(rows: NDArray[np.void], rewritten: NDArray[np.bool_], lines_most: int) -> tuple[int, list[int]]:
    """(number of groups with two sources and a rewritten port, lines of their entries)."""
    if not len(rows):
        return 0, []
    keys = [rows[name] for name in _GROUP]
    order = lexsort((rows["original_source_low"], rows["original_source_high"], *keys))
    new = np.ones(len(rows), np.bool_)
    new[1:] = False
    for key in keys:
        new[1:] |= key[order][1:] != key[order][:-1]
    other = np.zeros(len(rows), np.int64)
    for name in ("original_source_low", "original_source_high"):
        other[1:] |= rows[name][order][1:] != rows[name][order][:-1]
    other[new] = 0
    starts = np.flatnonzero(new)
    several = np.maximum.reduceat(other, starts) > 0
    several &= np.maximum.reduceat(rewritten[order].astype(np.int64), starts) > 0
    chosen = np.repeat(several, np.diff(np.append(starts, len(rows))))
    return int(several.sum()), [int(line) for line in rows["line"][order][chosen][:lines_most]]


def _case(rise: int | None, thresholds: Thresholds, found: Groups) -> ListedCollision:
    failed = rise is not None and rise >= thresholds.least_insert_failed
    counted = "" if rise is None else f" insert_failed rose by {rise:,} between the dumps."
    lines = [(found.input, line) for line in found.lines]
    return ListedCollision(
        severity="warning" if failed else "info",
        confidence=thresholds.confidence_failed if failed else thresholds.confidence_listed,
        summary=(
            f"{plural(found.groups, 'group')} of conntrack entries share source port and destination; "
            f"{found.rewritten:,} of {found.entries:,} entries got another source port.{counted}"
        ),
        count=found.groups,
        evidence=tuple(line_evidence(lines, "conntrack entries with one source port")),
        ports_rewritten=found.rewritten,
        ports_rewritten_ratio=round(found.rewritten / found.entries, 4),
        insert_failed_delta=rise,
    )


def _present(found: Groups, case: ListedCollision) -> FindingPart:
    return present_case(case, f"SNAT source-port collisions ({found.input})")
