"""Marks of a report on the timeline: relative times, and never more than a chart can draw.

Above 1,000 marks those of one lane and role within 8 pixels become one mark with a count. A role keeps a mark
of its own in each such cell, so that a loss is never crowded out by traffic. The same is done, in larger cells, where
fewer marks would be a longer answer than a page should wait for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from backend.forensics.report import Basis, EvidencePart, FindingPart, MarkPart, Report, Role
from backend.forensics.report_text import Glyph
from backend.services.open_tables import Tables, epoch_ns
from backend.services.scope import Scope
from backend.text_classes import FixedText, IdText, ProseText, VantageText

Value = TypeVar("Value")

WANTED = 1000
HARD_LIMIT = 2000
CELL_PX = 8
MOST_BYTES = 225_000
"""Of an answer's marks, rather too much than too little: the whole answer stays below 300 kB."""
FRAMES_OF_ONE = 32
FRAMES_OF_MANY = 2
"""Of one part, of groups and of marks that are too many to be listed with all their evidence."""
WIDER = 1.5
_BYTES_OF_A_MARK = 185
_BYTES_OF_A_PART = 50
_BYTES_OF_A_NUMBER = 8
SURVIVAL = ("missing", "pair", "repeat", "band", "bracket")
"""Which glyph stands for a cell; the others follow, instants last."""


@dataclass(frozen=True)
class TimelineMark:
    """A mark with times in ns after t0."""

    id: IdText
    glyph: Glyph
    role: Role
    basis: Basis
    t: int
    t_end: int | None
    lanes: tuple[VantageText, ...]
    label: ProseText
    finding: FixedText
    instance: int | None
    evidence: tuple[EvidencePart, ...]
    value: float | None
    count: int | None = None
    """How many marks it stands for, None when for itself."""


def marks_of(tables: Tables) -> Sequence[TimelineMark]:
    """All marks of the report that the scope shows, by time."""
    modified_ns = tables.report_file.stat().st_mtime_ns
    marks = _all_marks(tables.report_file, modified_ns, Held(tables.whole_report), tables.t0_ns)
    return marks if tables.scope.is_whole else list(_shown(marks, tables.scope))


def _shown(marks: Sequence[TimelineMark], scope: Scope) -> Iterator[TimelineMark]:
    for mark in marks:
        lanes = tuple(filter(scope.shows_lane, mark.lanes))
        if scope.shows_finding(mark.finding) and (lanes or not mark.lanes):
            yield mark if lanes == mark.lanes else replace(mark, lanes=lanes)


def marks_between(
    marks: Iterable[TimelineMark], from_t: int, to_t: int, finding: str | None
) -> list[TimelineMark]:
    """Those that touch the window."""
    return [
        mark
        for mark in marks
        if mark.t <= to_t
        and (mark.t_end if mark.t_end is not None else mark.t) >= from_t
        and (finding is None or mark.finding == finding)
    ]


def cluster(marks: list[TimelineMark], ns_per_px: float, most_bytes: int = MOST_BYTES) -> list[TimelineMark]:
    """At most HARD_LIMIT marks in about `most_bytes`; WANTED or fewer stay as they are if they fit."""
    shown = [_with_evidence(mark, FRAMES_OF_ONE) for mark in marks[: WANTED + 1]]
    if len(marks) <= WANTED and _bytes_of(shown) <= most_bytes:
        return shown
    shown = [_with_evidence(mark, FRAMES_OF_MANY, parts=1) for mark in shown]
    if len(marks) <= WANTED and _bytes_of(shown) <= most_bytes:
        return shown
    cell_ns = max(1, int(CELL_PX * ns_per_px))
    clustered = _in_cells(marks, cell_ns)
    while len(clustered) > 1 and (len(clustered) > HARD_LIMIT or _bytes_of(clustered) > most_bytes):
        if cell_ns > marks[-1].t - marks[0].t:
            break  # one of each lane and role is left
        cell_ns = int(cell_ns * WIDER) + 1
        clustered = _in_cells(marks, cell_ns)
    return clustered


def _bytes_of(marks: Iterable[TimelineMark]) -> int:
    """About how long they are as JSON."""
    return sum(
        _BYTES_OF_A_MARK + len(mark.id) + len(mark.label) + len(mark.finding) + sum(map(len, mark.lanes))
        + sum(
            _BYTES_OF_A_PART + len(part.input) + len(part.note)
            + _BYTES_OF_A_NUMBER * (len(part.frames) + len(part.lines))
            for part in mark.evidence
        )
        for mark in marks
    )  # fmt: skip


def _with_evidence(mark: TimelineMark, frames: int, parts: int | None = None) -> TimelineMark:
    """With the first frames and lines of each part; the finding's page has them all."""
    kept = mark.evidence[:parts]
    if len(kept) == len(mark.evidence) and all(max(len(p.frames), len(p.lines)) <= frames for p in kept):
        return mark
    short = (p.model_copy(update={"frames": p.frames[:frames], "lines": p.lines[:frames]}) for p in kept)
    return replace(mark, evidence=tuple(short))


def _in_cells(marks: list[TimelineMark], cell_ns: int) -> list[TimelineMark]:
    cells: dict[tuple[str, str, int], list[TimelineMark]] = defaultdict(list)
    for mark in marks:
        cells[mark.lanes[0] if mark.lanes else "", mark.role, mark.t // cell_ns].append(mark)
    return sorted((_one_of(together) for together in cells.values()), key=lambda mark: (mark.t, mark.id))


def _one_of(together: list[TimelineMark]) -> TimelineMark:
    if len(together) == 1:
        return _with_evidence(together[0], FRAMES_OF_MANY, parts=1)
    shown = min(together, key=lambda mark: (_rank(mark.glyph), mark.t))
    return replace(_with_evidence(shown, FRAMES_OF_MANY, parts=1), count=len(together))


def _rank(glyph: str) -> int:
    if glyph in SURVIVAL:
        return SURVIVAL.index(glyph)
    return len(SURVIVAL) + (glyph == "instant")


class Held(Generic[Value]):
    """Something that rides along without being part of a cache key."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=8)
def _all_marks(path: Path, modified_ns: int, held: Held[Report], t0_ns: int) -> tuple[TimelineMark, ...]:
    del path, modified_ns
    marks = [
        _relative(finding, number, mark, t0_ns)
        for finding in held.value.findings
        for number, mark in enumerate(finding.marks, start=1)
    ]
    return tuple(sorted(marks, key=lambda mark: (mark.t, mark.id)))


def _relative(finding: FindingPart, number: int, mark: MarkPart, t0_ns: int) -> TimelineMark:
    return TimelineMark(
        id=f"{finding.id}:{number}",
        glyph=mark.glyph,
        role=mark.role,
        basis=mark.basis,
        t=epoch_ns(mark.start) - t0_ns,
        t_end=None if mark.end is None else epoch_ns(mark.end) - t0_ns,
        lanes=tuple(mark.lanes),
        label=mark.label,
        finding=finding.id,
        instance=mark.instance,
        evidence=tuple(mark.evidence),
        value=mark.value,
    )
