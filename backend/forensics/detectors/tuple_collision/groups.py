"""Without packets: conntrack entries of several sources that wanted one outgoing port, in numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backend.forensics.detection.contract import Detection
from backend.forensics.dumps.conntrack import EVENT_NEW
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import line_evidence, plural
from backend.forensics.packets import TCP, UDP
from backend.forensics.report import EvidencePart, FindingPart

KIND = "tuple-collision"
LINES_SHOWN = 1_000
_GROUP = ("protocol", "original_source_port", "original_destination_high", "original_destination_low",
          "original_destination_port")  # fmt: skip


def detect_in_dumps(facts: Facts) -> Detection:
    """One finding per dump: groups of entries with one source port towards one destination from several sources, of
    which a reply tuple shows a rewritten port. `info` unless insert_failed rose with them."""
    listed = [d for d in facts.kernel.dumps if len(d.dump.entries)]
    if not listed:
        return Detection(
            "not-checkable", "needs a capture that holds connection attempts, or conntrack -L or -E"
        )
    delta = facts.kernel.delta
    rise = delta.deltas.get("insert_failed") if delta else None
    findings: list[FindingPart] = []
    for each in listed:
        rows = each.dump.entries.rows
        rows = rows[np.isin(rows["protocol"], (TCP, UDP)) & np.isin(rows["event"], (0, EVENT_NEW))]
        rewritten = (rows["reply_destination_port"] != rows["original_source_port"]) & _translated(rows)
        groups, lines = _groups(rows, rewritten)
        if groups:
            findings.append(
                _finding(each.input, len(findings) + 1, groups, lines, int(rewritten.sum()), len(rows), rise)
            )
    total = sum(f.count for f in findings)
    why = f"{plural(total, 'group')} of entries wanted one outgoing port; only a capture shows whether a SYN was lost"
    loud = any(f.severity != "info" for f in findings)
    return Detection("found" if loud else "clear", why, tuple(findings))


def _translated(rows: NDArray[np.void]) -> NDArray[np.bool_]:
    other: NDArray[np.bool_] = (rows["reply_destination_low"] != rows["original_source_low"]) | (
        rows["reply_destination_high"] != rows["original_source_high"]
    )
    return other


def _groups(rows: NDArray[np.void], rewritten: NDArray[np.bool_]) -> tuple[int, list[int]]:
    """(number of groups with two sources and a rewritten port, lines of their entries)."""
    if not len(rows):
        return 0, []
    keys = [rows[name] for name in _GROUP]
    order = np.lexsort((rows["original_source_low"], rows["original_source_high"], *keys))
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
    return int(several.sum()), [int(line) for line in rows["line"][order][chosen][:LINES_SHOWN]]


def _finding(
    name: str, number: int, groups: int, lines: list[int], rewritten: int, total: int, rise: int | None
) -> FindingPart:
    shown = "" if rise is None else f" insert_failed rose by {rise} between the dumps."
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity="warning" if rise else "info",
        confidence=0.5 if rise else 0.3,
        title=f"Several sources wanted one outgoing port ({name})",
        summary=(
            f"{plural(groups, 'group')} of entries share source port and destination; {rewritten:,} of {total:,} "
            f"entries left with another port.{shown}"
        ),
        count=groups,
        first=None,
        last=None,
        time_lost_s=0.0,
        measures={
            "rival_distance_median_us": None,
            "ports_rewritten": rewritten,
            "ports_rewritten_ratio": round(rewritten / total, 4),
            "insert_failed_delta": rise,
        },
        affected=[],
        evidence=_evidence(name, lines),
    )


def _evidence(name: str, lines: list[int]) -> list[EvidencePart]:
    return line_evidence([(name, line) for line in lines], "entries that wanted one port")
